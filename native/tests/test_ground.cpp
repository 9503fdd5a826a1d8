// From lifted tasks to grounded ones: joins, costs, axioms, relevance, flaws, limits.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "ground/ground.hpp"
#include "ground/relevance.hpp"
#include "tests/support.hpp"
#include "tests/tiles.hpp"

using namespace widthwise;
using namespace widthwise::tests;
using ground::Kind;

namespace {

constexpr std::uint32_t kEdge = 1, kAt = 2, kSafe = 3;

// A directed graph with an agent that moves along edges; costs by edge. Owns what `Lifted` points into.
struct Graph {
    std::vector<std::int32_t> edges, at;
    std::vector<double> costs;
    ground::Lifted lifted{};

    Graph(std::uint32_t places, std::vector<std::int32_t> arcs) : edges(std::move(arcs)), at{0} {
        std::vector<ground::Object> all;
        for (std::uint32_t place = 0; place < places; ++place) all.push_back(place);
        lifted.object_count = places;
        lifted.predicates = {{2, Kind::fixed}, {2, Kind::fixed}, {1, Kind::fluent}, {1, Kind::derived}};
        lifted.domains = {all};
        lifted.init = {{}, edges, at, {}};
        lifted.init_count = {0, static_cast<std::uint32_t>(edges.size() / 2), 1, 0};
        ground::Action move;
        move.parameters = {0, 0};
        move.shown = 2;
        move.precondition = {{kAt, false, {0}}, {kEdge, false, {0, 1}}};
        move.effects = {{{}, {}, {kAt, true, {0}}}, {{}, {}, {kAt, false, {1}}}};
        move.constant_cost = 1.0;
        lifted.actions.push_back(std::move(move));
        lifted.goal.push_back({kAt, false, {~static_cast<std::int32_t>(places - 1)}});
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void price() {
        for (std::size_t edge = 0; edge < edges.size() / 2; ++edge)
            costs.push_back(10.0 + static_cast<double>(edge));
        lifted.tables = {{2, edges, costs}};
        lifted.actions[0].cost_terms = {{0, {0, 1}}};
    }
};

}  // namespace

TEST_CASE("only what can be reached without deletes is grounded") {
    const auto meter = new_meter();
    // 0 -> 1 -> 2 -> 0, and 3 -> 4, which is out of reach.
    Graph graph(5, {0, 1, 1, 2, 2, 0, 3, 4});
    const auto task = ground::ground(graph.lifted, *meter);
    CHECK(task->atom_count == 3);
    CHECK(task->operator_count() == 3);
    CHECK_FALSE(task->goal_reachable);
    CHECK(meter->bytes() == ground::bytes_of(*task));
    std::set<std::pair<std::uint32_t, std::uint32_t>> moves;
    for (std::size_t op = 0; op < task->operator_count(); ++op) {
        const auto args = task->operator_args[op];
        moves.emplace(args[0], args[1]);
        REQUIRE(task->pre_pos[op].size() == 1);
        CHECK(task->atom_args[task->pre_pos[op][0]][0] == args[0]);
        CHECK(task->atom_args[task->add[op][0]][0] == args[1]);
        CHECK(task->atom_args[task->del[op][0]][0] == args[0]);
    }
    CHECK(moves == std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 2}, {2, 0}});
}

TEST_CASE("operators are the joins of their preconditions, on random graphs") {
    const auto meter = new_meter();
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const std::uint32_t places = 3 + random.below(8);
        std::set<std::pair<std::int32_t, std::int32_t>> arcs;
        for (std::uint32_t count = 2 * places; count > 0; --count)
            arcs.emplace(static_cast<std::int32_t>(random.below(places)),
                         static_cast<std::int32_t>(random.below(places)));
        std::vector<std::int32_t> flat;
        for (const auto& [from, to] : arcs) flat.insert(flat.end(), {from, to});
        Graph graph(places, flat);
        // Two steps at once, by a place between: a join over two edges.
        graph.lifted.actions[0].parameters = {0, 0, 0};
        graph.lifted.actions[0].shown = 3;
        graph.lifted.actions[0].precondition.push_back({kEdge, false, {2, 1}});
        graph.lifted.actions[0].precondition[1] = {kEdge, false, {0, 2}};
        std::set<std::int32_t> reached = {0};
        std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> expected;
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [from, between] : arcs)
                for (const auto& [middle, to] : arcs)
                    if (middle == between && reached.contains(from)) {
                        expected.emplace(from, to, between);
                        changed = reached.insert(to).second || changed;
                    }
        }
        const auto task = ground::ground(graph.lifted, *meter);
        std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> found;
        for (std::size_t op = 0; op < task->operator_count(); ++op) {
            const auto args = task->operator_args[op];
            found.emplace(static_cast<std::int32_t>(args[0]), static_cast<std::int32_t>(args[1]),
                          static_cast<std::int32_t>(args[2]));
        }
        CHECK(found.size() == task->operator_count());
        CHECK(found == expected);
        CHECK(task->goal_reachable == reached.contains(static_cast<std::int32_t>(places) - 1));
    }
}

TEST_CASE("equality and inequality bind and check variables") {
    const auto meter = new_meter();
    Graph graph(4, {0, 0, 0, 1, 1, 1, 1, 3});
    graph.lifted.actions[0].precondition.push_back({ground::equality, true, {0, 1}});
    const auto task = ground::ground(graph.lifted, *meter);
    CHECK(task->operator_count() == 2);  // without the loops
    graph.lifted.actions[0].precondition.back().negated = false;
    CHECK(ground::ground(graph.lifted, *meter)->operator_count() == 1);  // 0 -> 0: 1 is not reached
}

TEST_CASE("costs come from tables, and a missing one is a flaw that names its arguments") {
    const auto meter = new_meter();
    Graph graph(3, {0, 1, 1, 2});
    graph.price();
    const auto task = ground::ground(graph.lifted, *meter);
    std::multiset<double> costs(task->cost.begin(), task->cost.end());
    CHECK(costs == std::multiset<double>{11.0, 12.0});
    std::vector<std::int32_t> one_edge = {0, 1};
    graph.lifted.tables = {{2, one_edge, std::span(graph.costs).first(1)}};
    try {
        ground::ground(graph.lifted, *meter);
        FAIL("a cost is missing");
    } catch (const ground::Flaw& flaw) {
        CHECK(flaw.kind == ground::Flaw::Kind::missing_cost);
        CHECK(flaw.objects == std::vector<ground::Object>{1, 2});
    }
    CHECK(meter->bytes() == ground::bytes_of(*task));
}

TEST_CASE("axioms get layers, and one that needs its own negation is a flaw") {
    const auto meter = new_meter();
    Graph graph(3, {0, 1, 1, 2});
    graph.lifted.axioms.push_back({{kSafe, false, {0}}, {0}, {{kAt, false, {0}}}});
    const auto task = ground::ground(graph.lifted, *meter);
    CHECK(task->axiom_head.size() == 3);
    for (const std::uint32_t head : task->axiom_head) CHECK(task->derived[head] == 1);
    graph.lifted.axioms.back().condition.push_back({kSafe, true, {0}});
    try {
        ground::ground(graph.lifted, *meter);
        FAIL("the axiom needs its own negation");
    } catch (const ground::Flaw& flaw) {
        CHECK(flaw.kind == ground::Flaw::Kind::negative_loop);
        CHECK(flaw.number == kSafe);
    }
}

TEST_CASE("a sliding puzzle has as many atoms and operators as it should") {
    const auto meter = new_meter();
    const Tiles tiles(3, 3, 8);
    const auto task = tiles.ground(*meter);
    CHECK(task->atom_count == 8 * 9 + 9 + 1);  // tiles on cells, free cells, and the derived atom
    CHECK(task->operator_count() == 8 * 24);   // every tile across each of the twelve borders, both ways
    CHECK(task->goal_reachable);
}

TEST_CASE("grounding stops at the memory limit and when it is interrupted, with nothing charged") {
    const Tiles tiles(5, 5, 20);
    for (std::uint64_t bytes = 1000; bytes < 100'000; bytes *= 3) {
        Meter meter(kForever, bytes, {});
        CHECK_THROWS_AS(tiles.ground(meter), Halted);
        CHECK(meter.bytes() == 0);
    }
    Meter stopped(kForever, std::uint64_t{1} << 30, {});
    stopped.interrupt();
    CHECK_THROWS_AS(tiles.ground(stopped), Halted);
    CHECK(stopped.bytes() == 0);
}

TEST_CASE("what cannot matter for the goal is left out, and plans stay plans") {
    int smaller = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(random_task(seed, true));
        const ground::Restriction part = ground::restrict_to_goal(*task, task->goal_pos, task->goal_neg);
        REQUIRE(part.task);
        CHECK(part.atoms.size() == part.task->atom_count);
        CHECK(part.operators.size() == part.task->operator_count());
        CHECK(std::is_sorted(part.atoms.begin(), part.atoms.end()));
        smaller += part.task->operator_count() < task->operator_count() ? 1 : 0;
        const std::uint32_t shortest = shortest_plan(*task);
        CHECK(shortest_plan(*part.task) == shortest);
    }
    CHECK(smaller > 10);
    const auto task = make_task(corridor(3));
    CHECK_THROWS_AS(ground::restrict_to_goal(*task, Ids{99}, {}), std::invalid_argument);
}

TEST_CASE("packed tasks that are cut off or out of range are refused") {
    const std::vector<std::int32_t> nothing, wild = {1, 2, 1'000'000, -7, 3};
    CHECK_THROWS_AS(ground::unpack(nothing, {}), std::invalid_argument);
    CHECK_THROWS_AS(ground::unpack(wild, {}), std::invalid_argument);
}
