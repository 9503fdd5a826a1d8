"""The page about what learning adds: its differences, intervals and counts."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

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
    run, out = tmp_path / "run", tmp_path / "page.md"
    run.mkdir()
    run.joinpath("results.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in lines(score)))
    run.joinpath("config.json").write_text(
        json.dumps({"command": "python x.py", "settings": {"interactions": 100_000, "actions": 200}})
    )
    main(["--run", str(run), "--out", str(out)])
    text = out.read_text()
    assert f"| planner and network − planner alone | {counts} |" in text
    assert "| network alone − random actions | 1 | 1 | 0 |" in text
    assert "| network alone − random actions, sticky | 0 | 0 | 0 |" in text
    with gzip.open(tmp_path / "page" / "results.jsonl.gz", "rt") as packed:
        assert [json.loads(entry) for entry in packed] == lines(score)
