"""The runner of every suite: gives the missing jobs to a pool and keeps each line as it comes."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.provenance import cores
from widthwise.experiments.jobs import Done, Job, Pool
from widthwise.experiments.pool import LocalPool
from widthwise.experiments.store import RunStore

_log = logging.getLogger(__name__)


class Listener:
    """Receives the progress of a run; this base class ignores it."""

    def begin(self, jobs: Sequence[Job], done_before: int) -> None:
        """Jobs are about to run; `done_before` lines exist from earlier."""

    def received(self, done: Done) -> None:
        """A line was written."""

    def end(self) -> None:
        """Nothing more will be heard."""


def run_jobs(
    store: RunStore,
    jobs: Iterable[Job],
    pool: Pool,
    listener: Listener | None = None,
    stamp: Mapping[str, Any] | None = None,
) -> None:
    """Run all parts that have no line yet; stops at once when interrupted, and can continue later.

    Every line ends with the `stamp`: what made it.
    """
    listener = listener or Listener()
    missing = []
    for job in jobs:
        parts = tuple(part for part in job.parts if store.key(part) not in store.done)
        if parts:
            missing.append(job.only(parts))
    _log.info("%s: %d jobs to run, %d lines kept", store.folder, len(missing), len(store.lines))
    listener.begin(missing, len(store.lines))
    try:
        # Closing the generator ends its workers, whatever happens here.
        with contextlib.closing(pool.run(missing)) as lines:  # type: ignore[type-var]
            for done in lines:
                store.append({**done.line, **(stamp or {})})
                _log.debug("line %s", done.line)
                listener.received(done)
    finally:
        listener.end()


def make_pool(workers: str | None, ray_address: str | None) -> Pool:
    """A pool as the command line specifies it: local processes (one per core by default), or `ray`."""
    if workers == "ray":
        from widthwise.experiments.ray_pool import RayPool

        return RayPool(ray_address)
    if ray_address is not None:
        raise UsageError("--ray-address is for --workers ray")
    if workers is None:
        return LocalPool(cores())
    if not (workers.isascii() and workers.isdigit() and int(workers) > 0):
        raise UsageError(f"--workers must be a number of processes, or ray, not {workers!r}")
    return LocalPool(int(workers))
