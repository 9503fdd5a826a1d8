"""The native step of RMSprop against the same formula in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from widthwise import _native


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1_000])
def test_is_the_formula(size: int) -> None:
    rng = np.random.default_rng(size)
    weights, squares = rng.normal(size=size).astype(np.float32), np.zeros(size, np.float32)
    expected, running = weights.astype(np.float64), squares.astype(np.float64)
    for _ in range(3):
        gradient = rng.normal(size=size).astype(np.float32)
        _native.rmsprop(weights, gradient, squares, 7e-4, 0.99, 0.01)
        running = 0.99 * running + 0.01 * gradient.astype(np.float64) ** 2
        expected -= 7e-4 * gradient / (np.sqrt(running) + 0.01)
    assert np.allclose(weights, expected, rtol=1e-5, atol=1e-6)
    assert np.allclose(squares, running, rtol=1e-5, atol=1e-7)


def test_rows_of_other_lengths_are_refused() -> None:
    long, short = np.zeros(5, np.float32), np.zeros(4, np.float32)
    for rows in ((long, short, long), (long, long, short), (short, long, long)):
        with pytest.raises(ValueError, match="equally long"):
            _native.rmsprop(*rows, 1e-3, 0.99, 0.01)
