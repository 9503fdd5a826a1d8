// Shrinking images by area average: tiles of a screen, and small frames for stacking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace widthwise {

struct Size {
    std::uint32_t rows;
    std::uint32_t columns;
    std::uint32_t channels;
};

// Made once for a size of image and a number of tiles, then used on many images. A tile's border may cut
// through pixels: a pixel then counts by the part of it that lies inside. All sums are exact.
class Shrink {
public:
    // `values` is the number of values a tile can have: its mean, between 0 and 255, is cut into as many
    // equal parts. With `nearest` the mean is rounded instead of cut, which is right for pictures.
    Shrink(Size image, std::uint32_t rows, std::uint32_t columns, std::uint32_t values, bool nearest);

    std::size_t input_size() const;
    std::size_t output_size() const;

    // Rows first, then columns, then channels, in both. Not const: it has a line of its own to work on.
    void operator()(std::span<const std::uint8_t> image, std::span<std::uint8_t> tiles);

    // The same for one row of tiles, and the rows of the image that it depends on, the last included.
    void row(std::span<const std::uint8_t> image, std::size_t number, std::span<std::uint8_t> tiles);
    std::pair<std::size_t, std::size_t> rows_of(std::size_t number) const;

private:
    // The part of one side that a tile covers: full pixels in the middle, a part of one at either end.
    struct Stretch {
        std::uint32_t first;
        std::uint32_t last;
        std::uint32_t first_weight;
        std::uint32_t last_weight;
    };

    // The same where no tile covers more than three pixels, as in frames: without a branch it is quicker.
    struct Narrow {
        std::uint32_t first;
        std::uint32_t left;
        std::uint32_t middle;
        std::uint32_t right;
    };

    static std::vector<Stretch> stretches(std::uint32_t pixels, std::uint32_t tiles);
    void add_rows(std::span<const std::uint8_t> image, const Stretch& stretch);

    Size size_;
    double factor_;  // from the sum over a tile to its value
    double start_;   // added to it before it is cut to a whole number
    std::vector<Stretch> down_;
    std::vector<Stretch> across_;
    std::vector<Narrow> narrow_;         // instead of `across_`, for one channel, or empty
    std::vector<std::uint16_t> middle_;  // full rows of a tile, added up
    std::vector<std::uint32_t> line_;    // all rows of a tile with their weights
};

}  // namespace widthwise
