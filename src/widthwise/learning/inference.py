"""The network as the search asks it: normalisation folded into the weights, no gradient, few and plain operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from widthwise.core.driver import Evaluation
from widthwise.learning.network import Network

LARGEST = 64  # observations evaluated at once; more are evaluated in turns
#: Up to so many observations are few: for them the library's convolution takes longer to set up than to compute, and
#: a dense layer is as quick with its weights in the order in which training has them.
FEW = 2


class _Dense:
    """A dense layer, with a copy of its weights the other way round once many observations come at a time."""

    def __init__(self, layer: nn.Linear) -> None:
        self.weight = torch.empty_like(layer.weight)
        self.bias = torch.empty(layer.out_features)
        self._turned: Tensor | None = None

    def fold(self, weight: Tensor, scale: Tensor) -> None:
        """Take over weights, each unit's times its scale."""
        torch.mul(weight, scale[:, None], out=self.weight)
        self._turned = None

    def __call__(self, hidden: Tensor) -> Tensor:
        if hidden.dim() > 2:  # from convolutions, whose training counts channels first
            hidden = hidden.permute(0, 3, 1, 2).flatten(1)
        if len(hidden) <= FEW:
            return functional.linear(hidden, self.weight, self.bias)
        if self._turned is None:
            self._turned = self.weight.t().contiguous()
        return torch.addmm(self.bias, hidden, self._turned)


class _Convolution:
    """A convolution of images with channels last: of few as one product of matrices, of many by the library."""

    def __init__(self, layer: nn.Conv2d) -> None:
        self.side, self.stride = layer.kernel_size[0], layer.stride[0]
        self.weight = torch.empty_like(layer.weight)
        self.bias = torch.empty(layer.out_channels)
        self._matrix = torch.empty(0)

    def fold(self, weight: Tensor, scale: Tensor) -> None:
        """Take over weights, each channel's times its scale."""
        torch.mul(weight, scale[:, None, None, None], out=self.weight)
        self._matrix = self.weight.permute(2, 3, 1, 0).flatten(0, 2).contiguous()

    def __call__(self, images: Tensor) -> Tensor:
        if len(images) > FEW:
            found = functional.conv2d(images.permute(0, 3, 1, 2), self.weight, self.bias, self.stride)
            return found.permute(0, 2, 3, 1)
        pieces = patches(images, self.side, self.stride)
        return torch.addmm(self.bias, pieces.flatten(3).flatten(0, 2), self._matrix).view(*pieces.shape[:3], -1)


def patches(images: Tensor, side: int, stride: int) -> Tensor:
    """What a convolution looks at, by image, row, column, row in the patch, columns and channels in it; no copy."""
    count, height, width, channels = images.shape
    rows, columns = ((length - side) // stride + 1 for length in (height, width))
    row = width * channels
    shape = (count, rows, columns, side, side * channels)
    return images.as_strided(shape, (height * row, stride * row, stride * channels, row, 1))


class Inference:
    """Evaluates observations: the active units of the last hidden layer, the policy, and the value.

    `version` counts the updates of the network it was made from; `update` brings it up to date.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.version = 0
        self._trunk = [_Convolution(one) if isinstance(one, nn.Conv2d) else _Dense(one) for one in network.layers]
        self._points = network.support.points
        self._buffer = network.sight.buffer(LARGEST)
        self._input = torch.from_numpy(self._buffer)
        self._numbers = torch.empty(self._buffer.shape)  # the same as floats: new memory for each call would cost more
        self.update(0)

    @torch.no_grad()
    def update(self, version: int) -> None:
        """Take over the weights of the network."""
        self.version = version
        network = self.network
        for layer, norm, mine in zip(network.layers, network.norms, self._trunk, strict=True):
            mean, variance = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
            scale = cast(Tensor, norm.weight) / torch.sqrt(variance + cast(float, norm.eps))
            torch.sub(cast(Tensor, norm.bias), mean * scale, out=mine.bias)
            if mine is self._trunk[0] and network.sight.image:
                scale = scale / 255
            mine.fold(layer.weight, scale)
        heads = (network.policy, network.value)
        self._heads = torch.cat([head.weight for head in heads]), torch.cat([head.bias for head in heads])

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
        active, policy, value = self.forward(self._input[: len(observations)])
        values = self.network.support.mean(value.numpy(), self._points)
        size = active.shape[1]
        bits, version = active.numpy().tobytes(), self.version
        return [
            Evaluation(bits[row * size : (row + 1) * size], prior, worth, version)
            for row, (prior, worth) in enumerate(zip(policy.tolist(), values.tolist(), strict=True))
        ]

    @torch.inference_mode()
    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Which units of the last hidden layer are active, the policy, and the value's distribution, of a buffer."""
        hidden = self._numbers[: len(seen)].copy_(seen)
        for layer in self._trunk:
            hidden = layer(hidden).relu_()
        logits = functional.linear(hidden, *self._heads)
        policy = torch.softmax(logits[:, : self.network.actions], 1)
        value = torch.softmax(logits[:, self.network.actions :], 1)
        return hidden > 0, policy, value
