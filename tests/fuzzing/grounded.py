"""The grounded task by the plainest semantics, as a second opinion on plans and on `unsolvable`."""

from __future__ import annotations

from collections.abc import Sequence

from strategies import Spec
from widthwise.classical.task import Task

State = frozenset[int]


class Grounded:
    """A task whose operators are found by name; the semantics are those of `strategies.Spec`."""

    def __init__(self, task: Task) -> None:
        self.spec = Spec.of(task.native)
        self.reachable_goal = task.goal.reachable
        self.numbers: dict[str, list[int]] = {}
        for number, name in enumerate(task.operators):
            self.numbers.setdefault(name, []).append(number)

    def applies(self, state: State, number: int) -> bool:
        """Whether the precondition of an operator holds."""
        op = self.spec.ops[number]
        return bool(op.pos <= state and not op.neg & state)

    def judge(self, steps: Sequence[str]) -> bool:
        """Whether a plan of known operators is executable and reaches the goal."""
        state = self.spec.start()
        for step in steps:
            # Operators of one name differ in parameters that are not shown, and not in what they do.
            usable = [number for number in self.numbers.get(step, ()) if self.applies(state, number)]
            if not usable:
                return False
            state = self.spec.apply(state, usable[0])
        return bool(self.reachable_goal and self.spec.is_goal(state))

    def has_plan(self, limit: int) -> bool | None:
        """Whether some reachable state is a goal state; None where there are more than `limit` states."""
        if not self.reachable_goal:
            return False
        known, queue = {self.spec.start()}, [self.spec.start()]
        for state in queue:
            if self.spec.is_goal(state):
                return True
            for number in range(len(self.spec.ops)):
                if self.applies(state, number) and (after := self.spec.apply(state, number)) not in known:
                    if len(known) >= limit:
                        return None
                    known.add(after)
                    queue.append(after)
        return False
