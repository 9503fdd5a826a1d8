#include "novelty/novelty.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace widthwise {

namespace {

// What a dense pair matrix may take if no limit is set: a quarter of the machine's memory.
std::uint64_t quarter_of_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return std::uint64_t{1} << 30;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4;
}

template <class Visit>
void for_each_added(const Word* before, const Word* state, std::size_t word_count, Visit&& visit) {
    const bool skip = before && word_count > kFewWords;  // a child differs from its parent in few words
    for (std::size_t word = skip ? first_beyond(state, before, 0, word_count) : 0; word < word_count;
         word = skip ? first_beyond(state, before, word + 1, word_count) : word + 1) {
        for (Word rest = before ? state[word] & ~before[word] : state[word]; rest != 0; rest &= rest - 1)
            visit(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
}

}  // namespace

AtomTable::AtomTable(Meter& meter, std::size_t atom_count) : meter_(&meter) {
    const std::size_t words = std::max<std::size_t>(1, words_for(atom_count));
    usable_ = meter.charge(words * sizeof(Word));
    if (usable_) seen_.assign(words, 0);
}

AtomTable::~AtomTable() {
    meter_->release(bytes());
}

PairTable::PairTable(Meter& meter, std::size_t atom_count, bool force_sparse)
    : meter_(&meter),
      atom_count_(atom_count),
      word_count_(std::max<std::size_t>(1, words_for(atom_count))),
      rows_(meter, word_count_),
      pairs_(meter) {
    const std::uint64_t matrix = static_cast<std::uint64_t>(atom_count) * word_count_ * sizeof(Word);
    sparse_ = force_sparse || matrix > std::min(meter.free_bytes() / 2, quarter_of_memory());
    if (sparse_) return;
    usable_ = meter.charge(atom_count * sizeof(Word*) + word_count_ * sizeof(Word));
    if (!usable_) return;
    no_row_.assign(word_count_, 0);
    rows_of_.assign(atom_count, no_row_.data());
}

PairTable::~PairTable() {
    meter_->release(index_bytes());
}

bool PairTable::ensure_row(std::uint32_t atom) {
    if (rows_of_[atom] != no_row_.data()) return true;
    if (!rows_.reserve_one()) return false;
    rows_of_[atom] = rows_.push();
    std::memset(rows_of_[atom], 0, word_count_ * sizeof(Word));
    return true;
}

// The child of a plain operator in a state of `Words` words, which stay in registers: a word that is changed
// in memory and read again at once keeps the reader waiting.
template <std::size_t Words>
bool PairTable::novel_small_child(const Word* state, std::span<const std::uint32_t> add,
                                  std::span<const std::uint32_t> del, Word* child) const {
    const auto part = [](std::uint32_t atom, std::size_t word) {
        return static_cast<Word>(atom >> 6 == word) << (atom & 63);
    };
    std::array<Word, Words> words;
    for (std::size_t word = 0; word < Words; ++word) words[word] = state[word];
    for (const std::uint32_t atom : del)
        for (std::size_t word = 0; word < Words; ++word) words[word] &= ~part(atom, word);
    for (const std::uint32_t atom : add)
        for (std::size_t word = 0; word < Words; ++word) words[word] |= part(atom, word);
    for (std::size_t word = 0; word < Words; ++word) child[word] = words[word];
    for (const std::uint32_t atom : add) {
        const Word* row = rows_of_[atom];
        Word beyond = 0;
        for (std::size_t word = 0; word < Words; ++word) beyond |= words[word] & ~row[word];
        if (beyond != 0 && !test_bit(state, atom)) return true;
    }
    return false;
}

bool PairTable::novel_child(const Word* state, std::span<const std::uint32_t> add,
                            std::span<const std::uint32_t> del, Word* child) const {
    // Every change passes over all words there, so that it is for operators of few effects.
    if (word_count_ <= 3 && !sparse_ && add.size() + del.size() <= 3) {
        if (word_count_ == 1) return novel_small_child<1>(state, add, del, child);
        if (word_count_ == 2) return novel_small_child<2>(state, add, del, child);
        return novel_small_child<3>(state, add, del, child);
    }
    for (std::size_t word = 0; word < word_count_; ++word) child[word] = state[word];
    for (const std::uint32_t atom : del) clear_bit(child, atom);
    for (const std::uint32_t atom : add) set_bit(child, atom);
    for (const std::uint32_t atom : add)
        if (!test_bit(state, atom) && novel_with(atom, child)) return true;
    return false;
}

// Whether a state shows a new pair with one of its atoms.
bool PairTable::novel_with_sparse(std::uint32_t atom, const Word* state) const {
    for (std::size_t word = 0; word < word_count_; ++word) {
        for (Word rest = state[word]; rest != 0; rest &= rest - 1) {
            const auto other =
                static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
            if (!pairs_.contains(key(atom, other))) return true;
        }
    }
    return false;
}

bool PairTable::novel(const Word* before, const Word* state) {
    for (std::size_t word = 0; word < word_count_; ++word) {
        for (Word rest = before ? state[word] & ~before[word] : state[word]; rest != 0; rest &= rest - 1) {
            const auto atom =
                static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
            work_ += 2 + word_count_ / 4;  // a row, many words at a time
            if (novel_with(atom, state)) return true;
        }
    }
    return false;
}

bool PairTable::insert(const Word* before, const Word* state) {
    bool fits = true;
    for_each_added(before, state, word_count_, [&](std::uint32_t atom) {
        if (!fits) return;
        work_ += 2 + word_count_ / 4;
        if (sparse_) {
            const std::size_t known = pairs_.size();
            for_each_bit(state, word_count_,
                         [&](std::uint32_t other) { fits = fits && pairs_.insert(key(atom, other)); });
            work_ += 2 * (pairs_.size() - known);
            return;
        }
        fits = ensure_row(atom);
        if (!fits) return;
        Word* row = rows_of_[atom];
        for (std::size_t word = first_beyond(state, row, 0, word_count_); word < word_count_ && fits;
             word = first_beyond(state, row, word + 1, word_count_)) {
            // The matrix is symmetric, so a pair known in this row is known in the other one as well.
            Word fresh = state[word] & ~row[word];
            row[word] |= fresh;
            work_ += 2 * static_cast<std::uint64_t>(std::popcount(fresh));
            for (; fresh != 0 && fits; fresh &= fresh - 1) {
                const auto other =
                    static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(fresh)));
                fits = ensure_row(other);
                if (fits) set_bit(rows_of_[other], atom);
            }
        }
    });
    return fits;
}

template <class Key>
TupleTable<Key>::TupleTable(Meter& meter, std::size_t atom_count, std::uint32_t width)
    : word_count_(std::max<std::size_t>(1, words_for(atom_count))),
      width_(width),
      bits_(static_cast<unsigned>(std::bit_width(atom_count))),
      tuples_(meter),
      tuple_(width),
      sorted_(width) {}

template <class Key>
void TupleTable<Key>::split(const Word* before, const Word* state) {
    added_.clear();
    others_.clear();
    for_each_bit(state, word_count_, [&](std::uint32_t atom) {
        (before && test_bit(before, atom) ? others_ : added_).push_back(atom);
    });
}

template <class Key>
Key TupleTable<Key>::pack(std::size_t size) {
    std::copy_n(tuple_.begin(), size, sorted_.begin());
    std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(size));
    Key key{};
    for (std::size_t index = 0; index < size; ++index) {
        const std::uint64_t digit = sorted_[index] + 1ULL;
        if constexpr (std::is_same_v<Key, WideKey>) {
            key.high = key.high << bits_ | (bits_ == 0 ? 0 : key.low >> (64 - bits_));
            key.low = key.low << bits_ | digit;
        } else {
            key = key << bits_ | digit;
        }
    }
    return key;
}

// Fills tuple_[chosen..size) with atoms of pool_[from..end), ascending; `visit` returns false to end it all.
template <class Key>
template <class Visit>
bool TupleTable<Key>::choose(std::size_t chosen, std::size_t size, std::size_t from, std::size_t end,
                             Visit&& visit) {
    if (chosen == size) return visit(pack(size));
    for (std::size_t index = from; index + (size - chosen) <= end; ++index) {
        tuple_[chosen] = pool_[index];
        if (!choose(chosen + 1, size, index + 1, end, visit)) return false;
    }
    return true;
}

// Every tuple of that size with an added atom, once: grouped by the first added atom it has, in the order of
// added_.
template <class Key>
template <class Visit>
bool TupleTable<Key>::each_tuple(std::size_t size, Visit&& visit) {
    for (std::size_t first = 0; first < added_.size(); ++first) {
        pool_ = others_;
        pool_.insert(pool_.end(), added_.begin() + static_cast<std::ptrdiff_t>(first) + 1, added_.end());
        tuple_[0] = added_[first];
        if (!choose(1, size, 0, pool_.size(), visit)) return false;
    }
    return true;
}

template <class Key>
bool TupleTable<Key>::novel(const Word* before, const Word* state) {
    split(before, state);
    // A new smaller tuple makes every larger one around it new, so the largest size is enough to ask for.
    const std::size_t size = std::min<std::size_t>(width_, added_.size() + others_.size());
    if (size == 0) return false;
    return !each_tuple(size, [&](const Key& key) { return tuples_.contains(key); });
}

template <class Key>
bool TupleTable<Key>::insert(const Word* before, const Word* state) {
    split(before, state);
    const std::size_t most = std::min<std::size_t>(width_, added_.size() + others_.size());
    for (std::size_t size = 1; size <= most; ++size)
        if (!each_tuple(size, [&](const Key& key) { return tuples_.insert(key); })) return false;
    return true;
}

StateTable::StateTable(Meter& meter, std::size_t word_count, const Chunks<Word>* outside)
    : meter_(&meter), word_count_(word_count), outside_(outside), own_(meter, word_count) {}

StateTable::~StateTable() {
    meter_->release(slots_.size() * sizeof(std::uint32_t));
}

bool StateTable::novel(const Word*, const Word* state) {
    return !find(state);
}

std::optional<std::uint32_t> StateTable::find(const Word* state) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t slot = slot_of(hash_words(state, word_count_));;) {
        if (slots_[slot] == 0) return std::nullopt;
        if (std::memcmp(rows().row(slots_[slot] - 1), state, word_count_ * sizeof(Word)) == 0)
            return slots_[slot] - 1;
        if (++slot == slots_.size()) slot = 0;
    }
}

bool StateTable::insert(const Word*, const Word* state) {
    if (!novel(nullptr, state)) return true;
    if (!own_.reserve_one()) return false;
    const auto row = static_cast<std::uint32_t>(own_.size());
    std::memcpy(own_.push(), state, word_count_ * sizeof(Word));
    return insert_row(row);
}

bool StateTable::insert_row(std::uint32_t row) {
    if ((count_ + 1) * 8 > slots_.size() * 7 && !grow()) return false;
    place(row);
    return true;
}

void StateTable::place(std::uint32_t row) {
    std::size_t slot = slot_of(hash_words(rows().row(row), word_count_));
    while (slots_[slot] != 0)
        if (++slot == slots_.size()) slot = 0;
    slots_[slot] = row + 1;
    ++count_;
}

bool StateTable::grow() {
    // Half as much again, not twice as much: the table is part of the promise about memory per node.
    const std::size_t capacity = slots_.empty() ? 64 : slots_.size() + slots_.size() / 2;
    if (!meter_->charge(capacity * sizeof(std::uint32_t))) return false;
    std::vector<std::uint32_t> old(capacity, 0);
    old.swap(slots_);
    count_ = 0;
    for (const std::uint32_t entry : old)
        if (entry != 0) place(entry - 1);
    meter_->release(old.size() * sizeof(std::uint32_t));
    return true;
}

std::unique_ptr<NoveltyTable> make_table(Meter& meter, std::size_t atom_count, std::uint32_t width,
                                         const Chunks<Word>* outside) {
    if (width == 0) throw std::invalid_argument("a width is at least 1");
    if (width == kAllFeatures)
        return std::make_unique<StateTable>(meter, std::max<std::size_t>(1, words_for(atom_count)), outside);
    width =
        static_cast<std::uint32_t>(std::clamp<std::size_t>(width, 1, std::max<std::size_t>(1, atom_count)));
    if (width == 1) {
        auto table = std::make_unique<AtomTable>(meter, atom_count);
        if (!table->usable()) return nullptr;
        return table;
    }
    if (width == 2) {
        auto table = std::make_unique<PairTable>(meter, atom_count);
        if (!table->usable()) return nullptr;
        return table;
    }
    const std::uint64_t bits = static_cast<std::uint64_t>(std::bit_width(atom_count)) * width;
    if (bits <= 64) return std::make_unique<TupleTable<std::uint64_t>>(meter, atom_count, width);
    if (bits <= 128) return std::make_unique<TupleTable<WideKey>>(meter, atom_count, width);
    throw std::invalid_argument("tuples of that width over that many atoms do not fit 128 bits");
}

template class TupleTable<std::uint64_t>;
template class TupleTable<WideKey>;

}  // namespace widthwise
