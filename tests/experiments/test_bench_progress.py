"""The progress of a suite: what it reads of the folders of its runs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from widthwise.cli.bench_progress import SuiteProgress, reached
from widthwise.experiments.learning_suites import folders_of
from widthwise.training.run_settings import RunSettings


def write_run(folder: Path, archive: int) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"configuration": {"learning": {"archive": archive}}}))


def test_progress_counts_the_runs_that_look_for_a_demonstration(tmp_path: Path) -> None:
    runs = [RunSettings("atari:pong", 1_000, "pi-hiw", seed) for seed in range(3)]
    progress = SuiteProgress(io.StringIO(), tmp_path, runs)
    assert progress.text(0, 10.0) == "0 of 3 runs done, 0 of 3,000 interactions"
    first, second, third = folders_of(runs, tmp_path)
    write_run(first, archive=800)
    write_run(second, archive=800)
    write_run(third, archive=0)
    line = (
        "0 of 3 runs done, 0 of 3,000 interactions; 2 runs with a demonstration to find and learn, counted afterwards"
    )
    assert progress.text(0, 10.0) == line
    (first / "episodes.jsonl").write_text('{"interactions":900}\n')
    assert reached(first) == 900
    text = progress.text(0, 10.0)
    assert "900 of 3,000 interactions, 90/s, " in text and "1 run with a demonstration" in text


def test_a_run_that_is_being_written_is_no_error(tmp_path: Path) -> None:
    run = RunSettings("atari:pong", 1_000, "pi-hiw", 0)
    progress = SuiteProgress(io.StringIO(), tmp_path, [run])
    (folder,) = folders_of([run], tmp_path)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"configuration": {"learn')
    (folder / "episodes.jsonl").write_text('{"interactions":9')
    assert progress.text(0, 1.0) == "0 of 1 run done, 0 of 1,000 interactions"
