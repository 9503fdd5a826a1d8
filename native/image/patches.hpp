// Which colours are in which tile of a screen, and the pairs of them with their offsets: B-PROST features
// (Liang, Machado, Talvitie and Bowling 2016).
//
// A *patch* is a colour in a tile. It is numbered tile * 128 + colour. The features of a screen are its
// patches, the pairs of two patches by their colours and the offset between their tiles, and the same pairs
// between a patch of the screen before and a patch of this one. A feature is true or absent, so that a screen
// is a sorted list of the numbers of its true features.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widthwise {

class Patches {
public:
    static constexpr std::uint32_t kRows = 14, kColumns = 16, kColours = 128;
    static constexpr std::uint32_t kPatches = kRows * kColumns * kColours;
    static constexpr std::uint32_t kOffsets = (2 * kRows - 1) * (2 * kColumns - 1);
    // The first number of a pair in space, of a pair in time, and the first number that no pair has.
    static constexpr std::uint32_t kSpace = kPatches, kTime = kSpace + kColours * kColours * kOffsets,
                                   kEnd = kTime + kColours * kColours * kOffsets;

    Patches(std::uint32_t rows, std::uint32_t columns);

    // The patches of a screen of numbered colours below 128, in order. Tile rows whose pixels are those of
    // the screen before are not looked at again.
    const std::vector<std::uint16_t>& of(std::span<const std::uint8_t> colours);

private:
    using Colours = std::array<std::uint64_t, 2>;  // a set of colours

    std::size_t rows_, columns_;
    std::vector<std::uint8_t> tile_of_column_;
    std::vector<std::uint8_t> seen_;             // the last screen
    std::vector<Colours> tiles_;                 // of the last screen, tile by tile
    std::array<std::size_t, kRows + 1> begins_;  // the first pixel row of each row of tiles
    std::vector<std::uint16_t> patches_;
    bool known_ = false;
};

// The numbers of all true features of a screen, in order. `before` are the patches of the screen before;
// without any there are no pairs in time. Patches in `background` (in order) are left out, alone and in
// pairs.
std::vector<std::uint32_t> screen_features(std::span<const std::uint16_t> now,
                                           std::span<const std::uint16_t> before,
                                           std::span<const std::uint16_t> background, bool space, bool time);

}  // namespace widthwise
