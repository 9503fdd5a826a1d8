"""Write the page about what learning adds in Atari games, from the lines of `atari_levers.py`.

python benchmarks/atari_learning.py --run FOLDER... --out FILE [--variant NAME]

Compares planner and network with the planner alone (`play`), and the network alone with random actions, also with
sticky actions. An interval is from a bootstrap over the seeds within a game (95 %): a seed's mean counts once.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import atari_curves
from atari_pages import write_page
from atari_planning import GAMES
from atari_runs import Lines, Runs, count_row, difference, row, with_interval
from atari_scores import Interval, interquartile_interval

#: What is compared: the fields of the learner and of what it is compared with, whose variant follows.
COMPARISONS = {
    "planner and network − planner alone": ("planner_scores", "planner_scores", "play"),
    "network alone − random actions": ("network_scores", "network_scores", "random"),
    "network alone − random actions, sticky": ("sticky_scores", "sticky_scores", "random"),
}

TEXT = """\
# What learning adds in Atari games

```
{command}
```

Commit {commit}. {runs} runs of {interactions:,} training interactions, {seeds} seeds in each of {games} games, which
were named before. Episodes have at most {actions} actions of 15 frames, and planning has 100 interactions per action.
The raw lines are in `{folder}/results.jsonl.gz`.

Means over the seeds, with the least and the greatest mean of a seed. Episodes per seed: planner alone {alone}, planner
and network {planned}, network alone {greedy}, random actions {random}.

{scores}

Differences of the means, with 95 % intervals from a bootstrap over the seeds of each game. Three seeds give coarse
intervals: the lowest and the highest seed bound them.

{differences}

| | games above 0 | games with the whole interval above 0 | games below 0 |
|---|--:|--:|--:|
{counts}

Interquartile means of human-normalised scores (0: random actions, 1: people, both in whole episodes, so that {actions}
actions give less), with intervals from a stratified bootstrap (Agarwal et al. 2021):

{means}

{curves}"""


def page(lines: Lines, variant: str, config: dict[str, Any], folder: Path) -> str:
    """The page, whose figure goes to the folder; raises `SystemExit` if a game lacks something to compare with."""
    runs = Runs.of(lines)
    played = {line["game"] for line in lines if line["variant"] == variant}
    games = [*(game for game in GAMES if game in played), *sorted(played - set(GAMES))]
    for game in games:
        if missing := [name for name in ("play", "random") if not any(key[:2] == (game, name) for key in runs.means)]:
            raise SystemExit(f"{game} has no lines of {' and '.join(missing)}: run atari_levers.py for them")
    heads = ["game", "planner alone", "planner and network", "demonstration", "network alone", "random"]
    heads += ["network, sticky", "random, sticky"]
    columns = [("play", "planner_scores"), (variant, "planner_scores"), (variant, "demonstration")]
    columns += [(variant, "network_scores"), ("random", "network_scores")]
    columns += [(variant, "sticky_scores"), ("random", "sticky_scores")]
    scores = [row(heads), "|---|" + "--:|" * len(columns)]
    scores += [row([game, *(runs.shown(game, *column) for column in columns)]) for game in games]
    differences = [row(["game", *COMPARISONS]), "|---|" + "--:|" * len(COMPARISONS)]
    gaps: dict[str, list[Interval]] = defaultdict(list)
    for game in games:
        fields = []
        for name, (field, other, against) in COMPARISONS.items():
            gap = difference(runs.means[game, variant, field], runs.means[game, against, other])
            gaps[name].append(gap)
            fields.append(with_interval(gap))
        differences.append(row([game, *fields]))
    counts = [count_row(name, gap) for name, gap in gaps.items()]
    means = ["| | interquartile mean |", "|---|--:|"]
    for label, (name, field) in dict(zip(heads[1:], columns, strict=True)).items():
        scored = {game: runs.means[game, name, field] for game in games if (game, name, field) in runs.means}
        if scored:
            means.append(row([label, interquartile_interval(scored)]))
    own = [line for line in lines if line["variant"] == variant]
    return TEXT.format(
        command=config["command"], commit=", ".join(sorted({line["commit"] for line in own})), runs=len(own),
        interactions=config["settings"]["interactions"], seeds=len({line["seed"] for line in own}), games=len(games),
        alone=episodes(lines, "play", "planner_scores"), planned=episodes(own, variant, "planner_scores"),
        greedy=episodes(own, variant, "network_scores"), random=episodes(lines, "random", "network_scores"),
        actions=config["settings"]["actions"], folder=folder.name, scores="\n".join(scores),
        differences="\n".join(differences), counts="\n".join(counts), means="\n".join(means),
        curves=atari_curves.section(lines, variant, games, folder),
    )  # fmt: skip


def episodes(lines: Lines, variant: str, field: str) -> str:
    """How many episodes a line of a variant has."""
    counts = sorted({len(line[field]) for line in lines if line["variant"] == variant and field in line})
    return " or ".join(map(str, counts))


def main(arguments: list[str] | None = None) -> None:
    """Write the page, and the lines beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, nargs="+", required=True, help="run folders of atari_levers.py")
    parser.add_argument("--variant", default="demonstration", help="what is compared with the planner alone")
    parser.add_argument("--out", type=Path, required=True, help="the page; its lines go to a folder of its name")
    options = parser.parse_args(arguments)
    variant = options.variant
    write_page(options.run, options.out, lambda lines, configs, folder: page(lines, variant, configs[-1], folder))
    shutil.copy(options.run[-1] / "config.json", options.out.with_suffix("") / "config.json")


if __name__ == "__main__":
    main()
