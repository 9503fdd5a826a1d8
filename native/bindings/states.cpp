// Python's view of states, and of operators and successors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
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

// A state in a few words: its atoms by number, the first ones if there are many.
std::string describe(const State& state) {
    constexpr std::size_t kShown = 8;
    const Ids atoms = state.atoms();
    std::string text = "State({";
    for (std::size_t index = 0; index < std::min(atoms.size(), kShown); ++index)
        text += (index == 0 ? "" : ", ") + std::to_string(atoms[index]);
    return text + (atoms.size() > kShown ? ", ...}: " + std::to_string(atoms.size()) + " atoms)" : "})");
}

void bind_state(nb::module_& module) {
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
                 if (atom_words > words.size())
                     throw nb::value_error("these are not the values of a pickled state");
                 new (&state) State{std::move(words), atom_words, layout};
             })
        .def("atoms", &State::atoms, "The numbers of the atoms that hold, ascending.");
}

void bind_operators(nb::module_& module) {
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

}  // namespace

void bind_states(nb::module_& module) {
    bind_state(module);
    bind_operators(module);
    module.def(
        "wanted_false",
        [](const Task& task, const Ids& goal_neg) {
            for (const std::uint32_t atom : goal_neg)
                if (atom >= task.atom_count) throw nb::index_error("an atom is out of range");
            const Unlocked unlocked;
            return wanted_false(task, goal_neg);
        },
        "task"_a, "goal_neg"_a, "The atoms that a condition, an axiom or the goal wants false, ascending.");
}
