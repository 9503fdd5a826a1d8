"""Your own planner for tasks, all in Python: best-first search with a novelty rule of its own.

A planner is an object with `name`, `widths` and `run(model)`. The model gives the first state, successors, the goal, a
novelty table, random numbers and the limits of the run; `solve` gives names to what comes back and validates the plan.
"""

# %% The planner: states without a novel atom wait behind all others; among equals, the one with most goals is first.
from __future__ import annotations

import heapq
from dataclasses import dataclass

import widthwise as ww


@dataclass(frozen=True)
class NoveltyThenGoals:
    """Novel states first, and of those the ones with fewest goals missing; novel among states that miss as many."""

    width: int = 1
    name: str = "novelty, then goals"

    @property
    def widths(self) -> tuple[int, ...]:
        """The width of its novelty tables."""
        return (self.width,)

    def run(self, model: ww.Model) -> ww.Outcome:
        """Search until the goal, a limit, or nothing is left."""
        first = model.init
        came_from: dict[ww.State, tuple[ww.State, int]] = {first: (first, -1)}
        tables = {}  # one for each number of missing goals
        queue = [(False, 0, 0, first)]  # ties go to the older state
        generated, expanded = 1, 0
        while queue:
            if (status := model.limit(generated)) is not None:
                return ww.Outcome(status, generated=generated, expanded=expanded)
            state = heapq.heappop(queue)[-1]
            if model.is_goal(state):
                return ww.Outcome(
                    ww.Status.SOLVED, path=self.path(came_from, state), generated=generated, expanded=expanded
                )
            expanded += 1
            for operator, child in model.successors(state):
                if child in came_from:
                    continue
                generated += 1
                came_from[child] = (state, operator)
                missing = sum(atom not in child for atom in model.goal_pos)
                if missing not in tables:
                    tables[missing] = model.novelty_table(self.width)
                heapq.heappush(queue, (not tables[missing].take(child), missing, generated, child))
        # Nothing was pruned, so this is a proof.
        return ww.Outcome(ww.Status.UNSOLVABLE, generated=generated, expanded=expanded, reason="all states were seen")

    def path(self, came_from: dict[ww.State, tuple[ww.State, int]], state: ww.State) -> list[int]:
        """The operators that lead to a state."""
        steps = []
        while (step := came_from[state])[1] >= 0:
            state = step[0]
            steps.append(step[1])
        return steps[::-1]


# %% Beside a width search: all goals of a logistics task at once.
task = ww.example("logistics")
for planner in (ww.IW(2), NoveltyThenGoals()):
    result = ww.solve(task, planner, budget=ww.Budget(nodes=100_000))
    print(f"{planner.name}: {result.status} after {result.generated:,} nodes, {len(result.plan or [])} steps")
assert result.status is ww.Status.SOLVED  # and its plan has passed the validator

# %% Limits hold for it as for any other planner.
stopped = ww.solve(task, NoveltyThenGoals(), budget=ww.Budget(nodes=10))
print(f"with 10 nodes: {stopped.status}")
assert stopped.status is ww.Status.OUT_OF_NODES
