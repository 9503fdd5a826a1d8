"""The network as the search asks it: normalisation folded into the weights, no gradient, buffers made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from widthwise.core.driver import Evaluation
from widthwise.learning.network import Network

LARGEST = 64  # observations evaluated at once; more are evaluated in turns


class _Folded(nn.Module):
    """The trunk with normalisation inside the weights, and both heads."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.image = network.sight.image
        self.support = network.support
        self.trunk = nn.ModuleList()
        for layer in network.layers:
            if isinstance(layer, nn.Conv2d):
                side, stride = layer.kernel_size[0], layer.stride[0]
                copy: nn.Module = nn.Conv2d(layer.in_channels, layer.out_channels, side, stride)
            else:
                copy = nn.Linear(layer.in_features, layer.out_features)
            self.trunk.append(copy)
        self.policy = nn.Linear(network.policy.in_features, network.policy.out_features)
        self.value = nn.Linear(network.value.in_features, network.value.out_features)
        self.register_buffer("points", torch.tensor(network.support.points))

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = seen.permute(0, 3, 1, 2).float() if self.image else seen
        for layer in self.trunk:
            if isinstance(layer, nn.Linear) and hidden.dim() > 2:
                hidden = hidden.flatten(1)
            hidden = torch.relu(layer(hidden))
        value = self.support.mean(torch.softmax(self.value(hidden), 1), self.points)  # type: ignore[arg-type]
        return hidden > 0, torch.softmax(self.policy(hidden), 1), value


class Inference:
    """Evaluates observations: the active units of the last hidden layer, the policy, and the value.

    `version` counts the updates of the network it was made from; `update` brings it up to date.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.version = 0
        self._folded = _Folded(network).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._folded.requires_grad_(False)
        self._buffer = network.sight.buffer(LARGEST)
        self._input = torch.from_numpy(self._buffer)
        self._forward: Any = None
        self.update(0)

    @torch.no_grad()
    def update(self, version: int) -> None:
        """Take over the weights of the network."""
        self.version = version
        network, folded = self.network, self._folded
        for number, (layer, norm) in enumerate(zip(network.layers, network.norms, strict=True)):
            copy: Any = folded.trunk[number]
            mean, variance = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
            scale = cast(Tensor, norm.weight) / torch.sqrt(variance + cast(float, norm.eps))
            torch.sub(cast(Tensor, norm.bias), mean * scale, out=copy.bias)
            if number == 0 and network.sight.image:
                scale = scale / 255
            shape = (-1, *[1] * (layer.weight.dim() - 1))
            torch.mul(layer.weight, scale.view(shape), out=copy.weight)
        for mine, its in ((folded.policy, network.policy), (folded.value, network.value)):
            mine.weight.copy_(its.weight)
            mine.bias.copy_(its.bias)
        if self._forward is None:
            self._forward = torch.jit.trace(folded, self._input[:2], check_trace=False)  # type: ignore[no-untyped-call]

    def __call__(self, observations: Sequence[Any]) -> list[Evaluation]:
        """What the network says of each observation."""
        found: list[Evaluation] = []
        for start in range(0, len(observations), LARGEST):
            found += self._batch(observations[start : start + LARGEST])
        return found

    def _batch(self, observations: Sequence[Any]) -> list[Evaluation]:
        sight = self.network.sight
        for row, observation in zip(self._buffer, observations, strict=False):
            sight.write(sight.parts(observation), row)
        with torch.no_grad():
            active, policy, value = self._forward(self._input[: len(observations)])
        size = active.shape[1]
        bits, version = active.numpy().tobytes(), self.version
        return [
            Evaluation(bits[row * size : (row + 1) * size], prior, worth, version)
            for row, (prior, worth) in enumerate(zip(policy.tolist(), value.tolist(), strict=True))
        ]
