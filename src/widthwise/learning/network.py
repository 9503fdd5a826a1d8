"""The network: the paper's convolutions, a policy head, and a value head over a support."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from widthwise.learning.input_format import InputFormat
from widthwise.learning.renorm import Renorm
from widthwise.learning.support import Support, fitting_scale

HIDDEN = 256  # units of the last hidden layer: those that are active are the features of a state
IMPROBABLE = 5.0  # what the logits of atoms beyond the old range lack, where a fitted support has grown


class Network(nn.Module):
    """Images go through 16 8x8/4 and 32 4x4/2 convolutions, vectors through a dense layer; then 256 dense units.

    Each layer is normalised over the batch before its ReLU. Both heads begin at zero: the policy is uniform and every
    value 0 (the middle of the support) before anything was learned; without `zero_heads` they begin at random.
    Bytes of images become numbers from 0 to 1; with `raw_input` they stay numbers from 0 to 255.
    With `demonstration` the network also has the number of actions of the one trajectory that it has learned.
    """

    value_scale: Tensor
    demonstrated: Tensor

    def __init__(
        self,
        input_format: InputFormat,
        actions: int,
        support: Support,
        seed: int = 0,
        *,
        momentum: float = 0.1,
        smooth: bool = True,
        zero_heads: bool = True,
        raw_input: bool = False,
        demonstration: bool = False,
    ) -> None:
        super().__init__()
        self.input_format, self.support, self.actions = input_format, support, actions
        self.layers: list[nn.Conv2d | nn.Linear]
        if input_format.image:
            height, width, channels = input_format.shape
            small = [(side - 8) // 4 + 1 for side in (height, width)]
            self.grid = [(side - 4) // 2 + 1 for side in small]  # what the convolutions leave of the image
            flat = 32 * math.prod(self.grid)
            self.layers = [
                nn.Conv2d(channels, 16, 8, 4, bias=False),
                nn.Conv2d(16, 32, 4, 2, bias=False),
                nn.Linear(flat, HIDDEN, bias=False),
            ]
        else:
            self.layers = [nn.Linear(input_format.shape[0], HIDDEN, bias=False), nn.Linear(HIDDEN, HIDDEN, bias=False)]
        self.trunk = nn.ModuleList(self.layers)
        self.norms = nn.ModuleList(Renorm(len(layer.weight), momentum) for layer in self.layers)
        self.policy = nn.Linear(HIDDEN, actions)
        self.value = nn.Linear(HIDDEN, support.atoms)
        self.smooth, self.zero_heads = smooth, zero_heads
        self.byte_range = 1.0 if raw_input else 255.0  # bytes of images are divided by this
        if support.fitted:
            self.register_buffer("value_scale", torch.zeros(()))  # 0: no return other than 0 was seen
        if demonstration:
            self.register_buffer("demonstrated", torch.zeros(()))  # 0: it has learned none
        if input_format.encoding is not None and input_format.encoding.numeric:
            # The same memory as the encoding's: a restored network comes with the scale of its input.
            self.register_buffer("centre", torch.from_numpy(input_format.encoding.centre))
            self.register_buffer("scale", torch.from_numpy(input_format.encoding.scale))
        self.begin(seed)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def move(self, device: str) -> None:
        """Compute on a device. The scale of observations stays on the processor, where they are scaled."""
        self.to(device)
        encoding = self.input_format.encoding
        if encoding is not None and encoding.numeric:
            self.centre, self.scale = torch.from_numpy(encoding.centre), torch.from_numpy(encoding.scale)

    def begin(self, seed: int) -> None:
        """Weights from a separate generator, so that nothing else that draws numbers changes them."""
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in self.layers:
                weights = torch.randn(layer.weight.shape, generator=generator)
                if self.smooth and self.input_format.image:
                    sides = self.grid if isinstance(layer, nn.Linear) else weights.shape[2:]
                    weights = blurred(weights.view(len(weights), -1, *sides)).view(weights.shape)
                layer.weight.copy_(weights * math.sqrt(2 / weights[0].numel()))
            for norm in self.norms:
                cast(nn.Parameter, norm.weight).fill_(1.0)
                cast(nn.Parameter, norm.bias).zero_()
            for head in (self.policy, self.value):
                head.weight.zero_()
                head.bias.zero_()
                if not self.zero_heads:
                    head.weight.copy_(torch.randn(head.weight.shape, generator=generator) / math.sqrt(HIDDEN))
            if self.support.fitted:
                self.value_scale.zero_()

    @torch.no_grad()
    def calibrate(self, seen: Tensor) -> None:
        """Set the normalisation to observations, so that every unit distinguishes some of them from the start."""
        self.train()
        hidden = self.scaled(seen.to(self.policy.weight.device))
        for layer, norm in zip(self.trunk, self.norms, strict=True):
            assert isinstance(norm, Renorm)
            momentum, norm.momentum = norm.momentum, 1.0  # these observations count, and nothing before
            self._layer(layer, norm, hidden)
            norm.momentum = momentum
            hidden = self._layer(layer, norm, hidden)  # now with its averages at the observations

    @staticmethod
    def _layer(layer: nn.Module, norm: nn.Module, hidden: Tensor) -> Tensor:
        if isinstance(layer, nn.Linear) and hidden.dim() > 2:
            hidden = hidden.flatten(1)
        return cast(Tensor, norm(layer(hidden)))

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of the policy and of the value's distribution, after the last hidden layer, from scaled input."""
        hidden = seen
        for layer, norm in zip(self.trunk, self.norms, strict=True):
            hidden = self._layer(layer, norm, hidden)
        return hidden, self.policy(hidden), self.value(hidden)

    def scaled(self, seen: Tensor) -> Tensor:
        """A buffer of observations as input: bytes become numbers, channels go to their place."""
        return seen.permute(0, 3, 1, 2).float().mul_(1 / self.byte_range) if self.input_format.image else seen

    @property
    def value_unit(self) -> float:
        """What a value of 1 on the support stands for."""
        return float(self.value_scale) if self.support.fitted else 1.0

    @torch.no_grad()
    def fit(self, returns: npt.ArrayLike) -> None:
        """Make the scale of a fitted support as large as returns need; values that were learned stay nearly the same.

        A scale grows by powers of 2. Then the atoms are further apart, and each takes over the weights of the places
        that it stands for now. Atoms beyond the old range begin with the weights of the nearest end and are improbable.
        """
        before, wanted = self.value_unit, fitting_scale(returns)
        if wanted <= before:
            return
        self.value_scale.fill_(wanted)
        if before == 0.0:
            return
        places = torch.from_numpy(self.support.points * (wanted / before))
        span = self.support.high - self.support.low
        inside = places.clamp(self.support.low, self.support.high)
        rows = (inside - self.support.low) / span * (self.support.atoms - 1)
        lower = rows.long().clamp(max=self.support.atoms - 2)
        share = (rows - lower).float().to(self.value.weight.device)
        for weights in (self.value.weight, self.value.bias):
            part = share.view(-1, *[1] * (weights.dim() - 1))
            weights.copy_(weights[lower] * (1 - part) + weights[lower + 1] * part)
        self.value.bias.sub_((places != inside).float().to(self.value.bias.device), alpha=IMPROBABLE)

    def two_hot(self, returns: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """The distributions over the atoms that stand for returns."""
        unit = self.value_unit
        return self.support.two_hot(np.asarray(returns, np.float64) / unit if unit > 0.0 else returns)

    def weights(self) -> list[nn.Parameter]:
        """What the l2 term counts: the weights, neither biases nor what normalises."""
        heads = [cast(nn.Parameter, self.policy.weight), cast(nn.Parameter, self.value.weight)]
        return [cast(nn.Parameter, layer.weight) for layer in self.layers] + heads


def blurred(weights: Tensor) -> Tensor:
    """Random weights over an image with similar neighbours: a Gaussian as wide as a quarter of each side.

    Without it an object that moves by a few pixels activates other units. Every state then shows new features, the
    few hundred there are have soon been seen, and width search finds nothing novel a few steps away.
    """
    kernels = []
    for side in weights.shape[2:]:
        places = torch.arange(side, dtype=torch.float32)
        near = torch.exp(-((places[:, None] - places[None, :]) ** 2) / (2 * (side / 4) ** 2))
        kernels.append(near / near.sum(1, keepdim=True))
    smooth = torch.einsum("oihw,yh,xw->oiyx", weights, *kernels)
    return smooth / smooth.std()
