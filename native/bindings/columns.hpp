// The columns of a whole tree for Python: one call instead of one per node.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "state/tree.hpp"

inline constexpr const char* kColumnsDoc =
    "The columns of all nodes as bytes of 32-bit numbers: (parent, operator, depth, region, flags); "
    "0xffffffff "
    "stands for none.";
inline constexpr const char* kColumnsSignature =
    "def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes]";

inline nanobind::tuple columns_of(const widthwise::Tree& tree, std::uint32_t shown_flags) {
    const auto size = static_cast<std::uint32_t>(tree.size());
    std::vector<std::uint32_t> column(size);
    const auto bytes = [&](auto&& value) {
        for (std::uint32_t node = 0; node < size; ++node) column[node] = value(node);
        return nanobind::bytes(column.data(), column.size() * sizeof(std::uint32_t));
    };
    return nanobind::make_tuple(bytes([&](std::uint32_t node) { return tree.parent(node); }),
                                bytes([&](std::uint32_t node) { return tree.op(node); }),
                                bytes([&](std::uint32_t node) { return tree.depth(node); }),
                                bytes([&](std::uint32_t node) { return tree.region(node); }),
                                bytes([&](std::uint32_t node) { return tree.flags(node) & shown_flags; }));
}
