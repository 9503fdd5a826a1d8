"""The schedule for whole problems, with many goals: which searches take turns, and why."""

from __future__ import annotations

from widthwise import _native
from widthwise.core.model import Model
from widthwise.planners.schedule import BestFirstTurns, Entry, FlatTurns, Schedule


def whole_problem() -> Schedule:
    """Searches for a goal of many atoms: the cheap and incomplete first, complete ones until the budget ends."""
    return Schedule(
        (
            Entry("IW(1)", "costs next to nothing, and some tasks need no more", _iw1, _flat_work, turns=1),
            Entry("k-BFWS(1)", "keeps only states with a new atom: quick, and often enough", _kbfws, _bfws_work(1)),
            Entry("BFWS(f5)", "novelty first, then open goals: complete", _bfws, _bfws_work(2), complete=True),
        )
    )


def _iw1(model: Model) -> FlatTurns:
    return FlatTurns(model.search(1))


def _kbfws(model: Model) -> BestFirstTurns:
    return BestFirstTurns(
        _native.Bfws(model.operators, model.meter, model.goal_pos, model.goal_neg, width=1, prune=True)
    )


def _bfws(model: Model) -> BestFirstTurns:
    return BestFirstTurns(_native.Bfws(model.operators, model.meter, model.goal_pos, model.goal_neg, width=2))


def _flat_work(model: Model) -> int:
    return 100 + model.atom_count // 32


def _bfws_work(width: int):
    def work(model: Model) -> int:
        return (500 if width == 1 else 2000) + model.atom_count * width // 4

    return work
