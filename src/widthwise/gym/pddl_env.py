"""A PDDL task as a Gymnasium environment, with action masks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from widthwise.classical.load import load
from widthwise.classical.simulator import Reward, TaskSimulator
from widthwise.classical.task import Task
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step

Atoms = npt.NDArray[np.int8]


class PDDLEnv(gymnasium.Env[Atoms, np.int64]):
    """A PDDL task as an environment, `widthwise/PDDL-v0`.

    An observation has a one for every atom that holds. Action `n` is the operator `action_names[n]`; where it does not
    apply, nothing happens. `info["action_mask"]` has a one for every action that applies, and `action_masks()` returns
    the same as booleans, for maskable agents. An episode ends at the goal, or in a state in which no action applies.
    It has no limit of steps: give `max_episode_steps` to `gymnasium.make`.

    Args:
        domain: The file of the domain.
        problem: The file of the problem.
        task: A task, instead of the two files.
        reward: `goal`: 1 at the goal, otherwise 0. `cost`: minus the cost of every operator that is applied.
        render_mode: `ansi` renders the atoms that hold as text; None renders nothing.

    Raises:
        InputError: A file cannot be read or has a mistake.
        UsageError: The arguments do not fit each other, or the task has no operators.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        domain: str | Path | None = None,
        problem: str | Path | None = None,
        *,
        task: Task | None = None,
        reward: Reward = "goal",
        render_mode: str | None = None,
    ) -> None:
        if task is None:
            if domain is None or problem is None:
                raise UsageError("widthwise/PDDL-v0 needs domain=FILE and problem=FILE, or task=TASK")
            task = load(domain, problem)
        elif domain is not None or problem is not None:
            raise UsageError("widthwise/PDDL-v0 takes domain and problem, or task, not both")
        if render_mode not in (None, "ansi"):
            raise UsageError(f"render_mode={render_mode!r} is unknown: take 'ansi' or None")
        self.task = task
        self.render_mode = render_mode
        self._simulator = TaskSimulator(task, reward=reward)
        self.action_names = self._simulator.action_names
        self.action_space: Any = gymnasium.spaces.Discrete(self._simulator.actions)
        self.observation_space: Any = gymnasium.spaces.MultiBinary(task.native.atom_count)
        self._mask: Atoms | None = None  # of the current state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Atoms, dict[str, Any]]:
        """Begin at the initial state.

        Args:
            seed: Seeds the generator of the environment, which the task does not use.
            options: Not used.

        Returns:
            The observation and the info.
        """
        super().reset(seed=seed)
        observation, _, _, _, info = self._shown(self._simulator.reset(seed))
        return observation, info

    def step(self, action: np.int64) -> tuple[Atoms, float, bool, bool, dict[str, Any]]:
        """Apply the operator with this number, if it applies.

        Args:
            action: The number of the operator.

        Returns:
            The observation, the reward, whether the episode ended, False, and the info.
        """
        return self._shown(self._simulator.step(int(action)))

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions apply in the current state, as `sb3_contrib` asks for it."""
        if self._mask is None:
            self._mask = np.zeros(self._simulator.actions, np.int8)
            self._mask[self._simulator.applicable] = 1
        return self._mask.astype(bool)

    def render(self) -> str | None:
        """The atoms that hold, one on each line, if the render mode is `ansi`."""
        return None if self.render_mode is None else "\n".join(self._simulator.atoms)

    def save(self) -> Any:
        """A snapshot, for planners."""
        return self._simulator.save()

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""
        self._simulator.load(snapshot)
        self._mask = None

    def _shown(self, step: Step) -> tuple[Atoms, float, bool, bool, dict[str, Any]]:
        self._mask = None
        mask = self.action_masks()
        info = {"action_mask": mask.astype(np.int8), "applies": step.info["applies"], "goal": step.terminated}
        observation: Atoms = step.observation.astype(np.int8)
        return observation, step.reward, step.terminated or not mask.any(), False, info
