// A task without negative conditions: for every atom that a condition or goal requires to be false there is
// one more atom that says so. Only for tasks without conditional effects and axioms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/meter.hpp"
#include "core/rows.hpp"
#include "core/task.hpp"
#include "state/bits.hpp"

namespace widthwise {

struct Positive {
    static constexpr std::uint32_t kNoNegation = 0xffffffffU;

    // `first` is the state to begin at. Throws `Halted` when memory forbids it.
    Positive(const Task& task, const Word* first, std::span<const std::uint32_t> goal_pos,
             std::span<const std::uint32_t> goal_neg, Meter& meter);

    std::uint32_t atom_count;  // those of the task come first
    Rows pre, add, del;        // per operator
    std::vector<std::uint32_t> first, goal;
    std::vector<std::uint32_t>
        negation;  // per atom of the task, the atom that says it is false, if there is one

private:
    Charge charge_;
};

}  // namespace widthwise
