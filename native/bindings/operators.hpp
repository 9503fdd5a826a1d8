// Operators as Python holds them: what searches share, and scratch memory for calls made by hand.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "bindings/state.hpp"
#include "search/operators.hpp"

struct PyOperators {
    std::shared_ptr<const widthwise::Operators> shared;
    widthwise::Expander expander;

    explicit PyOperators(std::shared_ptr<const widthwise::Operators> operators)
        : shared(operators), expander(operators) {}
};

inline State state_of(const widthwise::Operators& operators, const widthwise::Word* words) {
    return State{{words, words + operators.word_count()}};
}

inline const widthwise::Word* words_of(const widthwise::Operators& operators, const State& state) {
    if (state.words.size() != operators.word_count())
        throw nanobind::value_error("the state is of another task");
    return state.words.data();
}

// The words of the state a search begins at; none if it is the task's first.
inline std::vector<widthwise::Word> words_or_none(const widthwise::Operators& operators, const State* state) {
    if (!state) return {};
    words_of(operators, *state);
    return state->words;
}

inline void check_atoms(const widthwise::Operators& operators, const std::vector<std::uint32_t>& atoms) {
    for (const std::uint32_t atom : atoms)
        if (atom >= operators.task().atom_count) throw nanobind::index_error("an atom is out of range");
}
