"""What the service holds in memory is bounded: bodies that wait, and results that are kept."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from service_tools import texts
from widthwise.service.bodies import Bodies, TooLarge
from widthwise.service.fields import read_request
from widthwise.service.kept_jobs import KeptJobs
from widthwise.service.limits import ServiceLimits
from widthwise.service.work import Answer
from widthwise.service.worker_pool import QueueFull, Stopping, WorkerPool


def request(*chunks: bytes) -> Request:
    """A request whose body comes in chunks."""
    left = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    left.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Any:
        return left.pop(0)

    return Request({"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}, receive)


def test_bodies_are_limited_alone_and_together() -> None:
    async def run() -> None:
        bodies = Bodies(ServiceLimits(body_bytes=10, waiting_bytes=15))
        with pytest.raises(TooLarge):
            large = request(b" " * 6, b" " * 6)
            try:
                await bodies.read(large)
            finally:
                bodies.release(large)
        first, second, third = request(b"[1, 2, 3]"), request(b"[1, 2, 3]"), request(b"[1, 2, 3]")
        assert await bodies.read(first) == [1, 2, 3]
        with pytest.raises(QueueFull, match="try again later"):
            await bodies.read(second)
        bodies.release(second)
        bodies.release(first)
        assert bodies.held == 0
        assert await bodies.read(third) == [1, 2, 3]

    asyncio.run(run())


def test_old_results_make_room_and_running_jobs_do_not() -> None:
    async def ended() -> Answer:
        return {"status": "solved"}

    async def endless() -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    async def run() -> None:
        kept = KeptJobs(ServiceLimits(kept_results=2))
        oldest = kept.add(asyncio.ensure_future(ended()))
        await asyncio.sleep(0)
        running = kept.add(asyncio.ensure_future(endless()))
        kept.check_room()
        assert kept.find(oldest) is None and kept.find(running) is not None
        other = kept.add(asyncio.ensure_future(endless()))
        with pytest.raises(QueueFull):
            kept.check_room()
        assert kept.remove(other) and not kept.remove(other)
        kept.check_room()
        await kept.stop()
        assert kept.find(running) is None

    asyncio.run(run())


def test_results_are_dropped_after_their_time_and_when_they_are_large() -> None:
    async def large() -> Answer:
        return {"status": "solved", "plan_text": "x" * 30_000_000}

    async def run() -> None:
        kept = KeptJobs(ServiceLimits())
        names = [kept.add(asyncio.ensure_future(large())) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert [kept.find(name) is not None for name in names] == [False, False, True]
        brief = KeptJobs(ServiceLimits(kept_seconds=1e-9))
        name = brief.add(asyncio.ensure_future(large()))
        await asyncio.sleep(0.01)
        assert brief.find(name) is None

    asyncio.run(run())


def test_the_actions_of_a_result_count_and_expired_results_do_not() -> None:
    async def large() -> Answer:
        return {"status": "solved", "plan_text": "", "actions": ["x" * 1_000_000] * 90}

    async def run() -> None:
        kept = KeptJobs(ServiceLimits())
        names = [kept.add(asyncio.ensure_future(large())) for _ in range(2)]
        await asyncio.sleep(0.01)
        assert [kept.find(name) is not None for name in names] == [False, True]
        old, new = names[1], kept.add(asyncio.ensure_future(large()))
        await asyncio.sleep(0.01)
        job = kept._jobs[old]
        assert job.ended is not None
        job.ended -= kept.limits.kept_seconds + 1
        assert kept.find(new) is not None and kept.find(old) is None

    asyncio.run(run())


def test_the_age_of_a_result_counts_from_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("widthwise.service.kept_jobs.time", SimpleNamespace(monotonic=lambda: now[0]))

    async def run() -> None:
        kept = KeptJobs(ServiceLimits(kept_seconds=600))
        end = asyncio.Event()

        async def slow() -> Answer:
            await end.wait()
            return {"status": "solved"}

        name = kept.add(asyncio.ensure_future(slow()))
        for now[0], expected in ((1000.0, True), (1599.0, True), (1601.0, False)):
            end.set()
            await asyncio.sleep(0.01)
            assert (kept.find(name) is not None) == expected

    asyncio.run(run())


def test_a_pool_that_is_stopped_takes_no_jobs_and_ends_those_that_wait() -> None:
    async def run() -> None:
        limits = ServiceLimits(workers=1, queue=1)
        pool = WorkerPool(limits)  # not started: jobs wait
        job = read_request("solve", texts(length=2), limits)
        waiting = [pool.submit(job), pool.submit(job)]
        with pytest.raises(QueueFull):
            pool.submit(job)
        cancelled = waiting.pop()
        cancelled.cancel()
        await asyncio.sleep(0.01)
        assert pool.waiting == 1
        await pool.stop()
        with pytest.raises(Stopping):
            await waiting[0]
        with pytest.raises(Stopping):
            await pool.run(job)
        assert pool.waiting == 0

    asyncio.run(run())
