#include "image/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace widthwise {

namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;    // 2^64 divided by the golden ratio
constexpr std::uint64_t kOther = 0xB504F333F9DE6485;  // 2^63 times the root of 2

std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ (number >> 32)) * kOdd;
    number = (number ^ (number >> 29)) * kOdd;
    return number ^ (number >> 32);
}

}  // namespace

std::uint64_t digest(std::span<const std::uint8_t> bytes, std::uint64_t before) {
    // Four numbers that do not wait for each other; each step can be undone, so nothing is lost on the way.
    // Words are multiplied before they are added, and sums after their halves changed places: what differs in
    // one word, were it a single sign, is undone by no simple difference in a later one.
    std::array<std::uint64_t, 4> lanes{before, before ^ 1, before ^ 2, before ^ 3};
    for (std::size_t i = 0; i < bytes.size(); i += sizeof lanes) {
        std::array<std::uint64_t, 4> words{};
        std::memcpy(words.data(), bytes.data() + i, std::min(sizeof words, bytes.size() - i));
        for (std::size_t k = 0; k < lanes.size(); ++k) {
            lanes[k] = std::rotl(lanes[k] + words[k] * kOdd, 32) * kOther;
        }
    }
    std::uint64_t result = mixed(bytes.size());
    for (const std::uint64_t lane : lanes) result = mixed(result ^ lane) + kOdd;
    return result;
}

}  // namespace widthwise
