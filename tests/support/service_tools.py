"""What the tests of services share: a running service, requests to it, and tasks of known difficulty."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from widthwise.classical.examples import EXAMPLES
from widthwise.core.processes import tree

PATIENCE = 120.0  # how long a test waits for what must happen


def texts(name: str = "corridor", **sizes: int) -> dict[str, Any]:
    """A bundled task as a request."""
    return {"domain": EXAMPLES[name].domain(), "problem": EXAMPLES[name].problem(**sizes)}


def endless() -> dict[str, Any]:
    """A request whose search does not end by itself: breadth-first search for a tower of many blocks."""
    return {**texts("blocks", blocks=40), "planner": "bfs"}


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "this has not come about"
        time.sleep(0.02)


@dataclass
class Running:
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    lines: list[str] = field(default_factory=list)  # what it has printed to stderr

    def post(self, path: str, data: Any, **more: Any) -> httpx.Response:
        """Send a request."""
        return httpx.post(self.url + path, json=data, timeout=PATIENCE, **more)

    def get(self, path: str) -> httpx.Response:
        """Ask for a page."""
        return httpx.get(self.url + path, timeout=PATIENCE)

    def metric(self, name: str) -> float:
        """A number that the service counts; 0 if it has not been counted yet."""
        line = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics").text, re.MULTILINE)
        return float(line[1]) if line else 0.0

    def workers(self) -> list[int]:
        """The numbers of its worker processes."""
        return [pid for pid in tree(self.process.pid) if pid != self.process.pid]

    def end(self, number: int = signal.SIGTERM) -> int:
        """End the service by a signal and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def serving(*options: str) -> Iterator[Running]:
    """A service with these options, on a free port."""
    command = [sys.executable, "-m", "widthwise", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    running = Running(process, "")
    try:
        for line in process.stderr:
            running.lines.append(line)
            if address := re.search(r"serving on (http://\S+)", line):
                running.url = address[1]
                break
        assert running.url, "".join(running.lines)
        # What comes later is read, so that the service never waits for a full pipe.
        threading.Thread(target=lambda: running.lines.extend(process.stderr or ()), daemon=True).start()
        yield running
    finally:
        running.end(signal.SIGTERM)


def is_alive(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def resident_mb(pid: int) -> float:
    """The memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
