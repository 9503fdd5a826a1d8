"""The network as the search uses it: normalisation folded into the weights, no gradient, computed natively.

Torch takes longer to begin than to compute for a single state, and its result for a state depends, in the last digits,
on the other states of the batch. The native pass evaluates each state alone, and its dense layers skip inputs that are
0. `Network.forward` computes the same function, and the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from widthwise import _native
from widthwise.learning.input_format import Array
from widthwise.learning.network import HIDDEN, Network
from widthwise.simulator_search.driver import Evaluation

LARGEST = 64  # observations evaluated at once; more are evaluated in turns


class Inference:
    """Evaluates observations: the active units of the last hidden layer, the policy, and the value.

    `version` counts the updates of the network it was made from; `update` brings it up to date, and `changes` counts
    how often: a network that starts again is another one of the same version. The weights are copied at the first
    evaluation after `update`, as a learner with actors evaluates nothing itself.
    """

    def __init__(self, network: Network, kernels: str = "best") -> None:
        self.network = network
        self.version = self.changes = 0
        input_format = network.input_format
        height, width, channels = input_format.shape if input_format.image else (1, 1, *input_format.shape)
        self._forward = _native.Forward(height, width, channels, LARGEST, kernels)
        for layer in network.layers:
            if isinstance(layer, nn.Conv2d):
                self._forward.convolution(layer.kernel_size[0], layer.stride[0], layer.out_channels)
            else:
                self._forward.dense(layer.out_features)
        self._forward.heads(network.actions, network.support.points.tolist())
        self._seen = input_format.buffer(LARGEST)
        self._active = np.empty((LARGEST, HIDDEN), np.uint8)
        self._policy = np.empty((LARGEST, network.actions), np.float32)
        self._mean = np.empty(LARGEST)
        self._unit = 1.0
        self.update(0)

    def update(self, version: int) -> None:
        """Take over the weights of the network."""
        self.version = version
        self.changes += 1
        self._current = False
        actions = getattr(self.network, "demonstrated", None)
        self._demonstrated = None if actions is None else int(actions)

    def guided_actions(self) -> int | None:
        """For how many actions of an episode the policy is known, if it was learned from one trajectory; None: all."""
        return self._demonstrated or None

    @torch.no_grad()
    def _copy_weights(self) -> None:
        network = self.network
        self._unit = network.value_unit
        for number, (layer, norm) in enumerate(zip(network.layers, network.norms, strict=True)):
            mean, variance = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
            scale = cast(Tensor, norm.weight) / torch.sqrt(variance + cast(float, norm.eps))
            bias = cast(Tensor, norm.bias) - mean * scale
            if number == 0 and network.input_format.image:
                scale = scale / network.byte_range
            weights = layer.weight.movedim(1, -1).reshape(-1)
            self._forward.set(number, weights.cpu().numpy(), scale.cpu().numpy(), bias.cpu().numpy())
        heads = (network.policy, network.value)
        weight, bias = torch.cat([head.weight for head in heads]), torch.cat([head.bias for head in heads])
        self._forward.set(
            len(network.layers),
            weight.reshape(-1).cpu().numpy(),
            np.ones(len(weight), np.float32),
            bias.cpu().numpy(),
        )
        self._current = True

    def __call__(self, observations: Sequence[Any]) -> list[Evaluation]:
        """The evaluation of each observation."""
        evaluations: list[Evaluation] = []
        for start in range(0, len(observations), LARGEST):
            evaluations += self._batch(observations[start : start + LARGEST])
        return evaluations

    def values(self, observations: Sequence[tuple[Array, ...]]) -> npt.NDArray[np.float64]:
        """The values of observations in parts."""
        batches = range(0, len(observations), LARGEST)
        return np.concatenate([self._run(observations[start : start + LARGEST]) for start in batches])

    def policies(self, observations: Sequence[tuple[Array, ...]]) -> npt.NDArray[np.float32]:
        """The policies in observations in parts, a row each."""
        rows = []
        for start in range(0, len(observations), LARGEST):
            batch = observations[start : start + LARGEST]
            self._run(batch)
            rows.append(self._policy[: len(batch)].copy())
        return np.concatenate(rows)

    def _run(self, observations: Sequence[tuple[Array, ...]]) -> npt.NDArray[np.float64]:
        """Evaluate at most `LARGEST` observations in parts; returns their values."""
        if not self._current:
            self._copy_weights()
        for row, parts in zip(self._seen, observations, strict=False):
            self.network.input_format.write(parts, row)
        count = len(observations)
        self._forward(self._seen, count, self._active, self._policy, self._mean)
        return self.network.support.value(self._mean[:count]) * self._unit

    def _batch(self, observations: Sequence[Any]) -> list[Evaluation]:
        input_format, count, version = self.network.input_format, len(observations), self.version
        values = self._run([input_format.parts(observation) for observation in observations]).tolist()
        return [
            Evaluation(active.tobytes(), prior, value, version)
            for active, prior, value in zip(self._active, self._policy[:count].tolist(), values, strict=False)
        ]
