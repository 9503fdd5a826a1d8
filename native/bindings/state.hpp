// A state as Python sees it: an immutable, hashable set of atoms.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/bits.hpp"

struct State {
    std::vector<widthwise::Word> words;

    bool holds(std::size_t atom) const {
        return atom < words.size() * 64 && widthwise::test_bit(words.data(), atom);
    }
    std::vector<std::uint32_t> atoms() const {
        std::vector<std::uint32_t> atoms;
        widthwise::for_each_bit(words.data(), words.size(),
                                [&](std::uint32_t atom) { atoms.push_back(atom); });
        return atoms;
    }
};
