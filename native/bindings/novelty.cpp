// Python's view of novelty tables.
#include "bindings/novelty.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bindings/bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace widthwise;

using Ids = std::vector<std::uint32_t>;

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
