// A state as Python sees it: an immutable, hashable set of atoms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "state/bits.hpp"

struct State {
    std::vector<widthwise::Word> words;
    std::size_t atom_words;    // the first ones; complementary features follow
    std::uint64_t layout = 0;  // of the complementary features, as the operators number it

    bool holds(std::size_t atom) const {
        return atom < atom_words * 64 && widthwise::test_bit(words.data(), atom);
    }
    // Whether the same atoms hold: complementary features follow from them.
    bool operator==(const State& other) const {
        return atom_words == other.atom_words &&
               std::equal(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(atom_words),
                          other.words.begin());
    }
    std::vector<std::uint32_t> atoms() const {
        std::vector<std::uint32_t> atoms;
        widthwise::for_each_bit(words.data(), atom_words, [&](std::uint32_t atom) { atoms.push_back(atom); });
        return atoms;
    }
};
