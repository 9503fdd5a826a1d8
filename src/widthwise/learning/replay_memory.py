"""The memory of episodes, and of nodes of search trees, that the network is trained from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from widthwise.core.errors import UsageError
from widthwise.learning.input_format import Array, InputFormat
from widthwise.learning.learning_settings import TREE_CAPACITY

Floats = npt.NDArray[np.float32]
#: The values that a network gives observations in parts.
Values = Callable[[Sequence[tuple[Array, ...]]], npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class EpisodeData:
    """An episode to learn from: observations in parts, target policies, and returns, one per executed action.

    Parts of episodes, and samples from the nodes of a tree, have the same form.
    """

    observations: list[tuple[Array, ...]]
    targets: Floats
    returns: Floats

    def __len__(self) -> int:
        return len(self.observations)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How batches are drawn; `LearningSettings` describes the fields."""

    demonstration_share: float = 0.25
    tree_share: float = 0.5
    tree_values: bool = True
    bootstrap: int = 0
    shift: int = 0
    discount: float = 0.99
    nodes: bool = False  # whether there are samples from nodes of trees


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch; `value_weights` are those of its rows in the loss of the value, 1 on average."""

    observations: Array
    targets: Floats
    returns: Floats
    value_weights: Floats


class _Store:
    """Data of episodes in the order in which it came, the oldest dropped; the last always stays."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.data: deque[EpisodeData] = deque()
        self.ends = np.zeros(0, np.int64)  # where each ends when all are written one after the other

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def add(self, played: EpisodeData) -> None:
        self.data.append(played)
        size = len(self) + len(played)
        while size > self.capacity and len(self.data) > 1:
            size -= len(self.data.popleft())
        self.count()

    def count(self) -> None:
        self.ends = np.cumsum([len(played) for played in self.data])

    def draw(self, count: int, rng: np.random.Generator) -> list[tuple[EpisodeData, int]]:
        """`count` places, each as likely as any other: the data, and a row of it counted from its end."""
        places = rng.integers(len(self), size=count)
        numbers = np.searchsorted(self.ends, places, side="right")
        return [
            (self.data[number], place - int(self.ends[number]))
            for place, number in zip(places.tolist(), numbers.tolist(), strict=True)
        ]


class ReplayMemory:
    """Whole episodes or parts of them, the oldest dropped when there are more than `capacity` transitions."""

    def __init__(
        self, input_format: InputFormat, capacity: int, batch: int, seed: int = 0, sampling: Sampling | None = None
    ) -> None:
        if capacity < 1 or batch < 1:
            raise UsageError("a replay memory and a batch must have room for at least 1 transition")
        self.input_format, self.capacity = input_format, capacity
        self.sampling = sampling or Sampling()
        self._roots, self._nodes = _Store(capacity), _Store(capacity * TREE_CAPACITY)
        self._shown = _Store(capacity)  # holds the demonstration, whatever its length
        self.random = np.random.Generator(np.random.PCG64(seed))
        self._buffer = input_format.buffer(batch)

    @property
    def episodes(self) -> deque[EpisodeData]:
        """The episodes, or parts of them."""
        return self._roots.data

    @property
    def nodes(self) -> deque[EpisodeData]:
        """Samples from the nodes of trees, in the portions in which they came."""
        return self._nodes.data

    def __len__(self) -> int:
        """How many transitions and samples from nodes there are, without the demonstration."""
        return len(self._roots) + len(self._nodes)

    def add(self, played: EpisodeData) -> None:
        """Remember an episode, or a part of one."""
        self._roots.add(played)

    def add_nodes(self, samples: EpisodeData) -> None:
        """Remember samples from the nodes of a tree."""
        self._nodes.add(samples)

    def clear(self) -> None:
        """Forget everything but the demonstration."""
        self._roots, self._nodes = _Store(self._roots.capacity), _Store(self._nodes.capacity)

    def demonstrate(self, episode: EpisodeData) -> None:
        """Remember a demonstration: it stays, and is not part of `state`."""
        self._shown = _Store(self.capacity)
        self._shown.add(episode)

    @property
    def demonstration(self) -> EpisodeData | None:
        """The demonstration, if there is one."""
        return self._shown.data[0] if len(self._shown) else None

    def usable(self) -> bool:
        """Whether there is something to draw a batch from."""
        return len(self) + len(self._shown) > 0

    def rewarded(self) -> bool:
        """Whether a return is other than 0; of samples from trees, whether one is above 0.

        A tree often contains a loss that the agent does not take, such as a step into a wall. It is no reward yet.
        """
        executed = any(data.returns.any() for data in (*self._shown.data, *self.episodes))
        return executed or any((data.returns > 0).any() for data in self.nodes)

    def sample(self, values: Values | None = None) -> Batch:
        """A batch: shares from the demonstration and from the nodes of trees, where they exist, the rest from actions.

        `values` gives the values for returns that are cut after some steps.
        """
        rows, sampling = len(self._buffer), self.sampling
        shown = round(rows * sampling.demonstration_share) if len(self._shown) else 0
        if not len(self):
            shown = rows
        below = round((rows - shown) * sampling.tree_share) if len(self._nodes) else 0
        if not len(self._roots):
            below = rows - shown
        drawn = self._shown.draw(shown, self.random) if shown else []
        drawn += self._roots.draw(rows - shown - below, self.random) if rows > shown + below else []
        returns = np.array([data.returns[row] for data, row in drawn], np.float32)
        if sampling.bootstrap and values is not None:
            self._refresh(drawn, returns, values)
        nodes = self._nodes.draw(below, self.random) if below else []
        returns = np.concatenate([returns, np.array([data.returns[row] for data, row in nodes], np.float32)])
        weights = np.ones(rows, np.float32)
        if not sampling.tree_values and drawn:
            weights[len(drawn) :] = 0
            weights *= rows / len(drawn)
        drawn += nodes
        for place, (data, row) in zip(self._buffer, drawn, strict=True):
            self.input_format.write(data.observations[row], place)
        if sampling.shift and self.input_format.image:
            shift_images(self._buffer, sampling.shift, self.random)
        return Batch(self._buffer, np.stack([data.targets[row] for data, row in drawn]), returns, weights)

    def _refresh(self, drawn: list[tuple[EpisodeData, int]], returns: Floats, values: Values) -> None:
        """Replace what follows after `bootstrap` steps by the network's value of the state there."""
        steps, factor = self.sampling.bootstrap, self.sampling.discount**self.sampling.bootstrap
        later = [place for place, (_, row) in enumerate(drawn) if row + steps < 0]  # rows are counted from the end
        if not later:
            return
        ahead = [(drawn[place][0], drawn[place][1] + steps) for place in later]
        estimates = values([data.observations[row] for data, row in ahead])
        for place, (data, row), estimate in zip(later, ahead, estimates.tolist(), strict=True):
            returns[place] += factor * (estimate - float(data.returns[row]))

    def nbytes(self) -> int:
        """The bytes of all that is remembered; an array that several observations share counts once."""
        everything = [*self._shown.data, *self.episodes, *self.nodes]
        arrays = {id(part): part.nbytes for data in everything for parts in data.observations for part in parts}
        rows = sum(data.targets.nbytes + data.returns.nbytes for data in everything)
        return sum(arrays.values()) + rows

    def most_bytes(self, actions: int) -> int:
        """The most bytes that `nbytes` can be, demonstrations not counted.

        A single episode that has more transitions than there is room for may exceed them.

        Args:
            actions: of the environment; a target policy has a number for each.

        Returns:
            The bytes of `capacity` transitions, and of the samples from nodes in addition, whose observations share no
            arrays.
        """
        observation = self._buffer[0].nbytes if len(self._buffer) else 0
        rows = self.capacity * (1 + TREE_CAPACITY if self.sampling.nodes else 1)
        return rows * (observation + 4 * actions + 4)

    def state(self) -> dict[str, Any]:
        """All of it as tensors and plain data; an array that several observations share is there once."""
        arrays: dict[int, int] = {}
        unique: list[Array] = []

        def number(array: Array) -> int:
            if id(array) not in arrays:
                arrays[id(array)] = len(unique)
                unique.append(array)
            return arrays[id(array)]

        def plain(data: EpisodeData) -> dict[str, Any]:
            return {
                "observations": torch.tensor([[number(part) for part in parts] for parts in data.observations]),
                "targets": torch.from_numpy(data.targets),
                "returns": torch.from_numpy(data.returns),
            }

        episodes, nodes = [plain(data) for data in self.episodes], [plain(data) for data in self.nodes]
        state = {
            "arrays": torch.from_numpy(np.stack(unique) if unique else self.input_format.buffer(0)),
            "episodes": episodes,
            "random": dict(self.random.bit_generator.state),
        }
        return {**state, "nodes": nodes} if nodes else state

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        # Each a separate copy: a part of one large array would keep all of it alive, long after it was dropped.
        arrays = [array.copy() for array in state["arrays"].numpy()]
        for store, name in ((self._roots, "episodes"), (self._nodes, "nodes")):
            store.data = deque(
                EpisodeData(
                    [tuple(arrays[number] for number in row) for row in data["observations"].tolist()],
                    data["targets"].numpy(),
                    data["returns"].numpy(),
                )
                for data in state.get(name, [])
            )
            store.count()
        self._shown = _Store(self.capacity)  # not in the state: the trainer shows its demonstration again
        self.random.bit_generator.state = state["random"]


def shift_images(images: Array, most: int, rng: np.random.Generator) -> None:
    """Shift each image of a batch by up to this many pixels in both directions; the border is repeated."""
    height, width = images.shape[1:3]
    down, right = np.arange(height), np.arange(width)
    for image, (vertical, horizontal) in zip(images, rng.integers(-most, most + 1, size=(len(images), 2)), strict=True):
        rows, columns = (down + vertical).clip(0, height - 1), (right + horizontal).clip(0, width - 1)
        image[...] = image[rows[:, None], columns]
