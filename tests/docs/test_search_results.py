"""The table of long searches has what the files beside it have."""

from __future__ import annotations

import json
import re

import pytest

from places import ROOT

RESULTS = ROOT / "docs" / "results"
GAMES = {"Montezuma's Revenge": "montezuma_revenge", "Private Eye": "private_eye", "Venture": "venture"}
ROW = re.compile(
    r"^\| ([^|]+) \| (\d+) \| [0-9a-f]{7} \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|", re.MULTILINE
)
ROWS = ROW.findall((RESULTS / "atari-search.md").read_text(encoding="utf-8"))


def test_every_file_has_a_row() -> None:
    named = {f"{GAMES[game]}-{seed}.json" for game, seed, *_ in ROWS}
    assert named == {path.name for path in (RESULTS / "atari-search").glob("*.json")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_a_row_has_the_numbers_of_its_file(row: tuple[str, ...]) -> None:
    game, seed, *numbers = row
    result = json.loads((RESULTS / "atari-search" / f"{GAMES[game]}-{seed}.json").read_text())
    interactions, score, first, steps = (int(number.replace(",", "")) for number in numbers)
    assert (result["seed"], result["interactions"]) == (int(seed), interactions)
    assert (result["score"], result["steps"], len(result["actions"])) == (score, steps, steps)
    texts = (RESULTS / "atari-search" / f"{GAMES[game]}-{seed}.jsonl").read_text().splitlines()
    lines = [json.loads(text) for text in texts]
    assert first == next(line["found_at"] for line in lines if line["score"] == score)
