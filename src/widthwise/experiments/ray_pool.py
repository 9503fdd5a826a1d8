"""Jobs on a Ray cluster, or on a local one that is started for them."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from widthwise.core.errors import MissingExtraError
from widthwise.core.ray_start import start_ray
from widthwise.experiments.jobs import Done, Job, Outcome, done, lost, work

_STORE_BYTES = 100_000_000  # lines are small; Ray's default would take a third of the machine


class RayPool:
    """Each job is a Ray task whose lines stream back; a task that crashes gives a line with the reason."""

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtraError("--workers ray", "ray") from None
        self.ray: Any = ray
        self.address = address

    def run(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """Run all jobs, heaviest first."""
        ray = self.ray
        ours = not ray.is_initialized()
        if ours:
            start_ray(ray, self.address, _STORE_BYTES)
        # No retry by Ray itself: a part that kills its worker gets a line, the rest of its job is sent again.
        remote = ray.remote(work).options(num_returns="streaming", max_retries=0)
        waiting = deque(sorted(jobs, key=lambda job: -job.weight))
        # Two per core keep every worker busy, and a stop leaves little behind.
        room = max(2, 2 * int(ray.cluster_resources().get("CPU", 1)))
        running: dict[Any, tuple[Job, int]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < room:
                    job = waiting.popleft()
                    # Ray starts a job where its memory is free.
                    task = remote.options(memory=job.memory) if job.memory else remote
                    running[task.remote(job)] = (job, 0)
                ready, _ = ray.wait(list(running), num_returns=1)
                for stream in ready:
                    job, index = running[stream]
                    try:
                        outcome: Outcome = ray.get(next(stream))
                    except StopIteration:
                        del running[stream]
                        continue
                    except ray.exceptions.RayError as error:
                        del running[stream]
                        if index == len(job.parts):
                            continue
                        reason = str(error).strip().splitlines()[0]
                        outcome = lost("WorkerDied", f"the Ray worker was lost: {reason}")
                        guilty, rest = job.after_death(index)
                        waiting.extendleft(reversed(rest))
                        if not guilty:
                            continue
                    else:
                        running[stream] = (job, index + 1)
                    yield done(job, index, outcome)
        finally:
            for stream in running:
                with contextlib.suppress(ray.exceptions.RayError, ValueError, TypeError):
                    ray.cancel(stream, force=True)
            if ours:
                ray.shutdown()
