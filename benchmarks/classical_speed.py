"""Compare the speed of Widthwise with its peers on the same tasks and write docs/results/classical-speed.md.

    python benchmarks/classical_speed.py --benchmarks DIR

DIR is a copy of the IPC benchmark folders (default: the environment variable WIDTHWISE_BENCHMARKS). Every
measurement is a process of its own; the systems take turns on each task, so that a machine that is busy for
a while is busy for all of them. See benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from speed_report import write_report
from speed_runs import (
    MODULES,
    OURS,
    ROOT,
    RUNNERS,
    Line,
    RunFolder,
    make_peers_environment,
    missing,
    python_of,
)

GROUND_TASKS = [
    "gripper/prob20",
    "miconic/s30-0",
    "satellite/p20-pfile20",
    "scanalyzer-08-strips/p10",
    "driverlog/p20",
    "logistics98/prob20",
    "rovers/p35",
    "visitall-sat11-strips/problem50",
]
SEARCH_TASKS = [
    "driverlog/p10",
    "gripper/prob20",
    "logistics98/prob05",
    "satellite/p20-pfile20",
    "scanalyzer-08-strips/p10",
    "barman-sat11-strips/pfile08-031",
    "rovers/p20",
    "driverlog/p20",
]
SMALL_TASKS = ["gripper/prob01", "blocks/probBLOCKS-4-0", "driverlog/p01"]
# About 500 and about 5,000 atoms of each family.
GROWTH_TASKS: dict[str, list[dict[str, int]]] = {
    "gripper": [{"balls": 124}, {"balls": 1249}],
    "logistics": [
        {"cities": 5, "places": 4, "planes": 2, "parcels": 18},
        {"cities": 10, "places": 8, "planes": 4, "parcels": 52},
    ],
    "visit-all": [{"width": 16, "height": 16}, {"width": 50, "height": 50}],
}
GROUNDERS = ["fast-downward", "pymimir", "tarski", OURS]
SEARCHERS = ["pymimir", "lapkt", OURS]
LOAD_LIMIT = 120.0
SLOW_SECONDS = 5.0


def measure(run: RunFolder, folder: Path, args: argparse.Namespace, systems: list[str]) -> None:
    """Make all measurements that the run folder does not have yet."""
    for task in GROUND_TASKS:
        for number in range(args.repeat):
            for system in [name for name in GROUNDERS if name in systems]:
                _repeat(run, system, f"ground {task}", number, _runner(system, "ground", folder, task))
    for width in (1, 2):
        extra = ["--width", str(width), "--seconds", str(args.seconds)]
        for task in SEARCH_TASKS:
            for number in range(args.repeat):
                for system in [name for name in SEARCHERS if name in systems]:
                    command = [*_runner(system, "search", folder, task), *extra]
                    _repeat(run, system, f"iw{width} {task}", number, command, seconds=args.seconds)
    for task in SMALL_TASKS:
        for number in range(args.repeat + 2):
            for system in [name for name in (*SEARCHERS, "fast-downward") if name in systems]:
                _repeat(run, system, f"solve {task}", number, _solve(system, folder, task))
    if OURS in systems:
        _growth(run, args)


def _growth(run: RunFolder, args: argparse.Namespace) -> None:
    for family, choices in GROWTH_TASKS.items():
        for number, sizes in enumerate(choices):
            for width in (1, 2):
                with tempfile.TemporaryDirectory() as scratch:
                    command = [python_of(OURS), str(RUNNERS[OURS]), "growth", family, scratch]
                    command += ["--sizes", json.dumps(sizes), "--width", str(width)]
                    command += ["--seconds", str(args.seconds)]
                    _repeat(run, OURS, f"growth{width} {family}:{number}", 0, command, seconds=2 * args.seconds)


def _repeat(run: RunFolder, system: str, what: str, number: int, command: list[str], *, seconds: float = 0.0) -> None:
    first = run.lines.get(f"{system} {what} 0")
    # Long measurements are steady enough, and failures fail again.
    if first and (first["wall_seconds"] > SLOW_SECONDS or first.get("status") in ("failed", "time-out")):
        return
    run.measure(system, f"{system} {what} {number}", command, LOAD_LIMIT + seconds)


def _files(folder: Path, task: str) -> list[str]:
    problem = folder / f"{task}.pddl"
    return [str(problem.with_name("domain.pddl")), str(problem)]


def _runner(system: str, what: str, folder: Path, task: str) -> list[str]:
    return [python_of(system), str(RUNNERS[system]), what, *_files(folder, task)]


def _solve(system: str, folder: Path, task: str) -> list[str]:
    files = _files(folder, task)
    if system == OURS:
        tool = str(Path(sys.executable).with_name("widthwise"))
        return [tool, "solve", *files, "--planner", "iw", "--width", "2"]
    if system == "fast-downward":
        return [python_of(system), "-m", "fast_downward.translate", *files]
    return [python_of(system), str(RUNNERS[system].with_name(f"{system}_solve.py")), *files]


def _versions() -> dict[str, str]:
    script = (
        "from importlib.metadata import distributions as d\nfor x in d(): print(x.metadata['Name'].lower(), x.version)"
    )
    result: dict[str, str] = {}
    for system in ("peers", OURS):
        listed = subprocess.run([python_of(system), "-c", script], check=True, capture_output=True, text=True)
        result |= dict(line.split() for line in listed.stdout.splitlines())
    wanted = ["pymimir", "lapkt", "fast-downward.translate", "tarski", "clingo", "widthwise"]
    return {name: result.get(name) or result.get(name.replace(".", "-"), "missing") for name in wanted}


def _commit() -> str:
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], check=False, capture_output=True, text=True)
    changes = [*git, "status", "--porcelain", "--untracked-files=no", "--", "src", "native", "benchmarks"]
    dirty = subprocess.run(changes, check=False, capture_output=True, text=True).stdout.strip()
    return (head.stdout.strip() or "unknown") + (" with changes" if dirty else "")


def _machine() -> str:
    model = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"load at the start {load}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--benchmarks", default=os.environ.get("WIDTHWISE_BENCHMARKS"), metavar="DIR")
    parser.add_argument("--run", type=Path, metavar="DIR", help="run folder; an existing one is resumed")
    parser.add_argument("--again", action="append", default=[], choices=list(MODULES), help="measure anew")
    parser.add_argument("--systems", default=",".join(MODULES), help="which systems to run, by comma")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of one search")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many runs counts")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "classical-speed.md")
    args = parser.parse_args()
    if not args.benchmarks or not Path(args.benchmarks).is_dir():
        sys.exit("The IPC tasks are needed: set WIDTHWISE_BENCHMARKS or give --benchmarks DIR.")
    folder = Path(args.benchmarks).resolve()
    absent = [
        file
        for task in (*GROUND_TASKS, *SEARCH_TASKS, *SMALL_TASKS)
        for file in _files(folder, task)
        if not Path(file).is_file()
    ]
    if absent:
        sys.exit(f"The benchmark folder has no {Path(absent[0]).relative_to(folder)}.")
    make_peers_environment()
    chosen = [name for name in args.systems.split(",") if name in MODULES]
    absent_systems = [name for name in chosen if missing(name)]
    now = datetime.datetime.now()
    config: Line = {
        "date": now.date().isoformat(),
        "commit": _commit(),
        "machine": _machine(),
        "versions": _versions(),
        "missing": absent_systems,
        "seconds": args.seconds,
        "repeat": args.repeat,
        "command": "make bench" if len(sys.argv) == 1 else f"classical_speed.py {_public(sys.argv[1:])}",
    }
    run_folder = args.run or ROOT / "runs" / "classical-speed" / now.strftime("%Y%m%d-%H%M%S")
    run = RunFolder(run_folder, config, args.again)
    measure(run, folder, args, [name for name in chosen if name not in absent_systems])
    summary = write_report(args.out, config, run.lines)
    print(summary)
    print(f"raw lines: {run_folder / 'raw.jsonl'}, report: {args.out}", file=sys.stderr)


def _public(words: list[str]) -> str:
    """Write the arguments as they would be repeated elsewhere: without the folders of this machine."""
    return " ".join("DIR" if "/" in word else word for word in words)


if __name__ == "__main__":
    main()
