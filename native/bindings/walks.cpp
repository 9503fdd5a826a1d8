// Python's view of random walks along relaxed plans.
#include "best_first/walks.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/operators.hpp"
#include "bindings/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

void bind_walks(nb::module_& module) {
    using Ids = std::vector<std::uint32_t>;
    nb::class_<Walks, BestFirst>(module, "Walks", "Random walks along relaxed plans.")
        .def(
            "__init__",
            [](Walks* self, const PyOperators& python, std::shared_ptr<Meter> meter, Ids goal_pos,
               Ids goal_neg, std::uint64_t seed, std::uint32_t walks, std::uint32_t longest,
               std::uint32_t ways, std::optional<std::uint64_t> max_nodes, const State* first) {
                check_atoms(*python.shared, goal_pos);
                check_atoms(*python.shared, goal_neg);
                WalksOptions options;
                options.seed = seed;
                options.walks = walks;
                options.longest = longest;
                options.ways = ways;
                options.max_nodes = max_nodes.value_or(~std::uint64_t{0});
                options.first = words_or_none(*python.shared, first);
                new (self) Walks(python.shared, std::move(meter),
                                 CountedGoal(std::move(goal_pos), std::move(goal_neg)), options);
            },
            "operators"_a, "meter"_a, "goal_pos"_a, "goal_neg"_a, "seed"_a = 0, "walks"_a = 10,
            "longest"_a = 8, "ways"_a = 10, "max_nodes"_a.none() = nb::none(), "first"_a.none() = nb::none())
        .def_prop_ro("best", &Walks::best, "The length of the shortest relaxed plan so far.");
}
