"""The rewards of a trajectory: their sum, and how far they reach."""

from __future__ import annotations

from collections.abc import Iterable


def total(rewards: Iterable[float]) -> float:
    """Rewards added one after the other, as the search does: another order may differ in the last digit."""
    score = 0.0
    for reward in rewards:
        score += reward
    return score


def steps_to_last_reward(rewards: Iterable[float]) -> int:
    """The number of steps up to the last positive reward; 0 without one."""
    return max((number for number, reward in enumerate(rewards, 1) if reward > 0), default=0)
