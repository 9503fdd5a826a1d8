"""The protocol of simulators: reset, step, save and load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(slots=True)
class Step:
    """The result of a reset or an action.

    A planner stores it with the node: after `load` the state of a simulator is restored, but its screen may be stale,
    so the observation is never read again.
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
    """An environment whose state can be saved and loaded.

    `save` returns an opaque, picklable snapshot and does not change the state. `load` restores the state of the
    snapshot, including step counters and random generators. If `deterministic` is true, the same snapshot and action
    always give the same step. `actions` is the number of actions; actions are numbered from 0. `step` must not be
    called after the end of an episode.
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
        """Begin an episode; without a seed the random generator continues."""
        ...

    def step(self, action: int) -> Step:
        """Execute an action."""
        ...

    def save(self) -> Any:
        """A snapshot of the state."""
        ...

    def load(self, snapshot: Any) -> None:
        """Restore a snapshot; it may be restored any number of times."""
        ...
