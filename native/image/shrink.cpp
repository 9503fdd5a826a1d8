#include "image/shrink.hpp"

#include <algorithm>
#include <stdexcept>

namespace widthwise {

namespace {

// Up to here a column of bytes adds up in 16 bits and a whole image in 64.
constexpr std::uint32_t kMaxSide = 4096;
constexpr std::uint32_t kMaxFullRows = 65535 / 255;

}  // namespace

Shrink::Shrink(Size image, std::uint32_t rows, std::uint32_t columns, std::uint32_t values, bool nearest)
    : size_(image), values_(values), nearest_(nearest) {
    if (image.rows == 0 || image.columns == 0 || image.channels == 0 || image.rows > kMaxSide ||
        image.columns > kMaxSide || image.channels > 16)
        throw std::invalid_argument("an image has 1 to 4096 rows and columns and 1 to 16 channels");
    if (rows == 0 || columns == 0 || rows > image.rows || columns > image.columns)
        throw std::invalid_argument("there are no more tiles than pixels, and at least one");
    if (values < 2 || values > 256) throw std::invalid_argument("a tile has 2 to 256 values");
    down_ = stretches(image.rows, rows);
    across_ = stretches(image.columns, columns);
    middle_.resize(std::size_t{image.columns} * image.channels);
    line_.resize(middle_.size());
}

std::size_t Shrink::input_size() const {
    return std::size_t{size_.rows} * size_.columns * size_.channels;
}

std::size_t Shrink::output_size() const {
    return down_.size() * across_.size() * size_.channels;
}

// In units in which a pixel is `tiles` long and a tile is `pixels` long, all borders are whole numbers.
std::vector<Shrink::Stretch> Shrink::stretches(std::uint32_t pixels, std::uint32_t tiles) {
    std::vector<Stretch> result;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        const std::uint32_t low = tile * pixels;
        const std::uint32_t high = low + pixels;
        const std::uint32_t first = low / tiles;
        const std::uint32_t last = (high - 1) / tiles;
        const std::uint32_t first_weight = std::min(high, (first + 1) * tiles) - low;
        result.push_back({first, last, first_weight, first == last ? 0 : high - last * tiles});
    }
    return result;
}

void Shrink::add_rows(std::span<const std::uint8_t> image, const Stretch& stretch) {
    const std::size_t width = line_.size();
    const auto full = static_cast<std::uint32_t>(down_.size());
    const std::uint8_t* row = image.data() + stretch.first * width;
    for (std::size_t x = 0; x < width; ++x) line_[x] = row[x] * stretch.first_weight;
    for (std::uint32_t y = stretch.first + 1; y < stretch.last;) {
        // Full rows are added in 16 bits, which is twice as fast, as long as that cannot overflow.
        const std::uint32_t until = std::min(stretch.last, y + kMaxFullRows);
        std::fill(middle_.begin(), middle_.end(), std::uint16_t{0});
        for (; y < until; ++y) {
            row = image.data() + y * width;
            for (std::size_t x = 0; x < width; ++x)
                middle_[x] = static_cast<std::uint16_t>(middle_[x] + row[x]);
        }
        for (std::size_t x = 0; x < width; ++x) line_[x] += middle_[x] * full;
    }
    if (stretch.last_weight > 0) {
        row = image.data() + stretch.last * width;
        for (std::size_t x = 0; x < width; ++x) line_[x] += row[x] * stretch.last_weight;
    }
}

void Shrink::operator()(std::span<const std::uint8_t> image, std::span<std::uint8_t> tiles) {
    if (image.size() != input_size() || tiles.size() != output_size())
        throw std::invalid_argument("the image is not of the size that was announced");
    const std::uint64_t area = std::uint64_t{size_.rows} * size_.columns;
    const std::uint64_t part = nearest_ ? area / 2 : 0;
    const std::uint64_t top = nearest_ ? 255 : 256;
    const std::uint64_t scale = nearest_ ? values_ - 1 : values_;
    const std::size_t channels = size_.channels;
    const auto full = static_cast<std::uint32_t>(across_.size());
    std::uint8_t* out = tiles.data();
    for (const Stretch& stretch : down_) {
        add_rows(image, stretch);
        for (const Stretch& piece : across_) {
            for (std::size_t channel = 0; channel < channels; ++channel) {
                const std::uint32_t* line = line_.data() + channel;
                std::uint64_t sum = 0;
                for (std::size_t x = piece.first + 1; x < piece.last; ++x) sum += line[x * channels];
                sum = sum * full + std::uint64_t{line[piece.first * channels]} * piece.first_weight;
                if (piece.last_weight > 0)
                    sum += std::uint64_t{line[piece.last * channels]} * piece.last_weight;
                *out++ = static_cast<std::uint8_t>((sum * scale + part * top) / (area * top));
            }
        }
    }
}

}  // namespace widthwise
