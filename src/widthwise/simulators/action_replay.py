"""Snapshots of environments that cannot be copied: the seed and the actions of the episode, replayed on load."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

#: A snapshot: the seed of the episode and its actions, as a chain that shares its beginning with other snapshots.
Chain = tuple[Any, Any] | None


class ActionReplay:
    """Records the actions since the last reset, and replays them to restore a snapshot.

    `reset(seed)` and `step(action)` are functions of the environment. A load takes as many steps as the snapshot has
    (`steps` counts them), unless the snapshot continues the current history.
    """

    def __init__(self, reset: Callable[[int], Any], step: Callable[[Any], Any]) -> None:
        self._reset, self._step = reset, step
        self._seeds = random.Random(0)
        self._seed = 0
        self._history: Chain = None
        self._length = 0
        self.steps = 0  # taken so far to restore snapshots

    def begin(self, seed: int | None) -> Any:
        """Begin an episode; without a seed one is drawn, so that the episode can be replayed."""
        self._seed = self._seeds.randrange(2**31) if seed is None else seed
        if seed is not None:
            self._seeds.seed(seed)
        self._history, self._length = None, 0
        return self._reset(self._seed)

    def act(self, action: Any) -> Any:
        """Take a step and record it."""
        self._history, self._length = (self._history, action), self._length + 1
        return self._step(action)

    def save(self) -> tuple[int, int, Chain]:
        """A snapshot; snapshots of one episode share their common beginning."""
        return self._seed, self._length, self._history

    def load(self, snapshot: tuple[int, int, Chain]) -> None:
        """Restore a snapshot by replaying its actions."""
        seed, length, history = snapshot
        todo: list[Any] = []
        chain = history
        if seed != self._seed or length < self._length or not self._on_the_way(chain, length):
            self._reset(seed)
            replayed_already = 0
        else:
            replayed_already = self._length
        for _ in range(length - replayed_already):
            assert chain is not None
            chain, action = chain
            todo.append(action)
        for action in reversed(todo):
            self._step(action)
        self.steps += len(todo)
        self._seed, self._length, self._history = seed, length, history

    def _on_the_way(self, chain: Chain, length: int) -> bool:
        """Whether the current history is a prefix of another one."""
        for _ in range(length - self._length):
            assert chain is not None
            chain = chain[0]
        return chain is self._history
