"""Compare planners, features and tree sizes in Atari games without learning, to choose the defaults of `play`.

python benchmarks/atari_planning.py [--run FOLDER] [--games A,B] [--setups A,B] [--seeds N] [--out FILE.md]

Plays the first actions of a dozen games. Lines go to FOLDER/results.jsonl as episodes end; the same call continues an
interrupted run, and other games, setups or more seeds can be added to it. An episode takes about a minute of a core.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import widthwise as ww
from resumable_run import report, resumable_run
from widthwise.core.files import write_whole

#: The eleven games with published scores of Rollout IW at this budget, and Asterix.
GAMES = (
    "breakout", "pong", "frostbite", "private_eye", "venture", "montezuma_revenge", "freeway", "ms_pacman",
    "space_invaders", "seaquest", "beam_rider", "asterix",
)  # fmt: skip
KEYS = ("game", "setup", "seed")
INTERACTIONS = 100  # per action
ACTIONS = 300
PENALTY = 10_000.0  # more than any reward


@dataclass(frozen=True)
class Setup:
    """What is compared: a planner, the features of its lowest level, nodes in the tree, the penalty of a lost life."""

    planner: Callable[[], Any]
    features: Callable[[Any], Any] = lambda env: ww.Ram()
    nodes: int = 5_000
    penalty: float = 0.0


def _riw() -> Any:
    return ww.RolloutIW(1)


def _hiw() -> Any:
    return ww.HIW(ww.Tiles(8, 11, 32), high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1))


def _screen(env: Any) -> Any:
    return ww.BProst.fit(env)


def _tiles(env: Any) -> Any:
    return ww.Tiles(16, 14, 32)


SETUPS = {
    "riw-ram": Setup(_riw),
    "riw-ram-lives": Setup(_riw, penalty=PENALTY),
    "riw-bprost": Setup(_riw, _screen),
    "riw-bprost-lives": Setup(_riw, _screen, penalty=PENALTY),
    "riw-tiles": Setup(_riw, _tiles),
    "riw-ram-500": Setup(_riw, nodes=500),
    "iw-ram": Setup(lambda: ww.IW(1)),
    "criw-ram": Setup(lambda: ww.CountRolloutIW(1)),
    "hiw-ram": Setup(_hiw),
    "hiw-bprost": Setup(_hiw, _screen),
    "hiw-bprost-lives": Setup(_hiw, _screen, penalty=PENALTY),
}

TEXT = """\
# Planning in Atari games without learning

Written by `{command}`. Commit {commit}, Widthwise {version}, Python {python}; {cpu}, {cores} cores. The raw lines are
in [atari-planning/results.jsonl.gz](atari-planning/results.jsonl.gz).

The first {actions} actions of {games} games (15 frames each), {interactions} interactions per action, the behaviour
policy `ties`, discount 0.99. In each field the mean score and the number of seeds; † marks setups in which an episode
ended early because the last life was lost. A row is shown as far as it was played.

{table}

Rank is the mean over the games that all setups have played of the place among the setups by mean score (1 is best, ties
share). Setups: Rollout IW (`riw`), IW (`iw`), Count-based Rollout IW (`criw`), each of width 1, and HIW(n,1) over 8x11
tiles of 32 values (`hiw`); over the memory (`ram`), B-PROST features (`bprost`) or 16x14 tiles of 32 values (`tiles`);
with 5,000 nodes, or 500 where the name says so; `lives` has a penalty of {penalty:,.0f} for a lost life.
"""


def play(game: str, name: str, seed: int) -> dict[str, Any]:
    """One episode as a line."""
    setup = SETUPS[name]
    env = ww.simulator(f"atari:{game}")
    agent = ww.OnlinePlanner(
        env,
        setup.planner(),
        features=setup.features(env),
        budget=ww.Budget(steps=INTERACTIONS, nodes=setup.nodes),
        max_steps=ACTIONS,
        life_penalty=setup.penalty,
        keep_observations=False,
        keep_records=False,
    )
    episode = agent.run(seed)
    return {
        "game": game,
        "setup": name,
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
    cells: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        cells[line["game"], line["setup"]].append(line)
    games = [game for game in GAMES if any(cells[game, setup] for setup in SETUPS)]
    setups = [setup for setup in SETUPS if any(cells[game, setup] for game in GAMES)]
    whole = [game for game in games if all(cells[game, setup] for setup in setups)]
    means = {(game, setup): fmean(line["score"] for line in cells[game, setup]) for game in whole for setup in setups}
    places = ranks(means, whole, setups)
    rows = ["| | " + " | ".join(setups) + " |", "|---" * (len(setups) + 1) + "|"]
    for game in games:
        rows.append(f"| {game} | " + " | ".join(shown(cells[game, setup]) for setup in setups) + " |")
    if whole:
        rows.append("| rank | " + " | ".join(f"{places[setup]:.1f}" for setup in setups) + " |")
    write_whole(
        path,
        TEXT.format(
            command=config["command"], commit=config["commit"], version=config["versions"]["widthwise"],
            python=config["versions"]["python"], cpu=config["machine"]["cpu"], cores=config["machine"]["cores"],
            actions=ACTIONS, games=len(games), interactions=INTERACTIONS, penalty=PENALTY, table="\n".join(rows),
        ),
    )  # fmt: skip


def shown(lines: list[dict[str, Any]]) -> str:
    """The mean score of a field."""
    if not lines:
        return ""
    ended = "†" if any(line["ended"] for line in lines) else ""
    return f"{fmean(line['score'] for line in lines):,.0f}{ended} ({len(lines)})"


def ranks(means: dict[tuple[str, str], float], games: list[str], setups: list[str]) -> dict[str, float]:
    """The mean place of each setup over the games; equal means share the mean of their places."""
    places: dict[str, list[float]] = defaultdict(list)
    for game in games:
        for setup in setups:
            better = sum(means[game, other] > means[game, setup] for other in setups)
            equal = sum(means[game, other] == means[game, setup] for other in setups)
            places[setup].append(1 + better + (equal - 1) / 2)
    return {setup: fmean(ranked) for setup, ranked in places.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/atari-planning"), help="the run folder")
    parser.add_argument("--games", default=",".join(GAMES), help="the games, with commas between them")
    parser.add_argument("--setups", default=",".join(SETUPS), help="the setups, with commas between them")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0 to N-1 (default 3); 0 writes the report only")
    parser.add_argument("--out", type=Path, help="write the report here")
    options = parser.parse_args(arguments)
    setups = options.setups.split(",")
    if unknown := set(setups) - set(SETUPS):
        parser.error(f"unknown setups: {', '.join(sorted(unknown))}; choose from {', '.join(SETUPS)}")
    settings = {"actions": ACTIONS, "interactions": INTERACTIONS, "penalty": PENALTY}
    with resumable_run(options.run, settings, KEYS, arguments) as (store, _):
        for seed in range(options.seeds):
            for setup in setups:
                for game in options.games.split(","):
                    if (game, setup, seed) not in store.done:
                        line = play(game, setup, seed)
                        store.append(line)
                        print(f"{game}, {setup}, seed {seed}: {line['score']:g}", file=sys.stderr, flush=True)
    report(options.out, options.run, store, write_report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
