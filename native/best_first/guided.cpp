#include "best_first/guided.hpp"

namespace widthwise {

Guided::Guided(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
               GuidedOptions options)
    : BestFirst(std::move(operators), std::move(meter), std::move(goal), options),
      options_(options),
      helpful_(*operators_) {}

bool Guided::open_root() {
    return take(0);
}

// Whether a state shows something new among those with a relaxed plan of that length; nothing if memory
// forbids it.
std::optional<bool> Guided::novel(std::uint32_t length, const Word* state) {
    if (!options_.novelty) return true;
    if (tables_.size() <= length) {
        if (!charge((length + 1 - tables_.size()) * sizeof(tables_[0]))) return std::nullopt;
        tables_.resize(length + 1);
    }
    if (!tables_[length]) {
        if (!charge(sizeof(AtomTable))) return std::nullopt;
        tables_[length] = std::make_unique<AtomTable>(*meter_, operators_->feature_bits());
        if (!tables_[length]->usable()) return std::nullopt;
    }
    if (!tables_[length]->novel(nullptr, state)) return false;
    if (!tables_[length]->insert(nullptr, state)) return std::nullopt;
    return true;
}

bool Guided::take(std::uint32_t node) {
    const Word* state = tree_.state(node);
    if (!find_relaxed_plan(state)) {
        tree_.set(node, kPruned);
        ++dead_ends_;
        return true;
    }
    const auto length = static_cast<std::uint32_t>(relaxed_->plan().size());
    const std::optional<bool> fresh = novel(length, state);
    if (!fresh) return false;
    if (length < best_) {
        best_ = length;
        best_at_ = counters_.generated;
    }
    return push(helpful_queue_, {std::uint64_t{length} << 1 | (*fresh ? 0U : 1U), node});
}

std::optional<Event> Guided::next_to_expand() {
    if (auto event = stop_by_clock()) return event;
    if (helpful_queue_.empty() && others_queue_.empty()) return Event{Stop::exhausted};
    const bool impatient = counters_.generated - best_at_ > options_.patience && ++turn_ % 2 == 0;
    others_ = helpful_queue_.empty() || (impatient && !others_queue_.empty());
    expanding_ = pop(others_ ? others_queue_ : helpful_queue_);
    const Word* state = tree_.state(expanding_.node);
    relaxed_->evaluate(state);
    helpful_.mark(*relaxed_, state);
    return std::nullopt;
}

std::optional<Event> Guided::generate(std::uint32_t parent, std::size_t rank) {
    const Word* child = new_state(parent, rank);
    if (!child) return std::nullopt;
    const std::uint32_t node = keep(child, parent, rank);
    if (node == kNone) return Event{Stop::out_of_memory};
    ++counters_.generated;
    if (goal_.unachieved(tree_.state(node)) == 0) return solved(node);
    if (!take(node)) return Event{Stop::out_of_memory};
    return stop_by_clock();  // an evaluation may take long
}

Event Guided::run() {
    while (true) {
        std::optional<Event> event;
        if (expanding_.node == kNone && (event = next_to_expand())) return *event;
        const std::uint32_t parent = expanding_.node;
        event = each_successor(
            parent, [&](std::size_t rank) { return helpful_.has(rank) != others_; },
            [&](std::size_t rank) { return generate(parent, rank); });
        if (event) return *event;
        if (!others_ && !push(others_queue_, expanding_)) return {Stop::out_of_memory};
        if (others_) {
            tree_.set(parent, kExpanded);
            ++counters_.expanded;
        }
        expanding_.node = kNone;
    }
}

}  // namespace widthwise
