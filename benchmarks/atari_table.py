"""Write the page that compares the default with the paper's algorithms in Atari games, from lines of `atari_levers.py`.

python benchmarks/atari_table.py --run FOLDER... --out FILE

The lines are of the variants `default`, `paper-iw`, `paper-iw+`, `paper-hiw` and `random`. A field has the mean over
the seeds and, if there are several, the least and the greatest mean of a seed. The figure shows the relative
improvement of π-HIW over π-IW as the paper defines it, here and in the paper.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from matplotlib.figure import Figure

from atari_pages import write_page
from atari_planning import GAMES
from atari_runs import Lines, Runs, difference, row, with_interval
from atari_scores import interquartile_interval, published, random_score
from widthwise.core.files import write_whole
from widthwise.reports.plots import to_svg

NAMES = {"default": "default", "paper-iw": "π-IW", "paper-iw+": "π-IW+", "paper-hiw": "π-HIW"}
FIELDS = {"planner_scores": "planner and network", "network_scores": "network alone"}

TEXT = """\
# The default and the paper's algorithms in Atari games

```
python benchmarks/atari_levers.py --run runs/{folder} --games {choice} --variants {variants} \\
    --seeds {seeds} --interactions {interactions} --actions {actions} --planner-episodes {episodes}
python benchmarks/atari_table.py --run runs/{folder} --out build/{folder}.md
```

Episodes have at most {actions} actions of 15 frames; planning has 100 interactions per action. `default` is the preset
`default`; π-IW, π-IW+ and π-HIW have the preset `paper`. {runs} runs. Commits: {commits}. The raw lines are in
`{folder}/results.jsonl.gz`.

{tables}

## The default minus the others

Differences of the means, with 95 % intervals from a bootstrap over the seeds of each game.

{differences}

Interquartile means of human-normalised scores (0: random actions, 1: people, both in whole episodes), with intervals
from a stratified bootstrap (Agarwal et al. 2021), over the games that all of them have played:

{means}

## Does the hierarchy help?

The relative improvement of π-HIW over π-IW as the paper defines it, (π-HIW − random) / (π-IW − random) − 1, of planner
and network; ∞ where π-IW scores what random actions do and π-HIW more, − where it is not defined or the game is
missing. The paper's figures are those of its table, after 20 million interactions and in whole episodes.

{improvements}

![Relative improvement of π-HIW over π-IW]({folder}/improvement.svg)

π-HIW is above π-IW in {helps} of {compared} games here, in the paper in {paper_helps} of the {paper_compared} of them
that its table has.
"""


def score_table(runs: Runs, games: Sequence[str], field: str) -> str:
    """The scores of every variant, with the number of seeds."""
    lines = [row(["game", *NAMES.values()]), "|---|" + "--:|" * len(NAMES)]
    for game in games:
        lines.append(row([game, *(seeded(runs, game, variant, field) for variant in NAMES)]))
    return "\n".join(lines)


def seeded(runs: Runs, game: str, variant: str, field: str) -> str:
    """The mean with its range; a single seed is marked."""
    count = len(runs.means.get((game, variant, field), []))
    return runs.shown(game, variant, field) + (" (1 seed)" if count == 1 else "")


def difference_table(runs: Runs, games: Sequence[str]) -> str:
    """The default minus each of the others, and in how many games it is above."""
    others = [variant for variant in NAMES if variant != "default"]
    lines = [row(["game", *(NAMES[other] for other in others)]), "|---|" + "--:|" * len(others)]
    counts: dict[str, list[int]] = {other: [0, 0, 0] for other in others}
    for game in games:
        fields = []
        for other in others:
            first = runs.means.get((game, "default", "planner_scores"), [])
            second = runs.means.get((game, other, "planner_scores"), [])
            if not (first and second):
                fields.append("")
                continue
            gap = difference(first, second)
            fields.append(with_interval(gap))
            counts[other][0 if gap.mean > 0 else 2 if gap.mean < 0 else 1] += 1
        lines.append(row([game, *fields]))
    lines.append(row(["**above, equal, below**", *(", ".join(map(str, counts[other])) for other in others)]))
    return "\n".join(lines)


def improvement(high: float, flat: float, random: float) -> float | None:
    """The paper's relative improvement; infinite if the flat algorithm scores as random actions do, and the other more.

    Example:
        >>> improvement(30.0, 20.0, 10.0)
        1.0
    """
    if flat < random or (flat == random and high <= random):
        return None
    return math.inf if flat == random else (high - random) / (flat - random) - 1


def improvements(runs: Runs, games: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """The relative improvement in each game, here and in the paper."""
    found = {}
    for game in games:
        flat, high, random = (
            runs.means.get((game, variant, field), [])
            for variant, field in (
                ("paper-iw", "planner_scores"),
                ("paper-hiw", "planner_scores"),
                ("random", "network_scores"),
            )
        )
        if not (flat and high and random):
            continue
        paper_flat, paper_high = published(game, "pi-iw"), published(game, "pi-hiw")
        paper = None
        if paper_flat is not None and paper_high is not None:
            paper = improvement(paper_high, paper_flat, random_score(game))
        found[game] = improvement(fmean(high), fmean(flat), fmean(random)), paper
    return found


def shown(share: float | None) -> str:
    """A relative improvement in per cent."""
    if share is None:
        return "−"
    return "∞" if math.isinf(share) else f"{100 * share:+,.0f} %"


def draw(found: dict[str, tuple[float | None, float | None]]) -> Any:
    """The figure: two bars for each game on a symmetric logarithmic axis; an infinite one is cut at its end."""
    most = max([10.0, *(abs(share) for pair in found.values() for share in pair if share and math.isfinite(share))])
    figure = Figure(figsize=(7, 1.2 + 0.36 * len(found)), layout="constrained")
    axes = figure.subplots()
    for offset, (index, label, colour) in zip(
        (-0.2, 0.2), ((0, "here", "#2b6cb0"), (1, "paper", "#b7bec8")), strict=True
    ):
        bars = [min(pair[index] or 0.0, 2 * most) for pair in found.values()]
        places = [place + offset for place in range(len(found))]
        axes.barh(places, bars, 0.38, label=label, color=colour)
    axes.set_yticks(range(len(found)), list(found))
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.set_xscale("symlog", linthresh=1.0)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("relative improvement of π-HIW over π-IW (1 = 100 %; the longest bars are infinite)")
    axes.legend(loc="best", frameon=False)
    return figure


def page(lines: Lines, config: dict[str, Any], folder: Path) -> str:
    """The page; its figure goes to the folder."""
    runs = Runs.of(lines)
    own = [line for line in lines if line["variant"] in NAMES]
    played = {line["game"] for line in own}
    games = [*(game for game in GAMES if game in played), *sorted(played - set(GAMES))]
    tables = [f"## {title.capitalize()}\n\n{score_table(runs, games, field)}" for field, title in FIELDS.items()]
    present = [variant for variant in NAMES if any(line["variant"] == variant for line in own)]
    complete = [game for game in games if all((game, variant, "planner_scores") in runs.means for variant in present)]
    means = [row(["", *FIELDS.values()]), "|---|--:|--:|"]
    for variant in present if complete else []:
        scored = [{game: runs.means[game, variant, field] for game in complete} for field in FIELDS]
        means.append(row([NAMES[variant], *map(interquartile_interval, scored)]))
    found = improvements(runs, games)
    write_whole(folder / "improvement.svg", to_svg(draw(found)))
    here = [pair[0] for pair in found.values()]
    paper = {
        game: pair for game in found if (pair := (published(game, "pi-iw"), published(game, "pi-hiw")))[0] is not None
    }
    by_variant = {
        NAMES[variant]: sorted({line["commit"][:7] for line in own if line["variant"] == variant}) for variant in NAMES
    }
    helps = sum(
        fmean(runs.means[game, "paper-hiw", "planner_scores"]) > fmean(runs.means[game, "paper-iw", "planner_scores"])
        for game in found
    )
    return TEXT.format(
        choice="dozen" if set(games) == set(GAMES) else ",".join(games),
        variants=",".join(variant for variant in ("random", *NAMES) if variant == "random" or variant in present),
        seeds=",".join(map(str, sorted({line["seed"] for line in own}))),
        episodes=max(len(line.get("planner_scores", ())) for line in own),
        runs=len(own),
        interactions=config["settings"]["interactions"],
        actions=config["settings"]["actions"],
        commits="; ".join(f"{name} {', '.join(commits)}" for name, commits in by_variant.items() if commits),
        folder=folder.name,
        tables="\n\n".join(tables),
        differences=difference_table(runs, games),
        means="\n".join(means),
        improvements="\n".join(
            [
                "| game | here | paper |",
                "|---|--:|--:|",
                *(row([game, *map(shown, pair)]) for game, pair in found.items()),
            ]
        ),
        helps=helps,
        compared=len(here),
        paper_helps=sum((high or 0) > (flat or 0) for flat, high in paper.values()),
        paper_compared=len(paper),
    )


def main(arguments: list[str] | None = None) -> None:
    """Write the page, and the lines beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, nargs="+", required=True, help="run folders of atari_levers.py")
    parser.add_argument("--out", type=Path, required=True, help="the page; its lines go to a folder of its name")
    options = parser.parse_args(arguments)
    write_page(options.run, options.out, lambda lines, configs, folder: page(lines, configs[-1], folder))


if __name__ == "__main__":
    main()
