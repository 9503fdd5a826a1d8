"""The page about single settings of learning: differences to the variant without them, and their counts."""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

from atari_lines import run_folder
from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from atari_levers import LEVERS, PLAIN, VARIANTS
from atari_single_levers import main


def line(variant: str, seed: int, score: float) -> dict[str, Any]:
    scores = {f"{kind}_scores": [score, score + 2] for kind in ("planner", "network", "sampled", "sticky")}
    training = {"training": [[score, 50, 5_000]], "unfinished": [0.0, 50]}
    return {"game": "pong", "variant": variant, "seed": seed, "commit": "abc", **training, **scores}


def test_every_lever_changes_one_setting() -> None:
    base = dict(text.split("=") for text in PLAIN.split())
    for name in LEVERS:
        other = dict(text.split("=") for text in VARIANTS[f"plain-{name}"][2].split())
        changed = {key for key in base | other if base.get(key) != other.get(key)}
        # The search for a demonstration comes with the number of updates that it is learned in.
        assert len(changed) == 1 or (name == "search" and changed == {"archive", "rehearsal"})


def test_the_page_has_differences_and_counts(tmp_path: Path) -> None:
    out = tmp_path / "page.md"
    scores = {"plain": (1.0, 1.0, 1.0), "plain-root": (3.0, 4.0, 5.0), "plain-shift": (0.0, 1.0, 2.0)}
    lines = [line(variant, seed, score) for variant, means in scores.items() for seed, score in enumerate(means)]
    run = run_folder(tmp_path / "run", lines, 50_000)
    main(["--run", str(run), "--out", str(out)])
    text = out.read_text()
    assert "| pong | `plain` | 1.0 | 2.0 |" in text
    assert "| pong | `plain-root` | 4.0 (3.0 to 5.0) | 5.0 (4.0 to 6.0) |" in text
    assert "in how many of 5 cells" in text
    assert "| `plain-root` | 5 | 5 | 0 | 0 |" in text
    assert "| `plain-shift` | 0 | 0 | 0 | 0 |" in text
    (gap,) = set(re.findall(r"3\.0 \((\d\.\d) to (\d\.\d)\)", text.split("## Differences")[1]))
    assert 2 <= float(gap[0]) < 3 < float(gap[1]) <= 4
    with gzip.open(tmp_path / "page" / "results.jsonl.gz", "rt") as packed:
        assert [json.loads(entry) for entry in packed] == lines
