"""The network: the paper's convolutions, a policy head, and a value head over a support."""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from widthwise.learning.sight import Sight
from widthwise.learning.support import Support

HIDDEN = 256  # units of the last hidden layer: those that are active are the features of a state


class Network(nn.Module):
    """Images go through 16 8x8/4 and 32 4x4/2 convolutions, vectors through a dense layer; then 256 dense units.

    Each layer is normalised over the batch before its ReLU. Both heads begin at zero: the policy is uniform and every
    value 0 (the middle of the support) before anything was learned.
    """

    def __init__(self, sight: Sight, actions: int, support: Support, seed: int = 0, momentum: float = 0.1) -> None:
        super().__init__()
        self.sight, self.support, self.actions = sight, support, actions
        self.layers: list[nn.Conv2d | nn.Linear]
        if sight.image:
            height, width, channels = sight.shape
            small = [(side - 8) // 4 + 1 for side in (height, width)]
            flat = 32 * math.prod((side - 4) // 2 + 1 for side in small)
            self.layers = [
                nn.Conv2d(channels, 16, 8, 4, bias=False),
                nn.Conv2d(16, 32, 4, 2, bias=False),
                nn.Linear(flat, HIDDEN, bias=False),
            ]
            norms: list[nn.Module] = [
                nn.BatchNorm2d(16, momentum=momentum),
                nn.BatchNorm2d(32, momentum=momentum),
                nn.BatchNorm1d(HIDDEN, momentum=momentum),
            ]
        else:
            self.layers = [nn.Linear(sight.shape[0], HIDDEN, bias=False), nn.Linear(HIDDEN, HIDDEN, bias=False)]
            norms = [nn.BatchNorm1d(HIDDEN, momentum=momentum) for _ in self.layers]
        self.trunk = nn.ModuleList(self.layers)
        self.norms = nn.ModuleList(norms)
        self.policy = nn.Linear(HIDDEN, actions)
        self.value = nn.Linear(HIDDEN, support.atoms)
        self._begin(seed)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _begin(self, seed: int) -> None:
        """Weights from a generator of their own, so that nothing else that draws numbers changes them."""
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in self.layers:
                deviation = math.sqrt(2 / layer.weight[0].numel())
                layer.weight.copy_(torch.randn(layer.weight.shape, generator=generator) * deviation)
            for head in (self.policy, self.value):
                head.weight.zero_()
                head.bias.zero_()

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of the policy and of the value's distribution, after the last hidden layer, from scaled input."""
        hidden = seen
        for layer, norm in zip(self.trunk, self.norms, strict=True):
            if isinstance(layer, nn.Linear) and hidden.dim() > 2:
                hidden = hidden.flatten(1)
            hidden = torch.relu(norm(layer(hidden)))
        return hidden, self.policy(hidden), self.value(hidden)

    def scaled(self, seen: Tensor) -> Tensor:
        """A buffer of observations as input: bytes become numbers from 0 to 1, channels go to their place."""
        return seen.permute(0, 3, 1, 2).float().mul_(1 / 255) if self.sight.image else seen

    def weights(self) -> list[nn.Parameter]:
        """What the l2 term counts: the weights, neither biases nor what normalises."""
        heads = [cast(nn.Parameter, self.policy.weight), cast(nn.Parameter, self.value.weight)]
        return [cast(nn.Parameter, layer.weight) for layer in self.layers] + heads
