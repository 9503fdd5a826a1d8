#include "best_first/walks.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace widthwise {

Walks::Walks(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter, CountedGoal goal,
             WalksOptions options)
    : BestFirst(std::move(operators), std::move(meter), std::move(goal), options),
      options_(options),
      random_(options.seed),
      in_plan_(words_for(operators_->count()), 0),
      here_(operators_->word_count()) {
    if (options.walks == 0 || options.longest == 0 || options.ways == 0)
        throw std::invalid_argument("walks, their steps and the ways remembered are at least one");
}

// SplitMix64: the same numbers everywhere.
std::uint32_t Walks::below(std::uint32_t bound) {
    std::uint64_t mixed = random_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
    mixed ^= mixed >> 31;
    return static_cast<std::uint32_t>((mixed >> 32) * bound >> 32);
}

bool Walks::open_root() {
    if (!find_relaxed_plan(tree_.state(0))) {
        tree_.set(0, kPruned);
        ++dead_ends_;
        return true;
    }
    stand(0);
    best_ = length_;
    return append(ways_, Way{0, length_});
}

// Walks begin at a node from now on; its relaxed plan is the one that was found last.
void Walks::stand(std::uint32_t node) {
    at_ = node;
    length_ = static_cast<std::uint32_t>(relaxed_->plan().size());
    tried_ = 0;
    for (const std::uint32_t rank : plan_) clear_bit(in_plan_.data(), rank);
    plan_.clear();
    for (const std::uint32_t op : relaxed_->plan()) {
        plan_.push_back(operators_->rank_of(op));
        set_bit(in_plan_.data(), plan_.back());
    }
}

// Remembers the way to here, if it is one of the best, and goes to a random state of a random one of them.
bool Walks::go_back() {
    const Way way{at_, length_};
    if (ways_.size() < options_.ways) {
        if (!append(ways_, way)) return false;
    } else {
        const auto shorter = [](const Way& one, const Way& other) { return one.length < other.length; };
        Way& worst = *std::max_element(ways_.begin(), ways_.end(), shorter);
        if (way.length <= worst.length) worst = way;
    }
    std::uint32_t node = ways_[below(static_cast<std::uint32_t>(ways_.size()))].end;
    const std::uint32_t depth = below(tree_.depth(node) + 1);
    while (tree_.depth(node) > depth) node = tree_.parent(node);
    find_relaxed_plan(tree_.state(node));
    stand(node);
    return true;
}

bool Walks::begin_walk() {
    if (tried_ == options_.walks && !go_back()) return false;
    steps_wanted_ = 1 + std::size_t{options_.longest - 1} * tried_ / options_.walks;
    ++tried_;
    steps_.clear();
    std::memcpy(here_.data(), tree_.state(at_), here_.size() * sizeof(Word));
    walking_ = true;
    return true;
}

// An operator that applies; seven times of eight, if there is one, an operator of the relaxed plan.
std::optional<std::uint32_t> Walks::choose() {
    choice_.clear();
    std::size_t planned = 0;
    expander_.collect(here_.data());
    expander_.take(0, [&](std::size_t rank) {
        choice_.push_back(static_cast<std::uint32_t>(rank));
        if (test_bit(in_plan_.data(), rank)) std::swap(choice_[planned++], choice_.back());
        return true;
    });
    if (choice_.empty()) return std::nullopt;
    const bool along = planned > 0 && below(8) != 0;
    return choice_[below(static_cast<std::uint32_t>(along ? planned : choice_.size()))];
}

// Keeps the walk if its end is closer to the goal than its beginning.
std::optional<Event> Walks::end_walk() {
    walking_ = false;
    const bool goal = goal_.unachieved(here_.data()) == 0;
    if (!goal) {
        if (!find_relaxed_plan(here_.data())) {
            ++dead_ends_;
            return std::nullopt;
        }
        if (relaxed_->plan().size() >= length_) return std::nullopt;
    }
    std::uint32_t node = at_;
    for (const std::uint32_t rank : steps_) {
        expander_.apply(tree_.state(node), rank, scratch_.data());
        const auto kept = closed_.find(scratch_.data());
        node = kept ? *kept : keep(scratch_.data(), node, rank);
        if (node == kNone) return Event{Stop::out_of_memory};
    }
    if (goal) return solved(node);
    stand(node);
    best_ = std::min(best_, length_);
    return std::nullopt;
}

Event Walks::run() {
    if (ways_.empty()) return {Stop::exhausted};  // the root is a dead end
    while (true) {
        if (!walking_) {
            if (auto event = stop_by_clock()) return *event;
            if (!begin_walk()) return {Stop::out_of_memory};
        }
        while (steps_.size() < steps_wanted_) {
            if (auto event = stop_now()) return *event;
            const auto rank = choose();
            if (!rank && steps_.empty() && at_ == 0) return {Stop::exhausted};
            if (!rank) break;
            expander_.apply(here_.data(), *rank, scratch_.data());
            here_.swap(scratch_);
            steps_.push_back(*rank);
            ++counters_.generated;
            if (goal_.unachieved(here_.data()) == 0) break;
        }
        if (auto event = end_walk()) return *event;
    }
}

}  // namespace widthwise
