#include "ground/rule.hpp"

#include <algorithm>
#include <numeric>

namespace widthwise::ground {

namespace {

std::shared_ptr<Domain> make_domain(std::vector<Object> objects, std::uint32_t object_count) {
    auto domain = std::make_shared<Domain>();
    domain->bits.assign(object_count / 64 + 1, 0);
    for (const Object object : objects) domain->bits[object / 64] |= std::uint64_t{1} << (object % 64);
    domain->objects = std::move(objects);
    return domain;
}

bool is_ground(const std::vector<Term>& args) {
    return std::all_of(args.begin(), args.end(), [](Term term) { return term < 0; });
}

bool holds(const World& world, std::uint32_t predicate, const std::vector<Term>& args) {
    std::vector<Object> objects;
    for (const Term term : args) objects.push_back(static_cast<Object>(~term));
    if (predicate == equality) return objects[0] == objects[1];
    return world.facts[predicate].find(objects.data()) != none;
}

// The objects of a domain that a static unary predicate is true of.
std::shared_ptr<const Domain> narrowed(const World& world, const Domain& domain, std::uint32_t predicate) {
    std::vector<Object> objects;
    for (const Object object : domain.objects)
        if (world.facts[predicate].find(&object) != none) objects.push_back(object);
    return make_domain(std::move(objects), world.lifted->object_count);
}

void add_positive(const World& world, Rule& rule, const Literal& literal) {
    const bool fixed = world.lifted->is_static(literal.predicate);
    if (fixed && is_ground(literal.args)) {
        rule.impossible |= !holds(world, literal.predicate, literal.args);
    } else if (fixed && literal.args.size() == 1) {
        auto& domain = rule.domains[static_cast<std::size_t>(literal.args[0])];
        domain = narrowed(world, *domain, literal.predicate);
    } else {
        if (fixed && literal.predicate != equality && world.facts[literal.predicate].size() == 0)
            rule.impossible = true;
        if (!fixed) rule.fluent_places.push_back(static_cast<std::uint32_t>(rule.body.size()));
        rule.body.push_back({literal.predicate, literal.args});
    }
}

void add_negative(const World& world, Rule& rule, const Literal& literal) {
    if (!world.lifted->is_static(literal.predicate)) {
        rule.negative.push_back({literal.predicate, literal.args});
    } else if (is_ground(literal.args)) {
        rule.impossible |= holds(world, literal.predicate, literal.args);
    } else {
        const auto check = static_cast<std::uint32_t>(rule.checks.size());
        for (const Term term : literal.args) {
            if (term < 0) continue;
            auto& mentions = rule.checks_of[static_cast<std::size_t>(term)];
            if (mentions.empty() || mentions.back() != check) mentions.push_back(check);
        }
        rule.checks.push_back({literal.predicate, literal.args});
    }
}

}  // namespace

World::World(const Lifted& task, Meter& task_meter) : lifted(&task), meter(&task_meter) {
    for (const Predicate& predicate : task.predicates) facts.emplace_back(predicate.arity, task_meter);
    for (const auto& objects : task.domains) domains.push_back(make_domain(objects, task.object_count));
}

Rule make_rule(const World& world, std::span<const std::uint32_t> parameters,
               std::span<const std::vector<Literal>* const> parts) {
    Rule rule;
    for (const std::uint32_t domain : parameters) rule.domains.push_back(world.domains[domain]);
    rule.checks_of.resize(parameters.size());
    for (const auto* part : parts)
        for (const Literal& literal : *part) {
            if (literal.negated)
                add_negative(world, rule, literal);
            else
                add_positive(world, rule, literal);
        }
    rule.by_domain_size.resize(parameters.size());
    std::iota(rule.by_domain_size.begin(), rule.by_domain_size.end(), 0u);
    std::stable_sort(rule.by_domain_size.begin(), rule.by_domain_size.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                         return rule.domains[a]->objects.size() < rule.domains[b]->objects.size();
                     });
    for (const auto& domain : rule.domains) rule.impossible |= domain->objects.empty();
    return rule;
}

}  // namespace widthwise::ground
