"""The page that compares the default with the paper's algorithms: differences, improvements and counts."""

from __future__ import annotations

import gzip
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

pytest.importorskip("matplotlib")

from atari_table import improvement, main

SCORES = {"default": 30.0, "paper-iw": 20.0, "paper-iw+": 21.0, "paper-hiw": 25.0}


def line(game: str, variant: str, seed: int, score: float) -> dict[str, Any]:
    scores = {"network_scores": [score - 1]}
    if variant != "random":
        scores["planner_scores"] = [score, score]
    return {"game": game, "variant": variant, "seed": seed, "commit": "abcdef0123", **scores}


def write(folder: Path, lines: list[dict[str, Any]]) -> None:
    folder.mkdir()
    (folder / "results.jsonl").write_text("".join(f"{json.dumps(entry)}\n" for entry in lines))
    config = {"settings": {"interactions": 1_000, "actions": 200}, "command": "secret"}
    (folder / "config.json").write_text(json.dumps(config))


def test_the_page_compares_what_was_played(tmp_path: Path) -> None:
    lines = [line("breakout", name, seed, score + seed) for name, score in SCORES.items() for seed in (0, 1)]
    lines[0]["whole_scores"] = []
    lines += [line("pong", "default", 0, 3.0), line("pong", "paper-iw", 0, 5.0)]
    lines += [line(game, "random", 0, 6.0) for game in ("breakout", "pong")]
    write(tmp_path / "run", lines)
    out = tmp_path / "table.md"
    main(["--run", str(tmp_path / "run"), "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert "| breakout | 30.5 (30.0 to 31.0) | 20.5 (20.0 to 21.0) |" in text
    assert "| pong | 3.0 (1 seed) | 5.0 (1 seed) |  |  |" in text
    assert "| **above, equal, below** | 1, 0, 1 | 1, 0, 0 | 1, 0, 0 |" in text
    assert "| breakout | +32 % |" in text  # (25.5 - 5) / (20.5 - 5) - 1
    assert "π-HIW is above π-IW in 1 of 1 games here" in text
    assert "--variants random,default,paper-iw,paper-iw+,paper-hiw" in text and "secret" not in text
    assert (tmp_path / "table" / "improvement.svg").read_text().lstrip().startswith("<?xml")
    with gzip.open(tmp_path / "table" / "results.jsonl.gz", "rt") as packed:
        assert [json.loads(entry) for entry in packed] == lines


def test_the_relative_improvement_is_that_of_the_paper() -> None:
    assert improvement(5_276.0, 0.0, 0.0) == math.inf
    assert improvement(10.0, 20.0, 0.0) == -0.5
    assert improvement(-10.0, -30.0, -20.0) is None  # as Skiing in the paper
    assert improvement(0.0, 0.0, 0.0) is None
    assert improvement(-481.0, 0.0, 0.0) is None
