"""The protocol of simulators: reset, step, save and load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(slots=True)
class Step:
    """What a simulator returns after a reset or an action.

    A planner stores the step with its node. After `load` a simulator is in the right state, but its screen may still
    show another one, so the observation is never read again.

    Args:
        observation: What the agent observes: an array, bytes, numbers, or a dictionary or tuple of these.
        reward: The reward of the action.
        terminated: Whether the episode ended.
        truncated: Whether a limit ended the episode.
        info: Further information by name.

    Example:
        >>> ww.Step(bytes([3]), reward=1.0, terminated=True).done
        True
    """

    observation: Any
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    info: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        shown = self.observation
        shape, kind = getattr(shown, "shape", None), getattr(shown, "dtype", None)
        text = f"{shown!r:.60}" if shape is None or kind is None else f"<{kind} array {'x'.join(map(str, shape))}>"
        parts = [f"observation={text}", f"reward={self.reward:g}"]
        parts += [f"{name}=True" for name in ("terminated", "truncated") if getattr(self, name)]
        parts += [f"info={self.info!r:.60}"] if self.info else []
        return f"Step({', '.join(parts)})"

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated


@runtime_checkable
class Simulator(Protocol):
    """The protocol of simulators: an environment whose state can be saved and loaded.

    `actions` is the number of actions, which are numbered from 0. `save` returns a snapshot, which is opaque and can be
    pickled, and changes nothing. After `load` the next `step` continues from the snapshot, step counters and random
    generators included. If `deterministic` is true, a snapshot and an action determine the step. `step` must not be
    called after the end of an episode. Any class with these attributes is a simulator; it need not inherit from this
    one.

    Example:
        >>> env = ww.simulator("corridor")
        >>> isinstance(env, ww.Simulator), env.actions
        (True, 5)
    """

    @property
    def actions(self) -> int:
        """The number of actions."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether a snapshot and an action determine the step."""
        ...

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode.

        Args:
            seed: The seed of the episode. Without it, the random generator continues.

        Returns:
            The first step.
        """
        ...

    def step(self, action: int) -> Step:
        """Execute an action.

        Args:
            action: A number from 0 to `actions - 1`.

        Returns:
            The step after it.
        """
        ...

    def save(self) -> Any:
        """A snapshot of everything that the next step depends on.

        Returns:
            The snapshot.
        """
        ...

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot, any number of times.

        Args:
            snapshot: What `save` returned.
        """
        ...
