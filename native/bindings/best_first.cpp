// Python's view of the searches for whole problems.
#include "best_first/best_first.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <vector>

#include "best_first/bfws.hpp"
#include "best_first/greedy.hpp"
#include "bindings/bindings.hpp"
#include "bindings/columns.hpp"
#include "bindings/operators.hpp"
#include "bindings/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

namespace {

using Ids = std::vector<std::uint32_t>;
using EventTuple = std::tuple<Stop, std::optional<std::uint32_t>>;

EventTuple to_tuple(const Event& event) {
    raise_pending();
    return {event.stop, event.node == kNone ? std::nullopt : std::optional(event.node)};
}

CountedGoal to_goal(const Operators& operators, Ids pos, Ids neg) {
    check_atoms(operators, pos);
    check_atoms(operators, neg);
    return {std::move(pos), std::move(neg)};
}

void check_node(const BestFirst& search, std::uint32_t node) {
    if (node >= search.tree().size()) throw nb::index_error("no such node");
}

// A relaxed task that keeps what it refers to alive.
struct PyRelaxed {
    std::shared_ptr<const Operators> operators;
    std::shared_ptr<Meter> meter;
    std::unique_ptr<Relaxed> relaxed;

    PyRelaxed(const PyOperators& python, std::shared_ptr<Meter> shared_meter, const Ids& pos, const Ids& neg)
        : operators(python.shared), meter(std::move(shared_meter)) {
        check_atoms(*operators, pos);
        check_atoms(*operators, neg);
        relaxed = Relaxed::make(operators->task(), pos, neg, *meter);
        if (!relaxed) throw std::bad_alloc();
    }
};

void bind_relaxed(nb::module_& module) {
    nb::class_<PyRelaxed>(module, "Relaxed", "A task without deletes: relaxed plans towards a goal.")
        .def(nb::init<const PyOperators&, std::shared_ptr<Meter>, const Ids&, const Ids&>(), "operators"_a,
             "meter"_a, "goal_pos"_a, "goal_neg"_a)
        .def(
            "plan",
            [](PyRelaxed& python, const State& state) -> std::optional<Ids> {
                if (!python.relaxed->evaluate(words_of(*python.operators, state))) return std::nullopt;
                const auto plan = python.relaxed->plan();
                return Ids{plan.begin(), plan.end()};
            },
            "state"_a, "The operators of a relaxed plan from a state; None for a dead end.")
        .def(
            "preferred",
            [](PyRelaxed& python, const State& state) {
                const Word* words = words_of(*python.operators, state);
                Ids ops;
                if (!python.relaxed->evaluate(words)) return ops;
                for (const std::uint32_t op : python.relaxed->plan())
                    if (python.relaxed->applies(words, op)) ops.push_back(op);
                return ops;
            },
            "state"_a, "The operators of the relaxed plan that apply in the state.")
        .def(
            "effects",
            [](PyRelaxed& python, const State& state) {
                const Word* words = words_of(*python.operators, state);
                State made_true = empty_state(*python.operators);
                State made_false = made_true;
                if (python.relaxed->evaluate(words))
                    python.relaxed->mark_effects(words, made_true.words.data(), made_false.words.data());
                return std::tuple(made_true.atoms(), made_false.atoms());
            },
            "state"_a, "What the relaxed plan makes true and makes false that is not so in the state.")
        .def(
            "landmarks",
            [](PyRelaxed& python,
               const State& state) -> std::optional<std::vector<std::tuple<std::uint32_t, bool>>> {
                const auto found = python.relaxed->landmarks(words_of(*python.operators, state));
                if (!found) return std::nullopt;
                std::vector<std::tuple<std::uint32_t, bool>> all;
                for (std::size_t index = 0; index < found->size(); ++index) all.push_back((*found)[index]);
                return all;
            },
            "state"_a,
            "What every plan from a state shows on its way, as (atom, whether it is to hold); None if there "
            "is "
            "not even a relaxed plan, or if that is too much to find.")
        .def(
            "to_come",
            [](PyRelaxed& python, const std::vector<const State*>& way) -> std::optional<Ids> {
                if (way.empty() || std::find(way.begin(), way.end(), nullptr) != way.end())
                    throw nb::value_error("a way has states, at least one");
                const auto found = python.relaxed->landmarks(words_of(*python.operators, *way.front()));
                if (!found) return std::nullopt;
                std::vector<Word> shown(found->words()), before(found->words());
                Ids counts;
                for (std::size_t place = 0; place < way.size(); ++place) {
                    before = shown;
                    counts.push_back(found->follow(words_of(*python.operators, *way[place]),
                                                   place == 0 ? nullptr : before.data(), shown.data()));
                }
                return counts;
            },
            "way"_a, "How many landmarks of its first state are still to come, for every state of a way.");
}

void bind_base(nb::module_& module) {
    nb::class_<BestFirst>(module, "BestFirst", "A resumable best-first search for whole problems.")
        .def(
            "start",
            [](BestFirst& search) {
                Event event;
                {
                    const Unlocked unlocked;
                    event = search.start();
                }
                return to_tuple(event);
            },
            "Generate the root.")
        .def(
            "resume",
            [](BestFirst& search, std::optional<std::uint64_t> pause_after,
               std::optional<double> pause_seconds) {
                Event event;
                {
                    const Unlocked unlocked;
                    event = search.resume(pause_after.value_or(~std::uint64_t{0}),
                                          pause_seconds.value_or(std::numeric_limits<double>::infinity()));
                }
                return to_tuple(event);
            },
            "pause_after"_a.none() = nb::none(), "pause_seconds"_a.none() = nb::none(),
            "Go on until something happens, or for so many nodes or about so long: (why, node).")
        .def(
            "path",
            [](const BestFirst& search, std::uint32_t node) {
                check_node(search, node);
                return search.tree().path(node);
            },
            "node"_a, "The operators from the root to a node.")
        .def(
            "state",
            [](const BestFirst& search, std::uint32_t node) {
                check_node(search, node);
                return state_of(search.operators(), search.tree().state(node));
            },
            "node"_a)
        .def(
            "node",
            [](const BestFirst& search, std::uint32_t node) {
                check_node(search, node);
                const Tree& tree = search.tree();
                const auto optional = [](std::uint32_t value) {
                    return value == kNone ? std::nullopt : std::optional(value);
                };
                return std::tuple(optional(tree.parent(node)), optional(tree.op(node)), tree.depth(node),
                                  tree.flags(node));
            },
            "node"_a, "A node's columns: (parent, operator, depth, flags).")
        .def(
            "columns", [](const BestFirst& search) { return columns_of(search.tree(), ~std::uint32_t{0}); },
            kColumnsDoc, nb::sig(kColumnsSignature))
        .def_prop_ro("node_count", [](const BestFirst& search) { return search.tree().size(); })
        .def_prop_ro("seconds", &BestFirst::seconds, "Seconds spent in resume.")
        .def_prop_ro("generated", [](const BestFirst& search) { return search.counters().generated; })
        .def_prop_ro("expanded", [](const BestFirst& search) { return search.counters().expanded; })
        .def_prop_ro(
            "pruned", [](const BestFirst& search) { return search.counters().pruned; },
            "Duplicates, and nodes without novelty where those are pruned.")
        .def_prop_ro("pruned_entries", &BestFirst::dead_ends, "The same as dead_ends.")
        .def_prop_ro("dead_ends", &BestFirst::dead_ends, "States without even a relaxed plan.")
        .def_prop_ro("evaluated", &BestFirst::evaluated,
                     "How many states got a relaxed plan, or were found to have none.")
        .def_prop_ro(
            "work", &BestFirst::work,
            "What all nodes so far took besides the usual: what relaxed plans, axioms, landmarks and "
            "tables of pairs looked at, and looks at operators that may be forbidden.")
        .def_prop_ro("depth", [](const BestFirst& search) { return search.counters().depth; });
}

void bind_bfws(nb::module_& module) {
    nb::class_<Bfws, BestFirst>(module, "Bfws", "Best-first width search.")
        .def(
            "__init__",
            [](Bfws* self, const PyOperators& python, std::shared_ptr<Meter> meter, Ids goal_pos,
               Ids goal_neg, std::uint32_t width, bool prune, std::optional<std::uint64_t> max_nodes,
               std::optional<std::uint64_t> pair_bytes, const State* first) {
                BfwsOptions options;
                if (width < 1 || width > 2) throw nb::value_error("the width is 1 or 2");
                options.width = width;
                options.prune = prune;
                options.max_nodes = max_nodes.value_or(~std::uint64_t{0});
                options.first = words_or_none(*python.shared, first);
                if (pair_bytes) options.pair_bytes = *pair_bytes;
                new (self) Bfws(python.shared, std::move(meter),
                                to_goal(*python.shared, std::move(goal_pos), std::move(goal_neg)), options);
            },
            "operators"_a, "meter"_a, "goal_pos"_a, "goal_neg"_a, "width"_a = 2, "prune"_a = false,
            "max_nodes"_a.none() = nb::none(), "pair_bytes"_a.none() = nb::none(),
            "first"_a.none() = nb::none())
        .def(
            "evaluation",
            [](const Bfws& search, std::uint32_t node) {
                check_node(search, node);
                return std::tuple(search.novelty(node), search.goals_open(node), search.reached(node));
            },
            "node"_a, "How a node was judged: (novelty, goals open, relaxed-plan effects seen).");
}

void bind_greedy(nb::module_& module) {
    nb::class_<Greedy, BestFirst>(module, "Greedy", "Lazy greedy best-first search with preferred operators.")
        .def(
            "__init__",
            [](Greedy* self, const PyOperators& python, std::shared_ptr<Meter> meter, Ids goal_pos,
               Ids goal_neg, bool count_goals, bool landmarks, std::uint32_t boost,
               std::optional<std::uint64_t> max_nodes, const State* first) {
                GreedyOptions options;
                options.count_goals = count_goals;
                options.landmarks = landmarks;
                options.boost = boost;
                options.first = words_or_none(*python.shared, first);
                options.max_nodes = max_nodes.value_or(~std::uint64_t{0});
                new (self) Greedy(python.shared, std::move(meter),
                                  to_goal(*python.shared, std::move(goal_pos), std::move(goal_neg)), options);
            },
            "operators"_a, "meter"_a, "goal_pos"_a, "goal_neg"_a, "count_goals"_a = true,
            "landmarks"_a = true, "boost"_a = 1000, "max_nodes"_a.none() = nb::none(),
            "first"_a.none() = nb::none());
}

}  // namespace

void bind_best_first(nb::module_& module) {
    bind_relaxed(module);
    bind_base(module);
    bind_bfws(module);
    bind_greedy(module);
}
