// The operators of a task in the order in which a search tries them, and which of them apply in a state.
//
// Operators are laid out by *rank*: rank 0 is tried first. Without a seed the rank is the operator's number,
// with a seed the order is permuted once. All rows are stored in rank order, so that the inner loop of a
// search reads memory forwards.
//
// The successor generator watches one literal per operator, the one that fewest operators need. Only the
// watched atoms that hold in a state are looked at; under each of them stands a small trie over the other
// preconditions, flattened into a list of steps "if the literal holds, continue; else skip to". Where a trie
// branches into many atoms, a *fan* intersects the state with the set of those atoms instead of testing them
// one by one. A small task has masks over all its operators instead. Applicable ranks are collected in a bit
// set, which returns them in order without sorting.
//
// Operators may have complementary features for some atoms. A state then has further words behind those of
// its atoms, with one bit for each such atom that is set exactly if the atom is false. An operator that
// deletes the atom adds the feature, so that novelty tables need not know the difference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "state/axioms.hpp"
#include "state/bits.hpp"
#include "state/precondition_masks.hpp"

namespace widthwise {

// The applicable operators of a state during an iteration over them: scratch memory of one search.
struct Applicable {
    std::vector<Word> ranks, summary;  // bit sets: the ranks, and which words of that set are not zero
    std::uint64_t looks = 0;           // at operators that may be forbidden, so far
    bool collected =
        false;  // still set when a visitor threw: the next collection must begin with a clean sheet

    // Leaves out the collected ranks for which `unwanted(rank)`.
    template <class Unwanted>
    void drop(Unwanted&& unwanted) {
        for_each_bit(summary.data(), summary.size(), [&](std::uint32_t index) {
            for (Word bits = ranks[index]; bits != 0; bits &= bits - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
                ++looks;
                if (unwanted(index * std::size_t{64} + bit)) ranks[index] &= ~(Word{1} << bit);
            }
        });
    }
    // Calls `visit(rank)` for the collected ranks from `first` on, ascending, until it returns false. The
    // collection is empty afterwards.
    template <class Visit>
    void take(std::size_t first, Visit&& visit) {
        bool going = true;
        for (std::size_t outer = 0; outer < summary.size(); ++outer) {
            for (Word groups = summary[outer]; groups != 0; groups &= groups - 1) {
                const std::size_t index = outer * 64 + static_cast<std::size_t>(std::countr_zero(groups));
                Word bits = ranks[index];
                ranks[index] = 0;
                if (!going || index * 64 + 63 < first) continue;
                for (; bits != 0 && going; bits &= bits - 1) {
                    const std::size_t rank = index * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                    if (rank >= first) going = visit(rank);
                }
            }
            summary[outer] = 0;
        }
        collected = false;
    }
};

// Sets of atoms that keep operators from applying, beside their preconditions: for many atoms per operator,
// and unknown to relaxed plans.
struct Forbidden {
    std::vector<Word> words;          // row after row
    std::vector<std::uint32_t> rows;  // per operator; operators may share a row
    bool empty() const { return rows.empty(); }
};

class Operators {
public:
    // Throws `Halted` when the meter, if there is one, says to stop before it is done.
    // `complements`: the atoms, ascending, that have a complementary feature.
    Operators(std::shared_ptr<const Task> task, std::optional<std::uint64_t> seed, Meter* meter = nullptr,
              Forbidden forbidden = {}, std::vector<std::uint32_t> complements = {});

    const Task& task() const { return *task_; }
    std::size_t count() const { return order_.size(); }
    std::size_t word_count() const { return word_count_; }
    // The words of a state that hold its atoms; those of complementary features follow.
    std::size_t atom_words() const { return atom_words_; }
    const std::vector<std::uint32_t>& complements() const { return complements_; }
    // One more than the largest bit of a state that may be set: what novelty tables are made for.
    std::size_t feature_bits() const {
        return complements_.empty() ? task_->atom_count : atom_words_ * 64 + complements_.size();
    }
    // A number that tells the layouts of states apart; 0 without complementary features.
    std::uint64_t layout() const { return layout_; }
    // A bit of a state as a literal: atom * 2, or atom * 2 + 1 for the complementary feature of an atom.
    std::uint32_t literal_of(std::uint32_t bit) const {
        return bit < atom_words_ * 64 ? bit * 2 : complements_[bit - atom_words_ * 64] * 2 + 1;
    }
    // Sets the complementary features of a state by its atoms.
    void complete(Word* state) const {
        for (std::uint32_t index = 0; index < complements_.size(); ++index) follow(state, index);
    }
    // The same after axioms were evaluated, for what they may have changed.
    void complete_derived(Word* state) const {
        for (const std::uint32_t index : derived_complements_) follow(state, index);
    }
    std::uint32_t operator_at(std::size_t rank) const { return order_[rank]; }
    std::uint32_t rank_of(std::size_t op) const { return rank_[op]; }

    std::span<const std::uint32_t> add(std::size_t rank) const { return effects_[2 * rank]; }
    std::span<const std::uint32_t> del(std::size_t rank) const { return effects_[2 * rank + 1]; }

    // True if applying the operator is only adding and deleting: no conditional effects, no axioms to
    // evaluate.
    bool plain(std::size_t rank) const { return plain_[rank] != 0; }
    bool all_plain() const { return all_plain_; }

    // The ranks of the plain operators that add or delete an atom.
    std::span<const std::uint32_t> touching(std::size_t atom) const { return touching_[atom]; }

    // child = the state after the effects of the operator of that rank; derived atoms and their complementary
    // features are left as they were.
    // The two states must not overlap.
    void apply(const Word* state, std::size_t rank, Word* child) const;

    // Empty scratch memory for `collect`.
    Applicable scratch() const;
    // Collects the applicable operators of a state, except those that leave every state as it is.
    void collect(const Word* state, Applicable& into) const;

    std::size_t bytes() const;

private:
    struct Step {
        std::uint32_t
            literal;         // atom * 2 + (1 if it must be false); of a leaf: the rank; of a fan: its number
        std::uint32_t skip;  // where to continue if the literal fails; 0 marks a leaf, kFan a fan
    };
    static constexpr std::uint32_t kFan = 0xffffffffU;
    static constexpr std::uint32_t kNoFeature = 0xffffffffU;
    struct Fan {
        std::size_t mask;   // where its set of atoms begins in fan_words_
        std::size_t first;  // where the beginnings of its branches begin in fan_branches_, by ascending atom
        std::uint32_t end;  // the place after it
    };

    bool idle(std::uint32_t op) const;
    void append_effects(std::uint32_t op);
    void follow(Word* state, std::uint32_t index) const {
        const std::size_t bit = atom_words_ * 64 + index;
        if (test_bit(state, complements_[index]))
            clear_bit(state, bit);
        else
            set_bit(state, bit);
    }
    void collect_by_tries(const Word* state, Applicable& into) const;
    void build_masks();
    void build_generator(Meter* meter);
    void emit(std::span<const std::uint32_t> ranks, std::size_t depth,
              const std::vector<std::vector<std::uint32_t>>& rest);
    std::size_t fan_out(std::span<const std::uint32_t> ranks, std::size_t depth,
                        const std::vector<std::vector<std::uint32_t>>& rest) const;
    bool forbidden(const Word* state, std::size_t rank) const {
        const Word* row = forbidden_.words.data() + forbidden_.rows[order_[rank]] * atom_words_;
        for (std::size_t word = 0; word < atom_words_; ++word)
            if ((state[word] & row[word]) != 0) return true;
        return false;
    }
    void walk(const Word* state, std::uint32_t begin, std::uint32_t end, Applicable& into) const;
    bool holds(const Word* state, std::uint32_t literal) const {
        return test_bit(state, literal >> 1) != ((literal & 1U) != 0);
    }

    std::shared_ptr<const Task> task_;
    std::vector<std::uint32_t> complements_, derived_complements_;  // the second: indices into the first
    std::vector<std::uint32_t> complement_of_;  // per atom: its index there, or kNoFeature
    std::uint64_t layout_;
    std::size_t atom_words_, word_count_;
    std::vector<std::uint32_t> order_, rank_;
    Rows effects_;  // per rank two rows, what it adds and what it deletes: they are wanted together
    Rows touching_;
    Rows followed_;  // per rank: complementary features that its conditional effects may change
    std::vector<std::uint8_t> plain_;
    bool all_plain_ = true;
    Forbidden forbidden_;

    std::vector<Step> steps_;
    std::vector<Fan> fans_;
    std::vector<Word> fan_words_;  // per fan: its atoms, then the number of atoms before each word
    std::vector<std::uint32_t> fan_branches_;
    std::vector<std::uint32_t> begin_;  // per atom: where its trie begins; it ends where the next one begins
    std::vector<Word> watched_;         // atoms that are watched by some operator
    std::uint32_t free_begin_ = 0;      // the trie of operators without positive preconditions
    std::optional<PreconditionMasks> masks_;  // of a small task, which has no tries
};

// Expands states: operators that many searches may share, with the scratch memory of one.
class Expander {
public:
    explicit Expander(std::shared_ptr<const Operators> operators)
        : operators_(std::move(operators)), applicable_(operators_->scratch()), axioms_(operators_->task()) {}

    const Operators& operators() const { return *operators_; }

    // `again`: of a state that was looked at before, so that its operators are not counted twice.
    void collect(const Word* state, bool again = false) {
        const std::uint64_t looks = applicable_.looks;
        operators_->collect(state, applicable_);
        if (again) applicable_.looks = looks;
    }
    std::uint64_t looks() const { return applicable_.looks; }
    std::uint64_t axiom_work() const { return axioms_.work(); }
    template <class Visit>
    void take(std::size_t first, Visit&& visit) {
        applicable_.take(first, visit);
    }
    // child = the state after the operator of that rank, derived atoms included.
    void apply(const Word* state, std::size_t rank, Word* child) {
        operators_->apply(state, rank, child);
        if (axioms_.empty()) return;
        axioms_.evaluate(child);
        operators_->complete_derived(child);
    }
    // Recomputes the derived atoms and the complementary features of a state.
    void derive(Word* state) {
        if (!axioms_.empty()) axioms_.evaluate(state);
        operators_->complete(state);
    }

private:
    std::shared_ptr<const Operators> operators_;
    Applicable applicable_;
    AxiomEvaluator axioms_;
};

}  // namespace widthwise
