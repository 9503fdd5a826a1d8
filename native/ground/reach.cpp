#include "ground/reach.hpp"

#include <algorithm>
#include <array>

namespace widthwise::ground {

namespace {

SimpleHead simple_head(const Rule& rule, const Literal& literal) {
    SimpleHead head{&literal};
    for (std::uint32_t k = 0; k < rule.fluent_places.size(); ++k) {
        const Pattern& pattern = rule.body[rule.fluent_places[k]];
        if (pattern.predicate == literal.predicate && pattern.args == literal.args) head.same_as = k;
    }
    return head;
}

bool needs_fluents(const Lifted& lifted, const std::vector<Literal>& condition) {
    return std::any_of(condition.begin(), condition.end(), [&](const Literal& literal) {
        return !literal.negated && !lifted.is_static(literal.predicate);
    });
}

}  // namespace

Reachability::Reachability(World& world, const Lifted& lifted) : world_(&world), lifted_(&lifted) {
    load_facts();
    for (const Action& action : lifted.actions) add_action(action);
    for (const Axiom& axiom : lifted.axioms) add_axiom(axiom);
    make_joins();
}

void Reachability::load_facts() {
    std::uint32_t ticks = 0;
    initial_.assign(lifted_->predicates.size(), 0);
    std::vector<Object> args;
    for (std::size_t predicate = 0; predicate < lifted_->predicates.size(); ++predicate) {
        const auto [arity, kind] = lifted_->predicates[predicate];
        if (predicate == equality || kind == Kind::derived) continue;
        FactTable& facts = world_->facts[predicate];
        args.resize(arity + 1);
        const std::int32_t* next = lifted_->init[predicate].data();
        for (std::uint32_t fact = 0; fact < lifted_->init_count[predicate]; ++fact, next += arity) {
            std::copy(next, next + arity, args.begin());
            facts.insert(args.data());
            if ((++ticks & 0xff) == 0) poll(*world_->meter);
        }
        initial_[predicate] = facts.size();
        if (kind == Kind::fixed) facts.settle_all();
    }
}

void Reachability::add_action(const Action& action) {
    const auto number = static_cast<std::uint32_t>(schemas_.size());
    Schema& schema = schemas_.emplace_back();
    direct_of_.emplace_back();
    const std::array<const std::vector<Literal>*, 1> own = {&action.precondition};
    schema.rule = make_rule(*world_, action.parameters, own);
    for (const Effect& effect : action.effects) {
        const Literal& literal = effect.literal;
        if (effect.parameters.empty() && effect.condition.empty()) {
            (literal.negated ? schema.deletes : schema.adds).push_back(simple_head(schema.rule, literal));
            continue;
        }
        std::vector<std::uint32_t> parameters = action.parameters;
        parameters.insert(parameters.end(), effect.parameters.begin(), effect.parameters.end());
        schema.general.push_back({&effect, parameters});
        if (literal.negated) continue;
        if (needs_fluents(*lifted_, effect.condition)) {
            const std::array<const std::vector<Literal>*, 2> both = {&action.precondition, &effect.condition};
            effects_.push_back({make_rule(*world_, parameters, both), &literal});
        } else {
            const std::array<const std::vector<Literal>*, 1> extra = {&effect.condition};
            direct_of_[number].push_back(static_cast<std::uint32_t>(direct_.size()));
            direct_.push_back({make_rule(*world_, parameters, extra), &literal});
        }
    }
    instances_.emplace_back(action.parameters.size(), schema.rule.fluent_places.size(), schema.adds.size(),
                            *world_->meter);
}

void Reachability::add_axiom(const Axiom& axiom) {
    Schema& schema = schemas_.emplace_back();
    direct_of_.emplace_back();
    const std::array<const std::vector<Literal>*, 1> own = {&axiom.condition};
    schema.rule = make_rule(*world_, axiom.parameters, own);
    schema.adds.push_back(simple_head(schema.rule, axiom.head));
    instances_.emplace_back(axiom.parameters.size(), schema.rule.fluent_places.size(), 1, *world_->meter);
}

void Reachability::make_joins() {
    triggers_.resize(lifted_->predicates.size());
    for (const Schema& schema : schemas_) {
        add_triggers(schema.rule, static_cast<std::uint32_t>(schema_joins_.size()), none);
        schema_joins_.emplace_back(*world_, schema.rule);
    }
    for (const EffectRule& effect : effects_) {
        add_triggers(effect.rule, none, static_cast<std::uint32_t>(effect_joins_.size()));
        effect_joins_.emplace_back(*world_, effect.rule);
    }
    for (const EffectRule& effect : direct_) direct_joins_.emplace_back(*world_, effect.rule);
}

void Reachability::add_triggers(const Rule& rule, std::uint32_t schema, std::uint32_t effect) {
    if (rule.impossible) return;
    for (const std::uint32_t place : rule.fluent_places)
        triggers_[rule.body[place].predicate].push_back({place, schema, effect});
}

void Reachability::run() {
    for (std::uint32_t schema = 0; schema < schemas_.size(); ++schema)
        if (const Rule& rule = schemas_[schema].rule; !rule.impossible && rule.fluent_places.empty())
            schema_joins_[schema].from_values({}, [&] { found_instance(schema); });
    std::uint32_t ticks = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t predicate = 0; predicate < triggers_.size(); ++predicate)
            for (FactTable& facts = world_->facts[predicate]; !facts.all_settled(); changed = true) {
                if ((++ticks & 0xff) == 0) poll(*world_->meter);
                const std::uint32_t fact = facts.settle();
                for (const Trigger& trigger : triggers_[predicate]) fire(trigger, fact);
            }
    }
}

void Reachability::fire(const Trigger& trigger, std::uint32_t fact) {
    if (trigger.schema != none) {
        schema_joins_[trigger.schema].from_fact(trigger.place, fact, [&] { found_instance(trigger.schema); });
        return;
    }
    Join& join = effect_joins_[trigger.effect];
    const Literal& head = *effects_[trigger.effect].head;
    join.from_fact(trigger.place, fact,
                   [&] { world_->facts[head.predicate].insert(join.instance(head.args)); });
}

void Reachability::found_instance(std::uint32_t number) {
    const Schema& schema = schemas_[number];
    Join& join = schema_joins_[number];
    Instances& instances = instances_[number];
    Metered<std::uint32_t>& words = instances.words;
    const std::size_t begin = words.size();
    words.insert(words.end(), join.values().begin(), join.values().end());
    for (const std::uint32_t place : schema.rule.fluent_places) words.push_back(join.matched(place));
    for (const SimpleHead& head : schema.adds)
        words.push_back(head.same_as != none ? words[begin + instances.variables + head.same_as]
                                             : world_->facts[head.literal->predicate].insert(
                                                   join.instance(head.literal->args)));
    ++instances.count;
    for (const std::uint32_t effect : direct_of_[number]) {
        if (direct_[effect].rule.impossible) continue;
        Join& inner = direct_joins_[effect];
        const Literal& head = *direct_[effect].head;
        inner.from_values(join.values(),
                          [&] { world_->facts[head.predicate].insert(inner.instance(head.args)); });
    }
}

}  // namespace widthwise::ground
