#include "image/shrink.hpp"

#include <algorithm>
#include <stdexcept>

namespace widthwise {

namespace {

// Up to here the bytes of a whole image add up in 32 bits.
constexpr std::uint32_t kMaxSide = 4096;
// And so many bytes in 16.
constexpr std::uint32_t kMaxFullRows = 65535 / 255;

}  // namespace

Shrink::Shrink(Size image, std::uint32_t rows, std::uint32_t columns, std::uint32_t values, bool nearest)
    : size_(image), factor_(0), start_(0) {
    if (image.rows == 0 || image.columns == 0 || image.channels == 0 || image.rows > kMaxSide ||
        image.columns > kMaxSide || image.channels > 16)
        throw std::invalid_argument("an image has 1 to 4096 rows and columns and 1 to 16 channels");
    if (rows == 0 || columns == 0 || rows > image.rows || columns > image.columns)
        throw std::invalid_argument("the number of tiles must be from 1 to the number of pixels");
    if (values < 2 || values > 256) throw std::invalid_argument("a tile has 2 to 256 values");
    // A product with the inverse is quicker than a quotient. Sums are below 2^32, so a quotient is either
    // whole or at least 2e-10 below the next whole number, and its error below 1e-13: a nudge in between
    // makes it exact.
    constexpr double nudge = 1e-11;
    const double area = static_cast<double>(image.rows) * image.columns;
    factor_ = nearest ? (values - 1) / (area * 255) : values / (area * 256);
    start_ = nudge + (nearest ? 0.5 : 0.0);
    down_ = stretches(image.rows, rows);
    across_ = stretches(image.columns, columns);
    middle_.resize(std::size_t{image.columns} * image.channels);
    // Two more, which stay 0, as three pixels are looked at even where a tile covers fewer.
    line_.resize(middle_.size() + 2);
    if (image.channels > 1) return;
    for (const Stretch& piece : across_) {
        if (piece.last > piece.first + 2) {
            narrow_.clear();
            return;
        }
        const bool three = piece.last == piece.first + 2;
        narrow_.push_back({piece.first, piece.first_weight, three ? columns : piece.last_weight,
                           three ? piece.last_weight : 0});
    }
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
    const std::size_t width = middle_.size();
    const auto full = static_cast<std::uint32_t>(down_.size());
    std::uint32_t* const line = line_.data();
    std::uint16_t* const middle = middle_.data();
    const std::uint8_t* row = image.data() + stretch.first * width;
    for (std::size_t x = 0; x < width; ++x) line[x] = row[x] * stretch.first_weight;
    for (std::uint32_t y = stretch.first + 1; y < stretch.last;) {
        // Full rows are added in 16 bits, which is twice as fast, as long as that cannot overflow.
        const std::uint32_t until = std::min(stretch.last, y + kMaxFullRows);
        row = image.data() + y++ * width;
        for (std::size_t x = 0; x < width; ++x) middle[x] = row[x];
        for (; y < until; ++y) {
            row = image.data() + y * width;
            for (std::size_t x = 0; x < width; ++x)
                middle[x] = static_cast<std::uint16_t>(middle[x] + row[x]);
        }
        for (std::size_t x = 0; x < width; ++x) line[x] += middle[x] * full;
    }
    if (stretch.last_weight > 0) {
        row = image.data() + stretch.last * width;
        for (std::size_t x = 0; x < width; ++x) line[x] += row[x] * stretch.last_weight;
    }
}

std::pair<std::size_t, std::size_t> Shrink::rows_of(std::size_t number) const {
    return {down_[number].first, down_[number].last};
}

void Shrink::operator()(std::span<const std::uint8_t> image, std::span<std::uint8_t> tiles) {
    if (tiles.size() != output_size())
        throw std::invalid_argument("the tiles are not as many as were announced");
    const std::size_t width = across_.size() * size_.channels;
    for (std::size_t number = 0; number < down_.size(); ++number)
        row(image, number, tiles.subspan(number * width, width));
}

void Shrink::row(std::span<const std::uint8_t> image, std::size_t number, std::span<std::uint8_t> tiles) {
    const std::size_t channels = size_.channels;
    if (image.size() != input_size() || tiles.size() != across_.size() * channels)
        throw std::invalid_argument("the image is not of the size that was announced");
    add_rows(image, down_[number]);
    std::uint8_t* out = tiles.data();
    const auto whole = [this](std::uint32_t sum) {
        return static_cast<std::uint8_t>(static_cast<std::int32_t>(sum * factor_ + start_));
    };
    for (const Narrow& piece : narrow_) {
        const std::uint32_t* const line = line_.data() + piece.first;
        *out++ = whole(line[0] * piece.left + line[1] * piece.middle + line[2] * piece.right);
    }
    if (!narrow_.empty()) return;
    const auto full = static_cast<std::uint32_t>(across_.size());
    for (const Stretch& piece : across_) {
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const std::uint32_t* line = line_.data() + channel;
            std::uint32_t sum = 0;
            for (std::size_t x = piece.first + 1; x < piece.last; ++x) sum += line[x * channels];
            sum = sum * full + line[piece.first * channels] * piece.first_weight;
            if (piece.last_weight > 0) sum += line[piece.last * channels] * piece.last_weight;
            *out++ = whole(sum);
        }
    }
}

}  // namespace widthwise
