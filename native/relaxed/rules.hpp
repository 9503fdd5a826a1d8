// The task without deletes, as rules: what has to be reached before something else is.
//
// Facts are atoms that hold and, for atoms that a condition requires to be false, atoms that do not. An
// operator gives one rule for its unconditional effects and one for every conditional effect; an axiom is a
// rule that costs nothing. A derived atom can fail when each of its axioms is broken, and an axiom is broken
// by any of its conditions failing; conditions of the same layer may always fail, because axioms that support
// each other in a circle have no first one to break.
//
// Operators that differ only in what they delete are common (which of the two drives, which tent is put up):
// rules with the same conditions and cost are one rule, and an effect is left out where no more conditions
// and no higher cost reach it elsewhere, by the first of equals. In hiking, a 24th of the conditions is left.
// Rules of many conditions, and those of huge tasks, are not compared with rules of fewer conditions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/rows.hpp"
#include "core/task.hpp"

namespace widthwise {

class Rules {
public:
    static constexpr std::uint32_t kNever = 0xffffffffU;

    Rules(const Task& task, std::span<const std::uint32_t> goal_neg);
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;

    // About how many bytes the rules of a task take while they are made, and relaxed plans for them: on the
    // high side.
    static std::size_t estimate(const Task& task);
    // What they take now.
    std::size_t bytes() const;

    std::uint32_t fact_count() const { return fact_count_; }
    // The fact that an atom does not hold; kNever if nothing requires it.
    std::uint32_t negation_of(std::uint32_t atom) const { return negation_of_[atom]; }
    // The atoms that have such a fact, in the order of those facts, which follow the atoms.
    const std::vector<std::uint32_t>& negated() const { return negated_; }

    std::size_t size() const { return pre_.size(); }
    std::span<const std::uint32_t> pre(std::uint32_t rule) const { return pre_[rule]; }
    std::uint32_t cost(std::uint32_t rule) const { return cost_[rule]; }
    // The facts that a rule makes, and the number of the first of these effects; effects are numbered across
    // rules.
    std::span<const std::uint32_t> effects(std::uint32_t rule) const { return effects_[rule]; }
    std::uint32_t first_effect(std::uint32_t rule) const { return effects_.begin_of(rule); }
    // The operator that makes an effect, kNever for axioms, and whether nothing else is made with it: that is
    // so for conditional effects and for axioms.
    std::uint32_t operator_of(std::uint32_t effect) const {
        return maker_[effect] == kNever ? kNever : maker_[effect] >> 1;
    }
    bool by_itself(std::uint32_t effect) const { return (maker_[effect] & 1U) != 0; }
    std::uint32_t rule_of(std::uint32_t effect) const { return rule_of_[effect]; }
    std::uint32_t fact_of(std::uint32_t effect) const { return effects_.item(effect); }

private:
    struct Effect {
        std::uint32_t rule, fact, maker;
    };
    struct Hash {
        using is_transparent = void;
        const Rules* rules;
        std::size_t operator()(std::span<const std::uint32_t> row) const;
        std::size_t operator()(std::uint32_t rule) const { return (*this)(rules->pre_[rule]); }
    };
    struct Same {
        using is_transparent = void;
        const Rules* rules;
        template <class A, class B>
        bool operator()(const A& a, const B& b) const {
            const auto x = row(a), y = row(b);
            return std::equal(x.begin(), x.end(), y.begin(), y.end());
        }
        std::span<const std::uint32_t> row(std::span<const std::uint32_t> row) const { return row; }
        std::span<const std::uint32_t> row(std::uint32_t rule) const { return rules->pre_[rule]; }
    };
    using Index = std::unordered_set<std::uint32_t, Hash, Same>;

    void name_negations(std::span<const std::uint32_t> goal_neg);
    std::uint32_t negation(std::uint32_t atom);
    void append_facts(std::span<const std::uint32_t> pos, std::span<const std::uint32_t> neg);
    void add(std::uint32_t maker);
    void add_operators();
    void add_axioms();
    void add_failures();
    void simplify();
    void mark_beaten(std::uint32_t rule, const Rows& all);
    void mark_made(const Index& index, std::span<const std::uint32_t> conditions, const Rows& all);

    std::vector<std::uint32_t> negation_of_, negated_;
    std::uint32_t fact_count_;
    Rows pre_, effects_;
    std::vector<std::uint32_t> cost_, maker_, rule_of_;

    // Needed only while the rules are made.
    const Task* task_;
    Index by_pre_[2];  // rules by their conditions, those of cost 0 and those of cost 1
    std::vector<Effect> made_;
    std::vector<std::uint32_t> pre_row_, effect_row_, subset_;
    std::vector<std::uint32_t> mark_;  // per fact
    std::uint32_t stamp_ = 0;
    std::size_t looks_ = 0;
};

}  // namespace widthwise
