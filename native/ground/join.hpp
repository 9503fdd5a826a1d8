// Finds the ways to make a rule's conjunction true: a backtracking join that at every step takes the pattern
// that the fewest facts match.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ground/rule.hpp"

namespace widthwise::ground {

class Join {
public:
    Join(World& world, const Rule& rule);

    // All instantiations in which pattern `place` is matched by the settled fact `fact`, all patterns by
    // settled facts, and those before `place` by other facts than this one. Asked for each fact at the time
    // it is settled and for each place, this gives every instantiation exactly once.
    template <class Emit>
    void from_fact(std::uint32_t place, std::uint32_t fact, Emit&& emit) {
        start(place, fact);
        if (match(place, fact)) extend(emit);
        undo(0);
    }

    // All instantiations over settled facts in which the first variables have the given values.
    template <class Emit>
    void from_values(std::span<const Object> values, Emit&& emit) {
        start(none, none);
        bool possible = true;
        for (std::size_t variable = 0; variable < values.size() && possible; ++variable)
            possible = bind(variable, values[variable]);
        if (possible && pass_checks(0)) extend(emit);
        undo(0);
    }

    // During `emit`: the variables' values, and the fact that matches a pattern.
    std::span<const Object> values() const { return values_; }
    std::uint32_t matched(std::uint32_t place) const { return matched_[place]; }
    // The objects that a pattern stands for under the present values.
    const Object* instance(const std::vector<Term>& args) {
        for (std::size_t position = 0; position < args.size(); ++position)
            instance_[position] = value(args[position]);
        return instance_.data();
    }

private:
    enum class Way : std::uint8_t { scan, list, one, equal };
    struct Choice {
        Way way = Way::scan;
        std::uint32_t count = 0;
        std::uint32_t first = none;
        const FactTable::Index* index = nullptr;
    };
    // The index that a pattern used last: which positions are bound rarely changes.
    struct Remembered {
        std::uint32_t positions = 0;
        const FactTable::Index* index = nullptr;
    };

    Object value(Term term) const {
        return term >= 0 ? values_[static_cast<std::size_t>(term)] : static_cast<Object>(~term);
    }

    void start(std::uint32_t place, std::uint32_t fact);
    bool bind(std::size_t variable, Object object);
    bool match(std::uint32_t place, std::uint32_t fact);
    bool match_equal(std::uint32_t place, Object object);
    bool pass_checks(std::size_t trail_mark);
    void undo(std::size_t trail_mark);
    Choice look(std::uint32_t place);
    Choice look_equal(const Pattern& pattern) const;

    template <class Emit>
    void extend(Emit& emit) {
        if (open_.empty()) return bind_free(emit);
        std::size_t best = 0;
        Choice choice = look(open_[0]);
        for (std::size_t k = 1; k < open_.size() && choice.count > 1; ++k)
            if (const Choice other = look(open_[k]); other.count < choice.count) {
                choice = other;
                best = k;
            }
        if (choice.count == 0) return;
        const std::uint32_t place = open_[best];
        open_[best] = open_.back();
        open_.pop_back();
        each(place, choice, emit);
        // Put the pattern back where it was, so that the order of looking stays the same for the next fact.
        if (best == open_.size()) {
            open_.push_back(place);
        } else {
            open_.push_back(open_[best]);
            open_[best] = place;
        }
    }

    template <class Emit>
    void each(std::uint32_t place, const Choice& choice, Emit& emit) {
        const std::size_t mark = trail_.size();
        const auto go_on = [&](std::uint32_t fact) {
            if (place < trigger_place_ && fact == trigger_fact_ &&
                rule_->body[place].predicate == rule_->body[trigger_place_].predicate)
                return;
            tick();
            if (match(place, fact)) extend(emit);
            undo(mark);
        };
        switch (choice.way) {
            case Way::one:
                go_on(choice.first);
                break;
            case Way::list:
                for (std::uint32_t fact = choice.first; fact != none; fact = choice.index->next(fact))
                    go_on(fact);
                break;
            case Way::scan:
                for (std::uint32_t fact = 0; fact < choice.count; ++fact) go_on(fact);
                break;
            case Way::equal: {
                const auto& args = rule_->body[place].args;
                if (value(args[0]) != none || value(args[1]) != none) {
                    if (match_equal(place, value(args[0]) != none ? value(args[0]) : value(args[1])))
                        extend(emit);
                    undo(mark);
                } else {
                    for (const Object object : rule_->domains[static_cast<std::size_t>(args[0])]->objects) {
                        if (match_equal(place, object)) extend(emit);
                        undo(mark);
                    }
                }
                break;
            }
        }
    }

    // Variables that no pattern mentions take every value of their domains.
    template <class Emit>
    void bind_free(Emit& emit) {
        for (const std::uint32_t variable : rule_->by_domain_size) {
            if (values_[variable] != none) continue;
            const std::size_t mark = trail_.size();
            for (const Object object : rule_->domains[variable]->objects) {
                tick();
                if (bind(variable, object) && pass_checks(mark)) extend(emit);
                undo(mark);
            }
            return;
        }
        emit();
    }

    void tick() {
        if ((++ticks_ & 0xff) == 0) poll(*world_->meter);
    }

    World* world_;
    const Rule* rule_;
    std::vector<Object> values_;          // per variable; `none` while free
    std::vector<std::uint32_t> trail_;    // variables in the order they were bound
    std::vector<std::uint32_t> open_;     // patterns still to be matched
    std::vector<std::uint32_t> matched_;  // per pattern
    std::vector<Remembered> remembered_;  // per pattern
    std::vector<Object> key_, instance_;  // scratch
    std::uint32_t trigger_place_ = none;
    std::uint32_t trigger_fact_ = none;
    std::uint32_t ticks_ = 0;
};

}  // namespace widthwise::ground
