"""Losses and gradients without autograd against autograd: the same bits."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from learning_tools import walker  # noqa: E402
from widthwise.learning.errand import Errand  # noqa: E402
from widthwise.learning.input_format import InputFormat  # noqa: E402
from widthwise.learning.learning_settings import LearningSettings  # noqa: E402
from widthwise.learning.network import Network  # noqa: E402
from widthwise.learning.replay_memory import Batch  # noqa: E402
from widthwise.learning.support import Support  # noqa: E402
from widthwise.learning.updater import Updater  # noqa: E402


class Batches:
    """A memory that returns random batches of a network's input."""

    def __init__(self, network: Network, rows: int) -> None:
        self.network, self.rows = network, rows
        self.generator = torch.Generator().manual_seed(3)

    def sample(self, values: object = None) -> Batch:
        """A batch whose rows all count."""
        shape = (self.rows, *self.network.input_format.shape)
        if self.network.input_format.image:
            seen = torch.randint(0, 256, shape, generator=self.generator, dtype=torch.uint8)
        else:
            seen = torch.randn(shape, generator=self.generator)
        targets = torch.rand(self.rows, self.network.actions, generator=self.generator).softmax(1)
        returns = torch.rand(self.rows, generator=self.generator) * 2 - 1
        return Batch(seen.numpy(), targets.numpy(), returns.numpy(), np.ones(self.rows, np.float32))


@pytest.mark.parametrize(
    "input_format",
    [
        InputFormat((84, 84, 3), True),
        InputFormat((36, 44, 4), True),
        InputFormat((20, 20, 1), True),
        InputFormat((9,), False),
    ],
    ids=lambda value: "x".join(map(str, value.shape)),
)
@pytest.mark.parametrize("rows", [2, 32])
def test_updates_are_those_of_autograd_to_the_last_bit(input_format: InputFormat, rows: int) -> None:
    torch.set_num_threads(1)
    updaters = []
    for way in ("autograd", "direct", "on two threads"):
        network = Network(input_format, 5, Support(), 1)
        updater = Updater(network, LearningSettings(value_factor=0.3, clip=0.5))
        assert updater.direct is not None
        if way == "on two threads":
            updater.direct.use_second_thread()
        if way == "autograd":
            updater.direct = None
        memory = Batches(network, rows)
        losses = [updater.learn(memory, following) for following in (3, 2, 1, 0)]  # type: ignore[arg-type]
        updaters.append((updater, losses))
        if updater.direct is not None:
            updater.direct.close()
    (by_autograd, expected), *others = updaters
    assert len({loss.policy for loss in expected}) == 4
    weights = by_autograd.network.state_dict()
    for updater, losses in others:
        assert losses == expected
        assert all(torch.equal(weights[name], tensor) for name, tensor in updater.network.state_dict().items())
        assert all(map(torch.equal, by_autograd.optimiser.squares, updater.optimiser.squares))


def test_two_threads_draw_the_same_batches_and_none_more() -> None:
    torch.set_num_threads(1)
    trainers = [walker(patient=False) for _ in range(2)]
    for trainer in trainers:
        while trainer.updater.updates < 3:
            trainer.round()
    direct = trainers[1].updater.direct
    assert direct is not None
    direct.use_second_thread()
    for trainer in trainers:
        trainer.learn(7)
        trainer.learn(1)
    direct.close()
    first, second = (trainer.state() for trainer in trainers)
    assert first["replay"]["random"] == second["replay"]["random"]
    weights, others = first["learner"]["network"], second["learner"]["network"]
    assert all(torch.equal(weights[name], others[name]) for name in weights)


def test_a_batch_that_was_drawn_before_an_error_is_not_used_after_it() -> None:
    torch.set_num_threads(1)
    trainer = walker(patient=False)
    while trainer.updater.updates < 3:
        trainer.round()
    state = trainer.state()
    trainer.learn(3)
    expected = trainer.losses
    direct = trainer.updater.direct
    assert direct is not None
    direct.use_second_thread()
    trainer.restore(state)
    trainer.updater.learn(trainer.replay, 2)  # the next one is drawn, and never used
    trainer.restore(state)
    trainer.learn(3)
    direct.close()
    assert trainer.losses == expected


def test_a_call_that_no_thread_has_begun_is_made_where_its_result_is_needed() -> None:
    begun, ended, made = threading.Event(), threading.Event(), list[int]()

    def work() -> int:
        begun.set()
        ended.wait()
        return threading.get_ident()

    with ThreadPoolExecutor(1) as executor:
        busy = Errand(executor, work)
        begun.wait()
        late, dropped = Errand(executor, threading.get_ident), Errand(executor, lambda: made.append(1))
        assert late.result() == threading.get_ident()
        dropped.drop()
        ended.set()
        assert busy.result() != threading.get_ident()
    assert not made


def test_the_network_of_searches_follows_at_the_next_evaluation() -> None:
    trainer = walker(patient=False)
    while trainer.updater.updates < 3:
        trainer.round()
    observation = trainer.players[0].agent.driver.simulator.reset(0).observation
    before = trainer.updater.inference([observation])[0]
    for _ in range(20):
        trainer.updater.learn(trainer.replay)
    assert trainer.updater.inference([observation])[0] == before  # not published yet
    trainer.updater.publish()
    after = trainer.updater.inference([observation])[0]
    assert (after.version, after.prior != before.prior) == (trainer.updater.updates, True)
