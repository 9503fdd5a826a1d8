#include "improve/trace.hpp"

#include <algorithm>
#include <utility>

namespace widthwise {

Trace::Trace(Expander& expander, Meter& meter, std::vector<Word> first, Wanted goal)
    : expander_(&expander),
      task_(&expander.operators().task()),
      first_(std::move(first)),
      goal_(std::move(goal)),
      conditional_(task_->conditional.item_count() > 0),
      states_(meter, first_.size()),
      wanteds_(meter, 2 * first_.size()) {}

void Trace::follow(const Steps& plan) {
    const auto head = std::ranges::mismatch(plan_, plan).in1 - plan_.begin();
    if (static_cast<std::size_t>(head) == plan.size() && plan.size() == plan_.size()) return;
    const auto tail =
        std::mismatch(plan_.rbegin(), plan_.rend(), plan.rbegin(), plan.rend()).first - plan_.rbegin();
    states_.cut(static_cast<std::size_t>(head) + 1);
    wanteds_.cut(conditional_ ? 0 : static_cast<std::size_t>(tail) + 1);
    plan_ = plan;
}

const Word* Trace::state(std::size_t step) {
    while (states_.size() <= step) {
        const std::size_t known = states_.size();
        Word* next = states_.push();
        if (!next) return nullptr;
        if (known == 0) {
            std::ranges::copy(first_, next);
            continue;
        }
        const std::size_t rank = expander_->operators().rank_of(plan_[known - 1]);
        expander_->apply(states_.row(known - 1), rank, next);
        ++steps_taken_;
    }
    return states_.row(step);
}

bool Trace::push(const Wanted& wanted) {
    Word* next = wanteds_.push();
    if (!next) return false;
    std::ranges::copy(wanted.neg, std::ranges::copy(wanted.pos, next).out);
    return true;
}

std::optional<Wanted> Trace::wanted(std::size_t step) {
    if (step == plan_.size()) return goal_;
    if (task_->has_axioms()) {
        // They cannot be worked backwards here: the very state is wanted.
        const Word* here = state(step);
        if (!here) return std::nullopt;
        Wanted wanted = goal_;
        for (std::uint32_t atom = 0; atom < task_->atom_count; ++atom)
            if (!task_->derived[atom]) set_bit((test_bit(here, atom) ? wanted.pos : wanted.neg).data(), atom);
        return wanted;
    }
    if (wanteds_.size() == 0 && !push(goal_)) return std::nullopt;
    const std::size_t words = first_.size();
    const auto known = [&](std::size_t row) {
        const Word* at = wanteds_.row(row);
        return Wanted{{at, at + words}, {at + words, at + 2 * words}};
    };
    const std::size_t wished = plan_.size() - step;
    Wanted wanted = known(std::min(wished, wanteds_.size() - 1));
    while (wanteds_.size() <= wished) {
        const std::size_t before = plan_.size() - wanteds_.size();
        // Only conditional effects ask in which state a step was taken.
        if (conditional_ && !state(before)) return std::nullopt;
        regress(before, wanted);
        if (!push(wanted)) return std::nullopt;
    }
    return wanted;
}

// The state before the step in the plan says in which of several ways a conditional effect is to help, or to
// stay away.
void Trace::regress(std::size_t step, Wanted& wanted) {
    const Task& task = *task_;
    const std::uint32_t op = plan_[step];
    Wanted earlier = wanted;
    for (const std::uint32_t atom : task.del[op]) clear_bit(earlier.neg.data(), atom);
    for (const std::uint32_t atom : task.add[op]) clear_bit(earlier.pos.data(), atom);
    const Word* before = conditional_ ? states_.row(step) : nullptr;
    const auto first_failing = [&](std::uint32_t effect) -> std::optional<std::pair<std::uint32_t, bool>> {
        for (const std::uint32_t atom : task.effect_pos[effect])
            if (!test_bit(before, atom)) return std::pair(atom, false);
        for (const std::uint32_t atom : task.effect_neg[effect])
            if (test_bit(before, atom)) return std::pair(atom, true);
        return std::nullopt;
    };
    const auto matters = [&](std::uint32_t atom) {
        return test_bit(wanted.pos.data(), atom) || test_bit(wanted.neg.data(), atom);
    };
    Wanted conditions{std::vector<Word>(earlier.pos.size()), std::vector<Word>(earlier.pos.size())};
    for (const std::uint32_t effect : task.conditional[op]) {
        const std::uint32_t atom = task.effect_atom[effect];
        if (!matters(atom)) continue;
        const auto failing = first_failing(effect);
        if (failing) {
            // It stayed away, and has to again.
            set_bit((failing->second ? conditions.pos : conditions.neg).data(), failing->first);
            continue;
        }
        for (const std::uint32_t one : task.effect_pos[effect]) set_bit(conditions.pos.data(), one);
        for (const std::uint32_t one : task.effect_neg[effect]) set_bit(conditions.neg.data(), one);
        clear_bit((task.effect_adds[effect] ? earlier.pos : earlier.neg).data(), atom);
    }
    for (const std::uint32_t atom : task.pre_pos[op]) set_bit(conditions.pos.data(), atom);
    for (const std::uint32_t atom : task.pre_neg[op]) set_bit(conditions.neg.data(), atom);
    for (std::size_t word = 0; word < earlier.pos.size(); ++word) {
        wanted.pos[word] = earlier.pos[word] | conditions.pos[word];
        wanted.neg[word] = earlier.neg[word] | conditions.neg[word];
    }
    ++steps_taken_;
}

}  // namespace widthwise
