"""The schedule for whole problems, with many goals: which searches take turns, and why.

Best-first width search solves most problems and gets the largest share. Greedy search solves many others, including
large problems with many goals that do not interfere; guided search, random walks and backward search solve problems
with many dead ends. Searches that end soon run once, before the others.
"""

from __future__ import annotations

from widthwise.portfolio.schedule import Schedule, Turn
from widthwise.task_search.backward import Backward
from widthwise.task_search.bfws import BFWS, GBFS
from widthwise.task_search.guided import Guided
from widthwise.task_search.iw import IW
from widthwise.task_search.siw import SIW
from widthwise.task_search.walks import Walks

ROUND = 250_000  # nodes of the first round, of the usual kind: about a quarter of a second
GROWTH = 2  # the factor between the sizes of successive rounds

TURNS = (
    Turn(IW(1), 0.04, "very cheap, and sufficient for some tasks", rounds=1),
    Turn(BFWS("k1"), 0.2, "keeps only states with a new atom: ends soon, often with a plan", rounds=1),
    Turn(SIW(2), 0.1, "one goal after another: the fastest search if goals do not interfere", rounds=1),
    # These wait, because their plans are longer: easy tasks are solved before. Then they come first, because rounds
    # grow and the last search of the last round may not get its share.
    Turn(Backward(BFWS("k2")), 0.08, "searches from the goal and so avoids dead ends", waits=1),
    Turn(Guided(), 0.04, "expands few states with care: for small tasks with many dead ends", waits=1),
    Turn(Walks(), 0.12, "random walks: fast, but the plans are long", waits=2, endless=True),
    Turn(BFWS(), 0.46, "expands the most novel states first; complete"),
    Turn(GBFS(), 0.3, "follows relaxed plans and landmarks where novelty is misleading"),
)


def whole_problem() -> Schedule:
    """Searches for a goal of many atoms: cheap ones that prune first, complete ones until the budget ends."""
    return Schedule(TURNS, ROUND, GROWTH, weighed=True)
