"""How far a training run goes, and how often it is evaluated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunSchedule:
    """How far a run goes, and how often it is evaluated.

    `evaluation_share` bounds what evaluations may take, as a share of the training interactions so far: one that is due
    waits until there is room for it. Only the last evaluation, of the network alone, is made in any case. 0 means no
    bound: then there is an evaluation at the start, at every interval and at the end. During the search for a
    demonstration there is one after each trajectory that was learned meanwhile (`interim`) and no other. One that falls
    due while a demonstration is rehearsed is made afterwards.
    """

    interactions: int
    evaluate_every: int
    checkpoint_seconds: float = 30.0  # twice as often as a minute: writing takes time too
    evaluation_share: float = 0.0
