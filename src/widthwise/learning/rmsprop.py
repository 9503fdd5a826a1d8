"""RMSprop, as torch computes it, without allocating anything in a step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor


class RMSprop:
    """Steps against the gradient, each weight divided by the running root mean square of its gradient plus epsilon."""

    def __init__(self, parameters: Iterable[Tensor], rate: float, decay: float, epsilon: float) -> None:
        self.parameters = list(parameters)
        self.rate, self.decay, self.epsilon = rate, decay, epsilon
        self.squares = [torch.zeros_like(one) for one in self.parameters]
        self._scratch = [torch.empty_like(one) for one in self.parameters]

    def zero_grad(self) -> None:
        """Forget the gradient."""
        for one in self.parameters:
            one.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """One step."""
        for one, square, scratch in zip(self.parameters, self.squares, self._scratch, strict=True):
            if one.grad is None:
                continue
            square.mul_(self.decay).addcmul_(one.grad, one.grad, value=1 - self.decay)
            torch.sqrt(square, out=scratch).add_(self.epsilon)
            one.addcdiv_(one.grad, scratch, value=-self.rate)

    def state_dict(self) -> dict[str, Any]:
        """The running squares."""
        return {"squares": [square.clone() for square in self.squares]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with running squares."""
        for mine, its in zip(self.squares, state["squares"], strict=True):
            mine.copy_(its)
