// Derives the atoms that axioms define: layer by layer to a fixpoint, by counting unsatisfied conditions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/task.hpp"
#include "search/bits.hpp"

namespace widthwise {

class AxiomEvaluator {
public:
    explicit AxiomEvaluator(const Task& task);

    bool empty() const { return condition_count_.empty(); }

    // Recomputes all derived atoms of `state` in place.
    void evaluate(Word* state);

private:
    void satisfy(std::uint32_t axiom, Word* state);
    void drain(Word* state);

    const Task* task_;
    std::vector<Word> derived_mask_;
    std::vector<std::uint32_t> condition_count_;  // per axiom
    std::vector<std::vector<std::uint32_t>> waits_true_,
        waits_false_;                                      // per atom: axioms with that condition
    std::vector<std::vector<std::uint32_t>> layer_atoms_;  // derived atoms, by the layer that decides them
    std::vector<std::uint32_t> open_;                      // scratch: unsatisfied conditions per axiom
    std::vector<std::uint32_t> queue_;                     // scratch: atoms that became true
    std::vector<std::vector<std::uint32_t>> layer_axioms_;
    std::uint32_t current_layer_ = 0;
};

}  // namespace widthwise
