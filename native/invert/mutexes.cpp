#include "invert/mutexes.hpp"

#include <stdexcept>

namespace widthwise {

namespace {

const Task& plain(const Operators& operators) {
    if (!operators.all_plain())
        throw std::invalid_argument("mutexes are found in tasks without conditional effects and axioms");
    return operators.task();
}

}  // namespace

Mutexes::Mutexes(const Operators& operators, const Word* first, std::span<const std::uint32_t> goal_pos,
                 std::span<const std::uint32_t> goal_neg, const InverseOptions& options, Meter& meter)
    : task_(plain(operators), first, goal_pos, goal_neg, meter) {
    if (Pairs::bytes(task_) > options.most_bytes) return;
    pairs_.emplace(task_, meter);
    if (!pairs_->find(options.most_words)) pairs_.reset();
}

std::optional<std::uint32_t> Mutexes::number(std::int64_t literal) const {
    const std::uint32_t negation =
        task_.negation.at(static_cast<std::size_t>(literal < 0 ? ~literal : literal));
    if (literal >= 0) return static_cast<std::uint32_t>(literal);
    return negation == Positive::kNoNegation ? std::nullopt : std::optional(negation);
}

std::optional<LiteralPair> Mutexes::among(std::span<const std::int64_t> literals) const {
    if (!pairs_) return std::nullopt;
    for (std::size_t place = 0; place < literals.size(); ++place) {
        const auto atom = number(literals[place]);
        if (!atom) continue;
        for (std::size_t before = 0; before <= place; ++before) {
            const auto other = number(literals[before]);
            if (other && !pairs_->together(*atom, *other))
                return LiteralPair(literals[before], literals[place]);
        }
    }
    return std::nullopt;
}

}  // namespace widthwise
