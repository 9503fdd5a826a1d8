// Novelty tables: which tuples of atoms, of size up to w, have been seen together in a state.
//
// A table is asked about a state together with a state `before` whose tuples are all in the table already
// (the parent, in a search): only tuples with an atom that `before` lacks can be new. Without `before` every
// tuple is examined. `insert` answers false when the memory limit forbids to remember the state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/meter.hpp"
#include "novelty/keyset.hpp"
#include "state/bits.hpp"
#include "state/chunks.hpp"

namespace widthwise {

inline constexpr std::uint32_t kAllFeatures = 0xffffffffU;  // the width written "n" in the paper

class NoveltyTable {
public:
    virtual ~NoveltyTable() = default;
    virtual bool novel(const Word* before, const Word* state) = 0;
    virtual bool insert(const Word* before, const Word* state) = 0;
    virtual std::size_t bytes() const = 0;
};

// Width 1: one bit an atom.
class AtomTable final : public NoveltyTable {
public:
    AtomTable(Meter& meter, std::size_t atom_count);
    ~AtomTable() override;
    bool novel(const Word*, const Word* state) override {
        return first_beyond(state, seen_.data(), 0, seen_.size()) < seen_.size();
    }
    bool insert(const Word*, const Word* state) override {
        for (std::size_t word = 0; word < seen_.size(); ++word) seen_[word] |= state[word];
        return true;
    }
    void clear() { std::fill(seen_.begin(), seen_.end(), 0); }
    std::size_t bytes() const override { return seen_.size() * sizeof(Word); }

    // The same question for the child of a plain operator, which is not built for it.
    static constexpr bool kBuildsChild = false;
    bool novel_child(const Word*, std::span<const std::uint32_t> add, std::span<const std::uint32_t>,
                     Word*) const {
        for (const std::uint32_t atom : add)
            if (!test_bit(seen_.data(), atom)) return true;
        return false;
    }
    bool usable() const { return usable_; }

private:
    Meter* meter_;
    bool usable_;
    std::vector<Word> seen_;
};

// Width 2: a symmetric bit matrix whose rows are made when their atom is first seen (the diagonal stands for
// single atoms), or a hash set of pairs where the whole matrix would not fit.
class PairTable final : public NoveltyTable {
public:
    PairTable(Meter& meter, std::size_t atom_count, bool force_sparse = false);
    ~PairTable() override;
    bool novel(const Word* before, const Word* state) override;
    bool insert(const Word* before, const Word* state) override;
    std::size_t bytes() const override { return rows_.bytes() + index_bytes() + pairs_.bytes(); }
    bool sparse() const { return sparse_; }
    // How much `novel` and `insert` have looked at so far, as if in a matrix: the same on every machine.
    std::uint64_t work() const { return work_; }
    // The same question for the child of a plain operator, which is written into `child` on the way: pairs
    // are compared with all of it anyway.
    static constexpr bool kBuildsChild = true;
    bool novel_child(const Word* state, std::span<const std::uint32_t> add,
                     std::span<const std::uint32_t> del, Word* child) const;
    bool usable() const { return usable_; }

private:
    std::uint64_t key(std::uint32_t left, std::uint32_t right) const {
        const std::uint64_t low = left < right ? left : right, high = left < right ? right : left;
        return low * atom_count_ + high + 1;
    }
    bool novel_with(std::uint32_t atom, const Word* state) const {
        if (sparse_) return novel_with_sparse(atom, state);
        return any_beyond(state, rows_of_[atom], word_count_);
    }
    bool novel_with_sparse(std::uint32_t atom, const Word* state) const;
    template <std::size_t Words>
    bool novel_small_child(const Word* state, std::span<const std::uint32_t> add,
                           std::span<const std::uint32_t> del, Word* child) const;
    bool ensure_row(std::uint32_t atom);
    std::size_t index_bytes() const {
        return rows_of_.size() * sizeof(Word*) + no_row_.size() * sizeof(Word);
    }

    Meter* meter_;
    std::size_t atom_count_, word_count_;
    bool sparse_ = false;
    bool usable_ = true;
    std::vector<Word> no_row_;    // the empty row that atoms share until they are first seen
    std::vector<Word*> rows_of_;  // per atom
    Chunks<Word> rows_;
    KeySet<std::uint64_t> pairs_;
    std::uint64_t work_ = 0;
};

// Any width: a hash set of tuples packed into 64 or 128 bits.
template <class Key>
class TupleTable final : public NoveltyTable {
public:
    TupleTable(Meter& meter, std::size_t atom_count, std::uint32_t width);
    bool novel(const Word* before, const Word* state) override;
    bool insert(const Word* before, const Word* state) override;
    std::size_t bytes() const override { return tuples_.bytes(); }

private:
    void split(const Word* before, const Word* state);
    Key pack(std::size_t size);
    template <class Visit>
    bool choose(std::size_t chosen, std::size_t size, std::size_t from, std::size_t end, Visit&& visit);
    template <class Visit>
    bool each_tuple(std::size_t size, Visit&& visit);

    std::size_t word_count_;
    std::uint32_t width_;
    unsigned bits_;
    KeySet<Key> tuples_;
    std::vector<std::uint32_t> added_, others_, pool_, tuple_, sorted_;
};

// Width n: whole states. Rows are kept here, or in a column outside that the caller names by index.
class StateTable final : public NoveltyTable {
public:
    StateTable(Meter& meter, std::size_t word_count, const Chunks<Word>* outside = nullptr);
    ~StateTable() override;
    bool novel(const Word* before, const Word* state) override;
    bool insert(const Word* before, const Word* state) override;
    std::size_t bytes() const override { return slots_.size() * sizeof(std::uint32_t) + own_.bytes(); }

    // The row of a state that was remembered.
    std::optional<std::uint32_t> find(const Word* state) const;
    // Remembers a row of the outside column.
    bool insert_row(std::uint32_t row);

private:
    std::size_t slot_of(std::uint64_t hash) const {
        return static_cast<std::size_t>(((hash >> 32) * slots_.size()) >> 32);
    }
    const Chunks<Word>& rows() const { return outside_ ? *outside_ : own_; }
    bool grow();
    void place(std::uint32_t row);

    Meter* meter_;
    std::size_t word_count_;
    const Chunks<Word>* outside_;
    Chunks<Word> own_;
    std::vector<std::uint32_t> slots_;  // row + 1; 0 is free
    std::size_t count_ = 0;
};

// The table for a width over that many atoms; null when not even an empty one fits the memory limit. Throws
// std::invalid_argument for a width whose tuples do not fit 128 bits.
std::unique_ptr<NoveltyTable> make_table(Meter& meter, std::size_t atom_count, std::uint32_t width,
                                         const Chunks<Word>* outside = nullptr);

}  // namespace widthwise
