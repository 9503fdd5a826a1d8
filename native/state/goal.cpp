#include "state/goal.hpp"

#include <algorithm>

namespace widthwise {

Goal::Goal(const Operators& operators, const std::vector<std::uint32_t>& positive,
           const std::vector<std::uint32_t>& negative, const std::vector<std::uint32_t>& one_of)
    : word_count_(operators.word_count()),
      positive_(word_count_, 0),
      negative_(word_count_, 0),
      one_of_(one_of),
      hopeless_(operators.count(), 0) {
    for (const std::uint32_t atom : positive) set_bit(positive_.data(), atom);
    for (const std::uint32_t atom : negative) set_bit(negative_.data(), atom);
    for (const auto* goals : {&positive, &negative}) {
        for (const std::uint32_t atom : *goals)
            for (const std::uint32_t rank : operators.touching(atom)) hopeless_[rank] = 1;
    }
    for (const std::uint32_t literal : one_of) {
        for (const std::uint32_t rank : operators.touching(literal >> 1)) hopeless_[rank] = 1;
        most_ = 1;
    }
    // An operator that adds and deletes the same atom counts twice: too much does no harm.
    const auto count = [&](std::uint32_t atom, std::uint32_t rank, std::span<const std::uint32_t> effects) {
        const bool made = std::find(effects.begin(), effects.end(), atom) != effects.end();
        if (made && hopeless_[rank] < kAlways) ++hopeless_[rank];
        if (hopeless_[rank] < kAlways) most_ = std::max(most_, hopeless_[rank]);
    };
    for (const std::uint32_t atom : positive)
        for (const std::uint32_t rank : operators.touching(atom)) count(atom, rank, operators.add(rank));
    for (const std::uint32_t atom : negative)
        for (const std::uint32_t rank : operators.touching(atom)) count(atom, rank, operators.del(rank));
    for (std::size_t rank = 0; rank < operators.count() && !operators.all_plain(); ++rank)
        if (!operators.plain(rank)) hopeless_[rank] = kAlways;
}

bool Goal::holds(const Word* state) const {
    Word open = 0;
    for (std::size_t word = 0; word < word_count_; ++word)
        open |= (positive_[word] & ~state[word]) | (negative_[word] & state[word]);
    return open == 0 && (one_of_.empty() || std::any_of(one_of_.begin(), one_of_.end(), [&](auto literal) {
                             return test_bit(state, literal >> 1) != ((literal & 1U) != 0);
                         }));
}

std::uint8_t Goal::open(const Word* state) const {
    std::uint8_t found = 0;
    for (std::size_t word = 0; word < word_count_ && found < most_; ++word) {
        // An atom that must both hold and not hold is open once, and in every state.
        Word bits = (positive_[word] & ~state[word]) | (negative_[word] & state[word]);
        for (; bits != 0 && found < most_; bits &= bits - 1) ++found;
    }
    return found;
}

}  // namespace widthwise
