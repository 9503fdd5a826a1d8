"""Batch renormalisation (Ioffe, 2017) with the ReLU after it: in training a layer is normalised as it is in use."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from widthwise import _native
from widthwise.learning.flat_view import flat_view

# How far the statistics of a batch may be corrected towards the averages.
RATIO, SHIFT = 3.0, 5.0


class Renorm(nn.Module):
    """Normalises units (or channels) by averages over many batches, and rectifies them.

    Gradients flow through the batch's statistics. With plain batch normalisation the trained network and the one that
    searches use (with averages only) are two functions, and with batches of 32 they drift far apart. Here both
    are the same, up to the bounds of the correction.
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, units: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        if units % 16:
            raise ValueError(f"native code normalises a multiple of 16 units, not {units}")
        self.momentum, self.eps = momentum, eps
        self.native = True  # on the processor
        self.weight = nn.Parameter(torch.ones(units))
        self.bias = nn.Parameter(torch.zeros(units))
        self.register_buffer("running_mean", torch.zeros(units))
        self.register_buffer("running_var", torch.ones(units))

    def forward(self, x: Tensor) -> Tensor:
        """The batch, normalised and rectified; in training the averages follow it."""
        if not self.training:
            return torch.relu(
                functional.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
            )
        if not self.native or x.device.type != "cpu":
            return self.by_torch(x)
        x = x.contiguous(memory_format=torch.channels_last) if x.dim() > 2 else x.contiguous()
        return cast(Tensor, Corrected.apply(x, self.weight, self.bias, self))  # type: ignore[no-untyped-call]

    def by_torch(self, x: Tensor) -> Tensor:
        """The same function as operations of torch, for devices other than the processor."""
        places = [dimension for dimension in range(x.dim()) if dimension != 1]
        shape = [1, -1] + [1] * (x.dim() - 2)
        mean, variance = x.mean(places), x.var(places, correction=0)
        deviation = torch.sqrt(variance + self.eps)
        with torch.no_grad():
            spread = torch.sqrt(self.running_var + self.eps)
            ratio = (deviation / spread).clamp(1 / RATIO, RATIO)
            shift = ((mean - self.running_mean) / spread).clamp(-SHIFT, SHIFT)
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(variance, self.momentum)
        unit = (x - mean.view(shape)) / deviation.view(shape)
        corrected = unit * ratio.view(shape) + shift.view(shape)
        return torch.relu(corrected * self.weight.view(shape) + self.bias.view(shape))


class Corrected(torch.autograd.Function):
    """ReLU of ((x - mean) / deviation * ratio + shift) weight + bias, with mean and deviation those of the batch.

    Ratio and shift lead from the batch's statistics to the averages. All of it is native: as operations of torch it
    took a fifth of an update.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, norm: Renorm) -> Tensor:
        """The outputs, from a batch that lies in memory place by place; the averages follow it."""
        out, ctx.correction = torch.empty_like(x), np.empty((4, len(weight)), np.float32)
        units = (flat_view(weight), flat_view(bias), flat_view(norm.running_mean), flat_view(norm.running_var))
        _native.renorm(flat_view(x), units, (norm.momentum, norm.eps, RATIO, SHIFT), flat_view(out), ctx.correction)
        ctx.save_for_backward(x, out, weight)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the batch, of weight and of bias; ratio and shift are constants."""
        x, out, weight = ctx.saved_tensors
        if gradient.stride() != x.stride():
            gradient = torch.empty_like(x).copy_(gradient)
        gradients = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)
        passed = (flat_view(x), flat_view(out), flat_view(gradient))
        _native.renorm_backward(passed, flat_view(weight), ctx.correction, tuple(map(flat_view, gradients)))
        return (*gradients, None)
