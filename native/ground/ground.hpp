// From a lifted task to a grounded one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/meter.hpp"
#include "core/task.hpp"
#include "ground/lifted.hpp"

namespace widthwise::ground {

// What a task can get wrong that shows only when it is grounded.
struct Flaw {
    enum class Kind : std::uint8_t {
        missing_cost,  // `number` is a table, `objects` the arguments it has no value for
        negative_loop  // `number` is the predicate and `objects` are the arguments of an atom that needs its
                       // negation
    };
    Kind kind;
    std::uint32_t number;
    std::vector<Object> objects;
};

// The memory a task holds.
std::uint64_t bytes_of(const Task& task);

// Grounds a task. When it returns, the meter is charged with `bytes_of` the result, otherwise with nothing
// more than before. Throws Halted (metered.hpp) when the meter says so and Flaw when the task is wrong.
std::shared_ptr<Task> ground(const Lifted& lifted, Meter& meter);

}  // namespace widthwise::ground
