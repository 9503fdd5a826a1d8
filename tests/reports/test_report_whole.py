"""The report on whole problems: the numbers of run folders made by hand, and pages that open."""

from __future__ import annotations

import json

import pytest
from test_report import Reader  # type: ignore[import-not-found]

from widthwise.cli.main import main
from widthwise.reports.whole_plots import cactus, solved_times
from widthwise.reports.whole_suite import count_rows, count_totals, losses, read_whole


def line(planner, row, instance, cost=None, *, status="out-of-time", seed=None, width="", seconds=1.0, reason="late"):
    solved = cost is not None
    return {
        "row": row,
        "folder": row,
        "instance": instance,
        "planner": planner,
        "width": width,
        "seed": seed,
        "failure": None,
        "status": "solved" if solved else status,
        "reason": "" if solved else reason,
        "plan_length": cost,
        "cost": cost,
        "plan_seconds": seconds if solved else None,
        "cpu_seconds": 2 * seconds,
        "commit": "c0ffee",
    }


def write(folder, lines, planners, finished=True):
    folder.mkdir()
    rows = dict.fromkeys(item["row"] for item in lines)
    config = {
        "kind": "whole",
        "settings": {
            "planners": {name: f"run {name} <now>" for name in planners},
            "limits": {"wall": None, "cpu": 6.0, "megabytes": 2000.0},
        },
        "command": "widthwise bench classical --suite whole --out <here>",
        "versions": {"widthwise": "0"},
        "commit": "c0ffee",
        "machine": {"cpu": "abacus", "cores": 2},
        "rows": [{"name": row, "folder": row} for row in rows],
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "results.jsonl").write_text("".join(json.dumps(item) + "\n" for item in lines))
    if finished:
        (folder / "result.json").write_text("{}")
    return folder


@pytest.fixture
def ours(tmp_path):
    lines = [
        line("auto", "alpha", "p1", 10, seconds=0.5),
        line("auto", "alpha", "p2"),
        line("auto", "beta", "p1", 4, seconds=2.0),
        line("ihiw", "alpha", "p1", 20, width="1,1"),
        line("ihiw", "alpha", "p2", status="failed", width="1,1", reason="it was ended by signal <ABRT> in `search`"),
        line("ihiw", "beta", "p1", 4, width="1,1"),
    ]
    # The lines may come in any order: columns stand as in the settings.
    return write(tmp_path / "ours", lines[::-1], ["auto", "ihiw:1,1"])


@pytest.fixture
def peers(tmp_path):
    lines = [
        line("lama", "alpha", "p1", 12, seconds=3.0),
        line("lama", "alpha", "p2", 9, seconds=4.0),
        line("lama", "beta", "p1", status="out-of-memory"),
    ]
    return write(tmp_path / "peers", lines, ["lama"])


def test_the_numbers(ours, peers):
    whole = read_whole([ours, peers])
    assert whole.columns == ["auto", "IHIW(1,1)", "lama"]
    alpha, beta = sorted(count_rows(whole), key=lambda row: row.name)
    assert (alpha.problems, alpha.solved) == (2, {"auto": 1, "IHIW(1,1)": 1, "lama": 2})
    assert alpha.lost("auto") and not alpha.lost("lama") and beta.lost("lama") and not beta.lost("auto")
    totals = count_totals(whole)
    assert totals["auto"].solved == 2 and totals["auto"].tried == 3 and totals["auto"].score == 2
    assert totals["IHIW(1,1)"].score == 0.5 + 1 and totals["lama"].score == 10 / 12 + 1
    assert totals["auto"].length == 10 and totals["lama"].length == 12  # of alpha p1, which all solve
    assert totals["auto"].median_seconds == 1.25 and totals["auto"].cpu_seconds == 1 + 2 + 4
    assert totals["lama"].statuses == {"solved": 2, "out-of-memory": 1}
    (loss,) = losses(whole, count_rows(whole), "auto")
    assert (loss.row, loss.solved, loss.winners) == ("alpha", 1, {"lama": 2})
    assert loss.problems == [("p2", "out-of-time")]
    assert solved_times(whole, "auto") == [0.5, 2.0]


def test_seeds_are_averaged(tmp_path):
    lines = [line("auto", "alpha", "p1", 10 if seed else None, seed=seed) for seed in range(3)]
    whole = read_whole([write(tmp_path / "run", lines, ["auto"])])
    (row,) = count_rows(whole)
    assert row.problems == 1 and row.solved["auto"] == pytest.approx(2 / 3)
    assert count_totals(whole)["auto"].score == pytest.approx(2 / 3)
    assert solved_times(whole, "auto") == [1.0]


def test_one_planner_of_two_runs_is_distinguished(ours, tmp_path, capsys):
    again = write(tmp_path / "again", [line("auto", "alpha", "p1", 11)], ["auto"])
    whole = read_whole([ours, again])
    assert whole.columns == ["auto [ours]", "IHIW(1,1)", "auto [again]"]
    rest = write(tmp_path / "rest", [line("auto", "gamma", "p1", 11)], ["auto"])
    assert read_whole([ours, rest]).columns == ["auto", "IHIW(1,1)"]
    assert main(["report", str(ours), str(ours)]) == 2
    assert "twice" in capsys.readouterr().err


def test_a_page_a_text_and_a_plot(ours, peers, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page, text, plots = tmp_path / "page.html", tmp_path / "page.md", tmp_path / "plots"
    call = ["report", str(ours), str(peers), "--out", str(page), "--markdown", str(text), "--plots", str(plots)]
    assert main(call) == 0
    printed = capsys.readouterr().out
    for item in ("1▼", "Domains where others solve more than auto", "p2 (out-of-time)", "signal <ABRT>"):
        assert item in printed
    reader = Reader()
    reader.feed(page.read_text())
    assert not reader.open and reader.seen.count("img") == 1
    shown = " ".join(reader.text)
    assert "`" not in shown and "<code>search</code>" in page.read_text()
    assert "10 in 0.50 s" in shown and "run lama <now>" in shown and "signal <ABRT>" in shown
    assert [path.name for path in plots.iterdir()] == ["solved-over-time.svg"]
    assert "| alpha | 2 | 1▼ | 1▼ | 2 |" in text.read_text()
    assert "| all | 3 | 2 | 2 | 2 |" in text.read_text()
    before = page.read_bytes()
    main(call)
    assert page.read_bytes() == before


def test_the_curves_of_the_plot_lie_within_its_frame(tmp_path):
    figure = pytest.importorskip("matplotlib.figure").Figure
    # A plan may be found after the limit, before the planner is stopped.
    lines = [line("auto", "alpha", f"p{n}", 3, seconds=0.001 * 20**n) for n in range(4)]
    (axes,) = cactus(figure, read_whole([write(tmp_path / "run", lines, ["auto"])])).axes
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    (curve,) = axes.lines
    assert max(curve.get_ydata()) == 4 and max(curve.get_xdata()) == 8.0
    assert all(left < x < right for x in curve.get_xdata()) and all(low <= y < high for y in curve.get_ydata())
    assert low == 0


def test_what_is_not_finished_or_has_nothing(ours, tmp_path, capsys):
    going = write(tmp_path / "going", [line("siw", "alpha", "p1", 3)], ["siw"], finished=False)
    assert main(["report", str(going), str(ours)]) == 0
    printed = capsys.readouterr().out
    assert "not finished" in printed and "1 of 1" in printed
    empty = write(tmp_path / "empty", [], ["siw"], finished=False)
    assert main(["report", str(empty)]) == 31
    assert main(["report", str(ours), "--explain", "alpha p2: hard"]) == 2


def test_lines_of_several_commits_are_reported(tmp_path, capsys):
    lines = [line("auto", "alpha", "p1", 3), {**line("auto", "alpha", "p2", 3), "commit": "f00d"}]
    run = write(tmp_path / "run", lines, ["auto"])
    assert main(["report", str(run)]) == 0
    assert "several versions" in capsys.readouterr().out
    assert main(["report", str(write(tmp_path / "one", lines[:1], ["auto"]))]) == 0
    assert "several versions" not in capsys.readouterr().out


def test_a_damaged_run_of_another_suite_is_refused(ours, tmp_path, capsys):
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text('{"kind": "classical"}')
    assert main(["report", str(ours), str(other)]) == 31
    assert "other/config.json: the field 'settings' is missing" in capsys.readouterr().err
