"""Batch renormalisation (Ioffe, 2017): in training a layer sees the same normalisation as in use."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

# How far the statistics of a batch may be corrected towards the averages.
RATIO, SHIFT = 3.0, 5.0


class Renorm(nn.Module):
    """Normalises units (or channels) by averages over many batches; gradients flow through the batch's statistics.

    With plain batch normalisation the trained network and the one that searches ask (which knows only averages) are
    two functions, and with batches of 32 they drift far apart. Here both are the same, up to the bounds of the
    correction.
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, units: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight = nn.Parameter(torch.ones(units))
        self.bias = nn.Parameter(torch.zeros(units))
        self.register_buffer("running_mean", torch.zeros(units))
        self.register_buffer("running_var", torch.ones(units))

    def forward(self, x: Tensor) -> Tensor:
        """The normalised batch; in training the averages follow it."""
        if not self.training:
            return functional.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        with torch.no_grad():
            mean, var = self.statistics(x)
            spread = (self.running_var + self.eps).sqrt()
            ratio = ((var + self.eps).sqrt() / spread).clamp_(1 / RATIO, RATIO)
            shift = ((mean - self.running_mean) / spread).clamp_(-SHIFT, SHIFT)
            self.follow(mean, var, self.momentum)
        # (x - mean) / std * ratio + shift and then the layer's own scale and bias, as one scale and one bias.
        scale, bias = self.weight * ratio, torch.addcmul(self.bias, self.weight, shift)
        return functional.batch_norm(x, None, None, scale, bias, training=True, eps=self.eps)

    def statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of the units in a batch; counted from the averages, so that little is lost by rounding."""
        away = (x.movedim(1, -1).flatten(0, -2) if x.dim() > 2 else x) - self.running_mean
        mean = away.mean(0)
        return mean + self.running_mean, (away.square_().mean(0) - mean.square()).clamp_(min=0.0)

    def follow(self, mean: Tensor, var: Tensor, momentum: float) -> None:
        """Move the averages towards the statistics of a batch."""
        self.running_mean.lerp_(mean, momentum)
        self.running_var.lerp_(var, momentum)
