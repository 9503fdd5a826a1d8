// Atoms whose falsehood matters: those that a condition or a goal requires to be false.
//
// Novelty looks at values where that makes a difference: such an atom gets a complementary feature, which is
// true exactly if the atom is false. Otherwise a state that is a subset of an earlier one could never be
// novel, and a search that prunes would miss every plan that has to delete something first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/task.hpp"

namespace widthwise {

// The atoms, ascending, that occur negated in a precondition, in the condition of an effect, in an axiom or
// in the goal. Where a derived atom is among them, so are the atoms that its axioms want true: it is false
// only if they are.
std::vector<std::uint32_t> wanted_false(const Task& task, std::span<const std::uint32_t> goal_neg);

}  // namespace widthwise
