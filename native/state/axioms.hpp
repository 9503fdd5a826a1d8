// Derives the atoms that axioms define: layer by layer to a fixpoint, by counting unsatisfied conditions.
//
// States that follow each other differ in few atoms, so what the atoms that are not derived satisfy is
// carried from one to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "core/task.hpp"
#include "state/bits.hpp"

namespace widthwise {

class AxiomEvaluator {
public:
    explicit AxiomEvaluator(const Task& task);

    bool empty() const { return unmet_.empty(); }

    // Recomputes all derived atoms of `state` in place.
    void evaluate(Word* state);

    // How much all evaluations so far have looked at: the same on every machine.
    std::uint64_t work() const { return work_; }

private:
    void carry(const Word* state);
    void satisfy(std::uint32_t axiom, Word* state);
    void drain(Word* state);

    const Task* task_;
    std::vector<Word> derived_mask_;
    std::vector<Word> given_;           // the atoms that are not derived and hold, as last seen
    std::vector<std::uint32_t> unmet_;  // per axiom: conditions that these do not satisfy
    std::vector<std::vector<std::uint32_t>> waits_true_,
        waits_false_;                                      // per atom: axioms with that condition
    std::vector<std::vector<std::uint32_t>> layer_atoms_;  // derived atoms, by the layer that decides them
    std::vector<std::uint32_t> open_;                      // scratch: unsatisfied conditions per axiom
    std::vector<std::uint32_t> queue_;                     // scratch: atoms that became true
    std::vector<std::vector<std::uint32_t>> layer_axioms_;
    std::uint32_t current_layer_ = 0;
    std::uint64_t work_ = 0;
};

}  // namespace widthwise
