#include "state/complements.hpp"

namespace widthwise {

std::vector<std::uint32_t> wanted_false(const Task& task, std::span<const std::uint32_t> goal_neg) {
    std::vector<std::uint8_t> wanted(task.atom_count, 0);
    std::vector<std::uint32_t> queue;  // derived atoms whose axioms are to be looked at
    const auto want = [&](std::span<const std::uint32_t> atoms) {
        for (const std::uint32_t atom : atoms) {
            if (wanted[atom]) continue;
            wanted[atom] = 1;
            if (task.derived[atom]) queue.push_back(atom);
        }
    };
    want(goal_neg);
    for (std::size_t op = 0; op < task.operator_count(); ++op) want(task.pre_neg[op]);
    for (std::size_t effect = 0; effect < task.effect_atom.size(); ++effect) want(task.effect_neg[effect]);
    for (std::size_t axiom = 0; axiom < task.axiom_head.size(); ++axiom) want(task.axiom_neg[axiom]);
    std::vector<std::vector<std::uint32_t>> axioms_of(queue.empty() ? 0 : task.atom_count);
    for (std::uint32_t axiom = 0; axiom < task.axiom_head.size() && !axioms_of.empty(); ++axiom)
        axioms_of[task.axiom_head[axiom]].push_back(axiom);
    while (!queue.empty()) {
        const std::uint32_t head = queue.back();
        queue.pop_back();
        for (const std::uint32_t axiom : axioms_of[head]) want(task.axiom_pos[axiom]);
    }
    std::vector<std::uint32_t> atoms;
    for (std::uint32_t atom = 0; atom < task.atom_count; ++atom)
        if (wanted[atom]) atoms.push_back(atom);
    return atoms;
}

}  // namespace widthwise
