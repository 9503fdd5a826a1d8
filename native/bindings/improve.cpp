// Python's view of plan improvement.
#include "improve/improve.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <optional>
#include <tuple>

#include "bindings/bindings.hpp"
#include "bindings/operators.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

namespace {

using Ids = std::vector<std::uint32_t>;
using PyPlan = nb::typed<nb::list, std::uint32_t>;

void check_steps(const Improver& improver, const Steps& plan) {
    for (const std::uint32_t op : plan)
        if (op >= improver.operators().count()) throw nb::index_error("no such operator");
}

}  // namespace

void bind_improve(nb::module_& module) {
    nb::class_<Improver>(module, "Improver", "Makes plans, lists of operators, cheaper.")
        .def(
            "__init__",
            [](Improver* self, const PyOperators& python, std::shared_ptr<Meter> meter,
               std::vector<double> weights, const Ids& goal_pos, const Ids& goal_neg) {
                const Operators& operators = *python.shared;
                if (weights.size() != operators.count())
                    throw nb::value_error("there is one weight per operator");
                for (const double weight : weights)
                    if (!(weight > 0)) throw nb::value_error("weights are above 0");
                for (const Ids* goal : {&goal_pos, &goal_neg})
                    for (const std::uint32_t atom : *goal)
                        if (atom >= operators.task().atom_count)
                            throw nb::index_error("an atom is out of range");
                new (self) Improver(python.shared, std::move(meter), std::move(weights), goal_pos, goal_neg);
            },
            "operators"_a, "meter"_a, "weights"_a, "goal_pos"_a, "goal_neg"_a)
        .def(
            "valid",
            [](Improver& improver, const Steps& plan) {
                check_steps(improver, plan);
                return improver.valid(plan);
            },
            "plan"_a, "Whether every step applies and the goal holds in the end.")
        .def(
            "eliminate",
            [](Improver& improver, const Steps& plan, bool greedy) {
                check_steps(improver, plan);
                try {
                    const Unlocked unlocked;
                    return improver.eliminate(plan, greedy);
                } catch (const Halted& halted) {
                    raise_halted(halted);
                }
            },
            "plan"_a, "greedy"_a = true,
            "Drop steps, each with those that then do not apply, as long as the goal is reached: the most "
            "expensive set first, or all in one pass.")
        .def(
            "gather",
            [](const Improver& improver, const Steps& plan) {
                check_steps(improver, plan);
                const Unlocked unlocked;
                return improver.gather(plan);
            },
            "plan"_a, "The same steps in an order in which those that need each other stand together.")
        .def(
            "replace",
            [](Improver& improver, PyPlan given, std::size_t begin, std::size_t end, std::uint64_t max_nodes,
               double weight) {
                Steps plan;
                if (!nb::try_cast(given, plan)) throw nb::type_error("a plan is a list of operators");
                check_steps(improver, plan);
                if (begin > end || end > plan.size()) throw nb::index_error("the plan has no such window");
                WindowResult result;
                {
                    const Unlocked unlocked;
                    result = improver.replace(plan, begin, end, {max_nodes, weight});
                }
                raise_pending();
                // Most windows change nothing: then the very list is handed back, not a copy of a long plan.
                const PyPlan steps(result.stop == Stop::solved ? nb::cast(result.steps) : given);
                return std::tuple(result.stop, steps, result.generated);
            },
            "plan"_a, "begin"_a, "end"_a, "max_nodes"_a, "weight"_a = 1.0,
            "Search a cheaper way through the steps from begin to end: (why it stopped, the plan, nodes).")
        .def_prop_ro("work", &Improver::work,
                     "The work done so far, in units of roughly a nanosecond that no clock counts.");
}
