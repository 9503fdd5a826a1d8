"""Worker processes for a service: a bounded queue in front of them, hard limits, and replacements for lost ones."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Coroutine
from typing import Any

from widthwise.core.errors import WidthwiseError
from widthwise.core.processes import kill_tree
from widthwise.experiments.limited import usage
from widthwise.service.limits import ServiceLimits
from widthwise.service.work import Answer, Job
from widthwise.service.worker import LENGTH, pack

#: Seconds after its time limit until a worker that has not answered is killed.
GRACE = 2.0
#: A worker is replaced when it has done this many jobs, or holds this much memory between two jobs.
_MOST_JOBS, _MOST_MEGABYTES = 500, 300.0
_START_SECONDS = 60.0


class QueueFull(WidthwiseError):
    """The queue has no place for another request."""


class Stopping(WidthwiseError):
    """The service is shutting down."""


class WorkerLost(WidthwiseError):
    """A worker process ended before it had answered."""


class Worker:
    """One process, which works on one job at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.jobs = 0

    @classmethod
    async def start(cls) -> Worker:
        """Start a process and wait until it is ready."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "widthwise.service.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C on the terminal is for the service alone
        )
        worker = cls(process)
        try:
            await asyncio.wait_for(worker._receive(), _START_SECONDS)
        except BaseException:
            await worker.kill()
            raise
        return worker

    async def perform(self, job: Job, seconds: float) -> Answer:
        """Execute a job within this many seconds; raises `TimeoutError` or `WorkerLost`."""
        assert self.process.stdin is not None
        self.jobs += 1
        async with asyncio.timeout(seconds):
            try:
                self.process.stdin.write(pack(job))
                await self.process.stdin.drain()
                return await self._receive()
            except (asyncio.IncompleteReadError, ConnectionError):
                code = await self.process.wait()
                raise WorkerLost(f"the worker process ended with {_ended(code)}") from None

    async def _receive(self) -> Answer:
        assert self.process.stdout is not None
        (length,) = LENGTH.unpack(await self.process.stdout.readexactly(LENGTH.size))
        answer: Answer = json.loads(await self.process.stdout.readexactly(length))
        return answer

    @property
    def worn(self) -> bool:
        """Whether a new process should take its place."""
        return self.jobs >= _MOST_JOBS or usage(self.process.pid)[1] > _MOST_MEGABYTES

    async def kill(self) -> None:
        """End the process now."""
        if self.process.returncode is None:
            kill_tree(self.process.pid)
        await self.process.wait()


def _ended(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


class Observer:
    """What a pool reports; the metrics of the service count it."""

    def waited(self, seconds: float) -> None:
        """A job has left the queue."""

    def restarted(self) -> None:
        """A worker process is being replaced."""

    def ended(self, kind: str, status: str, seconds: float) -> None:
        """A job has ended."""


class WorkerPool:
    """Some workers behind a queue of bounded length.

    Args:
        limits: The limits of the service.
        observer: Receives what happens to every job.
    """

    def __init__(self, limits: ServiceLimits, observer: Observer | None = None) -> None:
        self.limits = limits
        self.observer = observer or Observer()
        self.running = 0
        self.stopping = False
        self._queued: set[object] = set()  # a ticket for every job that waits
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()  # starts and ends of processes
        self._jobs: set[asyncio.Task[Answer]] = set()

    def start(self) -> None:
        """Start the processes in the background; requests wait until one is ready."""
        for _ in range(self.limits.workers):
            self._background(self._add())

    async def stop(self) -> None:
        """End all processes. Jobs that wait or are worked on end with `Stopping`."""
        self.stopping = True
        for task in [*self._jobs, *self._tasks]:
            task.cancel()
        await asyncio.gather(*self._jobs, *self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.kill() for worker in self._all), return_exceptions=True)
        self._all.clear()

    @property
    def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return len(self._queued)

    @property
    def processes(self) -> list[int]:
        """The numbers of the worker processes."""
        return [worker.process.pid for worker in self._all]

    async def run(self, job: Job) -> Answer:
        """Have a job done, as `submit`. To cancel the call is to end the job."""
        try:
            return await self.submit(job)
        except asyncio.CancelledError:
            if self.stopping:
                raise Stopping("the service is shutting down") from None
            raise

    def submit(self, job: Job) -> asyncio.Task[Answer]:
        """Put a job into the queue.

        Args:
            job: What `read_request` returned.

        Returns:
            A task whose result is the answer of `perform`, with the seconds in the queue; `out-of-time` if the worker
            had to be killed. The task may raise `WorkerLost` or `Stopping`. To cancel it is to end the job.

        Raises:
            QueueFull: Too many jobs wait already.
            Stopping: The service is shutting down.
        """
        if self.stopping:
            raise Stopping("the service is shutting down")
        if self.waiting + self.running >= self.limits.queue + self.limits.workers:
            raise QueueFull(f"{self.waiting} requests are already waiting: try again later")
        ticket = object()
        self._queued.add(ticket)
        task = asyncio.ensure_future(self._run(job, ticket))
        self._jobs.add(task)

        def ended(task: asyncio.Task[Answer]) -> None:
            self._queued.discard(ticket)  # if it was cancelled before it began
            self._jobs.discard(task)

        task.add_done_callback(ended)
        return task

    async def _run(self, job: Job, ticket: object) -> Answer:
        start = time.monotonic()
        status, seconds = "cancelled", 0.0
        try:
            worker = await self._take()
            waited = time.monotonic() - start
            self._queued.discard(ticket)
            self.observer.waited(waited)
            answer = await self._performed(worker, job)
            status, seconds = answer["status"], time.monotonic() - start - waited
        except asyncio.CancelledError:
            if self.stopping:
                raise Stopping("the service is shutting down") from None
            raise
        except WorkerLost:
            status = "lost"
            raise
        finally:
            self.observer.ended(job["kind"], status, seconds)
        return {**answer, "queue_seconds": round(waited, 6)}

    async def _performed(self, worker: Worker, job: Job) -> Answer:
        self.running += 1
        kept = False
        try:
            answer = await worker.perform(job, job["max_time"] + GRACE)
            kept = not worker.worn
        except TimeoutError:
            answer = {
                "status": "out-of-time",
                "reason": "the time limit was reached; the worker process was terminated",
            }
        finally:
            self.running -= 1
            if kept:
                self._idle.put_nowait(worker)
            elif not self.stopping:
                self._background(self._replace(worker))
        return answer

    async def _take(self) -> Worker:
        """The next worker that is alive."""
        while True:
            worker = await self._idle.get()
            if worker.process.returncode is None:
                return worker
            self._background(self._replace(worker))

    async def _add(self) -> None:
        delay = 0.1
        while not self.stopping:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):  # such as: no memory now
                worker = await Worker.start()
                self._all.add(worker)
                self._idle.put_nowait(worker)
                return
            await asyncio.sleep(delay)
            delay = min(5.0, 2 * delay)

    async def _replace(self, worker: Worker) -> None:
        self.observer.restarted()
        await worker.kill()
        self._all.discard(worker)
        await self._add()

    def _background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
