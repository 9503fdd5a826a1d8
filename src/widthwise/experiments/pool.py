"""Jobs on this machine: worker processes that may die without taking the suite with them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from widthwise.core.budget import machine_bytes
from widthwise.core.errors import command_line_advice
from widthwise.experiments.jobs import Done, Job, Outcome, done, lost, work
from widthwise.experiments.limited import usage

_LOOK_SECONDS = 2.0  # how often the free memory is looked at while a job waits for it


def _serve(connection: Connection) -> None:
    """Work on jobs until there are no more; runs in the worker process."""
    # A separate process group: ending the worker also ends the processes it has started.
    os.setpgid(0, 0)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    # The suite ends its workers: a signal to all processes of a session must not make lines of killed workers.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: None)
    try:
        with command_line_advice():
            while True:
                job: Job = connection.recv()
                for outcome in work(job):
                    connection.send(outcome)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.killpg(0, signal.SIGKILL)


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job
    finished: int = 0  # parts of the job

    def kill(self) -> None:
        """End the worker with all it has started."""
        self.process.kill()
        self.kill_children()

    def kill_children(self) -> None:
        """End what the worker has started and may have left behind."""
        assert self.process.pid
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)


def missing_bytes(job: Job, running: Sequence[int], promised: Mapping[int, int]) -> int:
    """How many bytes of memory are missing for a job, with what running jobs may still take set aside; 0: it fits."""
    free = machine_bytes()
    if not job.memory or free is None:
        return 0
    kept = sum(max(0, promised.get(pid, 0) - int(1e6 * usage(pid)[1])) for pid in running)
    return max(0, job.memory - (free - kept))


def does_not_fit(job: Job, missing: int) -> Iterator[Done]:
    """The lines of a job that was not started."""
    reason = f"not started: it may use {job.memory / 1e6:,.0f} MB of memory, {missing / 1e6:,.0f} MB more than is free"
    for index in range(len(job.parts)):
        yield done(job, index, lost("OutOfMemory", reason))


class LocalPool:
    """Some worker processes; one that is killed is replaced, and the line of its part holds the reason."""

    def __init__(self, workers: int) -> None:
        self.count = workers
        # Spawned, not forked: nothing of this process (locks, open run folder) leaks into a worker.
        self.context = multiprocessing.get_context("spawn")
        self._promised: dict[int, int] = {}  # bytes that running jobs may take, by process

    def run(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """Run all jobs, heaviest first."""
        waiting = deque(sorted(jobs, key=lambda job: -job.weight))
        workers: list[_Worker] = []
        try:
            while waiting or workers:
                while waiting and len(workers) < self.count:
                    missing = missing_bytes(waiting[0], [worker.process.pid or 0 for worker in workers], self._promised)
                    if missing and workers:
                        break  # until another job has ended
                    job = waiting.popleft()
                    if missing:
                        yield from does_not_fit(job, missing)
                        continue
                    workers.append(self._start(job))
                if not workers:
                    continue  # no job that is left was started
                ready = wait([worker.connection for worker in workers], _LOOK_SECONDS if waiting else None)
                for worker in [worker for worker in workers if worker.connection in ready]:
                    yield from self._hear(worker, waiting)
                    if worker.finished < len(worker.job.parts):
                        continue
                    if waiting and not waiting[0].memory:
                        self._give(worker, waiting.popleft())
                    else:  # a job whose memory is limited gets a separate process
                        workers.remove(worker)
                        worker.connection.close()
                        worker.process.join()
                        self._promised.pop(worker.process.pid or 0, None)
        finally:
            for worker in workers:
                worker.kill()
            for worker in workers:
                worker.process.join()
                worker.connection.close()

    def _start(self, job: Job) -> _Worker:
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=_serve, args=(theirs,), daemon=True)
        # Ctrl-C reaches the whole process group, but it is the suite that ends its workers: they inherit a mask
        # that keeps it from them, from their first moment on.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        self._promised[process.pid or 0] = job.memory
        worker = _Worker(process, ours, job)
        self._give(worker, job)
        return worker

    def _give(self, worker: _Worker, job: Job) -> None:
        worker.job, worker.finished = job, 0
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it died idle: reading from it reports that
            worker.connection.send(job)

    def _hear(self, worker: _Worker, waiting: deque[Job]) -> Iterator[Done]:
        job, index = worker.job, worker.finished
        try:
            outcome: Outcome = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            reason = self._bury(worker)
            guilty, rest = job.after_death(index)
            if guilty:
                yield done(job, index, reason)
            waiting.extendleft(reversed(rest))
            worker.finished = len(job.parts)
            self._promised.pop(worker.process.pid or 0, None)
            if waiting and not waiting[0].memory:
                fresh = self._start(waiting.popleft())
                worker.process, worker.connection = fresh.process, fresh.connection
                worker.job, worker.finished = fresh.job, 0
        else:
            worker.finished += 1
            yield done(job, index, outcome)

    def _bury(self, worker: _Worker) -> Outcome:
        worker.connection.close()
        worker.process.join()
        worker.kill_children()
        code = worker.process.exitcode or 0
        if code < 0:
            name = signal.Signals(-code).name if -code in list(signal.Signals) else str(-code)
            hint = ", perhaps because memory ran out" if -code == signal.SIGKILL else ""
            return lost("WorkerDied", f"the worker process was killed by signal {name}{hint}")
        return lost("WorkerDied", f"the worker process ended with exit code {code}")
