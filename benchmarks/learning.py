"""Interactions per second of processor time while learning, training included, and where the time goes.

python benchmarks/learning.py [--quick] [--repeat 3] [--json FILE] [--out docs/results/learning-speed.md]
python benchmarks/learning.py --actors 2 [--seconds 10] [--repeat 3]    two actors against one process, in turns
python benchmarks/learning.py --learner                                 how many actors one learner can serve

Episodes are cut short so that training begins at once; what is measured begins when every tree has ended one. One
process, one torch thread. Needs torch, and ale-py for the part about Atari.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as in `widthwise train`; before torch is imported

import torch

from page_width import wrapped
from widthwise.core.provenance import describe_run
from widthwise.core.simulator import Simulator
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.names import simulator
from widthwise.training.algorithms import planning_settings
from widthwise.training.clocks import now
from widthwise.training.configuration import Configuration
from widthwise.training.trainer import Trainer

LIMIT = 30  # steps of an episode
GAME = "atari:montezuma_revenge"
#: Interactions per second to reach, and what the authors' program reaches.
AIMS = {("maze-small", 1): 900, ("maze-small", 8): 1600, ("maze-large", 1): 900, ("maze-large", 8): 1600}
AIMS |= {(GAME, 1): 330, (GAME, 8): 430}
AUTHORS = {"maze-small": "259-352", "maze-large": "259-352", GAME: "156"}
PARTS = ("simulator", "network", "training", "tree")
STEPS = {GAME: 2_000}  # to see how fast the simulator alone is at that moment; mazes are too fast to matter


@dataclass
class Row:
    """One measurement; the parts are in microseconds per interaction."""

    environment: str
    trees: int
    interactions: int
    per_second: float
    alone: float  # steps per second of the simulator, measured between the rounds
    simulator: float
    network: float
    training: float
    tree: float


def measure(environment: str, trees: int, rounds: int) -> Row:
    """Train for some rounds, once there is something to learn from."""

    def make() -> Simulator:
        return simulator(environment, limit=LIMIT)

    # Impatient, as updates would otherwise wait for a reward, and a run that has not found one costs next to nothing.
    trainer = Trainer(
        make, Configuration(planning_settings("pi-hiw", make()), LearningSettings(patient=False), trees=trees)
    )
    while len(trainer.replay.episodes) < trees:
        trainer.round()
    before, interactions = trainer.clocks.seconds(), trainer.interactions
    seconds, alone = 0.0, Alone(make(), max(1, STEPS.get(environment, 20_000) // rounds))
    for _ in range(rounds):
        begun = now()
        trainer.round()
        seconds += now() - begun
        alone.run()
    done = trainer.interactions - interactions
    spent = {part: (trainer.clocks.seconds()[part] - before[part]) / done * 1e6 for part in PARTS}
    return Row(environment, trees, done, done / seconds, alone.per_second, **spent)


class Alone:
    """The simulator alone, at random, without saving or restoring; resets are not counted."""

    def __init__(self, world: Simulator, steps: int) -> None:
        self.world, self.steps, self.rng = world, steps, random.Random(0)
        self.taken, self.seconds, self.over = 0, 0.0, True

    def run(self) -> None:
        """Some steps more."""
        for _ in range(self.steps):
            if self.over:
                self.world.reset(0)
            begun = now()
            self.over = self.world.step(self.rng.randrange(self.world.actions)).done
            self.seconds += now() - begun
            self.taken += 1

    @property
    def per_second(self) -> float:
        """Steps per second of all runs."""
        return self.taken / self.seconds


def table(rows: list[Row]) -> list[str]:
    """The measurements as a table in Markdown: of repeated ones the median."""
    lines = [
        f"| environment | trees | interactions/s | aim | authors | simulator alone | share | {' | '.join(PARTS)} |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for key in dict.fromkeys((row.environment, row.trees) for row in rows):
        mine = [row for row in rows if (row.environment, row.trees) == key]
        parts = " | ".join(f"{median(getattr(row, part) for row in mine):.0f}" for part in PARTS)
        rate, bare = (median(getattr(row, name) for row in mine) for name in ("per_second", "alone"))
        share = f"{bare:.0f} | {rate / bare:.2f}"
        lines.append(f"| {key[0]} | {key[1]} | {rate:.0f} | {AIMS[key]} | {AUTHORS[key[0]]} | {share} | {parts} |")
    return lines


def measure_actors(options: argparse.Namespace) -> None:
    """The parts about actors and the learner; prints tables in Markdown."""
    import learning_actors as parts

    names = [name for name in parts.AIMS if not options.only or name in options.only]
    if find_spec("ale_py") is None:
        names = [name for name in names if not name.startswith("atari:")]
    results: list[parts.Pair | parts.Learner] = []
    if options.learner:
        learners = [parts.measure_learner(name) for name in names if options.only or name in (GAME, "maze-large")]
        print("\n".join(parts.learner_table(learners)))
        results += learners
    else:
        pairs = []
        for name in names:
            for threads in options.threads or [1]:
                pairs.append(parts.compare(name, options.actors, options.seconds, options.repeat, threads=threads))
                print("\n".join(parts.pair_table(pairs[-1:])[2:]), flush=True)
        print("\n".join(["", *parts.pair_table(pairs)]))
        results += pairs
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in results], indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, once")
    parser.add_argument("--repeat", type=int, default=3, help="how often, unless quick")
    parser.add_argument("--only", action="append", help="an environment; may be repeated")
    parser.add_argument("--json", type=Path, help="write the measurements here")
    parser.add_argument("--out", type=Path, help="write a page here")
    parser.add_argument("--actors", type=int, help="compare so many actors with one process")
    parser.add_argument("--seconds", type=float, default=10.0, help="with --actors: the time of each measurement")
    parser.add_argument("--threads", type=int, action="append", help="with --actors: of the learner; may be repeated")
    parser.add_argument("--learner", action="store_true", help="measure the learner alone, and simulate many actors")
    options = parser.parse_args()
    if options.actors or options.learner:
        measure_actors(options)
        return
    rows = []
    for _ in range(1 if options.quick else options.repeat):
        for environment, trees in AIMS:
            if environment == GAME and find_spec("ale_py") is None:
                continue
            if options.only and environment not in options.only:
                continue
            rounds = max(4, (40 if options.quick else 160) // trees)
            rows.append(measure(environment, trees, rounds))
            print("\n".join(table(rows[-1:])[2:]), flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    run = describe_run({}, ["python", *sys.argv])
    page = [
        "# Learning: interactions per second",
        "",
        f"Written by `python {' '.join(sys.argv)}`.",
        f"Commit {run['commit']}, Widthwise {run['versions']['widthwise']}, Python {run['versions']['python']}, "
        f"torch {torch.__version__}; "
        f"{run['machine']['cpu']}.",
        "",
        "π-HIW with the defaults of each environment, one update of batch 32 per executed action. Interactions per",
        "second of processor time, training included; then microseconds per interaction by what they were spent on.",
        "The figures are medians of the repetitions. `authors` is the authors' program on a similar machine.",
        "`simulator alone` is the rate of random steps between the rounds; it shows how fast the machine is at that",
        "moment, and `share` is the part of it that learning reaches. The targets for the game assume an emulator that",
        "makes 600 interactions per second alone: .55 and .72.",
        "",
        *table(rows),
    ]
    print("\n".join(page[9:]))
    if options.out:
        options.out.write_text(wrapped("\n".join(page) + "\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
