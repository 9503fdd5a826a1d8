// A sorting order of fixed-width records by their first columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "ground/metered.hpp"

namespace widthwise::ground {

// The numbers 0..count-1 of the records at `words` (`stride` words each), sorted by the first `columns`
// words, whose values are below `limit`. Equal records keep their order.
inline Metered<std::uint32_t> sorted_records(const std::uint32_t* words, std::size_t count,
                                             std::size_t stride, std::size_t columns, std::uint32_t limit,
                                             Meter& meter) {
    const MeteredAllocator<std::uint32_t> memory(meter);
    Metered<std::uint32_t> order(count, 0, memory);
    std::iota(order.begin(), order.end(), 0u);
    if (count < limit / 4 || count < 32) {
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const std::uint32_t* left = words + a * stride;
            const std::uint32_t* right = words + b * stride;
            return std::lexicographical_compare(left, left + columns, right, right + columns);
        });
        return order;
    }
    // Counting sort, last column first.
    Metered<std::uint32_t> other(count, 0, memory);
    Metered<std::uint32_t> starts(std::size_t{limit} + 1, 0, memory);
    for (std::size_t column = columns; column-- > 0;) {
        poll(meter);
        std::fill(starts.begin(), starts.end(), 0u);
        for (std::size_t record = 0; record < count; ++record) ++starts[words[record * stride + column] + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (const std::uint32_t record : order) other[starts[words[record * stride + column]]++] = record;
        order.swap(other);
    }
    return order;
}

}  // namespace widthwise::ground
