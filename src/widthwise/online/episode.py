"""The records of an episode: one for each executed action, and the episode as a whole."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from widthwise.core import notebook
from widthwise.core.showing import counted
from widthwise.online.values import LookAhead

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner

#: What to try after an episode without a score.
NO_SCORE = (
    "the score is 0: try a larger budget, OnlinePlanner(..., budget=Budget(steps=..., nodes=...)), another planner, "
    "HIW with other features, or other features=... of the lowest level (docs/guide/choosing.md)"
)


@dataclass(slots=True)
class StepRecord:
    """One executed action, with the state of the search when it was chosen.

    Args:
        action: The action.
        reward: The reward it received.
        look_ahead: The value of each action in the tree.
        behaviour: The probability with which each action was chosen.
        target: The policy that a network learns from this step.
        nodes: The nodes of the tree when the action was chosen.
        kept: The nodes of the subtree that was kept.
        high_level_states: The different high-level states, for each level above the lowest.
        interactions: The simulator steps spent on this action.
        restores: The restored simulator states.
        luck: The seed of the executed step, with `chance="reseed"`.
        as_planned: Whether the executed step had the planned outcome, with `chance="reseed"`.

    Example:
        >>> agent = ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=2)
        >>> [record.action for record in agent.run(seed=0).records] == agent.run(seed=0).actions
        True
    """

    action: int
    reward: float
    look_ahead: LookAhead
    behaviour: list[float]
    target: list[float]
    nodes: int
    kept: int
    high_level_states: list[int]
    interactions: int
    restores: int
    luck: int | None = None
    as_planned: bool | None = None


@dataclass(slots=True)
class Episode:
    """One episode, from reset to its end.

    Args:
        actions: The executed actions.
        rewards: Their rewards.
        records: The state of the search at each action.
        interactions: The simulator steps, those of planning included.
        restores: The restored simulator states.
        seconds: How long the episode took.
        terminated: Whether the environment ended it, with a terminal state or by its time limit.
        interrupted: Whether it was interrupted.
        origin: The agent and the seed, with which `explore` plays the episode again. A copy has none.

    Example:
        >>> episode = ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=3).run(seed=0)
        >>> episode.steps, len(episode.rewards)
        (3, 3)
    """

    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    records: list[StepRecord] = field(default_factory=list)
    interactions: int = 0
    restores: int = 0
    seconds: float = 0.0
    terminated: bool = False
    interrupted: bool = False
    origin: tuple[OnlinePlanner, int] | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "origin"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.origin = None  # the agent stays in its process
        for name, value in state.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        ended = self._ended()
        counts = f"{counted(self.steps, 'step')}, {counted(self.interactions, 'interaction')}"
        return f"<Episode {ended}: score {self.score:g}, {counts}>"

    def __str__(self) -> str:
        return repr(self) if self.advice is None else f"{self!r}\n{self.advice}"

    def _ended(self) -> str:
        return "interrupted" if self.interrupted else "ended" if self.terminated else "not ended"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("status", self._ended()),
            ("score", f"{self.score:g}"),
            ("steps", f"{self.steps:,}"),
            ("interactions", f"{self.interactions:,}"),
            ("restores", f"{self.restores:,}"),
            ("seconds", f"{self.seconds:.3f}"),
        ]
        if self.advice is not None:
            rows.append(("advice", self.advice))
        pairs = zip(self.actions, self.rewards, strict=True)
        steps = [f"action {action}, reward {reward:g}" for action, reward in pairs]
        return notebook.table("Episode", [*rows, ("actions", notebook.listing(counted(self.steps, "action"), steps))])

    @property
    def advice(self) -> str | None:
        """What to try next if the episode ended with the score 0; None otherwise."""
        return NO_SCORE if self.terminated and self.steps and self.score == 0 else None

    @property
    def score(self) -> float:
        """The sum of rewards."""
        return sum(self.rewards)

    @property
    def steps(self) -> int:
        """How many actions were executed."""
        return len(self.actions)

    def describe(self) -> dict[str, Any]:
        """The episode as plain numbers and lists, ready to be written as JSON; the records come last."""
        numbers = {"score": self.score, "steps": self.steps, **asdict(replace(self, origin=None))}
        del numbers["origin"]
        return {**{name: value for name, value in numbers.items() if name != "records"}, "records": numbers["records"]}
