"""Damaged run folders in every reader: `report`, `train --resume`, `play --policy` and `bench --resume`.

Each damage is to a file of JSON: values of other types, missing fields, huge numbers, NaN, deep nesting, other lengths,
fields given twice, bytes that are not UTF-8, torn lines. A reader works, or ends with one message and its exit code.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fuzzing.damage import VALUES, damage_json, deep_json
from fuzzing.guard import time_limit
from places import FIXTURES
from widthwise.cli.main import main
from widthwise.experiments import runner
from widthwise.experiments.jobs import Done, Job, done, lost, work
from widthwise.training.run import TrainingRun

TASKS = FIXTURES / "0.1.0" / "tasks"
SMALL = ["--budget", "4", "--set", "calibration=2", "--network-episodes", "1", "--planner-episodes", "0"]
CLASSICAL = ["classical", "--benchmarks", str(TASKS), "--suite", "all", "--planner", "iw:2", "--seeds", "1"]
WHOLE = ["classical", "--benchmarks", str(TASKS), "--suite", "whole", "--planner", "auto", "--max-time", "20"]
LEARNING = [
    "mazes",
    "--environments",
    "corridor",
    "--algorithms",
    "pi-iw",
    "--seeds",
    "1",
    "--interactions",
    "20",
    *SMALL,
]
TRAIN = [
    "train",
    "corridor",
    "--algorithm",
    "pi-iw",
    "--interactions",
    "30",
    "--evaluation-steps",
    "3",
    *SMALL,
    "--quiet",
]

PLAY = ["play", "corridor", "--max-steps", "2", "--quiet", "--policy"]
#: `WIDTHWISE_DAMAGE=N` tries N times as many, of other seeds.
MORE = int(os.environ.get("WIDTHWISE_DAMAGE", "1"))


class Inline:
    """Runs jobs in this process; problems of whole tasks, which need processes, have no outcome."""

    def run(self, jobs: Sequence[Job]) -> Iterator[Done]:
        for job in jobs:
            outcomes = work(job) if "whole" not in job.function else (lost("NotRun", "not run") for _ in job.parts)
            for index, outcome in enumerate(outcomes):
                yield done(job, index, outcome)


def brief(patch: pytest.MonkeyPatch) -> None:
    """Let training end after two actions, and evaluations as soon as they ask: the settings may want any number."""
    advance, evaluate = TrainingRun._advance, TrainingRun._evaluate
    counts: Counter[int] = Counter()

    def few(self: TrainingRun, events: Any) -> None:
        counts[id(self)] += 1
        self.stopping = counts[id(self)] >= 2
        advance(self, events)

    def none(self: TrainingRun, events: Any) -> bool:
        self.stopping = True
        return evaluate(self, events)

    patch.setattr(TrainingRun, "_advance", few)
    patch.setattr(TrainingRun, "_evaluate", none)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A good run folder of every kind."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("bases")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "make_pool", lambda *_: Inline())
        for name, call in (("classical", CLASSICAL), ("whole", WHOLE), ("learning", LEARNING)):
            assert main(["bench", *call, "--out", str(folder / name)]) == 0
        assert main([*TRAIN, "--out", str(folder / "training")]) == 0
        assert main(["search", "corridor", "--interactions", "3000", "--quiet", "--out", str(folder / "search")]) == 0
    # The suites of whole problems and of single goals that another version has made have lines with results.
    shutil.copy(FIXTURES / "0.1.0" / "whole" / "results.jsonl", folder / "whole")
    return {path.name: path for path in folder.iterdir()}


def damaged(data: bytes, rng: random.Random, *, lines: bool) -> bytes:
    """A file of JSON, or of lines of it, with one damage."""
    kind = rng.choice(["value"] * 6 + ["twice", "twice", "bytes", "cut", "encoding", "empty"])
    rows = data.splitlines() if lines else [data]
    at = rng.randrange(len(rows)) if rows else 0
    if kind == "value" and rows:
        rows[at] = deep_json(damage_json(json.loads(rows[at]), rng))
        return b"\n".join(rows) + b"\n"
    if kind == "twice" and rows:  # of two fields of one name the last one counts
        value = json.loads(rows[at])
        holders = [value, *(inner for inner in value.values() if isinstance(inner, dict))]
        holder = rng.choice([holder for holder in holders if holder])
        name = rng.choice(list(holder))
        shown = json.dumps(holder)
        again = f"{shown[:-1]}, {json.dumps(name)}: {json.dumps(rng.choice(VALUES))}}}"
        rows[at] = json.dumps(value).replace(shown, again, 1).encode()
        return b"\n".join(rows) + b"\n"
    place = rng.randrange(len(data) + 1)
    if kind == "cut":
        return data[:place]
    if kind == "encoding":
        return data.decode().encode(rng.choice(["utf-16", "utf-32"]))
    return data[:place] + rng.choice([b"\xff", b"\xc3\x28", b"\x00"]) + data[place:] if kind == "bytes" else b""


Reader = Callable[[str, random.Random], list[str]]
READERS: dict[str, tuple[str, int, Reader]] = {
    "report-classical": ("classical", 60, lambda run, rng: ["report", run, "--markdown", f"{run}.md"]),
    "report-whole": ("whole", 60, lambda run, rng: ["report", run, "--markdown", f"{run}.md"]),
    "report-learning": ("learning", 80, lambda run, rng: ["report", run, "--markdown", f"{run}.md"]),
    "report-search": ("search", 60, lambda run, rng: ["report", run, "--markdown", f"{run}.md"]),
    "report-training": ("training", 60, lambda run, rng: ["report", run, "--markdown", f"{run}.md"]),
    "train": ("training", 80, lambda run, rng: ["train", "--resume", run, "--quiet"]),
    "play": (
        "training",
        60,
        lambda run, rng: [*PLAY, run, *rng.choice([["--budget", "3"], ["--network-only"]])],
    ),
    "bench-classical": ("classical", 60, lambda run, rng: ["bench", *CLASSICAL, "--out", run, "--resume"]),
    "bench-whole": ("whole", 60, lambda run, rng: ["bench", *WHOLE, "--out", run, "--resume"]),
    "bench-learning": ("learning", 60, lambda run, rng: ["bench", *LEARNING, "--out", run, "--resume"]),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_run_folder_works_or_ends_with_one_message(
    reader: str,
    bases: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(runner, "make_pool", lambda *_: Inline())
    brief(monkeypatch)
    base, count, call = READERS[reader]
    count *= MORE
    rng = random.Random(f"{16 + MORE} {reader}")
    codes: Counter[int] = Counter()
    for number in range(count):
        run = tmp_path / str(number)
        shutil.copytree(bases[base], run)
        files = sorted(path for path in run.rglob("*.json*") if path.stat().st_size)
        path = rng.choice([*files, *(file for file in files if file.name == "config.json")])
        before = path.read_bytes()
        path.write_bytes(damaged(before, rng, lines=path.suffix == ".jsonl"))
        where = f"{reader} {number}: {path.relative_to(run)}\n{path.read_bytes()[:3000]!r}"
        try:
            with time_limit(20.0):
                code = main(call(str(run), rng))
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__} for {where}") from error
        err = capsys.readouterr().err
        assert "Traceback" not in err, f"{err} for {where}"
        assert code in (0, 2, 31, 34) or (code == 130 and reader == "train"), f"exit code {code}: {err} for {where}"
        assert code in (0, 130) or str(run) in err, f"{err} for {where}"
        for lines in run.rglob("results.jsonl"):
            assert b'"traceback"' not in lines.read_bytes(), f"{lines.read_bytes()!r} for {where}"
        codes[code] += 1
        shutil.rmtree(run)
    # Most fields are only shown, and a suite does not read all files: the damage is noticed where it matters ...
    assert codes[31] >= count / 8, codes
    assert codes[0] + codes[130] + codes[2] >= 3, codes  # ... and what does not matter does no harm
