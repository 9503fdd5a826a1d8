#include "image/interleave.hpp"

#include <cstddef>
#include <stdexcept>

namespace widthwise {

void interleave(std::span<const std::span<const std::uint8_t>> frames, std::span<std::uint8_t> image) {
    if (frames.empty()) throw std::invalid_argument("there is one frame at least");
    const std::size_t pixels = frames.front().size();
    for (const auto& frame : frames)
        if (frame.size() != pixels) throw std::invalid_argument("frames are equally long");
    if (image.size() != frames.size() * pixels)
        throw std::invalid_argument("the image has the size of all frames together");
    std::uint8_t* __restrict__ const out = image.data();
    if (frames.size() == 4) {
        // The usual number of frames, as a constant, so that the compiler vectorises the loop.
        const std::uint8_t* const first = frames[0].data();
        const std::uint8_t* const second = frames[1].data();
        const std::uint8_t* const third = frames[2].data();
        const std::uint8_t* const fourth = frames[3].data();
        for (std::size_t i = 0; i < pixels; ++i) {
            out[4 * i] = first[i];
            out[4 * i + 1] = second[i];
            out[4 * i + 2] = third[i];
            out[4 * i + 3] = fourth[i];
        }
        return;
    }
    for (std::size_t frame = 0; frame < frames.size(); ++frame)
        for (std::size_t i = 0; i < pixels; ++i) out[frames.size() * i + frame] = frames[frame][i];
}

}  // namespace widthwise
