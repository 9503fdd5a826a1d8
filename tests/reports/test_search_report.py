"""Reports of searches, and of folders with runs of several kinds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_page_browser import make_runs, search_run  # type: ignore[import-not-found]

from widthwise.cli.main import main
from widthwise.reports.search_runs import read_searches
from widthwise.reports.training_runs import Point


def test_the_curve_of_searches_is_the_mean_of_the_latest_values(tmp_path: Path) -> None:
    first = search_run(tmp_path / "a", [None, 1.0, 3.0])
    second = search_run(tmp_path / "b", [0.0, 1.0, 2.0], seed=1)
    (group,) = read_searches([first, second])
    assert group.curve("score") == [Point(1000, 0, 0, 0), Point(2000, 1, 1, 1), Point(3000, 2.5, 2, 3)]
    assert group.curve("high_level_states")[-1] == Point(3000, 4, 4, 4)  # of the finest level
    (other,) = read_searches([search_run(tmp_path / "c", [1.0], environment="corridor")])
    assert other.environment == "corridor"


def test_a_search_of_its_own_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, text = tmp_path / "way", tmp_path / "way.md"
    assert main(["search", "corridor", "--interactions", "3_000", "--out", str(run), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["report", str(run), "--markdown", str(text)]) == 0
    printed = capsys.readouterr().out
    score = json.loads((run / "result.json").read_text())["score"]
    assert f"{score:g}" in printed.splitlines()[1].split()
    assert "| corridor | 0 | 3,000 |" in text.read_text()
    (run / "result.json").unlink()
    assert main(["report", str(run)]) == 0
    assert "is not finished" in capsys.readouterr().out


def test_a_trajectory_that_waits_for_its_replay_is_not_reported(tmp_path: Path) -> None:
    run = search_run(tmp_path / "a", [1.0, 3.0])
    result = json.loads((run / "result.json").read_text())
    for replayed, best in ((True, 7), (False, 3)):
        (run / "result.json").write_text(json.dumps({**result, "score": 7, "finished": False, "replayed": replayed}))
        (group,) = read_searches([run])
        assert group.runs[0].best is not None and group.runs[0].best["score"] == best


def test_searches_without_results_are_refused_and_without_a_trajectory_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(search_run(tmp_path / "a", [None]))]) == 0
    assert "no trajectory was found that has a positive score or ends an episode of costs" in capsys.readouterr().out
    empty = search_run(tmp_path / "b", [1.0])
    (empty / "progress.jsonl").unlink()
    (empty / "result.json").unlink()
    assert main(["report", str(empty)]) == 31
    assert "has no results yet" in capsys.readouterr().err


def test_runs_of_several_kinds_are_one_text_and_one_set_of_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    runs, text, plots = make_runs(tmp_path / "runs"), tmp_path / "page.md", tmp_path / "plots"
    call = ["report", str(runs), "--markdown", str(text), "--plots", str(plots)]
    assert main(call) == 0
    printed = capsys.readouterr().out
    kinds = ["Classical suite", "Whole problems", "Training runs", "Searches"]
    places = [printed.index(f"{kind}\n{'=' * len(kind)}\n") for kind in kinds]
    assert places == sorted(places)
    written = text.read_text()
    assert [line[3:] for line in written.splitlines() if line.startswith("## ")] == kinds
    names = {"coverage-over-nodes", "nodes-ihiw-iw2", "solved-over-time", "learning-plain", "search-score"}
    assert {path.stem for path in plots.iterdir()} == names
    assert all(f"(plots/{name}.svg)" in written for name in names)
