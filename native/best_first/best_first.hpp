// What the searches for whole problems share: one tree of states without duplicates, a goal that is counted,
// relaxed plans, limits, and being resumed.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "novelty/novelty.hpp"
#include "relaxed/relaxed.hpp"
#include "state/event.hpp"
#include "state/operators.hpp"
#include "state/tree.hpp"

namespace widthwise {

// A goal whose literals are counted: the words of a state that it reads, and the values that it requires
// there.
class CountedGoal {
public:
    CountedGoal(std::vector<std::uint32_t> pos, std::vector<std::uint32_t> neg);

    std::uint32_t unachieved(const Word* state) const {
        int count = 0;
        for (const Part& part : parts_)
            count += std::popcount(part.wanted & ~state[part.word]) +
                     std::popcount(part.unwanted & state[part.word]);
        return static_cast<std::uint32_t>(count);
    }
    const std::vector<std::uint32_t>& pos() const { return pos_; }
    const std::vector<std::uint32_t>& neg() const { return neg_; }

private:
    struct Part {
        std::size_t word;
        Word wanted, unwanted;
    };
    std::vector<std::uint32_t> pos_, neg_;
    std::vector<Part> parts_;
};

// What a relaxed plan can begin with: those of its operators, by rank, that apply in the plan's own state.
class Beginning {
public:
    explicit Beginning(const Operators& operators);

    // Takes the relaxed plan that was found last, that of the state, instead of the one before.
    void mark(const Relaxed& relaxed, const Word* state);
    bool has(std::size_t rank) const { return test_bit(marks_.data(), rank); }

private:
    const Operators* operators_;
    std::vector<Word> marks_;
    std::vector<std::uint32_t> ranks_;
};

struct BestFirstOptions {
    std::uint64_t max_nodes = ~std::uint64_t{0};
    std::vector<Word> first = {};  // the state of the root; empty: the task's first state
};

class BestFirst {
public:
    BestFirst(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
              BestFirstOptions options);
    BestFirst(const BestFirst&) = delete;
    BestFirst& operator=(const BestFirst&) = delete;
    virtual ~BestFirst();

    // Generates the root. Stop::solved if the goal holds there, Stop::paused otherwise.
    Event start();
    // Goes on, for at most that many more nodes and, if seconds are given, about so long; however few they
    // are, something is done.
    Event resume(std::uint64_t pause_after, double pause_seconds);

    const Tree& tree() const { return tree_; }
    const Operators& operators() const { return *operators_; }
    const Counters& counters() const { return counters_; }
    std::uint64_t dead_ends() const { return dead_ends_; }
    // How many states got a relaxed plan, or were found to have none.
    std::uint64_t evaluated() const { return evaluated_; }
    // What a node takes besides the usual, for all so far: what relaxed plans, axioms, landmarks and tables
    // of pairs have looked at, and as much as four times that for every look at an operator that may be
    // forbidden.
    virtual std::uint64_t work() const {
        return (relaxed_ ? relaxed_->work() : 0) + expander_.axiom_work() + 4 * expander_.looks();
    }
    double seconds() const { return seconds_; }

protected:
    // A node in a heap whose top has the least key; among equals the oldest node comes first.
    struct Queued {
        std::uint64_t key;
        std::uint32_t node;
        bool operator<(const Queued& other) const {
            return key != other.key ? key > other.key : node > other.node;
        }
    };

    // The root is in the tree: whatever else has to be remembered of it. False: out of memory.
    virtual bool open_root() = 0;
    virtual Event run() = 0;

    // Finds the relaxed plan of a state. False: there is none.
    bool find_relaxed_plan(const Word* state) {
        ++evaluated_;
        return relaxed_->evaluate(state);
    }
    // Why to stop before another node is generated, if at all.
    std::optional<Event> stop_now();
    // Looks at the clock at once: for work that takes long.
    std::optional<Event> stop_by_clock();
    // Calls `generate` with the operators, by rank, that lead on from a node and that are wanted, until it
    // returns why to stop or a limit says so. Called again with that node, it continues after what was
    // generated.
    template <class Wanted, class Generate>
    std::optional<Event> each_successor(std::uint32_t node, Wanted wanted, Generate generate) {
        std::optional<Event> event;
        expander_.collect(tree_.state(node), std::exchange(expanding_already_, true));
        expander_.take(next_rank_, [&](std::size_t rank) {
            if (!wanted(rank)) return true;
            next_rank_ = rank;
            event = stop_now();
            if (event) return false;
            event = generate(rank);
            next_rank_ = rank + 1;
            return !event;
        });
        if (!event) {
            next_rank_ = 0;
            expanding_already_ = false;
        }
        return event;
    }
    template <class Generate>
    std::optional<Event> each_successor(std::uint32_t node, Generate generate) {
        return each_successor(node, [](std::size_t) { return true; }, generate);
    }
    // The state after an operator, until the next is asked for; none if it is in the tree already: counted.
    const Word* new_state(std::uint32_t parent, std::size_t rank);
    Event solved(std::uint32_t node);
    bool push(std::vector<Queued>& heap, const Queued& entry);
    static Queued pop(std::vector<Queued>& heap);
    // A node for a state that is not in the tree yet; kNone if memory forbids it.
    std::uint32_t keep(const Word* state, std::uint32_t parent, std::size_t rank);
    // Gives a node that was not expanded another parent; returns the node.
    std::uint32_t move(std::uint32_t node, std::uint32_t parent, std::size_t rank);
    bool charge(std::size_t bytes);
    template <class T>
    bool append(std::vector<T>& list, const T& item) {
        if (list.size() == list.capacity()) {
            const std::size_t more = std::max<std::size_t>(8, list.capacity() / 2);
            if (!charge(more * sizeof(T))) return false;
            list.reserve(list.capacity() + more);
        }
        list.push_back(item);
        return true;
    }

    std::shared_ptr<const Operators> operators_;
    Expander expander_;
    std::shared_ptr<Meter> meter_;
    CountedGoal goal_;
    Tree tree_;
    StateTable closed_;
    std::unique_ptr<Relaxed> relaxed_;
    Counters counters_;
    std::uint64_t dead_ends_ = 0, evaluated_ = 0;
    std::vector<Word> scratch_;

private:
    BestFirstOptions common_;
    std::size_t next_rank_ = 0;       // where the current expansion continues
    bool expanding_already_ = false;  // there is one
    std::uint64_t pause_at_ = 0, next_poll_ = 0;
    double pause_time_ = std::numeric_limits<double>::infinity();
    bool resumed_ = false;  // just now: the clock was not looked at since
    double seconds_ = 0.0;
    std::size_t charged_ = 0;
};

}  // namespace widthwise
