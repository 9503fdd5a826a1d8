"""What a planner expects of a simulator: reset, step, save and load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(slots=True)
class Step:
    """What a simulator shows after a reset or an action.

    A planner keeps it with the node it belongs to: after `load` a simulator is in the right state, but
    its screen may still be the old one, so nothing is ever read again.
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
        """Whether the episode is over, for whatever reason."""
        return self.terminated or self.truncated


@runtime_checkable
class Simulator(Protocol):
    """A world that can be saved and loaded.

    `save` takes a snapshot, opaque and picklable, and changes nothing. After `load` the next `step`
    continues as if nothing had happened since that snapshot was taken, step counters and random
    generators included. Where `deterministic` is true, the same snapshot and action always give the
    same step, whatever happened in between. `actions` is the number of actions: 0, 1, … actions - 1.
    `step` after the end of an episode is a mistake of the caller.
    """

    @property
    def actions(self) -> int:
        """The number of actions."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether a snapshot and an action decide the step."""
        ...

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode; without a seed the random generator of the world goes on."""
        ...

    def step(self, action: int) -> Step:
        """Do the action."""
        ...

    def save(self) -> Any:
        """A snapshot of everything the next step depends on."""
        ...

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot; it may be loaded any number of times."""
        ...
