"""Scores in Atari games compared with published ones: the paper's, and those of people and of random actions.

Scores of people and of random actions are those that are commonly used for human-normalised scores (Wang et al. 2016).
The interquartile mean with intervals from a stratified bootstrap is that of Agarwal et al. 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from widthwise.experiments.learning_suites import paper_scores
from widthwise.experiments.rows import read_table

#: Samples of the bootstrap, and the share of them that an interval contains.
SAMPLES, SHARE = 2_000, 0.95

Scores = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Interval:
    """A figure with the interval that the bootstrap gives."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.low:.2f} to {self.high:.2f})"


def published(game: str, algorithm: str) -> float | None:
    """The paper's score of an algorithm (pi-iw, pi-iw+ or pi-hiw) in a game; None if the table has none."""
    return paper_scores().get(f"atari:{game}", {}).get(algorithm)


def human_normalised(game: str, score: float) -> float:
    """A score on the scale where random actions have 0 and people 1."""
    least = random_score(game)
    return (score - least) / (float(_row(game)["human"]) - least)


def random_score(game: str) -> float:
    """The score of random actions in whole episodes."""
    return float(_row(game)["random"])


def _row(game: str) -> dict[str, str]:
    return next(line for line in read_table("human_atari.csv") if line["game"] == game)


def interquartile_mean(scores: npt.NDArray[np.float64]) -> float:
    """The mean without the lowest and the highest quarter; a score at the border counts in part.

    Example:
        >>> interquartile_mean(np.array([0.0, 1.0, 3.0, 100.0]))
        2.0
    """
    ordered = np.sort(scores, axis=None)
    cut = len(ordered) / 4
    places = np.arange(len(ordered))
    weights = np.clip(np.minimum(places + 1 - cut, len(ordered) - cut - places), 0.0, 1.0)
    return float(np.average(ordered, weights=weights))


def interquartile_interval(scores: Scores, seed: int = 0) -> Interval:
    """The interquartile mean of human-normalised scores over all games and runs.

    Args:
        scores: The scores of the runs by game. Samples are drawn within each game, so that they differ only if there
            are several runs.
        seed: Of the bootstrap.

    Returns:
        The mean and its interval.
    """
    games = [np.array([human_normalised(game, score) for score in runs]) for game, runs in scores.items() if runs]
    return _bootstrap(
        np.concatenate(games), lambda rng: np.concatenate([rng.choice(runs, len(runs)) for runs in games]), seed
    )


def interval_over_games(scores: Mapping[str, float], seed: int = 0) -> Interval:
    """The interquartile mean of human-normalised scores with one run per game, and how much it depends on the games.

    Args:
        scores: One score by game. There is one run of each, so the samples draw games and not runs.
        seed: Of the bootstrap.

    Returns:
        The mean and its interval.
    """
    normalised = np.array([human_normalised(game, score) for game, score in scores.items()])
    return _bootstrap(normalised, lambda rng: rng.choice(normalised, len(normalised)), seed)


def _bootstrap(
    scores: npt.NDArray[np.float64], sample: Callable[[np.random.Generator], npt.NDArray[np.float64]], seed: int
) -> Interval:
    rng = np.random.default_rng(seed)
    low, high = np.quantile(
        [interquartile_mean(sample(rng)) for _ in range(SAMPLES)], [(1 - SHARE) / 2, (1 + SHARE) / 2]
    )
    return Interval(interquartile_mean(scores), float(low), float(high))


def above(scores: Scores, algorithm: str) -> tuple[int, int]:
    """In how many games the mean score is above the paper's, and the number of games that both have played."""
    compared = [
        fmean(runs) > known
        for game, runs in scores.items()
        if runs and (known := published(game, algorithm)) is not None
    ]
    return sum(compared), len(compared)
