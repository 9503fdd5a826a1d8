"""Cutting loops out of a trajectory: no policy can return to an observation and then act differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from widthwise.core.simulator import Simulator

#: How many loops are tried.
TRIES = 20


def cut_loops(
    simulator: Simulator, seed: int, actions: Sequence[int], mark: Callable[[Any], int], most: float = math.inf
) -> tuple[list[int], float, int]:
    """Leave out what a trajectory does between two equal observations with different actions, if it scores as much.

    A search acts at random, so that its trajectories contain steps which change nothing. A loop that changes what is
    not observed, such as a wait for something, is kept: without it the rest of the trajectory leads elsewhere.

    Args:
        simulator: The environment; it is reset.
        seed: Of the reset.
        actions: The trajectory.
        mark: A number that distinguishes an observation from others.
        most: The simulator steps after which no more loops are tried; the first replay is made in any case.

    Returns:
        The actions that remain, their score, and the simulator steps that were taken.
    """
    kept = list(actions)
    marks, score = _replay(simulator, seed, kept, mark)
    taken = len(marks)
    needed: set[tuple[int, int]] = set()  # mark and length of loops that cannot be cut
    for _ in range(TRIES):
        loop = _first_loop(marks, kept, needed)
        if loop is None or taken + len(kept) > most:
            break
        begin, end = loop
        shorter = [*kept[:begin], *kept[end:]]
        new_marks, new_score = _replay(simulator, seed, shorter, mark)
        taken += len(new_marks)
        if new_score >= score and len(new_marks) == len(shorter):
            kept, marks, score = shorter, new_marks, new_score
        else:
            needed.add((marks[begin], end - begin))
    return kept, score, taken


def _replay(
    simulator: Simulator, seed: int, actions: Sequence[int], mark: Callable[[Any], int]
) -> tuple[list[int], float]:
    """The marks of the observations before each action, as far as the episode goes, and the score."""
    step, marks, score = simulator.reset(seed), [], 0.0
    for action in actions:
        if step.done:
            break
        marks.append(mark(step.observation))
        step = simulator.step(action)
        score += step.reward
    return marks, score


def _first_loop(marks: list[int], actions: list[int], needed: set[tuple[int, int]]) -> tuple[int, int] | None:
    """The first loop that may be cut, from its first place to the last one with the same observation."""
    places: dict[int, list[int]] = {}
    for place, seen in enumerate(marks):
        places.setdefault(seen, []).append(place)
    for seen, equal in places.items():
        if len({actions[place] for place in equal}) > 1 and (seen, equal[-1] - equal[0]) not in needed:
            return equal[0], equal[-1]
    return None
