"""What a training run drives: a trainer, and an evaluator that runs in parallel with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from widthwise.training.transport import ActorLost

Record = dict[str, Any]


class RunTrainer(Protocol):
    """What a run drives: something that learns by acting, and whose whole state is plain data."""

    @property
    def interactions(self) -> int:
        """Simulator steps so far."""
        ...

    def advance(self) -> list[Record]:
        """Execute an action, or a few, in every tree and learn; the episodes that ended with it."""
        ...

    def figures(self) -> Mapping[str, float]:
        """The figures of learning now: losses, updates."""
        ...

    def preparing(self) -> bool:
        """Whether something comes before the first episode, so that nothing is learned yet."""
        ...

    def demonstrated(self) -> bool:
        """Whether there is a demonstration, and be it one of a search that continues."""
        ...

    def rehearsing(self) -> bool:
        """Whether updates on a demonstration are to be made, which take no interactions."""
        ...

    def rewarded(self) -> bool:
        """Whether one of the episodes that are remembered had a reward other than 0."""
        ...

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        """How good the network is, alone and (with `planner`) with the planner; None if `stop` returned True.

        The same number at the same state always gives the same record, and the state does not change. The record has
        the simulator steps that it took as `evaluation_interactions`.
        """
        ...

    @property
    def stop_asked(self) -> bool:
        """Whether an actor was asked to end, so that the run has to."""
        ...

    def state(self) -> Any:
        """All that the future depends on, as plain data."""
        ...

    def restore(self, state: Any) -> None:
        """Go back to a state."""
        ...

    def policy(self) -> Any:
        """What acting needs of the state."""
        ...

    def settle(self) -> list[Record]:
        """Make ready for `state`; the episodes that have ended with it."""
        ...

    def recover(self, error: ActorLost) -> bool:
        """Replace an actor that was lost; whether the run has to go back to its last checkpoint."""
        ...

    def summary(self) -> Mapping[str, Any]:
        """What the result of the run says about actors and time."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


class Beside(Protocol):
    """Evaluates in parallel with training, one evaluation at a time."""

    def wanted(self, seconds: float) -> bool:
        """Whether evaluations are to be made in parallel with training; `seconds`: how long the last one took."""
        ...

    def start(self, number: int, planner: bool, policy: Any) -> None:
        """Begin an evaluation of a policy."""
        ...

    def record(self, wait: bool) -> Record | None:
        """The record of the evaluation, if there is one by now; with `wait`, some time is waited for it."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...


@dataclass(slots=True)
class PendingEvaluation:
    """An evaluation in parallel with training, of the policy as it was after a number of interactions."""

    number: int
    interactions: int
    planner: bool
    policy: Any

    def describe(self) -> Record:
        """For a checkpoint."""
        return {
            "number": self.number,
            "interactions": self.interactions,
            "planner": self.planner,
            "policy": self.policy,
        }


def merit(record: Record) -> tuple[float, float]:
    """The rank of an evaluation: the mean score of the network alone; of equal scores above 0, fewer steps.

    How long an episode lasts that earns nothing does not count. Of equal evaluations the later one is kept: its network
    has learned from more.
    """
    score, steps = record["network_score"], record["network_steps"]
    return score, -steps if score > 0 else 0.0
