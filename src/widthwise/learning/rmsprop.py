"""RMSprop, as torch computes it, but in one pass over memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from widthwise import _native
from widthwise.learning.losses import flat


class RMSprop:
    """Steps against the gradient, each weight divided by the running root mean square of its gradient plus epsilon."""

    def __init__(self, parameters: Iterable[Tensor], rate: float, decay: float, epsilon: float) -> None:
        self.parameters = list(parameters)
        self.rate, self.decay, self.epsilon = rate, decay, epsilon
        self.squares = [torch.zeros_like(one, requires_grad=False) for one in self.parameters]
        # The same numbers in rows, in the order they have in memory.
        self._weight_rows = [flat(one.detach()).numpy() for one in self.parameters]
        self._square_rows = [flat(square).numpy() for square in self.squares]

    def zero_grad(self) -> None:
        """Forget the gradient."""
        for one in self.parameters:
            one.grad = None

    def step(self) -> None:
        """One step."""
        rows = zip(self.parameters, self._weight_rows, self._square_rows, strict=True)
        for one, weights, squares in rows:
            gradient = one.grad
            if gradient is None:
                continue
            if gradient.stride() != one.stride():
                gradient = torch.empty_like(one, requires_grad=False).copy_(gradient)
            _native.rmsprop(weights, flat(gradient).numpy(), squares, self.rate, self.decay, self.epsilon)

    def forget(self) -> None:
        """Begin again without any gradient seen."""
        for square in self.squares:
            square.zero_()

    def state_dict(self) -> dict[str, Any]:
        """The running squares."""
        return {"squares": [square.clone() for square in self.squares]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with running squares."""
        for mine, its in zip(self.squares, state["squares"], strict=True):
            mine.copy_(its)
