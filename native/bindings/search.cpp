// Python's view of the resumable search.
#include "width/search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/columns.hpp"
#include "bindings/novelty.hpp"
#include "bindings/operators.hpp"
#include "bindings/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

namespace {

using Ids = std::vector<std::uint32_t>;
using Level = std::variant<Ids, nb::callable>;
using EventTuple = std::tuple<Stop, std::optional<std::uint32_t>, std::uint32_t>;

EventTuple to_tuple(const Event& event) {
    return {event.stop, event.node == kNone ? std::nullopt : std::optional(event.node), event.level};
}

// Literals as Python has them: an atom, or ~atom for its falsehood.
std::vector<std::int64_t> to_features(const std::vector<std::uint32_t>& literals) {
    std::vector<std::int64_t> features;
    for (const std::uint32_t literal : literals) {
        const auto atom = static_cast<std::int64_t>(literal >> 1);
        features.push_back((literal & 1U) != 0 ? ~atom : atom);
    }
    return features;
}

std::vector<Abstraction> to_abstractions(const std::shared_ptr<const Operators>& operators,
                                         std::vector<Level> levels) {
    std::vector<Abstraction> abstractions;
    for (Level& level : levels) {
        Abstraction abstraction;
        if (auto* literals = std::get_if<Ids>(&level)) {
            for (const std::uint32_t literal : *literals)
                if (literal / 2 >= operators->task().atom_count)
                    throw nb::index_error("an atom is out of range");
            abstraction.literals = std::move(*literals);
        } else {
            abstraction.function = [function = std::get<nb::callable>(level), operators](const Word* state) {
                const Locked gil;
                return nb::cast<std::uint64_t>(function(state_of(*operators, state)));
            };
        }
        abstractions.push_back(std::move(abstraction));
    }
    return abstractions;
}

void check_node(const Search& search, std::uint32_t node) {
    if (node >= search.tree().size()) throw nb::index_error("no such node");
}

void check_region(const Search& search, std::uint32_t region) {
    if (region >= search.region_count()) throw nb::index_error("no such region");
}

void check_table(const Search& search, std::size_t level, std::size_t more, const Table& table) {
    if (level >= search.level_count()) throw nb::value_error("this search has no such level");
    const std::size_t features = search.level(level).literals.size() + more;
    // Tables and abstract states are compared word by word, so they must have as many words.
    if (search.level(level).function || features > table.feature_count ||
        std::max<std::size_t>(1, words_for(features)) !=
            std::max<std::size_t>(1, words_for(table.feature_count)))
        throw nb::value_error("the novelty table is not over the features of this level");
}

}  // namespace

void bind_search(nb::module_& module) {
    nb::enum_<Stop>(module, "Stop", "Why a search came back.")
        .value("SOLVED", Stop::solved)
        .value("ENTERED", Stop::entered)
        .value("EXHAUSTED", Stop::exhausted)
        .value("PAUSED", Stop::paused)
        .value("OUT_OF_NODES", Stop::out_of_nodes)
        .value("OUT_OF_TIME", Stop::out_of_time)
        .value("OUT_OF_MEMORY", Stop::out_of_memory)
        .value("INTERRUPTED", Stop::interrupted);

    nb::class_<Search>(module, "Search", "A resumable width search over a task; regions colour its one tree.")
        .def(
            "__init__",
            [](Search* self, const PyOperators& python, std::shared_ptr<Meter> meter,
               std::vector<Level> levels, Ids goal_pos, Ids goal_neg, std::uint32_t width, bool depth_first,
               bool record_pruned, bool entry_in_table, std::optional<std::uint64_t> max_nodes,
               std::uint64_t seed, Ids one_of, const State* first) {
                const std::shared_ptr<const Operators> operators = python.shared;
                for (const Ids* goal : {&goal_pos, &goal_neg})
                    for (const std::uint32_t atom : *goal)
                        if (atom >= operators->task().atom_count)
                            throw nb::index_error("an atom is out of range");
                SearchOptions options;
                options.width = width;
                options.depth_first = depth_first;
                options.record_pruned = record_pruned;
                options.entry_in_table = entry_in_table;
                options.max_nodes = max_nodes.value_or(~std::uint64_t{0});
                options.seed = seed;
                for (const std::uint32_t literal : one_of) check_atoms(*operators, {literal / 2});
                options.one_of = std::move(one_of);
                options.first = words_or_none(*operators, first);
                auto abstractions = to_abstractions(operators, std::move(levels));
                new (self)
                    Search(operators, std::move(meter), std::move(abstractions), goal_pos, goal_neg, options);
            },
            "operators"_a, "meter"_a, "levels"_a, "goal_pos"_a, "goal_neg"_a, "width"_a = 1,
            "depth_first"_a = false, "record_pruned"_a = false, "entry_in_table"_a = true,
            "max_nodes"_a.none() = nb::none(), "seed"_a = 0, "one_of"_a = Ids{},
            "first"_a.none() = nb::none())
        .def(
            "start", [](Search& search) { return to_tuple(search.start()); },
            "Generate the root and open region 0 at it.")
        .def(
            "open_region",
            [](Search& search, std::uint32_t node) {
                check_node(search, node);
                const std::uint32_t region = search.open_region(node);
                if (region == kNone) throw std::bad_alloc();
                return region;
            },
            "node"_a, "Open a region at an entry.")
        .def(
            "reject",
            [](Search& search, std::uint32_t node) {
                check_node(search, node);
                search.reject(node);
            },
            "node"_a, "Prune an entry that has no novelty at its level.")
        .def(
            "resume",
            [](Search& search, std::uint32_t region, const std::vector<Table*>& tables,
               std::optional<std::uint64_t> pause_after) {
                check_region(search, region);
                std::vector<NoveltyTable*> plain;
                for (Table* table : tables) {
                    if (table) check_table(search, plain.size(), 0, *table);
                    plain.push_back(table ? table->table.get() : nullptr);
                }
                Event event;
                {
                    const Unlocked unlocked;
                    event = search.resume(region, plain, pause_after.value_or(~std::uint64_t{0}));
                }
                raise_pending();
                return to_tuple(event);
            },
            "region"_a, "tables"_a = std::vector<Table*>{}, "pause_after"_a.none() = nb::none(),
            "Go on with a region until something happens: (why, node, level).",
            nb::sig("def resume(self, region: int, tables: Sequence[NoveltyTable | None] = [], pause_after: "
                    "int | "
                    "None = None) -> tuple[Stop, int | None, int]"))
        .def(
            "candidates",
            [](const Search& search, std::uint32_t node) {
                check_node(search, node);
                return to_features(search.candidates(node));
            },
            "node"_a, "What a pruned node proposes as features: atoms, or ~atom for one that became false.")
        .def(
            "discover",
            [](Search& search,
               bool random) -> std::optional<std::pair<std::uint32_t, std::vector<std::int64_t>>> {
                auto found = search.discover(random);
                if (!found) return std::nullopt;
                return std::pair(found->node, to_features(found->literals));
            },
            "random"_a,
            "Pop pruned nodes until one proposes features: (node, atoms, or ~atom for one that became "
            "false).")
        .def(
            "restructure",
            [](Search& search, const Ids& literals, Table& table, bool fresh_table, bool rebuild_changed,
               bool wake) {
                check_table(search, search.level_count() - 1, literals.size(), table);
                for (const std::uint32_t literal : literals)
                    if (literal / 2 >= search.operators().task().atom_count)
                        throw nb::index_error("an atom is out of range");
                std::optional<Ids> open;
                try {
                    const Unlocked unlocked;
                    open = search.restructure(literals, *table.table, {fresh_table, rebuild_changed, wake});
                } catch (const Halted& halted) {
                    raise_halted(halted);
                }
                if (!open) throw std::bad_alloc();
                return *open;
            },
            "literals"_a, "table"_a, "fresh_table"_a = true, "rebuild_changed"_a = true, "wake"_a = false,
            "Add features to the level above the regions and recolour the tree; returns the regions to "
            "continue with.")
        .def(
            "abstract",
            [](const Search& search, std::uint32_t region, std::size_t level) {
                check_region(search, region);
                if (level >= search.level_count()) throw nb::index_error("no such level");
                const auto words = search.abstract_of(region, level);
                if (search.level(level).function) return Ids{static_cast<std::uint32_t>(words[0])};
                Ids features;
                for_each_bit(words.data(), words.size(), [&](std::uint32_t bit) { features.push_back(bit); });
                return features;
            },
            "region"_a, "level"_a,
            "The abstract state of a region: its true features, or its function's value.")
        .def(
            "path",
            [](const Search& search, std::uint32_t node) {
                check_node(search, node);
                return search.tree().path(node);
            },
            "node"_a, "The operators from the root to a node.")
        .def(
            "state",
            [](Search& search, std::uint32_t node) {
                check_node(search, node);
                return state_of(search.operators(), search.state_of(node).data());
            },
            "node"_a)
        .def(
            "node",
            [](const Search& search, std::uint32_t node) {
                check_node(search, node);
                const Tree& tree = search.tree();
                const auto optional = [](std::uint32_t value) {
                    return value == kNone ? std::nullopt : std::optional(value);
                };
                return std::tuple(optional(tree.parent(node)), optional(tree.op(node)), tree.depth(node),
                                  optional(tree.region(node)), tree.flags(node) & ~std::uint32_t{kTraceless});
            },
            "node"_a, "A node's columns: (parent, operator, depth, region, flags).")
        .def(
            "columns",
            [](const Search& search) { return columns_of(search.tree(), ~std::uint32_t{kTraceless}); },
            kColumnsDoc, nb::sig(kColumnsSignature))
        .def(
            "region_root",
            [](const Search& search, std::uint32_t region) {
                check_region(search, region);
                return search.region(region).root;
            },
            "region"_a)
        .def_prop_ro("region_count", &Search::region_count)
        .def_prop_ro("alive_count", &Search::alive_count, "How many regions are alive.")
        .def_prop_ro("node_count", [](const Search& search) { return search.tree().size(); })
        .def_prop_ro("seconds", &Search::seconds, "Seconds spent in resume.")
        .def_prop_ro("generated", [](const Search& search) { return search.counters().generated; })
        .def_prop_ro("expanded", [](const Search& search) { return search.counters().expanded; })
        .def_prop_ro("pruned", [](const Search& search) { return search.counters().pruned; })
        .def_prop_ro("pruned_entries", [](const Search& search) { return search.counters().pruned_entries; })
        .def_prop_ro("depth", [](const Search& search) { return search.counters().depth; });
    module.attr("PRUNED") = static_cast<std::uint32_t>(kPruned);
    module.attr("EXPANDED") = static_cast<std::uint32_t>(kExpanded);
    module.attr("ENTRY") = static_cast<std::uint32_t>(kEntry);
    module.attr("GOAL") = static_cast<std::uint32_t>(kGoal);
}
