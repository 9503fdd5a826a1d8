"""Small simulators for the tests: a corridor with a key, a grid maze, and random graphs."""

from __future__ import annotations

import random
from typing import Any

from widthwise.core.simulator import Step


class Graph:
    """A simulator over a table: the state is its number, the observation too, features are looked up."""

    deterministic = True

    def __init__(
        self,
        table: list[list[int]],
        rewards: dict[tuple[int, int], float] | None = None,
        ends: set[int] | None = None,
    ) -> None:
        self.table, self.rewards, self.ends = table, rewards or {}, ends or set()
        self.actions = len(table[0])
        self.state = 0
        self.loads: list[int] = []
        self.count = 0

    def reset(self, seed: int | None = None) -> Step:
        self.state = 0
        return Step(0)

    def step(self, action: int) -> Step:
        assert self.state not in self.ends, "stepped after the end"
        self.count += 1
        before, self.state = self.state, self.table[self.state][action]
        return Step(self.state, self.rewards.get((before, action), 0.0), self.state in self.ends)

    def save(self) -> Any:
        return self.state

    def load(self, snapshot: Any) -> None:
        assert snapshot is not None
        self.loads.append(snapshot)
        self.state = snapshot


def random_graph(seed: int, states: int = 30, actions: int = 3) -> Graph:
    rng = random.Random(seed)
    table = [[rng.randrange(states) for _ in range(actions)] for _ in range(states)]
    ends = {state for state in range(1, states) if rng.random() < 0.1}
    rewards = {(rng.randrange(states), rng.randrange(actions)): rng.choice([1.0, -1.0, 0.5]) for _ in range(5)}
    return Graph(table, rewards, ends)


def random_features(seed: int, states: int = 30, count: int = 4, values: int = 4) -> list[bytes]:
    rng = random.Random(seed * 7 + 1)
    return [bytes(rng.randrange(values) for _ in range(count)) for _ in range(states)]


def looked_up(vectors: list[bytes]) -> Any:
    return lambda step: vectors[step.observation]


class Corridor:
    """Walk to the key at the far end and back; +1 and the end at the start with the key. Left, right."""

    deterministic = True
    actions = 2

    def __init__(self, length: int = 6, limit: int = 200) -> None:
        self.length, self.limit = length, limit
        self.state = (0, 0, 0)
        self.count = 0

    def seen(self, reward: float = 0.0) -> Step:
        place, key, time = self.state
        return Step((place, key), reward, reward > 0, time >= self.limit)

    def reset(self, seed: int | None = None) -> Step:
        self.state = (0, 0, 0)
        return self.seen()

    def step(self, action: int) -> Step:
        self.count += 1
        place, key, time = self.state
        place = min(self.length, max(0, place + (1 if action else -1)))
        key = int(key or place == self.length)
        self.state = (place, key, time + 1)
        return self.seen(1.0 if key and place == 0 else 0.0)

    def save(self) -> Any:
        return self.state

    def load(self, snapshot: Any) -> None:
        self.state = snapshot


def place(step: Step) -> bytes:
    return bytes([step.observation[0]])


def key(step: Step) -> bytes:
    return bytes([step.observation[1]])


def both(step: Step) -> bytes:
    return bytes(step.observation)


MAZE = """
#########
#s..#...#
#.#.#.#.#
#.#...#k#
#.#####.#
#d......#
#########
"""


class Maze:
    """A small grid maze: find the key, then the door; a wall ends the episode with -1. No-op, up, down, left, right."""

    deterministic = True
    actions = 5
    moves = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, text: str = MAZE, limit: int = 100) -> None:
        self.rows = text.strip().splitlines()
        self.limit = limit
        self.start = self.find("s")
        self.state = (*self.start, 0, 0)

    def find(self, sign: str) -> tuple[int, int]:
        return next((row, line.index(sign)) for row, line in enumerate(self.rows) if sign in line)

    def reset(self, seed: int | None = None) -> Step:
        self.state = (*self.start, 0, 0)
        return Step(self.state[:3])

    def step(self, action: int) -> Step:
        row, column, key, time = self.state
        row, column = row + self.moves[action][0], column + self.moves[action][1]
        sign = self.rows[row][column]
        key = int(key or sign == "k")
        self.state = (row, column, key, time + 1)
        reward = -1.0 if sign == "#" else 1.0 if sign == "d" and key else 0.0
        return Step(self.state[:3], reward, reward != 0, time + 1 >= self.limit)

    def save(self) -> Any:
        return self.state

    def load(self, snapshot: Any) -> None:
        self.state = snapshot


def cells(step: Step) -> bytes:
    return bytes(step.observation)


def rooms(step: Step) -> bytes:
    row, column, key = step.observation
    return bytes([row // 3, column // 3, key])
