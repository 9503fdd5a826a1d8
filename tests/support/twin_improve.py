"""A slow and literal Python twin of plan improvement: plans are lists of operators, every question is replayed."""

import heapq


def run(spec, state, steps):
    """The state after some steps; None if one does not apply."""
    for number in steps:
        op = spec.ops[number]
        if not (op.pos <= state and not op.neg & state):
            return None
        state = spec.apply(state, number)
    return state


def valid(spec, plan):
    """Whether every step applies and the goal holds in the end."""
    end = run(spec, spec.start(), plan)
    return end is not None and spec.is_goal(end)


def cost(weights, plan):
    return sum(weights[op] for op in plan)


def without(spec, plan, index):
    """What is left of a plan without a step and without those that then do not apply; None if the goal is lost."""
    kept, state = list(plan[:index]), run(spec, spec.start(), plan[:index])
    for number in plan[index + 1 :]:
        after = run(spec, state, [number])
        if after is not None:
            kept.append(number)
            state = after
    return kept if spec.is_goal(state) else None


def eliminate(spec, weights, plan, greedy):
    """Action elimination: greedily the set of steps that saves most, or one pass from the first step on."""
    plan = list(plan)
    if not greedy:
        index = 0
        while index < len(plan):
            kept = without(spec, plan, index)
            if kept is None:
                index += 1
            else:
                plan = kept
        return plan
    while True:
        shorter = [kept for index in range(len(plan)) if (kept := without(spec, plan, index)) is not None]
        best = min(shorter, key=lambda kept: cost(weights, kept), default=None)
        if best is None:
            return plan
        plan = best


def gather(spec, plan):
    """Steps that belong together side by side: every pair that may not change places is an edge."""
    needs_true, needs_false, makes_true, makes_false = 1, 2, 4, 8

    def uses(op):
        kinds = {}
        parts = [(op.pos, needs_true), (op.neg, needs_false), (op.add, makes_true), (op.delete, makes_false)]
        for pos, neg, atom, adds in op.effects:
            parts += [(pos | neg, needs_true | needs_false), ({atom}, makes_true if adds else makes_false)]
        for atoms, kind in parts:
            for atom in atoms:
                kinds[atom] = kinds.get(atom, 0) | kind
        return kinds

    def conflict(first, second):
        needs = needs_true | needs_false
        return bool(
            (first & makes_true and second & (needs | makes_false))
            or (first & makes_false and second & (needs | makes_true))
            or (first & needs_true and second & makes_false)
            or (first & needs_false and second & makes_true)
        )

    used = [uses(spec.ops[number]) for number in plan]
    waits = [
        {
            item
            for item in range(step)
            if any(conflict(kind, used[step].get(atom, 0)) for atom, kind in used[item].items())
        }
        for step in range(len(plan))
    ]
    order, free = [], [step for step in reversed(range(len(plan))) if not waits[step]]
    while free:
        done = free.pop()
        order.append(plan[done])
        for step in reversed(range(len(plan))):
            if done in waits[step]:
                waits[step].discard(done)
                if not waits[step]:
                    free.append(step)
    return order


def cheapest(spec, weights, state, rest):
    """The least cost of a way from a state to one from which `rest` reaches the goal."""
    spent, queue, turn = {state: 0.0}, [(0.0, 0, state)], 0
    while queue:
        paid, _, state = heapq.heappop(queue)
        if paid > spent[state]:
            continue
        end = run(spec, state, rest)
        if end is not None and spec.is_goal(end):
            return paid
        for number in spec.applicable(state):
            after = spec.apply(state, number)
            if paid + weights[number] < spent.get(after, float("inf")):
                spent[after] = paid + weights[number]
                turn += 1
                heapq.heappush(queue, (spent[after], turn, after))
    return float("inf")
