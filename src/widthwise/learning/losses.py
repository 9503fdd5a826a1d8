"""What the network is trained towards, each formula as a function."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def monte_carlo_returns(rewards: Sequence[float], discount: float, after: float = 0.0) -> list[float]:
    """What followed each step of an episode: r_t + discount r_{t+1} + discount^2 r_{t+2} + …, `after` at its end."""
    returns = [0.0] * len(rewards)
    for step in range(len(rewards) - 1, -1, -1):
        returns[step] = after = rewards[step] + discount * after
    return returns


def cross_entropy(target: Tensor, logits: Tensor) -> Tensor:
    """-Σ target log softmax(logits), averaged over the batch: for the policy, and for the value's distribution."""
    return -(target * torch.log_softmax(logits, 1)).sum(1).mean()
