// Which operators of a small task apply in a state, by masks over all of them at once.
//
// Preconditions stand in columns: the first ones of all operators, the second ones, and so on. For every atom
// the masks say in which column of which operators it stands. A state unites the masks of its atoms; an
// operator applies when its bit is set in every column. That takes no decision on the way, so nothing waits
// for a test as it does in the trie, but every operator that needs an atom costs something whenever the atom
// holds: it pays while all columns are a few words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/task.hpp"
#include "state/bits.hpp"

namespace widthwise {

class PreconditionMasks {
public:
    // Whether the columns of the task are few words and every precondition is positive.
    static bool suit(const Task& task);

    // `order` names the operators that count, by rank; one that is `kNever` applies nowhere.
    static constexpr std::uint32_t kNever = 0xffffffffU;
    PreconditionMasks(const Task& task, std::span<const std::uint32_t> order);

    // The set of applicable ranks, and which of its words are not zero.
    void collect(const Word* state, Word* ranks, Word* summary) const {
        std::array<Word, kMostWords> columns;
        for (std::size_t place = 0; place < start_.size(); ++place) columns[place] = start_[place];
        for (std::size_t word = 0; word < needed_.size(); ++word) {
            for (Word bits = state[word] & needed_[word]; bits != 0; bits &= bits - 1) {
                const std::size_t atom = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                const std::uint32_t end = begin_[atom + 1];
                for (std::uint32_t at = begin_[atom]; at < end; ++at)
                    columns[masks_[at].place] |= masks_[at].ranks;
            }
        }
        Word filled = 0;
        for (std::size_t word = 0; word < width_; ++word) {
            Word all = columns[word];
            for (std::size_t place = word + width_; place < start_.size(); place += width_)
                all &= columns[place];
            ranks[word] = all;
            filled |= static_cast<Word>(all != 0) << word;
        }
        *summary = filled;
    }

    std::size_t bytes() const {
        return (start_.size() + needed_.size()) * sizeof(Word) + begin_.size() * sizeof(std::uint32_t) +
               masks_.size() * sizeof(Mask);
    }

private:
    static constexpr std::size_t kMostWords = 32;
    struct Mask {
        std::size_t place;  // a word of the columns
        Word ranks;
    };

    std::size_t width_;                 // words of a column
    std::vector<Word> start_;           // the columns of a state without atoms: what needs nothing there
    std::vector<Word> needed_;          // atoms that some operator needs
    std::vector<std::uint32_t> begin_;  // per atom: where its masks begin; they end where the next ones begin
    std::vector<Mask> masks_;
};

}  // namespace widthwise
