#include "improve/improve.hpp"

#include <algorithm>
#include <utility>

namespace widthwise {

namespace {

// Work between two looks at the meter.
constexpr std::uint64_t kLook = 500'000;

Wanted literals(std::size_t word_count, std::span<const std::uint32_t> pos,
                std::span<const std::uint32_t> neg) {
    Wanted made{std::vector<Word>(word_count), std::vector<Word>(word_count)};
    for (const std::uint32_t atom : pos) set_bit(made.pos.data(), atom);
    for (const std::uint32_t atom : neg) set_bit(made.neg.data(), atom);
    return made;
}

}  // namespace

Improver::Improver(std::shared_ptr<const Operators> operators, std::shared_ptr<Meter> meter,
                   std::vector<double> weights, std::span<const std::uint32_t> goal_pos,
                   std::span<const std::uint32_t> goal_neg)
    : operators_(std::move(operators)),
      meter_(std::move(meter)),
      expander_(operators_),
      weights_(std::move(weights)),
      goal_(literals(operators_->word_count(), goal_pos, goal_neg)),
      trace_(expander_, *meter_, start(), goal_),
      done_(*meter_),
      scratch_(operators_->word_count()),
      step_work_(50 + 2 * operators_->word_count()) {
    const Task& task = operators_->task();
    estimate_work_ = 2 * (task.operator_count() + task.pre_pos.item_count() + task.add.item_count());
}

double Improver::cost(std::span<const std::uint32_t> steps) const {
    double sum = 0;
    for (const std::uint32_t op : steps) sum += weights_[op];
    return sum;
}

bool Improver::applies(const Word* state, std::uint32_t op) const {
    const Task& task = operators_->task();
    return std::ranges::all_of(task.pre_pos[op], [&](std::uint32_t atom) { return test_bit(state, atom); }) &&
           std::ranges::none_of(task.pre_neg[op], [&](std::uint32_t atom) { return test_bit(state, atom); });
}

void Improver::advance(std::vector<Word>& state, std::uint32_t op) {
    expander_.apply(state.data(), operators_->rank_of(op), scratch_.data());
    state.swap(scratch_);
    work_ += step_work_;
}

std::vector<Word> Improver::start() {
    std::vector<Word> state(operators_->word_count());
    for (const std::uint32_t atom : operators_->task().init) set_bit(state.data(), atom);
    expander_.derive(state.data());
    return state;
}

bool Improver::valid(const Steps& plan) {
    std::vector<Word> state = start();
    for (const std::uint32_t op : plan) {
        if (!applies(state.data(), op)) return false;
        advance(state, op);
    }
    return goal_.holds(state.data());
}

std::optional<Steps> Improver::without(const Steps& plan, std::size_t index,
                                       const std::vector<Word>& before) {
    if (work_ >= next_look_) {
        next_look_ = work_ + kLook;
        if (const Halt halt = meter_->poll(); halt != Halt::none) throw Halted{halt};
    }
    std::vector<Word> state = before;
    Steps kept(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(index));
    for (std::size_t step = index + 1; step < plan.size(); ++step) {
        if (!applies(state.data(), plan[step])) continue;
        advance(state, plan[step]);
        kept.push_back(plan[step]);
    }
    if (!goal_.holds(state.data())) return std::nullopt;
    return kept;
}

Steps Improver::eliminate(Steps plan, bool greedy) {
    for (bool better = true; better;) {
        better = false;
        Steps best = plan;
        std::vector<Word> state = start();
        for (std::size_t index = 0; index < plan.size();) {
            auto kept = without(plan, index, state);
            if (kept && cost(*kept) < cost(best) - kNothing) {
                best = std::move(*kept);
                better = greedy;
                if (!greedy) plan = best;
            }
            if (greedy || !kept) advance(state, plan[index++]);
        }
        plan = std::move(best);
    }
    return plan;
}

// Steps i < j may change places unless one of them makes true or false what the other needs or makes. Edges
// lead from a step to those that have to stay behind it; the order is then built step by step from those that
// are free, the one that became free last first.
Steps Improver::gather(const Steps& plan) const {
    const Task& task = operators_->task();
    if (task.has_axioms()) return plan;  // who depends on whom is not to be read from operators
    enum Use : std::uint8_t { needs_true = 1, needs_false = 2, makes_true = 4, makes_false = 8 };
    struct Used {
        std::uint32_t step;
        std::uint8_t kinds;
    };
    const auto conflict = [](std::uint8_t first, std::uint8_t second) {
        // What one makes, against the other's need or the opposite of it.
        return ((first & makes_true) && (second & (needs_true | needs_false | makes_false))) ||
               ((first & makes_false) && (second & (needs_true | needs_false | makes_true))) ||
               ((first & needs_true) && (second & makes_false)) ||
               ((first & needs_false) && (second & makes_true));
    };
    std::vector<std::vector<Used>> used(task.atom_count);
    std::vector<Steps> behind(plan.size());
    std::vector<std::uint32_t> waits_for(plan.size(), 0);
    for (std::uint32_t step = 0; step < plan.size(); ++step) {
        const std::uint32_t op = plan[step];
        std::vector<std::pair<std::uint32_t, std::uint8_t>> uses;
        const auto use = [&](std::span<const std::uint32_t> atoms, Use kind) {
            for (const std::uint32_t atom : atoms) uses.emplace_back(atom, kind);
        };
        use(task.pre_pos[op], needs_true);
        use(task.pre_neg[op], needs_false);
        use(task.add[op], makes_true);
        use(task.del[op], makes_false);
        for (const std::uint32_t effect : task.conditional[op]) {
            // Whether an effect fires matters either way, so its condition must not change at all.
            for (const auto atoms : {task.effect_pos[effect], task.effect_neg[effect]}) {
                use(atoms, needs_true);
                use(atoms, needs_false);
            }
            uses.emplace_back(task.effect_atom[effect],
                              static_cast<std::uint8_t>(task.effect_adds[effect] ? makes_true : makes_false));
        }
        std::sort(uses.begin(), uses.end());
        for (std::size_t first = 0; first < uses.size();) {
            const std::uint32_t atom = uses[first].first;
            std::uint8_t kinds = 0;
            for (; first < uses.size() && uses[first].first == atom; ++first) kinds |= uses[first].second;
            // A step that one in between already waits for needs no edge: long plans would have millions.
            std::uint8_t linked = 0;
            for (auto earlier = used[atom].rbegin(); earlier != used[atom].rend(); ++earlier) {
                if (!conflict(earlier->kinds, kinds) || conflict(earlier->kinds, linked)) continue;
                linked |= earlier->kinds;
                behind[earlier->step].push_back(step);
                ++waits_for[step];
            }
            used[atom].push_back({step, kinds});
        }
    }
    Steps order, free;
    for (std::uint32_t step = static_cast<std::uint32_t>(plan.size()); step-- > 0;)
        if (waits_for[step] == 0) free.push_back(step);
    while (!free.empty()) {
        const std::uint32_t step = free.back();
        free.pop_back();
        order.push_back(plan[step]);
        for (auto next = behind[step].rbegin(); next != behind[step].rend(); ++next)
            if (--waits_for[*next] == 0) free.push_back(*next);
    }
    return order;
}

}  // namespace widthwise
