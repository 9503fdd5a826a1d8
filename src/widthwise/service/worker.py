"""A worker process: reads jobs from its standard input, writes answers to its standard output, and keeps hard limits.

A message is a length in four bytes and JSON of that length. The process ends when its input ends, so it never outlives
the service. Everything that it prints otherwise goes to stderr.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import struct
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

LENGTH = struct.Struct(">I")
#: What the interpreter and the allocator may take in addition to the memory that a job may use.
ALLOWANCE = 300_000_000
#: The largest answer.
MOST_BYTES = 64_000_000


def pack(data: dict[str, Any]) -> bytes:
    """A message."""
    text = json.dumps(data, allow_nan=False).encode()
    return LENGTH.pack(len(text)) + text


def main() -> None:
    """Work on jobs until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but answers reaches the service
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs), daemon=True).start()

    from widthwise.service.work import perform  # after the thread: it ends a process whose service has ended

    _send(output, pack({"status": "ready"}))
    while True:
        job = jobs.get()
        _limit_memory(job["max_memory"])
        try:
            answer = pack(perform(job))
            if len(answer) > MOST_BYTES:
                answer = pack({"status": "out-of-memory", "reason": "the answer is too large to be sent"})
        except MemoryError:
            answer = pack({"status": "out-of-memory", "reason": "the memory limit was reached"})
        _send(output, answer)


def _send(output: BinaryIO, message: bytes) -> None:
    output.write(message)
    output.flush()


def _listen(source: BinaryIO, jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    while len(length := source.read(LENGTH.size)) == LENGTH.size:
        jobs.put(json.loads(source.read(LENGTH.unpack(length)[0])))
    os._exit(0)  # the service has closed the connection, or has ended


def _limit_memory(megabytes: float) -> None:
    """Let the system refuse memory beyond what the job may use, where the system can."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(ValueError, OSError):  # a smaller limit from outside stays in force
        resource.setrlimit(resource.RLIMIT_AS, (size + int(megabytes * 1_000_000) + ALLOWANCE, hard))


if __name__ == "__main__":
    main()
