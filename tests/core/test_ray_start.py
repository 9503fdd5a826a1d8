"""Connecting to Ray where it fails at first, without Ray."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from widthwise.core.errors import InputError
from widthwise.core.ray_start import start_ray


class Ray:
    """The part of Ray's module that connects; it fails with the given errors, one after the other."""

    def __init__(self, *errors: Exception) -> None:
        self.errors, self.calls, self.shut_down = list(errors), list[dict[str, Any]](), 0

    def init(self, **options: Any) -> None:
        """Connect."""
        self.calls.append(options)
        if self.errors:
            raise self.errors.pop(0)

    def shutdown(self) -> None:
        """End what was started."""
        self.shut_down += 1


SLOW = "The current node timed out during startup. This could happen because some of the raylet failed to startup"


def test_a_local_cluster_that_starts_too_slowly_is_started_again() -> None:
    ray = Ray(Exception(SLOW), Exception(SLOW))
    start_ray(ray, None, 1_000)
    assert (len(ray.calls), ray.shut_down) == (3, 2)
    assert ray.calls[0]["address"] == "local"
    assert ray.calls[0]["object_store_memory"] == 1_000


def test_what_ray_raises_becomes_one_message() -> None:
    for errors, attempts in (([Exception(SLOW)] * 9, 4), ([ConnectionError("nobody answers")], 1)):
        ray = Ray(*errors)
        with pytest.raises(InputError, match=r"cannot connect to Ray at 10\.0\.0\.1: (The current|nobody)"):
            start_ray(ray, "10.0.0.1", 1_000)
        assert (len(ray.calls), ray.shut_down) == (attempts, attempts)
        assert "object_store_memory" not in ray.calls[0]


class RayWithHandler(Ray):
    """Ray as it is: connecting replaces the handler of SIGTERM."""

    def init(self, **options: Any) -> None:
        """Connect."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        super().init(**options)


def test_signals_reach_the_handlers_from_before() -> None:
    def handle(number: int, frame: object) -> None:
        """Stop with a checkpoint."""

    before = signal.signal(signal.SIGTERM, handle)
    try:
        start_ray(RayWithHandler(Exception(SLOW)), None, 1_000)
        assert signal.getsignal(signal.SIGTERM) is handle
    finally:
        signal.signal(signal.SIGTERM, before)
