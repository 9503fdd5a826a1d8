"""The native forward pass against the same sums in numpy, with every kind of kernels; frames as channels, digests."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from widthwise import _native

Floats = npt.NDArray[np.float32]


def has(kernels: str) -> bool:
    try:
        _native.Forward(1, 1, 1, room=1, kernels=kernels)
    except ValueError:
        return False
    return True


KERNELS = [name for name in ("plain", "avx2", "avx512", "best") if has(name)]


class Layer(NamedTuple):
    """A layer with torch's order of weights: output, input; a convolution's inputs are row, column, channel."""

    weights: Floats
    scale: Floats
    bias: Floats
    side: int = 0  # 0: dense
    stride: int = 0


def layer(rng: np.random.Generator, inputs: int, outputs: int, side: int = 0, stride: int = 0) -> Layer:
    def drawn(*shape: int) -> Floats:
        return rng.normal(size=shape).astype(np.float32)

    return Layer(
        drawn(outputs, inputs) / np.sqrt(np.float32(inputs)),
        1 + drawn(outputs) / 4,  # type: ignore[arg-type]
        drawn(outputs),
        side,
        stride,
    )


class Net(NamedTuple):
    """A network of some shape, its last layer the heads."""

    shape: tuple[int, int, int]
    layers: list[Layer]
    actions: int
    points: list[float]

    def native(self, kernels: str, room: int = 9) -> _native.Forward:
        """The native pass with these weights."""
        forward = _native.Forward(*self.shape, room, kernels)
        for item in self.layers[:-1]:
            if item.side:
                forward.convolution(item.side, item.stride, len(item.bias))
            else:
                forward.dense(len(item.bias))
        forward.heads(self.actions, self.points)
        for number, item in enumerate(self.layers):
            forward.set(number, item.weights.ravel(), item.scale, item.bias)
        return forward

    def twin(self, image: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], float]:
        """The last hidden layer, the policy and the mean value, literally, in 64 bits."""
        now = image.astype(np.float64)
        for item in self.layers[:-1]:
            weights = item.weights.astype(np.float64) * item.scale[:, None]
            if item.side:
                rows, columns = ((length - item.side) // item.stride + 1 for length in now.shape[:2])
                patch = [
                    [
                        now[y * item.stride :, x * item.stride :][: item.side, : item.side].ravel()
                        for x in range(columns)
                    ]
                    for y in range(rows)
                ]
                now = np.maximum(np.array(patch) @ weights.T + item.bias, 0)
            else:
                if now.ndim == 3:
                    now = now.transpose(2, 0, 1).ravel()  # channels first
                now = np.maximum(weights @ now + item.bias, 0)
        heads = self.layers[-1]
        logits = heads.weights.astype(np.float64) * heads.scale[:, None] @ now + heads.bias
        policy, value = (np.exp(part - part.max()) for part in (logits[: self.actions], logits[self.actions :]))
        return now, policy / policy.sum(), float(value @ self.points / value.sum())


def nets() -> dict[str, Net]:
    rng = np.random.default_rng(0)
    points = np.linspace(-2, 2, 21).tolist()
    return {
        # Sides that are no multiple of a stride, places that are no multiple of a block, units that fill no register.
        "image": Net(
            (37, 26, 3),
            [layer(rng, 192, 16, 8, 4), layer(rng, 256, 32, 4, 2), layer(rng, 32 * 3 * 1, 70), layer(rng, 70, 26)],
            5,
            points,
        ),
        "deep": Net((1, 1, 300), [layer(rng, 300, 33), layer(rng, 33, 256), layer(rng, 256, 22)], 1, points),
        "vector": Net((1, 1, 7), [layer(rng, 7, 256), layer(rng, 256, 23)], 2, points),
    }


NETS = nets()


def observations(net: Net, rows: int) -> npt.NDArray[Any]:
    rng = np.random.default_rng(rows)
    image = net.shape[0] > 1
    drawn = rng.integers(0, 9, (rows, *net.shape)) if image else rng.normal(size=(rows, *net.shape))
    drawn[rng.random(drawn.shape) < 0.3] = 0  # what is 0 is skipped, and must not matter
    return drawn.astype(np.uint8 if image else np.float32)


def ask(net: Net, forward: _native.Forward, seen: npt.NDArray[Any]) -> list[tuple[list[int], list[float], float]]:
    """Active units, policy and value of each."""
    active = np.empty((len(seen), len(net.layers[-2].bias)), np.uint8)
    policy, value = np.empty((len(seen), net.actions), np.float32), np.empty(len(seen))
    forward(seen, len(seen), active, policy, value)
    return list(zip(active.tolist(), policy.tolist(), value.tolist(), strict=True))


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("name", NETS)
def test_is_the_sums(name: str, kernels: str) -> None:
    net = NETS[name]
    seen = observations(net, 9)
    for item, (active, policy, value) in zip(seen, ask(net, net.native(kernels), seen), strict=True):
        hidden, its_policy, its_value = net.twin(item if name == "image" else item.ravel())
        assert all(bit == (unit > 0) for bit, unit in zip(active, hidden, strict=True) if not 0 < unit < 1e-4)
        assert 0 < sum(active) < len(active)
        assert policy == pytest.approx(its_policy.tolist(), abs=1e-4)
        assert value == pytest.approx(its_value, abs=1e-4)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("name", NETS)
def test_a_state_is_judged_alike_alone_and_among_others(name: str, kernels: str) -> None:
    net = NETS[name]
    forward, seen = net.native(kernels), observations(net, 9)
    together = ask(net, forward, seen)
    assert together == [ask(net, forward, seen[i : i + 1])[0] for i in range(9)]
    assert together[::-1] == ask(net, forward, seen[::-1].copy())


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not Path("/proc/cpuinfo").exists(), reason="needs Linux on x86_64"
)
def test_the_kernels_are_those_that_the_system_reports() -> None:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = next(line for line in text.splitlines() if line.startswith("flags")).split()
    avx2 = {"avx2", "fma"} <= set(flags)
    assert has("avx2") == avx2
    assert has("avx512") == (avx2 and "avx512f" in flags)
    assert has("plain") and has("best")


@pytest.mark.skipif(not {"avx2", "avx512"} <= set(KERNELS), reason="this machine has not both kinds of registers")
@pytest.mark.parametrize("name", NETS)
def test_wider_registers_change_no_digit(name: str) -> None:
    net = NETS[name]
    seen = observations(net, 4)
    assert ask(net, net.native("avx2"), seen) == ask(net, net.native("avx512"), seen)


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


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("number", range(4))
def test_what_is_no_number_is_not_hidden(number: int, kernels: str) -> None:
    net = NETS["image"]
    forward, broken = net.native(kernels), net.layers[number]
    forward.set(number, np.full(broken.weights.size, np.nan, np.float32), broken.scale, broken.bias)
    (_, policy, value), *_ = ask(net, forward, observations(net, 1))
    assert np.isnan(policy).all() and np.isnan(value)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernels of the name abacus"):
        _native.Forward(1, 1, 4, room=1, kernels="abacus")
    with pytest.raises(ValueError, match="room for at least one"):
        _native.Forward(1, 0, 4, room=1)
    image = _native.Forward(8, 8, 1, room=1)
    with pytest.raises(ValueError, match="larger than its image"):
        image.convolution(9, 1, 16)
    with pytest.raises(ValueError, match="multiple of 16"):
        image.convolution(4, 4, 10)
    with pytest.raises(ValueError, match="dense layer before the heads"):
        image.heads(3, [0.0])
    forward = _native.Forward(1, 1, 4, room=2)
    forward.dense(5)
    given: tuple[Any, ...] = np.zeros((3, 4), np.float32), np.zeros((3, 5), np.uint8), np.zeros((3, 2), np.float32)
    with pytest.raises(ValueError, match="heads are missing"):
        forward(given[0], 1, *given[1:], np.zeros(3))  # type: ignore[call-arg]
    forward.heads(2, [0.0, 1.0])
    with pytest.raises(ValueError, match="before the heads"):
        forward.dense(3)
    with pytest.raises(ValueError, match="no such layer"):
        forward.set(2, *(np.zeros(1, np.float32),) * 3)
    with pytest.raises(ValueError, match="size of the layer"):
        forward.set(0, np.zeros(19, np.float32), np.ones(5, np.float32), np.zeros(5, np.float32))
    with pytest.raises(TypeError, match="bytes or 32-bit floats"):
        forward(given[0].astype(np.float64), 1, *given[1:], np.zeros(3))  # type: ignore[call-arg]
    for count, value in ((3, np.zeros(3)), (2, np.zeros(1))):
        with pytest.raises(ValueError, match="room"):
            forward(given[0], count, *given[1:], value)  # type: ignore[call-arg]


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


def test_digests_tell_arrays_apart() -> None:
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 256, 7_056).astype(np.uint8)
    result = {_native.digest([frame])}
    for place in range(0, len(frame), 7):
        other = frame.copy()
        other[place] ^= 1 << place % 8
        result.add(_native.digest([other]))
    assert len(result) == 1 + len(range(0, len(frame), 7))
    sizes = {_native.digest([np.zeros(size, np.uint8)]) for size in range(200)}
    assert len(sizes) == 200
    first, second = frame[:100], frame[100:200]
    orders = [[first, second], [second, first], [first], [second], [frame[:200]], []]
    assert len({_native.digest(parts) for parts in orders}) == len(orders)
    assert _native.digest([first, second]) == _native.digest([first.copy(), second.copy()])
    blocks = frame[:6_400].reshape(200, 32)  # swapping what goes through the same lanes is seen, too
    swaps = {_native.digest([np.delete(blocks, row, 0).ravel()]) for row in range(200)}
    assert len(swaps) == 200
    assert all(0 <= number < 2**64 for number in result)


@pytest.mark.parametrize("values", [(-1, 1), (0, 2), (0, -2), (0, 1), (0.5, -0.5)], ids=str)
def test_digests_tell_small_vectors_apart(values: tuple[float, float]) -> None:
    length = 13
    bits = np.arange(2**length)[:, None] >> np.arange(length) & 1
    vectors = np.array(values, np.float32)[bits]
    result = {_native.digest([vector.view(np.uint8)]) for vector in vectors}
    assert len(result) == len(vectors)


def test_digests_tell_apart_what_differs_in_a_few_high_bits() -> None:
    image = np.random.default_rng(1).integers(0, 256, 7_056).astype(np.uint8)
    places = [7, 39, 67, 71, 103, 35, 99, 135]  # near each other in the same lanes
    result = set()
    for chosen in range(2 ** len(places)):
        for bits in (0x80, 0x40, 0xC0, 0xF0, 0xFF):
            other = image.copy()
            other[[place for k, place in enumerate(places) if chosen >> k & 1]] ^= bits
            result.add(_native.digest([other]))
    assert len(result) == 5 * (2 ** len(places) - 1) + 1
