#include "state/axioms.hpp"

#include <algorithm>
#include <bit>

namespace widthwise {

AxiomEvaluator::AxiomEvaluator(const Task& task)
    : task_(&task),
      derived_mask_(words_for(task.atom_count)),
      given_(words_for(task.atom_count)),
      waits_true_(task.atom_count),
      waits_false_(task.atom_count) {
    const std::size_t axioms = task.axiom_head.size();
    std::uint32_t layers = 0;
    for (const std::uint32_t layer : task.axiom_layer) layers = std::max(layers, layer + 1);
    layer_atoms_.resize(layers);
    layer_axioms_.resize(layers);
    std::vector<std::uint32_t> layer_of(task.atom_count, 0);
    for (std::uint32_t axiom = 0; axiom < axioms; ++axiom) {
        unmet_.push_back(static_cast<std::uint32_t>(task.axiom_pos[axiom].size()));
        for (const std::uint32_t atom : task.axiom_pos[axiom]) waits_true_[atom].push_back(axiom);
        for (const std::uint32_t atom : task.axiom_neg[axiom]) {
            waits_false_[atom].push_back(axiom);
            unmet_.back() += task.derived[atom] ? 1 : 0;  // of the others, none holds at first
        }
        layer_axioms_[task.axiom_layer[axiom]].push_back(axiom);
        layer_of[task.axiom_head[axiom]] = task.axiom_layer[axiom];
    }
    for (std::uint32_t atom = 0; atom < task.atom_count; ++atom) {
        if (!task.derived[atom]) continue;
        set_bit(derived_mask_.data(), atom);
        if (layers > 0) layer_atoms_[layer_of[atom]].push_back(atom);
    }
}

void AxiomEvaluator::satisfy(std::uint32_t axiom, Word* state) {
    if (--open_[axiom] != 0 || task_->axiom_layer[axiom] != current_layer_) return;
    const std::uint32_t head = task_->axiom_head[axiom];
    if (test_bit(state, head)) return;
    set_bit(state, head);
    queue_.push_back(head);
}

void AxiomEvaluator::drain(Word* state) {
    while (!queue_.empty()) {
        const std::uint32_t atom = queue_.back();
        queue_.pop_back();
        work_ += 1 + waits_true_[atom].size();
        for (const std::uint32_t axiom : waits_true_[atom]) satisfy(axiom, state);
    }
}

// Counts what has changed among the atoms that are not derived.
void AxiomEvaluator::carry(const Word* state) {
    for (std::size_t word = 0; word < given_.size(); ++word) {
        Word changed = (state[word] & ~derived_mask_[word]) ^ given_[word];
        given_[word] ^= changed;
        for (; changed != 0; changed &= changed - 1) {
            const std::size_t atom = word * 64 + static_cast<std::size_t>(std::countr_zero(changed));
            const bool holds = test_bit(given_.data(), atom);
            for (const std::uint32_t axiom : holds ? waits_true_[atom] : waits_false_[atom]) --unmet_[axiom];
            for (const std::uint32_t axiom : holds ? waits_false_[atom] : waits_true_[atom]) ++unmet_[axiom];
            work_ += waits_true_[atom].size() + waits_false_[atom].size();
        }
    }
}

void AxiomEvaluator::evaluate(Word* state) {
    carry(state);
    std::copy(given_.begin(), given_.end(), state);
    open_ = unmet_;
    work_ += open_.size() / 2;  // they are copied, and looked at in order
    for (std::uint32_t layer = 0; layer < layer_axioms_.size(); ++layer) {
        current_layer_ = layer;
        for (const std::uint32_t axiom : layer_axioms_[layer]) {
            const std::uint32_t head = task_->axiom_head[axiom];
            if (open_[axiom] != 0 || test_bit(state, head)) continue;
            set_bit(state, head);
            queue_.push_back(head);
        }
        drain(state);
        // What this layer left false stays false: later layers may rely on it.
        if (layer + 1 == layer_axioms_.size()) break;
        for (const std::uint32_t atom : layer_atoms_[layer]) {
            if (test_bit(state, atom)) continue;
            for (const std::uint32_t axiom : waits_false_[atom]) --open_[axiom];
        }
    }
}

}  // namespace widthwise
