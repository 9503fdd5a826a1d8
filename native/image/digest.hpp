// A number that tells arrays of bytes apart.
#pragma once

#include <cstdint>
#include <span>

namespace widthwise {

// Mixes bytes into a number. `before` is any number at the start, then the result for the bytes before. The
// digest is not cryptographic. The chance that two of a million different arrays agree is one in thirty
// million.
std::uint64_t digest(std::span<const std::uint8_t> bytes, std::uint64_t before);

}  // namespace widthwise
