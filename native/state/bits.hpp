// Sets of small integers as packed 64-bit words: the form of every state and of most novelty tables.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace widthwise {

using Word = std::uint64_t;

// States of so many words are copied and compared word by word; what spares a wide state work costs them
// more.
inline constexpr std::size_t kFewWords = 8;

inline std::size_t words_for(std::size_t bits) {
    return (bits + 63) / 64;
}

inline bool test_bit(const Word* words, std::size_t bit) {
    return (words[bit >> 6] >> (bit & 63)) & 1U;
}
inline void set_bit(Word* words, std::size_t bit) {
    words[bit >> 6] |= Word{1} << (bit & 63);
}
inline void clear_bit(Word* words, std::size_t bit) {
    words[bit >> 6] &= ~(Word{1} << (bit & 63));
}

inline void flip_bit(Word* words, std::size_t bit) {
    words[bit >> 6] ^= Word{1} << (bit & 63);
}

// Calls `visit(bit)` for every member, ascending.
template <class Visit>
inline void for_each_bit(const Word* words, std::size_t word_count, Visit&& visit) {
    for (std::size_t index = 0; index < word_count; ++index) {
        for (Word rest = words[index]; rest != 0; rest &= rest - 1)
            visit(static_cast<std::uint32_t>(index * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
}

// The first word at or after `from` in which `left` has a bit that `right` lacks; `word_count` if there is
// none. Four words at a time, so that the compiler can use vector registers.
inline std::size_t first_beyond(const Word* left, const Word* right, std::size_t from,
                                std::size_t word_count) {
    std::size_t word = from;
    for (; word + 4 <= word_count; word += 4) {
        const Word beyond = (left[word] & ~right[word]) | (left[word + 1] & ~right[word + 1]) |
                            (left[word + 2] & ~right[word + 2]) | (left[word + 3] & ~right[word + 3]);
        if (beyond != 0) break;
    }
    while (word < word_count && (left[word] & ~right[word]) == 0) ++word;
    return word;
}

// Whether `left` has a bit that `right` lacks. States of a few words are compared word by word: one that was
// changed a moment ago is still on its way to memory, and a vector register would have to wait for it.
inline bool any_beyond(const Word* left, const Word* right, std::size_t word_count) {
    Word beyond = 0;
    switch (word_count) {
        case 8:
            beyond |= left[7] & ~right[7];
            [[fallthrough]];
        case 7:
            beyond |= left[6] & ~right[6];
            [[fallthrough]];
        case 6:
            beyond |= left[5] & ~right[5];
            [[fallthrough]];
        case 5:
            beyond |= left[4] & ~right[4];
            [[fallthrough]];
        case 4:
            beyond |= left[3] & ~right[3];
            [[fallthrough]];
        case 3:
            beyond |= left[2] & ~right[2];
            [[fallthrough]];
        case 2:
            beyond |= left[1] & ~right[1];
            [[fallthrough]];
        case 1:
            return (beyond | (left[0] & ~right[0])) != 0;
        default:
            return first_beyond(left, right, 0, word_count) < word_count;
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
