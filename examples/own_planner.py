"""Your own planner at one level: a greedy high level over the library's width search.

HIW's high level is a width search. Here it is replaced by one of our own that always goes on with the
high-level node that has reached most goals. The low level, inside a high-level node, stays native:
`search.resume(region)`. A planner is anything with a name, widths and `run(model)`.
"""

# %% The planner.
from __future__ import annotations

import heapq
from dataclasses import dataclass

import widthwise as ww


@dataclass(frozen=True)
class GreedyGoals:
    """High-level features are the goals themselves; the node with most of them goes on first."""

    low: int = 1
    name: str = "greedy over goals"

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of its levels."""
        return (self.low,)

    def run(self, model: ww.Model) -> ww.Outcome:
        """Search until the goal, a limit, or nothing is left."""
        # A level is a list of literals: 2 * atom. The region of a node is the set of goals that hold there.
        search = model.search(self.low, levels=[[2 * atom for atom in model.goal_pos]])
        stop, node, _ = search.start()
        opened = 0
        seen = {tuple(search.abstract(0, 0))}
        open_nodes = [(-len(search.abstract(0, 0)), opened, 0)]
        while open_nodes and stop in (ww.Stop.PAUSED, ww.Stop.ENTERED, ww.Stop.EXHAUSTED):
            missing, order, region = heapq.heappop(open_nodes)
            stop, node, _ = search.resume(region, [None])
            if stop is ww.Stop.ENTERED and node is not None:
                heapq.heappush(open_nodes, (missing, order, region))  # it may have more successors
                state = search.state(node)
                reached = tuple(atom for atom in model.goal_pos if atom in state)
                if reached not in seen:
                    seen.add(reached)
                    opened += 1
                    heapq.heappush(open_nodes, (-len(reached), opened, search.open_region(node)))
        return ww.outcome_of(search, stop, node, high_level_nodes=opened + 1)


# %% Whole tasks with many goals are far beyond small widths, and easy one goal at a time.
for balls in (4, 12, 40):
    task = ww.example("gripper", balls=balls)
    flat = ww.solve(task, ww.IW(2))
    ours = ww.solve(task, GreedyGoals(low=2), budget=ww.Budget(nodes=2_000_000))
    print(
        f"gripper, {balls:>2} balls: IW(2) {flat.status} after {flat.generated:,} nodes; {ours.planner}: "
        f"{ours.status}, {len(ours.plan or [])} steps, {ours.generated:,} nodes, "
        f"{ours.high_level_nodes} high-level nodes"
    )
    assert ours.status is ww.Status.SOLVED  # and its plan has passed the validator
