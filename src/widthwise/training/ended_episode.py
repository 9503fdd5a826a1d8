"""A training episode that has come to its end, as the trainer reports it."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise.learning.updater import Losses


@dataclass(frozen=True, slots=True)
class EndedEpisode:
    """A training episode that has come to its end."""

    episode: int
    tree: int
    score: float
    steps: int
    interactions: int  # of this episode
    total_interactions: int  # of the run, when it ended
    updates: int
    losses: Losses | None  # of the last update
    start: int = 0  # its first actions that are copied from the demonstration; they are part of score and steps
    actor: int | None = None  # where there are several
    lag: int | None = None  # updates since the weights of its last block
    oldest_lag: int | None = None  # and since those of its first
