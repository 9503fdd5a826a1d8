// Lazy greedy best-first search with preferred operators, as satisficing planners have it.
//
// A child is queued under what is known of its parent, and its state is made and evaluated when it is taken
// out. There is a queue by the length of the relaxed plan, one by the number of landmarks that are to come,
// where they can be found, and one by the number of open goals, and each of them once more with the children
// of preferred operators only. They take turns; when a state is better than all before it, the preferred ones
// get many turns in a row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "best_first/best_first.hpp"
#include "best_first/bucket_queue.hpp"
#include "relaxed/landmarks.hpp"

namespace widthwise {

struct GreedyOptions : BestFirstOptions {
    bool landmarks = true, count_goals = true;
    std::uint32_t boost = 1000;  // turns; 0: no queues for preferred operators
};

class Greedy final : public BestFirst {
public:
    Greedy(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
           GreedyOptions options);

    std::uint64_t work() const override { return BestFirst::work() + (landmarks_ ? landmarks_->work() : 0); }

protected:
    bool open_root() override;
    Event run() override;

private:
    enum Heuristic : std::uint8_t { kPlan, kLandmarks, kGoals, kHeuristics };
    struct Entry {
        std::uint32_t parent, rank;
    };
    struct Queue {
        Heuristic heuristic;
        bool preferred;
        std::int64_t turn;
        BucketQueue<Entry> entries;

        Queue(Meter& meter, Heuristic by, bool only_preferred)
            : heuristic(by), preferred(only_preferred), turn(0), entries(meter) {}
    };

    std::optional<Event> next_to_expand();
    // Counts the landmarks that are to come after a node. False: out of memory.
    bool count_landmarks(std::uint32_t node);
    // Evaluates a node, and makes it the one to expand unless it is a dead end.
    void evaluate(std::uint32_t node);
    void add_queues(Heuristic heuristic);
    bool push(std::uint32_t parent, std::size_t rank);

    GreedyOptions options_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::unique_ptr<Landmarks> landmarks_;   // none: goals are counted
    std::unique_ptr<Chunks<Word>> shown_;    // per node: the landmarks that were shown on the way to it
    std::uint32_t value_[kHeuristics] = {};  // of the node being expanded
    std::uint32_t best_[kHeuristics];
    Beginning preferred_;  // of the node being expanded
    std::uint32_t expanding_ = kNone;
};

}  // namespace widthwise
