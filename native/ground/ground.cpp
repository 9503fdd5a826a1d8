#include "ground/ground.hpp"

#include "ground/build.hpp"
#include "ground/reach.hpp"

namespace widthwise::ground {

namespace {

template <class T>
std::uint64_t bytes(const std::vector<T>& column) {
    return column.capacity() * sizeof(T);
}

void shrink(Task& task) {
    for (Rows* rows :
         {&task.pre_pos, &task.pre_neg, &task.add, &task.del, &task.conditional, &task.effect_pos,
          &task.effect_neg, &task.axiom_pos, &task.axiom_neg, &task.atom_args, &task.operator_args})
        rows->shrink();
    for (auto* column : {&task.effect_atom, &task.axiom_head, &task.axiom_layer, &task.init, &task.goal_pos,
                         &task.goal_neg, &task.atom_predicate, &task.operator_schema})
        column->shrink_to_fit();
    task.cost.shrink_to_fit();
    task.effect_adds.shrink_to_fit();
    task.derived.shrink_to_fit();
}

}  // namespace

std::uint64_t bytes_of(const Task& task) {
    std::uint64_t total = sizeof(Task) + bytes(task.cost) + bytes(task.effect_adds) + bytes(task.derived);
    for (const Rows* rows :
         {&task.pre_pos, &task.pre_neg, &task.add, &task.del, &task.conditional, &task.effect_pos,
          &task.effect_neg, &task.axiom_pos, &task.axiom_neg, &task.atom_args, &task.operator_args})
        total += rows->bytes();
    for (const auto* column : {&task.effect_atom, &task.axiom_head, &task.axiom_layer, &task.init,
                               &task.goal_pos, &task.goal_neg, &task.atom_predicate, &task.operator_schema})
        total += bytes(*column);
    return total;
}

std::shared_ptr<Task> ground(const Lifted& lifted, Meter& meter) {
    const std::uint64_t before = meter.bytes();
    auto task = std::make_shared<Task>();
    try {
        World world(lifted, meter);
        Reachability reach(world, lifted);
        reach.run();
        Builder(world, reach).build(*task);
    } catch (...) {
        meter.release(meter.bytes() - before);
        throw;
    }
    shrink(*task);
    // Everything else has given its memory back: what is still charged above `before` is the task, as it
    // grew.
    meter.release(meter.bytes() - before);
    if (!meter.charge(bytes_of(*task))) throw std::bad_alloc();
    return task;
}

}  // namespace widthwise::ground
