"""The report on planning in the mazes: a table per maze, and plots of success and steps."""

from __future__ import annotations

import io
from collections import defaultdict
from pathlib import Path
from statistics import mean, median
from typing import Any

from page_width import wrapped
from widthwise.core.files import write_whole

Line = dict[str, Any]
Cell = tuple[str, str, str]  # maze, limits, planner

SHORTEST = {"maze-small": 36, "maze-large": 62}
COLOURS = {"cells": "#777777", "2x2": "#1f77b4", "4x4": "#d62728"}
STYLES = {"RIW": ":", "CRIW": "--", "HIW": "-"}

TEXT = """\
# Planning in the mazes, without learning

Written by `{command}`.
Commit {commit}, Widthwise {version}, Python {python}; {cpu}, {cores} cores.

The agent has to fetch the key and reach the door (+1); touching a wall ends the episode (-1). Nothing is learned:
before each step the agent plans with the given number of simulator steps, in a tree of at most the given number of
nodes, and then acts by the behaviour policy `ties` (discount 0.99). {seeds} seeds each. The flat planners look at the
agent's cell, or at the image in 2x2 or 4x4 tiles of 256 values; HIW(1,1) looks at the tiles above (Count-based Rollout
IW) and at the cell below (Rollout IW).

In each field: episodes that reached the door with the key, and the median steps of those (shortest possible: {small}
and {large}). The median of interactions, over all episodes, is below. The defaults are HIW(1,1) with 4x4 tiles, 100
interactions and 500 nodes.

{tables}

Planners that never reached the door are not drawn.

![Success over the budget](mazes-planning-success.svg)

![Steps to the door over the budget](mazes-planning-steps.svg)

## Findings

{findings}

Flat planners over tiles are exhausted after a few nodes: while the agent stays in a tile the mean of the tile does not
change, so nothing is novel. Over cells they see everything once, but in one tree the cells behind the key are no longer
novel, so only steps that happen to pass the key help. In the hierarchy the tiles distinguish rooms and
show that the key is gone, and the cells explore each room.

More is not always better. If no action is rewarded, the agent follows the largest subtree. With a large tree of few
high-level states this can lead it around the rooms and past the key until the step limit: an example is seed 0 of
HIW(1,1) 4x4 in maze-large with 300 steps and 2000 nodes (`widthwise play maze-large --tiles 4x4 --budget 300 --nodes
2000`).

## Counting a visit before or after

Count-based Rollout IW counts a visit before it generates the successor, as in Algorithm 3. Up to commit 01388bb
it counted afterwards, so a visit that the budget interrupted was lost. HIW(1,1) with 2x2 tiles, 30 interactions
and 500 nodes in maze-small, seeds 0 to 59: 15 of 60 episodes reached the door with the key at commit 01388bb, 33 of 60
since commit 4714219. The command:

```
for seed in $(seq 0 59); do widthwise play maze-small --preset paper --seed $seed --quiet; done | grep -c "score 1 "
```

(Commit 01388bb had no presets; the same settings were its defaults.) The tables are from commit {short}, after that
change.

## Interactions with the simulator per episode, median of all

{interactions}
"""


def write_report(path: Path, config: Line, lines: list[Line]) -> None:
    """Write the report, and its plots beside it."""
    cells: dict[Cell, list[Line]] = defaultdict(list)
    for line in lines:
        if line["failure"] is None:
            cells[line["row"], line["instance"], line["planner"]].append(line)
    settings = config["settings"]
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, text in plots(cells, settings).items():
        write_whole(path.with_name(f"mazes-planning-{name}.svg"), text)
    write_whole(
        path,
        TEXT.format(
            command=config["command"],
            commit=config["commit"],
            short=str(config["commit"])[:7],
            version=config["versions"]["widthwise"],
            python=config["versions"]["python"],
            cpu=config["machine"]["cpu"],
            cores=config["machine"]["cores"],
            seeds=settings["seeds"],
            small=SHORTEST["maze-small"],
            large=SHORTEST["maze-large"],
            tables="\n\n".join(table(cells, settings, maze, outcome) for maze in SHORTEST),
            findings=findings(cells, settings),
            interactions="\n\n".join(table(cells, settings, maze, interactions) for maze in SHORTEST),
        ),
    )


def won(lines: list[Line]) -> list[Line]:
    """The episodes that reached the goal."""
    return [line for line in lines if line["score"] > 0]


def outcome(lines: list[Line]) -> str:
    """Successes, and the steps they took."""
    good = won(lines)
    return f"{len(good)}/{len(lines)}, {median(line['steps'] for line in good):.0f}" if good else f"0/{len(lines)}"


def interactions(lines: list[Line]) -> str:
    """The median of interactions."""
    return f"{median(line['interactions'] for line in lines):,.0f}" if lines else "-"


def table(cells: dict[Cell, list[Line]], settings: Line, maze: str, show: Any) -> str:
    """Planners in rows, limits in columns."""
    limits = [f"{budget} steps, {nodes} nodes" for nodes in settings["nodes"] for budget in settings["budgets"]]
    rows = [f"| {maze} | {' | '.join(limits)} |", "|---" * (len(limits) + 1) + "|"]
    for planner in settings["planners"]:
        rows.append(f"| {planner} | {' | '.join(show(cells[maze, limit, planner]) for limit in limits)} |")
    return "\n".join(rows)


def findings(cells: dict[Cell, list[Line]], settings: Line) -> str:
    """What the figures say, from the figures."""
    sentences = []
    for maze in SHORTEST:
        for nodes in settings["nodes"]:
            shares = {}
            for planner in settings["planners"]:
                episodes = [
                    line
                    for budget in settings["budgets"]
                    for line in cells[maze, f"{budget} steps, {nodes} nodes", planner]
                ]
                shares[planner] = 100 * mean(line["score"] > 0 for line in episodes) if episodes else 0.0
            best = sorted(shares, key=lambda name: -shares[name])
            text = ", ".join(f"{name} {shares[name]:.0f}%" for name in best)
            sentences.append(f"- {maze}, {nodes} nodes, success over all budgets: {text}.")
    deaths = sum(line["score"] < 0 for lines in cells.values() for line in lines)
    total = sum(map(len, cells.values()))
    sentences.append(f"- {deaths} of {total} episodes ended at a wall; the other failures reached the step limit.")
    return wrapped("\n".join(sentences))


def plots(cells: dict[Cell, list[Line]], settings: Line) -> dict[str, str]:
    """Success and steps over the budget, a field per maze and size of the tree."""
    import matplotlib
    from matplotlib.figure import Figure

    def success(lines: list[Line]) -> float | None:
        return 100 * len(won(lines)) / len(lines) if lines else None

    def steps(lines: list[Line]) -> float | None:
        good = won(lines)
        return median(line["steps"] for line in good) if good else None

    made = {}
    with matplotlib.rc_context({"svg.hashsalt": "widthwise", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}):
        for name, of, label in (("success", success, "success, %"), ("steps", steps, "steps to the door, median")):
            figure = Figure(figsize=(10, 6.4))
            fields = figure.subplots(2, len(settings["nodes"]), squeeze=False, sharex=True)
            for maze, row in zip(SHORTEST, fields, strict=True):
                for nodes, axes in zip(settings["nodes"], row, strict=True):
                    draw(axes, cells, settings, maze=maze, nodes=nodes, of=of)
                    axes.set_title(f"{maze}, tree of {nodes} nodes")
                    if name == "success":
                        axes.set_ylim(-4, 104)
                    else:
                        axes.axhline(SHORTEST[maze], color="#000000", linewidth=0.7)
                        axes.set_ylim(bottom=0)
                row[0].set_ylabel(label)
            for axes in fields[-1]:
                axes.set_xlabel("simulator steps per action")
            handles, labels = fields[0][0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="center left", bbox_to_anchor=(0.91, 0.5), frameon=False)
            stream = io.StringIO()
            figure.savefig(stream, format="svg", metadata={"Date": None}, bbox_inches="tight")
            made[name] = stream.getvalue()
    return made


def draw(axes: Any, cells: dict[Cell, list[Line]], settings: Line, *, maze: str, nodes: int, of: Any) -> None:
    """A curve per planner; planners side by side, so that equal ones do not hide each other."""
    shown = [name for name in settings["planners"] if any(won(cells[cell]) for cell in list(cells) if cell[2] == name)]
    count = len(shown)
    for number, planner in enumerate(shown):
        kind, _, features = planner.partition(" ")
        values = [of(cells[maze, f"{budget} steps, {nodes} nodes", planner]) for budget in settings["budgets"]]
        shift = 1 + 0.03 * (number - count / 2)
        across = [
            budget * shift for budget, value in zip(settings["budgets"], values, strict=True) if value is not None
        ]
        axes.plot(
            across,
            [value for value in values if value is not None],
            STYLES[kind.partition("(")[0]],
            color=COLOURS[features],
            marker="o",
            markersize=3.5,
            linewidth=1.3,
            label=planner,
        )
    axes.set_xscale("log")
    axes.set_xticks(settings["budgets"], [str(budget) for budget in settings["budgets"]])
    axes.minorticks_off()
