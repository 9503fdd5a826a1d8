// Sets of small integers as packed 64-bit words: the form of every state and of most novelty tables.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace widthwise {

using Word = std::uint64_t;

inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

inline bool test_bit(const Word* words, std::size_t bit) { return (words[bit >> 6] >> (bit & 63)) & 1U; }
inline void set_bit(Word* words, std::size_t bit) { words[bit >> 6] |= Word{1} << (bit & 63); }
inline void clear_bit(Word* words, std::size_t bit) { words[bit >> 6] &= ~(Word{1} << (bit & 63)); }

// Calls `visit(bit)` for every member, ascending.
template <class Visit>
inline void for_each_bit(const Word* words, std::size_t word_count, Visit&& visit) {
    for (std::size_t index = 0; index < word_count; ++index) {
        for (Word rest = words[index]; rest != 0; rest &= rest - 1)
            visit(static_cast<std::uint32_t>(index * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
}

inline std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93ULL;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93ULL;
    value ^= value >> 32;
    return value;
}

inline std::uint64_t hash_words(const Word* words, std::size_t word_count) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (std::size_t index = 0; index < word_count; ++index) {
        hash = (hash ^ words[index]) * 0xff51afd7ed558ccdULL;
        hash ^= hash >> 29;
    }
    return mix(hash);
}

}  // namespace widthwise
