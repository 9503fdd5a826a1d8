"""The native forward pass against the network in torch, which is its twin, with every kind of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from widthwise import _native

torch = pytest.importorskip("torch")

from widthwise.learning.inference import LARGEST, Inference  # noqa: E402
from widthwise.learning.network import HIDDEN, Network  # noqa: E402
from widthwise.learning.sight import Sight  # noqa: E402
from widthwise.learning.support import Support  # noqa: E402


def has(kernels: str) -> bool:
    try:
        _native.Forward(1, 1, 1, room=1, kernels=kernels)
    except ValueError:
        return False
    return True


KERNELS = [name for name in ("plain", "avx2", "avx512", "best") if has(name)]
# Sides that are no multiple of a stride, places that are no multiple of a block, one channel and several, a vector.
SIGHTS = [Sight((84, 84, 4), True), Sight((37, 22, 1), True), Sight((20, 21, 3), True), Sight((7,), False)]


def observations(sight: Sight, rows: int) -> Any:
    rng = np.random.default_rng(rows)
    drawn = rng.integers(0, 256, (rows, *sight.shape)) if sight.image else rng.normal(size=(rows, *sight.shape))
    drawn[rng.random(drawn.shape) < 0.3] = 0  # what is 0 is skipped, and must not matter
    return drawn.astype(sight.dtype)


def trained(sight: Sight, actions: int, support: Support) -> Network:
    """A network whose averages, scales and heads are not those of the beginning."""
    network = Network(sight, actions, support, seed=3)
    network.calibrate(torch.from_numpy(observations(sight, 32)))
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for head in (network.policy, network.value):
            head.weight.copy_(torch.randn(head.weight.shape, generator=generator) / 4)
            head.bias.copy_(torch.randn(head.bias.shape, generator=generator))
        for norm in network.norms:
            norm.weight.copy_(1 + torch.randn(norm.weight.shape, generator=generator) / 8)
            norm.bias.copy_(torch.randn(norm.bias.shape, generator=generator) / 8)
    return network.eval()


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("sight", SIGHTS, ids=str)
def test_says_what_the_network_says(sight: Sight, kernels: str) -> None:
    support = Support(-3.0, 3.0, 201, rescaled=True)
    network = trained(sight, 18, support)
    seen = observations(sight, 5)
    found = Inference(network, kernels)(list(seen))
    with torch.no_grad():  # in 64 bits, so that only one side rounds
        hidden, policy, value = network.double()(network.scaled(torch.from_numpy(seen)).double())
    means = support.value(torch.softmax(value, 1).numpy() @ support.points)
    for row, one in enumerate(found):
        assert isinstance(one.features, bytes)
        bits = np.frombuffer(one.features, np.uint8)
        assert len(bits) == HIDDEN and set(bits.tolist()) == {0, 1}
        sure = (hidden[row] > 1e-4).numpy()  # rounding may tip what is at 0
        assert bits[sure].all() and bits[hidden[row].numpy() == 0].mean() < 0.02
        assert one.prior == pytest.approx(torch.softmax(policy[row], 0).tolist(), abs=1e-5)
        assert one.value == pytest.approx(means[row].item(), abs=1e-3)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("sight", SIGHTS, ids=str)
def test_a_state_is_judged_alike_alone_and_among_others(sight: Sight, kernels: str) -> None:
    inference = Inference(trained(sight, 6, Support()), kernels)
    seen = list(observations(sight, 9))
    together = inference(seen)
    assert together == [inference([one])[0] for one in seen]
    assert together[::-1] == inference(seen[::-1])


@pytest.mark.skipif(not {"avx2", "avx512"} <= set(KERNELS), reason="this machine has not both kinds of registers")
def test_wider_registers_change_no_digit() -> None:
    network = trained(SIGHTS[0], 6, Support())
    seen = list(observations(SIGHTS[0], 3))
    assert Inference(network, "avx2")(seen) == Inference(network, "avx512")(seen)


def test_by_hand() -> None:
    forward = _native.Forward(1, 1, 2, room=2)
    forward.dense(3)
    forward.heads(2, [-1.0, 0.0, 1.0])
    row = lambda *numbers: np.array(numbers, np.float32)  # noqa: E731
    forward.set(0, row(1, 2, -1, 0, 0, 1), row(1, 1, 2), row(0, 0, -1))  # x + 2y, -x, 2y - 1
    forward.set(1, row(0, 0, 0, *(1, 0, 0), *(0, 0, 0), 0, 0, 0, *(0, 0, 1)), row(1, 1, 1, 1, 1), row(0, 0, 0, 0, 0))
    active, policy, value = np.empty((2, 3), np.uint8), np.empty((2, 2), np.float32), np.empty(2)
    forward(np.array([[1, 1], [-1, 0]], np.float32), 2, active, policy, value)
    assert active.tolist() == [[1, 0, 1], [0, 1, 0]]  # (3, -1, 1) and (-1, 1, -1)
    e = np.e
    assert policy.tolist() == [pytest.approx([1 / (1 + e**3), e**3 / (1 + e**3)]), [0.5, 0.5]]
    assert value.tolist() == [pytest.approx((e - 1) / (2 + e)), 0.0]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernels of the name abacus"):
        _native.Forward(1, 1, 4, room=1, kernels="abacus")
    with pytest.raises(ValueError, match="room for one"):
        _native.Forward(1, 0, 4, room=1)
    image = _native.Forward(8, 8, 1, room=1)
    with pytest.raises(ValueError, match="no larger than its image"):
        image.convolution(9, 1, 16)
    with pytest.raises(ValueError, match="multiple of 16"):
        image.convolution(4, 4, 10)
    with pytest.raises(ValueError, match="dense layer before the heads"):
        image.heads(3, [0.0])
    forward = _native.Forward(1, 1, 4, room=2)
    forward.dense(5)
    given: tuple[Any, ...] = np.zeros((3, 4), np.float32), np.zeros((3, 5), np.uint8), np.zeros((3, 2), np.float32)
    with pytest.raises(ValueError, match="heads are missing"):
        forward(given[0], 1, *given[1:], np.zeros(3))
    forward.heads(2, [0.0, 1.0])
    with pytest.raises(ValueError, match="before the heads"):
        forward.dense(3)
    with pytest.raises(ValueError, match="no such layer"):
        forward.set(2, *(np.zeros(1, np.float32),) * 3)
    with pytest.raises(ValueError, match="size of the layer"):
        forward.set(0, np.zeros(19, np.float32), np.ones(5, np.float32), np.zeros(5, np.float32))
    with pytest.raises(TypeError, match="bytes or 32-bit floats"):
        forward(given[0].astype(np.float64), 1, *given[1:], np.zeros(3))
    for count, value in ((3, np.zeros(3)), (2, np.zeros(1))):
        with pytest.raises(ValueError, match="room"):
            forward(given[0], count, *given[1:], value)


def test_more_observations_than_there_is_room_for() -> None:
    inference = Inference(Network(SIGHTS[-1], 2, Support()))
    seen = list(observations(SIGHTS[-1], LARGEST + 3))
    assert inference(seen) == [inference([one])[0] for one in seen]


@pytest.mark.parametrize("frames", [1, 2, 4, 5])
def test_frames_become_channels(frames: int) -> None:
    rng = np.random.default_rng(frames)
    parts = [rng.integers(0, 256, (13, 11)).astype(np.uint8) for _ in range(frames)]
    image = np.empty((13, 11, frames), np.uint8)
    _native.interleave(parts, image)
    assert (image == np.stack(parts, axis=-1)).all()
    with pytest.raises(ValueError, match="together"):
        _native.interleave([*parts, parts[0]], image)
    with pytest.raises(ValueError, match="equally long"):
        _native.interleave([parts[0], parts[0][1:]], image)
    with pytest.raises(ValueError, match="one frame"):
        _native.interleave([], image)
