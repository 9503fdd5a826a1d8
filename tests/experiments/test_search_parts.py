"""The benchmark of the parts of a search: what a line says, and how the table counts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import search_parts
import widthwise as ww


def test_parts_are_settings_that_differ_from_the_defaults() -> None:
    for part, settings in search_parts.PARTS.items():
        for name, value in settings.items():
            assert getattr(ww.ArchiveSearch(), name) != value, part


def test_a_search_ends_at_its_first_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    line = search_parts.search("maze-small", "default", 0)
    assert 1_500 < line["found"] <= 40_000 and line["score"] == 1.0
    monkeypatch.setitem(search_parts.LIMITS, "maze-small", 2_000)
    assert search_parts.search("maze-small", "default", 0)["found"] is None


def entry(seed: int, found: int | None, part: str = "default") -> dict[str, Any]:
    return {
        "environment": "corridor", "part": part, "seed": seed, "found": found, "limit": 20_000, "commit": "abcdefgh",
    }  # fmt: skip


@pytest.mark.parametrize(("found", "field"), [
    ([100, 300, 200], "200"),
    ([100, None, 200], "200 (2 of 3)"),
    ([100, None, None], "20,000 (1 of 3)"),
])  # fmt: skip
def test_a_search_without_a_solution_counts_with_the_limit(found: list[int | None], field: str) -> None:
    assert search_parts.shown([entry(seed, value) for seed, value in enumerate(found)]) == field


def test_the_page_has_a_row_for_each_part(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "page.md"
    search_parts.main(
        ["--run", str(run), "--environments", "corridor", "--parts", "default;--no-lowest", "--seeds", "0"]
    )
    stored = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    assert [(line["part"], line["score"]) for line in stored] == [("default", 1.0), ("--no-lowest", 1.0)]
    search_parts.main(["--run", str(run), "--seeds", "", "--out", str(out)])
    text = out.read_text()
    out.write_text(f"{text}\n## What this shows\n\nText.\n")
    search_parts.main(["--run", str(run), "--seeds", "", "--out", str(out)])
    assert out.read_text() == f"{text}\n## What this shows\n\nText.\n"
    assert f"| default | {stored[0]['found']:,} |" in text and f"| `--no-lowest` | {stored[1]['found']:,} |" in text
