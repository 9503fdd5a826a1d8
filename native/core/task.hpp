// A grounded planning task: what the grounder makes and every search reads. Plain data, immutable once built.
//
// Atoms are the relaxed-reachable fluent ground atoms, numbered from 0; a state is the set of atoms that
// hold. An operator is applicable when all of `pre_pos` hold and none of `pre_neg` does. Applying it
// evaluates the conditions of its conditional effects in the state before, removes what is deleted, then
// inserts what is added (so an atom both deleted and added holds afterwards). Derived atoms are then
// recomputed from the axioms.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rows.hpp"

namespace widthwise {

struct Task {
    std::uint32_t atom_count = 0;

    // Per operator; every row is sorted and without repetition. `add`/`del` are the unconditional effects;
    // `del` never contains an atom of `add`.
    Rows pre_pos, pre_neg, add, del;
    std::vector<double> cost;
    // Per operator: the ids of its conditional effects (rows of the next block). Empty rows in a STRIPS task.
    Rows conditional;

    // Per conditional effect.
    Rows effect_pos, effect_neg;
    std::vector<std::uint32_t> effect_atom;
    std::vector<std::uint8_t> effect_adds;  // 1: adds the atom, 0: deletes it

    // Per axiom, ordered by layer: within a layer to a fixpoint, then the next. Derived atoms are false
    // unless some axiom makes them true, and negative conditions on derived atoms look only at lower layers.
    Rows axiom_pos, axiom_neg;
    std::vector<std::uint32_t> axiom_head;
    std::vector<std::uint32_t> axiom_layer;
    std::vector<std::uint8_t> derived;  // per atom: 1 if only axioms change it

    std::vector<std::uint32_t> init;  // sorted atoms that hold at first, derived ones not included
    std::vector<std::uint32_t> goal_pos, goal_neg;
    bool goal_reachable = true;  // false: some goal cannot be reached even when deletes are ignored

    // Where things come from, as indices into the lifted task: predicate and objects of an atom, action
    // schema and arguments of an operator.
    std::vector<std::uint32_t> atom_predicate;
    Rows atom_args;
    std::vector<std::uint32_t> operator_schema;
    Rows operator_args;

    std::size_t operator_count() const { return cost.size(); }
    bool has_axioms() const { return !axiom_head.empty(); }
};

}  // namespace widthwise
