// Several frames of bytes as the channels of one image.
#pragma once

#include <cstdint>
#include <span>

namespace widthwise {

// Every pixel of `image` gets the same pixel of each frame, one after the other; frames are equally long.
void interleave(std::span<const std::span<const std::uint8_t>> frames, std::span<std::uint8_t> image);

}  // namespace widthwise
