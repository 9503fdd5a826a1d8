// Plans made cheaper.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "improve/improve.hpp"
#include "improve/trace.hpp"
#include "tests/support.hpp"
#include "width/search.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

struct Setup {
    std::shared_ptr<const Task> task;
    std::shared_ptr<Meter> meter = new_meter();
    Improver improver;

    explicit Setup(const Description& description)
        : task(make_task(description)),
          improver(std::make_shared<const Operators>(task, std::nullopt), meter,
                   std::vector<double>(task->operator_count(), 1.0), task->goal_pos, task->goal_neg) {}
};

// Steps to the right, to the left, and the key, of the corridor.
Steps there_and_back(std::uint32_t length, std::uint32_t detours) {
    const std::uint32_t last = length - 1;
    Steps plan;
    for (std::uint32_t detour = 0; detour < detours; ++detour) plan.insert(plan.end(), {0, last});
    for (std::uint32_t place = 0; place < last; ++place) plan.push_back(place);
    plan.push_back(2 * last);
    for (std::uint32_t place = last; place > 0; --place) plan.push_back(last + place - 1);
    return plan;
}

}  // namespace

TEST_CASE("a plan is valid where the twin says so") {
    Setup setup(corridor(6));
    Steps plan = there_and_back(6, 1);
    CHECK(valid_plan(*setup.task, plan));
    CHECK(setup.improver.valid(plan));
    CHECK(setup.improver.cost(plan) == doctest::Approx(13));
    plan.pop_back();
    CHECK_FALSE(setup.improver.valid(plan));
    std::swap(plan[0], plan[2]);
    CHECK_FALSE(setup.improver.valid(plan));
}

TEST_CASE("steps that are not needed are dropped") {
    for (const bool greedy : {false, true}) {
        Setup setup(corridor(6));
        const Steps shorter = setup.improver.eliminate(there_and_back(6, 3), greedy);
        CHECK(shorter == there_and_back(6, 0));
    }
}

TEST_CASE("steps are brought side by side without losing the goal") {
    Setup setup(boxes(3));
    // Pick up and put down a box in room 0 before the real work.
    const std::uint32_t pick0 = 2, put0 = 3, put1 = 5, pick_second = 6, put_second1 = 9;
    Steps plan = {pick0, put0, pick0, 0, put1, 1, pick_second, 0, put_second1, 1, 10, 0, 13};
    REQUIRE(valid_plan(*setup.task, plan));
    const Steps gathered = setup.improver.gather(plan);
    CHECK(gathered.size() == plan.size());
    CHECK(valid_plan(*setup.task, gathered));
    const Steps shorter = setup.improver.eliminate(plan, true);
    CHECK(shorter.size() == plan.size() - 2);
    CHECK(valid_plan(*setup.task, shorter));
}

TEST_CASE("a window is replaced by a cheaper way, or found to have none") {
    Setup setup(corridor(6));
    const Steps plan = there_and_back(6, 2);
    for (const double weight : {0.0, 1.0}) {
        Setup fresh(corridor(6));
        const WindowResult shorter = fresh.improver.replace(plan, 0, 8, {kAllNodes, weight});
        REQUIRE(shorter.stop == Stop::solved);
        CHECK(valid_plan(*fresh.task, shorter.steps));
        CHECK(shorter.steps.size() == plan.size() - 4);
        CHECK(shorter.generated > 0);
    }
    const Steps best = there_and_back(6, 0);
    CHECK(setup.improver.replace(best, 0, 5, {kAllNodes, 0.0}).stop == Stop::exhausted);
    CHECK(setup.improver.replace(best, 0, 5, {kAllNodes, 0.0}).generated == 0);  // it remembers
    CHECK(setup.improver.replace(best, 2, 9, {1, 0.0}).stop == Stop::out_of_nodes);
    CHECK(setup.improver.work() > 0);
}

TEST_CASE("windows never make a plan invalid or more expensive") {
    int shorter = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        Setup setup(random_task(seed, true));
        if (satisfies(*setup.task, first_state(*setup.task))) continue;
        // A plan by depth-first search, which is seldom the shortest.
        SearchOptions options;
        options.width = kAllFeatures;
        options.depth_first = true;
        Search search(std::make_shared<const Operators>(setup.task, std::nullopt), new_meter(), {},
                      setup.task->goal_pos, setup.task->goal_neg, options);
        Event event = search.start();
        while (event.stop == Stop::paused) event = search.resume(0, {}, kAllNodes);
        if (event.stop != Stop::solved) continue;
        const Steps plan = search.tree().path(event.node);
        REQUIRE(valid_plan(*setup.task, plan));
        for (const bool greedy : {false, true}) {
            const Steps less = setup.improver.eliminate(plan, greedy);
            CHECK(valid_plan(*setup.task, less));
            CHECK(less.size() <= plan.size());
        }
        const WindowResult best = setup.improver.replace(plan, 0, plan.size(), {kAllNodes, 0.0});
        const Steps steps = best.stop == Stop::solved ? best.steps : plan;
        CHECK(valid_plan(*setup.task, steps));
        CHECK(steps.size() == shortest_plan(*setup.task));
        shorter += steps.size() < plan.size() ? 1 : 0;
    }
    CHECK(shorter > 3);
}

TEST_CASE("a trace knows the states of a plan and what its end needs") {
    const auto task = make_task(corridor(4));
    const auto meter = new_meter();
    Expander expander(std::make_shared<const Operators>(task, std::nullopt));
    Trace trace(expander, *meter, pack({0}, 1), {pack({0, 4}, 1), pack({}, 1)});
    const Steps plan = there_and_back(4, 0);
    trace.follow(plan);
    Atoms state = {0};
    for (std::size_t step = 0; step < plan.size(); ++step) {
        REQUIRE(trace.state(step) != nullptr);
        CHECK(unpack({trace.state(step), 1}, 5) == state);
        CHECK(trace.wanted(step)->holds(trace.state(step)));
        state = apply(*task, state, plan[step]);
    }
    const auto wanted = trace.wanted(4);  // behind the key
    REQUIRE(wanted);
    CHECK(unpack(wanted->pos, 5) == Atoms{3, 4});
}
