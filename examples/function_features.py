"""A function of the state as high-level feature.

High-level features need not be atoms. Any function of a state whose value can be hashed will do: a number,
a string, or a tuple, of which each part is a feature. Here: how many balls are where they belong.
"""

# %% Gripper: which balls have arrived does not matter, only how many.
from __future__ import annotations

import widthwise as ww

task = ww.example("gripper", balls=6)
wanted = set(task.goal.positive)


def arrived(state: ww.State) -> int:
    """How many balls are in the other room."""
    return sum(atom in wanted for atom in state)


by_atoms = ww.HIW(["(ball-in * east)"], high=ww.IW(1), low=ww.IW(2))
by_count = ww.HIW(arrived, high=ww.IW(1), low=ww.IW(2))


# %% Over atoms, the high level at width 1 soon finds no new atom; over the count, every further ball is new.
def show(what: str, planner: ww.HIW) -> ww.Status:
    """Solve and tell; the result, and the search that holds our function, end with this call."""
    result = ww.solve(task, planner, budget=ww.Budget(nodes=200_000))
    print(
        f"{planner.name} over {what}: {result.status}, {result.generated:,} nodes, "
        f"{result.high_level_nodes} high-level nodes, {len(result.plan or [])} steps"
    )
    return result.status


show("atoms", by_atoms)
assert show("count", by_count) is ww.Status.SOLVED
