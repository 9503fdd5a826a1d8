"""Reports of training runs: figures worked out by hand, learning curves, pages that open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_report import Reader  # type: ignore[import-not-found]

from widthwise.cli.main import main
from widthwise.experiments.learning_suites import paper_scores
from widthwise.reports.axes import count_axis, from_zero, number
from widthwise.reports.training_runs import Group, Point, read_training


def write(
    folder: Path,
    scores: list[float],
    *,
    seed: int = 0,
    label: str = "π-HIW(1,1), 2x2",
    network: tuple[float | None, ...] = (0.0, 1.0),
    environment: str = "maze-small",
    finished: bool = True,
    settings: dict[str, Any] | None = None,
    extra: tuple[dict[str, Any], ...] = (),
) -> Path:
    """A run of 100 interactions per episode, of 10, 20, 30 … steps, with evaluations at its start and end.

    `extra` has more fields of the episodes, one after another, and of the evaluations.
    """
    folder.mkdir(parents=True)
    algorithm = "pi-hiw" if "HIW" in label else "pi-iw"
    config = {
        "kind": "training",
        "label": label,
        "settings": {"environment": environment, "seed": seed, "algorithm": algorithm, **(settings or {})},
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
    for record in (episodes, evaluations):
        for line, more in zip(record, extra, strict=False):
            line |= more
    for name, item in (("episodes", episodes), ("evaluations", evaluations)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in item))
    if finished:
        (folder / "result.json").write_text("{}")
    return folder


def test_figures_over_seeds(tmp_path: Path) -> None:
    write(tmp_path / "a", [0.0] * 10 + [1.0] * 10)
    write(tmp_path / "b", [0.0] * 18 + [1.0, 0.0], seed=1, network=(0.0, 0.5))
    (group,) = read_training([tmp_path / "a", tmp_path / "b"])
    assert group.reached == 2000
    # The last tenth: the episodes that end at 1,800, 1,900 and 2,000 interactions.
    assert group.last("score") == Point(2000, pytest.approx(2 / 3), pytest.approx(1 / 3), 1.0)  # type: ignore[arg-type]
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


def test_runs_of_other_lengths_are_apart_and_seeds_are_counted_once(tmp_path: Path) -> None:
    from widthwise.reports.training_text import body

    long, short = {"interactions": 200}, {"interactions": 100, "evaluation_steps": 300}
    folders = [
        write(tmp_path / "a", [1.0] * 2, settings=long),
        write(tmp_path / "b", [1.0] * 2, settings=long),
        write(tmp_path / "c", [0.0], settings=short),
        write(tmp_path / "d", [0.0], seed=1, settings=short),
        write(tmp_path / "e", [0.0], environment="corridor", settings=short),
    ]
    lines = body(read_training(folders), {})
    assert [line[:4] for line in lines] == [
        ["maze-small", "π-HIW(1,1), 2x2, 200 interactions, evaluations of whole episodes", "1 (2 runs)", "200"],
        ["maze-small", "π-HIW(1,1), 2x2, 100 interactions, evaluations of 300 steps", "2", "100"],
        ["corridor", "π-HIW(1,1), 2x2", "1", "100"],
    ]


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
    assert "Unfinished runs" in text
    assert text.count(game) == 2
    markdown = out[1].read_text()
    assert "plots/learning-atari-montezuma-revenge.svg" in markdown
    assert markdown.count("\n| atari:montezuma_revenge") == 2
    assert out[0].read_text().startswith("<!doctype html>")
    drawn = (out[2] / "learning-atari-montezuma-revenge.svg").read_text()
    assert main(["report", str(bench), "--plots", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "learning-atari-montezuma-revenge.svg").read_text() == drawn


LOSSES = ({}, {"policy_loss": 2.0, "value_loss": 0.5}, {"policy_loss": 1.0, "value_loss": 0.25})
PLANNED = (
    {"evaluation_interactions": 40},
    {"evaluation_interactions": 60, "planner_score": 0.75, "planner_interactions": 20},
)


def learned(folder: Path, **options: Any) -> Path:
    """A run of three episodes with losses, whose second evaluation includes the planner."""
    extra = tuple(first | second for first, second in zip(LOSSES, (*PLANNED, {}), strict=True))  # type: ignore[operator]
    return write(folder, [0.0, 0.0, 1.0], extra=extra, **options)


def test_planner_losses_and_the_cost_of_evaluations_over_seeds(tmp_path: Path) -> None:
    (group,) = read_training([learned(tmp_path / "a"), learned(tmp_path / "b", seed=1)])
    assert group.evaluations("planner_score") == [Point(300, 0.75, 0.75, 0.75)]
    assert group.latest("planner_score") == Point(300, 0.75, 0.75, 0.75)
    assert group.evaluation_cost() == [Point(0, 40, 40, 40), Point(300, 100, 100, 100)]
    assert group.evaluation_total() == Point(300, 100, 100, 100)
    # There is no loss before the first update.
    assert [point.mean for point in group.episodes("policy_loss", bins=4)] == [2.0, 1.0]
    (single,) = read_training([tmp_path / "a"])
    assert single.curve("policy_loss") == [Point(200, 2, 2, 2), Point(300, 1, 1, 1)]
    (older,) = read_training([write(tmp_path / "older", [1.0])])  # made before the cost was recorded
    assert older.evaluation_total() is None
    assert older.evaluation_cost() == older.curve("value_loss") == []


def drawn(group: Group) -> list[Any]:
    """The panels of the figure of a group."""
    from matplotlib.figure import Figure

    from widthwise.reports.curves import learning_figure

    return list(learning_figure(Figure, group.environment, [group]).axes)


def test_the_figure_has_planner_network_losses_and_cost(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (group,) = read_training([learned(tmp_path / "a")])
    panels = {axes.get_title(): axes for axes in drawn(group)}
    values = {title: [list(line.get_ydata()) for line in axes.lines] for title, axes in panels.items()}
    assert values == {
        "training episodes (planner + network)": [[0.0, 0.0, 1.0]],
        "evaluations: network alone": [[0.0, 1.0]],
        "evaluations: planner + network": [[0.75]],
        "steps of training episodes": [[10, 20, 30]],
        "losses of the latest update": [[2.0, 1.0], [0.5, 0.25]],
        "cost of evaluations, not part of training": [[40, 100]],
    }
    legend = panels["losses of the latest update"].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["policy loss", "value loss"]
    assert all(axes.get_xlabel() == "training interactions" and axes.get_ylabel() for axes in panels.values())


@pytest.mark.parametrize("scores", [[1.0] * 3, [0.5, 0.501, 0.502], [-1.0] * 3, [-3.0, 12.0], [250.0, 4000.0]])
def test_axes_hold_zero_and_every_curve(tmp_path: Path, scores: list[float]) -> None:
    pytest.importorskip("matplotlib")
    (group,) = read_training([write(tmp_path / "a", scores, network=tuple(scores))])
    panels = drawn(group)
    for axes in panels:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        assert left == 0
        assert low <= 0 <= high
        for line in axes.lines:
            assert all(x < right for x in line.get_xdata())
            assert all((low < y or y == 0) and (y < high or y == 0) for y in line.get_ydata())
    assert len(panels) == 4  # no evaluation had the planner, and its cost was not recorded
    ranges = [axes.get_ylim() for axes in panels if axes.get_ylabel() == "score"]
    assert len(ranges) == 2
    assert ranges[0] == ranges[1]  # scores can be compared
    assert ranges[0][1] - ranges[0][0] >= 1


def test_ranges_and_labels_of_axes() -> None:
    assert from_zero([]) == (0, pytest.approx(1.05))
    assert from_zero([0.25]) == (0, pytest.approx(1.05))
    assert from_zero([100.0]) == (0, pytest.approx(105))
    assert from_zero([-1.0, 1.0]) == (pytest.approx(-1.1), pytest.approx(1.1))
    assert from_zero([-0.25]) == (pytest.approx(-1.05), pytest.approx(0.05))
    assert [number(value) for value in (0, 0.25, -1, 2500, 20_000)] == ["0", "0.25", "-1", "2,500", "20,000"]


def test_ticks_of_long_runs_are_in_millions() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure
    labels = {}
    for end in (1_000_000, 20_000_000):
        axes = figure().add_subplot()
        axes.set_xlim(0, end)
        count_axis(axes.xaxis)
        labels[end] = [text.get_text() for text in axes.get_xticklabels()]
    assert labels[1_000_000] == ["0", "200,000", "400,000", "600,000", "800,000", "1,000,000"]
    assert labels[20_000_000] == ["0", "5M", "10M", "15M", "20M"]


def test_the_page_has_the_cost_of_evaluations_and_no_backticks(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["report", str(learned(tmp_path / "a")), "--out", str(page)]) == 0
    reader = Reader()
    reader.feed(page.read_text())
    shown = " ".join(reader.text)
    assert not reader.open
    assert "`" not in shown
    assert "evaluation cost" in shown
    assert "<td>100</td>" in page.read_text()
    assert "<code>solved from</code>" in page.read_text()


def test_what_is_no_training_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "a", [1.0])
    (tmp_path / "b").mkdir()
    assert main(["report", str(run), str(tmp_path / "b")]) == 31
    assert "is not a run folder" in capsys.readouterr().err
    (tmp_path / "b" / "config.json").write_text('{"kind": "classical"}')
    assert main(["report", str(run), str(tmp_path / "b")]) == 31
    assert "the field 'settings' is missing" in capsys.readouterr().err
    (tmp_path / "b" / "config.json").write_text('{"kind": "other"}')
    assert main(["report", str(run), str(tmp_path / "b")]) == 31
    assert "is not a run of" in capsys.readouterr().err
    assert main(["report", str(run), "--explain", "a b: c"]) == 2
    (tmp_path / "b" / "config.json").write_text('{"kind": "learning"}')
    assert main(["report", str(tmp_path / "b")]) == 31
    assert "no training run has been started in this folder" in capsys.readouterr().err


def test_the_papers_atari_table_is_whole() -> None:
    from widthwise.simulators.atari_games import PAPER_GAMES

    scores = paper_scores()
    assert len(scores) == len(PAPER_GAMES) == 53
    assert scores["atari:alien"] == {"pi-iw": 3969.78, "pi-iw+": 2585.77, "pi-hiw": 4609.18}


def test_a_run_with_actors_says_how_far_behind_they_were_and_where_the_time_went(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write(tmp_path / "run", [0.0, 1.0])
    lines = [json.loads(line) for line in (run / "episodes.jsonl").read_text().splitlines()]
    for line, lag in zip(lines, (10, 30), strict=True):
        line |= {"actor": 0, "lag": lag, "oldest_lag": lag}
    (run / "episodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    seconds = {"training": 1.0, "simulator": 2.0, "learner_waiting": 1.0}
    result = {"actors": 2, "actors_lost": 1, "time_seconds": seconds}
    (run / "result.json").write_text(json.dumps(result))
    assert main(["report", str(run)]) == 0  # an older run, without sizes
    assert "bytes per episode" not in capsys.readouterr().out
    sizes = {"bytes_per_episode": 4_000, "bytes_per_weight_update": 2_900_000}
    memory = {"replay_bytes": 14_100_000, "replay_bytes_at_most": 57_000_000}
    (run / "result.json").write_text(json.dumps({**result, **sizes, **memory}))
    assert main(["report", str(run)]) == 0
    shown = capsys.readouterr().out
    assert f"{run}: 2 actors (1 lost), weights 20 updates behind (at most 30)" in shown
    assert "4,000 bytes per episode, 2,900,000 per weight update; replay memory 14.1 MB of at most 57.0 MB" in shown
    assert "training 25%, simulator 50%, learner waiting 25%" in shown


def test_half_of_a_character_in_a_run_folder_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "run", [0.5], environment="maze\ud800")
    path = run / "config.json"
    escaped = path.read_bytes()
    assert rb"\ud800" in escaped
    for data, reason in (
        (escaped, r"a string contains '\ud800', half of a surrogate pair"),
        (escaped.replace(rb"\ud800", b"\xed\xa0\x80"), "this is not valid JSON"),
    ):
        path.write_bytes(data)
        assert main(["report", str(run), "--out", str(tmp_path / "page.html")]) == 31
        error = capsys.readouterr().err
        assert f"{path}: {reason}" in error and "Traceback" not in error
    path.write_bytes(escaped.replace(rb"\ud800", rb"\ud83d\ude00"))  # both halves are a character
    assert main(["report", str(run), "--out", str(tmp_path / "page.html")]) == 0
