"""RMSprop, as torch computes it, with l2 and clipping in the same passes over memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from widthwise import _native
from widthwise.learning.flat_view import flat_view


@dataclass(frozen=True, slots=True)
class Gradient:
    """Where a step would go: the gradient of the loss in rows, one per parameter, and what is known of it."""

    rows: list[Any]
    norm: float  # with the part of the l2 term, before clipping
    l2: float  # the l2 term: half the sum of the squares of the weights that it counts and that have a gradient


class RMSprop:
    """Steps against the gradient, each weight divided by the running root mean square of its gradient plus epsilon.

    `factor` times the l2 term of the weights is part of the loss: its gradient, factor times the weights, is added.
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        rate: float,
        decay: float,
        epsilon: float,
        *,
        weights: Iterable[Tensor] = (),
        factor: float = 0.0,
    ) -> None:
        self.parameters = list(parameters)
        self.rate, self.decay, self.epsilon = rate, decay, epsilon
        counted = {id(weight) for weight in weights}
        self.counted = [id(parameter) in counted for parameter in self.parameters]
        self.factor = factor
        self.squares = [torch.zeros_like(parameter, requires_grad=False) for parameter in self.parameters]
        # The same numbers in rows, in the order they have in memory; on another device torch does the same.
        self.native = all(parameter.device.type == "cpu" for parameter in self.parameters)
        self._weight_rows = [flat_view(parameter) for parameter in self.parameters] if self.native else []
        self._square_rows = [flat_view(square) for square in self.squares] if self.native else []

    def zero_grad(self) -> None:
        """Forget the gradient."""
        for parameter in self.parameters:
            parameter.grad = None

    def gradient(self, slopes: Sequence[Tensor | None] | None = None) -> Gradient:
        """A gradient in parts, one per parameter; by default the one that the parameters have now."""
        if slopes is None:
            slopes = [parameter.grad for parameter in self.parameters]
        if not self.native:
            return self._gradient_by_torch(slopes)
        rows = [self._row(parameter, slope) for parameter, slope in zip(self.parameters, slopes, strict=True)]
        squares = l2 = 0.0
        for slope, weights, counted in zip(rows, self._weight_rows, self.counted, strict=True):
            if slope is None:
                continue
            of_slope, of_weights = _native.squares(weights, slope, self.factor if counted else 0.0)
            squares += of_slope
            l2 += of_weights / 2 if counted else 0.0
        return Gradient(rows, math.sqrt(squares), l2)

    @torch.no_grad()
    def _gradient_by_torch(self, slopes: Sequence[Tensor | None]) -> Gradient:
        rows = list(slopes)
        squares = l2 = 0.0
        for slope, parameter, counted in zip(rows, self.parameters, self.counted, strict=True):
            if slope is None:
                continue
            whole = slope + self.factor * parameter if counted else slope
            squares += float(whole.square().sum())
            l2 += float(parameter.square().sum()) / 2 if counted else 0.0
        return Gradient(rows, math.sqrt(squares), l2)

    @torch.no_grad()
    def _step_by_torch(self, gradient: Gradient, scale: float) -> None:
        for slope, parameter, square, counted in zip(
            gradient.rows, self.parameters, self.squares, self.counted, strict=True
        ):
            if slope is not None:
                whole = (slope + self.factor * parameter if counted else slope) * scale
                square.mul_(self.decay).addcmul_(whole, whole, value=1 - self.decay)
                parameter.addcdiv_(whole, square.sqrt().add_(self.epsilon), value=-self.rate)

    @staticmethod
    def _row(parameter: Tensor, gradient: Tensor | None) -> Any:
        if gradient is None:
            return None
        if gradient.stride() != parameter.stride():
            gradient = torch.empty_like(parameter, requires_grad=False).copy_(gradient)
        return flat_view(gradient)

    def step(self, gradient: Gradient, scale: float = 1.0) -> None:
        """One step against a gradient, its l2 part included, times `scale`."""
        if not self.native:
            self._step_by_torch(gradient, scale)
            return
        rows = zip(gradient.rows, self._weight_rows, self._square_rows, self.counted, strict=True)
        for slope, weights, squares, counted in rows:
            if slope is not None:
                factor = self.factor if counted else 0.0
                _native.rmsprop(weights, slope, factor, scale, squares, self.rate, self.decay, self.epsilon)

    def forget(self) -> None:
        """Begin again without any gradient seen."""
        for square in self.squares:
            square.zero_()

    def state_dict(self) -> dict[str, Any]:
        """The running squares."""
        return {"squares": [square.clone() for square in self.squares]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue with running squares."""
        for mine, its in zip(self.squares, state["squares"], strict=True):
            mine.copy_(its)


def clipping(norm: float, most: float) -> float:
    """What a gradient is multiplied by, so that its norm is at most `most`."""
    return most / norm if norm > most else 1.0
