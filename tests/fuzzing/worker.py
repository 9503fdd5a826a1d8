"""The process that checks inputs: `python -m fuzzing.worker SEED FIRST COUNT NAMES SCRATCH`.

Before each input its number goes to the file SCRATCH/current, so that whoever started the process knows which input
ended it. At the end, and after every finding, the counts go to stdout as lines of JSON.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from collections import Counter
from pathlib import Path

from fuzzing.guard import run
from fuzzing.targets import TARGETS, draw


def main(seed: int, first: int, count: int, names: list[str], scratch: Path) -> int:
    """Check inputs `first` to `first + count - 1`."""
    os.environ["TMPDIR"] = str(scratch)
    counts: Counter[str] = Counter()
    peak: int | None = None
    with (scratch / "current").open("r+b") as file, mmap.mmap(file.fileno(), 8) as current:
        for number in range(first, first + count):
            current[:] = number.to_bytes(8, "little")
            name, case = draw(seed, number, names)
            verdict = run(TARGETS[name].check, case, before=peak)
            peak = verdict.peak
            counts[f"{name}: {verdict.outcome}"] += 1
            if verdict.finding is not None:
                print(json.dumps({"finding": number, "what": verdict.outcome, "trace": verdict.finding}), flush=True)
        current[:] = (first + count).to_bytes(8, "little")
    print(json.dumps({"counts": counts}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:4]), sys.argv[4].split(","), Path(sys.argv[5])))  # type: ignore[arg-type, call-arg]
