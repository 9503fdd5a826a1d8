"""A process and all its children."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def tree(root: int) -> list[int]:
    """A process and all its living children, parents first."""
    pids = [root]
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                pids += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return pids


def kill_tree(root: int) -> None:
    """Kill a process and all its children."""
    for _ in range(2):  # a child may have been born while its parent was being killed
        for pid in tree(root):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
