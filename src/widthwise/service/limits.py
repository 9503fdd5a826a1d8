"""The limits of a service: what one request may use, and how many requests there may be."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from widthwise.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What requests to a service may use. A request may ask for less, never for more.

    Args:
        seconds: Wall-clock time of the work on one request, without the time in the queue.
        megabytes: Memory of the task and of the search.
        body_bytes: The size of one request.
        workers: How many requests are worked on at the same time.
        queue: How many more requests may wait.
        waiting_bytes: The size of all requests together that wait or are being received.
        kept_results: How many results of jobs are kept until they are fetched.
        kept_seconds: How long they are kept.
    """

    seconds: float = 20.0
    megabytes: float = 1000.0
    body_bytes: int = 8_000_000
    workers: int = field(default_factory=lambda: max(1, min(4, os.cpu_count() or 1)))
    queue: int = 256
    waiting_bytes: int = 256_000_000
    kept_results: int = 1000
    kept_seconds: float = 600.0

    def __post_init__(self) -> None:
        """Refuse limits that allow nothing."""
        for name in self.__slots__:
            if not getattr(self, name) > 0 and name != "queue":
                raise UsageError(f"a limit of {getattr(self, name)} for {name} is not possible: give a number above 0")
        if self.queue < 0:
            raise UsageError("the queue cannot have a negative length")
