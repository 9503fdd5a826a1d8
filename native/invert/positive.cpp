#include "invert/positive.hpp"

#include <algorithm>

namespace widthwise {

namespace {

std::size_t estimate(const Task& task) {
    // Whatever is added or deleted may be deleted or added as a negation, too.
    const std::size_t effects = task.add.item_count() + task.del.item_count();
    return sizeof(std::uint32_t) * (task.pre_pos.item_count() + task.pre_neg.item_count() + 2 * effects +
                                    3 * task.operator_count() + 4 * std::size_t{task.atom_count});
}

}  // namespace

Positive::Positive(const Task& task, const Word* state, std::span<const std::uint32_t> goal_pos,
                   std::span<const std::uint32_t> goal_neg, Meter& meter)
    : atom_count(task.atom_count), negation(task.atom_count, kNoNegation), charge_(&meter, estimate(task)) {
    const auto name = [&](std::span<const std::uint32_t> atoms) {
        for (const std::uint32_t atom : atoms)
            if (negation[atom] == kNoNegation) negation[atom] = atom_count++;
    };
    name(goal_neg);
    for (std::size_t op = 0; op < task.operator_count(); ++op) name(task.pre_neg[op]);

    std::vector<std::uint32_t> row;
    const auto append = [&](Rows& rows, std::span<const std::uint32_t> atoms,
                            std::span<const std::uint32_t> negated) {
        row.assign(atoms.begin(), atoms.end());
        for (const std::uint32_t atom : negated)
            if (negation[atom] != kNoNegation) row.push_back(negation[atom]);
        std::sort(row.begin() + static_cast<std::ptrdiff_t>(atoms.size()), row.end());
        rows.append(row);
    };
    for (std::size_t op = 0; op < task.operator_count(); ++op) {
        append(pre, task.pre_pos[op], task.pre_neg[op]);
        append(add, task.add[op], task.del[op]);
        append(del, task.del[op], task.add[op]);
    }
    for (std::uint32_t atom = 0; atom < task.atom_count; ++atom)
        if (test_bit(state, atom))
            first.push_back(atom);
        else if (negation[atom] != kNoNegation)
            first.push_back(negation[atom]);
    std::sort(first.begin(), first.end());
    goal.assign(goal_pos.begin(), goal_pos.end());
    for (const std::uint32_t atom : goal_neg) goal.push_back(negation[atom]);
    std::sort(goal.begin(), goal.end());
    goal.erase(std::unique(goal.begin(), goal.end()), goal.end());
}

}  // namespace widthwise
