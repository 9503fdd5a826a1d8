#include "ground/relevance.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace widthwise::ground {

namespace {

using Ids = std::vector<std::uint32_t>;

// For every atom, the rows it occurs in.
class Occurrences {
public:
    Occurrences(std::uint32_t atom_count, const Rows& rows) : first_(std::size_t{atom_count} + 1, 0) {
        fill(rows.size(), [&](std::size_t row, auto&& use) {
            for (const std::uint32_t atom : rows[row]) use(atom);
        });
    }
    Occurrences(std::uint32_t atom_count, const Ids& column) : first_(std::size_t{atom_count} + 1, 0) {
        fill(column.size(), [&](std::size_t row, auto&& use) { use(column[row]); });
    }

    std::span<const std::uint32_t> operator[](std::uint32_t atom) const {
        return {rows_.data() + first_[atom], rows_.data() + first_[atom + 1]};
    }

private:
    template <class EachAtom>
    void fill(std::size_t count, EachAtom each_atom) {
        for (std::size_t row = 0; row < count; ++row)
            each_atom(row, [&](std::uint32_t atom) { ++first_[atom + 1]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        rows_.resize(first_.back());
        Ids next(first_.begin(), first_.end() - 1);
        for (std::size_t row = 0; row < count; ++row)
            each_atom(row,
                      [&](std::uint32_t atom) { rows_[next[atom]++] = static_cast<std::uint32_t>(row); });
    }

    Ids first_, rows_;
};

class Backward {
public:
    explicit Backward(const Task& task)
        : task_(&task),
          added_by_(task.atom_count, task.add),
          deleted_by_(task.atom_count, task.del),
          effects_on_(task.atom_count, task.effect_atom),
          axioms_for_(task.atom_count, task.axiom_head),
          operator_of_(task.effect_atom.size()),
          matters_{std::vector<std::uint8_t>(task.atom_count), std::vector<std::uint8_t>(task.atom_count)},
          operator_matters_(task.operator_count()) {
        for (std::uint32_t op = 0; op < task.operator_count(); ++op)
            for (const std::uint32_t effect : task.conditional[op]) operator_of_[effect] = op;
    }

    void want(std::span<const std::uint32_t> pos, std::span<const std::uint32_t> neg) {
        for (const std::uint32_t atom : pos) want(atom, true);
        for (const std::uint32_t atom : neg) want(atom, false);
    }

    void run() {
        while (!todo_.empty()) {
            const auto [atom, truth] = todo_.back();
            todo_.pop_back();
            for (const std::uint32_t op : (truth ? added_by_ : deleted_by_)[atom]) use_operator(op);
            for (const std::uint32_t effect : effects_on_[atom]) use_effect(effect);
            for (const std::uint32_t axiom : axioms_for_[atom])
                want_condition(task_->axiom_pos[axiom], task_->axiom_neg[axiom], truth);
        }
    }

    bool keeps_atom(std::uint32_t atom) const { return matters_[0][atom] != 0 || matters_[1][atom] != 0; }
    bool keeps_operator(std::uint32_t op) const { return operator_matters_[op] != 0; }

private:
    void want(std::uint32_t atom, bool truth) {
        if (std::exchange(matters_[truth ? 1 : 0][atom], std::uint8_t{1}) == 0)
            todo_.emplace_back(atom, truth);
    }
    void want_condition(std::span<const std::uint32_t> pos, std::span<const std::uint32_t> neg, bool truth) {
        if (truth)
            want(pos, neg);
        else
            want(neg, pos);
    }
    void use_operator(std::uint32_t op) {
        if (std::exchange(operator_matters_[op], std::uint8_t{1}) != 0) return;
        want(task_->pre_pos[op], task_->pre_neg[op]);
        for (const std::uint32_t effect : task_->conditional[op]) use_effect(effect);
    }
    void use_effect(std::uint32_t effect) {
        const std::uint32_t atom = task_->effect_atom[effect];
        const bool adds = task_->effect_adds[effect] != 0;
        const bool helps = matters_[adds ? 1 : 0][atom] != 0;
        const bool harms = matters_[adds ? 0 : 1][atom] != 0;
        if (helps) {
            want_condition(task_->effect_pos[effect], task_->effect_neg[effect], true);
            use_operator(operator_of_[effect]);
        }
        // An operator is not used for a harmful effect, but if it is used, the effect is better avoided.
        if (harms && keeps_operator(operator_of_[effect]))
            want_condition(task_->effect_pos[effect], task_->effect_neg[effect], false);
    }

    const Task* task_;
    Occurrences added_by_, deleted_by_, effects_on_, axioms_for_;
    Ids operator_of_;
    std::vector<std::uint8_t> matters_[2];  // wanted false, wanted true
    std::vector<std::uint8_t> operator_matters_;
    std::vector<std::pair<std::uint32_t, bool>> todo_;
};

constexpr std::uint32_t dropped = 0xffffffff;

// Copies the kept part of a task under new atom numbers.
class Copier {
public:
    Copier(const Task& task, const Backward& kept) : from_(&task), new_atom_(task.atom_count, dropped) {
        result_.task = std::make_shared<Task>();
        for (std::uint32_t atom = 0; atom < task.atom_count; ++atom)
            if (kept.keeps_atom(atom)) {
                new_atom_[atom] = static_cast<std::uint32_t>(result_.atoms.size());
                result_.atoms.push_back(atom);
            }
        for (std::uint32_t op = 0; op < task.operator_count(); ++op)
            if (kept.keeps_operator(op)) result_.operators.push_back(op);
    }

    Restriction copy(std::span<const std::uint32_t> goal_pos, std::span<const std::uint32_t> goal_neg) {
        Task& to = *result_.task;
        to.atom_count = static_cast<std::uint32_t>(result_.atoms.size());
        for (const std::uint32_t atom : result_.atoms) {
            to.derived.push_back(from_->derived[atom]);
            to.atom_predicate.push_back(from_->atom_predicate[atom]);
            to.atom_args.append(from_->atom_args[atom]);
        }
        for (const std::uint32_t op : result_.operators) copy_operator(op);
        for (std::size_t axiom = 0; axiom < from_->axiom_head.size(); ++axiom) {
            if (new_atom_[from_->axiom_head[axiom]] == dropped) continue;
            to.axiom_pos.append(renumbered(from_->axiom_pos[axiom]));
            to.axiom_neg.append(renumbered(from_->axiom_neg[axiom]));
            to.axiom_head.push_back(new_atom_[from_->axiom_head[axiom]]);
            to.axiom_layer.push_back(from_->axiom_layer[axiom]);
        }
        to.init = renumbered(from_->init);
        to.goal_pos = renumbered(goal_pos);
        to.goal_neg = renumbered(goal_neg);
        // A goal of the whole task that is out of reach is not among its atoms, so it is not among a part's
        // either.
        const bool whole =
            std::ranges::equal(goal_pos, from_->goal_pos) && std::ranges::equal(goal_neg, from_->goal_neg);
        to.goal_reachable = !whole || from_->goal_reachable;
        return std::move(result_);
    }

private:
    void copy_operator(std::uint32_t op) {
        Task& to = *result_.task;
        to.pre_pos.append(renumbered(from_->pre_pos[op]));
        to.pre_neg.append(renumbered(from_->pre_neg[op]));
        to.add.append(renumbered(from_->add[op]));
        to.del.append(renumbered(from_->del[op]));
        to.cost.push_back(from_->cost[op]);
        to.operator_schema.push_back(from_->operator_schema[op]);
        to.operator_args.append(from_->operator_args[op]);
        Ids effects;
        for (const std::uint32_t effect : from_->conditional[op]) {
            if (new_atom_[from_->effect_atom[effect]] == dropped) continue;
            effects.push_back(static_cast<std::uint32_t>(to.effect_atom.size()));
            to.effect_pos.append(renumbered(from_->effect_pos[effect]));
            to.effect_neg.append(renumbered(from_->effect_neg[effect]));
            to.effect_atom.push_back(new_atom_[from_->effect_atom[effect]]);
            to.effect_adds.push_back(from_->effect_adds[effect]);
        }
        to.conditional.append(effects);
    }

    // Kept atoms keep their order, so sorted rows stay sorted.
    Ids renumbered(std::span<const std::uint32_t> row) const {
        Ids result;
        for (const std::uint32_t atom : row)
            if (new_atom_[atom] != dropped) result.push_back(new_atom_[atom]);
        return result;
    }

    const Task* from_;
    Ids new_atom_;
    Restriction result_;
};

}  // namespace

Restriction restrict_to_goal(const Task& task, std::span<const std::uint32_t> goal_pos,
                             std::span<const std::uint32_t> goal_neg) {
    Ids pos(goal_pos.begin(), goal_pos.end());
    Ids neg(goal_neg.begin(), goal_neg.end());
    for (Ids* goal : {&pos, &neg}) {
        std::sort(goal->begin(), goal->end());
        goal->erase(std::unique(goal->begin(), goal->end()), goal->end());
        if (!goal->empty() && goal->back() >= task.atom_count)
            throw std::invalid_argument("a goal atom is out of range");
    }
    Backward backward(task);
    backward.want(pos, neg);
    backward.run();
    return Copier(task, backward).copy(pos, neg);
}

}  // namespace widthwise::ground
