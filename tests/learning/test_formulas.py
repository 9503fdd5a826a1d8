"""Formulas of learning against values worked out by hand, and the network against its folded copy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import widthwise as ww
from widthwise.learning.inference import Inference
from widthwise.learning.input_format import InputFormat
from widthwise.learning.losses import cross_entropy, monte_carlo_returns
from widthwise.learning.network import Network, blurred
from widthwise.learning.renorm import RATIO, SHIFT, Renorm
from widthwise.learning.replay_memory import EpisodeData, ReplayMemory
from widthwise.learning.rmsprop import RMSprop, clipping
from widthwise.learning.support import Support, rescale
from widthwise.training.evaluation import sharpened


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


def test_l2_and_clipping_by_hand() -> None:
    weights = [torch.tensor([[3.0, 4.0]], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)]
    optimiser = RMSprop(
        weights, 1.0, 0.0, 1.0, weights=weights[:1], factor=0.5
    )  # running squares are those of the last gradient
    (2 * weights[0].sum() + weights[1].sum()).backward()
    gradient = optimiser.gradient()
    assert gradient.l2 == 12.5  # half of 9 + 16; the second row is not counted
    # 2 and half the weights, 3.5 and 4; and 1 and 1
    assert gradient.norm == pytest.approx(math.sqrt(3.5**2 + 16 + 2))
    assert clipping(gradient.norm, 2.0) == pytest.approx(2 / gradient.norm)
    assert clipping(2.0, 2.0) == clipping(1.5, 2.0) == clipping(0.0, 2.0) == 1.0
    optimiser.step(gradient, 0.5)
    # half of each: 1.75, 2 and 0.5, 0.5; every step is g / (|g| + 1)
    assert weights[0].tolist() == [pytest.approx([3 - 1.75 / 2.75, 4 - 2 / 3])]
    assert weights[1].tolist() == pytest.approx([1 - 0.5 / 1.5, 2 - 0.5 / 1.5])


def test_a_gradient_may_lie_in_memory_in_another_order() -> None:
    ours = torch.randn((4, 3, 2, 2), generator=torch.Generator().manual_seed(6))
    ours = ours.contiguous(memory_format=torch.channels_last).requires_grad_()
    theirs = ours.detach().clone().requires_grad_()
    slope = torch.randn((4, 3, 2, 2), generator=torch.Generator().manual_seed(7))
    ours.grad, theirs.grad = slope.clone(), slope.clone()
    assert ours.grad.stride() != ours.stride()
    mine, other = RMSprop([ours], 0.1, 0.9, 0.1), torch.optim.RMSprop([theirs], 0.1, 0.9, 0.1)
    mine.step(mine.gradient())
    other.step()
    assert torch.allclose(ours, theirs, rtol=1e-6)


def test_what_has_no_gradient_stays() -> None:
    weights = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)]
    optimiser = RMSprop(weights, 1.0, 0.9, 0.1, weights=weights, factor=0.5)
    weights[0].sum().backward()
    optimiser.step(optimiser.gradient())
    assert weights[1].tolist() == [3.0] and weights[0].tolist() != [1.0, 2.0]


def test_rmsprop_is_what_torch_computes() -> None:
    ours = Network(FORMATS[-1], 3, Support(), seed=4)
    theirs = Network(FORMATS[-1], 3, Support(), seed=4)
    mine = RMSprop(ours.parameters(), 7e-4, 0.99, 0.01)
    other = torch.optim.RMSprop(theirs.parameters(), 7e-4, 0.99, 0.01)
    for step in range(4):
        for network, optimiser in ((ours, mine), (theirs, other)):
            hidden, policy, value = network(seen(FORMATS[-1], 16, step))
            optimiser.zero_grad()
            (hidden.square().mean() + policy[:, 0].mean() - value[:, 1].mean()).backward()
            if isinstance(optimiser, RMSprop):
                optimiser.step(optimiser.gradient(), 1.0)
            else:
                optimiser.step()
    for item, another in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(item, another, rtol=1e-6, atol=1e-8)


SHAPES = [(32, 16), (8, 32, 6, 7), (30, 16, 1, 1), (100, 48)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_renormalisation_in_training_is_the_one_in_use(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    norm = Renorm(shape[1], momentum=0.5)
    for _ in range(20):
        norm(torch.randn(shape) * 2 + 3)
    batch = torch.randn(shape) * 2 + 3
    norm.momentum = 0.0  # the averages stay, so both ways can be compared
    trained, in_use = norm(batch), norm.eval()(batch)
    assert torch.allclose(trained, in_use, atol=1e-4)
    assert (trained == 0).any() and (trained > 0).any() and not (trained < 0).any()


def test_averages_follow_the_batches() -> None:
    norm = Renorm(16, momentum=0.25)
    batch = torch.randn((8, 16, 5, 5), generator=torch.Generator().manual_seed(2)) * 3 + 1
    norm(batch)
    assert torch.allclose(norm.running_mean, 0.25 * batch.mean((0, 2, 3)), atol=1e-6)
    assert torch.allclose(norm.running_var, 0.75 + 0.25 * batch.var((0, 2, 3), correction=0), rtol=1e-5)


def test_a_batch_far_away_is_corrected_no_more_than_the_bounds_allow() -> None:
    # averages 0 and 1
    near = Renorm(16)(torch.tensor([[100.0], [104.0]]).repeat(1, 16))
    assert near[:, 3].tolist() == pytest.approx([5 - 2, 5 + 2], abs=1e-3)
    wide = Renorm(16)(torch.tensor([[0.0], [20.0]]).repeat(1, 16))
    assert wide[:, 0].tolist() == pytest.approx([5 - 3, 5 + 3], abs=1e-3)


@pytest.mark.parametrize("layout", ["rows", "channels"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_of_renormalisation_are_those_of_its_formula(shape: tuple[int, ...], layout: str) -> None:
    generator = torch.Generator().manual_seed(4)
    norm, axes = Renorm(shape[1]), [0, *range(2, len(shape))]
    view = [1, -1] + [1] * (len(shape) - 2)
    with torch.no_grad():
        norm.weight.copy_(torch.randn(shape[1], generator=generator))
        norm.bias.copy_(torch.randn(shape[1], generator=generator))
        norm.running_mean.copy_(torch.randn(shape[1], generator=generator))
        norm.running_var.copy_(torch.rand(shape[1], generator=generator) * 3 + 0.1)
    x = torch.randn(shape, generator=generator) * 2 + 1
    if layout == "channels" and len(shape) == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    upstream = torch.randn(shape, generator=generator)

    exact = [item.detach().double().requires_grad_() for item in (x, norm.weight, norm.bias)]
    batch, weight, bias = exact
    mean, var = batch.mean(axes), batch.var(axes, correction=0)
    spread = (norm.running_var.double() + norm.eps).sqrt()
    ratio = ((var + norm.eps).sqrt() / spread).clamp(1 / RATIO, RATIO).detach()
    shift = ((mean - norm.running_mean.double()) / spread).clamp(-SHIFT, SHIFT).detach()
    centred = (batch - mean.view(view)) / (var + norm.eps).sqrt().view(view)
    expected = torch.relu((centred * ratio.view(view) + shift.view(view)) * weight.view(view) + bias.view(view))
    expected.backward(upstream.double())

    x.requires_grad_()
    out = norm(x)
    out.backward(upstream)
    assert torch.allclose(out, expected.float(), atol=1e-4)
    for mine, its in zip((x, norm.weight, norm.bias), exact, strict=True):
        assert mine.grad is not None and its.grad is not None
        assert torch.allclose(mine.grad, its.grad.float(), rtol=1e-3, atol=2e-4)


def test_what_is_no_number_is_not_hidden_by_the_relu() -> None:
    batch = torch.randn((8, 16), generator=torch.Generator().manual_seed(5))
    batch[2, 7] = math.nan
    out = Renorm(16)(batch)
    assert out[:, 7].isnan().all() and not out[:, :7].isnan().any()


def test_blurred_weights_are_alike_at_neighbouring_places() -> None:
    rough = torch.randn((64, 3, 9, 9), generator=torch.Generator().manual_seed(1))
    smooth = blurred(rough)
    assert smooth.std().item() == pytest.approx(1.0, abs=1e-3)

    def likeness(weights: torch.Tensor) -> float:
        return (weights[..., 1:] * weights[..., :-1]).mean().item()

    assert abs(likeness(rough)) < 0.05 < 0.8 < likeness(smooth)


def test_a_calibrated_network_tells_what_it_saw_apart() -> None:
    network = Network(FORMATS[0], 2, Support())
    observations = seen(FORMATS[0], 32)
    network.calibrate(observations)
    inference = Inference(network)
    bits = np.array([np.frombuffer(item.features, np.uint8) for item in inference(list(observations.numpy()))])
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
        result = support.value(support.two_hot([value]).astype(np.float64) @ support.points).item()
        assert result == pytest.approx(value, rel=1e-6)


def test_a_policy_at_a_temperature() -> None:
    assert sharpened([0.5, 0.3, 0.2], 1.0) == pytest.approx([0.5, 0.3, 0.2])
    assert sharpened([0.5, 0.25, 0.25], 0.5) == pytest.approx([4 / 6, 1 / 6, 1 / 6])
    assert sharpened([0.4, 0.2, 0.4], 0.0) == [0.5, 0.0, 0.5]
    assert sharpened([0.4, 0.3, 0.3], 0.01)[0] == pytest.approx(1.0)


def seen(form: InputFormat, rows: int, seed: int = 0) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 256, (rows, *form.shape)) if form.image else rng.normal(size=(rows, *form.shape))
    return torch.from_numpy(values.astype(form.dtype))


FORMATS = [InputFormat((84, 84, 3), True), InputFormat((40, 52, 1), True), InputFormat((7,), False)]


def test_frames_may_be_cut_from_others_but_are_bytes() -> None:
    class Seen:
        def __init__(self, *frames: np.ndarray) -> None:
            self.frames = frames

    rng = np.random.default_rng(0)
    wide = [rng.integers(0, 256, (30, 60)).astype(np.uint8) for _ in range(2)]
    cut = Seen(*(frame[:, ::2] for frame in wide))
    whole = Seen(*(frame[:, ::2].copy() for frame in wide))
    form = InputFormat.of(cut)
    assert form == InputFormat((30, 30, 2), True, stacked=True)
    rows = form.buffer(2)
    for item, row in zip((cut, whole), rows, strict=True):
        form.write(form.parts(item), row)
    assert (rows[0] == rows[1]).all() and (rows[0] == np.stack(cut.frames, -1)).all()
    assert form.mark(cut) == form.mark(whole) != form.mark(Seen(*whole.frames[::-1]))
    assert all(part is frame for part, frame in zip(form.parts(whole), whole.frames, strict=True))  # shared
    with pytest.raises(ww.UsageError, match="frames of bytes"):
        InputFormat.of(Seen(wide[0].astype(np.float32)))


def test_how_observations_are_seen() -> None:
    assert InputFormat.of(np.zeros((84, 84, 3), np.uint8)) == InputFormat((84, 84, 3), True)
    assert InputFormat.of(np.zeros((30, 40), np.uint8)) == InputFormat((30, 40, 1), True)
    assert InputFormat.of(np.zeros((7, 7, 3), np.uint8)) == InputFormat((147,), False)  # too small for convolutions
    assert InputFormat.of(np.zeros(4, np.float32)) == InputFormat((4,), False)
    assert InputFormat.of({"image": np.zeros((7, 7, 3), np.uint8), "mission": "go"}) == InputFormat((147,), False)
    assert InputFormat.of({"b": np.zeros(2), "a": 1.0}).shape == (3,)
    assert InputFormat.of(3, states=16).parts(5)[0].tolist() == [0.0] * 5 + [1.0] + [0.0] * 10
    with pytest.raises(ww.UsageError, match="numbers"):
        InputFormat.of("a sentence")


def test_replay_keeps_whole_episodes() -> None:
    form = InputFormat((1,), False)

    def played(first: int, length: int) -> EpisodeData:
        numbers = np.arange(first, first + length, dtype=np.float32)
        return EpisodeData([(number.reshape(1),) for number in numbers], np.stack([numbers, -numbers], 1), numbers)

    replay = ReplayMemory(form, capacity=10, batch=64, seed=1)
    for first, length in ((0, 4), (10, 4), (20, 4)):
        replay.add(played(first, length))
    assert len(replay) == 8 and [len(episode) for episode in replay.episodes] == [4, 4]  # the oldest had to go
    batch = replay.sample()
    observations, targets, returns = batch.observations, batch.targets, batch.returns
    assert set(returns.tolist()) == {10, 11, 12, 13, 20, 21, 22, 23}
    assert (observations[:, 0] == returns).all() and (targets[:, 1] == -returns).all()
    replay.add(played(100, 50))
    assert len(replay) == 50  # one that is too long is kept alone
    again = ReplayMemory(form, 10, 64)
    again.restore(replay.state())
    assert (again.sample().returns == replay.sample().returns).all()


def test_frames_that_observations_share_are_saved_once() -> None:
    frames = [np.full((84, 84), number, np.uint8) for number in range(6)]
    form = InputFormat((84, 84, 4), True, stacked=True)
    replay = ReplayMemory(form, 100, 4)
    replay.add(
        EpisodeData([tuple(frames[i : i + 4]) for i in range(3)], np.ones((3, 2), np.float32), np.zeros(3, np.float32))
    )
    assert replay.state()["arrays"].shape == (6, 84, 84)
    again = ReplayMemory(form, 100, 4)
    again.restore(replay.state())
    assert (again.sample().observations == replay.sample().observations).all()


@pytest.mark.parametrize("settings", [{"low": 1.0, "high": 1.0}, {"atoms": 1}])
def test_supports_that_hold_nothing_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ww.UsageError):
        Support(**settings)  # type: ignore[arg-type]
