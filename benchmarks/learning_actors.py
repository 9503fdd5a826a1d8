"""Two actors against one process, and how many actors one learner can serve.

python benchmarks/learning.py --actors 2 [--seconds 10] [--repeat 3] [--only ENV] [--json FILE]
python benchmarks/learning.py --learner [--json FILE]

Both trainers live in one run and are measured in turns, so that a machine that becomes slower becomes slower for both.
Rates are interactions per second of wall time, updates included, after every tree has ended an episode.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch

from widthwise.core.simulator import Simulator
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.names import simulator
from widthwise.training.actor import Actor
from widthwise.training.actor_messages import ActorSpec, Play, Weights, pack_episode, unpack_episode
from widthwise.training.actors_trainer import ActorsTrainer
from widthwise.training.algorithms import planning_settings
from widthwise.training.configuration import Configuration
from widthwise.training.run_settings import RunSettings
from widthwise.training.trainer import Trainer
from widthwise.training.transport import ActorOptions

#: The steps of an episode, so that training begins soon.
LIMIT = 30
GAMES = ("atari:montezuma_revenge", "atari:private_eye", "atari:frostbite")
MAZES = ("maze-small", "maze-large")
#: Two actors against one process.
AIMS = {**dict.fromkeys(GAMES, 1.9), **dict.fromkeys(MAZES, 1.7)}


@dataclass
class Pair:
    """One process and some actors, measured in turns."""

    environment: str
    actors: int
    threads: int  # of the learner
    single: list[float]  # interactions per second, by repetition
    several: list[float]
    updates_per_action: tuple[float, float]
    waiting: float  # the share of their time that actors have waited
    # Microseconds per interaction: one process; with actors: the thread that learns, all of the learner, the actors.
    processor: tuple[float, float, float, float]

    @property
    def possible(self) -> float:
        """The ratio that the processor times allow where learner and actors have two cores for themselves."""
        single, thread, learner, actors = self.processor
        return single / max(thread, (learner + actors) / 2)

    @property
    def ratios(self) -> list[float]:
        """The ratio of each repetition."""
        return [several / single for single, several in zip(self.single, self.several, strict=True)]


def settings_of(environment: str, actors: int) -> tuple[RunSettings, Configuration]:
    """The settings of both trainers; impatient, as updates would otherwise wait for a reward."""
    learning = LearningSettings(patient=False)
    settings = RunSettings(environment, 10**9, "pi-hiw", options={"limit": LIMIT}, actors=actors)
    return settings, Configuration(planning_settings("pi-hiw", made(environment)), learning)


def made(environment: str) -> Simulator:
    """A simulator with short episodes."""
    return simulator(environment, limit=LIMIT)


def compare(environment: str, actors: int, seconds: float, repeat: int, *, threads: int = 1) -> Pair:
    """Train in turns with one process and with actors, whose learner has so many threads."""
    settings, config = settings_of(environment, actors)
    single = Trainer(lambda: made(environment), config)
    options = ActorOptions(threads=threads)
    several = ActorsTrainer(lambda: made(environment), config, "refuse", settings, options)
    try:
        for trainer in (single, several):
            while trainer.updater.updates < 20:
                trainer.round()
        rates: tuple[list[float], list[float]] = ([], [])
        counts = [[-trainer.updater.updates, -trainer.actions] for trainer in (single, several)]
        owed, waited, busy = several.owed, several.times["waiting"], 0.0
        made_before = [trainer.interactions for trainer in (single, several)]
        spent_before, spent_by, of_thread = acting(several), [0.0, 0.0], 0.0
        for _ in range(repeat):
            for trainer, rate in zip((single, several), rates, strict=True):
                torch.set_num_threads(threads if trainer is several else 1)
                begun, before, processor = time.perf_counter(), trainer.interactions, time.process_time()
                thread = time.thread_time()
                while time.perf_counter() - begun < seconds:
                    trainer.round()
                spent = time.perf_counter() - begun
                rate.append((trainer.interactions - before) / spent)
                spent_by[trainer is several] += time.process_time() - processor
                of_thread += time.thread_time() - thread if trainer is several else 0.0
                busy += spent * actors if trainer is several else 0.0
                # The next chunk of the actors begins with a pause that is not theirs.
                if trainer is single:
                    waited += spent * actors
        for count, trainer in zip(counts, (single, several), strict=True):
            count[0] += trainer.updater.updates
            count[1] += trainer.actions
        counts[1][0] += several.owed - owed
        ratio = tuple(updates / actions for updates, actions in counts)
        made_now = [
            trainer.interactions - before for trainer, before in zip((single, several), made_before, strict=True)
        ]
        return Pair(
            environment,
            actors,
            threads,
            *rates,
            updates_per_action=(ratio[0], ratio[1]),
            waiting=max(0.0, several.times["waiting"] - waited) / busy,
            processor=(
                spent_by[0] / made_now[0] * 1e6,
                of_thread / made_now[1] * 1e6,
                spent_by[1] / made_now[1] * 1e6,
                (acting(several) - spent_before) / made_now[1] * 1e6,
            ),
        )
    finally:
        several.close()


def acting(trainer: ActorsTrainer) -> float:
    """The processor seconds of all actors."""
    return sum(trainer.times[name] for name in ("simulator", "network", "tree", "packing"))


def pair_table(pairs: Sequence[Pair]) -> list[str]:
    """The comparison in Markdown."""
    lines = [
        "| environment | actors | learner threads | one process | actors, in step | ratio (each repetition) | aim "
        "| updates per action | actors waited | µs of processor: one; learner (its main thread) + actors "
        "| possible on 2 cores |",
        "|---|--:|--:|--:|--:|---|--:|---|--:|---|--:|",
    ]
    for pair in pairs:
        each = ", ".join(f"{ratio:.2f}" for ratio in pair.ratios)
        updates = " and ".join(f"{count:.2f}" for count in pair.updates_per_action)
        aim = AIMS[pair.environment] if pair.actors == 2 else "-"
        single, thread, learner, acted = pair.processor
        cells = [
            pair.environment,
            pair.actors,
            pair.threads,
            f"{median(pair.single):.0f}",
            f"{median(pair.several):.0f}",
        ]
        cells += [f"{median(pair.ratios):.2f} ({each})", aim, updates, f"{pair.waiting:.0%}"]
        cells += [f"{single:.0f}; {learner:.0f} ({thread:.0f}) + {acted:.0f}", f"{pair.possible:.2f}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


@dataclass
class Learner:
    """The times of a learner and of an actor, in seconds, for one environment."""

    environment: str
    update: dict[str, float]  # by batch and threads: `32`, `128`, `32 on 2 threads`
    episode_bytes: int
    weight_bytes: int
    unpack: float  # of an episode
    publish: float  # the weights as bytes, once per round
    blocks: list[tuple[float, int, int]]  # of an actor alone: seconds, interactions, actions


def measure_learner(environment: str, blocks: int = 12, updates: int = 60) -> Learner:
    """Updates from replayed episodes, without a simulator; and blocks of one actor without a learner."""
    settings, config = settings_of(environment, 2)
    trainer = Trainer(lambda: made(environment), config)
    spec = ActorSpec(0, 2, settings, config, "refuse", trainer.finding)
    actor = Actor(spec)
    weights = Weights.of(trainer.updater.network.state_dict(), 0, 1)
    played, packed = list[tuple[float, int, int]](), list[bytes]()
    while len(packed) < 4 or len(played) < blocks:
        begun = time.process_time()
        block = actor.follow(Play(False), weights)
        played.append((time.process_time() - begun, block.interactions, block.actions))
        packed += [episode.contents for episode in block.episodes]
    for contents in packed:
        trainer.replay.add(unpack_episode(contents))
    times: dict[str, float] = {}
    for batch, threads in ((32, 1), (64, 1), (128, 1), (256, 1), (32, 2), (256, 2)):
        torch.set_num_threads(threads)
        trainer.replay._buffer = trainer.input_format.buffer(batch)
        name = f"{batch}" if threads == 1 else f"{batch} on {threads} threads"
        clock = time.process_time if threads == 1 else time.perf_counter
        times[name] = timed(lambda: trainer.updater.learn(trainer.replay), max(5, updates * 32 // batch), clock)
    torch.set_num_threads(1)
    unpack = timed(lambda: unpack_episode(packed[0]), 50)
    pack_episode(trainer.replay.episodes[0])
    publish = timed(lambda: Weights.of(trainer.updater.network.state_dict(), 0, 1), 50)
    return Learner(environment, times, len(packed[0]), len(weights.contents), unpack, publish, played[2:])


def timed(call: Any, times: int, clock: Callable[[], float] = time.process_time) -> float:
    """The median of the time of a call: processor time, which other processes hardly change, unless told otherwise."""
    spent = []
    for _ in range(times):
        begun = clock()
        call()
        spent.append(clock() - begun)
    return median(spent)


def simulated(
    learner: Learner, actors: int, *, update: str = "32", per_action: float = 1.0, rounds: int = 200
) -> float:
    """Interactions per second of so many actors, each on a core of its own, in step, by drawing measured blocks."""
    rng = random.Random(actors)
    seconds, interactions, owed = 0.0, 0, 0.0
    steps = LIMIT  # of an episode: every so many actions one is unpacked
    for _ in range(200):  # rounds
        drawn = [rng.choice(learner.blocks) for _ in range(actors)]
        actions = sum(block[2] for block in drawn)
        busy = owed * learner.update[update] + learner.publish
        seconds += max([busy, *(block[0] for block in drawn)]) + actions / steps * learner.unpack
        owed = actions * per_action
        interactions += sum(block[1] for block in drawn)
    return interactions / seconds


def learner_table(learners: Sequence[Learner]) -> list[str]:
    """What the learner takes, and the simulated curve."""
    lines = [
        "| environment | bytes per episode | bytes per weight update | unpack an episode | "
        + " | ".join(f"update of {name}" for name in learners[0].update)
        + " |",
        "|---|--:|--:|--:|" + "--:|" * len(learners[0].update),
    ]
    for learner in learners:
        times = " | ".join(f"{seconds * 1e3:.1f} ms" for seconds in learner.update.values())
        lines.append(
            f"| {learner.environment} | {learner.episode_bytes:,} | {learner.weight_bytes:,} | "
            f"{learner.unpack * 1e3:.2f} ms | {times} |"
        )
    counts = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    ways = {
        "one update of 32 per action": ("32", 1.0),
        "one update of 256 per 8 actions": ("256", 1 / 8),
        "the same on 2 threads": ("256 on 2 threads", 1 / 8),
    }
    lines += ["", "| environment | updates | " + " | ".join(map(str, counts)) + " |"]
    lines += ["|---|---|" + "--:|" * len(counts)]
    for learner in learners:
        for name, (update, per_action) in ways.items():
            rates = [simulated(learner, count, update=update, per_action=per_action) for count in counts]
            lines.append(f"| {learner.environment} | {name} | " + " | ".join(f"{rate:,.0f}" for rate in rates) + " |")
    return lines
