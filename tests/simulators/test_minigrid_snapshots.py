"""Snapshots of MiniGrid by reference restore what copies restore, across episodes, environments and processes."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise.core.simulator import Step
from widthwise.simulators.minigrid_snapshots import GridSnapshot

pytest.importorskip("minigrid")

#: Doors, keys, boxes with keys in them, balls that move at random, lists of objects, and missions.
NAMES = (
    "MiniGrid-DoorKey-6x6-v0",
    "MiniGrid-KeyCorridorS3R3-v0",
    "MiniGrid-BlockedUnlockPickup-v0",
    "MiniGrid-ObstructedMaze-1Dlhb-v0",
    "MiniGrid-Dynamic-Obstacles-6x6-v0",
    "MiniGrid-PutNear-6x6-N2-v0",
    "MiniGrid-RedBlueDoors-6x6-v0",
    "MiniGrid-MultiRoom-N2-S4-v0",
    "MiniGrid-LavaCrossingS9N2-v0",
    "MiniGrid-Fetch-5x5-N2-v0",
)


def facts(step: Step) -> tuple[Any, ...]:
    observation = step.observation
    return (
        *(observation["image"].tobytes(), int(observation["direction"]), observation["mission"]),
        *(step.reward, step.terminated, step.truncated, step.info["minigrid"]),
    )


def walk(env: Any, rng: random.Random, length: int) -> list[tuple[Any, ...]]:
    seen: list[tuple[Any, ...]] = []
    for _ in range(length):
        step = env.step(rng.randrange(env.actions))
        seen.append(facts(step))
        if step.done:
            break
    return seen


def places(env: Any) -> list[tuple[Any, ...]]:
    """Every object with its attributes, wherever it is."""
    core = env.env.unwrapped
    things = [*core.grid.grid, core.carrying, *getattr(core, "obstacles", ())]
    return [() if thing is None else _attributes(thing) for thing in things]


def _attributes(thing: Any) -> tuple[Any, ...]:
    inside = () if thing.contains is None else _attributes(thing.contains)
    where = [None if place is None else tuple(map(int, place)) for place in (thing.init_pos, thing.cur_pos)]
    state = (getattr(thing, "is_open", None), getattr(thing, "is_locked", None))
    return thing.type, thing.color, *where, *state, inside


@pytest.mark.parametrize("name", NAMES)
def test_a_snapshot_by_reference_restores_what_a_copy_restores(name: str) -> None:
    rng = random.Random(name)
    fast: Any = ww.simulator(name)
    copied: Any = ww.simulator(name, copy="pickle")
    kept: list[tuple[Any, Any, list[tuple[Any, ...]]]] = []
    for seed in range(3):
        assert facts(fast.reset(seed=seed)) == facts(copied.reset(seed=seed))
        for _ in range(60):
            kept.append((fast.save(), copied.save(), places(fast)))
            assert places(fast) == places(copied)
            if rng.random() < 0.4:
                first, second, lay = rng.choice(kept)
                fast.load(first)
                copied.load(second)
                assert places(fast) == lay == places(copied)
            moves = rng.randrange(2**32)
            seen = walk(fast, random.Random(moves), 5)
            assert seen == walk(copied, random.Random(moves), 5)
            if seen[-1][4] or seen[-1][5]:
                fast.load(kept[-1][0])
                copied.load(kept[-1][1])
    assert all(isinstance(first[1], GridSnapshot) for first, _, _ in kept)


@pytest.mark.parametrize("name", NAMES)
def test_a_pickled_snapshot_fits_another_environment(name: str) -> None:
    rng = random.Random(name)
    here: Any = ww.simulator(name)
    here.reset(seed=3)
    walk(here, rng, 10)
    snapshot, moves = here.save(), rng.randrange(2**32)
    expected = walk(here, random.Random(moves), 20)
    walk(here, rng, 10)
    for given in (pickle.loads(pickle.dumps(snapshot)), snapshot):
        other: Any = ww.simulator(name)
        other.reset(seed=0)
        other.load(given)
        assert walk(other, random.Random(moves), 20) == expected
        again = other.save()
        other.load(again)
    here.load(snapshot)
    assert walk(here, random.Random(moves), 20) == expected  # not touched by the other environment


def test_unknown_attributes_are_copied_in_the_usual_way() -> None:
    env: Any = ww.simulator("MiniGrid-Empty-5x5-v0")
    env.reset(seed=0)
    core = env.env.unwrapped
    core.visited = {(1, 1)}  # changed in place below
    snapshot = env.save()
    core.visited.add((2, 2))
    env.load(snapshot)
    assert core.visited == {(1, 1)}
    assert not isinstance(snapshot[1], GridSnapshot)
    assert np.array_equal(env.step(0).observation["image"].shape, (7, 7, 3))


def test_instructions_of_babyai_are_copied_in_the_usual_way() -> None:
    env: Any = ww.simulator("BabyAI-GoToRedBall-v0")
    env.reset(seed=0)
    assert not isinstance(env.save()[1], GridSnapshot)


def test_steps_share_what_they_do_not_change() -> None:
    env: Any = ww.simulator("MiniGrid-KeyCorridorS6R3-v0")
    env.reset(seed=0)
    first = env.save()[1]
    env.step(0)
    second = env.save()[1]
    assert first.cells is second.cells and first.states is second.states and first.names is second.names
