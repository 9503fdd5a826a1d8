"""The schedule for whole problems, with many goals: which searches take turns, and why."""

from __future__ import annotations

from widthwise.planners.bfws import BFWS, GBFS
from widthwise.planners.iw import IW
from widthwise.planners.schedule import BestFirstTurns, Entry, FlatRun, OneRun, Schedule
from widthwise.planners.siw import SIW

ENTRIES = (
    Entry(
        "IW(1)",
        "costs next to nothing, and some tasks need no more",
        lambda model: FlatRun(IW(1), model),
        node_work=300,
        turns=1,
    ),
    Entry(
        "1-BFWS(f5)",
        "keeps only states with a new atom, the most novel first: it ends soon, often with a plan",
        lambda model: BestFirstTurns(BFWS("k1").begin(model)),
        node_work=1_000,
    ),
    Entry(
        "SIW(2)",
        "one goal after another: where goals do not disturb each other, nothing is quicker",
        lambda model: OneRun(SIW(2).run, model),
        node_work=1_000,
        turns=1,
    ),
    Entry(
        "BFWS(f5)",
        "prunes nothing, so it gets there if memory and time allow; the most novel states first",
        lambda model: BestFirstTurns(BFWS().begin(model)),
        node_work=1_000,
    ),
    Entry(
        "GBFS",
        "follows relaxed plans where novelty leads astray",
        lambda model: BestFirstTurns(GBFS().begin(model)),
        node_work=500,  # of its nodes, most are only queued
    ),
)


def whole_problem() -> Schedule:
    """Searches for a goal of many atoms: cheap ones that prune first, complete ones until the budget ends."""
    return Schedule(ENTRIES)
