// Makes plans cheaper: drops steps that are not needed, brings steps that belong together side by side, and
// searches for a cheaper way through a window of a plan.
//
// All of it works on plans that are valid, and hands back plans that are: what a window has to reach is
// worked out backwards from the goal through the steps behind it, so that those steps still apply.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/meter.hpp"
#include "improve/trace.hpp"
#include "novelty/keyset.hpp"
#include "relaxed/relaxed.hpp"
#include "state/event.hpp"
#include "state/operators.hpp"

namespace widthwise {

// Saving less than this is rounding, not saving.
constexpr double kNothing = 1e-6;

struct WindowOptions {
    std::uint64_t max_nodes = ~std::uint64_t{0};
    double weight = 1.0;  // of what is estimated to be left, against what was spent; 0 is blind
};

struct WindowResult {
    Stop stop;         // solved: a cheaper way was found; exhausted: there is none within what was allowed
    Steps steps = {};  // the whole plan with that way, if one was found
    std::uint64_t generated = 0;
};

class Improver {
public:
    // `weights` are what operators cost, above zero each, so that a shorter plan is a cheaper one.
    Improver(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter,
             std::vector<double> weights, std::span<const std::uint32_t> goal_pos,
             std::span<const std::uint32_t> goal_neg);

    // Whether every step applies and the goal holds after the last.
    bool valid(const Steps& plan);
    double cost(std::span<const std::uint32_t> steps) const;

    // Drops steps together with those that then do not apply any more, as long as the goal is still reached:
    // greedily the set that saves most, until there is none, or else whatever can go, in one pass. Throws
    // `Halted` when the meter says to stop.
    Steps eliminate(Steps plan, bool greedy);

    // The same steps in another order, in which a step follows, if it can, the one that made it possible.
    Steps gather(const Steps& plan) const;

    // Looks for a cheaper way from the state before step `begin` to one from which the steps from `end` on
    // reach the goal. A window that was searched to its end, or with as many nodes, is not searched again.
    WindowResult replace(const Steps& plan, std::size_t begin, std::size_t end, const WindowOptions& options);

    // The work done since the beginning, in units of roughly a nanosecond that do not depend on any clock.
    std::uint64_t work() const { return work_ + trace_.steps_taken() * step_work_; }
    const Operators& operators() const { return *operators_; }

private:
    bool applies(const Word* state, std::uint32_t op) const;
    // state = the state after the operator.
    void advance(std::vector<Word>& state, std::uint32_t op);
    std::vector<Word> start();
    // The steps that are left without step `index`; nothing if they do not reach the goal.
    std::optional<Steps> without(const Steps& plan, std::size_t index, const std::vector<Word>& before);
    // What is left to pay from a state, by the relaxed plan; infinite if there is none.
    double estimate(const Word* state);
    Stop search(const Word* from, const Wanted& wanted, double bound, const WindowOptions& options,
                Steps& found, std::uint64_t& generated);

    std::shared_ptr<const Operators> operators_;
    std::shared_ptr<Meter> meter_;
    Expander expander_;
    std::vector<double> weights_;
    Wanted goal_;
    Trace trace_;                       // along the plan that windows slide over
    std::unique_ptr<Relaxed> relaxed_;  // made when it is first wanted
    KeySet<std::uint64_t> done_;        // windows that need not be searched again
    std::vector<Word> scratch_;
    std::uint64_t step_work_, estimate_work_, work_ = 0;
    std::uint64_t next_look_ = 0;
};

}  // namespace widthwise
