"""What the network is trained towards, each formula a function of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor


def monte_carlo_returns(rewards: Sequence[float], discount: float) -> list[float]:
    """What followed each step of an episode: r_t + discount r_{t+1} + discount^2 r_{t+2} + …; nothing after its end."""
    returns = [0.0] * len(rewards)
    after = 0.0
    for step in range(len(rewards) - 1, -1, -1):
        returns[step] = after = rewards[step] + discount * after
    return returns


def cross_entropy(target: Tensor, logits: Tensor) -> Tensor:
    """-Σ target log softmax(logits), averaged over the batch: for the policy, and for the value's distribution."""
    return -(target * torch.log_softmax(logits, 1)).sum(1).mean()


def l2_term(weights: Iterable[Tensor]) -> Tensor:
    """Half the sum of the squares of all weights."""
    with torch.no_grad():
        return sum((torch.dot(flat, flat) for flat in map(flat, weights)), torch.zeros(())) / 2


def add_l2_gradient(weights: Iterable[Tensor], factor: float) -> None:
    """Add the gradient of factor times `l2_term`, which is factor times the weights, to that of the weights."""
    with torch.no_grad():
        for weight in weights:
            if weight.grad is not None:
                weight.grad.add_(weight, alpha=factor)


def clip_gradient(parameters: Iterable[Tensor], most: float) -> float:
    """Scale the gradient down to a norm of at most `most`; returns the norm it had."""
    with torch.no_grad():
        gradients = [one.grad for one in parameters if one.grad is not None]
        squares = sum((torch.dot(flat, flat) for flat in map(flat, gradients)), torch.zeros(()))
        norm = float(squares.sqrt())
        if norm > most:
            for gradient in gradients:
                gradient.mul_(most / norm)
    return norm


def flat(tensor: Tensor) -> Tensor:
    """All numbers in a row, in the order they have in memory."""
    return tensor.as_strided((tensor.numel(),), (1,))
