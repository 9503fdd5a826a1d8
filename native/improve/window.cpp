// Windows of plans: a best-first search for a cheaper way to what they have to reach.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "improve/improve.hpp"
#include "novelty/novelty.hpp"
#include "state/chunks.hpp"

namespace widthwise {

namespace {

constexpr std::uint64_t kLook = 256;

// A node that waits for its expansion: least estimate first, then the one nearer to the end, then the newest.
struct Open {
    double estimate, left;
    std::uint32_t node;
    double spent;  // when it was put here; if it was reached at less cost since, this entry is stale

    bool operator<(const Open& other) const {
        if (estimate != other.estimate) return estimate > other.estimate;
        if (left != other.left) return left > other.left;
        return node < other.node;
    }
};

// The states a window search has reached, each with the cheapest way to it so far, and those that wait.
class Nodes {
public:
    Nodes(Meter& meter, std::size_t word_count)
        : meter_(&meter),
          word_count_(word_count),
          states_(meter, word_count),
          parent_(meter, 1),
          op_(meter, 1),
          spent_(meter, 1),
          table_(meter, word_count, &states_) {}
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    ~Nodes() { meter_->release(open_.capacity() * sizeof(Open)); }

    const Word* state(std::uint32_t node) const { return states_.row(node); }
    double spent(std::uint32_t node) const { return spent_[node]; }
    std::uint32_t last() const { return last_; }

    // Whether a state was not reached yet, or only at greater cost.
    bool cheaper(const Word* state, double spent) const {
        const auto row = table_.find(state);
        return !row || spent < spent_[*row] - kNothing;
    }

    // Remembers a way to a state, the cheapest so far. False if the memory limit forbids it.
    bool reach(const Word* state, std::uint32_t parent, std::uint32_t op, double spent, double left,
               double weight) {
        if (const auto row = table_.find(state)) {
            last_ = *row;
        } else {
            last_ = static_cast<std::uint32_t>(states_.size());
            if (!states_.reserve_one() || !parent_.reserve_one() || !op_.reserve_one() ||
                !spent_.reserve_one())
                return false;
            std::memcpy(states_.push(), state, word_count_ * sizeof(Word));
            parent_.push();
            op_.push();
            spent_.push();
            if (!table_.insert_row(last_)) return false;
        }
        parent_[last_] = parent;
        op_[last_] = op;
        spent_[last_] = spent;
        if (open_.size() == open_.capacity()) {
            const std::size_t more = std::max<std::size_t>(64, open_.capacity() / 2);
            if (!meter_->charge(more * sizeof(Open))) return false;
            open_.reserve(open_.capacity() + more);
        }
        open_.push_back({spent + weight * left, left, last_, spent});
        std::push_heap(open_.begin(), open_.end());
        return true;
    }

    // The next node to expand; kNone if none waits.
    std::uint32_t next() {
        while (!open_.empty()) {
            std::pop_heap(open_.begin(), open_.end());
            const Open top = open_.back();
            open_.pop_back();
            if (top.spent == spent_[top.node]) return top.node;
        }
        return kNone;
    }

    Steps path(std::uint32_t node) const {
        Steps steps;
        for (; parent_[node] != kNone; node = parent_[node]) steps.push_back(op_[node]);
        return {steps.rbegin(), steps.rend()};
    }

private:
    Meter* meter_;
    std::size_t word_count_;
    Chunks<Word> states_;
    Chunks<std::uint32_t> parent_, op_;
    Chunks<double> spent_;
    StateTable table_;
    std::vector<Open> open_;  // a heap
    std::uint32_t last_ = kNone;
};

}  // namespace

WindowResult Improver::replace(const Steps& plan, std::size_t begin, std::size_t end,
                               const WindowOptions& options) {
    // Windows of few nodes never look at the meter in their search, and a sweep over a long plan has
    // thousands.
    if (const Halt halt = meter_->poll(); halt != Halt::none) return {stop_of(halt)};
    trace_.follow(plan);
    const Word* before = trace_.state(begin);
    const std::optional<Wanted> wanted = trace_.wanted(end);
    if (!before || !wanted) return {Stop::out_of_memory};
    const double bound = cost(std::span(plan).subspan(begin, end - begin));

    std::uint64_t key = hash_words(before, scratch_.size());
    key = mix(key ^ hash_words(wanted->pos.data(), scratch_.size()));
    key = mix(key ^ hash_words(wanted->neg.data(), scratch_.size()));
    key = mix(key ^ static_cast<std::uint64_t>(bound * 64) ^
              (static_cast<std::uint64_t>(options.weight * 1024) << 48));
    const std::uint64_t limited = mix(key ^ options.max_nodes) | 1U;
    key |= 1U;  // the zero key marks free places
    if (done_.contains(key)) return {Stop::exhausted};
    if (done_.contains(limited)) return {Stop::out_of_nodes};

    WindowResult result{Stop::exhausted};
    Steps found;
    result.stop = search(before, *wanted, bound, options, found, result.generated);
    work_ += result.generated * 2 * step_work_;  // states are looked up as well
    if (result.stop == Stop::solved) {
        result.steps.assign(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(begin));
        result.steps.insert(result.steps.end(), found.begin(), found.end());
        result.steps.insert(result.steps.end(), plan.begin() + static_cast<std::ptrdiff_t>(end), plan.end());
    } else if (result.stop == Stop::exhausted || result.stop == Stop::out_of_nodes) {
        if (!done_.insert(result.stop == Stop::exhausted ? key : limited)) result.stop = Stop::out_of_memory;
    }
    return result;
}

double Improver::estimate(const Word* state) {
    work_ += estimate_work_;
    if (!relaxed_->evaluate(state)) return std::numeric_limits<double>::infinity();
    return cost(relaxed_->plan());
}

Stop Improver::search(const Word* from, const Wanted& wanted, double bound, const WindowOptions& options,
                      Steps& found, std::uint64_t& generated) {
    if (wanted.holds(from)) return bound > kNothing ? Stop::solved : Stop::exhausted;
    Nodes nodes(*meter_, operators_->word_count());
    std::vector<Word> child(operators_->word_count());
    std::uint32_t best = kNone;
    Stop stop = Stop::exhausted;
    if (options.weight > 0) {
        const Task& task = operators_->task();
        if (!relaxed_) relaxed_ = Relaxed::make(task, task.goal_pos, task.goal_neg, *meter_);
        if (!relaxed_) return Stop::out_of_memory;
        relaxed_->aim(wanted.pos.data(), wanted.neg.data());
    }
    if (!nodes.reach(from, kNone, kNone, 0.0, 0.0, options.weight)) return Stop::out_of_memory;
    generated = 1;

    while (stop == Stop::exhausted) {
        const std::uint32_t parent = nodes.next();
        if (parent == kNone) break;
        const double spent = nodes.spent(parent);
        if (spent >= bound - kNothing) continue;  // the bound has fallen since
        const Word* state = nodes.state(parent);
        expander_.collect(state);
        expander_.take(0, [&](std::size_t rank) {
            if (generated >= options.max_nodes) {
                stop = Stop::out_of_nodes;
                return false;
            }
            if (++generated % kLook == 0) {
                if (const Halt halt = meter_->poll(); halt != Halt::none) {
                    stop = stop_of(halt);
                    return false;
                }
            }
            const std::uint32_t op = operators_->operator_at(rank);
            const double now = spent + weights_[op];
            if (now >= bound - kNothing) return true;
            expander_.apply(state, rank, child.data());
            if (!nodes.cheaper(child.data(), now)) return true;
            const bool arrived = wanted.holds(child.data());
            const double left = arrived || options.weight == 0 ? 0.0 : estimate(child.data());
            if (now + options.weight * left >= bound - kNothing) return true;
            if (!nodes.reach(child.data(), parent, op, now, left, options.weight)) {
                stop = Stop::out_of_memory;
                return false;
            }
            if (arrived) {
                bound = now;
                best = nodes.last();
                found = nodes.path(best);
            }
            return true;
        });
    }
    return best == kNone ? stop : Stop::solved;
}

}  // namespace widthwise
