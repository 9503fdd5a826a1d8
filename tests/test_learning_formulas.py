"""Formulas of learning against values worked out by hand, and the network against its folded copy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import widthwise as ww
from widthwise.learning.evaluation import sharpened
from widthwise.learning.inference import Inference
from widthwise.learning.losses import add_l2_gradient, clip_gradient, cross_entropy, l2_term, monte_carlo_returns
from widthwise.learning.network import Network, blurred
from widthwise.learning.renorm import Renorm
from widthwise.learning.replay import Played, Replay
from widthwise.learning.rmsprop import RMSprop
from widthwise.learning.sight import Sight
from widthwise.learning.support import Support, rescale


def test_returns_by_hand() -> None:
    assert monte_carlo_returns([0.0, 0.0, 1.0], 0.5) == [0.25, 0.5, 1.0]
    assert monte_carlo_returns([1.0, -1.0, 2.0], 1.0) == [2.0, 1.0, 2.0]
    assert monte_carlo_returns([], 0.9) == []


def test_cross_entropy_by_hand() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]))
    target = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    by_hand = (math.log(2) + 0.5 * math.log(10) + 0.5 * math.log(1.25)) / 2
    assert cross_entropy(target, logits).item() == pytest.approx(by_hand)
    # logits are not probabilities: what is added to all of them changes nothing
    assert cross_entropy(target, logits + 5).item() == pytest.approx(by_hand, rel=1e-5)


def test_l2_by_hand() -> None:
    assert l2_term([torch.tensor([3.0, 4.0]), torch.tensor([[1.0], [-1.0]])]).item() == 13.5


def test_l2_and_clipping_on_gradients() -> None:
    weights = [torch.tensor([[3.0, 4.0]], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)]
    (2 * weights[0].sum() + weights[1].sum()).backward()
    add_l2_gradient(weights[:1], 0.5)
    assert weights[0].grad is not None and weights[1].grad is not None
    assert weights[0].grad.tolist() == [[3.5, 4.0]]  # 2 and half the weights
    assert weights[1].grad.tolist() == [1.0, 1.0]
    norm = clip_gradient(weights, 2.0)
    assert norm == pytest.approx(math.sqrt(3.5**2 + 16 + 2))
    assert weights[0].grad.tolist() == [pytest.approx([7 / norm, 8 / norm])]
    assert clip_gradient(weights, 2.5) == pytest.approx(2.0)
    assert weights[1].grad.tolist() == pytest.approx([2 / norm] * 2)  # short enough already


def test_rmsprop_is_what_torch_computes() -> None:
    ours = Network(SIGHTS[-1], 3, Support(), seed=4)
    theirs = Network(SIGHTS[-1], 3, Support(), seed=4)
    mine = RMSprop(ours.parameters(), 7e-4, 0.99, 0.01)
    other = torch.optim.RMSprop(theirs.parameters(), 7e-4, 0.99, 0.01)
    for step in range(4):
        for network, optimiser in ((ours, mine), (theirs, other)):
            hidden, policy, value = network(seen(SIGHTS[-1], 16, step))
            optimiser.zero_grad()  # type: ignore[attr-defined]
            (hidden.square().mean() + policy[:, 0].mean() - value[:, 1].mean()).backward()
            optimiser.step()  # type: ignore[attr-defined]
    for one, another in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(one, another, rtol=1e-6, atol=1e-8)


def test_renormalisation_in_training_is_the_one_in_use() -> None:
    torch.manual_seed(0)
    for shape in ((32, 5), (8, 5, 6, 7)):
        norm = Renorm(5, momentum=0.5)
        for _ in range(20):
            norm(torch.randn(shape) * 2 + 3)
        batch = torch.randn(shape) * 2 + 3
        norm.momentum = 0.0  # the averages stay, so both ways can be compared
        trained = norm(batch)
        assert torch.allclose(trained, norm.eval()(batch), atol=1e-5)
        axes = [0, *range(2, batch.dim())]
        mean, var = norm.statistics(batch)
        assert torch.allclose(mean, batch.mean(axes), atol=1e-5)
        assert torch.allclose(var, batch.var(axes, correction=0), rtol=1e-4)
    far = Renorm(1)  # averages 0 and 1; a batch far away is corrected no more than the bounds allow
    assert far(torch.tensor([[100.0], [104.0]]))[:, 0].tolist() == pytest.approx([5 - 2, 5 + 2], abs=1e-3)
    far = Renorm(1)
    assert far(torch.tensor([[0.0], [20.0]]))[:, 0].tolist() == pytest.approx([5 - 3, 5 + 3], abs=1e-3)


def test_blurred_weights_are_alike_at_neighbouring_places() -> None:
    rough = torch.randn((64, 3, 9, 9), generator=torch.Generator().manual_seed(1))
    smooth = blurred(rough)
    assert smooth.std().item() == pytest.approx(1.0, abs=1e-3)

    def likeness(weights: torch.Tensor) -> float:
        return (weights[..., 1:] * weights[..., :-1]).mean().item()

    assert abs(likeness(rough)) < 0.05 < 0.8 < likeness(smooth)


def test_a_calibrated_network_tells_what_it_saw_apart() -> None:
    network = Network(SIGHTS[0], 2, Support())
    observations = seen(SIGHTS[0], 32)
    network.calibrate(observations)
    inference = Inference(network)
    bits = np.array([np.frombuffer(one.features, np.uint8) for one in inference(list(observations.numpy()))])
    active = bits.mean(0)
    assert ((active > 0.1) & (active < 0.9)).mean() > 0.9


def test_a_value_sits_between_two_atoms() -> None:
    support = Support(-1.0, 1.0, 5)  # -1, -.5, 0, .5, 1
    assert support.two_hot([0.0, 0.6, -1.0, 7.0, -0.125]).tolist() == [
        [0, 0, 1, 0, 0],
        [0, 0, 0, pytest.approx(0.8), pytest.approx(0.2)],
        [1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1],
        [0, 0.25, 0.75, 0, 0],
    ]


@pytest.mark.parametrize("support", [Support(), Support(-100, 100, 201, rescaled=True), Support(-3, 40, 7)])
def test_the_mean_of_a_two_hot_target_is_the_value(support: Support) -> None:
    values = np.array([-0.9, -0.3, 0.0, 0.001, 0.77, 1.0])
    means = support.value(support.two_hot(values).astype(np.float64) @ support.points)
    assert means == pytest.approx(values, abs=1e-6)


def test_rescaling_by_hand() -> None:
    assert rescale(np.array([0.0, 3.0, -8.0, 99.0])) == pytest.approx([0.0, 1.003, -2.008, 9.099])
    support = Support(-100, 100, 201, rescaled=True)
    for value in (400.0, -2500.0, 8000.0):
        found = support.value(support.two_hot([value]).astype(np.float64) @ support.points).item()
        assert found == pytest.approx(value, rel=1e-6)


def test_a_policy_at_a_temperature() -> None:
    assert sharpened([0.5, 0.3, 0.2], 1.0) == pytest.approx([0.5, 0.3, 0.2])
    assert sharpened([0.5, 0.25, 0.25], 0.5) == pytest.approx([4 / 6, 1 / 6, 1 / 6])
    assert sharpened([0.4, 0.2, 0.4], 0.0) == [0.5, 0.0, 0.5]
    assert sharpened([0.4, 0.3, 0.3], 0.01)[0] == pytest.approx(1.0)


def seen(sight: Sight, rows: int, seed: int = 0) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 256, (rows, *sight.shape)) if sight.image else rng.normal(size=(rows, *sight.shape))
    return torch.from_numpy(values.astype(sight.dtype))


SIGHTS = [Sight((84, 84, 3), True), Sight((40, 52, 1), True), Sight((7,), False)]


def test_frames_may_be_cut_from_others_but_are_bytes() -> None:
    class Seen:
        def __init__(self, *frames: np.ndarray) -> None:
            self.frames = frames

    rng = np.random.default_rng(0)
    wide = [rng.integers(0, 256, (30, 60)).astype(np.uint8) for _ in range(2)]
    cut = Seen(*(frame[:, ::2] for frame in wide))
    whole = Seen(*(frame[:, ::2].copy() for frame in wide))
    sight = Sight.of(cut)
    assert sight == Sight((30, 30, 2), True, stacked=True)
    rows = sight.buffer(2)
    for one, row in zip((cut, whole), rows, strict=True):
        sight.write(sight.parts(one), row)
    assert (rows[0] == rows[1]).all() and (rows[0] == np.stack(cut.frames, -1)).all()
    assert sight.mark(cut) == sight.mark(whole) != sight.mark(Seen(*whole.frames[::-1]))
    assert all(part is frame for part, frame in zip(sight.parts(whole), whole.frames, strict=True))  # shared
    with pytest.raises(ww.UsageError, match="frames of bytes"):
        Sight.of(Seen(wide[0].astype(np.float32)))


def test_how_observations_are_seen() -> None:
    assert Sight.of(np.zeros((84, 84, 3), np.uint8)) == Sight((84, 84, 3), True)
    assert Sight.of(np.zeros((30, 40), np.uint8)) == Sight((30, 40, 1), True)
    assert Sight.of(np.zeros((7, 7, 3), np.uint8)) == Sight((147,), False)  # too small for convolutions
    assert Sight.of(np.zeros(4, np.float32)) == Sight((4,), False)
    assert Sight.of({"image": np.zeros((7, 7, 3), np.uint8), "mission": "go"}) == Sight((147,), False)
    assert Sight.of({"b": np.zeros(2), "a": 1.0}).shape == (3,)
    assert Sight.of(3, states=16).parts(5)[0].tolist() == [0.0] * 5 + [1.0] + [0.0] * 10
    with pytest.raises(ww.UsageError, match="numbers"):
        Sight.of("a sentence")


def test_replay_keeps_whole_episodes() -> None:
    sight = Sight((1,), False)

    def played(first: int, length: int) -> Played:
        numbers = np.arange(first, first + length, dtype=np.float32)
        return Played([(number.reshape(1),) for number in numbers], np.stack([numbers, -numbers], 1), numbers)

    replay = Replay(sight, capacity=10, batch=64, seed=1)
    for first, length in ((0, 4), (10, 4), (20, 4)):
        replay.add(played(first, length))
    assert len(replay) == 8 and [len(one) for one in replay.episodes] == [4, 4]  # the oldest had to go
    observations, targets, returns = replay.sample()
    assert set(returns.tolist()) == {10, 11, 12, 13, 20, 21, 22, 23}
    assert (observations[:, 0] == returns).all() and (targets[:, 1] == -returns).all()
    replay.add(played(100, 50))
    assert len(replay) == 50  # one that is too long is kept alone
    again = Replay(sight, 10, 64)
    again.restore(replay.state())
    assert (again.sample()[2] == replay.sample()[2]).all()


def test_frames_that_observations_share_are_saved_once() -> None:
    frames = [np.full((84, 84), number, np.uint8) for number in range(6)]
    sight = Sight((84, 84, 4), True, stacked=True)
    replay = Replay(sight, 100, 4)
    replay.add(
        Played([tuple(frames[i : i + 4]) for i in range(3)], np.ones((3, 2), np.float32), np.zeros(3, np.float32))
    )
    assert replay.state()["arrays"].shape == (6, 84, 84)
    again = Replay(sight, 100, 4)
    again.restore(replay.state())
    assert (again.sample()[0] == replay.sample()[0]).all()


@pytest.mark.parametrize("settings", [{"low": 1.0, "high": 1.0}, {"atoms": 1}])
def test_supports_that_hold_nothing_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ww.UsageError):
        Support(**settings)  # type: ignore[arg-type]
