"""A demonstration as something to learn from: when it is repeated, and its share of batches."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from widthwise.learning.input_format import Array, InputFormat
from widthwise.learning.replay_memory import EpisodeData, ReplayMemory, Sampling
from widthwise.training.rehearsal import repeats

pytestmark = pytest.mark.torch


def test_a_network_that_barely_prefers_the_actions_does_not_repeat_them() -> None:
    episode = EpisodeData(
        [(np.full(1, row, np.float32),) for row in range(2)], np.eye(2, dtype=np.float32), np.ones(2, np.float32)
    )
    clear, unclear = np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([[0.9, 0.1], [0.4, 0.6]])
    assert repeats(clear, episode) and not repeats(unclear, episode)


def test_equal_observations_with_different_actions_do_not_count() -> None:
    rows: list[tuple[Array, ...]] = [(np.full(1, value, np.float32),) for value in (1, 1, 2)]
    episode = EpisodeData(rows, np.eye(3, dtype=np.float32), np.ones(3, np.float32))
    assert repeats(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]]), episode)
    assert not repeats(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [1.0, 0, 0]]), episode)


def test_a_share_of_every_batch_is_from_the_demonstration() -> None:
    shape = InputFormat.of(np.zeros(1, np.float32))

    def data(value: float, count: int) -> EpisodeData:
        rows: list[tuple[Array, ...]] = [(np.full(1, value, np.float32),)] * count
        return EpisodeData(rows, np.ones((count, 2), np.float32), np.full(count, value, np.float32))

    memory = ReplayMemory(shape, 10, 8, 0, Sampling(demonstration_share=0.25))
    memory.demonstrate(data(5.0, 40))
    assert memory.usable() and memory.rewarded() and len(memory) == 0
    assert (memory.sample().returns == 5.0).all()
    memory.add(data(1.0, 4))
    memory.add(data(2.0, 9))  # the first one leaves; the demonstration stays
    returns = memory.sample().returns
    assert (returns == 5.0).sum() == 2 and (returns == 2.0).sum() == 6
    assert len(memory.state()["episodes"]) == 1
