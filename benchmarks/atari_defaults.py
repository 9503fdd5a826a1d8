"""Compare planners and tree sizes in Atari games, to choose the defaults of `widthwise play atari:GAME`.

python benchmarks/atari_defaults.py [--run FOLDER] [--games A,B] [--seeds N] [--actions N] [--out FILE.md]

Plays the first actions of a few games with Rollout IW and with HIW, nothing learned, and counts the scores. Lines go to
FOLDER/results.jsonl as episodes end; the same call continues an interrupted run. One core, an hour or less.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import widthwise as ww
from resumable_run import report, resumable_run
from widthwise.core.files import write_whole

GAMES = ("breakout", "pong", "montezuma_revenge", "freeway", "ms_pacman", "space_invaders")
KEYS = ("game", "setup", "seed")
INTERACTIONS = 100  # per action
#: What is compared: planner, features of its levels, nodes in the tree.
SETUPS: dict[str, tuple[Any, Any, int]] = {
    "RIW(1) over RAM, 500 nodes": (ww.RolloutIW(1), ww.Ram(), 500),
    "RIW(1) over RAM, 5,000 nodes": (ww.RolloutIW(1), ww.Ram(), 5000),
    "HIW(n,1) 8x11 over RAM, 500 nodes": (
        ww.HIW(ww.Tiles(8, 11, 32), high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1)), ww.Ram(), 500,
    ),
    "HIW(n,1) 8x11 over RAM, 5,000 nodes": (
        ww.HIW(ww.Tiles(8, 11, 32), high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1)), ww.Ram(), 5000,
    ),
}  # fmt: skip

TEXT = """\
# Defaults in Atari games

Written by `{command}`.
Commit {commit}, Widthwise {version}, Python {python}; {cpu}, {cores} cores. The raw lines are in
[atari-defaults/results.jsonl.gz](atari-defaults/results.jsonl.gz).

The first {actions} actions of six games (15 frames each), {interactions} interactions per action, no learning, the
behaviour policy `ties`, discount 0.99. In each field the scores of the seeds {seeds}; † marks an episode that ended
early because the last life was lost.

{table}

Rank is the mean over the games of the place among the setups by mean score (1 is best, ties share).

{seeds_count} seeds and {actions} actions are few. The figures show large differences, such as planning that stops
because the tree is full. They do not rank setups that are close.
"""


def play(game: str, setup: str, seed: int, actions: int) -> dict[str, Any]:
    """One episode as a line."""
    planner, features, nodes = SETUPS[setup]
    agent = ww.OnlinePlanner(
        ww.simulator(f"atari:{game}"),
        planner,
        features=features,
        budget=ww.Budget(steps=INTERACTIONS, nodes=nodes),
        max_steps=actions,
        keep_observations=False,
        keep_records=False,
    )
    episode = agent.run(seed)
    return {
        "game": game,
        "setup": setup,
        "seed": seed,
        "score": episode.score,
        "steps": episode.steps,
        "ended": episode.terminated,
        "interactions": episode.interactions,
        "restores": episode.restores,
        "seconds": round(episode.seconds, 2),
    }


def write_report(path: Path, config: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """The table of scores by game and setup."""
    settings = config["settings"]
    cells: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: int(line["seed"])):
        cells[line["game"], line["setup"]].append(line)
    setups = [setup for setup in settings["setups"] if all(cells[game, setup] for game in settings["games"])]
    rows = ["| | " + " | ".join(settings["games"]) + " | rank |", "|---" * (len(settings["games"]) + 2) + "|"]
    places = ranks({(game, setup): fmean(one["score"] for one in cells[game, setup])
                    for game in settings["games"] for setup in setups}, settings["games"], setups)  # fmt: skip
    for setup in setups:
        shown = [
            ", ".join(f"{one['score']:g}{'†' if one['ended'] else ''}" for one in cells[game, setup])
            for game in settings["games"]
        ]
        rows.append(f"| {setup} | {' | '.join(shown)} | {places[setup]:.1f} |")
    seeds = settings["seeds"]
    write_whole(
        path,
        TEXT.format(
            command=config["command"], commit=config["commit"], version=config["versions"]["widthwise"],
            python=config["versions"]["python"], cpu=config["machine"]["cpu"], cores=config["machine"]["cores"],
            actions=settings["actions"], interactions=INTERACTIONS, table="\n".join(rows),
            seeds=" and ".join(str(seed) for seed in range(seeds)), seeds_count=seeds,
        ),
    )  # fmt: skip


def ranks(means: dict[tuple[str, str], float], games: list[str], setups: list[str]) -> dict[str, float]:
    """The mean place of each setup over the games; equal means share the mean of their places."""
    places: dict[str, list[float]] = defaultdict(list)
    for game in games:
        for setup in setups:
            better = sum(means[game, other] > means[game, setup] for other in setups)
            equal = sum(means[game, other] == means[game, setup] for other in setups)
            places[setup].append(1 + better + (equal - 1) / 2)
    return {setup: fmean(found) for setup, found in places.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/atari-defaults"), help="the run folder")
    parser.add_argument("--games", default=",".join(GAMES), help="the games, with commas between them")
    parser.add_argument("--seeds", type=int, default=2, help="seeds 0 to N-1 (default 2)")
    parser.add_argument("--actions", type=int, default=200, help="actions of an episode (default 200)")
    parser.add_argument("--out", type=Path, help="write the report here")
    options = parser.parse_args(arguments)
    games = options.games.split(",")
    settings = {"games": games, "seeds": options.seeds, "actions": options.actions, "setups": list(SETUPS)}
    with resumable_run(options.run, settings, KEYS, arguments) as (store, _):
        for seed in range(options.seeds):
            for setup in sorted(SETUPS):
                for game in games:
                    if (game, setup, seed) not in store.done:
                        line = play(game, setup, seed, options.actions)
                        store.append(line)
                        print(f"{game}, {setup}, seed {seed}: {line['score']:g}", file=sys.stderr, flush=True)
    report(options.out, options.run, store, write_report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
