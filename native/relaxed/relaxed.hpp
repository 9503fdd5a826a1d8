// The task without deletes: relaxed plans, what is helpful, and which states are dead ends.
//
// Facts are explored in the order of their additive costs (h_add, operators of cost 1), first come first
// served. The relaxed plan is what the best supporters of the goal are, back to the state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/meter.hpp"
#include "core/rows.hpp"
#include "core/task.hpp"
#include "relaxed/landmarks.hpp"
#include "relaxed/rules.hpp"
#include "state/bits.hpp"

namespace widthwise {

class Relaxed {
public:
    // Null if the memory limit forbids it.
    static std::unique_ptr<Relaxed> make(const Task& task, std::span<const std::uint32_t> goal_pos,
                                         std::span<const std::uint32_t> goal_neg, Meter& meter);
    Relaxed(const Relaxed&) = delete;
    Relaxed& operator=(const Relaxed&) = delete;
    ~Relaxed() { meter_->release(charged_); }

    // Takes another goal, given as sets of atoms. Atoms that only this goal requires to be false are left
    // out.
    void aim(const Word* goal_pos, const Word* goal_neg);
    // Finds a relaxed plan from a state. False: there is none, so there is no plan either.
    bool evaluate(const Word* state);

    // What every plan from a state shows on its way; null if there is no plan, or if that is too much to
    // find.
    std::unique_ptr<Landmarks> landmarks(const Word* state) const {
        return Landmarks::find(rules_, waiting_, goal_, state, static_cast<std::uint32_t>(task_->atom_count),
                               *meter_);
    }

    // How much all evaluations so far have looked at: what to expect of the next, on any machine.
    std::uint64_t work() const { return work_; }

    // The operators of the relaxed plan that `evaluate` found, each once: h_FF is their number.
    std::span<const std::uint32_t> plan() const { return plan_; }
    // Those of them that apply in the state that was evaluated: the preferred ones.
    bool applies(const Word* state, std::uint32_t op) const;
    // Marks what the relaxed plan makes true, and what it makes false, that was not so in the state.
    void mark_effects(const Word* state, Word* made_true, Word* made_false) const;

private:
    struct Open {
        std::uint32_t unmet;  // preconditions that were not reached yet
        std::uint32_t cost;   // of those that were, and its own
    };
    static constexpr std::uint32_t kNever = Rules::kNever;
    static constexpr std::uint32_t kMost = 1U << 12;  // costs beyond are all the same

    Relaxed(const Task& task, std::span<const std::uint32_t> goal_pos,
            std::span<const std::uint32_t> goal_neg, Meter& meter);
    std::size_t bytes() const;
    void reach(std::uint32_t fact, std::uint32_t cost, std::uint32_t supporter);
    void fire(std::uint32_t rule);
    bool explore(const Word* state);
    void extract();

    const Task* task_;
    Meter* meter_;
    std::size_t charged_ = 0;
    Rules rules_;
    std::vector<std::uint32_t> goal_;  // facts
    std::vector<std::uint32_t> free_;  // rules without conditions
    Rows waiting_;                     // per fact: the rules with that condition

    std::vector<Open> closed_, open_;  // before any fact is reached; now
    std::vector<std::uint32_t> cost_;
    std::vector<std::uint32_t> supporter_;  // per fact: the effect that reached it, kNever if it held
    std::vector<std::vector<std::uint32_t>> queue_;  // facts by cost
    std::size_t last_bucket_ = 0;
    std::vector<std::uint32_t> stack_, plan_;
    std::vector<std::uint32_t> chosen_;  // the effects that the relaxed plan is for
    std::vector<std::uint32_t> fact_mark_, operator_mark_, rule_mark_;
    std::uint32_t stamp_ = 0;
    std::uint64_t work_ = 0;
};

}  // namespace widthwise
