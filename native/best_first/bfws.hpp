// Best-first width search, BFWS(f5) of Lipovetzky and Geffner (2017): nodes are expanded by their novelty,
// then by how much of the goal is open, then by depth, then first come first served.
//
// Novelty is judged among the states that agree on two counters: #g, the goals not achieved, and #r, how many
// of the effects of a relaxed plan were seen on the way. The relaxed plan is that of the last state on the
// way in which #g fell, or of the root. It is found when that state is expanded; a state without one is a
// dead end.
//
// Unlike there, a state that was not novel is not lost for other ways to it: as long as it was not expanded,
// a way on which it is novel takes it over.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "best_first/best_first.hpp"

namespace widthwise {

struct BfwsOptions : BestFirstOptions {
    std::uint32_t width = 2;  // novelty is 1 .. width, or width + 1 for what is not novel; at most 2
    bool prune = false;       // drop what is not novel: polynomial, and no longer complete
    std::uint64_t pair_bytes = std::uint64_t{1} << 30;  // for tables of pairs; beyond, only atoms count
};

class Bfws final : public BestFirst {
public:
    Bfws(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
         BfwsOptions options);

    // A node's counters: (#g, #r, novelty).
    std::uint32_t goals_open(std::uint32_t node) const { return open_goals_[node]; }
    std::uint32_t reached(std::uint32_t node) const { return reached_[node]; }
    std::uint32_t novelty(std::uint32_t node) const { return novelty_[node]; }
    std::uint64_t work() const override { return BestFirst::work() + pair_work_; }

protected:
    bool open_root() override;
    Event run() override;

private:
    struct Partition {
        std::unique_ptr<AtomTable> atoms;
        std::unique_ptr<PairTable> pairs;    // none: not needed yet, or they take too much
        std::vector<std::uint32_t> pending;  // nodes whose pairs it does not hold yet
        bool counts_pairs = true;
    };

    std::optional<Event> next_to_expand();
    std::optional<Event> generate(std::uint32_t parent, std::size_t rank);
    bool settled(std::uint32_t node) const;
    bool has_plan_of_its_own(std::uint32_t node) const;
    bool find_plan(std::uint32_t node);
    std::uint32_t newly_reached(std::uint32_t parent, const Word* child) const;
    Partition* partition(std::uint32_t goals, std::uint32_t reached);
    // The novelty of a state in a partition, which then remembers it by its node, if it becomes one; 0 if
    // memory forbids it.
    std::uint32_t judge(Partition& partition, std::uint32_t node, const Word* before, const Word* state);
    bool catch_up(Partition& partition);
    void drop_pairs(Partition& partition);
    std::uint64_t key(std::uint32_t node) const;
    bool record(std::uint32_t node, std::uint32_t goals, std::uint32_t reached, std::uint32_t novelty);

    BfwsOptions options_;
    Chunks<std::uint32_t> open_goals_, reached_, plan_;
    Chunks<std::uint8_t> novelty_;
    Chunks<Word> plans_;  // per relaxed plan: what it makes true, then what it makes false
    std::vector<std::vector<std::unique_ptr<Partition>>> partitions_;  // by #g, then by #r
    std::uint64_t pair_bytes_ = 0, pair_work_ = 0;
    std::vector<Queued> queue_;
    std::uint32_t expanding_ = kNone;
};

}  // namespace widthwise
