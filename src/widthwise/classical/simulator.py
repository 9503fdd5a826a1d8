"""A PDDL task as a simulator: its operators are the actions, its states are observed atom by atom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from widthwise.classical.task import Task

Reward = Literal["goal", "cost"]


class TaskSimulator:
    """A PDDL task as a simulator.

    Action number `n` is the task's operator `n`; where it does not apply, nothing happens, and
    `info["applies"]` is False. An observation is an array with a one for every atom that holds. The episode
    ends at the goal, or after `limit` steps. The reward is 1 at the goal, or with `reward="cost"` minus the
    cost of each operator.
    """

    deterministic = True

    def __init__(self, task: Task, *, limit: int | None = None, reward: Reward = "goal") -> None:
        if reward not in ("goal", "cost"):
            raise UsageError(f"reward={reward!r} is unknown; use 'goal' or 'cost'")
        if not task.native.operator_count:
            raise UsageError(f"{task.name} has no applicable operators, so no action can be taken in it")
        self.task, self.limit, self.reward = task, limit, reward
        self.actions = task.native.operator_count
        self._costs = task.native.cost
        self._state, self._steps, self._over = task.init, 0, False

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the operators."""
        return tuple(self.task.operators)

    @property
    def applicable(self) -> list[int]:
        """The actions that do something now."""
        return self.task.applicable(self._state)

    @property
    def atoms(self) -> list[str]:
        """The atoms that hold now."""
        names = self.task.atoms
        return [names[atom] for atom in self._state.atoms()]

    def reset(self, seed: int | None = None) -> Step:
        """Begin at the initial state; nothing is random, so the seed does not matter."""
        self._state, self._steps = self.task.init, 0
        return self._show(0.0, applies=True)

    def step(self, action: int) -> Step:
        """Apply the operator, if it applies."""
        if self._over:
            raise UsageError("the episode is over; reset the simulator or load a snapshot")
        if not 0 <= action < self.actions:
            raise UsageError(f"this task has the actions 0 to {self.actions - 1}, not {action}")
        self._steps += 1
        applies = self._applies(action)
        cost = 0.0
        if applies:
            self._state = self.task.apply(self._state, action)
            cost = self._costs[action]
        return self._show(-cost if self.reward == "cost" else None, applies)

    def _applies(self, op: int) -> bool:
        native, state = self.task.native, self._state
        return all(atom in state for atom in native.pre_pos(op)) and not any(
            atom in state for atom in native.pre_neg(op)
        )

    def _show(self, reward: float | None, applies: bool) -> Step:
        reached = self.task.is_goal(self._state)
        late = not reached and self.limit is not None and self._steps >= self.limit
        self._over = reached or late
        earned = float(reached) if reward is None else reward
        return Step(self._observe(), earned, reached, late, {"applies": applies})

    def _observe(self) -> npt.NDArray[np.uint8]:
        import numpy as np

        seen = np.zeros(self.task.native.atom_count, np.uint8)
        seen[self._state.atoms()] = 1
        return seen

    def save(self) -> tuple[Any, ...]:
        """A snapshot: the atoms that hold, and the counter."""
        return tuple(self._state.atoms()), self._steps, self._over

    def load(self, snapshot: tuple[Any, ...]) -> None:
        """Return to a snapshot."""
        atoms, self._steps, self._over = snapshot
        self._state = self.task.state(atoms)
