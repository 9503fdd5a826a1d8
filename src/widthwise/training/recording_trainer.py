"""A trainer as a training run drives it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from widthwise.core.simulator import Simulator
from widthwise.learning.updater import Losses, TrainingDivergedError
from widthwise.simulators.chance import Chance
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.divergence import DIVERGED, diagnosed
from widthwise.training.ended_episode import EndedEpisode
from widthwise.training.evaluation_record import evaluation_record
from widthwise.training.run_settings import RunSettings
from widthwise.training.run_trainer import Record
from widthwise.training.trainer import Trainer
from widthwise.training.transport import ActorLost


class RecordingTrainer:
    """A trainer as a run drives it: its episodes as records, and its evaluation."""

    def __init__(self, trainer: Trainer, settings: RunSettings, simulator: Simulator) -> None:
        """`simulator` is for evaluations."""
        self.trainer, self.settings, self.simulator = trainer, settings, simulator

    @property
    def interactions(self) -> int:
        """Simulator steps so far."""
        return self.trainer.interactions

    @property
    def finding(self) -> Chance:
        """What the check for chance has found."""
        return self.trainer.finding

    @property
    def chance(self) -> str | None:
        """How steps that depend on chance are dealt with; None where there are none."""
        return self.trainer.chance if self.trainer.finding.stochastic else None

    def advance(self) -> list[Record]:
        """An executed action, or a few, in every tree; the episodes that ended."""
        with diagnosed(self.trainer):
            return _records(self.trainer.round())

    def settle(self) -> list[Record]:
        """Make ready for `state`; the episodes that have ended with it."""
        return _records(self.trainer.settle())

    @property
    def stop_asked(self) -> bool:
        """Whether an actor was asked to end."""
        return self.trainer.stop_asked

    def recover(self, error: ActorLost) -> bool:
        """Replace an actor that was lost; whether the run has to go back to its last checkpoint."""
        return self.trainer.recover(error)

    def summary(self) -> dict[str, Any]:
        """What the result of the run says about actors, memory and time."""
        replay, actions = self.trainer.replay, self.trainer.updater.network.actions
        sizes = {"replay_bytes": replay.nbytes(), "replay_bytes_at_most": replay.most_bytes(actions)}
        return {**sizes, **self.trainer.summary()}

    def close(self) -> None:
        """End all actors."""
        self.trainer.close()

    def figures(self) -> dict[str, float]:
        """The figures of learning now."""
        losses = self.trainer.losses
        figures: dict[str, float] = {"updates": self.trainer.updater.updates, **self.trainer.figures()}
        if losses is None:
            return figures
        return {
            **figures,
            "loss": losses.policy + losses.value,
            **_loss_figures(losses),
        }

    def preparing(self) -> bool:
        """Whether something comes before the first episode."""
        return self.trainer.preparing()

    def rehearsing(self) -> bool:
        """Whether updates on a demonstration are to be made."""
        return self.trainer.demonstration is not None and self.trainer.demonstration.rehearsing()

    def demonstrated(self) -> bool:
        """Whether there is a demonstration, and be it one of a search that continues."""
        return self.trainer.demonstration is not None and bool(self.trainer.demonstration.actions)

    def rewarded(self) -> bool:
        """Whether one of the episodes that are remembered had a reward other than 0."""
        return self.trainer.rewarded()

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        """Some episodes of the network alone, and some of planner and network, with their own seeds."""
        return evaluation_record(self.trainer, self.settings, self.simulator, number, stop=stop, planner=planner)

    def state(self) -> Any:
        """The complete state of the training; refuses values that are not finite."""
        if not self.trainer.updater.finite():
            raise TrainingDivergedError(DIVERGED)
        return self.trainer.state()

    def restore(self, state: Any) -> None:
        """Go back to a state; raises `Mismatch` if it cannot be one of this trainer."""
        check_trainer(state, self.trainer)
        self.trainer.restore(state)

    def policy(self) -> Any:
        """What acting needs of the state."""
        return self.trainer.updater.state()


def _loss_figures(losses: Losses) -> dict[str, float]:
    """The losses of an update under the names that they have in records."""
    return {f"{name}_loss": loss for name, loss in asdict(losses).items()}


def _records(ended: Sequence[EndedEpisode]) -> list[Record]:
    """Episodes as lines have them."""
    return [
        {
            **({} if episode.actor is None else {"actor": episode.actor}),
            "tree": episode.tree,
            "interactions": episode.total_interactions,
            "score": episode.score,
            "steps": episode.steps,
            **({"start": episode.start} if episode.start else {}),
            "episode_interactions": episode.interactions,
            "updates": episode.updates,
            **({} if episode.lag is None else {"lag": episode.lag, "oldest_lag": episode.oldest_lag}),
            **({} if episode.losses is None else _loss_figures(episode.losses)),
        }
        for episode in ended
    ]
