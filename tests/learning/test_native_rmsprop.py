"""The native passes of RMSprop against the same formulas in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from widthwise import _native

SIZES = [0, 1, 15, 16, 17, 1_000, 1_024, 3_001]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("l2", "scale"), [(0.0, 1.0), (0.1, 1.0), (0.1, 0.25)])
def test_a_step_is_the_formula(size: int, l2: float, scale: float) -> None:
    rng = np.random.default_rng(size)
    weights, squares = rng.normal(size=size).astype(np.float32), np.zeros(size, np.float32)
    expected, running = weights.astype(np.float64), squares.astype(np.float64)
    for _ in range(3):
        gradient = rng.normal(size=size).astype(np.float32)
        _native.rmsprop(weights, gradient, l2, scale, squares, 7e-4, 0.99, 0.01)
        whole = (gradient + l2 * expected) * scale
        running = 0.99 * running + 0.01 * whole**2
        expected -= 7e-4 * whole / (np.sqrt(running) + 0.01)
    assert np.allclose(weights, expected, rtol=1e-5, atol=1e-6)
    assert np.allclose(squares, running, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("size", SIZES)
def test_squares_are_the_formula(size: int) -> None:
    rng = np.random.default_rng(size)
    weights, gradient = (rng.normal(size=size).astype(np.float32) for _ in range(2))
    result = _native.squares(weights, gradient, 0.5)
    whole = gradient.astype(np.float64) + 0.5 * weights
    assert result == pytest.approx((np.sum(whole**2), np.sum(weights.astype(np.float64) ** 2)), rel=1e-5)


def test_rows_of_other_lengths_are_refused() -> None:
    long, short = np.zeros(5, np.float32), np.zeros(4, np.float32)
    for weights, gradient, running in ((long, short, long), (long, long, short), (short, long, long)):
        with pytest.raises(ValueError, match="equally long"):
            _native.rmsprop(weights, gradient, 0.0, 1.0, running, 1e-3, 0.99, 0.01)
    with pytest.raises(ValueError, match="equally long"):
        _native.squares(long, short, 0.0)
