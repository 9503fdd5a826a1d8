"""Where the time of an Atari step goes, and how much of it could be saved.

python benchmarks/emulator.py [--steps 400] [GAME ...]

For each game: microseconds of processor time of the parts of a step of 15 frames; and, in trees that π-HIW grows, how
many steps need a restore, how many nodes look like another one, and how many pairs of snapshot and action occur twice,
byte for byte. Each part is timed in turns with the others.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from statistics import median
from typing import Any

import numpy as np

from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.atari import Atari
from widthwise.training.algorithms import planning_settings
from widthwise.training.configuration import Configuration
from widthwise.training.trainer import Trainer

GAMES = ("montezuma_revenge", "private_eye", "frostbite")


class Watched(Atari):
    """A game that remembers what it was asked."""

    def __init__(self, game: str) -> None:
        super().__init__(game)
        self.pairs: list[tuple[bytes, int]] = []
        self.marks: list[bytes] = []
        self.restores = 0

    def step(self, action: int) -> Any:
        """Remember the state before the step, and what it shows."""
        self.pairs.append((self._ale.cloneState(include_rng=False).serialize(), action))
        step = super().step(action)
        self.marks.append(np.asarray(step.observation).tobytes())
        return step

    def load(self, snapshot: Any) -> None:
        """Count a restore."""
        self.restores += 1
        super().load(snapshot)


def parts(game: str, steps: int) -> dict[str, float]:
    """Microseconds of the parts of a step, medians over a random walk."""
    world, rng, spent = Atari(game), random.Random(0), defaultdict[str, list[float]](list)
    world.reset(0)
    ale: Any = world._ale
    single: Any = Atari(game, frame_skip=1)
    single.reset(0)

    def timed(name: str, call: Any) -> Any:
        begun = time.process_time()
        result = call()
        spent[name].append((time.process_time() - begun) * 1e6)
        return result

    for _ in range(steps):
        if world._over:
            world.reset(0)
        action = world._legal[rng.randrange(world.actions)]
        timed("15 frames of the emulator", lambda action=action: ale.act(action))
        timed("1 frame of the emulator", lambda action=action: single._ale.act(action))
        timed("the screen as colours", lambda: ale.getScreen(world._colours))
        timed("gray and shrunk", world._look)
        timed("memory, lives, end", lambda: world._show(0.0))
        state = timed("save", world.save)
        timed("restore", lambda state=state: world.load(state))
    return {name: median(values) for name, values in spent.items()}


def repeats(game: str, steps: int) -> dict[str, float]:
    """Shares of the steps of trees that need a restore, look alike, or are alike."""
    worlds: list[Watched] = []

    def make() -> Watched:
        worlds.append(Watched(game))
        return worlds[-1]

    trainer = Trainer(make, Configuration(planning_settings("pi-hiw", Atari(game)), LearningSettings(patient=False)))
    world = worlds[-1]
    world.pairs, world.marks, world.restores = [], [], 0
    while len(world.pairs) < steps:
        trainer.round()
    count = len(world.pairs)
    table = np.frombuffer(b"".join(state for state, _ in world.pairs), np.uint8).reshape(count, -1)
    changing = np.flatnonzero((table != table[0]).any(0))
    # One counter in the state could make all snapshots different: leave out each byte in turn.
    most = max(_equal(table[:, changing[changing != column]], world.pairs) for column in changing)
    return {
        "steps": count,
        "need a restore": world.restores / count,
        "look like another": 1 - len(set(world.marks)) / count,
        "equal pairs": 1 - len(set(world.pairs)) / count,
        "equal but for one byte": most,
    }


def _equal(columns: Any, pairs: list[tuple[bytes, int]]) -> float:
    rows = np.ascontiguousarray(columns)
    return 1 - len({(row.tobytes(), pair[1]) for row, pair in zip(rows, pairs, strict=True)}) / len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    for measure, steps in ((parts, options.steps), (repeats, 4 * options.steps)):
        table = {game: measure(game, steps) for game in options.games}
        names = list(next(iter(table.values())))
        print("| game | " + " | ".join(names) + " |\n|---|" + "--:|" * len(names))
        for game, values in table.items():
            texts = [f"{values[name]:,.0f}" if values[name] > 1 else f"{values[name]:.1%}" for name in names]
            print(f"| {game} | " + " | ".join(texts) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
