#include "best_first/greedy.hpp"

#include <algorithm>

namespace widthwise {

Greedy::Greedy(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
               GreedyOptions options)
    : BestFirst(std::move(operators), std::move(meter), std::move(goal), options),
      options_(options),
      preferred_(*operators_) {
    std::fill(std::begin(best_), std::end(best_), ~0U);
}

void Greedy::add_queues(Heuristic heuristic) {
    queues_.push_back(std::make_unique<Queue>(*meter_, heuristic, false));
    if (options_.boost > 0) queues_.push_back(std::make_unique<Queue>(*meter_, heuristic, true));
}

bool Greedy::open_root() {
    if (options_.landmarks) landmarks_ = relaxed_->landmarks(tree_.state(0));
    add_queues(kPlan);
    if (landmarks_) {
        add_queues(kLandmarks);
        shown_ = std::make_unique<Chunks<Word>>(*meter_, std::max<std::size_t>(1, landmarks_->words()));
    }
    if (options_.count_goals) add_queues(kGoals);
    if (!count_landmarks(0)) return false;
    evaluate(0);
    return true;
}

bool Greedy::count_landmarks(std::uint32_t node) {
    if (!landmarks_) return true;
    if (!shown_->reserve_one()) return false;
    Word* shown = shown_->push();
    const std::uint32_t parent = tree_.parent(node);
    const Word* before = parent == kNone ? nullptr : shown_->row(parent);
    value_[kLandmarks] = landmarks_->follow(tree_.state(node), before, shown);
    return true;
}

void Greedy::evaluate(std::uint32_t node) {
    const Word* state = tree_.state(node);
    if (!find_relaxed_plan(state)) {
        tree_.set(node, kPruned);
        ++dead_ends_;
        return;
    }
    value_[kPlan] = static_cast<std::uint32_t>(relaxed_->plan().size());
    value_[kGoals] = goal_.unachieved(state);
    bool progress = false;
    for (const auto& queue : queues_) {
        std::uint32_t& best = best_[queue->heuristic];
        if (value_[queue->heuristic] >= best) continue;
        best = value_[queue->heuristic];
        progress = true;
    }
    for (const auto& queue : queues_)
        if (progress && queue->preferred) queue->turn -= options_.boost;
    preferred_.mark(*relaxed_, state);
    expanding_ = node;
}

bool Greedy::push(std::uint32_t parent, std::size_t rank) {
    const Entry entry{parent, static_cast<std::uint32_t>(rank)};
    const bool preferred = preferred_.has(rank);
    for (const auto& queue : queues_) {
        if (queue->preferred && !preferred) continue;
        if (!queue->entries.push(value_[queue->heuristic], entry)) return false;
    }
    return true;
}

// Takes entries out, by turns, until one leads to a new state that is not a dead end.
std::optional<Event> Greedy::next_to_expand() {
    while (expanding_ == kNone) {
        if (auto event = stop_by_clock()) return event;
        Queue* next = nullptr;
        for (const auto& queue : queues_)
            if (!queue->entries.empty() && (!next || queue->turn < next->turn)) next = queue.get();
        if (!next) return Event{Stop::exhausted};
        ++next->turn;
        const Entry entry = next->entries.pop();
        expander_.apply(tree_.state(entry.parent), entry.rank, scratch_.data());
        if (const auto kept = closed_.find(scratch_.data())) {
            // Only the first queue has every entry, once; and an entry that has made this node is not pruned.
            const bool own =
                tree_.parent(*kept) == entry.parent && tree_.op(*kept) == operators_->operator_at(entry.rank);
            if (next == queues_.front().get() && !own) ++counters_.pruned;
            continue;
        }
        const std::uint32_t node = keep(scratch_.data(), entry.parent, entry.rank);
        if (node == kNone || !count_landmarks(node)) return Event{Stop::out_of_memory};
        if (goal_.unachieved(tree_.state(node)) == 0) return solved(node);
        evaluate(node);
    }
    return std::nullopt;
}

Event Greedy::run() {
    while (true) {
        if (auto event = next_to_expand()) return *event;
        const auto event = each_successor(expanding_, [&](std::size_t rank) -> std::optional<Event> {
            if (!push(expanding_, rank)) return Event{Stop::out_of_memory};
            ++counters_.generated;
            return std::nullopt;
        });
        if (event) return *event;
        tree_.set(expanding_, kExpanded);
        ++counters_.expanded;
        expanding_ = kNone;
    }
}

}  // namespace widthwise
