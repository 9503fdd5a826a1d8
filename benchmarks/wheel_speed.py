"""The speed of the kernels in the wheels (clang of zig) compared with a build by the compiler of this machine.

Give the Pythons of two environments with Widthwise: `--wheel`, with a wheel of `make wheels`, and `--local`, with a
build by `pip install .`. Both take turns on every call, so that other processes slow both, and of each the least
processor time counts. With valgrind on PATH, instructions are counted as well, which other processes do not change.
`--out` names the page.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from kernel_calls import CALLS
from page_width import wrapped
from widthwise.core.provenance import describe_run

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = str(ROOT / "benchmarks" / "kernel_calls.py")
#: Beyond this instruction set valgrind cannot follow; the forward pass chooses its kernels by the processor.
NOT_COUNTED = {"forward pass of the network"}


def measured(python: Path, name: str, repeats: int) -> tuple[float, Any]:
    """The least processor time of some calls in a fresh process, and their result."""
    done = subprocess.run([python, PROGRAM, name, str(repeats), "1000000"], capture_output=True, text=True, check=True)
    seconds, result = json.loads(done.stdout)
    return float(seconds), result


def instructions(python: Path, name: str) -> int | None:
    """The instructions of one call: those of a process with two calls less those of one with a single call."""
    valgrind = shutil.which("valgrind")
    if valgrind is None or name in NOT_COUNTED:
        return None
    counting = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    counts = []
    for repeats in ("0", "1"):
        call = [*counting, python, PROGRAM, name, repeats, "50000"]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        shown = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
        if shown is None:
            return None
        counts.append(int(shown[1].replace(",", "")))
    return counts[1] - counts[0]


def compiler() -> str:
    """The compiler of this machine."""
    done = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def page(rows: dict[str, dict[str, Any]], args: argparse.Namespace) -> str:
    """The page of results."""
    command = f"python benchmarks/wheel_speed.py --rounds {args.rounds} --wheel PYTHON --local PYTHON"
    about = describe_run({}, command.split())
    times = [row["time"] for row in rows.values()]
    counts = [row["count"] for row in rows.values() if row["count"]]
    spread = f"{min(times):.2f} to {max(times):.2f} (median {statistics.median(times):.2f})"
    counted = f" and {min(counts):.2f} to {max(counts):.2f} times the instructions" if counts else ""
    lines = [
        "# Speed of the wheels",
        "",
        "The wheels are compiled by the clang of the package `ziglang`, which links against an old glibc and takes its "
        f"C++ library along. Compared with a build by the compiler of this machine, their kernels take {spread} times "
        f"the processor time{counted}. Below 1 the wheel is faster. Both builds give the same results.",
        "",
        "| call | wheel, ms | local, ms | wheel : local | instructions, wheel : local |",
        "|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        count = f"{row['count']:.2f}" if row["count"] else "-"
        lines.append(f"| {name} | {row['wheel'] * 1e3:.1f} | {row['local'] * 1e3:.1f} | {row['time']:.2f} | {count} |")
    machine = about["machine"]
    lines += [
        "",
        f"Least processor time of {args.rounds} rounds with 5 calls each; the two builds take turns. Other programs "
        "ran on the machine, so only ratios are of use. A search ends after 1,000,000 nodes. Instructions are counted "
        "by valgrind in one call with at most 50,000 nodes; valgrind does not support AVX-512, so the forward "
        "pass is not counted.",
        "",
        f"Made with `{command}`: commit {about['commit']}, widthwise {about['versions']['widthwise']}, python "
        f"{about['versions']['python']}, {compiler()}, {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['system']}.",
        "",
    ]
    return wrapped("\n".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True, help="Python of an environment with a wheel")
    parser.add_argument("--local", type=Path, required=True, help="Python of an environment with a local build")
    parser.add_argument("--rounds", type=int, default=10, help="rounds (default: 10)")
    parser.add_argument("--out", type=Path, default=Path("wheel-speed.md"), help="the page (default: wheel-speed.md)")
    args = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    for name in CALLS:
        wheel, local = [], []
        for _ in range(args.rounds):
            wheel.append(measured(args.wheel, name, 5))
            local.append(measured(args.local, name, 5))
        results = {json.dumps(result) for _, result in (*wheel, *local)}
        if len(results) > 1:
            raise SystemExit(f"{name}: the builds give different results: {sorted(results)}")
        times = [min(seconds for seconds, _ in runs) for runs in (wheel, local)]
        counts = [instructions(python, name) for python in (args.wheel, args.local)]
        rows[name] = {
            "wheel": times[0],
            "local": times[1],
            "time": times[0] / times[1],
            "count": counts[0] / counts[1] if counts[0] and counts[1] else None,
        }
        print(name, rows[name], flush=True)
    args.out.write_text(page(rows, args), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
