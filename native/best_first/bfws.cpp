#include "best_first/bfws.hpp"

#include <algorithm>

namespace widthwise {

Bfws::Bfws(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
           BfwsOptions options)
    : BestFirst(std::move(operators), std::move(meter), std::move(goal), options),
      options_(options),
      open_goals_(*meter_, 1),
      reached_(*meter_, 1),
      plan_(*meter_, 1),
      novelty_(*meter_, 1),
      plans_(*meter_, 2 * operators_->word_count()) {}

bool Bfws::has_plan_of_its_own(std::uint32_t node) const {
    const std::uint32_t parent = tree_.parent(node);
    return parent == kNone || open_goals_[node] < open_goals_[parent];
}

bool Bfws::open_root() {
    options_.pair_bytes = std::min(options_.pair_bytes, meter_->free_bytes() / 2);
    const Word* state = tree_.state(0);
    const std::uint32_t goals = goal_.unachieved(state);
    Partition* own = partition(goals, 0);
    if (!own) return false;
    const std::uint32_t novelty = judge(*own, 0, nullptr, state);
    return novelty != 0 && record(0, goals, 0, novelty);
}

// Writes the columns of a node, a new one or one with another parent, and queues it.
bool Bfws::record(std::uint32_t node, std::uint32_t goals, std::uint32_t reached, std::uint32_t novelty) {
    if (node == open_goals_.size()) {
        if (!open_goals_.reserve_one() || !reached_.reserve_one() || !plan_.reserve_one() ||
            !novelty_.reserve_one())
            return false;
        open_goals_.push();
        reached_.push();
        plan_.push();
        novelty_.push();
    }
    open_goals_[node] = goals;
    reached_[node] = reached;
    novelty_[node] = static_cast<std::uint8_t>(novelty);
    plan_[node] = has_plan_of_its_own(node) ? kNone : plan_[tree_.parent(node)];
    return push(queue_, {key(node), node});
}

std::uint64_t Bfws::key(std::uint32_t node) const {
    return std::uint64_t{novelty_[node]} << 56 | std::uint64_t{std::min(open_goals_[node], 0xffffffU)} << 32 |
           tree_.depth(node);
}

Bfws::Partition* Bfws::partition(std::uint32_t goals, std::uint32_t reached) {
    if (partitions_.size() <= goals) partitions_.resize(goals + 1);
    auto& row = partitions_[goals];
    if (row.size() <= reached) {
        if (!charge((reached + 1 - row.size()) * sizeof(row[0]))) return nullptr;
        row.resize(reached + 1);
    }
    if (row[reached]) return row[reached].get();
    if (!charge(sizeof(Partition) + sizeof(AtomTable))) return nullptr;
    const std::size_t atoms = operators_->feature_bits();
    auto made = std::make_unique<Partition>();
    made->atoms = std::make_unique<AtomTable>(*meter_, atoms);
    if (!made->atoms->usable()) return nullptr;
    made->counts_pairs = options_.width >= 2;
    row[reached] = std::move(made);
    return row[reached].get();
}

std::uint32_t Bfws::judge(Partition& partition, std::uint32_t node, const Word* before, const Word* state) {
    if (partition.atoms->novel(before, state)) {
        partition.atoms->insert(before, state);
        if (partition.counts_pairs && !append(partition.pending, node)) return 0;
        return 1;
    }
    if (!partition.counts_pairs) return options_.width + 1;
    if (!catch_up(partition)) return 0;
    if (!partition.counts_pairs) return options_.width + 1;
    const std::uint64_t work = partition.pairs->work();
    const bool novel = partition.pairs->novel(before, state);
    pair_work_ += partition.pairs->work() - work;
    if (!novel) return options_.width + 1;
    return append(partition.pending, node) ? 2 : 0;
}

// Pairs are dear, and a state with a new atom is novel without them: they are written down only when a
// partition is first asked for them, or asked again.
bool Bfws::catch_up(Partition& partition) {
    if (!partition.pairs) {
        partition.pairs = std::make_unique<PairTable>(*meter_, operators_->feature_bits());
        if (!partition.pairs->usable()) return false;
        pair_bytes_ += partition.pairs->bytes();
    }
    const std::size_t bytes = partition.pairs->bytes();
    const std::uint64_t work = partition.pairs->work();
    for (const std::uint32_t node : partition.pending) {
        const std::uint32_t parent = tree_.parent(node);
        const bool same =
            parent != kNone && open_goals_[parent] == open_goals_[node] && reached_[parent] == reached_[node];
        if (!partition.pairs->insert(same ? tree_.state(parent) : nullptr, tree_.state(node))) return false;
    }
    partition.pending.clear();
    pair_work_ += partition.pairs->work() - work;
    pair_bytes_ += partition.pairs->bytes() - bytes;
    if (pair_bytes_ > options_.pair_bytes) drop_pairs(partition);
    return true;
}

// From now on only atoms count in this partition.
void Bfws::drop_pairs(Partition& partition) {
    pair_bytes_ -= partition.pairs->bytes();
    partition.pairs.reset();
    partition.counts_pairs = false;
}

// Finds the relaxed plan of a node; false if there is none or if memory forbids it, which `plan_` tells
// apart.
bool Bfws::find_plan(std::uint32_t node) {
    const std::size_t words = operators_->word_count();
    if (!plans_.reserve_one()) return false;
    plan_[node] = static_cast<std::uint32_t>(plans_.size());
    if (!find_relaxed_plan(tree_.state(node))) return false;
    Word* made = plans_.push();
    std::fill_n(made, 2 * words, 0);
    relaxed_->mark_effects(tree_.state(node), made, made + words);
    return true;
}

// How many effects of the relaxed plan a child shows that no state since the plan's own has shown.
std::uint32_t Bfws::newly_reached(std::uint32_t parent, const Word* child) const {
    const std::size_t words = operators_->word_count();
    const Word* made_true = plans_.row(plan_[parent]);
    const Word* made_false = made_true + words;
    const Word* state = tree_.state(parent);
    std::uint32_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        Word fresh =
            (child[word] & ~state[word] & made_true[word]) | (state[word] & ~child[word] & made_false[word]);
        for (std::uint32_t node = parent; fresh != 0 && !has_plan_of_its_own(node);) {
            node = tree_.parent(node);
            const Word then = tree_.state(node)[word];
            fresh &= ~((then & made_true[word]) | (~then & made_false[word]));
        }
        count += static_cast<std::uint32_t>(std::popcount(fresh));
    }
    return count;
}

// Whether there is nothing to be won by another way to a node. A node that was not novel when it was
// generated may be so among the states that agree with it on the counters of the other way; before it is
// expanded, it is then moved there. Without that, a state first met on a poor way would be lost for all good
// ones.
bool Bfws::settled(std::uint32_t node) const {
    return novelty_[node] <= options_.width || tree_.flags(node) != 0;
}

std::optional<Event> Bfws::generate(std::uint32_t parent, std::size_t rank) {
    Word* child = scratch_.data();
    expander_.apply(tree_.state(parent), rank, child);
    ++counters_.generated;
    const std::optional<std::uint32_t> known = closed_.find(child);
    if (known && settled(*known)) {
        ++counters_.pruned;
        return std::nullopt;
    }
    const std::uint32_t goals = goal_.unachieved(child);
    const std::uint32_t before = open_goals_[parent];
    const std::uint32_t reached = goals < before ? 0 : reached_[parent] + newly_reached(parent, child);
    std::uint32_t novelty = 1;
    if (goals != 0) {
        Partition* own = partition(goals, reached);
        if (!own) return Event{Stop::out_of_memory};
        const bool same = goals == before && reached == reached_[parent];
        const auto next = known ? *known : static_cast<std::uint32_t>(tree_.size());
        novelty = judge(*own, next, same ? tree_.state(parent) : nullptr, child);
        if (novelty == 0) return Event{Stop::out_of_memory};
        if ((options_.prune || known) && novelty > options_.width) {
            ++counters_.pruned;
            return std::nullopt;
        }
    }
    const std::uint32_t node = known ? move(*known, parent, rank) : keep(child, parent, rank);
    if (node == kNone || !record(node, goals, reached, novelty)) return Event{Stop::out_of_memory};
    if (goals != 0) return std::nullopt;
    return solved(node);
}

// Takes the best node off the queue, and prunes dead ends.
std::optional<Event> Bfws::next_to_expand() {
    while (true) {
        if (queue_.empty()) return Event{Stop::exhausted};
        if (auto event = stop_by_clock()) return event;
        const auto [entry, node] = pop(queue_);
        if (entry != key(node)) continue;  // it was moved
        if (has_plan_of_its_own(node) && !find_plan(node)) {
            if (plan_[node] == kNone) return Event{Stop::out_of_memory};
            tree_.set(node, kPruned);
            ++dead_ends_;
            continue;
        }
        expanding_ = node;
        return std::nullopt;
    }
}

Event Bfws::run() {
    while (true) {
        std::optional<Event> event;
        if (expanding_ == kNone && (event = next_to_expand())) return *event;
        event = each_successor(expanding_, [&](std::size_t rank) { return generate(expanding_, rank); });
        if (event) return *event;
        tree_.set(expanding_, kExpanded);
        ++counters_.expanded;
        expanding_ = kNone;
    }
}

}  // namespace widthwise
