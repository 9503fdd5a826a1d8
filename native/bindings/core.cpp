// Python's view of the grounded task and the meter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/meter.hpp"
#include "core/task.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using widthwise::Halt;
using widthwise::Meter;
using widthwise::Rows;
using widthwise::Task;

namespace {

using Ids = std::vector<std::uint32_t>;
using ConditionalEffect = std::tuple<Ids, Ids, std::uint32_t, bool>;
using OperatorSpec = std::tuple<Ids, Ids, Ids, Ids, double, std::vector<ConditionalEffect>>;
using AxiomSpec = std::tuple<std::uint32_t, Ids, Ids, std::uint32_t>;

Ids to_list(std::span<const std::uint32_t> row) {
    return {row.begin(), row.end()};
}

Ids sorted_unique(Ids ids, std::uint32_t atom_count) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (!ids.empty() && ids.back() >= atom_count) throw std::invalid_argument("an atom is out of range");
    return ids;
}

// A task written out by hand: for tests and for tasks that do not come from PDDL.
std::shared_ptr<Task> build_task(std::uint32_t atom_count, const std::vector<OperatorSpec>& operators,
                                 const std::vector<AxiomSpec>& axioms, Ids init, Ids goal_pos, Ids goal_neg) {
    auto task = std::make_shared<Task>();
    task->atom_count = atom_count;
    for (const auto& [pos, neg, add, del, cost, effects] : operators) {
        task->pre_pos.append(sorted_unique(pos, atom_count));
        task->pre_neg.append(sorted_unique(neg, atom_count));
        const Ids adds = sorted_unique(add, atom_count);
        Ids dels = sorted_unique(del, atom_count);
        std::erase_if(dels,
                      [&](std::uint32_t atom) { return std::binary_search(adds.begin(), adds.end(), atom); });
        task->add.append(adds);
        task->del.append(dels);
        task->cost.push_back(cost);
        Ids effect_ids;
        for (const auto& [when_pos, when_neg, atom, adds_atom] : effects) {
            if (atom >= atom_count) throw std::invalid_argument("an atom is out of range");
            effect_ids.push_back(static_cast<std::uint32_t>(task->effect_atom.size()));
            task->effect_pos.append(sorted_unique(when_pos, atom_count));
            task->effect_neg.append(sorted_unique(when_neg, atom_count));
            task->effect_atom.push_back(atom);
            task->effect_adds.push_back(adds_atom ? 1 : 0);
        }
        task->conditional.append(effect_ids);
        task->operator_schema.push_back(0);
        task->operator_args.append({});
    }
    task->derived.assign(atom_count, 0);
    for (const auto& [head, pos, neg, layer] : axioms) {
        if (head >= atom_count) throw std::invalid_argument("an atom is out of range");
        if (!task->axiom_layer.empty() && layer < task->axiom_layer.back())
            throw std::invalid_argument("axioms must be ordered by layer");
        task->axiom_pos.append(sorted_unique(pos, atom_count));
        task->axiom_neg.append(sorted_unique(neg, atom_count));
        task->axiom_head.push_back(head);
        task->axiom_layer.push_back(layer);
        task->derived[head] = 1;
    }
    task->init = sorted_unique(std::move(init), atom_count);
    task->goal_pos = sorted_unique(std::move(goal_pos), atom_count);
    task->goal_neg = sorted_unique(std::move(goal_neg), atom_count);
    for (std::uint32_t atom = 0; atom < atom_count; ++atom) {
        task->atom_predicate.push_back(atom);
        task->atom_args.append({});
    }
    return task;
}

// Lets Python handle pending signals. True if one of them asks to stop. Ctrl-C is swallowed, because the
// kernel then ends by itself and reports what it found; any other exception stays pending and is raised when
// the kernel returns.
bool signals_say_stop() {
    const Locked gil;
    if (PyErr_CheckSignals() == 0) return false;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) PyErr_Clear();
    return true;
}

}  // namespace

void bind_core(nb::module_& module) {
    nb::enum_<Halt>(module, "Halt", "Why a kernel had to stop before it was done.")
        .value("NONE", Halt::none)
        .value("TIME", Halt::time)
        .value("MEMORY", Halt::memory)
        .value("INTERRUPTED", Halt::interrupted);

    nb::class_<Meter>(module, "Meter", "What a run may use and has used: seconds and bytes; hears Ctrl-C.")
        .def(
            "__init__",
            [](Meter* self, std::optional<double> seconds, std::optional<std::uint64_t> bytes) {
                new (self) Meter(seconds.value_or(std::numeric_limits<double>::infinity()),
                                 bytes.value_or(std::numeric_limits<std::uint64_t>::max()), signals_say_stop);
            },
            "seconds"_a.none() = nb::none(), "bytes"_a.none() = nb::none())
        .def_prop_ro("seconds", &Meter::seconds, "Seconds since the meter was made.")
        .def_prop_ro("bytes", &Meter::bytes, "Bytes charged now.")
        .def_prop_ro("peak_bytes", &Meter::peak_bytes, "The most bytes that were charged at one time.")
        .def("charge", &Meter::charge, "bytes"_a, "Charge memory; False if that would pass the limit.")
        .def("release", &Meter::release, "bytes"_a, "Give charged memory back.")
        .def("interrupt", &Meter::interrupt, "Ask every kernel that uses this meter to stop.")
        .def_prop_ro("signalled", &Meter::signalled,
                     "Whether Ctrl-C asked to stop, and not the owner of the meter by `interrupt`.")
        .def("poll", &Meter::poll, "Why to stop now, if at all.");

    nb::class_<Task>(module, "GroundedTask",
                     "A grounded task: atoms, operators, axioms, initial state and goal as numbers.")
        .def_static(
            "build", &build_task, "atom_count"_a, "operators"_a, "axioms"_a, "init"_a, "goal_pos"_a,
            "goal_neg"_a,
            "A task written out by hand. An operator is (pre_pos, pre_neg, add, delete, cost, effects), an "
            "effect (pos, neg, atom, adds), an axiom (head, pos, neg, layer).")
        .def_ro("atom_count", &Task::atom_count)
        .def_prop_ro("operator_count", &Task::operator_count)
        .def_prop_ro("axiom_count", [](const Task& task) { return task.axiom_head.size(); })
        .def_ro("init", &Task::init)
        .def_ro("goal_pos", &Task::goal_pos)
        .def_ro("goal_neg", &Task::goal_neg)
        .def_ro("goal_reachable", &Task::goal_reachable)
        .def_ro("atom_predicate", &Task::atom_predicate)
        .def_ro("operator_schema", &Task::operator_schema)
        .def_ro("cost", &Task::cost)
        .def_prop_ro("derived",
                     [](const Task& task) {
                         Ids atoms;
                         for (std::uint32_t atom = 0; atom < task.atom_count; ++atom)
                             if (task.derived[atom]) atoms.push_back(atom);
                         return atoms;
                     })
        .def(
            "atom_args", [](const Task& task, std::size_t atom) { return to_list(task.atom_args[atom]); },
            "atom"_a)
        .def(
            "operator_args", [](const Task& task, std::size_t op) { return to_list(task.operator_args[op]); },
            "op"_a)
        .def(
            "pre_pos", [](const Task& task, std::size_t op) { return to_list(task.pre_pos[op]); }, "op"_a)
        .def(
            "pre_neg", [](const Task& task, std::size_t op) { return to_list(task.pre_neg[op]); }, "op"_a)
        .def(
            "add", [](const Task& task, std::size_t op) { return to_list(task.add[op]); }, "op"_a)
        .def(
            "delete", [](const Task& task, std::size_t op) { return to_list(task.del[op]); }, "op"_a)
        .def(
            "effects",
            [](const Task& task, std::size_t op) {
                std::vector<ConditionalEffect> effects;
                for (const std::uint32_t effect : task.conditional[op])
                    effects.emplace_back(to_list(task.effect_pos[effect]), to_list(task.effect_neg[effect]),
                                         task.effect_atom[effect], task.effect_adds[effect] != 0);
                return effects;
            },
            "op"_a, "The conditional effects of an operator: (pos, neg, atom, adds) each.")
        .def(
            "axiom",
            [](const Task& task, std::size_t axiom) {
                return AxiomSpec(task.axiom_head[axiom], to_list(task.axiom_pos[axiom]),
                                 to_list(task.axiom_neg[axiom]), task.axiom_layer[axiom]);
            },
            "axiom"_a, "An axiom: (head, pos, neg, layer).");
}
