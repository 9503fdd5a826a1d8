// Python's view of tasks read from their goals.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/operators.hpp"
#include "invert/inverse.hpp"
#include "invert/mutexes.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

void bind_invert(nb::module_& module) {
    using Ids = std::vector<std::uint32_t>;
    nb::class_<Inverse>(
        module, "Inverse",
        "A task read from its goal: its states are what has to hold, its plans run backwards.")
        .def_prop_ro(
            "operators",
            [](const Inverse& inverse) -> std::optional<PyOperators> {
                if (!inverse.operators) return std::nullopt;
                return PyOperators(inverse.operators);
            },
            "The operators of the inverse task; none if it is large or contradictory.")
        .def_prop_ro(
            "unwanted",
            [](const Inverse& inverse) {
                return inverse.operators ? inverse.operators->task().goal_neg : Ids();
            },
            "The goal of the inverse task: none of these atoms has to hold any more.")
        .def_ro("operator_of", &Inverse::operator_of,
                "Per operator of the inverse task, the operator it stands for.")
        .def_ro("large", &Inverse::large, "Whether making it would have been more work than allowed.")
        .def_ro("contradictory", &Inverse::contradictory,
                "Whether pairs of atoms show that no state that can be reached has all goals.");
    module.def(
        "invert",
        [](const PyOperators& python, Meter& meter, const Ids& goal_pos, const Ids& goal_neg,
           const State& first, std::optional<std::uint64_t> seed, std::uint64_t most_words,
           std::uint64_t most_bytes) {
            const Operators& operators = *python.shared;
            check_atoms(operators, goal_pos);
            check_atoms(operators, goal_neg);
            const Word* words = words_of(operators, first);
            const InverseOptions options{seed, most_words, most_bytes};
            try {
                const Unlocked unlocked;
                return invert(operators, words, goal_pos, goal_neg, options, meter);
            } catch (const Halted& halted) {
                raise_halted(halted);
            }
        },
        "operators"_a, "meter"_a, "goal_pos"_a, "goal_neg"_a, "first"_a, "seed"_a.none() = nb::none(),
        "most_words"_a = InverseOptions().most_words, "most_bytes"_a = InverseOptions().most_bytes,
        nb::keep_alive<0, 2>(),
        "The inverse of a task without conditional effects and axioms, from a first state to a goal. A meter "
        "that says to stop ends it with an InterruptedError, one that has no memory left with a "
        "MemoryError.");
    nb::class_<Mutexes>(
        module, "Mutexes",
        "Pairs of literals that exclude each other in every reachable state (h^2). A literal is "
        "the number n of an atom that is true, or ~n for one that is false.")
        .def(
            "__init__",
            [](Mutexes* self, const PyOperators& python, Meter& meter, const Ids& goal_pos,
               const Ids& goal_neg, const State& first, std::uint64_t most_words, std::uint64_t most_bytes) {
                const Operators& operators = *python.shared;
                check_atoms(operators, goal_pos);
                check_atoms(operators, goal_neg);
                const Word* words = words_of(operators, first);
                const InverseOptions options{std::nullopt, most_words, most_bytes};
                try {
                    const Unlocked unlocked;
                    new (self) Mutexes(operators, words, goal_pos, goal_neg, options, meter);
                } catch (const Halted& halted) {
                    raise_halted(halted);
                }
            },
            "operators"_a, "meter"_a, "goal_pos"_a, "goal_neg"_a, "first"_a,
            "most_words"_a = InverseOptions().most_words, "most_bytes"_a = InverseOptions().most_bytes,
            nb::keep_alive<1, 3>())
        .def_prop_ro("complete", &Mutexes::complete, "Whether the pairs were found within the limits.")
        .def(
            "among",
            [](const Mutexes& self, const std::vector<std::int64_t>& literals) {
                return self.among(literals);
            },
            "literals"_a,
            "The first two of these literals that exclude each other; twice the same one if it never holds.");
}
