"""Jobs whose results are fetched later: a bounded store with links that cannot be guessed."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from sys import getsizeof

from widthwise.service.limits import ServiceLimits
from widthwise.service.work import Answer
from widthwise.service.worker_pool import QueueFull

_MOST_BYTES = 128_000_000  # of all kept results together


@dataclass(slots=True)
class KeptJob:
    """A job that runs or has ended."""

    task: asyncio.Task[Answer]
    ended: float | None = None  # the time at which its result was there
    size: int = 0  # bytes of its result


class KeptJobs:
    """The jobs of one service, oldest first."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self._jobs: OrderedDict[str, KeptJob] = OrderedDict()

    def check_room(self) -> None:
        """Make room for another job; raises `QueueFull` if as many jobs as may be kept still run."""
        self._drop_old()
        if len(self._jobs) >= self.limits.kept_results and not self._drop_one():
            raise QueueFull("too many jobs are running: try again later")

    def add(self, task: asyncio.Task[Answer]) -> str:
        """Keep a job and return the name under which its result is found."""
        name = secrets.token_urlsafe(16)
        job = self._jobs[name] = KeptJob(task)

        def note_end(_: asyncio.Task[Answer]) -> None:
            job.ended = time.monotonic()

        task.add_done_callback(note_end)
        return name

    def find(self, name: str) -> KeptJob | None:
        """A job by its name; None if there is none, or its result was dropped."""
        self._drop_old()
        return self._jobs.get(name)

    def remove(self, name: str) -> bool:
        """End a job and drop its result."""
        job = self._jobs.pop(name, None)
        if job is not None:
            job.task.cancel()
        return job is not None

    async def stop(self) -> None:
        """End all jobs."""
        tasks = [job.task for job in self._jobs.values()]
        for name in list(self._jobs):
            self.remove(name)
        await asyncio.gather(*tasks, return_exceptions=True)

    def _drop_old(self) -> None:
        before = time.monotonic() - self.limits.kept_seconds
        total = 0
        for name, job in list(self._jobs.items()):
            if job.ended is None:
                continue
            if job.ended < before:
                self.remove(name)
                continue
            if job.size == 0:
                job.size = _size(job.task)
            total += job.size
        while total > _MOST_BYTES and (dropped := self._drop_one()):
            total -= dropped

    def _drop_one(self) -> int:
        """Drop the oldest result and return its size; 0 if all jobs still run."""
        for name, job in self._jobs.items():
            if job.task.done():
                self.remove(name)
                return max(1, job.size)
        return 0


def _size(task: asyncio.Task[Answer]) -> int:
    if task.cancelled() or task.exception() is not None:
        return 1
    answer = task.result()
    return 1000 + 3 * len(answer.get("plan_text") or "") + sum(map(getsizeof, answer.get("actions", ())))
