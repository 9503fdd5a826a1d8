"""What the tests of the command line share: tasks in files, and calls in and out of this process."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from widthwise.classical.examples import EXAMPLES

#: A problem that has no plan: the only key lies where nobody can go.
LOCKED = """
(define (problem locked) (:domain corridor)
  (:objects p0 p1 p2 - position)
  (:init (at p0) (key-at p1) (next p0 p1) (next p1 p0))
  (:goal (and (have-key) (at p2))))
"""
#: A problem whose goal is out of reach only because of what is deleted: two keys, one place to stand on.
TORN = """
(define (problem torn) (:domain corridor)
  (:objects p0 p1 - position)
  (:init (at p0) (key-at p1) (next p0 p1) (next p1 p0))
  (:goal (and (at p0) (at p1))))
"""


@dataclass
class Ended:
    """How a call ended."""

    code: int
    out: str
    err: str


def files(folder: Path, name: str, **sizes: int) -> list[str]:
    """Write a bundled task and return the paths of its two files."""
    folder.mkdir(parents=True, exist_ok=True)
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(EXAMPLES[name].domain(), encoding="utf-8")
    problem.write_text(EXAMPLES[name].problem(**sizes), encoding="utf-8")
    return [str(domain), str(problem)]


def texts(folder: Path, domain: str, problem: str) -> list[str]:
    """Write a task and return the paths of its two files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")
    return [str(folder / "domain.pddl"), str(folder / "problem.pddl")]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "80", **more}


def start(*arguments: str, **more: str) -> subprocess.Popen[str]:
    """Start the command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "widthwise", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**more),
    )


def call(*arguments: str, **more: str) -> Ended:
    """Run the command line in a process of its own."""
    process = start(*arguments, **more)
    out, err = process.communicate(timeout=900)
    return Ended(process.returncode, out, err)


def on_terminal(*arguments: str, **more: str) -> Ended:
    """Run the command line in a process of its own that talks to a terminal, on stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "widthwise", *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(**more),
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    return Ended(process.returncode, out.decode(), shown.decode())
