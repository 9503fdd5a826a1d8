// Greedy best-first search along relaxed plans, thrifty with nodes: of a state only those successors are
// generated that its relaxed plan begins with (the helpful ones), the others when the helpful ones no longer
// lead anywhere.
//
// States are evaluated when they are generated, and expanded by the length of their relaxed plan; among
// equals those that show an atom no state with a plan of that length has shown come first, then first come
// first served. When many nodes have brought no shorter plan, every second expansion is one of other
// successors, again of the best state. Nothing but dead ends is pruned, so running dry proves that there is
// no plan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "best_first/best_first.hpp"

namespace widthwise {

struct GuidedOptions : BestFirstOptions {
    std::uint64_t patience = 200;  // nodes without a shorter relaxed plan before other successors get a turn
    bool novelty = true;           // break ties by novelty
};

class Guided final : public BestFirst {
public:
    Guided(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
           GuidedOptions options);

    // The shortest relaxed plan so far.
    std::uint32_t best() const { return best_; }

protected:
    bool open_root() override;
    Event run() override;

private:
    // Evaluates a node and queues it unless it is a dead end; false if memory forbids it.
    bool take(std::uint32_t node);
    std::optional<bool> novel(std::uint32_t length, const Word* state);
    std::optional<Event> next_to_expand();
    std::optional<Event> generate(std::uint32_t parent, std::size_t rank);

    GuidedOptions options_;
    std::vector<Queued> helpful_queue_,
        others_queue_;  // nodes whose helpful, whose other successors are to come
    std::vector<std::unique_ptr<AtomTable>> tables_;  // by the length of the relaxed plan
    Queued expanding_{0, kNone};
    Beginning helpful_;    // of the node being expanded
    bool others_ = false;  // its other successors are being generated
    std::uint32_t best_ = ~std::uint32_t{0};
    std::uint64_t best_at_ = 0;  // nodes generated when `best_` was found
    std::uint64_t turn_ = 0;
};

}  // namespace widthwise
