// Operators as Python holds them: what searches share, and scratch memory for calls made by hand.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "bindings/state.hpp"
#include "state/operators.hpp"

inline State state_of(const widthwise::Operators& operators, const widthwise::Word* words) {
    return State{{words, words + operators.word_count()}, operators.atom_words(), operators.layout()};
}

inline State empty_state(const widthwise::Operators& operators) {
    return State{std::vector<widthwise::Word>(operators.word_count(), 0), operators.atom_words(),
                 operators.layout()};
}

// The words of a state for those who read its atoms only.
inline const widthwise::Word* words_of(const widthwise::Operators& operators, const State& state) {
    if (state.atom_words != operators.atom_words())
        throw nanobind::value_error("the state is of another task");
    return state.words.data();
}

// The same with the complementary features of the operators, written into `fitted` where the state has
// others.
inline const widthwise::Word* words_of(const widthwise::Operators& operators, const State& state,
                                       std::vector<widthwise::Word>& fitted) {
    const widthwise::Word* words = words_of(operators, state);
    if (state.layout == operators.layout()) return words;
    fitted.assign(words, words + operators.atom_words());
    fitted.resize(operators.word_count(), 0);
    operators.complete(fitted.data());
    return fitted.data();
}

struct PyOperators {
    std::shared_ptr<const widthwise::Operators> shared;
    widthwise::Expander expander;
    std::vector<widthwise::Word> fitted;

    explicit PyOperators(std::shared_ptr<const widthwise::Operators> operators)
        : shared(operators), expander(operators) {}
};

// The words of the state a search begins at; none if it is the task's first.
inline std::vector<widthwise::Word> words_or_none(const widthwise::Operators& operators, const State* state) {
    if (!state) return {};
    std::vector<widthwise::Word> fitted;
    const widthwise::Word* words = words_of(operators, *state, fitted);
    return {words, words + operators.word_count()};
}

inline void check_atoms(const widthwise::Operators& operators, const std::vector<std::uint32_t>& atoms) {
    for (const std::uint32_t atom : atoms)
        if (atom >= operators.task().atom_count) throw nanobind::index_error("an atom is out of range");
}
