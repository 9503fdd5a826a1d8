"""Compare planners, features and tree sizes in Atari games without learning, to choose the defaults of `play`.

python benchmarks/atari_planning.py [--run FOLDER] [--games A,B] [--setups A,B] [--seeds N] [--actions N]
    [--interactions N] [--out FILE]

Plays the first actions of a dozen games; `--actions 1200` plays whole episodes of 18,000 frames, `--games all` the
games of the paper's table and Freeway. Lines go to FOLDER/results.jsonl as episodes end; the same call continues an
interrupted run, and other games, setups or more seeds can be added to it. An episode of 300 actions takes about half a
minute of a core.
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
from atari_scores import above, interquartile_interval, published
from resumable_run import report, resumable_run
from widthwise.core.files import write_whole
from widthwise.simulators.atari_games import PAPER_GAMES, ale_name

#: The eleven games with published scores of Rollout IW at this budget, and Asterix.
GAMES = (
    "breakout", "pong", "frostbite", "private_eye", "venture", "montezuma_revenge", "freeway", "ms_pacman",
    "space_invaders", "seaquest", "beam_rider", "asterix",
)  # fmt: skip
KEYS = ("game", "setup", "seed")
INTERACTIONS = 100  # per action, unless `--interactions` says otherwise
ACTIONS = 300  # of an episode, unless `--actions` says otherwise
#: Scores of Rollout IW(1) with B-PROST features and 0.5 s per decision, which are 101 to 107 interactions, in episodes
#: of 18,000 frames (Bandres, Bonet and Geffner 2018): risk-averse, and not.
PUBLISHED = {
    "breakout": (86, 82), "pong": (-4, -7), "frostbite": (146, 220), "private_eye": (-480, -322), "venture": (60, 0),
    "montezuma_revenge": (100, 0), "freeway": (2, 3), "ms_pacman": (15_115, 9_178), "space_invaders": (1_149, 2_628),
    "seaquest": (2_312, 980), "beam_rider": (2_553, 2_188),
}  # fmt: skip
WHOLE = 1_200  # actions of 18,000 frames
OTHERS = ("RIW, RA", "RIW", "π-IW", "π-HIW")
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


def _coarse_tiles(env: Any) -> Any:
    return ww.Tiles(8, 11, 32)


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
    "iw-ram-lives": Setup(lambda: ww.IW(1), penalty=PENALTY),
    "criw-ram-lives": Setup(lambda: ww.CountRolloutIW(1), penalty=PENALTY),
    "hiw-ram-lives": Setup(_hiw, penalty=PENALTY),
    "riw-tiles-lives": Setup(_riw, _tiles, penalty=PENALTY),
    "riw-coarse-tiles-lives": Setup(_riw, _coarse_tiles, penalty=PENALTY),
    "riw-ram-500-lives": Setup(_riw, nodes=500, penalty=PENALTY),
}

TEXT = """\
# Planning in Atari games without learning

```
{command}
```

Commit {commit}, Widthwise {version}, Python {python}; {cpu}, {cores} cores. The raw lines are in
`{folder}/results.jsonl.gz`.

At most {actions:,} actions of {games} games (15 frames each), {interactions} interactions per action, the behaviour
policy `ties`, discount 0.99. In each field the mean score and the number of seeds; † marks fields with an episode that
the game ended before these actions. A row is shown as far as it was played.

{table}

Rank is the mean over the games that all setups have played of the place among the setups by mean score (1 is best, ties
share). Setups: Rollout IW (`riw`), IW (`iw`), Count-based Rollout IW (`criw`), each of width 1, and HIW(n,1) over 8x11
tiles of 32 values (`hiw`); over the memory (`ram`), B-PROST features (`bprost`), 16x14 tiles of 32 values (`tiles`) or
8x11 of them (`coarse-tiles`); with 5,000 nodes, or 500 where the name says so; `lives` has a penalty of {penalty:,.0f}
for a lost life.
{note}"""
PUBLISHED_NOTE = """
The last four columns are published scores in whole episodes: of Rollout IW(1) with B-PROST features at 0.5 s per
decision, which are about 100 interactions (Bandres, Bonet and Geffner 2018), risk-averse (`RA`) and not; and of the
paper's π-IW(1) and π-HIW(n,1), which learn from 20 million interactions and also plan with 100 per action.

{comparisons}

Human-normalised scores have 0 for random actions and 1 for people; the interquartile mean leaves out the lowest and the
highest quarter of all runs, and its interval (95 %) is from a bootstrap within the games (Agarwal et al. 2021).
"""


def play(game: str, name: str, seed: int, actions: int = ACTIONS, interactions: int = INTERACTIONS) -> dict[str, Any]:
    """One episode as a line."""
    setup = SETUPS[name]
    env = ww.simulator(f"atari:{game}")
    agent = ww.OnlinePlanner(
        env,
        setup.planner(),
        features=setup.features(env),
        budget=ww.Budget(steps=interactions, nodes=setup.nodes),
        max_steps=actions,
        life_penalty=setup.penalty,
        chance="foresee",  # two games do not restore their states exactly and are refused otherwise
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
    actions = config["settings"]["actions"]
    played = {line["game"] for line in lines}
    games = [game for game in GAMES if game in played] + sorted(played - set(GAMES))
    setups = [setup for setup in SETUPS if any(cells[game, setup] for game in games)]
    whole_episodes = actions >= WHOLE
    whole = [game for game in games if all(cells[game, setup] for setup in setups)]
    means = {(game, setup): fmean(line["score"] for line in cells[game, setup]) for game in whole for setup in setups}
    places = ranks(means, whole, setups)
    heads = [*setups, *(OTHERS if whole_episodes else ())]
    rows = ["| | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    for game in games:
        fields = [shown(cells[game, setup], actions) for setup in setups]
        if whole_episodes:
            others = [*PUBLISHED.get(game, (None, None)), published(game, "pi-iw"), published(game, "pi-hiw")]
            fields += ["" if score is None else f"{score:,.0f}" for score in others]
        rows.append(f"| {game} | " + " | ".join(fields) + " |")
    if whole and len(setups) > 1:
        rows.append(
            "| rank | "
            + " | ".join(f"{places[setup]:.1f}" for setup in setups)
            + " |" * len(OTHERS) * whole_episodes
            + " |"
        )
    write_whole(
        path,
        TEXT.format(
            command=config["command"], folder=path.stem, commit=config["commit"],
            version=config["versions"]["widthwise"],
            python=config["versions"]["python"], cpu=config["machine"]["cpu"], cores=config["machine"]["cores"],
            actions=actions, games=len(games), interactions=config["settings"]["interactions"],
            penalty=PENALTY, table="\n".join(rows),
            note=PUBLISHED_NOTE.format(comparisons=comparisons(lines, setups)) if whole_episodes else "",
        ),
    )  # fmt: skip


def comparisons(lines: list[dict[str, Any]], setups: list[str]) -> str:
    """In how many games each setup is above published scores, and its interquartile mean, as a table."""
    rows = [
        "| | at least RIW, RA | at least RIW | above π-IW | above π-HIW | interquartile mean |",
        "|---|" + "--:|" * 5,
    ]
    for setup in setups:
        scores: dict[str, list[float]] = defaultdict(list)
        for line in lines:
            if line["setup"] == setup:
                scores[line["game"]].append(line["score"])
        known = {game: fmean(runs) for game, runs in scores.items() if game in PUBLISHED}
        counts = [
            (sum(mean >= PUBLISHED[game][column] for game, mean in known.items()), len(known)) for column in (0, 1)
        ]
        counts += [above(scores, "pi-iw"), above(scores, "pi-hiw")]
        fields = [f"{more} of {games}" for more, games in counts]
        rows.append(f"| {setup} | " + " | ".join(fields) + f" | {interquartile_interval(scores)} |")
    return "\n".join(rows)


def shown(lines: list[dict[str, Any]], actions: int) -> str:
    """The mean score of a field; a limit of actions also ends an episode, which is not marked."""
    if not lines:
        return ""
    ended = "†" if any(line["ended"] and line["steps"] < actions for line in lines) else ""
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
    parser.add_argument("--games", default=",".join(GAMES), help="the games, with commas between them, or all")
    parser.add_argument("--setups", default=",".join(SETUPS), help="the setups, with commas between them")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0 to N-1 (default 3); 0 writes the report only")
    parser.add_argument("--actions", type=int, default=ACTIONS, help=f"of an episode, at most (default {ACTIONS})")
    parser.add_argument(
        "--interactions", type=int, default=INTERACTIONS, help=f"for each action, at most (default {INTERACTIONS})"
    )
    parser.add_argument("--out", type=Path, help="write the report here")
    options = parser.parse_args(arguments)
    setups = options.setups.split(",")
    if unknown := set(setups) - set(SETUPS):
        parser.error(f"unknown setups: {', '.join(sorted(unknown))}; choose from {', '.join(SETUPS)}")
    games = [*map(ale_name, PAPER_GAMES), "freeway"] if options.games == "all" else options.games.split(",")
    settings = {"actions": options.actions, "interactions": options.interactions, "penalty": PENALTY}
    with resumable_run(options.run, settings, KEYS, arguments) as (store, _):
        for seed in range(options.seeds):
            for setup in setups:
                for game in games:
                    if (game, setup, seed) not in store.done:
                        line = play(game, setup, seed, options.actions, options.interactions)
                        store.append(line)
                        print(f"{game}, {setup}, seed {seed}: {line['score']:g}", file=sys.stderr, flush=True)
    report(options.out, options.run, store, write_report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
