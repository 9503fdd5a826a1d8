// A number that tells arrays of bytes apart.
#pragma once

#include <cstdint>
#include <span>

namespace widthwise {

// Mixes bytes into a number; begin with any, and go on with the last result for what follows. Not against
// somebody who looks for collisions: of a million different arrays two agree once in thirty million times.
std::uint64_t digest(std::span<const std::uint8_t> bytes, std::uint64_t before);

}  // namespace widthwise
