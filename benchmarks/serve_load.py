"""The service under load: many requests at the same moment, of which some run into every limit.

python benchmarks/serve_load.py [--requests 200] [--workers 2] [--out docs/results/serve-load.md]

A quarter of the requests is easy, a quarter is solved in some time, a quarter would search forever and has a small
limit of time, and a quarter a small limit of memory. Counted: requests without an answer, answers other than the
expected ones, plans that the validator refuses, the seconds and the memory beyond the limits, and the most memory that
the service and its workers hold. Needs httpx (extra `dev`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import httpx

import widthwise as ww
from page_width import wrapped
from widthwise.classical.examples import EXAMPLES
from widthwise.core.processes import tree
from widthwise.core.provenance import describe_run

SECONDS, MEGABYTES = 0.5, 20.0  # the limits of the requests that run into them
KINDS = ("easy", "solved", "time", "memory")
EXPECTED = {"easy": "solved", "solved": "solved", "time": "out-of-time", "memory": "out-of-memory"}


def request(number: int) -> tuple[str, dict[str, Any]]:
    """Request number `number`: its kind and its body."""
    kind = KINDS[number % len(KINDS)]
    name, sizes = ("corridor", {"length": 10}) if kind == "easy" else ("logistics", {})
    options: dict[str, Any] = {}
    if kind in ("time", "memory"):
        name, sizes = "blocks", {"blocks": 40}
        options = {"planner": "bfs", **({"max_time": SECONDS} if kind == "time" else {"max_memory": MEGABYTES})}
    family = EXAMPLES[name]
    return kind, {"domain": family.domain(), "problem": family.problem(seed=number, **sizes), **options}


@dataclass
class Load:
    """What was seen."""

    answers: list[tuple[str, dict[str, Any], dict[str, Any], float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    service_mb: list[float] = field(default_factory=list)
    worker_mb: list[float] = field(default_factory=list)
    seconds: float = 0.0


def resident_mb(pid: int) -> float:
    """The memory that a process holds."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def measure(url: str, pid: int, count: int) -> Load:
    """Send all requests at the same moment and look at the processes until all are answered."""
    load = Load()
    done = asyncio.Event()

    async def look() -> None:
        while not done.is_set():
            load.service_mb.append(resident_mb(pid))
            load.worker_mb += [resident_mb(worker) for worker in tree(pid)[1:]]
            await asyncio.sleep(0.05)

    limits = httpx.Limits(max_connections=count, max_keepalive_connections=0)
    async with httpx.AsyncClient(timeout=600, limits=limits) as client:

        async def ask(number: int) -> None:
            kind, data = request(number)
            start = time.monotonic()
            try:
                answer = await client.post(f"{url}/api/solve", json=data)
                load.answers.append((kind, data, answer.json(), time.monotonic() - start))
            except (httpx.HTTPError, ValueError) as error:
                load.failures.append(f"{kind}: {error!r}")

        watcher = asyncio.ensure_future(look())
        start = time.monotonic()
        await asyncio.gather(*map(ask, range(count)))
        load.seconds = time.monotonic() - start
        done.set()
        await watcher
    return load


def report(load: Load, count: int, workers: int, command: Sequence[str]) -> str:
    """The page of a run."""
    made = describe_run({}, command)
    wrong = [
        f"{kind}: {answer.get('status', answer)}"
        for kind, _, answer, _ in load.answers
        if answer.get("status") != EXPECTED[kind]
    ]
    invalid = sum(
        not ww.validate(ww.parse(data["domain"], data["problem"]), answer["plan"]).valid
        for _, data, answer, _ in load.answers
        if answer.get("plan") is not None
    )
    over = max((answer.get("work_seconds", 0) - SECONDS for kind, _, answer, _ in load.answers if kind == "time"))
    held = max((answer.get("memory_mb", 0) for kind, _, answer, _ in load.answers if kind == "memory"))
    rows = [
        ("requests at the same moment", f"{count}"),
        ("without an answer", f"{len(load.failures)}"),
        ("with an unexpected answer", f"{len(wrong)}"),
        ("plans that the validator refuses", f"{invalid}"),
        ("until the last answer, s", f"{load.seconds:.1f}"),
        (f"most seconds beyond a limit of {SECONDS:g} s", f"{max(0.0, over):.3f}"),
        (f"most memory of a request with a limit of {MEGABYTES:g} MB, MB", f"{held:.1f}"),
        ("memory of the service, first and most, MB", f"{load.service_mb[0]:.0f}, {max(load.service_mb):.0f}"),
        ("most memory of a worker, MB", f"{max(load.worker_mb):.0f}"),
    ]
    waits = [answer["queue_seconds"] for _, _, answer, _ in load.answers if "queue_seconds" in answer]
    kinds = Counter((kind, answer.get("status", "error")) for kind, _, answer, _ in load.answers)
    machine = made["machine"]
    page = [
        "# The service under load",
        "",
        f"Written by `{made['command']}`. Version {made['versions']['widthwise']}, commit {made['commit']}, Python "
        f"{made['versions']['python']}; {machine['cpu']}, {machine['cores']} cores. Requests have the seeds 0 to "
        f"{count - 1}. The machine had other work: the seconds until the last answer are an upper bound, and a worker "
        "that waits for a processor when its time ends notices the limit later.",
        "",
        f"`widthwise serve --workers {workers}` gets {count} requests at the same moment: a quarter is easy "
        "(corridor), a quarter takes some time (logistics), a quarter would search forever and has a limit of "
        f"{SECONDS:g} seconds, and a quarter has a limit of {MEGABYTES:g} MB (breadth-first search for a tower of 40 "
        "blocks).",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows),
        "",
        f"Requests waited {median(waits):.1f} seconds in the median and {max(waits):.1f} at the most.",
        "",
        "| kind | answer | requests |",
        "|---|---|---|",
        *(f"| {kind} | {status} | {number} |" for (kind, status), number in sorted(kinds.items())),
        "",
    ]
    for text in (*load.failures[:5], *wrong[:5]):
        print(text, file=sys.stderr)
    return wrapped("\n".join(page))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write the page here instead of printing it")
    args = parser.parse_args()
    command = [sys.executable, "-m", "widthwise", "serve", "--port", "0", "--workers", str(args.workers)]
    service = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert service.stderr is not None
        address = re.search(r"http://\S+", service.stderr.readline())
        if address is None:
            sys.exit("the service did not start")
        load = asyncio.run(measure(address[0], service.pid, args.requests))
    finally:
        service.terminate()
        service.wait()
    page = report(load, args.requests, args.workers, ["python", *sys.argv])
    if args.out is None:
        print(page)
    else:
        args.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
