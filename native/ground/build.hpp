// Writes down the grounded task that a finished reachability analysis has found.
#pragma once

#include <span>
#include <vector>

#include "core/task.hpp"
#include "ground/ground.hpp"
#include "ground/reach.hpp"

namespace widthwise::ground {

class Builder {
public:
    Builder(World& world, Reachability& reach);

    void build(Task& task);

private:
    using Ids = std::vector<std::uint32_t>;
    // A conditional effect of the operator at hand; its conditions are parts of `effect_words_`.
    struct Conditional {
        std::uint32_t atom;
        bool adds;
        std::uint32_t begin, middle, end;  // positive, then negative conditions
    };
    struct GeneralJoin {
        Rule rule;
        const Literal* head;
        std::uint32_t head_place;  // for deletes: the pattern that finds what there is to delete
    };

    void number_atoms(Task& task);
    void add_initial_state(Task& task);
    void add_goal(Task& task);
    void add_operators(Task& task, std::uint32_t number);
    void add_axioms(Task& task);

    // The number of a literal's atom under the given values; `none` if the atom is out of reach.
    std::uint32_t find_atom(std::uint32_t predicate, std::span<const Term> args, const std::uint32_t* values);
    void add_condition(const Schema& schema, const Instances& instances, const std::uint32_t* record);
    std::uint32_t close_condition(std::uint32_t begin);
    void add_general_effect(GeneralJoin& general, Join& join, std::span<const Object> values);
    void finish_conditionals(Task& task);
    double cost_of(const Action& action, const std::uint32_t* values);
    // Keeps the meter in step with what the task holds, now and then.
    void account(const Task& task);

    World* world_;
    Reachability* reach_;
    std::vector<Metered<std::uint32_t>> atoms_;  // per predicate and fact
    std::vector<FactTable> cost_tables_;
    std::vector<std::vector<double>> cost_values_;
    std::uint64_t accounted_ = 0;
    std::uint32_t ticks_ = 0;
    // The operator or axiom at hand.
    Ids pos_, neg_, add_, del_;
    Metered<Conditional> conditionals_;
    Metered<std::uint32_t> effect_words_;
    std::vector<Object> scratch_;
};

// Orders ground axioms by layer, lower layers first, so that negative conditions look only at lower layers.
// Throws Flaw when an atom depends on its own negation.
void stratify(Task& task, Meter& meter);

}  // namespace widthwise::ground
