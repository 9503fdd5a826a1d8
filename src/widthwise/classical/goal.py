"""A goal of a task, as numbers of atoms and as the PDDL it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from widthwise.classical.pddl.syntax import Condition
from widthwise.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: the atoms that have to be true and those that have to be false.

    Args:
        name: The goal as PDDL.
        positive: The numbers of the atoms that have to be true.
        negative: The numbers of the atoms that have to be false.
        reachable: False if it cannot be reached even if delete effects are ignored.
        condition: The goal as it was read, which the validator checks. Without it, the validator checks the atoms.

    Example:
        >>> [goal.name for goal in ww.example("corridor", length=2).goals]
        ['(at p0)', '(have-key)']
    """

    name: str
    positive: tuple[int, ...]
    negative: tuple[int, ...] = ()
    reachable: bool = True
    condition: Condition | None = field(default=None, repr=False, compare=False)


def goal_text(goal: str | Sequence[str]) -> str:
    """A goal in PDDL from a text or several texts."""
    if isinstance(goal, str):
        return goal
    parts = list(goal) if isinstance(goal, Sequence) else [goal]
    wrong = next((part for part in parts if not isinstance(part, str)), None)
    if wrong is not None or not parts:
        raise UsageError(f"a goal must be PDDL such as '(on a b)', or a list of such strings, not {goal!r:.60}")
    return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
