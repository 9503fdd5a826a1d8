// A game's screen as a small gray picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/shrink.hpp"

namespace widthwise {

// Most of a screen is as it was when it was last looked at, also after a jump to another node of a search:
// only rows that have changed are worked out again.
class Screen {
public:
    Screen(std::uint32_t rows, std::uint32_t columns, std::uint32_t small_rows, std::uint32_t small_columns);

    // Writes the small picture of a screen of numbered colours. False, and nothing is written, if one of them
    // was never seen: then `learn` comes first.
    bool look(std::span<const std::uint8_t> colours, std::span<std::uint8_t> picture);

    // Takes over which gray each colour is from a screen that is there in both ways.
    void learn(std::span<const std::uint8_t> colours, std::span<const std::uint8_t> grays);

private:
    static constexpr std::uint16_t kUnknown = 256;

    std::size_t width_;
    std::size_t small_rows_;
    std::size_t small_width_;
    Shrink shrink_;
    std::array<std::uint16_t, 256> gray_;
    std::vector<std::uint8_t> colours_;  // of the last screen
    std::vector<std::uint8_t> grays_;    // and its grays
    std::vector<std::uint8_t> picture_;  // and its picture
    std::vector<std::uint8_t> known_;    // rows of which colours and grays are right
    std::vector<std::uint8_t> changed_;  // rows that are not yet in the picture
};

}  // namespace widthwise
