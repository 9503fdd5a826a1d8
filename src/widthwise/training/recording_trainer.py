"""A trainer as a training run drives it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from widthwise.core.simulator import Simulator
from widthwise.learning.updater import Losses, TrainingDivergedError
from widthwise.simulators.chance import Chance
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.evaluation import EvaluationEpisode
from widthwise.training.run import Record
from widthwise.training.run_settings import RunSettings
from widthwise.training.stoppable import EvaluationStopped, StoppableSimulator
from widthwise.training.trainer import Trainer

_DIVERGED = "training diverged: the network gives no numbers any more; take a smaller learning rate"


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
        try:
            ended = self.trainer.round()
        except ValueError as error:
            self._diagnose(error)
            raise
        return [
            {
                "tree": episode.tree,
                "interactions": episode.total_interactions,
                "score": episode.score,
                "steps": episode.steps,
                "episode_interactions": episode.interactions,
                "updates": episode.updates,
                **({} if episode.losses is None else _loss_figures(episode.losses)),
            }
            for episode in ended
        ]

    def _diagnose(self, error: ValueError) -> None:
        """Raise `TrainingDivergedError` if the error comes from probabilities that are not finite."""
        if "finite" not in str(error):
            return
        rewards = (reward for player in self.trainer.players for reward in player.agent.driver.tree.reward)
        if not all(map(math.isfinite, rewards)):
            raise TrainingDivergedError(
                "training diverged: the simulator returned a reward that is not finite"
            ) from None
        raise TrainingDivergedError(_DIVERGED) from None

    def figures(self) -> dict[str, float]:
        """The figures of learning now."""
        losses = self.trainer.losses
        figures: dict[str, float] = {"updates": self.trainer.updater.updates}
        if losses is None:
            return figures
        return {
            **figures,
            "loss": losses.policy + losses.value,
            **_loss_figures(losses),
        }

    def rewarded(self) -> bool:
        """Whether one of the episodes that are remembered had a reward other than 0."""
        return self.trainer.rewarded()

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        """Some episodes of the network alone, and some of planner and network, with seeds of their own."""
        settings, first = self.settings, 1_000_000 + 1000 * number
        world = StoppableSimulator(self.simulator, stop, settings.evaluation_steps)
        try:
            alone = self.trainer.evaluate_network(world, episodes=settings.network_episodes, seed=first)
            planner_episodes = settings.planner_episodes if planner else 0
            planned = self.trainer.evaluate_planner(world, episodes=planner_episodes, seed=first)
        except EvaluationStopped:
            return None
        except ValueError as error:
            self._diagnose(error)
            raise
        without, with_planner = (sum(episode.interactions for episode in episodes) for episodes in (alone, planned))
        spent = {"evaluation_interactions": without + with_planner, "planner_interactions": with_planner}
        return {**_means("network", alone), **_means("planner", planned), **spent}

    def state(self) -> Any:
        """The complete state of the training; refuses values that are not finite."""
        if not self.trainer.updater.finite():
            raise TrainingDivergedError(_DIVERGED)
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


def _means(who: str, episodes: Sequence[EvaluationEpisode]) -> Record:
    """The figures of some evaluation episodes."""
    if not episodes:
        return {}
    return {
        f"{who}_score": fmean(episode.score for episode in episodes),
        f"{who}_steps": fmean(episode.steps for episode in episodes),
        f"{who}_scores": [episode.score for episode in episodes],
    }
