// Python's view of the greedy search along relaxed plans.
#include "best_first/guided.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/operators.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

void bind_guided(nb::module_& module) {
    using Ids = std::vector<std::uint32_t>;
    nb::class_<Guided, BestFirst>(module, "Guided",
                                  "Greedy search along relaxed plans, helpful successors first.")
        .def(
            "__init__",
            [](Guided* self, const PyOperators& python, std::shared_ptr<Meter> meter, Ids goal_pos,
               Ids goal_neg, std::uint64_t patience, bool novelty, std::optional<std::uint64_t> max_nodes,
               const State* first) {
                check_atoms(*python.shared, goal_pos);
                check_atoms(*python.shared, goal_neg);
                GuidedOptions options;
                options.patience = patience;
                options.novelty = novelty;
                options.max_nodes = max_nodes.value_or(~std::uint64_t{0});
                options.first = words_or_none(*python.shared, first);
                new (self) Guided(python.shared, std::move(meter),
                                  CountedGoal(std::move(goal_pos), std::move(goal_neg)), options);
            },
            "operators"_a, "meter"_a, "goal_pos"_a, "goal_neg"_a, "patience"_a = 200, "novelty"_a = true,
            "max_nodes"_a.none() = nb::none(), "first"_a.none() = nb::none())
        .def_prop_ro("best", &Guided::best, "The length of the shortest relaxed plan so far.");
}
