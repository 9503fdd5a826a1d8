// The resumable width search: pruning, regions, discovery, restructuring, limits.
#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "novelty/novelty.hpp"
#include "tests/support.hpp"
#include "width/search.hpp"

using namespace widthwise;
using namespace widthwise::tests;

namespace {

struct Setup {
    std::shared_ptr<const Task> task;
    std::shared_ptr<const Operators> operators;

    explicit Setup(const Description& description)
        : task(make_task(description)), operators(std::make_shared<const Operators>(task, std::nullopt)) {}

    std::unique_ptr<Search> search(SearchOptions options, std::vector<Abstraction> levels = {},
                                   std::shared_ptr<Meter> meter = new_meter()) const {
        return std::make_unique<Search>(operators, std::move(meter), std::move(levels), task->goal_pos,
                                        task->goal_neg, std::move(options));
    }
};

SearchOptions width(std::uint32_t number) {
    SearchOptions options;
    options.width = number;
    return options;
}

Event run(Search& search, std::uint64_t pause_after = kAllNodes) {
    Event event = search.start();
    while (event.stop == Stop::paused) event = search.resume(0, {}, pause_after);
    return event;
}

// IW(1) literally: the numbers of generated and pruned nodes, and the length of the plan or kNoPlan.
struct Counts {
    std::uint64_t generated = 1, pruned = 0;
    std::uint32_t length = kNoPlan;
};

Counts iw1(const Task& task) {
    Counts counts;
    std::deque<std::pair<Atoms, std::uint32_t>> queue = {{first_state(task), 0}};
    Atoms seen = first_state(task);
    if (satisfies(task, seen)) counts.length = 0;
    for (; !queue.empty() && counts.length == kNoPlan; queue.pop_front()) {
        const auto [state, depth] = queue.front();
        for (std::size_t op = 0; op < task.operator_count() && counts.length == kNoPlan; ++op) {
            const Atoms child = apply(task, state, op);
            if (!applies(task, state, op) ||
                (child == state && task.conditional[op].empty() && task.del[op].empty()))
                continue;
            ++counts.generated;
            if (satisfies(task, child)) {
                counts.length = depth + 1;
            } else if (std::includes(seen.begin(), seen.end(), child.begin(), child.end())) {
                ++counts.pruned;
            } else {
                seen.insert(child.begin(), child.end());
                queue.emplace_back(child, depth + 1);
            }
        }
    }
    return counts;
}

}  // namespace

TEST_CASE("IW(1) generates and prunes what a literal IW(1) does") {
    int solved = 0;
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        CAPTURE(seed);
        // Operators that never change anything are left out by the kernel; these tasks have none.
        Description description = random_task(seed, false);
        std::erase_if(description.operators, [](const Operator& op) { return op.del.empty(); });
        if (description.operators.empty()) continue;
        const Setup setup(description);
        const auto search = setup.search(width(1));
        const Event event = run(*search);
        const Counts expected = iw1(*setup.task);
        CHECK(search->counters().generated == expected.generated);
        CHECK(search->counters().pruned == expected.pruned);
        CHECK((event.stop == Stop::solved) == (expected.length != kNoPlan));
        if (event.stop != Stop::solved) continue;
        ++solved;
        CHECK(search->tree().path(event.node).size() == expected.length);
        CHECK(valid_plan(*setup.task, search->tree().path(event.node)));
    }
    CHECK(solved > 5);
}

TEST_CASE("the corridor has width 2") {
    const Setup setup(corridor(11));
    const auto narrow = setup.search(width(1));
    CHECK(run(*narrow).stop == Stop::exhausted);
    // The root; one child of the first place, two of each other place, two of the state with the key. Ten
    // steps back are pruned, and both children of the state with the key.
    CHECK(narrow->counters().generated == 1 + 1 + 10 * 2 + 2);
    CHECK(narrow->counters().pruned == 10 + 2);
    const auto wide = setup.search(width(2));
    const Event event = run(*wide);
    REQUIRE(event.stop == Stop::solved);
    CHECK(wide->tree().path(event.node).size() == 21);
    CHECK(valid_plan(*setup.task, wide->tree().path(event.node)));
}

TEST_CASE("breadth-first search finds shortest plans and exhausts what has none") {
    int solved = 0, exhausted = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const Setup setup(random_task(seed, true));
        const auto search = setup.search(width(kAllFeatures));
        const Event event = run(*search);
        const std::uint32_t shortest = shortest_plan(*setup.task);
        REQUIRE((event.stop == Stop::solved) == (shortest != kNoPlan));
        if (event.stop == Stop::solved) {
            ++solved;
            CHECK(search->tree().path(event.node).size() == shortest);
            CHECK(valid_plan(*setup.task, search->tree().path(event.node)));
        } else {
            ++exhausted;
            CHECK(event.stop == Stop::exhausted);
        }
    }
    CHECK(solved > 5);
    CHECK(exhausted > 5);
}

TEST_CASE("a search that is paused after every few nodes takes the same way") {
    for (const std::uint32_t number : {1U, 2U, 3U, kAllFeatures}) {
        CAPTURE(number);
        const Setup setup(boxes(4));
        const auto whole = setup.search(width(number)), paused = setup.search(width(number));
        const Event event = run(*whole), other = run(*paused, 3);
        CHECK(event.stop == other.stop);
        CHECK(event.node == other.node);
        REQUIRE(whole->tree().size() == paused->tree().size());
        CHECK(whole->counters().generated == paused->counters().generated);
        CHECK(whole->counters().expanded == paused->counters().expanded);
        for (std::uint32_t node = 0; node < whole->tree().size(); ++node) {
            CHECK(whole->tree().parent(node) == paused->tree().parent(node));
            CHECK(whole->tree().op(node) == paused->tree().op(node));
        }
    }
}

TEST_CASE("limits end a search: nodes, memory, time, interruption") {
    const Setup setup(boxes(8));
    SearchOptions options = width(kAllFeatures);
    options.max_nodes = 100;
    const auto few = setup.search(options);
    CHECK(run(*few).stop == Stop::out_of_nodes);
    CHECK(few->counters().generated == 100);

    const auto small = new_meter(150'000);
    {
        const auto search = setup.search(width(kAllFeatures), {}, small);
        CHECK(run(*search).stop == Stop::out_of_memory);
        CHECK(small->bytes() <= 150'000);
    }
    CHECK(small->bytes() == 0);

    const auto late = std::make_shared<Meter>(-1.0, std::uint64_t{1} << 30, std::function<bool()>{});
    CHECK(run(*setup.search(width(1), {}, late)).stop == Stop::out_of_time);
    const auto stopped = new_meter();
    stopped->interrupt();
    CHECK(run(*setup.search(width(1), {}, stopped)).stop == Stop::interrupted);
}

TEST_CASE("a goal that holds at first is found at the root") {
    Description description = corridor(4);
    description.goal_pos = {0};
    const Setup setup(description);
    const auto search = setup.search(width(1));
    const Event event = search->start();
    CHECK(event.stop == Stop::solved);
    CHECK(event.node == 0);
}

TEST_CASE("wide states are built when their nodes are expanded") {
    const Setup setup(boxes(200));  // 603 atoms: ten words
    SearchOptions options = width(1);
    options.max_nodes = 150;
    const auto search = setup.search(options);
    CHECK(run(*search).stop == Stop::out_of_nodes);
    for (std::uint32_t node = 0; node < search->tree().size(); node += 7) {
        Atoms state = first_state(*setup.task);
        for (const std::uint32_t op : search->tree().path(node)) state = apply(*setup.task, state, op);
        CHECK(unpack(search->state_of(node), setup.task->atom_count) == state);
    }
    CHECK(search->tree().states().size() < search->tree().size());
}

namespace {

// HIW over one level: regions in the order they are opened, one table above. The plan, if there is one.
struct Hierarchy {
    Search& search;
    NoveltyTable& table;
    std::deque<std::uint32_t> open = {};

    Event run() {
        while (!open.empty()) {
            NoveltyTable* above = &table;
            const Event event = search.resume(open.front(), std::span(&above, 1), kAllNodes);
            if (event.stop == Stop::entered)
                open.push_back(search.open_region(event.node));
            else if (event.stop == Stop::exhausted)
                open.pop_front();
            else
                return event;
        }
        return {Stop::exhausted};
    }
};

}  // namespace

TEST_CASE("HIW(1,1) solves the corridor with the key as feature, in two regions") {
    const Setup setup(corridor(11));
    for (const bool by_function : {false, true}) {
        CAPTURE(by_function);
        const auto meter = new_meter();
        Abstraction key;
        if (by_function)
            key.function = [](const Word* state) { return std::uint64_t{test_bit(state, 11)}; };
        else
            key.literals = {11 * 2};
        const auto search = setup.search(width(1), {key}, meter);
        const auto table = make_table(*meter, 1, by_function ? kAllFeatures : 1);
        REQUIRE(search->start().stop == Stop::paused);
        REQUIRE(table->insert(nullptr, search->abstract_of(0, 0).data()));
        Hierarchy hierarchy{*search, *table, {0}};
        const Event event = hierarchy.run();
        REQUIRE(event.stop == Stop::solved);
        CHECK(valid_plan(*setup.task, search->tree().path(event.node)));
        CHECK(search->region_count() == 2);
        // As IW(1) up to the key; then two children of each place on the way back. Pruned are the steps that
        // lead back to where the region has been, and taking the key again.
        CHECK(search->counters().generated == 22 + 10 * 2);
        CHECK(search->counters().pruned == 10 + 10);
        CHECK(search->alive_count() == 2);
        CHECK(search->abstract_of(0, 0)[0] == 0);
        CHECK(search->abstract_of(1, 0)[0] == 1);
    }
}

TEST_CASE("an entry that the caller rejects is pruned") {
    const Setup setup(corridor(5));
    Abstraction key;
    key.literals = {5 * 2};
    const auto search = setup.search(width(1), {key});
    REQUIRE(search->start().stop == Stop::paused);
    const Event event = search->resume(0, {}, kAllNodes);
    REQUIRE(event.stop == Stop::entered);
    CHECK(event.level == 0);
    CHECK(search->tree().has(event.node, kEntry));
    search->reject(event.node);
    CHECK(search->tree().has(event.node, kPruned));
    CHECK(search->counters().pruned_entries == 1);
    CHECK(search->resume(0, {}, kAllNodes).stop == Stop::exhausted);
}

TEST_CASE("IHIW discovers the key, recolours the tree, and solves the corridor") {
    const Setup setup(corridor(11));
    const auto meter = new_meter();
    SearchOptions options = width(1);
    options.record_pruned = true;
    const auto search = setup.search(options, {Abstraction{}}, meter);
    REQUIRE(search->start().stop == Stop::paused);
    CHECK(search->resume(0, {}, kAllNodes).stop == Stop::exhausted);
    CHECK(search->counters().generated == 24);

    const auto discovery = search->discover(false);
    REQUIRE(discovery);
    CHECK(discovery->literals == Ids{11 * 2});
    CHECK(search->candidates(discovery->node) == discovery->literals);
    const std::size_t nodes = search->tree().size();
    const auto table = make_table(*meter, 1, 1);
    const auto open = search->restructure(discovery->literals, *table, {});
    REQUIRE(open);
    CHECK(search->tree().size() == nodes);  // nothing is generated
    CHECK(search->region_count() == 2);
    for (std::uint32_t node = 0; node < nodes; ++node)
        CHECK((search->tree().region(node) == 1) == test_bit(search->tree().state(node), 11));

    Hierarchy hierarchy{*search, *table, {open->begin(), open->end()}};
    const Event event = hierarchy.run();
    REQUIRE(event.stop == Stop::solved);
    CHECK(valid_plan(*setup.task, search->tree().path(event.node)));
    CHECK(search->counters().generated == 24 + 9 * 2);
}

TEST_CASE("after restructuring, regions agree on their features and own all their nodes") {
    int restructured = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const Setup setup(random_task(seed, seed % 3 == 0));
        const auto meter = new_meter();
        SearchOptions options = width(1);
        options.record_pruned = true;
        options.max_nodes = 400;
        options.seed = seed;
        const auto search = setup.search(options, {Abstraction{}}, meter);
        Event event = search->start();
        if (event.stop != Stop::paused) continue;
        auto table = make_table(*meter, 64, 1);
        Hierarchy hierarchy{*search, *table, {0}};
        std::vector<std::uint32_t> literals;
        while (hierarchy.run().stop == Stop::exhausted && literals.size() < 6) {
            const auto discovery = search->discover(seed % 2 == 0);
            if (!discovery) break;
            literals.push_back(discovery->literals.front());
            table = make_table(*meter, 64, 1);
            const auto open = search->restructure(std::span(&literals.back(), 1), *table, {});
            REQUIRE(open);
            ++restructured;
            Hierarchy next{*search, *table, {open->begin(), open->end()}};
            for (std::uint32_t node = 0; node < search->tree().size(); ++node) {
                const std::uint32_t region = search->tree().region(node);
                if (region == kNone) continue;
                const Word* state = search->tree().state(node);
                for (std::size_t feature = 0; feature < literals.size(); ++feature) {
                    const bool value = test_bit(state, literals[feature] / 2) != (literals[feature] % 2 == 1);
                    CHECK(value == test_bit(search->abstract_of(region, 0).data(), feature));
                }
            }
            const Event after = next.run();
            if (after.stop == Stop::solved) CHECK(valid_plan(*setup.task, search->tree().path(after.node)));
            if (after.stop != Stop::exhausted) break;
        }
    }
    CHECK(restructured > 10);
}

TEST_CASE("a table that was full when the region began ends the search and loses nothing") {
    const Setup setup(boxes(6));
    for (std::uint64_t bytes = 20'000; bytes < 200'000; bytes += 15'000) {
        CAPTURE(bytes);
        const auto meter = new_meter(bytes);
        {
            Abstraction robot;
            robot.literals = {0};
            const auto search = setup.search(width(2), {robot}, meter);
            Event event = search->start();
            std::deque<std::uint32_t> open = {0};
            while (!open.empty() && event.stop != Stop::out_of_memory && event.stop != Stop::solved) {
                event = search->resume(open.front(), {}, kAllNodes);
                if (event.stop == Stop::exhausted) open.pop_front();
                if (event.stop != Stop::entered) continue;
                const std::uint32_t region = search->open_region(event.node);
                if (region == kNone) break;
                open.push_back(region);
            }
            CHECK(meter->bytes() <= bytes);
        }
        CHECK(meter->bytes() == 0);
    }
}
