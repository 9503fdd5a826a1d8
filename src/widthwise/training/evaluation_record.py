"""One evaluation of a trainer: episodes of the network alone and of the planner with the network, as a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from widthwise.core.simulator import Simulator
from widthwise.training.divergence import diagnosed
from widthwise.training.evaluation import EvaluationEpisode
from widthwise.training.run_settings import RunSettings
from widthwise.training.stoppable import EvaluationStopped, StoppableSimulator

if TYPE_CHECKING:
    from widthwise.training.trainer import Trainer

#: The most steps of an evaluation episode if no number is given: not every environment ends its episodes.
MOST_STEPS = 10_000


def evaluation_record(
    trainer: Trainer,
    settings: RunSettings,
    simulator: Simulator,
    number: int,
    *,
    stop: Callable[[], bool] = lambda: False,
    planner: bool = True,
) -> dict[str, Any] | None:
    """Some episodes of the network alone, and some of planner and network, with their own seeds.

    Args:
        trainer: has the network.
        settings: how many episodes there are, and how long.
        simulator: is not used for training.
        number: the number of the evaluation, which determines its seeds.
        stop: ends the evaluation when it returns True.
        planner: whether there are episodes with the planner.

    Returns:
        The figures, with `cut_episodes` if `MOST_STEPS` has ended episodes; None if `stop` has ended the evaluation.

    Raises:
        TrainingDivergedError: the network gives no numbers any more.
    """
    first = 1_000_000 + 1000 * number
    limit = MOST_STEPS if settings.evaluation_steps is None else settings.evaluation_steps
    world = StoppableSimulator(simulator, stop, limit)
    try:
        with diagnosed(trainer):
            alone = trainer.evaluate_network(world, episodes=settings.network_episodes, seed=first)
            planner_episodes = settings.planner_episodes if planner else 0
            planned = trainer.evaluate_planner(world, episodes=planner_episodes, seed=first)
    except EvaluationStopped:
        return None
    without, with_planner = (sum(episode.interactions for episode in episodes) for episodes in (alone, planned))
    spent = {"evaluation_interactions": without + with_planner, "planner_interactions": with_planner}
    cut = 0 if settings.evaluation_steps is not None else sum(episode.steps >= limit for episode in (*alone, *planned))
    return {
        **_means("network", alone),
        **_means("planner", planned),
        **spent,
        **({"cut_episodes": cut, "cut_after": limit} if cut else {}),
    }


def _means(who: str, episodes: Sequence[EvaluationEpisode]) -> dict[str, Any]:
    """The figures of some evaluation episodes."""
    if not episodes:
        return {}
    return {
        f"{who}_score": fmean(episode.score for episode in episodes),
        f"{who}_steps": fmean(episode.steps for episode in episodes),
        f"{who}_scores": [episode.score for episode in episodes],
    }
