"""What is fuzzed, by name, and how often each is drawn."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from fuzzing import checkpoints, commands, folders, reading, requests, tasks
from fuzzing.cases import Case


@dataclass(frozen=True)
class Target:
    """One thing that is fuzzed."""

    generate: Callable[[random.Random], Case]
    check: Callable[[Case], str]
    share: int  # how often it is drawn beside the others


TARGETS = {
    "reader": Target(reading.generate_texts, reading.read_texts, 53),
    "task": Target(tasks.generate, tasks.check_case, 15),
    "plan": Target(reading.generate_plan, reading.check_plan, 15),
    "checkpoint": Target(checkpoints.generate, checkpoints.check_case, 12),
    "folder": Target(folders.generate, folders.check_case, 3),
    "request": Target(requests.generate, requests.check_case, 6),
    "command": Target(commands.generate, commands.check_case, 2),
}


def draw(seed: int, number: int, names: list[str]) -> tuple[str, Case]:
    """Input number `number` of a run with a seed: its target and its files. The same arguments give the same input."""
    rng = random.Random(f"{seed}:{number}")
    name = rng.choices(names, [TARGETS[name].share for name in names])[0]
    return name, TARGETS[name].generate(rng)
