// Python's view of depth-based novelty.
#include "novelty/depth_table.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using widthwise::DepthTable;

namespace {

std::string_view view(const nb::bytes& bytes) {
    return {bytes.c_str(), bytes.size()};
}

}  // namespace

void bind_depth_table(nb::module_& module) {
    nb::class_<DepthTable>(
        module, "DepthTable",
        "For every tuple of feature values the smallest depth it was seen at, and who showed it.")
        .def(nb::init<std::uint32_t, std::uint32_t>(), "width"_a, "item_size"_a = 1,
             "A table for tuples of one or two values, or (width 0) for whole vectors.")
        .def(
            "insert",
            [](DepthTable& table, const nb::bytes& features, std::uint32_t depth, std::uint32_t node,
               const nb::bytes& before) {
                std::vector<std::uint32_t> losers;
                const std::uint32_t novel = table.insert(view(features), depth, node, view(before), losers);
                return std::pair(novel, std::move(losers));
            },
            "features"_a, "depth"_a, "node"_a, "before"_a = nb::bytes("", 0),
            "Show a node's vector: how many tuples it owns now, and the former owner of each that had one. "
            "`before` "
            "is a vector whose tuples were all seen at a smaller depth.")
        .def(
            "depths",
            [](const DepthTable& table, const nb::bytes& features) { return table.depths(view(features)); },
            "features"_a, "The smallest depths at which the tuples of a vector were seen.")
        .def("clear", &DepthTable::clear, "Forget everything.")
        .def(
            "save",
            [](const DepthTable& table) {
                const std::string saved = table.save();
                return nb::bytes(saved.data(), saved.size());
            },
            "The contents of the table as bytes.")
        .def(
            "load", [](DepthTable& table, const nb::bytes& saved) { table.load(view(saved)); }, "saved"_a,
            "Know what a table of the same kind knew when it was saved.")
        .def("__len__", &DepthTable::size)
        .def_prop_ro("bytes", &DepthTable::bytes, "Memory in use.");
}
