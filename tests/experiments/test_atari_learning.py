"""The page about what learning adds: its differences, intervals and counts."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from atari_lines import run_folder
from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from atari_curves import section
from atari_learning import main
from atari_runs import Runs, difference


def line(game: str, variant: str, seed: int, **scores: Any) -> dict[str, Any]:
    return {"game": game, "variant": variant, "seed": seed, "commit": "abc", **scores}


def lines(planner_and_network: float) -> list[dict[str, Any]]:
    return [
        run
        for seed in range(3)
        for run in (
            line("pong", "play", seed, planner_scores=[1.0, 3.0 + seed]),
            line("pong", "random", seed, network_scores=[-20.0, -19.0], sticky_scores=[-20.0]),
            line(
                "pong",
                "demonstration",
                seed,
                planner_scores=[planner_and_network],
                network_scores=[5.0, 7.0],
                sticky_scores=[-21.0 + seed],
                demonstration_score=6.0,
            ),
        )
    ]


def test_a_difference_has_the_interval_of_its_seeds() -> None:
    gap = difference([10.0, 12.0, 14.0], [1.0, 1.0, 1.0])
    assert gap.mean == pytest.approx(11.0) and 9.0 <= gap.low < 11.0 < gap.high <= 13.0


def test_a_seed_counts_once() -> None:
    runs = Runs.of([line("pong", "play", 1, planner_scores=[4.0]), line("pong", "play", 0, planner_scores=[1.0, 3.0])])
    assert runs.means["pong", "play", "planner_scores"] == [2.0, 4.0]
    assert runs.shown("pong", "play", "planner_scores") == "3.0 (2.0 to 4.0)"
    assert runs.shown("pong", "play", "network_scores") == ""


@pytest.mark.parametrize(("score", "counts"), [(9.0, "1 | 1 | 0"), (2.6, "1 | 0 | 0"), (-1.0, "0 | 0 | 1")])
def test_the_page_counts_games(score: float, counts: str, tmp_path: Path) -> None:
    run, out = run_folder(tmp_path / "run", lines(score), 100_000), tmp_path / "page.md"
    main(["--run", str(run), "--out", str(out)])
    text = out.read_text()
    assert f"| planner and network − planner alone | {counts} |" in text
    assert "| network alone − random actions | 1 | 1 | 0 |" in text
    assert "| network alone − random actions, sticky | 0 | 0 | 0 |" in text
    with gzip.open(tmp_path / "page" / "results.jsonl.gz", "rt") as packed:
        assert [json.loads(entry) for entry in packed] == lines(score)


def with_curves(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same lines with curves that rise in steps of the seed plus 1, and do not rise with sticky actions."""
    for entry in entries:
        if entry["variant"] == "demonstration":
            rise = 1.0 + entry["seed"]
            entry["curve"] = [[point * 10_000 + 7, [rise * point] * 2, [1.0, 2.0]] for point in range(11)]
    return entries


def test_the_page_shows_the_network_during_the_runs(tmp_path: Path) -> None:
    run, out = run_folder(tmp_path / "run", with_curves(lines(9.0)), 100_000), tmp_path / "page.md"
    main(["--run", str(run), "--out", str(out)])
    text = out.read_text()
    assert "## The network alone during the runs" in text
    assert "| game | 0 | 20,000 | 40,000 | 60,000 | 80,000 | 100,000 | end − start | end − 20,000 |" in text
    assert "| pong | 0.0 | 4.0 | 8.0 | 12.0 | 16.0 | 20.0 | 20.0 (10.0 to 30.0) | 16.0 (8.0 to 24.0) |" in text
    assert "| pong | 1.5 | 1.5 | 1.5 | 1.5 | 1.5 | 1.5 | 0.0 (0.0 to 0.0) | 0.0 (0.0 to 0.0) |" in text
    assert "| network alone, end − start | 1 | 1 | 0 |" in text
    assert "| network alone, sticky, end − start | 0 | 0 | 0 |" in text
    assert (tmp_path / "page" / "curves.svg").read_text().startswith("<?xml")


def test_a_page_without_curves_has_no_such_section(tmp_path: Path) -> None:
    assert section(lines(9.0), "demonstration", ["pong"], tmp_path) == ""
    assert not list(tmp_path.iterdir())
