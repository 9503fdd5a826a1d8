#include "tests/support.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace widthwise::tests {

std::shared_ptr<const Task> make_task(const Description& description) {
    auto task = std::make_shared<Task>();
    task->atom_count = description.atom_count;
    for (const Operator& op : description.operators) {
        task->pre_pos.append(op.pre_pos);
        task->pre_neg.append(op.pre_neg);
        task->add.append(op.add);
        task->del.append(op.del);
        task->cost.push_back(op.cost);
        Ids numbers;
        for (const ConditionalEffect& effect : op.effects) {
            numbers.push_back(static_cast<std::uint32_t>(task->effect_atom.size()));
            task->effect_pos.append(effect.pos);
            task->effect_neg.append(effect.neg);
            task->effect_atom.push_back(effect.atom);
            task->effect_adds.push_back(effect.adds ? 1 : 0);
        }
        task->conditional.append(numbers);
        task->operator_schema.push_back(0);
        task->operator_args.append({});
    }
    task->derived.assign(task->atom_count, 0);
    for (const Axiom& axiom : description.axioms) {
        task->axiom_pos.append(axiom.pos);
        task->axiom_neg.append(axiom.neg);
        task->axiom_head.push_back(axiom.head);
        task->axiom_layer.push_back(axiom.layer);
        task->derived[axiom.head] = 1;
    }
    task->init = description.init;
    task->goal_pos = description.goal_pos;
    task->goal_neg = description.goal_neg;
    for (std::uint32_t atom = 0; atom < task->atom_count; ++atom) {
        task->atom_predicate.push_back(atom);
        task->atom_args.append({});
    }
    return task;
}

Description corridor(std::uint32_t length) {
    Description description;
    const std::uint32_t last = length - 1, key = length;
    description.atom_count = length + 1;
    for (std::uint32_t place = 0; place < last; ++place)
        description.operators.push_back({{place}, {}, {place + 1}, {place}});
    for (std::uint32_t place = 0; place < last; ++place)
        description.operators.push_back({{place + 1}, {}, {place}, {place + 1}});
    description.operators.push_back({{last}, {}, {key}, {}});
    description.init = {0};
    description.goal_pos = {0, key};
    return description;
}

Description boxes(std::uint32_t count) {
    // Atoms: robot in room 0, in room 1, hand free; per box: in room 0, in room 1, carried.
    Description description;
    description.atom_count = 3 + 3 * count;
    description.operators.push_back({{0}, {}, {1}, {0}});
    description.operators.push_back({{1}, {}, {0}, {1}});
    for (std::uint32_t box = 0; box < count; ++box) {
        const std::uint32_t in = 3 + 3 * box, carried = in + 2;
        for (std::uint32_t room = 0; room < 2; ++room) {
            Operator pick{{room, 2, in + room}, {}, {carried}, {2, in + room}};
            std::sort(pick.pre_pos.begin(), pick.pre_pos.end());
            description.operators.push_back(std::move(pick));
            description.operators.push_back({{room, carried}, {}, {2, in + room}, {carried}});
        }
        description.goal_pos.push_back(in + 1);
    }
    description.init = {0, 2};
    for (std::uint32_t box = 0; box < count; ++box) description.init.push_back(3 + 3 * box);
    return description;
}

Description random_task(std::uint64_t seed, bool rich) {
    Random random(seed);
    Description description;
    const std::uint32_t given = 4 + random.below(rich ? 8 : 90), derived = rich ? random.below(3) : 0;
    description.atom_count = given + derived;
    const auto without = [](const Ids& from, const Ids& what) {
        Ids rest;
        std::set_difference(from.begin(), from.end(), what.begin(), what.end(), std::back_inserter(rest));
        return rest;
    };
    for (std::uint32_t count = 3 + random.below(30); count > 0; --count) {
        Operator op;
        op.pre_pos = random.some(description.atom_count, 3);
        if (rich) op.pre_neg = without(random.some(description.atom_count, 2), op.pre_pos);
        op.add = random.some(given, 2);
        op.del = without(random.some(given, 3), op.add);
        if (rich && random.below(3) == 0) {
            const Ids pos = random.some(description.atom_count, 2);
            op.effects.push_back({pos, without(random.some(description.atom_count, 1), pos),
                                  random.below(given), random.below(2) == 0});
        }
        description.operators.push_back(std::move(op));
    }
    for (std::uint32_t number = 0; number < derived; ++number)
        for (std::uint32_t count = 1 + random.below(2); count > 0; --count)
            // A derived atom of a lower layer may be wanted false, one of the same layer may not.
            description.axioms.push_back(
                {given + number, random.some(given + number + 1, 2), random.some(given + number, 1), number});
    description.init = random.some(given, 6);
    description.goal_pos = random.some(description.atom_count, 2);
    if (rich) description.goal_neg = without(random.some(description.atom_count, 1), description.goal_pos);
    return description;
}

std::vector<Word> pack(const Atoms& atoms, std::size_t words) {
    std::vector<Word> packed(words, 0);
    for (const std::uint32_t atom : atoms) set_bit(packed.data(), atom);
    return packed;
}

Atoms unpack(std::span<const Word> words, std::size_t bits) {
    Atoms atoms;
    for_each_bit(words.data(), words.size(), [&](std::uint32_t bit) {
        if (bit < bits) atoms.insert(bit);
    });
    return atoms;
}

namespace {

bool all_in(std::span<const std::uint32_t> row, const Atoms& state) {
    return std::all_of(row.begin(), row.end(), [&](std::uint32_t atom) { return state.contains(atom); });
}

bool none_in(std::span<const std::uint32_t> row, const Atoms& state) {
    return std::none_of(row.begin(), row.end(), [&](std::uint32_t atom) { return state.contains(atom); });
}

}  // namespace

bool applies(const Task& task, const Atoms& state, std::size_t op) {
    return all_in(task.pre_pos[op], state) && none_in(task.pre_neg[op], state);
}

Atoms derive(const Task& task, Atoms state) {
    std::erase_if(state, [&](std::uint32_t atom) { return task.derived[atom] != 0; });
    std::set<std::uint32_t> layers(task.axiom_layer.begin(), task.axiom_layer.end());
    for (const std::uint32_t layer : layers)
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t axiom = 0; axiom < task.axiom_head.size(); ++axiom)
                if (task.axiom_layer[axiom] == layer && all_in(task.axiom_pos[axiom], state) &&
                    none_in(task.axiom_neg[axiom], state))
                    changed = state.insert(task.axiom_head[axiom]).second || changed;
        }
    return state;
}

Atoms apply(const Task& task, const Atoms& state, std::size_t op) {
    Atoms add(task.add[op].begin(), task.add[op].end()), del(task.del[op].begin(), task.del[op].end());
    for (const std::uint32_t effect : task.conditional[op])
        if (all_in(task.effect_pos[effect], state) && none_in(task.effect_neg[effect], state))
            (task.effect_adds[effect] ? add : del).insert(task.effect_atom[effect]);
    Atoms child;
    std::set_difference(state.begin(), state.end(), del.begin(), del.end(),
                        std::inserter(child, child.end()));
    child.insert(add.begin(), add.end());
    return derive(task, std::move(child));
}

Atoms first_state(const Task& task) {
    return derive(task, {task.init.begin(), task.init.end()});
}

bool satisfies(const Task& task, const Atoms& state) {
    return all_in(task.goal_pos, state) && none_in(task.goal_neg, state);
}

bool valid_plan(const Task& task, const Ids& steps) {
    Atoms state = first_state(task);
    for (const std::uint32_t op : steps) {
        if (!applies(task, state, op)) return false;
        state = apply(task, state, op);
    }
    return satisfies(task, state);
}

std::uint32_t shortest_plan(const Task& task) {
    std::map<Atoms, std::uint32_t> depth = {{first_state(task), 0}};
    std::deque<Atoms> queue = {first_state(task)};
    for (; !queue.empty(); queue.pop_front()) {
        const Atoms state = queue.front();
        if (satisfies(task, state)) return depth[state];
        for (std::size_t op = 0; op < task.operator_count(); ++op) {
            if (!applies(task, state, op)) continue;
            Atoms child = apply(task, state, op);
            if (depth.emplace(child, depth[state] + 1).second) queue.push_back(std::move(child));
        }
    }
    return kNoPlan;
}

}  // namespace widthwise::tests
