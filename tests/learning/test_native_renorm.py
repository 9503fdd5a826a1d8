"""Native renormalisation against the same formulas in numpy, with every kind of kernels the machine has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from widthwise import _native

Floats = npt.NDArray[np.float32]
MOMENTUM, EPSILON, RATIO, SHIFT = 0.2, 1e-5, 3.0, 5.0


def correction_for(units: int) -> Floats:
    return np.zeros((4, units), np.float32)


def available() -> list[str]:
    result = []
    for name in ("plain", "avx2", "avx512"):
        try:
            _native.Forward(1, 1, 16, 1, name)
        except ValueError:
            continue
        result.append(name)
    return result


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
    result, of_weight, of_bias = np.empty_like(x), np.empty(count, np.float32), np.empty(count, np.float32)
    passed = (x.ravel(), out.ravel(), gradient.ravel())
    _native.renorm_backward(passed, weight, correction, (result.ravel(), of_weight, of_bias), kernels)
    slope = np.where(out > 0, gradient, 0).astype(np.float64)
    unit = (exact - correction[0]) * correction[1]
    assert np.allclose(of_bias, slope.sum(0), atol=1e-3)
    assert np.allclose(of_weight, (slope * (unit * correction[2] + correction[3])).sum(0), rtol=1e-3, atol=1e-2)
    inner = slope - slope.mean(0) - unit * (slope * unit).mean(0)
    assert np.allclose(result, inner * correction[1] * correction[2] * weight, rtol=1e-3, atol=1e-3)


def forward(x: Floats, mean: Floats, variance: Floats, momentum: float = MOMENTUM) -> tuple[Floats, Floats]:
    """Outputs and correction, without weight and bias."""
    count = x.shape[1]
    out, correction = np.empty_like(x), correction_for(count)
    units = (np.ones(count, np.float32), np.zeros(count, np.float32), mean, variance)
    _native.renorm(x.ravel(), units, (momentum, EPSILON, RATIO, SHIFT), out.ravel(), correction)
    return out, correction


def test_what_never_changes_is_held_by_epsilon() -> None:
    x = normal(np.random.default_rng(1), 40, 16)
    x[:, 3] = 0.25
    x[:, 5] = 0.25 + 1e-3 * x[:, 5]
    x[:, 7] = 0.0
    _, correction = forward(x, np.zeros(16, np.float32), np.ones(16, np.float32))
    exact = 1 / np.sqrt(x.astype(np.float64).var(0) + EPSILON)
    assert np.allclose(correction[1], exact, rtol=1e-3)
    assert correction[1, 3] == correction[1, 7] == pytest.approx(EPSILON**-0.5, rel=1e-4)


@pytest.mark.parametrize("away", [10.0, 1e3, 1e5])
def test_little_is_lost_where_the_averages_are_far_away(away: float) -> None:
    x = normal(np.random.default_rng(2), 128, 16, middle=away)
    _, correction = forward(x, np.zeros(16, np.float32), np.ones(16, np.float32))
    exact = x.astype(np.float64)
    assert np.allclose(correction[0], exact.mean(0), rtol=1e-6)
    assert np.allclose(correction[1], 1 / np.sqrt(exact.var(0) + EPSILON), rtol=1e-3)


def test_with_a_momentum_of_one_the_averages_are_those_of_the_batch() -> None:
    x = normal(np.random.default_rng(3), 128, 16) * np.float32(0.01)
    mean, variance = np.full(16, 50, np.float32), np.full(16, 1e4, np.float32)
    _, correction = forward(x, mean, variance, momentum=1.0)
    assert np.array_equal(mean, correction[0])
    assert np.allclose(variance, x.astype(np.float64).var(0), rtol=1e-5)


def test_what_does_not_fit_is_refused() -> None:
    def run(
        x: int = 32, out: int = 32, units: tuple[int, ...] = (16, 16, 16, 16), rows: tuple[int, int] = (4, 16)
    ) -> None:
        settings = (0.1, 1e-5, 3.0, 5.0)
        each = tuple(np.zeros(count, np.float32) for count in units)
        _native.renorm(np.zeros(x, np.float32), each, settings, np.zeros(out, np.float32), np.zeros(rows, np.float32))

    run()
    for message, wrong in (
        ("multiple of 16", {"x": 31}),
        ("multiple of 16", {"x": 48, "out": 48, "units": (24,) * 4, "rows": (4, 24)}),
        ("one row at least", {"x": 0, "out": 0}),
        ("equally large", {"out": 16}),
        ("every unit", {"units": (16, 15, 16, 16)}),
        ("every unit", {"units": (16, 16, 15, 16)}),
        ("every unit", {"units": (16, 16, 16, 15)}),
        ("four rows", {"rows": (3, 16)}),
        ("four rows", {"rows": (4, 15)}),
    ):
        with pytest.raises(ValueError, match=message):
            run(**wrong)


def test_what_does_not_fit_is_refused_on_the_way_back() -> None:
    def run(
        passed: tuple[int, ...] = (32, 32, 32),
        weight: int = 16,
        rows: int = 16,
        gradients: tuple[int, ...] = (32, 16, 16),
    ) -> None:
        before, after = (tuple(np.zeros(count, np.float32) for count in counts) for counts in (passed, gradients))
        _native.renorm_backward(before, np.zeros(weight, np.float32), correction_for(rows), after)

    run()
    for message, wrong in (
        ("multiple of 16", {"passed": (33, 32, 32)}),
        ("multiple of 16", {"passed": (48,) * 3, "weight": 24, "rows": 24, "gradients": (48, 24, 24)}),
        ("equally large", {"passed": (32, 16, 32)}),
        ("equally large", {"passed": (32, 32, 16)}),
        ("equally large", {"gradients": (16, 16, 16)}),
        ("every unit", {"gradients": (32, 15, 16)}),
        ("every unit", {"gradients": (32, 16, 17)}),
        ("four rows", {"rows": 32}),
    ):
        with pytest.raises(ValueError, match=message):
            run(**wrong)


def test_unknown_kernels_are_refused() -> None:
    rows = [np.zeros(16, np.float32) for _ in range(6)]
    with pytest.raises(ValueError, match="no kernels"):
        _native.renorm(rows[0], tuple(rows[1:5]), (0.1, 1e-5, 3.0, 5.0), rows[5], correction_for(16), "abacus")
