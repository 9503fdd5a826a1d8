// The goal of a search, and which operators may reach it in one step.
//
// An operator makes only so many goals true. Where more than that are open, its child is not a goal state and
// need not be built to see that: one count per expanded state replaces a test per child.
#pragma once

#include <cstdint>
#include <vector>

#include "state/bits.hpp"
#include "state/operators.hpp"

namespace widthwise {

class Goal {
public:
    // More open goals than `open` ever counts: such an operator may always reach the goal.
    static constexpr std::uint8_t kAlways = 255;

    Goal(const Operators& operators, const std::vector<std::uint32_t>& positive,
         const std::vector<std::uint32_t>& negative, const std::vector<std::uint32_t>& one_of);

    bool holds(const Word* state) const;
    // How many goals are open in a state, up to what makes a difference.
    std::uint8_t open(const Word* state) const;
    // With so many goals open, the operator of that rank cannot reach the goal.
    std::uint8_t hopeless(std::size_t rank) const { return hopeless_[rank]; }

private:
    std::size_t word_count_;
    std::vector<Word> positive_, negative_;  // sets of atoms
    std::vector<std::uint32_t> one_of_;      // literals of which one has to hold besides; empty: none
    std::vector<std::uint8_t> hopeless_;     // per rank; 0: touches no goal
    std::uint8_t most_ = 0;
};

}  // namespace widthwise
