// A task in normal form, as the grounder reads it: schemas over variables, facts over objects, numbers only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace widthwise::ground {

// A term t >= 0 is variable number t; t < 0 is object number ~t.
using Term = std::int32_t;
using Object = std::uint32_t;

constexpr std::uint32_t equality = 0;  // the number of the predicate "="
constexpr std::uint32_t none = 0xffffffff;

enum class Kind : std::uint8_t { fixed = 0, fluent = 1, derived = 2 };

struct Predicate {
    std::uint32_t arity;
    Kind kind;
};

struct Literal {
    std::uint32_t predicate;
    bool negated;
    std::vector<Term> args;
};

struct Effect {
    std::vector<std::uint32_t> parameters;  // domains of further variables, numbered on from the action's own
    std::vector<Literal> condition;
    Literal literal;
};

struct CostTerm {
    std::uint32_t table;
    std::vector<Term> args;
};

struct Action {
    std::vector<std::uint32_t> parameters;
    std::uint32_t shown;  // how many of the parameters are part of the operator's name
    std::vector<Literal> precondition;
    std::vector<Effect> effects;
    double constant_cost;
    std::vector<CostTerm> cost_terms;
};

struct Axiom {
    Literal head;
    std::vector<std::uint32_t> parameters;
    std::vector<Literal> condition;
};

struct Table {
    std::uint32_t arity;
    std::span<const std::int32_t> keys;  // the arguments of one entry after another
    std::span<const double> values;
};

struct Lifted {
    std::uint32_t object_count;
    std::vector<Predicate> predicates;
    std::vector<std::vector<Object>> domains;
    std::vector<std::span<const std::int32_t>>
        init;  // per predicate, the arguments of one fact after another
    std::vector<std::uint32_t> init_count;
    std::vector<Action> actions;
    std::vector<Axiom> axioms;
    std::vector<Literal> goal;
    std::vector<Table> tables;

    bool is_static(std::uint32_t predicate) const { return predicates[predicate].kind == Kind::fixed; }
};

// Reads the packed form that classical/ground.py writes (the two are described there and kept in step). The
// result points into `words` and `numbers`. Throws std::invalid_argument when a number is out of range.
Lifted unpack(std::span<const std::int32_t> words, std::span<const double> numbers);

}  // namespace widthwise::ground
