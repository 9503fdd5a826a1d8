// The part of a grounded task that can matter for a goal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/task.hpp"

namespace widthwise::ground {

struct Restriction {
    std::shared_ptr<Task> task;
    std::vector<std::uint32_t> atoms;      // per new atom, its old number; ascending
    std::vector<std::uint32_t> operators;  // per new operator, its old number; ascending
};

// Keeps what a backward fixpoint from the goal meets. An atom matters positively or negatively, as it is
// wanted true or false. An operator matters if it adds an atom that matters positively or deletes one that
// matters negatively; then its preconditions matter, and the conditions of those of its conditional effects
// that do so. An axiom whose head matters passes that on to its conditions, with signs turned where the head
// matters negatively. Throws std::invalid_argument when a goal atom is not the task's.
Restriction restrict_to_goal(const Task& task, std::span<const std::uint32_t> goal_pos,
                             std::span<const std::uint32_t> goal_neg);

}  // namespace widthwise::ground
