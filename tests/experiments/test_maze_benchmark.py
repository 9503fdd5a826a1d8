"""The benchmark over the mazes: it plays what its lines say, and its report counts right."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import mazes
import mazes_report


def test_a_job_plays_its_episodes() -> None:
    jobs = mazes.jobs_of(2)
    assert sum(len(job.parts) for job in jobs) == 2 * 2 * 2 * 3 * 8
    assert len({tuple(part[key] for key in mazes.KEYS) for job in jobs for part in job.parts}) == 192
    play = mazes.prepare({"maze": "maze-small", "planner": "HIW(1,1) 4x4", "budget": 100, "nodes": 500})
    outcome = play({"seed": 0})
    assert (outcome["score"], outcome["steps"], outcome["interactions"]) == (1.0, 38, 1609)


def test_the_report_counts(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    settings = {"seeds": 2, "nodes": [500], "budgets": [30, 100], "planners": ["RIW(1) cells", "HIW(1,1) 4x4"]}
    made: dict[str, Any] = {
        "settings": settings,
        "command": "python benchmarks/mazes.py",
        "commit": None,
        "versions": {"widthwise": "1", "python": "3"},
        "machine": {"cpu": "x", "cores": 2},
    }
    lines = [
        {
            "row": maze, "instance": f"{budget} steps, 500 nodes", "planner": planner, "seed": seed, "failure": None,
            "score": float(planner.startswith("HIW") and seed == 1), "steps": 40 + budget, "interactions": 7 * budget,
        }
        for maze in ("maze-small", "maze-large")
        for budget in (30, 100)
        for planner in settings["planners"]  # type: ignore[attr-defined]
        for seed in (0, 1)
    ]  # fmt: skip
    mazes_report.write_report(tmp_path / "mazes-planning.md", made, lines)
    text = (tmp_path / "mazes-planning.md").read_text(encoding="utf-8")
    assert "| HIW(1,1) 4x4 | 1/2, 70 | 1/2, 140 |" in text
    assert "| RIW(1) cells | 0/2 | 0/2 |" in text
    assert "| RIW(1) cells | 210 | 700 |" in text
    assert "HIW(1,1) 4x4 50%, RIW(1) cells 0%" in text
    assert "RIW(1) cells</" not in (tmp_path / "mazes-planning-success.svg").read_text(encoding="utf-8")
    assert {path.name for path in tmp_path.iterdir()} == {
        "mazes-planning.md", "mazes-planning-success.svg", "mazes-planning-steps.svg",
    }  # fmt: skip
