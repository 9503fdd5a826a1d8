#include "image/screen.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace widthwise {

Screen::Screen(std::uint32_t rows, std::uint32_t columns, std::uint32_t small_rows,
               std::uint32_t small_columns)
    : width_(columns),
      small_rows_(small_rows),
      small_width_(small_columns),
      shrink_({rows, columns, 1}, small_rows, small_columns, 256, true),
      colours_(shrink_.input_size()),
      grays_(shrink_.input_size()),
      picture_(shrink_.output_size()),
      known_(rows, 0),
      changed_(rows, 1) {
    gray_.fill(kUnknown);
}

void Screen::learn(std::span<const std::uint8_t> colours, std::span<const std::uint8_t> grays) {
    if (colours.size() != colours_.size() || grays.size() != colours_.size())
        throw std::invalid_argument("the screen is not of the size that was announced");
    for (std::size_t i = 0; i < colours.size(); ++i) gray_[colours[i]] = grays[i];
    std::ranges::fill(known_, std::uint8_t{0});  // a gray may be another than it was
}

bool Screen::look(std::span<const std::uint8_t> colours, std::span<std::uint8_t> picture) {
    if (colours.size() != colours_.size() || picture.size() != picture_.size())
        throw std::invalid_argument("the screen is not of the size that was announced");
    for (std::size_t row = 0; row < known_.size(); ++row) {
        const std::size_t begin = row * width_;
        if (known_[row] && std::memcmp(colours.data() + begin, colours_.data() + begin, width_) == 0)
            continue;
        // Marked before anything is tried: what was begun and given up is done again the next time.
        known_[row] = 0;
        changed_[row] = 1;
        std::uint32_t unknown = 0;
        for (std::size_t i = begin; i < begin + width_; ++i) {
            const std::uint16_t gray = gray_[colours[i]];
            unknown |= gray;
            grays_[i] = static_cast<std::uint8_t>(gray);
        }
        if (unknown >= kUnknown) return false;
        std::copy_n(colours.begin() + static_cast<std::ptrdiff_t>(begin), width_,
                    colours_.begin() + static_cast<std::ptrdiff_t>(begin));
        known_[row] = 1;
    }
    for (std::size_t row = 0; row < small_rows_; ++row) {
        const auto [first, last] = shrink_.rows_of(row);
        const auto rows = std::span{changed_}.subspan(first, last - first + 1);
        if (std::ranges::any_of(rows, [](std::uint8_t changed) { return changed != 0; }))
            shrink_.row(grays_, row, std::span{picture_}.subspan(row * small_width_, small_width_));
    }
    std::ranges::fill(changed_, std::uint8_t{0});
    std::ranges::copy(picture_, picture.begin());
    return true;
}

}  // namespace widthwise
