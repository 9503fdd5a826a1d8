"""Resident memory of every process of a run with actors, over time.

python benchmarks/actors_memory.py --minutes 62 --folder runs/hour --svg docs/results/actors-memory.svg
python benchmarks/actors_memory.py --folder runs/hour --svg FILE --plot-only

The first command trains a small maze with two actors at low priority, asks the run to stop when the time is over, and
writes FOLDER/memory.jsonl with one line every 15 seconds. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

OPTIONS = "--actors 2 --interactions 100_000_000 --evaluate-every 20000 --evaluation-share 0.1 --planner-episodes 0"
SECONDS = 15.0
#: The order in which the processes of a run are started.
NAMES = ("learner", "actor 0", "actor 1", "evaluator")


def processes(root: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield root
    for tasks in Path(f"/proc/{root}/task").glob("*/children"):
        for child in tasks.read_text(encoding="ascii").split():
            yield from processes(int(child))


def resident(process: int) -> int:
    """Resident kilobytes; 0 if the process has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def measure(folder: Path, minutes: float) -> None:
    """Train for some minutes, and write a line every few seconds."""
    command = [sys.executable, "-m", "widthwise", "train", "maze-small", *OPTIONS.split(), "--out", str(folder / "run")]
    folder.mkdir(parents=True)
    with (folder / "memory.jsonl").open("w", encoding="utf-8") as lines:
        run = subprocess.Popen(["nice", "-n", "19", *command])
        begun = time.monotonic()
        while run.poll() is None and time.monotonic() - begun < 60 * minutes:
            memory = {process: resident(process) for process in processes(run.pid)}
            lines.write(json.dumps({"seconds": round(time.monotonic() - begun, 1), "kilobytes": memory}) + "\n")
            lines.flush()
            time.sleep(SECONDS)
        run.send_signal(signal.SIGINT)
        run.wait()


def plot(source: Path, svg: Path) -> None:
    """Draw one curve for each process, and print its least and greatest size in each third of the time."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "widthwise"
    from matplotlib import pyplot

    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    ids = sorted({int(process) for record in records for process in record["kilobytes"]})
    _, axes = pyplot.subplots(figsize=(7, 3.2), layout="constrained")
    for process, name in zip(ids, NAMES, strict=False):
        points = [
            (record["seconds"] / 60, record["kilobytes"][str(process)] * 1.024e-3)
            for record in records
            if record["kilobytes"].get(str(process))
        ]
        axes.plot(*zip(*points, strict=True), label=name, linewidth=1)
        third = records[-1]["seconds"] / 180
        for part in range(3):
            sizes = [size for minute, size in points if part * third <= minute <= (part + 1) * third]
            minutes = f"minutes {part * third:.0f} to {(part + 1) * third:.0f}"
            if sizes:
                print(f"{name}: {min(sizes):.0f} to {max(sizes):.0f} MB, {minutes}")
    axes.set(xlabel="minutes", ylabel="resident memory (MB)", ylim=(0, None), xlim=(0, None))
    axes.legend(loc="lower right", ncols=2)
    pyplot.savefig(svg, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=62.0, help="how long")
    parser.add_argument("--folder", type=Path, required=True, help="a folder for the run and its memory.jsonl")
    parser.add_argument("--svg", type=Path, required=True, help="write the plot here")
    parser.add_argument("--plot-only", action="store_true", help="draw what was measured before")
    options = parser.parse_args()
    if not options.plot_only:
        measure(options.folder, options.minutes)
    plot(options.folder / "memory.jsonl", options.svg)


if __name__ == "__main__":
    main()
