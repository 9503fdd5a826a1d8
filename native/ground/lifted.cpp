#include "ground/lifted.hpp"

#include <stdexcept>
#include <utility>

namespace widthwise::ground {

namespace {

class Unpacker {
public:
    Unpacker(std::span<const std::int32_t> words, std::span<const double> numbers)
        : words_(words), numbers_(numbers) {}

    Lifted task() {
        task_.object_count = count();
        for (std::uint32_t todo = count(); todo > 0; --todo) {
            const std::uint32_t arity = count();
            task_.predicates.push_back({arity, static_cast<Kind>(below(3))});
        }
        if (task_.predicates.empty()) throw std::invalid_argument("the equality predicate is missing");
        for (std::uint32_t todo = count(); todo > 0; --todo) {
            auto& domain = task_.domains.emplace_back();
            for (std::uint32_t left = count(); left > 0; --left) domain.push_back(below(task_.object_count));
        }
        for (const Predicate& predicate : task_.predicates) {
            task_.init_count.push_back(count());
            task_.init.push_back(objects(std::uint64_t{task_.init_count.back()} * predicate.arity));
        }
        for (std::uint32_t todo = count(); todo > 0; --todo) {
            const std::uint32_t arity = count();
            const std::uint32_t entries = count();
            task_.tables.push_back({arity, objects(std::uint64_t{entries} * arity), take_numbers(entries)});
        }
        for (std::uint32_t todo = count(); todo > 0; --todo) task_.actions.push_back(action());
        for (std::uint32_t todo = count(); todo > 0; --todo) task_.axioms.push_back(axiom());
        task_.goal = literals(0);
        if (next_ != words_.size() || next_number_ != numbers_.size())
            throw std::invalid_argument("a packed task has the wrong length");
        return std::move(task_);
    }

private:
    std::int32_t word() {
        if (next_ >= words_.size()) throw std::invalid_argument("a packed task is too short");
        return words_[next_++];
    }
    std::uint32_t count() {
        const std::int32_t value = word();
        if (value < 0) throw std::invalid_argument("a packed task has a negative count");
        return static_cast<std::uint32_t>(value);
    }
    std::uint32_t below(std::size_t limit) {
        const std::uint32_t value = count();
        if (value >= limit) throw std::invalid_argument("a packed task has a number out of range");
        return value;
    }
    std::span<const std::int32_t> objects(std::uint64_t length) {
        if (length > words_.size() - next_) throw std::invalid_argument("a packed task is too short");
        const auto part = words_.subspan(next_, static_cast<std::size_t>(length));
        for (const std::int32_t object : part)
            if (object < 0 || static_cast<std::uint32_t>(object) >= task_.object_count)
                throw std::invalid_argument("a packed task has an object out of range");
        next_ += part.size();
        return part;
    }
    std::span<const double> take_numbers(std::size_t length) {
        if (length > numbers_.size() - next_number_)
            throw std::invalid_argument("a packed task is too short");
        next_number_ += length;
        return numbers_.subspan(next_number_ - length, length);
    }

    std::vector<Term> terms(std::uint32_t length, std::size_t variables) {
        std::vector<Term> result;
        for (; length > 0; --length) {
            const Term term = word();
            const auto number = static_cast<std::uint32_t>(term >= 0 ? term : ~term);
            if (number >= (term >= 0 ? variables : task_.object_count))
                throw std::invalid_argument("a packed task has a term out of range");
            result.push_back(term);
        }
        return result;
    }
    Literal literal(std::size_t variables) {
        const std::uint32_t predicate = below(task_.predicates.size());
        const bool negated = below(2) == 1;
        return {predicate, negated, terms(task_.predicates[predicate].arity, variables)};
    }
    std::vector<Literal> literals(std::size_t variables) {
        std::vector<Literal> result;
        for (std::uint32_t todo = count(); todo > 0; --todo) result.push_back(literal(variables));
        return result;
    }
    std::vector<std::uint32_t> parameters() {
        std::vector<std::uint32_t> result;
        for (std::uint32_t todo = count(); todo > 0; --todo) result.push_back(below(task_.domains.size()));
        return result;
    }

    Literal changing_literal(std::size_t variables) {
        Literal result = literal(variables);
        if (task_.is_static(result.predicate))
            throw std::invalid_argument("a packed task changes a static predicate");
        return result;
    }
    Action action() {
        Action result;
        result.parameters = parameters();
        const std::size_t variables = result.parameters.size();
        result.shown = below(variables + 1);
        result.precondition = literals(variables);
        for (std::uint32_t todo = count(); todo > 0; --todo) {
            Effect effect;
            effect.parameters = parameters();
            effect.condition = literals(variables + effect.parameters.size());
            effect.literal = changing_literal(variables + effect.parameters.size());
            result.effects.push_back(std::move(effect));
        }
        result.constant_cost = take_numbers(1)[0];
        for (std::uint32_t todo = count(); todo > 0; --todo) {
            const std::uint32_t table = below(task_.tables.size());
            const std::uint32_t arity = count();
            // An empty table does not know its arity; it has no value for any arguments.
            if (!task_.tables[table].values.empty() && arity != task_.tables[table].arity)
                throw std::invalid_argument("a packed task has a cost of the wrong arity");
            result.cost_terms.push_back({table, terms(arity, variables)});
        }
        return result;
    }
    Axiom axiom() {
        Axiom result;
        result.parameters = parameters();
        result.head = changing_literal(result.parameters.size());
        result.condition = literals(result.parameters.size());
        return result;
    }

    std::span<const std::int32_t> words_;
    std::span<const double> numbers_;
    std::size_t next_ = 0;
    std::size_t next_number_ = 0;
    Lifted task_{};
};

}  // namespace

Lifted unpack(std::span<const std::int32_t> words, std::span<const double> numbers) {
    return Unpacker(words, numbers).task();
}

}  // namespace widthwise::ground
