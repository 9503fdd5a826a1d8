"""Relevance: the part of a grounded task that can matter for a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from widthwise import _native


@dataclass(frozen=True, slots=True)
class Restricted:
    """A task cut down to what matters for a goal, and where its parts come from.

    `atoms` and `operators` hold, for every atom and operator of `task`, its number in the task it was cut
    from; both ascend. `bytes` is what the task takes.
    """

    task: _native.GroundedTask
    atoms: list[int]
    operators: list[int]
    bytes: int


def restrict(
    task: _native.GroundedTask,
    goal_pos: Sequence[int],
    goal_neg: Sequence[int] = (),
    meter: _native.Meter | None = None,
) -> Restricted:
    """Cut a task down to the atoms and operators that can matter for a goal, which becomes its goal.

    A backward fixpoint: an operator matters if it can add an atom that is wanted true or delete one that is
    wanted false; then its preconditions are wanted, and so are the conditions of its helpful conditional
    effects, while those of its harmful ones are wanted to fail. Axioms pass on what is wanted of their heads.
    The goal has a plan in the restricted task exactly if it has one in the whole task, and every plan of the
    restricted task is a plan of the whole. A meter stays charged with the restricted task's bytes.
    """
    return Restricted(*_native.restrict(task, goal_pos, goal_neg, meter))
