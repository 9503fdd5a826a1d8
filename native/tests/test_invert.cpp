// Mutually exclusive atoms, and the task read from its goal.
#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <vector>

#include "invert/inverse.hpp"
#include "invert/mutexes.hpp"
#include "invert/pairs.hpp"
#include "invert/positive.hpp"
#include "tests/support.hpp"
#include "width/search.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

std::set<Atoms> reachable(const Task& task) {
    std::set<Atoms> seen = {first_state(task)};
    std::vector<Atoms> open = {first_state(task)};
    while (!open.empty()) {
        const Atoms state = open.back();
        open.pop_back();
        for (std::size_t op = 0; op < task.operator_count(); ++op)
            if (applies(task, state, op))
                if (const Atoms child = apply(task, state, op); seen.insert(child).second)
                    open.push_back(child);
    }
    return seen;
}

// Without conditional effects and axioms, which have no inverse, but with negative conditions.
Description plain_task(std::uint64_t seed) {
    Description description = random_task(seed, true);
    description.axioms.clear();
    for (Operator& op : description.operators) op.effects.clear();
    return description;
}

}  // namespace

TEST_CASE("atoms that hold together in a reachable state never exclude each other") {
    const auto meter = new_meter();
    int exclusive = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(plain_task(seed));
        const std::vector<Word> first = pack(first_state(*task), words_for(task->atom_count));
        const Positive positive(*task, first.data(), task->goal_pos, task->goal_neg, *meter);
        Pairs pairs(positive, *meter);
        REQUIRE(pairs.find(1'000'000));
        for (const Atoms& state : reachable(*task))
            for (const std::uint32_t left : state)
                for (const std::uint32_t right : state) REQUIRE(pairs.together(left, right));
        for (std::uint32_t left = 0; left < task->atom_count; ++left)
            for (std::uint32_t right = 0; right < left; ++right)
                exclusive += pairs.together(left, right) ? 0 : 1;
    }
    CHECK(exclusive > 20);
}

TEST_CASE("literals that hold together in a reachable state are never called exclusive") {
    const auto meter = new_meter();
    int exclusive = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(plain_task(seed));
        const Operators operators(task, std::nullopt);
        const std::vector<Word> first = pack(first_state(*task), words_for(task->atom_count));
        const Mutexes mutexes(operators, first.data(), task->goal_pos, task->goal_neg, {}, *meter);
        REQUIRE(mutexes.complete());
        for (const Atoms& state : reachable(*task)) {
            std::vector<std::int64_t> literals;
            for (std::int64_t atom = 0; atom < task->atom_count; ++atom)
                literals.push_back(state.count(static_cast<std::uint32_t>(atom)) != 0 ? atom : ~atom);
            REQUIRE_FALSE(mutexes.among(literals).has_value());
        }
        for (std::int64_t left = 0; left < task->atom_count; ++left)
            for (std::int64_t right = 0; right < task->atom_count; ++right) {
                const std::vector<std::int64_t> mixed = {left, ~right};
                exclusive += mutexes.among(mixed).has_value() ? 1 : 0;
            }
    }
    CHECK(exclusive > 20);
}

TEST_CASE("mutexes of the corridor") {
    const auto meter = new_meter();
    const auto task = make_task(corridor(5));
    const Operators operators(task, std::nullopt);
    const std::vector<Word> first = pack({0}, 1);
    const Mutexes mutexes(operators, first.data(), task->goal_pos, {}, {}, *meter);
    const std::vector<std::int64_t> places = {0, ~4, 3};
    CHECK(mutexes.among(places) == LiteralPair(0, 3));
    const std::vector<std::int64_t> none = {std::int64_t{task->atom_count}};
    CHECK_THROWS_AS(mutexes.among(none), std::out_of_range);
    InverseOptions options;
    options.most_words = 1;
    const Mutexes limited(operators, first.data(), task->goal_pos, {}, options, *meter);
    CHECK_FALSE(limited.complete());
    CHECK_FALSE(limited.among(places).has_value());
}

TEST_CASE("two places of the corridor exclude each other") {
    const auto meter = new_meter();
    const auto task = make_task(corridor(5));
    const std::vector<Word> first = pack({0}, 1);
    const Positive positive(*task, first.data(), task->goal_pos, task->goal_neg, *meter);
    Pairs pairs(positive, *meter);
    CHECK_FALSE(pairs.find(1));
    Pairs all(positive, *meter);
    REQUIRE(all.find(1'000'000));
    for (std::uint32_t left = 0; left < 5; ++left)
        for (std::uint32_t right = 0; right < 5; ++right) CHECK(all.together(left, right) == (left == right));
    CHECK(all.together(0, 5));
}

TEST_CASE("searching the inverse task backwards finds plans of the task, and only those that exist") {
    int solved = 0, unsolvable = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const auto meter = new_meter();
        const auto task = make_task(plain_task(seed));
        const Operators operators(task, std::nullopt);
        const std::vector<Word> first = pack(first_state(*task), words_for(task->atom_count));
        const auto inverse = invert(operators, first.data(), task->goal_pos, task->goal_neg, {}, *meter);
        const bool solvable = shortest_plan(*task) != kNoPlan;
        REQUIRE_FALSE(inverse->large);
        if (inverse->contradictory) {
            CHECK_FALSE(solvable);
            ++unsolvable;
            continue;
        }
        SearchOptions options;
        options.width = kAllFeatures;
        options.max_nodes = 200'000;
        const Task& backwards = inverse->operators->task();
        Search search(inverse->operators, meter, {}, backwards.goal_pos, backwards.goal_neg, options);
        Event event = search.start();
        while (event.stop == Stop::paused) event = search.resume(0, {}, kAllNodes);
        REQUIRE((event.stop == Stop::solved) == solvable);
        (solvable ? solved : unsolvable) += 1;
        if (!solvable) continue;
        Ids plan;
        for (const std::uint32_t op : search.tree().path(event.node))
            plan.insert(plan.begin(), inverse->operator_of[op]);
        CHECK(valid_plan(*task, plan));
        CHECK(plan.size() == shortest_plan(*task));
    }
    CHECK(solved > 5);
    CHECK(unsolvable > 5);
}

TEST_CASE("an inverse that would take too much is not made, and one with conditions is refused") {
    const auto meter = new_meter();
    const auto task = make_task(boxes(20));
    const Operators operators(task, std::nullopt);
    const std::vector<Word> first = pack(first_state(*task), operators.word_count());
    InverseOptions options;
    options.most_words = 10;
    CHECK(invert(operators, first.data(), task->goal_pos, {}, options, *meter)->large);
    options = {};
    options.most_bytes = 10;
    CHECK(invert(operators, first.data(), task->goal_pos, {}, options, *meter)->large);
    const auto axiomatic = make_task({2, {{{0}, {}, {}, {0}}}, {0}, {1}, {}, {{1, {0}, {}, 0}}});
    const Operators with_axioms(axiomatic, std::nullopt);
    CHECK_THROWS_AS(invert(with_axioms, first.data(), axiomatic->goal_pos, {}, {}, *meter),
                    std::invalid_argument);
    CHECK_THROWS_AS(Mutexes(with_axioms, first.data(), axiomatic->goal_pos, {}, {}, *meter),
                    std::invalid_argument);
    CHECK(meter->bytes() == 0);
}
