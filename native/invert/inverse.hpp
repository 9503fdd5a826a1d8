// A task read from its goal: what has to hold before, so that an operator leads to what has to hold after.
//
// A state of the inverse task is a set of atoms that have to hold. An operator applies there if one of those
// atoms is among what it adds, and if none of them is deleted by it or excluded by its preconditions; before
// it, what it adds need not hold any more, and its preconditions must. The first state is the goal; the goal
// is that nothing is wanted which does not hold in the first state of the task. Any search can then search
// backwards, and novelty looks at what is wanted. (Regression; Bonet and Geffner, 1999; Suda, 2013, on its
// symmetry.)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "state/operators.hpp"

namespace widthwise {

struct Inverse {
    std::shared_ptr<const Operators> operators;  // null if `large` or `contradictory`
    std::vector<std::uint32_t> operator_of;      // per operator of the inverse task, the one it stands for
    bool large = false;                          // it would have been more work than allowed
    bool contradictory = false;                  // pairs show that no reachable state has all goals
    std::optional<Charge> task_bytes = std::nullopt, operator_bytes = std::nullopt;  // its memory
};

struct InverseOptions {
    std::optional<std::uint64_t> seed = std::nullopt;  // of the order in which operators are tried
    std::uint64_t most_words = 500'000'000;            // of work on atoms that exclude each other
    std::uint64_t most_bytes = 100'000'000;            // of the pairs, and of the inverse task
};

// Throws std::invalid_argument if there are conditional effects or axioms, and `Halted` when the meter says
// so.
std::unique_ptr<Inverse> invert(const Operators& operators, const Word* first,
                                std::span<const std::uint32_t> goal_pos,
                                std::span<const std::uint32_t> goal_neg, const InverseOptions& options,
                                Meter& meter);

}  // namespace widthwise
