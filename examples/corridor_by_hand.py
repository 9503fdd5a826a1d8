"""IW written by hand: a breadth-first loop, a novelty table, and nothing else.

The library's own IW does the same in native code; this is how to write a search of one's own with the
pieces it offers: `task.init`, `task.successors(state)`, `task.is_goal(state)` and a novelty table.
"""

# %% A task: a corridor of eleven positions with a key at the far end. Fetch it and come back.
from __future__ import annotations

from collections import deque

import widthwise as ww

task = ww.example("corridor", length=10)
print(f"{len(task.atoms)} atoms, {len(task.operators)} operators; goals: {[goal.name for goal in task.goals]}")


# %% The search. A state is kept if it shows at most `width` atoms that never held together before.
def iterated_width(task: ww.Task, width: int) -> tuple[list[str] | None, int]:
    """Return a plan, or none, and the number of states generated."""
    table = task.novelty_table(width)
    table.insert(task.init)
    came_from = {task.init: (task.init, -1)}
    queue = deque([task.init])
    generated = 1
    while queue:
        state = queue.popleft()
        for op, child in task.successors(state):  # one call into native code
            generated += 1
            # `before=state` tells the table that only tuples with an atom the operator added can be new.
            if not table.take(child, before=state):
                continue
            came_from[child] = (state, op)
            if task.is_goal(child):
                return path(came_from, child), generated
            queue.append(child)
    return None, generated


def path(came_from: dict[ww.State, tuple[ww.State, int]], state: ww.State) -> list[str]:
    """The names of the operators that lead to a state."""
    steps: list[str] = []
    while (step := came_from[state])[1] >= 0:
        state = step[0]
        steps.append(task.operator_name(step[1]))
    return steps[::-1]


# %% Width 1 is not enough: on the way back no single atom is new. Width 2 sees position and key together.
for width in (1, 2):
    plan, generated = iterated_width(task, width)
    outcome = "nothing found" if plan is None else f"a plan of {len(plan)} steps"
    print(f"by hand, width {width}: {outcome}, {generated} states generated")

    # The library agrees, node for node.
    result = ww.solve(task, ww.IW(width))
    assert result.generated == generated
    assert result.plan == plan
