"""Reports of training runs: figures worked out by hand, learning curves, pages that open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from widthwise.cli.main import main
from widthwise.experiments.learning_suites import paper_scores
from widthwise.reports.training import Point, read_training


def write(
    folder: Path,
    scores: list[float],
    *,
    seed: int = 0,
    label: str = "π-HIW(1,1), 2x2",
    network: tuple[float | None, ...] = (0.0, 1.0),
    environment: str = "maze-small",
    finished: bool = True,
) -> Path:
    """A run of 100 interactions per episode, of 10, 20, 30 … steps, with evaluations at its start and end."""
    folder.mkdir(parents=True)
    algorithm = "pi-hiw" if "HIW" in label else "pi-iw"
    config = {
        "kind": "training",
        "label": label,
        "settings": {"environment": environment, "seed": seed, "algorithm": algorithm},
        "command": "widthwise train <here>",
        "commit": None,
        "versions": {"widthwise": "0"},
        "machine": {"cpu": "abacus"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    episodes = [
        {"episode": n, "interactions": 100 * (n + 1), "score": score, "steps": 10 * (n + 1)}
        for n, score in enumerate(scores)
    ]
    evaluations: list[dict[str, Any]] = [
        {"evaluation": n, "interactions": 100 * n * len(scores), "network_score": score, "network_steps": 5.0}
        for n, score in enumerate(network)
    ]
    for name, found in (("episodes", episodes), ("evaluations", evaluations)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in found))
    if finished:
        (folder / "result.json").write_text("{}")
    return folder


def test_figures_over_seeds(tmp_path: Path) -> None:
    write(tmp_path / "a", [0.0] * 10 + [1.0] * 10)
    write(tmp_path / "b", [0.0] * 18 + [1.0, 0.0], seed=1, network=(0.0, 0.5))
    (group,) = read_training([tmp_path / "a", tmp_path / "b"])
    assert group.reached == 2000
    # The last tenth: the episodes that end at 1,800, 1,900 and 2,000 interactions.
    assert group.last("score") == Point(2000, pytest.approx(2 / 3), pytest.approx(1 / 3), 1.0)
    assert group.last("steps") == Point(2000, 190, 190, 190)
    assert group.final("network_score") == Point(2000, 0.75, 0.5, 1.0)
    assert group.best("network_score") == Point(2000, 0.75, 0.5, 1.0)
    curve = group.episodes("score", bins=4)
    assert [point.interactions for point in curve] == [500, 1000, 1500, 2000]
    # Stretches of 4, 5, 5 and 6 episodes: one that ends where a stretch ends belongs to the next.
    assert [(point.low, point.high) for point in curve] == [
        (0, 0),
        (0, 0),
        (0, pytest.approx(0.8)),
        (pytest.approx(1 / 6), 1),
    ]
    assert [point.mean for point in group.evaluations("network_score")] == [0, 0.75]


def test_solved_from_is_where_ten_episodes_in_a_row_stay_solved(tmp_path: Path) -> None:
    (first,) = read_training([write(tmp_path / "a", [0.0] * 5 + [1.0] * 12)])
    assert first.solved_from(1.0) == Point(1700, 1500, 1500, 1500)
    (second,) = read_training([write(tmp_path / "b", [1.0] * 12 + [0.0])])
    assert second.solved_from(1.0) is None  # it did not stay so
    (third,) = read_training([write(tmp_path / "c", [1.0] * 9)])
    assert third.solved_from(1.0) is None
    assert first.solved_from(0.5) is None  # more than that was scored


def test_a_stretch_without_an_episode_repeats_the_one_before(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", [0.5] * 2, network=(None, None))
    line = {"episode": 2, "interactions": 1000, "score": 1.0, "steps": 3}
    with (folder / "episodes.jsonl").open("a") as file:
        file.write(json.dumps(line) + '\n{"torn":')
    (group,) = read_training([folder])
    curve = group.episodes("score", bins=10)
    assert [point.interactions for point in curve] == [200, 300, 400, 500, 600, 700, 800, 900, 1000]
    assert [point.mean for point in curve] == [0.5] * 8 + [1.0]
    assert group.evaluations("network_score") == []
    assert group.final("network_score") is None


def test_the_report_of_a_bench_has_table_curves_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    bench = tmp_path / "bench"
    game = "atari:montezuma_revenge"
    for seed in range(2):
        write(bench / "runs" / f"a{seed}", [0.0] * 10 + [1.0] * 10, seed=seed, environment=game)
        write(bench / "runs" / f"b{seed}", [0.0] * 20, seed=seed, label="π-IW", environment=game, finished=False)
    (bench / "runs" / "not-begun").mkdir()
    config = {"kind": "learning", "published": {game: paper_scores()[game]}}
    (bench / "config.json").write_text(json.dumps(config))
    out = [tmp_path / "page.html", tmp_path / "page.md", tmp_path / "plots"]
    arguments = ["--out", str(out[0]), "--markdown", str(out[1]), "--plots", str(out[2])]
    assert main(["report", str(bench), *arguments]) == 0
    text = capsys.readouterr().out
    assert "π-HIW(1,1), 2x2" in text
    assert f"{paper_scores()[game]['pi-hiw']:,.2f}" in text
    assert "Not finished yet" in text
    assert text.count(game) == 2
    markdown = out[1].read_text()
    assert "plots/learning-atari-montezuma-revenge.svg" in markdown
    assert markdown.count("\n| atari:montezuma_revenge") == 2
    assert out[0].read_text().startswith("<!doctype html>")
    drawn = (out[2] / "learning-atari-montezuma-revenge.svg").read_text()
    assert main(["report", str(bench), "--plots", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "learning-atari-montezuma-revenge.svg").read_text() == drawn


def test_what_is_no_training_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "a", [1.0])
    (tmp_path / "b").mkdir()
    assert main(["report", str(run), str(tmp_path / "b")]) == 2
    assert "is no training run" in capsys.readouterr().err
    assert main(["report", str(run), "--explain", "a b: c"]) == 2
    (tmp_path / "b" / "config.json").write_text('{"kind": "learning"}')
    assert main(["report", str(tmp_path / "b")]) == 31
    assert "no training run has begun there" in capsys.readouterr().err


def test_the_papers_atari_table_is_whole() -> None:
    from widthwise.simulators.atari_games import PAPER_GAMES

    scores = paper_scores()
    assert len(scores) == len(PAPER_GAMES) == 53
    assert scores["atari:alien"] == {"pi-iw": 3969.78, "pi-iw+": 2585.77, "pi-hiw": 4609.18}
