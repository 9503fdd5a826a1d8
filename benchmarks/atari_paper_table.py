"""Write the page that sets a short training in all games of the paper's table beside its scores.

python benchmarks/atari_paper_table.py --run FOLDER... --planning FILE --out FILE

The lines are those of `atari_levers.py --games all` (variants `default` with `--whole-episodes 1`, `paper-iw`,
`paper-hiw` and `random`) and, for the planner alone, whole episodes of `atari_planning.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from atari_pages import write_page
from atari_runs import Lines, row
from atari_scores import above, interval_over_games, published, random_score
from atari_table import draw, improvement, shown
from widthwise.core.files import write_whole
from widthwise.reports.plots import to_svg

PLANNER = "riw-ram-lives"  # the default of `play`
SETUPS = (PLANNER, "riw-ram")  # the second in games without lives, where the penalty changes nothing

VariantLines = dict[str, dict[str, dict[str, Any]]]  # lines by variant and game

TEXT = """\
# The games of the paper's table after {interactions:,} interactions

```
python benchmarks/atari_levers.py --run runs/{folder} --games all --variants default --seeds 0 \\
    --interactions {interactions} --actions {actions} --planner-episodes 0 --whole-episodes 1
python benchmarks/atari_levers.py --run runs/{folder}-paper --games all --variants random,paper-iw,paper-hiw \\
    --seeds 0 --interactions {interactions} --actions {actions} --planner-episodes 0
python benchmarks/atari_paper_table.py --run runs/{folder} runs/{folder}-paper \\
    --planning docs/results/atari-all-games/results.jsonl.gz --out build/{folder}.md
```

{runs} runs of {interactions:,} interactions in {games} games, one seed. Commits: {commits}. The raw lines are in
`{folder}/results.jsonl.gz`.

Training episodes have at most {actions} actions of 15 frames, and planning has 100 interactions per action. *Whole
episode* is one episode of planner and network after the run, of at most 1,200 actions (18,000 frames), as the paper's
episodes. *Planner alone* is the default of `play` in [whole episodes](atari-all-games.md), without learning. The
paper's agents have learned from 20 million interactions, {times} times as many.

## Beside the paper's scores

| | above the paper's π-IW | above the paper's π-HIW | interquartile mean, human-normalised |
|---|--:|--:|--:|
{counts}

Human-normalised scores have 0 for random actions and 1 for people. The interquartile mean leaves out the lowest and
the highest quarter of the games; its interval (95 %) is from a bootstrap over the games, because there is one run of
each.

The default is above the planner alone in {more} games, equal in {same} and below in {less}.

{scores}

*Demonstration* is the trajectory of at most {actions} actions that the default has found and learned. Bold: above both
agents of the paper.
{hierarchy}"""
HIERARCHY = """
## Does the hierarchy help?

Scores of the training episodes of π-IW and π-HIW with the preset `paper`, at most {actions} actions each, and the
relative improvement of π-HIW over π-IW as the paper defines it, (π-HIW − random) / (π-IW − random) − 1; ∞ where π-IW
scores what random actions do and π-HIW more, − where it is not defined or the game is missing. *Interactions per
action* is what planning used of its 100: it ends early at the limit of nodes, or where both levels have nothing novel
left.

Interquartile means of human-normalised scores, with intervals as above:

{means}

The default has no training score: with {interactions:,} interactions it looks for a demonstration and learns it, and
few training episodes end. *Network alone* has ten episodes of the network after the run, of at most {actions} actions.

π-HIW is above π-IW in {helps} of {compared} games, equal in {equal} and below in {hinders}; in the paper it is above in
{paper_helps} of these games. The sign of the difference is that of the paper in {agree} of the {signed} games in which
neither is 0. Where π-HIW is below, it used {low_use:.0f} interactions per action in the mean, where it is above
{high_use:.0f}; π-IW used {flat_use:.0f}.

{improvements}

![Relative improvement of π-HIW over π-IW]({folder}/improvement.svg)
"""


def training_score(line: dict[str, Any]) -> float:
    """The mean score of the training episodes; of the unfinished one if no other has ended.

    Example:
        >>> training_score({"training": [[2.0, 200, 900], [4.0, 200, 1800]], "unfinished": [9.0, 20]})
        3.0
    """
    ended = [episode[0] for episode in line["training"]]
    return fmean(ended) if ended else float(line["unfinished"][0])


def figure(score: float | None) -> str:
    """A score as a field of a table."""
    if score is None:
        return ""
    return f"{score:,.1f}" if abs(score) < 100 and score != int(score) else f"{score:,.0f}"


def score_table(
    default: dict[str, dict[str, Any]], planner: dict[str, float], games: Sequence[str]
) -> tuple[str, dict[str, float]]:
    """The scores of the default beside those of the planner and of the paper, and its whole episodes by game."""
    whole = {game: fmean(default[game]["whole_scores"]) for game in games if default.get(game, {}).get("whole_scores")}
    lines = [
        "| game | whole episode | planner alone | paper, π-IW | paper, π-HIW | demonstration |",
        "|---|" + "--:|" * 5,
    ]
    for game in games:
        if game not in whole:
            continue
        others = planner.get(game), published(game, "pi-iw"), published(game, "pi-hiw")
        best = figure(whole[game])
        if all(score is None or whole[game] > score for score in others[1:]):
            best = f"**{best}**"
        demonstration = default[game].get("demonstration_score")
        lines.append(row([game, best, *map(figure, others), figure(demonstration)]))
    return "\n".join(lines), whole


def count_row(name: str, scores: dict[str, float]) -> str:
    """In how many games scores are above the paper's, and their interquartile mean."""
    runs = {game: [score] for game, score in scores.items()}
    counts = [f"{more} of {games}" for more, games in (above(runs, "pi-iw"), above(runs, "pi-hiw"))]
    return row([name, *counts, str(interval_over_games(scores))])


def means_table(runs: VariantLines, games: Sequence[str]) -> str:
    """Interquartile means of the training episodes and of the network alone."""
    lines = ["| | training episodes | network alone |", "|---|--:|--:|"]
    for variant, name in (("default", "default"), ("paper-iw", "π-IW"), ("paper-hiw", "π-HIW")):
        known = {game: line for game in games if (line := runs.get(variant, {}).get(game)) is not None}
        if known:
            training = {game: training_score(line) for game, line in known.items()}
            alone = {game: fmean(line["network_scores"]) for game, line in known.items()}
            first = "" if variant == "default" else str(interval_over_games(training))
            lines.append(row([name, first, str(interval_over_games(alone))]))
    return "\n".join(lines)


def hierarchy(runs: VariantLines, random: dict[str, float], settings: dict[str, Any], folder: Path) -> str:
    """The section about π-HIW and π-IW in the games that all have played; its figure goes to the folder."""
    flat, high = runs.get("paper-iw", {}), runs.get("paper-hiw", {})
    games = sorted(game for game in {*flat} & {*high} & {*random} if published(game, "pi-iw") is not None)
    if not games:
        return ""
    trained = {game: (training_score(flat[game]), training_score(high[game])) for game in games}
    paper = {game: (published(game, "pi-iw") or 0.0, published(game, "pi-hiw") or 0.0) for game in games}
    gaps, paper_gaps = ({game: pair[1] - pair[0] for game, pair in scores.items()} for scores in (trained, paper))
    signed = [game for game in games if gaps[game] and paper_gaps[game]]
    used = {game: high[game]["interactions"] / max(1, high[game]["actions"]) for game in games}
    shares = {
        game: (
            improvement(trained[game][1], trained[game][0], random[game]),
            improvement(paper[game][1], paper[game][0], random_score(game)),
        )
        for game in games
    }
    table = [
        "| game | π-IW | π-HIW | random | improvement | paper | interactions per action, π-HIW |",
        "|---|" + "--:|" * 6,
    ]
    for game in games:
        fields = [*map(figure, (*trained[game], random[game])), *map(shown, shares[game]), f"{used[game]:.0f}"]
        table.append(row([game, *fields]))
    ordered = dict(sorted(shares.items(), key=lambda item: -(item[1][0] if item[1][0] is not None else -2.0)))
    write_whole(folder / "improvement.svg", to_svg(draw(ordered)))
    return HIERARCHY.format(
        folder=folder.name,
        actions=settings["actions"],
        interactions=settings["interactions"],
        means=means_table(runs, games),
        helps=sum(gap > 0 for gap in gaps.values()),
        equal=sum(gap == 0 for gap in gaps.values()),
        hinders=sum(gap < 0 for gap in gaps.values()),
        compared=len(games),
        paper_helps=sum(gap > 0 for gap in paper_gaps.values()),
        agree=sum((gaps[game] > 0) == (paper_gaps[game] > 0) for game in signed),
        signed=len(signed),
        low_use=mean([used[game] for game in games if gaps[game] < 0]),
        high_use=mean([used[game] for game in games if gaps[game] > 0]),
        flat_use=mean([flat[game]["interactions"] / max(1, flat[game]["actions"]) for game in games]),
        improvements="\n".join(table),
    )


def page(lines: Lines, planning: Lines, config: dict[str, Any], folder: Path) -> str:
    """The page; its figure goes to the folder."""
    runs: VariantLines = {}
    for line in lines:
        runs.setdefault(line["variant"], {})[line["game"]] = line
    default, flat, high = (runs.get(name, {}) for name in ("default", "paper-iw", "paper-hiw"))
    random = {game: fmean(line["network_scores"]) for game, line in runs.get("random", {}).items()}
    planner = {line["game"]: line["score"] for setup in reversed(SETUPS) for line in planning if line["setup"] == setup}
    games = sorted(game for game in {*default, *flat, *high} if published(game, "pi-iw") is not None)
    scores, whole = score_table(default, planner, games)
    both = {game: planner[game] for game in whole if game in planner}
    counts = [count_row("default, whole episodes", whole), count_row("planner alone, the same games", both)]
    for name, algorithm in (("π-IW", "pi-iw"), ("π-HIW", "pi-hiw")):
        paper = {game: published(game, algorithm) or 0.0 for game in whole}
        counts.append(row([f"the paper's {name}", "", "", str(interval_over_games(paper))]))
    commits = {
        variant: sorted({line["commit"][:7] for line in lines if line["variant"] == variant}) for variant in runs
    }
    interactions, actions = config["settings"]["interactions"], config["settings"]["actions"]
    return TEXT.format(
        folder=folder.name,
        interactions=interactions,
        actions=actions,
        times=f"{20_000_000 // interactions:,}",
        runs=len(default) + len(flat) + len(high),
        games=len(games),
        commits="; ".join(f"{name} {', '.join(known)}" for name, known in commits.items()),
        counts="\n".join(counts),
        more=sum(whole[game] > planner[game] for game in both),
        same=sum(whole[game] == planner[game] for game in both),
        less=sum(whole[game] < planner[game] for game in both),
        scores=scores,
        hierarchy=hierarchy(runs, random, config["settings"], folder),
    )


def mean(values: list[float]) -> float:
    """The mean; 0 of nothing."""
    return fmean(values) if values else 0.0


def main(arguments: list[str] | None = None) -> None:
    """Write the page, and the lines beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, nargs="+", required=True, help="run folders of atari_levers.py")
    parser.add_argument("--planning", type=Path, required=True, help="packed lines of atari_planning.py")
    parser.add_argument("--out", type=Path, required=True, help="the page; its lines go to a folder of its name")
    options = parser.parse_args(arguments)
    with gzip.open(options.planning, "rt") as packed:
        planning = [json.loads(text) for text in packed]
    write_page(options.run, options.out, lambda lines, configs, folder: page(lines, planning, configs[0], folder))


if __name__ == "__main__":
    main()
