"""What each choice inside IHIW(1,1) is worth: coverage of single goals with one option changed at a time.

Prints and writes `docs/results/ihiw-choices.md`. Run `python benchmarks/ihiw_choices.py` with WIDTHWISE_BENCHMARKS set.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import widthwise as ww
from page_width import wrapped
from paper_page import made_by, parsed, parser
from widthwise.classical.collection import domain_of, problems_in

CHOICES: dict[str, ww.IHIW] = {
    "as it is": ww.IHIW(),
    "stuck = stop": ww.IHIW(stuck="stop"),
    "pick = random": ww.IHIW(pick="random"),
    "rebuild = new": ww.IHIW(rebuild="new"),
    "no entry in table": ww.IHIW(entry_in_table=False),
    "negated": ww.IHIW(negated=True),
    "newest high-level node first": ww.IHIW(high=ww.IW(1, depth_first=True)),
    "w_h = 2": ww.IHIW(high=ww.IW(2)),
    "w_h = n": ww.IHIW(high=ww.IW("n")),
}
ROWS = {
    "blocks": 25, "depot": 8, "driverlog": 12, "elevators-sat08-strips": 6, "freecell": 6, "logistics00": 14,
    "nomystery-sat11-strips": 6, "openstacks-sat08-strips": 8, "rovers": 12, "satellite": 8,
    "sokoban-sat08-strips": 8, "tpp": 17, "transport-sat08-strips": 5, "trucks-strips": 5, "zenotravel": 11,
}  # fmt: skip
BUDGET = ww.Budget(nodes=10_000)


def solved(tasks: Sequence[ww.Task], planner: ww.IHIW, seed: int) -> int:
    """How many single goals a choice solves."""
    return sum(
        ww.solve(task, planner, budget=BUDGET, seed=seed, goal=goal).status is ww.Status.SOLVED
        for task in tasks
        for goal in task.goals
        if goal.reachable
    )


def main() -> None:
    arguments = parser(__doc__, "docs/results/ihiw-choices.md")
    arguments.add_argument("--seeds", type=int, default=3)
    args = parsed(arguments)
    lines = [
        "# Choices inside IHIW(1,1)",
        "",
        f"`python benchmarks/ihiw_choices.py --seeds {args.seeds}`, {made_by()}. "
        "Percent of single goals solved within 10,000 generated nodes, relevance against the whole goal, "
        f"mean over {args.seeds} seeds; one option changed at a time.",
        "",
        "| first instances of | goals | " + " | ".join(CHOICES) + " |",
        "|---|--:|" + "--:|" * len(CHOICES),
    ]
    total = [0.0] * len(CHOICES)
    for folder, count in ROWS.items():
        problems = problems_in(Path(args.benchmarks) / folder)[:count]
        tasks = [ww.load(domain_of(problem), problem).restricted() for problem in problems]
        goals = sum(len(task.goals) for task in tasks)
        shares = [
            100 * sum(solved(tasks, planner, seed) for seed in range(args.seeds)) / args.seeds / goals
            for planner in CHOICES.values()
        ]
        total = [before + share for before, share in zip(total, shares, strict=True)]
        line = f"| {folder} ({len(problems)}) | {goals} | " + " | ".join(f"{share:.1f}" for share in shares) + " |"
        print(line, flush=True)
        lines.append(line)
    lines.append("| mean of rows | | " + " | ".join(f"{item / len(ROWS):.1f}" for item in total) + " |")
    print(lines[-1])
    Path(args.out).write_text(wrapped("\n".join(lines) + "\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
