// What is known along a plan: the state before every step, and what has to hold there so that the steps from
// there on reach the goal.
//
// Windows slide over long plans and change a few of their steps at a time. So states are kept from the
// beginning up to the first step that has changed, what is wanted from the end down to the last one, and both
// are computed only where they are needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/meter.hpp"
#include "state/chunks.hpp"
#include "state/operators.hpp"

namespace widthwise {

using Steps = std::vector<std::uint32_t>;  // operators, in the order in which they are executed

// Literals that have to hold.
struct Wanted {
    std::vector<Word> pos, neg;  // sets of atoms

    bool holds(const Word* state) const {
        for (std::size_t word = 0; word < pos.size(); ++word)
            if ((pos[word] & ~state[word]) != 0 || (neg[word] & state[word]) != 0) return false;
        return true;
    }
};

class Trace {
public:
    // `first` is the state before the first step. The expander, which others may use in between, outlives
    // the trace.
    Trace(Expander& expander, Meter& meter, std::vector<Word> first, Wanted goal);

    // Speaks of this plan from now on, and forgets what is not true of it.
    void follow(const Steps& plan);
    // The state before a step, or after the last; none if memory forbids it.
    const Word* state(std::size_t step);
    // What has to hold before the steps from `step` on so that they reach the goal; none if memory forbids
    // it.
    std::optional<Wanted> wanted(std::size_t step);

    // How many steps were taken, forwards or backwards, since the beginning.
    std::uint64_t steps_taken() const { return steps_taken_; }

private:
    // Rows of words of which the last ones can be forgotten.
    class Stack {
    public:
        Stack(Meter& meter, std::size_t width) : rows_(meter, width) {}

        std::size_t size() const { return size_; }
        const Word* row(std::size_t index) const { return rows_.row(index); }
        // A row to be filled in; none if memory forbids it.
        Word* push() {
            if (size_ == rows_.size()) {
                if (!rows_.reserve_one()) return nullptr;
                rows_.push();
            }
            return rows_.row(size_++);
        }
        void cut(std::size_t size) { size_ = std::min(size_, size); }

    private:
        Chunks<Word> rows_;
        std::size_t size_ = 0;
    };

    bool push(const Wanted& wanted);
    // Turns what is wanted after a step into what is wanted before it.
    void regress(std::size_t step, Wanted& wanted);

    Expander* expander_;
    const Task* task_;
    std::vector<Word> first_;
    Wanted goal_;
    bool conditional_;  // some effects have conditions: what is wanted depends on the states, too
    Steps plan_;
    Stack states_;  // before the first step, before the second, ...
    Stack
        wanteds_;  // behind the last step, before it, before the one before, ...: what true, then what false
    std::uint64_t steps_taken_ = 0;
};

}  // namespace widthwise
