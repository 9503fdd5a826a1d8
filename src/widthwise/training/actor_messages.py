"""The messages between the learner and its actors: weights, blocks of play, and the episodes that ended in them."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from torch import Tensor, nn

    from widthwise.learning.replay_memory import EpisodeData
    from widthwise.simulators.chance import Chance
    from widthwise.training.configuration import Configuration
    from widthwise.training.run_settings import RunSettings
    from widthwise.training.starts import Starts


@dataclass(frozen=True, slots=True)
class ActorSpec:
    """Everything that an actor is made from."""

    index: int
    actors: int
    settings: RunSettings
    configuration: Configuration
    chance: str
    finding: Chance  # of the learner's check for chance
    step_timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a network as bytes: each tensor after the other, as 32-bit floats.

    `version` counts the updates of the network; `number` distinguishes two sets of weights of the same version.
    """

    version: int
    number: int
    contents: bytes

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor], version: int, number: int) -> Weights:
        """The weights in the state of a network."""
        rows = [tensor.detach().cpu().numpy().ravel() for tensor in tensors.values()]
        return cls(version, number, np.concatenate(rows).astype(np.float32, copy=False).tobytes())

    def put_into(self, network: nn.Module) -> None:
        """Give these weights to a network of the same shape."""
        import torch

        numbers, at = torch.frombuffer(bytearray(self.contents), dtype=torch.float32), 0
        with torch.no_grad():
            for tensor in network.state_dict().values():
                tensor.copy_(numbers[at : at + tensor.numel()].view(tensor.shape))
                at += tensor.numel()
        if at != len(numbers):
            raise ValueError(f"the weights have {len(numbers)} numbers, and the network has {at}")


@dataclass(frozen=True, slots=True)
class Play:
    """The order to play one block.

    `waiting`: there is nothing to learn from yet. `starts`: where episodes may begin besides at a reset.
    """

    waiting: bool
    starts: Starts | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """The order to return the state of all trees."""


@dataclass(frozen=True, slots=True)
class Restore:
    """The order to return to a state that `Capture` returned."""

    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Evaluate:
    """The order to evaluate the weights that come with it."""

    number: int
    planner: bool


Order = Play | Capture | Restore | Evaluate


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """An episode that has ended in a block."""

    tree: int
    seed: int
    score: float
    steps: int
    interactions: int
    actions: tuple[int, ...]
    rewards: tuple[float, ...]
    start: int  # its first actions that are copied from the demonstration
    oldest: int  # the version of the weights that its first block was played with
    newest: int  # the version of those of its last block
    draw: int | None  # the seed of the weights, where the actor had drawn its own
    contents: bytes  # a packed `EpisodeData`


@dataclass(frozen=True, slots=True)
class PlayedPart:
    """A part of an episode, or samples from nodes of its tree, to learn from before the episode has ended."""

    nodes: bool  # whether these are samples from nodes
    draw: int | None  # the seed of the weights, where the actor had drawn its own
    contents: bytes  # a packed `EpisodeData`


@dataclass(frozen=True, slots=True)
class Played:
    """What a block has brought."""

    version: int  # of the weights it was played with
    interactions: int
    actions: int
    begun: int  # episodes that this actor has begun so far
    episodes: tuple[PlayedEpisode, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[PlayedPart, ...] = ()


def pack_episode(played: EpisodeData) -> bytes:
    """An episode as compressed bytes; an array that several observations share is there once."""
    numbers: dict[int, int] = {}
    unique: list[npt.NDArray[Any]] = []
    rows = []
    for parts in played.observations:
        for part in parts:
            if id(part) not in numbers:
                numbers[id(part)] = len(unique)
                unique.append(part)
        rows.append([numbers[id(part)] for part in parts])
    # The lightest level: pictures of simulators shrink a hundredfold with it.
    return zlib.compress(pickle.dumps((np.stack(unique), rows, played.targets, played.returns)), 1)


def unpack_episode(contents: bytes) -> EpisodeData:
    """The episode of `pack_episode`."""
    arrays, rows, targets, returns = pickle.loads(zlib.decompress(contents))
    from widthwise.learning.replay_memory import EpisodeData  # made of torch, which may be missing

    return EpisodeData([tuple(arrays[number] for number in row) for row in rows], targets, returns)
