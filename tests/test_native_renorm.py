"""Native renormalisation against the same formulas in numpy, with every kind of kernels the machine has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from widthwise import _native

Floats = npt.NDArray[np.float32]
MOMENTUM, EPSILON, RATIO, SHIFT = 0.2, 1e-5, 3.0, 5.0


def available() -> list[str]:
    found = []
    for name in ("plain", "avx2", "avx512"):
        try:
            _native.Forward(1, 1, 16, 1, name)
        except ValueError:
            continue
        found.append(name)
    return found


def normal(rng: np.random.Generator, *shape: int, middle: float = 0.0) -> Floats:
    return (rng.normal(size=shape) + middle).astype(np.float32)


@pytest.mark.parametrize("kernels", available())
@pytest.mark.parametrize("shape", [(3, 16), (2, 16), (63, 32), (64, 16), (65, 48), (700, 16)], ids=str)
def test_is_the_formula(shape: tuple[int, int], kernels: str) -> None:
    rng = np.random.default_rng(shape[0])
    count = shape[1]
    x = normal(rng, *shape, middle=2.0) * 3
    weight, bias, mean = normal(rng, count), normal(rng, count), normal(rng, count, middle=5.0)
    variance = (rng.random(count) * 20 + 0.1).astype(np.float32)
    before = mean.astype(np.float64), variance.astype(np.float64)
    out, correction = np.empty_like(x), np.empty((4, count), np.float32)
    settings = (MOMENTUM, EPSILON, RATIO, SHIFT)
    _native.renorm(x.ravel(), (weight, bias, mean, variance), settings, out.ravel(), correction, kernels)

    exact = x.astype(np.float64)
    centre, spread = exact.mean(0), np.sqrt(before[1] + EPSILON)
    inverse = 1 / np.sqrt(exact.var(0) + EPSILON)
    ratio = np.clip(1 / (inverse * spread), 1 / RATIO, RATIO)
    shift = np.clip((centre - before[0]) / spread, -SHIFT, SHIFT)
    assert np.allclose(correction, [centre, inverse, ratio, shift], rtol=1e-3, atol=1e-4)
    assert np.allclose(mean, before[0] + MOMENTUM * (centre - before[0]), rtol=1e-5)
    assert np.allclose(variance, before[1] + MOMENTUM * (exact.var(0) - before[1]), rtol=1e-4)
    unit = (exact - centre) * inverse
    expected = np.maximum((unit * ratio + shift) * weight + bias, 0)
    assert np.allclose(out, expected, atol=2e-3)

    gradient = normal(rng, *shape)
    found, of_weight, of_bias = np.empty_like(x), np.empty(count, np.float32), np.empty(count, np.float32)
    passed = (x.ravel(), out.ravel(), gradient.ravel())
    _native.renorm_backward(passed, weight, correction, (found.ravel(), of_weight, of_bias), kernels)
    slope = np.where(out > 0, gradient, 0).astype(np.float64)
    unit = (exact - correction[0]) * correction[1]
    assert np.allclose(of_bias, slope.sum(0), atol=1e-3)
    assert np.allclose(of_weight, (slope * (unit * correction[2] + correction[3])).sum(0), rtol=1e-3, atol=1e-2)
    inner = slope - slope.mean(0) - unit * (slope * unit).mean(0)
    assert np.allclose(found, inner * correction[1] * correction[2] * weight, rtol=1e-3, atol=1e-3)


def test_what_does_not_fit_is_refused() -> None:
    def run(x: int = 32, units: int = 16, out: int = 32, correction: tuple[int, int] = (4, 16)) -> None:
        rows = [np.zeros(units, np.float32) for _ in range(4)]
        settings = (0.1, 1e-5, 3.0, 5.0)
        batch, into = np.zeros(x, np.float32), np.zeros(out, np.float32)
        _native.renorm(batch, tuple(rows), settings, into, np.zeros(correction, np.float32))

    run()
    for wrong in ({"x": 31}, {"units": 8}, {"out": 31}, {"correction": (3, 16)}, {"correction": (4, 15)}, {"x": 0}):
        with pytest.raises(ValueError, match=r"multiple of 16|equally large|four rows"):
            run(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no kernels"):
        _native.renorm(
            np.zeros(16, np.float32),
            tuple(np.zeros(16, np.float32) for _ in range(4)),
            (0.1, 1e-5, 3.0, 5.0),
            np.zeros(16, np.float32),
            np.zeros((4, 16), np.float32),
            "abacus",
        )
