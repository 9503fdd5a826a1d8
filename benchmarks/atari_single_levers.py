"""Write the page about single settings of learning in Atari games, from the lines of `atari_levers.py`.

python benchmarks/atari_single_levers.py --run FOLDER... --out FILE

Each variant `plain-...` changes one setting of `plain`. A table has the differences to `plain` in each game, with 95 %
intervals from a bootstrap over the seeds.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

from atari_levers import LEVERS, VARIANTS, per_hundred
from atari_pages import write_page
from atari_runs import Lines, count_row, difference, row, with_interval, with_range
from atari_scores import Interval

BASE = "plain"
#: The figures of a run and how a line gives them.
FIGURES: dict[str, Callable[[dict[str, Any]], float]] = {
    "training, per 100 actions": per_hundred,
    "planner and network": lambda line: fmean(line["planner_scores"]),
    "network alone, greedy": lambda line: fmean(line["network_scores"]),
    "network alone, sampled": lambda line: fmean(line["sampled_scores"]),
    "network alone, sticky": lambda line: fmean(line["sticky_scores"]),
}

TEXT = """\
# Settings of learning one by one, in {games} Atari games

```
{commands}
```

Commit {commits}. {runs} runs of {interactions:,} training interactions, {seeds} seeds in each of {games} games.
Episodes have at most {actions} actions of 15 frames, and planning has 100 interactions per action. The raw lines are in
`{folder}/results.jsonl.gz`.

`plain` is π-HIW over tiles and the memory of the console, which learns from its training episodes:

```
{settings}
```

Each other variant changes one setting:

{levers}

Means over the seeds, with the least and the greatest mean of a seed. Per seed there are {planned} of planner and
network after the run, and ten of the network alone of each kind.

{means}

## Differences to `plain`

With 95 % intervals from a bootstrap over the seeds. Three seeds give coarse intervals: the lowest and the highest seed
bound them.

{differences}

Over all games and figures, in how many of {cells} cells a variant is above `plain`, with the whole interval, and below:

{counts}
"""


def page(lines: Lines, configs: list[dict[str, Any]], folder: Path) -> str:
    """The page."""
    games = list(dict.fromkeys(line["game"] for line in lines))
    cells: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: line["seed"]):
        for name, figure in FIGURES.items():
            cells[line["game"], line["variant"], name].append(figure(line))
    played = [variant for variant in VARIANTS if any(line["variant"] == variant for line in lines)]
    others = [variant for variant in played if variant != BASE]
    means, differences = table(["game", "variant", *FIGURES]), table(["game", "variant", *FIGURES])
    gaps: dict[str, list[Interval]] = defaultdict(list)
    for game in games:
        for variant in played:
            means.append(row([game, f"`{variant}`", *(with_range(cells[game, variant, name]) for name in FIGURES)]))
        for variant in others:
            found = [difference(cells[game, variant, name], cells[game, BASE, name]) for name in FIGURES]
            gaps[variant] += found
            differences.append(row([game, f"`{variant}`", *map(with_interval, found)]))
    counts = table(["variant", "above", "whole interval above", "below", "whole interval below"])
    for variant in others:
        below = sum(gap.high < 0 for gap in gaps[variant])
        counts.append(f"{count_row(f'`{variant}`', gaps[variant])} {below} |")
    planned = {len(line["planner_scores"]) for line in lines}
    return TEXT.format(
        games=len(games), commands="\n".join(dict.fromkeys(config["command"] for config in configs)),
        commits=", ".join(sorted({line["commit"] for line in lines})), runs=len(lines),
        interactions=configs[0]["settings"]["interactions"], actions=configs[0]["settings"]["actions"],
        seeds=len({line["seed"] for line in lines}), folder=folder.name, settings=VARIANTS[BASE][2],
        levers="\n".join(f"- `{BASE}-{name}`: `{setting}`" for name, setting in LEVERS.items()),
        planned="one episode" if planned == {1} else f"{max(planned)} episodes", means="\n".join(means),
        differences="\n".join(differences), counts="\n".join(counts), cells=len(games) * len(FIGURES),
    )  # fmt: skip


def table(heads: list[str]) -> list[str]:
    """The first two lines of a table."""
    return [row(heads), "|---|" + "--:|" * (len(heads) - 1)]


def main(arguments: list[str] | None = None) -> None:
    """Write the page, and the lines beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, nargs="+", required=True, help="run folders of atari_levers.py")
    parser.add_argument("--out", type=Path, required=True, help="the page; its lines go to a folder of its name")
    options = parser.parse_args(arguments)
    write_page(options.run, options.out, page)


if __name__ == "__main__":
    main()
