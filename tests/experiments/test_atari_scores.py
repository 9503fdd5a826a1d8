"""Scores in Atari games beside published ones: the figures of the reports."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from places import ROOT
from widthwise.simulators.atari_games import PAPER_GAMES, ale_name

sys.path.insert(0, str(ROOT / "benchmarks"))

from atari_scores import (
    above,
    human_normalised,
    interquartile_interval,
    interquartile_mean,
    interval_over_games,
    published,
)


def test_all_games_of_the_paper_have_scores() -> None:
    for game in map(ale_name, PAPER_GAMES):
        assert human_normalised(game, 0.0) < human_normalised(game, 1.0)
        assert published(game, "pi-iw") is not None
    assert human_normalised("breakout", 1.7) == 0 and human_normalised("breakout", 30.5) == 1
    assert published("montezuma_revenge", "pi-hiw") == pytest.approx(5276, abs=1)
    assert published("freeway", "pi-iw") is None


def test_the_interquartile_mean() -> None:
    for size in (1, 2, 3, 4, 7, 8, 30):
        values = np.array([random.Random(size).random() for _ in range(size)])
        fine = np.sort(np.repeat(values, 4))  # a quarter of these is a whole number of values
        assert interquartile_mean(values) == pytest.approx(fine[size : 3 * size].mean())


def test_an_interval_needs_several_runs() -> None:
    single = interquartile_interval({"breakout": [30.5], "pong": [14.6]})
    assert single.mean == single.low == single.high == 1
    several = interquartile_interval({"breakout": [1.7, 30.5, 59.3], "pong": [14.6]})
    assert several.low < several.mean < several.high
    assert str(single) == "1.00 (1.00 to 1.00)"


def test_an_interval_over_games() -> None:
    equal = interval_over_games({"breakout": 30.5, "pong": 14.6})
    assert equal.mean == equal.low == equal.high == pytest.approx(1)
    differing = interval_over_games({"breakout": 59.3, "pong": 14.6, "freeway": 0.0})
    assert differing.low < differing.mean < differing.high


def test_games_above_the_paper() -> None:
    scores = {"montezuma_revenge": [0.0, 20_000.0], "breakout": [0.0], "freeway": [100.0], "venture": []}
    assert above(scores, "pi-hiw") == (1, 2)
