"""What the tests of suites share: a few tiny tasks, and run folders without what differs between two runs."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from widthwise.classical.examples import EXAMPLES

PROGRAM = [sys.executable, "-c", "import sys; from widthwise.cli.main import main; sys.exit(main())"]
SIZES = {
    "gripper": [{"balls": 2}, {"balls": 3}],
    "blocks": [{"blocks": 3}, {"blocks": 4}, {"blocks": 5}],
    "ferry": [{"cars": 2}],
}
# Times have names of their own; these are the other fields that differ between two runs.
NOISE = ("command", "memory_mb")


def echo(payload):
    """A job whose outcome is its payload."""
    return lambda part: dict(payload)


def make_benchmarks(folder):
    """Folders of tiny tasks, as a collection of benchmarks has them."""
    for name, sizes in SIZES.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "domain.pddl").write_text(EXAMPLES[name].domain())
        for number, size in enumerate(sizes, 1):
            (folder / name / f"p{number:02}.pddl").write_text(EXAMPLES[name].problem(**size))
    return folder


def without_seconds(data):
    if isinstance(data, dict):
        return {name: without_seconds(value) for name, value in data.items() if "seconds" not in name}
    return [without_seconds(value) for value in data] if isinstance(data, list) else data


def raw_lines(out):
    return [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]


def lines(out):
    """The lines of a run without what differs between two runs."""
    plain = [without_seconds(line) for line in raw_lines(out)]
    return [{name: value for name, value in line.items() if name not in NOISE} for line in plain]


def in_order(records):
    return sorted(records, key=lambda line: json.dumps(line, sort_keys=True))


def gone(pid):
    """Whether a process ends, or has ended; its number may stay until somebody waits for it."""
    for _ in range(3000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False
