// Python's view of states, novelty tables and the resumable search.
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
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/operators.hpp"
#include "bindings/state.hpp"
#include "state/complements.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

namespace {

using Ids = std::vector<std::uint32_t>;
using Level = std::variant<Ids, nb::callable>;
using EventTuple = std::tuple<Stop, std::optional<std::uint32_t>, std::uint32_t>;

// A novelty table that keeps its meter alive.
struct Table {
    std::shared_ptr<Meter> meter;
    std::size_t feature_count;
    std::unique_ptr<NoveltyTable> table;
    std::shared_ptr<const Operators> operators;  // of a table over the features of a task's states
    std::vector<Word> fitted, fitted_before;

    Table(std::shared_ptr<Meter> shared_meter, const PyOperators& python, std::uint32_t width)
        : Table(std::move(shared_meter), python.shared->feature_bits(), width) {
        operators = python.shared;
    }
    Table(std::shared_ptr<Meter> shared_meter, std::size_t features, std::uint32_t width)
        : meter(std::move(shared_meter)),
          feature_count(features),
          table(make_table(*meter, features, width)) {
        if (!table) throw std::bad_alloc();
    }

    std::vector<Word> pack(const Ids& features) const {
        std::vector<Word> words(std::max<std::size_t>(1, words_for(feature_count)), 0);
        for (const std::uint32_t feature : features) {
            if (feature >= feature_count) throw nb::index_error("a feature is out of range");
            set_bit(words.data(), feature);
        }
        return words;
    }
    const Word* check(const State& state, std::vector<Word>& into) const {
        if (operators) return words_of(*operators, state, into);
        if (state.words.size() < words_for(feature_count))
            throw nb::value_error("the state is of another task");
        return state.words.data();
    }
    const Word* check(const State& state) { return check(state, fitted); }
    const Word* check_before(const State* state) { return state ? check(*state, fitted_before) : nullptr; }
    void insert(const Word* before, const Word* state) {
        if (!table->insert(before, state)) throw std::bad_alloc();
    }
    bool take(const Word* before, const Word* state) {
        if (!table->novel(before, state)) return false;
        insert(before, state);
        return true;
    }
};

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

// A state in a few words: its atoms by number, the first ones if there are many.
std::string describe(const State& state) {
    constexpr std::size_t kShown = 8;
    const Ids atoms = state.atoms();
    std::string text = "State({";
    for (std::size_t index = 0; index < std::min(atoms.size(), kShown); ++index)
        text += (index == 0 ? "" : ", ") + std::to_string(atoms[index]);
    return text + (atoms.size() > kShown ? ", ...}: " + std::to_string(atoms.size()) + " atoms)" : "})");
}

void bind_states(nb::module_& module) {
    nb::class_<State>(module, "State", "A set of atoms that hold; immutable and hashable.")
        .def("__contains__", &State::holds, "atom"_a)
        .def("__len__",
             [](const State& state) {
                 std::size_t count = 0;
                 for (std::size_t word = 0; word < state.atom_words; ++word)
                     count += static_cast<std::size_t>(std::popcount(state.words[word]));
                 return count;
             })
        .def(
            "__iter__", [](const State& state) { return nb::iter(nb::cast(state.atoms())); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"))
        .def("__hash__",
             [](const State& state) { return hash_words(state.words.data(), state.atom_words) >> 2; })
        .def(
            "__eq__",
            [](const State& state, nb::handle other) {
                return nb::isinstance<State>(other) && nb::cast<const State&>(other) == state;
            },
            "other"_a.none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__repr__", &describe)
        // Words as whole numbers, so that a pickle means the same on every machine.
        .def("__getstate__",
             [](const State& state) { return std::tuple(state.words, state.atom_words, state.layout); })
        .def("__setstate__",
             [](State& state, std::tuple<std::vector<Word>, std::size_t, std::uint64_t> pickled) {
                 auto& [words, atom_words, layout] = pickled;
                 if (atom_words > words.size()) throw nb::value_error("this is no pickled state");
                 new (&state) State{std::move(words), atom_words, layout};
             })
        .def("atoms", &State::atoms, "The numbers of the atoms that hold, ascending.");

    nb::class_<PyOperators>(module, "Operators",
                            "A task's operators in the order they are tried, and what applies.")
        .def(
            "__init__",
            [](PyOperators* self, std::shared_ptr<const Task> task, std::optional<std::uint64_t> seed,
               Meter* meter, Ids complements) {
                std::sort(complements.begin(), complements.end());
                complements.erase(std::unique(complements.begin(), complements.end()), complements.end());
                if (!complements.empty() && complements.back() >= task->atom_count)
                    throw nb::index_error("an atom is out of range");
                try {
                    const Unlocked unlocked;
                    new (self) PyOperators(std::make_shared<const Operators>(
                        std::move(task), seed, meter, Forbidden{}, std::move(complements)));
                } catch (const Halted& halted) {
                    raise_halted(halted);
                }
            },
            "task"_a, "seed"_a.none() = nb::none(), "meter"_a.none() = nb::none(), "complements"_a = Ids{},
            "Prepare a task's operators for searching; novelty also looks at the falsehood of the atoms in "
            "`complements`. A meter that says to stop ends it with an InterruptedError, one that has no "
            "memory left with a MemoryError.")
        .def_prop_ro("order",
                     [](const PyOperators& python) {
                         const Operators& operators = *python.shared;
                         Ids order;
                         for (std::size_t rank = 0; rank < operators.count(); ++rank)
                             order.push_back(operators.operator_at(rank));
                         return order;
                     })
        .def_prop_ro("count", [](const PyOperators& python) { return python.shared->count(); })
        .def_prop_ro("atom_count", [](const PyOperators& python) { return python.shared->task().atom_count; })
        .def_prop_ro(
            "complements", [](const PyOperators& python) { return python.shared->complements(); },
            "The atoms whose falsehood is a feature as well.")
        .def_prop_ro(
            "feature_bits", [](const PyOperators& python) { return python.shared->feature_bits(); },
            "The size of a novelty table over the features of a state.")
        .def_prop_ro("bytes", [](const PyOperators& python) { return python.shared->bytes(); })
        .def_prop_ro(
            "plain", [](const PyOperators& python) { return python.shared->all_plain(); },
            "Whether all that ever happens is adding and deleting: no conditional effects, no axioms.")
        .def_prop_ro(
            "first",
            [](PyOperators& python) {
                State state = empty_state(*python.shared);
                for (const std::uint32_t atom : python.shared->task().init) set_bit(state.words.data(), atom);
                python.expander.derive(state.words.data());
                return state;
            },
            "The task's first state.")
        .def(
            "state",
            [](PyOperators& python, const Ids& atoms) {
                const Operators& operators = *python.shared;
                State state = empty_state(operators);
                for (const std::uint32_t atom : atoms) {
                    if (atom >= operators.task().atom_count) throw nb::index_error("an atom is out of range");
                    set_bit(state.words.data(), atom);
                }
                python.expander.derive(state.words.data());
                return state;
            },
            "atoms"_a, "The state in which these atoms hold, and what the axioms derive from them.")
        .def(
            "applicable",
            [](PyOperators& python, const State& state) {
                const Operators& operators = *python.shared;
                Ids ops;
                python.expander.collect(words_of(operators, state));
                python.expander.take(0, [&](std::size_t rank) {
                    ops.push_back(operators.operator_at(rank));
                    return true;
                });
                return ops;
            },
            "state"_a, "The operators that apply in a state, in the order they are tried.")
        .def(
            "apply",
            [](PyOperators& python, const State& state, std::uint32_t op) {
                const Operators& operators = *python.shared;
                if (op >= operators.count()) throw nb::index_error("no such operator");
                State child = empty_state(operators);
                python.expander.apply(words_of(operators, state, python.fitted), operators.rank_of(op),
                                      child.words.data());
                return child;
            },
            "state"_a, "op"_a, "The state after an operator; whether it applies is not checked.")
        .def(
            "successors",
            [](PyOperators& python, const State& state) {
                const Operators& operators = *python.shared;
                std::vector<std::pair<std::uint32_t, State>> successors;
                const Word* words = words_of(operators, state, python.fitted);
                python.expander.collect(words);
                python.expander.take(0, [&](std::size_t rank) {
                    State child = empty_state(operators);
                    python.expander.apply(words, rank, child.words.data());
                    successors.emplace_back(operators.operator_at(rank), std::move(child));
                    return true;
                });
                return successors;
            },
            "state"_a, "All (operator, state after it) of a state: one call expands a node.");
}

void bind_novelty(nb::module_& module) {
    nb::class_<Table>(module, "NoveltyTable",
                      "Which tuples of features, of size up to the width, were seen together.")
        .def(nb::init<std::shared_ptr<Meter>, std::size_t, std::uint32_t>(), "meter"_a, "feature_count"_a,
             "width"_a)
        .def(nb::init<std::shared_ptr<Meter>, const PyOperators&, std::uint32_t>(), "meter"_a, "operators"_a,
             "width"_a, "A table over the features of the states of these operators.")
        .def(
            "novel",
            [](Table& table, const State& state, const State* before) {
                return table.table->novel(table.check_before(before), table.check(state));
            },
            "state"_a, "before"_a.none() = nb::none(),
            "Whether the state shows a tuple not seen before. Tuples of `before` must have been seen.")
        .def(
            "novel",
            [](Table& table, const Ids& features) {
                return table.table->novel(nullptr, table.pack(features).data());
            },
            "features"_a)
        .def(
            "take",
            [](Table& table, const State& state, const State* before) {
                return table.take(table.check_before(before), table.check(state));
            },
            "state"_a, "before"_a.none() = nb::none(), "The same, and remember the state if it is novel.")
        .def(
            "take",
            [](Table& table, const Ids& features) {
                return table.take(nullptr, table.pack(features).data());
            },
            "features"_a)
        .def(
            "insert", [](Table& table, const State& state) { table.insert(nullptr, table.check(state)); },
            "state"_a, "Remember all tuples of a state.")
        .def(
            "insert",
            [](Table& table, const Ids& features) { table.insert(nullptr, table.pack(features).data()); },
            "features"_a)
        .def_prop_ro("bytes", [](const Table& table) { return table.table->bytes(); })
        .def_prop_ro("sparse", [](const Table& table) {
            const auto* pairs = dynamic_cast<const PairTable*>(table.table.get());
            return pairs != nullptr && pairs->sparse();
        });
    module.attr("ALL_FEATURES") = kAllFeatures;
}

void bind_resumable_search(nb::module_& module) {
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
            "Add features to the level above the regions and recolour the tree; returns the regions to go on "
            "with.")
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
            "region_root",
            [](const Search& search, std::uint32_t region) {
                check_region(search, region);
                return search.region(region).root;
            },
            "region"_a)
        .def_prop_ro("region_count", &Search::region_count)
        .def_prop_ro("alive_count", &Search::alive_count, "How many regions are alive.")
        .def_prop_ro("node_count", [](const Search& search) { return search.tree().size(); })
        .def_prop_ro("pending_pruned", &Search::pending_pruned,
                     "Pruned nodes that discovery has not looked at yet.")
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

}  // namespace

void bind_search(nb::module_& module) {
    bind_states(module);
    module.def(
        "wanted_false",
        [](const Task& task, const Ids& goal_neg) {
            for (const std::uint32_t atom : goal_neg)
                if (atom >= task.atom_count) throw nb::index_error("an atom is out of range");
            const Unlocked unlocked;
            return wanted_false(task, goal_neg);
        },
        "task"_a, "goal_neg"_a, "The atoms that a condition, an axiom or the goal wants false, ascending.");
    bind_novelty(module);
    bind_resumable_search(module);
}
