#include "best_first/best_first.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace widthwise {

namespace {

// How many nodes pass between two looks at the clock.
constexpr std::uint64_t kPollEvery = 256;

}  // namespace

CountedGoal::CountedGoal(std::vector<std::uint32_t> pos, std::vector<std::uint32_t> neg)
    : pos_(std::move(pos)), neg_(std::move(neg)) {
    const auto part = [&](std::uint32_t atom) -> Part& {
        const std::size_t word = atom >> 6;
        for (Part& known : parts_)
            if (known.word == word) return known;
        return parts_.emplace_back(Part{word, 0, 0});
    };
    for (const std::uint32_t atom : pos_) set_bit(&part(atom).wanted, atom & 63U);
    for (const std::uint32_t atom : neg_) set_bit(&part(atom).unwanted, atom & 63U);
}

Beginning::Beginning(const Operators& operators)
    : operators_(&operators), marks_(words_for(operators.count()), 0) {}

void Beginning::mark(const Relaxed& relaxed, const Word* state) {
    for (const std::uint32_t rank : ranks_) clear_bit(marks_.data(), rank);
    ranks_.clear();
    for (const std::uint32_t op : relaxed.plan()) {
        if (!relaxed.applies(state, op)) continue;
        ranks_.push_back(operators_->rank_of(op));
        set_bit(marks_.data(), ranks_.back());
    }
}

BestFirst::BestFirst(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter,
                     CountedGoal goal, BestFirstOptions options)
    : operators_(std::move(operators)),
      expander_(operators_),
      meter_(std::move(meter)),
      goal_(std::move(goal)),
      tree_(*meter_, operators_->word_count(), false),
      closed_(*meter_, operators_->word_count(), &tree_.states()),
      scratch_(operators_->word_count()),
      common_(std::move(options)) {}

BestFirst::~BestFirst() {
    meter_->release(charged_);
}

bool BestFirst::charge(std::size_t bytes) {
    if (!meter_->charge(bytes)) return false;
    charged_ += bytes;
    return true;
}

std::uint32_t BestFirst::keep(const Word* state, std::uint32_t parent, std::size_t rank) {
    const bool root = parent == kNone;
    const std::uint32_t depth = root ? 0 : tree_.depth(parent) + 1;
    const std::uint32_t node = tree_.add(parent, root ? kNone : operators_->operator_at(rank), depth);
    if (node == kNone) return kNone;
    std::memcpy(tree_.state(node), state, operators_->word_count() * sizeof(Word));
    if (!closed_.insert_row(node)) return kNone;
    counters_.depth = std::max(counters_.depth, depth);
    return node;
}

std::uint32_t BestFirst::move(std::uint32_t node, std::uint32_t parent, std::size_t rank) {
    tree_.move(node, parent, operators_->operator_at(rank));
    counters_.depth = std::max(counters_.depth, tree_.depth(node));
    return node;
}

const Word* BestFirst::new_state(std::uint32_t parent, std::size_t rank) {
    Word* child = scratch_.data();
    expander_.apply(tree_.state(parent), rank, child);
    if (closed_.novel(nullptr, child)) return child;
    ++counters_.generated;
    ++counters_.pruned;
    return nullptr;
}

Event BestFirst::solved(std::uint32_t node) {
    tree_.set(node, kGoal);
    return {Stop::solved, node};
}

bool BestFirst::push(std::vector<Queued>& heap, const Queued& entry) {
    if (!append(heap, entry)) return false;
    std::push_heap(heap.begin(), heap.end());
    return true;
}

BestFirst::Queued BestFirst::pop(std::vector<Queued>& heap) {
    std::pop_heap(heap.begin(), heap.end());
    const Queued top = heap.back();
    heap.pop_back();
    return top;
}

Event BestFirst::start() {
    if (common_.max_nodes == 0) return {Stop::out_of_nodes};
    std::fill(scratch_.begin(), scratch_.end(), 0);
    std::copy(common_.first.begin(), common_.first.end(), scratch_.begin());
    if (common_.first.empty())
        for (const std::uint32_t atom : operators_->task().init) set_bit(scratch_.data(), atom);
    expander_.derive(scratch_.data());
    const std::uint32_t root = keep(scratch_.data(), kNone, 0);
    if (root == kNone) return {Stop::out_of_memory};
    ++counters_.generated;
    if (goal_.unachieved(tree_.state(root)) == 0) return solved(root);
    relaxed_ = Relaxed::make(operators_->task(), goal_.pos(), goal_.neg(), *meter_);
    if (!relaxed_ || !open_root()) return {Stop::out_of_memory};
    return {Stop::paused};
}

Event BestFirst::resume(std::uint64_t pause_after, double pause_seconds) {
    const double begun = meter_->seconds();
    pause_time_ = begun + pause_seconds;
    const std::uint64_t room = ~std::uint64_t{0} - counters_.generated;
    pause_at_ = std::min(counters_.generated + std::min(pause_after, room), common_.max_nodes);
    next_poll_ = 0;
    resumed_ = true;
    const Event event = run();
    seconds_ += meter_->seconds() - begun;
    return event;
}

std::optional<Event> BestFirst::stop_now() {
    if (counters_.generated >= pause_at_)
        return Event{counters_.generated >= common_.max_nodes ? Stop::out_of_nodes : Stop::paused};
    if (counters_.generated < next_poll_) return std::nullopt;
    next_poll_ = counters_.generated + kPollEvery;
    return stop_by_clock();
}

std::optional<Event> BestFirst::stop_by_clock() {
    if (const Halt halt = meter_->poll(); halt != Halt::none) return Event{stop_of(halt)};
    const bool first = std::exchange(resumed_, false);
    if (!first && meter_->seconds() >= pause_time_) return Event{Stop::paused};
    return std::nullopt;
}

}  // namespace widthwise
