"""The page that sets a short training beside the paper's table: which scores it compares, and what it counts."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

pytest.importorskip("matplotlib")

from atari_paper_table import main, training_score


def line(game: str, variant: str, training: list[float], **fields: Any) -> dict[str, Any]:
    episodes = [[score, 200, 0] for score in training]
    return {
        "game": game, "variant": variant, "seed": 0, "commit": "abcdef0123", "training": episodes,
        "unfinished": [1.0, 5], "interactions": 50_000, "actions": 500, "network_scores": [1.0], **fields,
    }  # fmt: skip


def test_the_page_compares_whole_episodes_with_the_paper_and_training_episodes_with_each_other(tmp_path: Path) -> None:
    lines = [
        # The paper has 92 and 253 in Breakout, -20 and -10 in Pong.
        line("breakout", "default", [], whole_scores=[100.0], demonstration_score=20.0),
        line("pong", "default", [], whole_scores=[5.0], demonstration_score=None),
        line("breakout", "paper-iw", [20.0, 22.0]), line("breakout", "paper-hiw", [6.0], actions=2_000),
        line("pong", "paper-iw", [-10.0]), line("pong", "paper-hiw", [-5.0], actions=1_000),
        *({"game": game, "variant": "random", "seed": 0, "commit": "0", "network_scores": [score]}
          for game, score in (("breakout", 1.0), ("pong", -20.0))),
    ]  # fmt: skip
    run, planning, out = tmp_path / "run", tmp_path / "planning.gz", tmp_path / "page.md"
    run.mkdir()
    (run / "results.jsonl").write_text("".join(f"{json.dumps(entry)}\n" for entry in lines))
    (run / "config.json").write_text(json.dumps({"settings": {"interactions": 50_000, "actions": 200}}))
    with gzip.open(planning, "wt") as packed:
        for game, setup, score in (
            ("breakout", "riw-ram", 7.0),
            ("breakout", "riw-ram-lives", 100.0),
            ("pong", "riw-ram", 6.0),
        ):
            packed.write(json.dumps({"game": game, "setup": setup, "score": score}) + "\n")
    main(["--run", str(run), "--planning", str(planning), "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert "| default, whole episodes | 2 of 2 | 1 of 2 |" in text
    assert "| breakout | 100 | 100 | 92.1 | 253 | 20 |" in text  # only scores above both of the paper's are marked
    assert "| pong | **5** | 6 |" in text
    assert "above the planner alone in 0 games, equal in 1 and below in 1" in text
    assert "| breakout | 21 | 6 | 1 | -75 % | +178 % | 25 |" in text  # (6 - 1) / (21 - 1) - 1
    assert "| pong | -10 | -5 | -20 | +50 % |" in text
    assert "π-HIW is above π-IW in 1 of 2 games, equal in 0 and below in 1; in the paper it is above in\n2 of" in text
    assert "is below, it used 25 interactions per action in the mean, where it is above\n50; π-IW used 100" in text
    means = [text for text in text.splitlines() if text.startswith(("| default |  |", "| π-IW |", "| π-HIW |"))]
    assert [len(text.split("|")) for text in means] == [5, 5, 5]  # the default has no training episodes to compare
    # The network has 1 in both games: (1 - 1.7) / (30.5 - 1.7) and (1 + 20.7) / (14.6 + 20.7).
    assert all(text.endswith("| 0.30 (-0.02 to 0.61) |") for text in means)
    assert (tmp_path / "page" / "improvement.svg").read_text().lstrip().startswith("<?xml")


def test_an_unfinished_episode_counts_if_no_other_has_ended() -> None:
    assert training_score(line("pong", "paper-iw", [])) == 1.0
