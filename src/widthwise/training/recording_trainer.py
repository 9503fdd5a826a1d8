"""A trainer as a training run drives it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from widthwise.core.simulator import Simulator
from widthwise.learning.updater import TrainingDivergedError
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
                "tree": one.tree,
                "interactions": one.total_interactions,
                "score": one.score,
                "steps": one.steps,
                "episode_interactions": one.interactions,
                "updates": one.updates,
                **({} if one.losses is None else {f"{name}_loss": value for name, value in asdict(one.losses).items()}),
            }
            for one in ended
        ]

    def _diagnose(self, error: ValueError) -> None:
        """Raise `TrainingDivergedError` if the error comes from probabilities that are not finite."""
        if "finite" not in str(error):
            return
        rewards = (reward for one in self.trainer.players for reward in one.agent.driver.tree.reward)
        if not all(map(math.isfinite, rewards)):
            raise TrainingDivergedError(
                "training diverged: the simulator returned a reward that is not finite"
            ) from None
        raise TrainingDivergedError(_DIVERGED) from None

    def figures(self) -> dict[str, float]:
        """What there is to say of learning now."""
        losses = self.trainer.losses
        told: dict[str, float] = {"updates": self.trainer.updater.updates}
        if losses is None:
            return told
        return {
            **told,
            "loss": losses.policy + losses.value,
            **{f"{name}_loss": one for name, one in asdict(losses).items()},
        }

    def rewarded(self) -> bool:
        """Whether one of the episodes that are remembered had a reward other than 0."""
        return self.trainer.rewarded()

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        """Some episodes of the network alone, and some of planner and network, with seeds of their own."""
        told, first = self.settings, 1_000_000 + 1000 * number
        world = StoppableSimulator(self.simulator, stop, told.evaluation_steps)
        try:
            alone = self.trainer.evaluate_network(world, episodes=told.network_episodes, seed=first)
            planned = self.trainer.evaluate_planner(world, episodes=told.planner_episodes if planner else 0, seed=first)
        except EvaluationStopped:
            return None
        except ValueError as error:
            self._diagnose(error)
            raise
        without, with_planner = (sum(one.interactions for one in episodes) for episodes in (alone, planned))
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


def _means(who: str, episodes: Sequence[EvaluationEpisode]) -> Record:
    """The figures of some evaluation episodes."""
    if not episodes:
        return {}
    return {
        f"{who}_score": fmean(one.score for one in episodes),
        f"{who}_steps": fmean(one.steps for one in episodes),
        f"{who}_scores": [one.score for one in episodes],
    }
