"""The schedule for whole problems, with many goals: which searches take turns, and why."""

from __future__ import annotations

from widthwise.planners.bfws import BFWS, GBFS
from widthwise.planners.iw import IW
from widthwise.planners.schedule import Schedule, Turn
from widthwise.planners.siw import SIW

ROUND = 200_000  # nodes of the first round
GROWTH = 4  # how much larger each round is than the one before

TURNS = (
    Turn(IW(1), 0.05, "costs next to nothing, and some tasks need no more", rounds=1),
    Turn(
        BFWS("k1"),
        0.15,
        "keeps only states with a new atom, the most novel first: it ends soon, often with a plan",
    ),
    Turn(SIW(2), 0.05, "one goal after another: where goals do not disturb each other, nothing is quicker", rounds=1),
    Turn(BFWS(), 0.5, "prunes nothing, so it gets there if memory and time allow; the most novel states first"),
    Turn(GBFS(), 0.25, "follows relaxed plans where novelty leads astray"),
)


def whole_problem() -> Schedule:
    """Searches for a goal of many atoms: cheap ones that prune first, complete ones until the budget ends."""
    return Schedule(TURNS, ROUND, GROWTH, weighed=True)
