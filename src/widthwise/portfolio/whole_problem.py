"""The schedule for whole problems, with many goals: which searches take turns, and why.

Best-first width search solves most problems and has most of the work. Greedy search solves many others, among them
large ones with many goals that do not disturb each other; guided search, random walks and backward search solve those
full of dead ends. What ends soon is tried once, before them.
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
GROWTH = 2  # how much larger each round is than the one before

TURNS = (
    Turn(IW(1), 0.04, "costs next to nothing, and some tasks need no more", rounds=1),
    Turn(BFWS("k1"), 0.2, "keeps only states with a new atom: it ends soon, often with a plan", rounds=1),
    Turn(SIW(2), 0.1, "one goal after another: where goals do not disturb each other, nothing is quicker", rounds=1),
    # These wait, because their plans are longer: easy tasks need not come to them. Then they come first, because
    # rounds grow, and whoever is last in the last round may not get its share.
    Turn(Backward(BFWS("k2")), 0.08, "from the goal: ways into dead ends do not lead back from it", waits=1),
    Turn(Guided(), 0.04, "looks at few states and closely: for small tasks with many dead ends", waits=1),
    Turn(Walks(), 0.12, "tries many ways and clings to none: quick, but its plans are long", waits=2, endless=True),
    Turn(BFWS(), 0.46, "the most novel states first; drops only repeats and dead ends, so it is complete"),
    Turn(GBFS(), 0.3, "follows relaxed plans and landmarks where novelty leads astray"),
)


def whole_problem() -> Schedule:
    """Searches for a goal of many atoms: cheap ones that prune first, complete ones until the budget ends."""
    return Schedule(TURNS, ROUND, GROWTH, weighed=True)
