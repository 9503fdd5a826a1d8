"""Train in Atari games with the default and with the settings of the paper.

python benchmarks/atari_levers.py [--run FOLDER] [--games A,B] [--variants A,B] [--seeds 0,1] [--interactions N]
    [--actions N] [--planner-episodes N] [--whole-episodes N] [--evaluate-every N]

A run has 30,000 interactions, 100 per action, in training episodes of at most 200 actions. Afterwards planner and
network play an episode of 200 actions, and the network alone ten greedily, ten at temperature 1 and ten with sticky
actions. With `--actions 0` all of these are whole episodes (18,000 frames); with `--whole-episodes N` planner and
network also play N of them after the run. With `--evaluate-every N` the network alone is also evaluated during the run,
after every N interactions: five episodes, and ten with sticky actions. The variant `play` is the planner alone. Lines
go to FOLDER/results.jsonl as runs end; the same call continues an interrupted campaign, and other games, variants or
seeds can be added to it. A run takes one to two minutes of a core. `--games dozen` are the twelve games of
`atari_planning.py`, `--games all` those of the paper's table.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as in `widthwise train`; before torch is imported

import widthwise as ww
from atari_planning import GAMES as DOZEN
from resumable_run import resumable_run
from widthwise.simulators.atari_games import PAPER_GAMES, ale_name
from widthwise.simulators.chance import Mode
from widthwise.training.configure import configure, make_simulator
from widthwise.training.evaluation import EvaluationEpisode
from widthwise.training.overrides import parse_overrides, plain_overrides
from widthwise.training.run_settings import RunSettings
from widthwise.training.trainer import Trainer

#: Named before anything was measured.
GAMES = ("breakout", "pong", "frostbite", "ms_pacman", "space_invaders", "freeway")
KEYS = ("game", "variant", "seed")
COLUMNS = ("planner_scores", "whole_scores", "network_scores", "sampled_scores", "sticky_scores")
NETWORK_EPISODES = 10
CURVE_EPISODES = 5  # at every evaluation during a run, and NETWORK_EPISODES with sticky actions
CHANCE: Mode = "foresee"  # two games do not restore their states exactly and are refused otherwise
STICKY = 0.25  # the probability with which an action is repeated in the episodes that no planner can play
#: Evaluation episodes have seeds that no training episode has.
FIRST_SEED = 1_000_000

#: π-HIW over tiles and the memory of the console, learned as the paper does, but with eight updates per action: with
#: one, a run of 50,000 interactions ends before anything is learned. Each of the levers changes one thing.
PLAIN = (
    "archive=0 self_imitation=off tie_tolerance=0 behaviour=ties target_prior=off life_penalty=0 clip_rewards=on "
    "value=on value_factor=1 updates=8"
)
LEVERS = {
    "one-update": "updates=1",
    "tree-targets": "tree_targets=16",  # targets from all nodes of the tree
    "lives": "life_penalty=1",
    "rare": "rare_bonus=0.1",  # rare high-level states in the back-up
    "root": "root_actions=on",
    "search": "archive=0.4 rehearsal=2000",  # the best trajectory that a search finds as an episode
    "refreshed": "bootstrap=20",  # returns of the replay end with the value of the present network
    "shift": "shift=4",
}
#: Two fifths of the interactions find a demonstration; afterwards all that planning finds is learned.
LEARNS = "archive=0.4 self_imitation=off tie_tolerance=0 updates=8 tree_targets=16 segment=20"


def _with(settings: str, others: str) -> str:
    """Settings of which some are replaced, or to which some are added."""
    values = dict(text.split("=") for text in f"{settings} {others}".split())
    return " ".join(f"{name}={value}" for name, value in values.items())


#: The preset, the algorithm and the settings of each variant. `random` and `play`, the planner alone, are what learning
#: is compared with.
VARIANTS: dict[str, tuple[str, str, str]] = {
    "random": ("", "", ""),
    "play": ("", "", ""),
    "default": ("default", "auto", ""),
    # Episodes that begin at states of the demonstration: with the default, with the paper's settings after a search,
    # and where planning and learning continue after the search instead of repeating what it found.
    "default-starts": ("default", "auto", "start_share=0.5"),
    "paper-search": ("paper", "pi-hiw", "nodes=5000 archive=0.4"),
    "paper-search-starts": ("paper", "pi-hiw", "nodes=5000 archive=0.4 start_share=0.5"),
    "learns": ("default", "auto", LEARNS),
    "learns-starts": ("default", "auto", f"{LEARNS} start_share=0.5"),
    "plain": ("default", "pi-hiw", PLAIN),
    **{f"plain-{name}": ("default", "pi-hiw", _with(PLAIN, lever)) for name, lever in LEVERS.items()},
    "default-iw": ("default", "pi-iw+", ""),
    "paper-iw": ("paper", "pi-iw", ""),
    "paper-iw+": ("paper", "pi-iw+", ""),
    "paper-hiw": ("paper", "pi-hiw", ""),
    # What the preset's 500 nodes, the learned value and ties decided by subtree sizes change.
    "paper-hiw-5000": ("paper", "pi-hiw", "nodes=5000"),
    "paper-hiw-5000-no-value": ("paper", "pi-hiw", "nodes=5000 value=off"),
    "paper-hiw-5000-plain": ("paper", "pi-hiw", "nodes=5000 value=off ties=off"),
}


@dataclass(frozen=True)
class Size:
    """How long runs are: interactions, actions of an episode, and evaluation episodes of planner and network."""

    interactions: int = 30_000
    actions: int = 200  # 0: as many as the game allows
    planner_episodes: int = 1
    whole_episodes: int = 0  # of planner and network, without a limit of actions
    evaluate_every: int = 0  # interactions; 0: the network alone is evaluated after the run only

    def options(self) -> dict[str, Any]:
        """The options of the environment."""
        return {"limit": self.actions} if self.actions else {}


def train(game: str, name: str, seed: int, size: Size) -> dict[str, Any]:
    """One run as a line."""
    preset, algorithm, texts = VARIANTS[name]
    overrides = parse_overrides(texts.split())
    line = {"game": game, "variant": name, "seed": seed, "algorithm": algorithm, "settings": plain_overrides(overrides)}
    options, first = size.options(), FIRST_SEED + 100 * seed
    begun = time.process_time()
    if name == "play":
        world = ww.simulator(f"atari:{game}", **options)
        agent = ww.OnlinePlanner(world, keep_observations=False, chance=CHANCE)
        episodes = [agent.run(first + number) for number in range(size.planner_episodes)]
        return {
            **line,
            "planner_scores": [episode.score for episode in episodes],
            "planner_interactions": sum(episode.interactions for episode in episodes),
            "seconds": [0.0, round(time.process_time() - begun, 1)],
        }
    if not algorithm:
        scored = [play_at_random(game, first + number, options) for number in range(20)]
        sticky = [play_at_random(game, first + number, {**options, "sticky": STICKY}) for number in range(20)]
        return {**line, "network_scores": scored, "sticky_scores": sticky}
    settings = RunSettings(
        f"atari:{game}", size.interactions, algorithm, seed, options=options, preset=preset, overrides=overrides
    )
    trainer = Trainer(lambda: make_simulator(settings), configure(settings), CHANCE)
    training, continued, curve = [], [], Curve(trainer, settings, size.evaluate_every, first)
    while trainer.interactions < size.interactions or trainer.preparing():  # a rehearsal is finished
        curve.follow()
        for ended in trainer.round():
            figures = [ended.score, ended.steps, ended.total_interactions]
            if ended.start:
                continued.append([ended.start, *figures])
            else:
                training.append(figures)
    unfinished, begun_later = trainer.players[0].agent.episode, trainer.players[0].start > 0
    trained = time.process_time() - begun - curve.seconds
    world = make_simulator(settings)
    planned = trainer.evaluate_planner(world, size.planner_episodes, seed=first)
    alone = trainer.evaluate_network(world, NETWORK_EPISODES, seed=first)
    sampled = trainer.evaluate_network(world, NETWORK_EPISODES, temperature=1.0, seed=first)
    random_world = make_simulator(replace(settings, options={**options, "sticky": STICKY}))
    sticky_episodes = trainer.evaluate_network(random_world, NETWORK_EPISODES, seed=first)
    whole = trainer.evaluate_planner(make_simulator(replace(settings, options={})), size.whole_episodes, seed=first)
    losses = trainer.losses
    curve.follow()
    return {
        **line,
        "interactions": trainer.interactions,
        "actions": trainer.actions,
        "updates": trainer.updater.updates,
        "training": training,
        **({"curve": curve.points, "evaluate_every": size.evaluate_every} if curve.points else {}),
        **({"continued": continued} if continued else {}),  # from a state of the demonstration, whose number is first
        "unfinished": [0.0, 0] if begun_later else [unfinished.score, unfinished.steps],
        "planner_scores": scores(planned),
        "planner_steps": [episode.steps for episode in planned],
        "planner_interactions": sum(episode.interactions for episode in planned),
        **({"whole_scores": scores(whole), "whole_steps": [episode.steps for episode in whole]} if whole else {}),
        "network_scores": scores(alone),
        "sampled_scores": scores(sampled),
        "sticky_scores": scores(sticky_episodes),
        **({} if trainer.demonstration is None else trainer.demonstration.summary()),
        "losses": None if losses is None else [round(losses.policy, 4), round(losses.value, 4)],
        "replay": [len(trainer.replay), trainer.replay.nbytes()],
        "seconds": [round(trained, 1), round(time.process_time() - begun - trained, 1)],
    }


class Curve:
    """Evaluations of the network alone during a run: a point after every `every` interactions.

    A point is the interactions, the scores of episodes, and those of episodes with sticky actions.
    """

    def __init__(self, trainer: Trainer, settings: RunSettings, every: int, seed: int) -> None:
        self.trainer, self.every, self.seed = trainer, every, seed
        self.world = make_simulator(settings)
        self.sticky = make_simulator(replace(settings, options={**settings.options, "sticky": STICKY}))
        self.points: list[list[Any]] = []
        self.seconds = 0.0
        self._updates = -1  # those of the network that was evaluated last

    def follow(self) -> None:
        """Evaluate the network if it is time; not while it learns a demonstration."""
        first = self.trainer.demonstration
        rehearsing = first is not None and first.rehearsing()
        if not self.every or rehearsing or self.trainer.interactions < len(self.points) * self.every:
            return
        if self.trainer.updater.updates == self._updates:  # the same network in the same episodes
            self.points.append([self.trainer.interactions, *self.points[-1][1:]])
            return
        begun = time.process_time()
        alone = self.trainer.evaluate_network(self.world, CURVE_EPISODES, seed=self.seed)
        sticky = self.trainer.evaluate_network(self.sticky, NETWORK_EPISODES, seed=self.seed)
        self.points.append([self.trainer.interactions, scores(alone), scores(sticky)])
        self._updates = self.trainer.updater.updates
        self.seconds += time.process_time() - begun


def scores(episodes: list[EvaluationEpisode]) -> list[float]:
    """The scores of episodes."""
    return [episode.score for episode in episodes]


def play_at_random(game: str, seed: int, options: dict[str, Any]) -> float:
    """The score of an episode of random actions."""
    world, rng = ww.simulator(f"atari:{game}", **options), random.Random(seed)
    step, score = world.reset(seed), 0.0
    while not step.done:
        step = world.step(rng.randrange(world.actions))
        score += step.reward
    return score


TEXT = """\
| game | variant | seeds | score per 100 actions | planner (and network) | whole episodes | network, greedy \
| network, sampled | network, sticky actions |
|---|---|--:|--:|--:|--:|--:|--:|--:|
{rows}
"""


def table(lines: list[dict[str, Any]]) -> str:
    """The table of a campaign: means over the seeds, in brackets the least and the greatest mean of a seed."""
    cells: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        cells[line["game"], line["variant"]].append(line)
    rows = []
    for game in dict.fromkeys([*DOZEN, *sorted({line["game"] for line in lines})]):
        for variant in VARIANTS:
            runs = cells[game, variant]
            if not runs:
                continue
            columns = [
                over_seeds([per_hundred(run) for run in runs if "training" in run]),
                *(over_seeds([fmean(run[name]) for run in runs if run.get(name)]) for name in COLUMNS),
            ]
            rows.append(f"| {game} | {variant} | {len(runs)} | {' | '.join(columns)} |")
    return TEXT.format(rows="\n".join(rows))


def per_hundred(run: dict[str, Any]) -> float:
    """The score of a training run per 100 executed actions, the unfinished episode included."""
    episodes: list[list[float]] = [*run["training"], run["unfinished"]]
    return 100 * sum(episode[0] for episode in episodes) / max(1, sum(episode[1] for episode in episodes))


def over_seeds(means: list[float]) -> str:
    """The mean over seeds, with the least and the greatest."""
    if len(means) < 2:
        return "".join(f"{value:,.1f}" for value in means)
    return f"{fmean(means):,.1f} ({min(means):,.1f} to {max(means):,.1f})"


def main(arguments: list[str] | None = None) -> None:
    """Train, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/atari-levers"), help="the run folder")
    parser.add_argument("--games", default=",".join(GAMES[:4]), help="separated by commas, or dozen, or all")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="separated by commas")
    parser.add_argument("--seeds", default="0,1", help="separated by commas; empty: only print the table")
    usual = Size()
    parser.add_argument("--interactions", type=int, default=usual.interactions, help="of a run")
    parser.add_argument("--actions", type=int, default=usual.actions, help="of an episode, at most; 0: no limit")
    parser.add_argument("--planner-episodes", type=int, default=usual.planner_episodes, help="after a run")
    parser.add_argument(
        "--whole-episodes", type=int, default=usual.whole_episodes, help="after a run, of 18,000 frames"
    )
    parser.add_argument(
        "--evaluate-every", type=int, default=usual.evaluate_every, help="interactions between evaluations of a run"
    )
    options = parser.parse_args(arguments)
    size = Size(
        options.interactions,
        options.actions,
        options.planner_episodes,
        options.whole_episodes,
        options.evaluate_every,
    )
    games = {"dozen": DOZEN, "all": tuple(map(ale_name, PAPER_GAMES))}.get(options.games, options.games.split(","))
    settings = {"interactions": size.interactions, "actions": size.actions, "benchmark": "atari levers"}
    with resumable_run(options.run, settings, KEYS, arguments) as (store, config):
        for variant in options.variants.split(","):
            for seed in [int(text) for text in options.seeds.split(",") if text]:
                for game in games:
                    if (game, variant, seed) in store.done:
                        continue
                    line = {**train(game, variant, seed, size), "commit": config["commit"]}
                    store.append(line)
                    print(line, flush=True)
        print(table(store.lines))


if __name__ == "__main__":
    main()
