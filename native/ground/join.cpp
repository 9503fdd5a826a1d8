#include "ground/join.hpp"

#include <algorithm>

namespace widthwise::ground {

Join::Join(World& world, const Rule& rule)
    : world_(&world),
      rule_(&rule),
      values_(rule.domains.size(), none),
      matched_(rule.body.size(), none),
      remembered_(rule.body.size()) {
    std::size_t widest = 0;
    for (const Predicate& predicate : world.lifted->predicates)
        widest = std::max<std::size_t>(widest, predicate.arity);
    key_.resize(widest);
    instance_.resize(widest);
}

void Join::start(std::uint32_t place, std::uint32_t fact) {
    trigger_place_ = place;
    trigger_fact_ = fact;
    open_.clear();
    for (std::uint32_t other = 0; other < rule_->body.size(); ++other)
        if (other != place) open_.push_back(other);
    // A pattern before the trigger may not match the trigger's fact; `none` as place would exclude all of
    // them.
    if (place == none) trigger_place_ = 0;
}

bool Join::bind(std::size_t variable, Object object) {
    if (!rule_->domains[variable]->contains(object)) return false;
    values_[variable] = object;
    trail_.push_back(static_cast<std::uint32_t>(variable));
    return true;
}

void Join::undo(std::size_t trail_mark) {
    while (trail_.size() > trail_mark) {
        values_[trail_.back()] = none;
        trail_.pop_back();
    }
}

bool Join::match(std::uint32_t place, std::uint32_t fact) {
    const Pattern& pattern = rule_->body[place];
    const Object* objects = world_->facts[pattern.predicate].args(fact);
    const std::size_t mark = trail_.size();
    for (const Term term : pattern.args) {
        const Object object = *objects++;
        if (const Object present = value(term); present != none) {
            if (present != object) return false;
        } else if (!bind(static_cast<std::size_t>(term), object)) {
            return false;
        }
    }
    matched_[place] = fact;
    return pass_checks(mark);
}

bool Join::match_equal(std::uint32_t place, Object object) {
    const std::size_t mark = trail_.size();
    for (const Term term : rule_->body[place].args) {
        if (const Object present = value(term); present != none) {
            if (present != object) return false;
        } else if (!bind(static_cast<std::size_t>(term), object)) {
            return false;
        }
    }
    return pass_checks(mark);
}

// Evaluates the checks that the bindings since the mark have completed.
bool Join::pass_checks(std::size_t trail_mark) {
    for (std::size_t k = trail_mark; k < trail_.size(); ++k)
        for (const std::uint32_t check : rule_->checks_of[trail_[k]]) {
            const Pattern& pattern = rule_->checks[check];
            const Object* objects = instance(pattern.args);
            if (std::find(objects, objects + pattern.args.size(), none) != objects + pattern.args.size())
                continue;
            if (pattern.predicate == equality ? objects[0] == objects[1]
                                              : world_->facts[pattern.predicate].find(objects) != none)
                return false;
        }
    return true;
}

Join::Choice Join::look_equal(const Pattern& pattern) const {
    const Object left = value(pattern.args[0]);
    const Object right = value(pattern.args[1]);
    if (left != none && right != none) return {Way::equal, left == right ? 1u : 0u};
    // With both sides free there is a domain to enumerate: better after everything else.
    return {Way::equal, left != none || right != none ? 1u : none};
}

Join::Choice Join::look(std::uint32_t place) {
    const Pattern& pattern = rule_->body[place];
    if (pattern.predicate == equality) return look_equal(pattern);
    FactTable& facts = world_->facts[pattern.predicate];
    std::uint32_t positions = 0;
    std::size_t bound = 0;
    std::size_t keys = 0;
    for (std::size_t position = 0; position < pattern.args.size(); ++position) {
        const Object object = value(pattern.args[position]);
        instance_[position] = object;
        if (object == none) continue;
        ++bound;
        if (position >= indexable_positions) continue;
        positions |= std::uint32_t{1} << position;
        key_[keys++] = object;
    }
    if (bound == pattern.args.size()) {
        const std::uint32_t fact = facts.find(instance_.data());
        return {Way::one, fact < facts.settled() ? 1u : 0u, fact};
    }
    if (positions == 0) return {Way::scan, facts.settled()};
    Remembered& remembered = remembered_[place];
    if (remembered.positions != positions) remembered = {positions, &facts.index(positions)};
    const Bucket bucket = facts.lookup(*remembered.index, key_.data());
    return {Way::list, bucket.count, bucket.first, remembered.index};
}

}  // namespace widthwise::ground
