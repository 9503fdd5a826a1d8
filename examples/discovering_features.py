"""How IHIW discovers high-level features in blocks, told step by step.

IHIW begins as IW(1). When nothing novel is left it looks at a branch that was pruned, takes an atom that
came true on it, and makes that atom a high-level feature: the search tree falls into parts, each with a
novelty table of its own, and what was old before may be new in its part.
"""

# %% Eight blocks, every goal on its own.
from __future__ import annotations

import widthwise as ww

task = ww.example("blocks", blocks=8)
budget = ww.Budget(nodes=10_000)

print(f"{'goal':<15} {'IW(1)':>16} {'IHIW(1,1)':>16} {'IW(2)':>16}")
solved = {"IW(1)": 0, "IHIW(1,1)": 0, "IW(2)": 0}
for goal in task.goals:
    line = f"{goal.name:<15}"
    for planner in (ww.IW(1), ww.IHIW(), ww.IW(2)):
        result = ww.solve(task, planner, goal=goal, budget=budget)
        solved[planner.name] += result.status is ww.Status.SOLVED
        line += f" {result.status!s:>10} {result.generated:>5}"
    print(line)
assert solved["IHIW(1,1)"] == len(task.goals) > solved["IW(1)"]

# %% The story behind one of them: each chapter is one discovered feature with its evidence.
for goal in task.goals:
    result = ww.solve(task, ww.IHIW(), goal=goal, budget=budget)
    if not result.story:
        continue
    print(f"\n{goal.name}: {len(result.plan or [])} steps after {result.generated} nodes")
    for chapter in result.story:
        print(f"  after {chapter.generated} nodes the search had run dry")
        print(f"  pruned branch:     {' '.join(chapter.branch)}")
        print(f"  atoms it proposed: {' '.join(chapter.candidates)}")
        print(f"  chosen feature:    {chapter.feature} -> {chapter.high_level_nodes} high-level nodes")
        print(f"  next search:       {chapter.search} nodes")
    assert result.features == [chapter.feature for chapter in result.story]
