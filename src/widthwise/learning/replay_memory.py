"""The memory of whole episodes that the network is trained from."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from widthwise.core.errors import UsageError
from widthwise.learning.input_format import Array, InputFormat

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EpisodeData:
    """An episode to learn from: observations in parts, target policies, and returns, one per executed action."""

    observations: list[tuple[Array, ...]]
    targets: Floats
    returns: Floats

    def __len__(self) -> int:
        return len(self.observations)


class ReplayMemory:
    """Whole episodes, the oldest dropped when there are more than `capacity` transitions; the last always stays."""

    def __init__(self, input_format: InputFormat, capacity: int, batch: int, seed: int = 0) -> None:
        if capacity < 1 or batch < 1:
            raise UsageError("a replay memory holds at least 1 transition, and so does a batch")
        self.input_format, self.capacity = input_format, capacity
        self.episodes: deque[EpisodeData] = deque()
        self.random = np.random.Generator(np.random.PCG64(seed))
        self._ends = np.zeros(0, np.int64)  # where each episode ends when all are written one after the other
        self._buffer = input_format.buffer(batch)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def add(self, played: EpisodeData) -> None:
        """Remember an episode."""
        self.episodes.append(played)
        size = len(self) + len(played)
        while size > self.capacity and len(self.episodes) > 1:
            size -= len(self.episodes.popleft())
        self._ends = np.cumsum([len(episode) for episode in self.episodes])

    def sample(self) -> tuple[Array, Floats, Floats]:
        """A batch of transitions, each as likely as any other: observations, targets, returns."""
        places = self.random.integers(len(self), size=len(self._buffer))
        numbers = np.searchsorted(self._ends, places, side="right")
        targets, returns = [], []
        for row, place, number in zip(self._buffer, places.tolist(), numbers.tolist(), strict=True):
            played = self.episodes[number]
            step = place - int(self._ends[number])  # counted from the end of its episode
            self.input_format.write(played.observations[step], row)
            targets.append(played.targets[step])
            returns.append(played.returns[step])
        return self._buffer, np.stack(targets), np.array(returns, np.float32)

    def nbytes(self) -> int:
        """The bytes of all that is remembered; an array that several observations share counts once."""
        arrays = {
            id(part): part.nbytes for episode in self.episodes for parts in episode.observations for part in parts
        }
        rows = sum(episode.targets.nbytes + episode.returns.nbytes for episode in self.episodes)
        return sum(arrays.values()) + rows

    def most_bytes(self, actions: int) -> int:
        """The most bytes that `nbytes` can be, unless a single episode has more transitions than there is room for.

        Args:
            actions: of the environment; a target policy has a number for each.

        Returns:
            The bytes of `capacity` transitions whose observations share no arrays.
        """
        observation = self._buffer[0].nbytes if len(self._buffer) else 0
        return self.capacity * (observation + 4 * actions + 4)

    def state(self) -> dict[str, Any]:
        """All of it as tensors and plain data; an array that several observations share is there once."""
        arrays: dict[int, int] = {}
        unique: list[Array] = []

        def number(array: Array) -> int:
            if id(array) not in arrays:
                arrays[id(array)] = len(unique)
                unique.append(array)
            return arrays[id(array)]

        episodes = [
            {
                "observations": torch.tensor([[number(part) for part in parts] for parts in episode.observations]),
                "targets": torch.from_numpy(episode.targets),
                "returns": torch.from_numpy(episode.returns),
            }
            for episode in self.episodes
        ]
        return {
            "arrays": torch.from_numpy(np.stack(unique) if unique else self.input_format.buffer(0)),
            "episodes": episodes,
            "random": dict(self.random.bit_generator.state),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        # Each a copy of its own: a part of one large array would keep all of it alive, long after it was dropped.
        arrays = [array.copy() for array in state["arrays"].numpy()]
        self.episodes = deque(
            EpisodeData(
                [tuple(arrays[number] for number in row) for row in episode["observations"].tolist()],
                episode["targets"].numpy(),
                episode["returns"].numpy(),
            )
            for episode in state["episodes"]
        )
        self._ends = np.cumsum([len(episode) for episode in self.episodes])
        self.random.bit_generator.state = state["random"]
