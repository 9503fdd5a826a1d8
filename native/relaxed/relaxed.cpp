#include "relaxed/relaxed.hpp"

#include <algorithm>

namespace widthwise {

std::unique_ptr<Relaxed> Relaxed::make(const Task& task, std::span<const std::uint32_t> goal_pos,
                                       std::span<const std::uint32_t> goal_neg, Meter& meter) {
    const std::size_t bytes = Rules::estimate(task);
    if (!meter.charge(bytes)) return nullptr;
    std::unique_ptr<Relaxed> relaxed(new Relaxed(task, goal_pos, goal_neg, meter));
    relaxed->charged_ = std::min(bytes, relaxed->bytes());
    meter.release(bytes - relaxed->charged_);  // what was needed only to make the rules
    return relaxed;
}

Relaxed::Relaxed(const Task& task, std::span<const std::uint32_t> goal_pos,
                 std::span<const std::uint32_t> goal_neg, Meter& meter)
    : task_(&task), meter_(&meter), rules_(task, goal_neg), goal_(goal_pos.begin(), goal_pos.end()) {
    for (const std::uint32_t atom : goal_neg) goal_.push_back(rules_.negation_of(atom));
    std::sort(goal_.begin(), goal_.end());
    goal_.erase(std::unique(goal_.begin(), goal_.end()), goal_.end());
    std::vector<std::vector<std::uint32_t>> waiting(rules_.fact_count());
    for (std::uint32_t rule = 0; rule < rules_.size(); ++rule) {
        const auto conditions = rules_.pre(rule);
        if (conditions.empty()) free_.push_back(rule);
        for (const std::uint32_t fact : conditions) waiting[fact].push_back(rule);
        closed_.push_back({static_cast<std::uint32_t>(conditions.size()), rules_.cost(rule)});
    }
    for (const auto& row : waiting) waiting_.append(row);
    waiting_.shrink();
    cost_.resize(rules_.fact_count());
    supporter_.resize(rules_.fact_count());
    fact_mark_.assign(rules_.fact_count(), 0);
    operator_mark_.assign(task.operator_count(), 0);
    rule_mark_.assign(rules_.size(), 0);
}

// What it takes, the lists that grow with the first evaluations included.
std::size_t Relaxed::bytes() const {
    const std::size_t marks = operator_mark_.size() + rule_mark_.size() + free_.capacity();
    return rules_.bytes() + waiting_.bytes() + 2 * closed_.size() * sizeof(Open) +
           (marks + 8 * std::size_t{rules_.fact_count()}) * sizeof(std::uint32_t);
}

void Relaxed::reach(std::uint32_t fact, std::uint32_t cost, std::uint32_t supporter) {
    if (cost_[fact] <= cost) return;
    cost_[fact] = cost;
    supporter_[fact] = supporter;
    if (queue_.size() <= cost) queue_.resize(cost + 1);
    queue_[cost].push_back(fact);
    last_bucket_ = std::max<std::size_t>(last_bucket_, cost);
}

void Relaxed::fire(std::uint32_t rule) {
    const std::uint32_t cost = std::min(open_[rule].cost, kMost);
    std::uint32_t effect = rules_.first_effect(rule);
    work_ += rules_.effects(rule).size();
    for (const std::uint32_t fact : rules_.effects(rule)) reach(fact, cost, effect++);
}

// Reaches facts by ascending cost until all of the goal is reached; false if that never happens.
bool Relaxed::explore(const Word* state) {
    open_ = closed_;
    work_ += open_.size() / 8;  // copied many at a time
    std::fill(cost_.begin(), cost_.end(), kNever);
    for (std::size_t bucket = 0; bucket <= last_bucket_ && bucket < queue_.size(); ++bucket)
        queue_[bucket].clear();
    last_bucket_ = 0;
    for_each_bit(state, words_for(task_->atom_count), [&](std::uint32_t atom) { reach(atom, 0, kNever); });
    for (const std::uint32_t atom : rules_.negated())
        if (!test_bit(state, atom)) reach(rules_.negation_of(atom), 0, kNever);
    for (const std::uint32_t rule : free_) fire(rule);

    ++stamp_;
    for (const std::uint32_t fact : goal_) fact_mark_[fact] = stamp_;
    std::size_t wanted = goal_.size();
    if (wanted == 0) return true;
    for (std::size_t cost = 0; cost <= last_bucket_ && cost < queue_.size(); ++cost) {
        for (std::size_t next = 0; next < queue_[cost].size(); ++next) {
            const std::uint32_t fact = queue_[cost][next];
            if (cost_[fact] < cost) continue;
            if (fact_mark_[fact] == stamp_ && --wanted == 0) return true;
            work_ += waiting_[fact].size();
            for (const std::uint32_t rule : waiting_[fact]) {
                Open& open = open_[rule];
                open.cost = std::min(open.cost + static_cast<std::uint32_t>(cost), kMost);
                if (--open.unmet == 0) fire(rule);
            }
        }
    }
    return false;
}

void Relaxed::extract() {
    ++stamp_;
    plan_.clear();
    chosen_.clear();
    stack_ = goal_;
    while (!stack_.empty()) {
        const std::uint32_t fact = stack_.back();
        stack_.pop_back();
        if (fact_mark_[fact] == stamp_) continue;
        fact_mark_[fact] = stamp_;
        const std::uint32_t effect = supporter_[fact];
        if (effect == kNever) continue;
        chosen_.push_back(effect);
        if (const std::uint32_t op = rules_.operator_of(effect);
            op != kNever && operator_mark_[op] != stamp_) {
            operator_mark_[op] = stamp_;
            plan_.push_back(op);
        }
        const std::uint32_t rule = rules_.rule_of(effect);
        if (rule_mark_[rule] == stamp_) continue;
        rule_mark_[rule] = stamp_;
        for (const std::uint32_t condition : rules_.pre(rule)) stack_.push_back(condition);
    }
}

void Relaxed::aim(const Word* goal_pos, const Word* goal_neg) {
    goal_.clear();
    const std::size_t words = words_for(task_->atom_count);
    for_each_bit(goal_pos, words, [&](std::uint32_t atom) { goal_.push_back(atom); });
    for_each_bit(goal_neg, words, [&](std::uint32_t atom) {
        if (rules_.negation_of(atom) != kNever) goal_.push_back(rules_.negation_of(atom));
    });
}

bool Relaxed::evaluate(const Word* state) {
    plan_.clear();
    chosen_.clear();
    if (!explore(state)) return false;
    extract();
    return true;
}

bool Relaxed::applies(const Word* state, std::uint32_t op) const {
    return std::all_of(task_->pre_pos[op].begin(), task_->pre_pos[op].end(),
                       [&](std::uint32_t atom) { return test_bit(state, atom); }) &&
           std::none_of(task_->pre_neg[op].begin(), task_->pre_neg[op].end(),
                        [&](std::uint32_t atom) { return test_bit(state, atom); });
}

void Relaxed::mark_effects(const Word* state, Word* made_true, Word* made_false) const {
    const auto is_true = [&](std::uint32_t atom) {
        if (!test_bit(state, atom)) set_bit(made_true, atom);
    };
    const auto is_false = [&](std::uint32_t atom) {
        if (test_bit(state, atom)) set_bit(made_false, atom);
    };
    for (const std::uint32_t effect : chosen_) {
        const std::uint32_t op = rules_.operator_of(effect);
        if (op != kNever && !rules_.by_itself(effect)) {
            for (const std::uint32_t atom : task_->add[op]) is_true(atom);
            for (const std::uint32_t atom : task_->del[op])
                if (rules_.negation_of(atom) != kNever) is_false(atom);
            continue;
        }
        const std::uint32_t fact = rules_.fact_of(effect);
        if (fact < task_->atom_count) {
            is_true(fact);
        } else if (const std::size_t index = fact - task_->atom_count; index < rules_.negated().size()) {
            is_false(rules_.negated()[index]);
        }
    }
}

}  // namespace widthwise
