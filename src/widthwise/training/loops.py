"""Cutting loops out of a trajectory: no policy can return to an observation and then act differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from widthwise.core.simulator import Simulator

#: How many replays are made to try a trajectory.
TRIES = 40


def cut_loops(
    simulator: Simulator, seed: int, actions: Sequence[int], mark: Callable[[Any], int], most: float = math.inf
) -> tuple[list[int], float, int]:
    """Leave out what a trajectory does between two equal observations with different actions, if it scores as much.

    A search acts at random, so that its trajectories contain steps which change nothing. A loop that changes what is
    not observed, such as a wait for something, is kept: without it the rest of the trajectory leads elsewhere. Where
    the actions have no effect during the wait, as between two rooms of a game, the same action is taken at all of its
    equal observations, and a policy can repeat it.

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
    taken, tries = len(marks), 0
    needed: set[tuple[int, int]] = set()  # mark and length of loops that cannot be changed
    while (places := _first_loop(marks, kept, needed)) is not None:
        for other in _alternatives(kept, places):
            if tries == TRIES or taken + len(other) > most:
                return kept, score, taken
            new_marks, new_score = _replay(simulator, seed, other, mark)
            taken, tries = taken + len(new_marks), tries + 1
            if new_score >= score and len(new_marks) == len(other):
                kept, marks, score = other, new_marks, new_score
                break
        else:
            needed.add((marks[places[0]], places[-1] - places[0]))
    return kept, score, taken


def _alternatives(actions: list[int], places: list[int]) -> Iterator[list[int]]:
    """Trajectories that a policy may repeat: without the loop, or with one of its actions at all of these places."""
    yield [*actions[: places[0]], *actions[places[-1] :]]
    for action in dict.fromkeys(actions[place] for place in places):
        same = list(actions)
        for place in places:
            same[place] = action
        yield same


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


def _first_loop(marks: list[int], actions: list[int], needed: set[tuple[int, int]]) -> list[int] | None:
    """The places of the first observation at which actions differ and that may be changed."""
    places: dict[int, list[int]] = {}
    for place, seen in enumerate(marks):
        places.setdefault(seen, []).append(place)
    for seen, equal in places.items():
        if len({actions[place] for place in equal}) > 1 and (seen, equal[-1] - equal[0]) not in needed:
            return equal
    return None
