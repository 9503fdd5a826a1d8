// A conjunction over variables, prepared for joining.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ground/facts.hpp"
#include "ground/lifted.hpp"

namespace widthwise::ground {

// A set of objects, as a list and as bits.
struct Domain {
    std::vector<Object> objects;
    std::vector<std::uint64_t> bits;

    bool contains(Object object) const { return (bits[object / 64] >> (object % 64) & 1) != 0; }
};

// The lifted task with its facts: what rules are prepared from and joined against.
struct World {
    World(const Lifted& task, Meter& task_meter);

    const Lifted* lifted;
    Meter* meter;
    std::deque<FactTable> facts;  // per predicate
    std::vector<std::shared_ptr<const Domain>> domains;
};

struct Pattern {
    std::uint32_t predicate;
    std::vector<Term> args;
};

struct Rule {
    std::vector<std::shared_ptr<const Domain>> domains;  // per variable
    // Positive literals that facts have to match; a positive equality is a pattern of the equality predicate.
    std::vector<Pattern> body;
    // Negative literals that can be evaluated at once (inequalities, static predicates), and per variable
    // which of them mention it.
    std::vector<Pattern> checks;
    std::vector<std::vector<std::uint32_t>> checks_of;
    // Negative literals over fluents: no bar to relaxed reachability, but part of the grounded condition.
    std::vector<Pattern> negative;
    std::vector<std::uint32_t> by_domain_size;  // variables, smallest domain first
    bool impossible = false;                    // some static part can never hold
    // The places in `body` whose predicates change: the ones that grounded conditions keep.
    std::vector<std::uint32_t> fluent_places;
};

// Prepares the conjunction of all `parts` over variables that range over `parameters`. Static facts must be
// there. Static unary literals become part of the variables' domains. Fluent literals keep their order in the
// body.
Rule make_rule(const World& world, std::span<const std::uint32_t> parameters,
               std::span<const std::vector<Literal>* const> parts);

}  // namespace widthwise::ground
