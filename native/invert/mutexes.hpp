// Literals that exclude each other in every reachable state, in the numbers of the task. A literal is the
// number n of an atom that is true, or ~n for an atom that is false.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "invert/inverse.hpp"
#include "invert/pairs.hpp"
#include "invert/positive.hpp"

namespace widthwise {

using LiteralPair = std::pair<std::int64_t, std::int64_t>;

class Mutexes {
public:
    // Throws std::invalid_argument if there are conditional effects or axioms, and `Halted` when the meter
    // says so.
    Mutexes(const Operators& operators, const Word* first, std::span<const std::uint32_t> goal_pos,
            std::span<const std::uint32_t> goal_neg, const InverseOptions& options, Meter& meter);
    Mutexes(const Mutexes&) = delete;
    Mutexes& operator=(const Mutexes&) = delete;

    // Whether the pairs were found within the limits of the options.
    bool complete() const { return pairs_.has_value(); }
    // The first two of these literals that exclude each other; twice the same one if it never holds. Literals
    // that occur in no condition and no goal are skipped. Nothing if they are not `complete`. Throws
    // std::out_of_range for a literal of no atom.
    std::optional<LiteralPair> among(std::span<const std::int64_t> literals) const;

private:
    std::optional<std::uint32_t> number(std::int64_t literal) const;

    Positive task_;
    std::optional<Pairs> pairs_;
};

}  // namespace widthwise
