// Python's view of the grounder.
#include "ground/ground.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/meter.hpp"
#include "core/task.hpp"
#include "ground/metered.hpp"
#include "ground/relevance.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using widthwise::Halt;
using widthwise::Meter;
using widthwise::Task;
using widthwise::ground::Flaw;

namespace {

template <class T>
using Words = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = std::vector<std::uint32_t>;
// The task, or why there is none: the meter's reason, or the kind of flaw with its predicate or table and
// objects.
using Outcome = std::variant<std::shared_ptr<Task>, Halt, std::tuple<bool, std::uint32_t, Ids>>;

Outcome ground_unlocked(std::span<const std::int32_t> word_span, std::span<const double> number_span,
                        Meter& meter) {
    try {
        return widthwise::ground::ground(widthwise::ground::unpack(word_span, number_span), meter);
    } catch (const widthwise::Halted& halted) {
        return halted.why;
    } catch (const std::bad_alloc&) {
        return Halt::memory;
    } catch (const Flaw& flaw) {
        return std::tuple(flaw.kind == Flaw::Kind::missing_cost, flaw.number, flaw.objects);
    }
}

Outcome ground(const Words<std::int32_t>& words, const Words<double>& numbers, Meter& meter) {
    const std::span word_span(words.data(), words.size());
    const std::span number_span(numbers.data(), numbers.size());
    Outcome outcome;
    {
        const Unlocked unlocked;
        outcome = ground_unlocked(word_span, number_span, meter);
    }
    raise_pending();
    return outcome;
}

std::tuple<std::shared_ptr<Task>, Ids, Ids, std::uint64_t> restrict_task(const Task& task,
                                                                         const Ids& goal_pos,
                                                                         const Ids& goal_neg, Meter* meter) {
    try {
        const Unlocked unlocked;
        // On the way there are a copy with room to grow and, for every atom, lists of what it occurs in.
        const widthwise::Charge working(meter, 3 * widthwise::ground::bytes_of(task));
        widthwise::ground::Restriction result = widthwise::ground::restrict_to_goal(task, goal_pos, goal_neg);
        const std::uint64_t bytes = widthwise::ground::bytes_of(*result.task);
        if (meter != nullptr && !meter->charge(bytes)) throw widthwise::Halted{Halt::memory};
        return {std::move(result.task), std::move(result.atoms), std::move(result.operators), bytes};
    } catch (const widthwise::Halted& halted) {
        raise_halted(halted);
    }
}

}  // namespace

void bind_ground(nb::module_& module) {
    module.def(
        "ground", &ground, "words"_a, "numbers"_a, "meter"_a,
        nb::sig("def ground(words: array.array[int], numbers: array.array[float], meter: Meter) -> "
                "GroundedTask | Halt | tuple[bool, int, list[int]]"),
        "Ground a packed task: the task, or a Halt, or (cost is missing, table or predicate, objects).");
    module.def("restrict", &restrict_task, "task"_a, "goal_pos"_a, "goal_neg"_a,
               "meter"_a.none() = nb::none(),
               "The part of a task that matters for a goal, with the old numbers of its atoms and operators, "
               "and its "
               "bytes, with which the meter stays charged.");
}
