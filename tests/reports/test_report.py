"""Reports: the numbers of a run folder made by hand, and pages that open."""

from __future__ import annotations

import gzip
import json
import sys
from html.parser import HTMLParser

import pytest

from widthwise.cli.main import main
from widthwise.reports.plots import coverage_figure
from widthwise.reports.records import read_runs
from widthwise.reports.table import Cell, Published, make_table

PLANNERS = {"IW(1)": ("iw", "1"), "IW(2)": ("iw", "2"), "IHIW(1,1)": ("ihiw", "1,1")}


def config(relevance="task", rows=("Alpha", "Beta")):
    messages = {"coverage": 50.0, "nodes": 20.0, "seconds": 0.25}
    notes = {"Beta": "two files are missing"}
    return {
        "kind": "classical",
        "settings": {
            "planners": ["iw:1", "iw:2", "ihiw:1,1"],
            "seeds": [0, 1],
            "budget": {"nodes": 100},
            "relevance": relevance,
        },
        "command": "widthwise bench classical --out <here>",
        "versions": {"widthwise": "0"},
        "commit": None,
        "machine": {"cpu": "abacus", "cores": 2},
        "rows": [{"name": row, "folder": row.lower(), "note": notes.get(row, "")} for row in rows],
        "published": {"rows": {row: dict.fromkeys(PLANNERS, messages) for row in ("Alpha", "Beta", "Gamma")}},
    }


def line(column, seed, solved, *, row="Alpha", instance="p1", relevance="task", failure=None):
    """A line of four goals, the first true at the start; `solved` are the nodes of the solved ones."""
    planner, width = PLANNERS[column]
    result = {"row": row, "folder": row.lower(), "instance": instance, "planner": planner, "width": width}
    result |= {"seed": seed, "relevance": relevance, "failure": failure}
    if failure is None:
        rest = 4 - len(solved)
        result |= {
            "goal": ["(a)", "(b)", "(c)", "(d)"],
            "status": ["solved"] * len(solved) + ["out-of-nodes"] * rest,
            "generated": [*solved, *[100] * rest],
            "plan_length": [0, *[3] * (len(solved) - 1), *[None] * rest],
            "true_at_start": [1, 0, 0, 0],
            "high_level_nodes": [0] * 4,
            "features": [0] * 4,
            "seconds": [0.5] * 4,
            "load_seconds": 0.1,
        }
    return result


def write(folder, lines, message=None, finished=True):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(message or config()))
    (folder / "results.jsonl").write_text("".join(json.dumps(item) + "\n" for item in lines))
    if finished:
        (folder / "result.json").write_text("{}")
    return folder


@pytest.fixture
def folder(tmp_path):
    crash = {"kind": "WorkerDied", "reason": "the worker <process> was killed in `solve`, can`t go on"}
    lines = [
        line("IW(1)", 0, [1, 9]),
        line("IW(1)", 1, [1, 11]),
        line("IW(2)", 0, [1, 20, 30, 40]),
        line("IW(2)", 1, [1, 20, 33]),
        line("IHIW(1,1)", 0, [1]),
        line("IHIW(1,1)", 1, [1], failure=crash),
        line("IW(1)", 0, [1, 5], row="Beta"),
        line("IW(1)", 0, [1, 7, 7], row="Beta", instance="p2"),
    ]
    return write(tmp_path / "run", lines)


def test_the_numbers_of_a_table(folder):
    table = make_table(read_runs([folder]))
    assert table.columns == ["IW(1)", "IW(2)", "IHIW(1,1)"] and table.seeds == 2
    alpha, beta = table.lines
    assert (alpha.goals, alpha.at_start, beta.goals, beta.at_start) == (4, 1, 8, 2)
    first, second, three = (alpha.cells[name] for name in table.columns)
    assert first.coverages == [50, 50] and first.spread == 0 and first.mark == ""
    assert first.nodes == (5 + 6) / 2 and first.seconds == 0.5
    assert second.coverages == [100, 75] and second.coverage == 87.5
    assert second.spread == pytest.approx(17.6777, abs=1e-3)
    assert second.mark == "+"  # 37.5 points, more than twice the spread
    assert second.nodes == pytest.approx((91 / 4 + 54 / 3) / 2)
    assert three.coverages == [25, 0] and three.failures == 1  # what failed is not solved
    assert three.mark == "-"
    assert beta.cells["IW(1)"].coverages == [62.5] and beta.cells["IW(1)"].spread is None
    assert beta.cells["IW(2)"].coverage is None
    assert table.total.goals == 12 and table.total.cells["IW(1)"].coverages == [100 * 7 / 12, 50]
    assert table.means["IW(1)"] == (50 + 62.5) / 2 and table.published_means["IW(1)"] == 50
    assert table.missing == ["Gamma"]


@pytest.mark.parametrize(
    "coverages, theirs, mark",
    [
        ([50.0], 54.0, ""),
        ([50.0], 54.1, "-"),
        ([50.0], 45.9, "+"),
        ([40.0, 60.0], 30.0, ""),  # twice the spread is 28
        ([], 50.0, ""),
        ([50.0], None, ""),
    ],
)
def test_only_what_is_beyond_noise_is_marked(coverages, theirs, mark):
    assert Cell(coverages, published=Published(theirs, None, None)).mark == mark


class Reader(HTMLParser):
    """Counts tags and refuses a page whose tags do not match; `text` is what a reader sees, without scripts."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text, self.sources = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.sources += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]
        if tag not in ("meta", "img", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)


def test_a_page_with_errors_first_and_everything_inside(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page, text, plots = (
        tmp_path / "out" / "page.html",
        tmp_path / "out" / "page.md",
        tmp_path / "out" / "plots",
    )
    call = ["report", str(folder), "--out", str(page), "--markdown", str(text), "--plots", str(plots)]
    assert main(call) == 0
    reader = Reader()
    reader.feed(page.read_text())
    assert not reader.open
    shown = " ".join(reader.text)
    assert shown.index("the worker <process> was killed") < shown.index("Table") < shown.index("mean of rows")
    assert "`" not in shown and "can't go on" in shown
    assert "<code>at start</code>" in page.read_text() and "<code>solve</code>" in page.read_text()
    assert "87.5±17.7/50.0▲" in shown and "Gamma" in shown and "two files are missing" in shown
    assert reader.seen.count("img") == 2
    assert reader.sources and all(source.startswith("data:image/svg+xml;base64,") for source in reader.sources)
    names = sorted(path.name for path in plots.iterdir())
    assert names == ["coverage-over-nodes.svg", "nodes-ihiw-iw2.svg"]
    assert all("<svg" in path.read_text() for path in plots.iterdir())
    written = text.read_text()
    assert "| Alpha | 4 | 1 | 50.0±0.0/50.0 | 6/20 | 0.500/0.25 |" in written
    assert "![plots/nodes-ihiw-iw2.svg](plots/nodes-ihiw-iw2.svg)" in written
    printed = capsys.readouterr().out
    assert printed.startswith("Failures without an explanation (--explain):") and "87.5±17.7/50.0▲" in printed
    before = page.read_bytes()
    main(call)
    assert page.read_bytes() == before


def test_curves_of_coverage_lie_within_their_frame(tmp_path):
    figure = pytest.importorskip("matplotlib.figure").Figure
    run = write(tmp_path / "all", [line("IW(1)", 0, [1, 2, 90, 100])])
    for axes in coverage_figure(figure, read_runs([run])).axes:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        (curve,) = axes.lines
        assert max(curve.get_ydata()) == pytest.approx(100) and low == 0
        assert all(left < x < right for x in curve.get_xdata()) and all(y < high for y in curve.get_ydata())


def test_without_matplotlib_there_is_still_a_table(folder, tmp_path, capsys, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    page = tmp_path / "page.html"
    assert main(["report", str(folder), "--out", str(page)]) == 0
    captured = capsys.readouterr()
    assert "widthwise[plot]" in captured.err and "Alpha" in captured.out
    assert "<img" not in page.read_text() and "Alpha" in page.read_text()
    assert main(["report", str(folder), "--plots", str(tmp_path / "plots")]) == 34


def test_folders_complete_each_other(folder, tmp_path, capsys):
    mine = write(
        tmp_path / "mine",
        [line("IW(1)", 0, [1, 2, 3], relevance="goal")],
        config(relevance="goal", rows=("Alpha",)),
    )
    table = make_table(read_runs([folder, mine]))
    assert table.columns == ["IW(1)", "IW(2)", "IHIW(1,1)", "IW(1), relevance goal"]
    assert table.lines[0].cells["IW(1), relevance goal"].coverages == [75]
    assert table.lines[0].cells["IW(1), relevance goal"].published is None
    assert main(["report", str(folder), str(folder)]) == 2
    assert "twice" in capsys.readouterr().err


def test_an_explained_failure_is_a_note(folder, capsys):
    assert main(["report", str(folder), "--explain", "Alpha p1: the machine was out of memory"]) == 0
    printed = capsys.readouterr().out
    assert "without an explanation" not in printed and "was killed" not in printed
    assert "Explained failure: Alpha p1: the machine was out of memory" in printed
    assert main(["report", str(folder), "--explain", "Beta p1: it did not fail"]) == 2
    assert main(["report", str(folder), "--explain", "Alpha p1"]) == 2


def test_compressed_torn_and_unfinished_runs_are_read(folder, tmp_path, capsys):
    raw = (folder / "results.jsonl").read_bytes()
    (folder / "results.jsonl").unlink()
    (folder / "results.jsonl.gz").write_bytes(gzip.compress(raw))
    assert len(read_runs([folder]).runs[0].lines) == 8
    torn = write(tmp_path / "torn", [line("IW(1)", 0, [1])], finished=False)
    with (torn / "results.jsonl").open("a") as file:
        file.write('{"row": "Al')
    assert main(["report", str(torn)]) == 0
    assert "not finished" in capsys.readouterr().out


def test_what_is_no_run_is_refused(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 31
    assert "config.json" in capsys.readouterr().err
    other = write(tmp_path / "other", [], {"kind": "something"})
    assert main(["report", str(other)]) == 31
    assert "classical" in capsys.readouterr().err


def test_auto_is_measured_by_the_best_of_all_other_columns(folder, tmp_path):
    auto = [line("IW(1)", seed, [1, 2, 3][: 3 - seed], relevance="goal") for seed in (0, 1)]
    auto += [line("IW(1)", 0, [1, 2, 3, 4], row="Beta", relevance="goal")]
    for item in auto:
        item |= {"planner": "auto", "width": ""}
    messages = config("default")
    messages["settings"]["planners"] = ["auto"]
    table = make_table(read_runs([folder, write(tmp_path / "auto", auto, messages)]))
    assert table.columns[-1] == "auto"
    alpha, beta = (line.cells["auto"] for line in table.lines)
    assert alpha.coverage == 62.5 and alpha.published.coverage == 87.5 and alpha.mark == "-"  # type: ignore[union-attr]  # IW(2) of our own
    assert beta.coverage == 100 and beta.mark == "+"
    alone = make_table(read_runs([tmp_path / "auto"])).lines[0].cells["auto"]
    assert alone.published.coverage == 50 and alone.mark == "+"  # type: ignore[union-attr]  # the published best
