// The searches for whole problems: BFWS, greedy and guided search, random walks.
#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <vector>

#include "best_first/bfws.hpp"
#include "best_first/bucket_queue.hpp"
#include "best_first/greedy.hpp"
#include "best_first/guided.hpp"
#include "best_first/walks.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

template <class Kind, class Options>
std::unique_ptr<Kind> make(const std::shared_ptr<const Task>& task, Options options,
                           std::shared_ptr<Meter> meter = new_meter()) {
    return std::make_unique<Kind>(std::make_shared<const Operators>(task, std::nullopt), std::move(meter),
                                  CountedGoal(task->goal_pos, task->goal_neg), options);
}

template <class Kind>
Event run(Kind& search, std::uint64_t pause_after = kAllNodes) {
    Event event = search.start();
    while (event.stop == Stop::paused) event = search.resume(pause_after, kForever);
    return event;
}

template <class Kind, class Options>
void is_complete() {
    int solved = 0, exhausted = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        const auto task = make_task(random_task(seed, true));
        const auto search = make<Kind>(task, Options{});
        const Event event = run(*search);
        const bool solvable = shortest_plan(*task) != kNoPlan;
        REQUIRE(event.stop == (solvable ? Stop::solved : Stop::exhausted));
        (solvable ? solved : exhausted) += 1;
        if (solvable) CHECK(valid_plan(*task, search->tree().path(event.node)));
    }
    CHECK(solved > 5);
    CHECK(exhausted > 5);
}

template <class Kind, class Options>
void is_the_same_with_pauses() {
    const auto task = make_task(boxes(6));
    const auto whole = make<Kind>(task, Options{}), paused = make<Kind>(task, Options{});
    const Event event = run(*whole), other = run(*paused, 7);
    CHECK(event.stop == Stop::solved);
    CHECK(other.stop == Stop::solved);
    CHECK(valid_plan(*task, whole->tree().path(event.node)));
    CHECK(whole->tree().path(event.node) == paused->tree().path(other.node));
    CHECK(whole->counters().generated == paused->counters().generated);
    CHECK(whole->counters().expanded == paused->counters().expanded);
}

template <class Kind, class Options>
void obeys_limits() {
    const auto task = make_task(boxes(30));
    Options options;
    options.max_nodes = 20;
    const auto few = make<Kind>(task, options);
    CHECK(run(*few).stop == Stop::out_of_nodes);
    CHECK(few->counters().generated <= 20);
    for (std::uint64_t bytes = 40'000; bytes <= 640'000; bytes *= 2) {
        const auto meter = new_meter(bytes);
        {
            const auto search = make<Kind>(task, Options{}, meter);
            const Event event = run(*search, 10'000);
            CHECK((event.stop == Stop::out_of_memory || event.stop == Stop::solved));
            CHECK(meter->bytes() <= bytes);
        }
        CHECK(meter->bytes() == 0);
    }
    const auto stopped = new_meter();
    stopped->interrupt();
    CHECK(run(*make<Kind>(task, Options{}, stopped)).stop == Stop::interrupted);
}

}  // namespace

TEST_CASE("BFWS is complete") {
    is_complete<Bfws, BfwsOptions>();
}
TEST_CASE("greedy search is complete") {
    is_complete<Greedy, GreedyOptions>();
}
TEST_CASE("guided search is complete") {
    is_complete<Guided, GuidedOptions>();
}
TEST_CASE("pauses change nothing") {
    is_the_same_with_pauses<Bfws, BfwsOptions>();
    is_the_same_with_pauses<Greedy, GreedyOptions>();
    is_the_same_with_pauses<Guided, GuidedOptions>();
    is_the_same_with_pauses<Walks, WalksOptions>();
}
TEST_CASE("BFWS obeys its limits") {
    obeys_limits<Bfws, BfwsOptions>();
}
TEST_CASE("greedy search obeys its limits") {
    obeys_limits<Greedy, GreedyOptions>();
}
TEST_CASE("guided search obeys its limits") {
    obeys_limits<Guided, GuidedOptions>();
}
TEST_CASE("random walks obey their limits") {
    obeys_limits<Walks, WalksOptions>();
}

TEST_CASE("random walks find plans that are valid, and end where the root is a dead end") {
    const auto task = make_task(boxes(5));
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        WalksOptions options;
        options.seed = seed;
        const auto walks = make<Walks>(task, options);
        const Event event = run(*walks);
        REQUIRE(event.stop == Stop::solved);
        CHECK(valid_plan(*task, walks->tree().path(event.node)));
    }
    Description dead = corridor(4);
    dead.operators.pop_back();
    CHECK(run(*make<Walks>(make_task(dead), WalksOptions{})).stop == Stop::exhausted);
    WalksOptions none;
    none.walks = 0;
    CHECK_THROWS_AS(make<Walks>(task, none), std::invalid_argument);
}

TEST_CASE("BFWS that prunes gives up states without novelty") {
    const auto task = make_task(corridor(11));
    BfwsOptions options;
    options.width = 1;
    options.prune = true;
    const auto search = make<Bfws>(task, options);
    const Event event = run(*search);
    REQUIRE(event.stop == Stop::solved);  // the counters tell the way back from the way there
    CHECK(search->tree().path(event.node).size() == 21);
    CHECK(search->goals_open(0) == 1);
    CHECK(search->novelty(0) == 1);
    CHECK(search->reached(0) == 0);
}

TEST_CASE("a goal is counted by its literals") {
    const CountedGoal goal({1, 70}, {3});
    CHECK(goal.unachieved(pack({3}, 2).data()) == 3);
    CHECK(goal.unachieved(pack({1, 3}, 2).data()) == 2);
    CHECK(goal.unachieved(pack({1, 70}, 2).data()) == 0);
}

TEST_CASE("a bucket queue returns the least key, first come first served") {
    const auto meter = new_meter();
    BucketQueue<int> queue(*meter);
    Random random(3);
    std::multiset<std::pair<std::size_t, int>> expected;
    for (int turn = 0; turn < 2000; ++turn) {
        if (expected.empty() || random.below(3) > 0) {
            const std::size_t key = random.below(20);
            REQUIRE(queue.push(key, turn));
            expected.emplace(key, turn);
        } else {
            CHECK(queue.pop() == expected.begin()->second);
            expected.erase(expected.begin());
        }
        CHECK(queue.empty() == expected.empty());
    }
    const auto full = new_meter(64);
    BucketQueue<int> small(*full);
    CHECK_FALSE(small.push(1000, 1));
}
