// Which two atoms can hold together in a state that can be reached, as far as h^2 can tell (Haslum and
// Geffner, 2000): pairs that an operator makes true, from pairs that could hold before it, until nothing new
// comes. What is left out excludes each other; what is in need not be reachable.
#pragma once

#include <cstdint>
#include <vector>

#include "core/meter.hpp"
#include "invert/positive.hpp"
#include "state/bits.hpp"

namespace widthwise {

class Pairs {
public:
    // The memory it takes.
    static std::uint64_t bytes(const Positive& task);
    // Throws `Halted` when the meter says so.
    Pairs(const Positive& task, Meter& meter);

    // Looks for pairs, touching at most so many words. False: that was not enough to find them all.
    bool find(std::uint64_t most_words);

    // The atoms that can hold together with one; itself, if it can hold at all.
    const Word* with(std::size_t atom) const { return rows_.data() + atom * word_count_; }
    bool together(std::size_t one, std::size_t other) const { return test_bit(with(one), other); }
    std::size_t word_count() const { return word_count_; }
    // What can hold before the operator does, together with its preconditions; null if these exclude each
    // other. Valid until the next call.
    const Word* before(std::size_t op);

private:
    void visit(std::size_t op);
    void join(std::uint32_t atom, const Word* others);

    const Positive* task_;
    Meter* meter_;
    std::size_t word_count_;
    Charge charge_;
    std::vector<Word> rows_, alone_, before_;  // alone: the atoms that can hold at all
    // When what holds together with an atom last grew, and when an operator was last looked at, in visits.
    std::vector<std::uint64_t> grown_, visited_;
    std::uint64_t visits_ = 0, words_ = 0;
    bool found_ = false;  // something, in the round under way
};

}  // namespace widthwise
