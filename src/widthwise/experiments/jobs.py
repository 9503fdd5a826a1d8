"""What is to be done, and the doing of it inside a worker, whatever brought it there."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from widthwise.core.errors import WidthwiseError

Part = Mapping[str, Any]
Outcome = dict[str, Any]
#: Characters of a failure that are kept as a log.
MOST_LOG = 20_000


@dataclass(frozen=True, slots=True)
class Job:
    """Something to prepare once and to run in several parts, each of which makes one line.

    `function` is written `module:name`. Called with the payload it prepares the job (reads and grounds a
    task, say) and returns what runs one part, or all of them at once if they go `together`. A part holds the
    fields that name its line.
    """

    function: str
    payload: Mapping[str, Any]
    parts: Sequence[Part] = field(default_factory=tuple)
    weight: float = 1.0  # how long it may take compared with others: heavy jobs come first
    together: bool = False  # the parts share work, and their lines come all at the end
    memory: int = 0  # bytes that it may take; 0: unknown, and not checked

    def only(self, parts: Sequence[Part]) -> Job:
        """The job with some of its parts."""
        return replace(self, parts=tuple(parts), weight=self.weight * len(parts) / len(self.parts))

    def after_death(self, index: int) -> tuple[bool, list[Job]]:
        """Whether the part that was waited for is to blame for the death of its worker, and what is still to do.

        If parts ran together, it is unknown which one failed: each gets a separate worker.
        """
        if self.together and len(self.parts) > 1:
            return False, [self.only([part]) for part in self.parts[index:]]
        rest = self.parts[index + 1 :]
        return True, [self.only(rest)] if rest else []


@dataclass(frozen=True, slots=True)
class Done:
    """One part of a job is done: its line, and its share of the job's weight."""

    line: dict[str, Any]
    weight: float


class Pool(Protocol):
    """Runs jobs in local processes or on a cluster."""

    def run(self, jobs: Sequence[Job]) -> Iterator[Done]:
        """Run all jobs and hand back their lines as they come; closing the iterator stops the work."""


def work(job: Job) -> Iterator[Outcome]:
    """Run a job's parts in order; what goes wrong becomes the outcome of the part."""
    try:
        module, _, name = job.function.partition(":")
        run: Callable[[Any], Any] = getattr(importlib.import_module(module), name)(job.payload)
        if job.together:
            yield from run(job.parts)
            return
    except Exception as error:
        for _ in job.parts:
            yield failure(error)
        return
    for part in job.parts:
        try:
            yield run(part)
        except Exception as error:
            yield failure(error)


def failure(error: BaseException) -> Outcome:
    """An error as a line records it; errors that are not the user's come with their traceback."""
    if isinstance(error, WidthwiseError) and type(error) is not WidthwiseError:
        return lost(type(error).__name__, str(error))
    trace = "".join(traceback.format_exception(error)).strip()
    return lost(type(error).__name__, str(error) or "no message", trace)


def lost(kind: str, reason: str, trace: str | None = None) -> Outcome:
    """The outcome of a part that has none."""
    entry = {"kind": kind, "reason": reason}
    return {"failure": entry if trace is None else {**entry, "traceback": trace}}


def done(job: Job, index: int, outcome: Outcome) -> Done:
    """The line of a part of a job; a failure is also kept as a log."""
    line = {**job.parts[index], "failure": None, **outcome}
    if line["failure"] is not None:
        entry = line["failure"]
        log = entry.get("traceback") or f"{entry['kind']}: {entry['reason']}"
        line["files"] = {"log": f"{log[-MOST_LOG:]}\n", **line.get("files", {})}
    return Done(line, job.weight / len(job.parts))
