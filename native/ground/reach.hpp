// Which facts and which instances of schemas can be reached when deletes and negative fluent literals are
// ignored.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "ground/join.hpp"
#include "ground/rule.hpp"

namespace widthwise::ground {

// The reached instances of one schema, one record after another: the values of all variables, then the facts
// that match the body's fluent patterns, then the facts that the simple heads stand for.
struct Instances {
    Instances(std::size_t variable_count, std::size_t fact_count, std::size_t head_count, Meter& meter)
        : variables(variable_count),
          stride(variable_count + fact_count + head_count),
          heads(variable_count + fact_count),
          words(MeteredAllocator<std::uint32_t>(meter)) {}

    const std::uint32_t* record(std::size_t instance) const { return words.data() + instance * stride; }

    std::size_t variables;
    std::size_t stride;
    std::size_t heads;  // where the heads' facts begin in a record
    std::size_t count = 0;
    Metered<std::uint32_t> words;
};

// An effect or an axiom's head that needs nothing but the schema's own body.
struct SimpleHead {
    const Literal* literal;
    std::uint32_t same_as = none;  // the fluent pattern of the body that is the same literal, if any
};

// An effect with variables or conditions of its own.
struct GeneralEffect {
    const Effect* effect;
    std::vector<std::uint32_t> parameters;  // the action's, then the effect's
};

struct Schema {
    Rule rule;
    std::vector<SimpleHead> adds, deletes;
    std::vector<GeneralEffect> general;
};

class Reachability {
public:
    Reachability(World& world, const Lifted& lifted);

    void run();

    // Actions first, then axioms, in the task's order.
    const std::deque<Schema>& schemas() const { return schemas_; }
    Instances& instances(std::size_t schema) { return instances_[schema]; }
    // Facts of a changing predicate with numbers below this hold in the initial state.
    std::uint32_t initial(std::uint32_t predicate) const { return initial_[predicate]; }

private:
    // A rule of its own for an added literal that needs more than its action does.
    struct EffectRule {
        Rule rule;
        const Literal* head;
    };
    struct Trigger {
        std::uint32_t place;
        std::uint32_t schema;  // or `none`:
        std::uint32_t effect;
    };

    void load_facts();
    void add_action(const Action& action);
    void add_axiom(const Axiom& axiom);
    void make_joins();
    void add_triggers(const Rule& rule, std::uint32_t schema, std::uint32_t effect);
    void fire(const Trigger& trigger, std::uint32_t fact);
    void found_instance(std::uint32_t schema);

    World* world_;
    const Lifted* lifted_;
    std::deque<Schema> schemas_;
    std::deque<EffectRule> effects_;  // need fluent facts of their own: joined together with their action
    std::deque<EffectRule> direct_;   // need none: enumerated when an instance of their action is found
    std::vector<std::vector<std::uint32_t>> direct_of_;  // per schema
    std::vector<Join> schema_joins_, effect_joins_, direct_joins_;
    std::vector<std::vector<Trigger>> triggers_;  // per predicate
    std::deque<Instances> instances_;
    std::vector<std::uint32_t> initial_;
};

}  // namespace widthwise::ground
