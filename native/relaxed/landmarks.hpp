// Landmarks: what every plan makes true on its way, and how much of that is still to come.
//
// Without deletes, a fact needs what all ways to make it need (Zhu and Givan): the landmarks of a fact are
// itself and, of the rules that make it, what the landmarks of their conditions have in common. Those of the
// goal are counted as LAMA counts them: a landmark is to come until some state on the way has shown it, and
// once more when it does not hold and is wanted again, by the goal or as a condition of everything that can
// be the first to make a landmark that is to come.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/meter.hpp"
#include "core/rows.hpp"
#include "relaxed/rules.hpp"
#include "state/bits.hpp"

namespace widthwise {

class Landmarks {
public:
    // Null if the goal cannot be reached, if memory forbids it, or if the task is too large to find them
    // soon. `waiting`: per fact the rules that have it among their conditions.
    static std::unique_ptr<Landmarks> find(const Rules& rules, const Rows& waiting,
                                           std::span<const std::uint32_t> goal, const Word* state,
                                           std::uint32_t atom_count, Meter& meter);
    Landmarks(const Landmarks&) = delete;
    Landmarks& operator=(const Landmarks&) = delete;
    ~Landmarks() { meter_->release(charged_); }

    std::size_t size() const { return atoms_.size(); }
    // An atom, and whether it is to hold or not to hold.
    std::pair<std::uint32_t, bool> operator[](std::size_t index) const {
        return {atoms_[index], holds_[index] != 0};
    }
    std::size_t words() const { return words_for(size()); }
    // How much finding and following them has looked at: the same on every machine.
    std::uint64_t work() const { return work_; }
    // Writes down what has been shown on the way to a state, by it or before it, and returns how much is
    // still to come. `before` is what was shown on the way to its parent; null for the first state.
    std::uint32_t follow(const Word* state, const Word* before, Word* shown);

private:
    class Finder;
    explicit Landmarks(Meter& meter) : meter_(&meter) {}

    Meter* meter_;
    std::size_t charged_ = 0;
    std::vector<std::uint32_t> atoms_;
    std::vector<std::uint8_t> holds_;
    std::vector<Word> goal_;  // the landmarks that are goals
    // Per landmark: those that all its first makers have among their conditions.
    Rows necessary_;
    std::vector<Word> now_, wanted_;  // scratch
    std::uint64_t work_ = 0;
};

}  // namespace widthwise
