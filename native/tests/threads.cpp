// Searches on threads, without Python: for the thread sanitizer, and for any build.
//
// Many threads ground one lifted task and search one grounded task with one set of operators. Each must do
// what it does alone, node for node. A search that would take hours ends when another thread interrupts its
// meter. The thread sanitizer ends the program if two threads touch the same memory without order.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "best_first/bfws.hpp"
#include "best_first/greedy.hpp"
#include "best_first/guided.hpp"
#include "best_first/walks.hpp"
#include "core/meter.hpp"
#include "ground/ground.hpp"
#include "state/operators.hpp"
#include "tests/tiles.hpp"
#include "width/search.hpp"

namespace {

using namespace widthwise;

constexpr std::uint64_t kNodes = 3000;
constexpr double kForever = std::numeric_limits<double>::infinity();

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "threads: %s\n", what.c_str());
    std::exit(1);
}

std::shared_ptr<Meter> new_meter(std::function<bool()> outside = {}) {
    return std::make_shared<Meter>(kForever, std::uint64_t{1} << 30, std::move(outside));
}

// What a search did: enough to tell two different searches apart.
struct Trace {
    Stop stop;
    std::uint64_t generated, expanded;
    std::vector<std::uint32_t> path;

    bool operator==(const Trace&) const = default;
};

template <class Kind>
Trace trace_of(const Kind& search, const Event& event) {
    std::vector<std::uint32_t> path;
    if (event.stop == Stop::solved) path = search.tree().path(event.node);
    return {event.stop, search.counters().generated, search.counters().expanded, std::move(path)};
}

using Shared = std::shared_ptr<const Operators>;

Trace width_search(const Shared& operators, std::uint32_t width, std::uint64_t nodes,
                   const std::shared_ptr<Meter>& meter) {
    SearchOptions options;
    options.width = width;
    options.max_nodes = nodes;
    Search search(operators, meter, {}, operators->task().goal_pos, operators->task().goal_neg, options);
    Event event = search.start();
    while (event.stop == Stop::paused) event = search.resume(0, {}, 500);
    return trace_of(search, event);
}

template <class Kind, class Options>
Trace best_first(const Shared& operators) {
    Options options;
    options.max_nodes = kNodes;
    Kind search(operators, new_meter(), CountedGoal(operators->task().goal_pos, operators->task().goal_neg),
                options);
    Event event = search.start();
    while (event.stop == Stop::paused) event = search.resume(500, kForever);
    return trace_of(search, event);
}

// Every kind of search, in order.
std::vector<Trace> all_searches(const Shared& operators) {
    return {width_search(operators, 1, kNodes, new_meter()),
            width_search(operators, 2, kNodes, new_meter()),
            width_search(operators, kAllFeatures, kNodes, new_meter()),
            best_first<Bfws, BfwsOptions>(operators),
            best_first<Greedy, GreedyOptions>(operators),
            best_first<Guided, GuidedOptions>(operators),
            best_first<Walks, WalksOptions>(operators)};
}

void run_on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < count; ++number) threads.emplace_back(work, number);
    for (std::thread& thread : threads) thread.join();
}

void grounding_is_the_same_on_every_thread(const tests::Tiles& tiles, const Task& expected) {
    run_on_threads(4, [&](std::size_t) {
        const auto meter = new_meter();
        const auto task = tiles.ground(*meter);
        if (task->atom_count != expected.atom_count || task->cost != expected.cost ||
            task->init != expected.init || task->axiom_head != expected.axiom_head)
            fail("a thread grounded the task differently");
        if (meter->bytes() != ground::bytes_of(*task)) fail("a meter was charged by another thread");
    });
}

void searches_that_share_operators_do_not_disturb_each_other(const Shared& operators) {
    const std::vector<Trace> alone = all_searches(operators);
    bool solved = false;
    for (const Trace& trace : alone) solved = solved || trace.stop == Stop::solved;
    if (!solved) fail("no search solved the puzzle");
    run_on_threads(4, [&](std::size_t) {
        if (all_searches(operators) != alone) fail("a search on a thread took another way");
    });
}

void a_search_ends_when_another_thread_interrupts_it(const Shared& operators) {
    std::vector<std::shared_ptr<Meter>> meters;
    // Set from within the search: it is under way when it is interrupted, however slow the machine is.
    std::vector<std::atomic<bool>> under_way(3);
    for (std::atomic<bool>& flag : under_way)
        meters.push_back(new_meter([&flag] {
            flag.store(true);
            return false;
        }));
    std::thread canceller([&] {
        for (std::size_t number = 0; number < meters.size(); ++number) {
            while (!under_way[number].load()) std::this_thread::yield();
            meters[number]->interrupt();
        }
    });
    run_on_threads(meters.size(), [&](std::size_t number) {
        const Trace trace = width_search(operators, kAllFeatures, ~std::uint64_t{0}, meters[number]);
        if (trace.stop != Stop::interrupted) fail("a search did not end when it was interrupted");
    });
    canceller.join();
}

}  // namespace

int main() {
    const tests::Tiles small(3, 3, 6);
    const auto meter = new_meter();
    const auto task = small.ground(*meter);
    grounding_is_the_same_on_every_thread(small, *task);
    searches_that_share_operators_do_not_disturb_each_other(std::make_shared<const Operators>(task, 7));
    // 23 tiles: more states than any machine could generate.
    const tests::Tiles large(5, 5, 23);
    a_search_ends_when_another_thread_interrupts_it(
        std::make_shared<const Operators>(large.ground(*meter), std::nullopt));
    std::puts("threads: grounding, searches and interruption are the same on threads");
    return 0;
}
