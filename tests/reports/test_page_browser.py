"""The pages of reports in a real browser: no requests, sorting, filtering, hovering, hostile names, any width."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import test_report as goals  # type: ignore[import-not-found]
import test_report_whole as whole  # type: ignore[import-not-found]
import test_training_report as training  # type: ignore[import-not-found]

from accessibility_tools import faults, tab_stops
from widthwise.cli.main import main

pytestmark = pytest.mark.browser

HOSTILE = '<script>window.hacked = 1</script>"\'><img src=x onerror="window.hacked = 1">\n`b`</style>'


def search_run(folder: Path, scores: list[float | None], *, seed: int = 0, environment: str = "maze-small") -> Path:
    """A search whose best score after every 1,000 interactions is given."""
    folder.mkdir(parents=True)
    config = {
        "kind": "search",
        "settings": {"environment": environment, "seed": seed, "interactions": 1000 * len(scores), "features": "tiles"},
        "command": "widthwise search <here>",
        "versions": {"widthwise": "0"},
        "commit": None,
        "machine": {"cpu": "abacus"},
    }
    lines: list[dict[str, Any]] = [
        {
            "interactions": 1000 * (number + 1),
            "score": score,
            "steps": 7,
            "found_at": 900,
            "high_level_states": [number, 2 * number],
            "seconds": 1.5,
        }
        for number, score in enumerate(scores)
    ]
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "progress.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "result.json").write_text(json.dumps({**lines[-1], "finished": True}))
    return folder


def make_runs(folder: Path, name: str = "plain") -> Path:
    """A folder with a run of every kind, with this name wherever a run may have one."""
    folder.mkdir()
    lines = [goals.line("IW(2)", 0, [1, 20, 30, 40]), goals.line("IHIW(1,1)", 0, [1, 7])]
    failure = {"kind": "WorkerDied", "reason": f"it was killed in {name}"}
    lines += [goals.line("IW(2)", 0, [1], row=name, instance=name, failure=failure)]
    goals.write(folder / "goals", lines, goals.config(rows=("Alpha", name)))
    problems = [
        whole.line("auto", "alpha", f"p{number}", number + 1, seconds=0.1 * (number + 1)) for number in range(12)
    ]
    problems += [whole.line("auto", name, name, status="failed", reason=f"it says {name}")]
    problems += [whole.line(name, "alpha", "p1", 7)]
    whole.write(folder / "whole", problems, ["auto", name])
    for seed in range(3):
        scores = [0.1 * seed, 0.5, 1.0, 1.0 - 0.1 * seed]
        extra = tuple({"planning_seconds": 1.0 + number, "waiting_seconds": 0.5, "lag": 2} for number in range(4))
        training.write(folder / f"train{seed}", scores, seed=seed, environment=name, label=f"π-{name}", extra=extra)
    search_run(folder / "search0", [None, 1.0, 3.0], environment=name)
    search_run(folder / "search1", [0.0, 1.0, 2.0], seed=1, environment=name)
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    assert main(["report", str(make_runs(folder / "runs")), "--out", str(folder / "page.html")]) == 0
    return folder / "page.html"


@pytest.mark.parametrize(("width", "dark"), [(400, False), (1200, True), (2000, False)])
def test_a_page_of_all_kinds_fits_the_window_and_has_its_charts(
    page: Path, open_page: Any, width: int, dark: bool
) -> None:
    opened = open_page(page, width=width, dark=dark)
    titles = opened.locator("h2").all_inner_texts()
    assert titles == ["Classical suite: single goals", "Whole problems", "Training runs", "Searches"]
    assert opened.locator(".block.chart canvas").count() == 11
    assert opened.locator(".block.chart").count() == 11
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    brightness = opened.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
    assert (int(brightness) < 100) is dark


def column(opened: Any, block: str, number: int) -> list[str]:
    return [
        text.strip()
        for text in opened.locator(f"#{block} tbody tr:not([hidden]) > :nth-child({number})").all_inner_texts()
    ]


def test_a_table_sorts_by_mouse_and_keyboard(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    opened.locator("#whole-every summary").click()
    usual = column(opened, "whole-every", 1)
    head = opened.locator("#whole-every thead th").first
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(opened, "whole-every", 1)[:3] == ["alpha p0", "alpha p1", "alpha p2"]  # p2 before p10
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(opened, "whole-every", 1)[1] == "alpha p11"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") is None
    assert column(opened, "whole-every", 1) == usual
    assert usual[0] == "plain plain"  # what nobody solves comes first


def test_numbers_sort_as_numbers_and_gaps_come_last(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    button = opened.locator("#goals-table thead tr").last.get_by_role("button", name="goals")
    button.click()
    assert column(opened, "goals-table", 2) == ["4", "0"]
    button.click()
    assert column(opened, "goals-table", 2) == ["0", "4"]
    nodes = opened.locator("#goals-table thead tr").last.get_by_role("button", name="nodes").first
    nodes.click()
    nodes.click()
    assert column(opened, "goals-table", 5)[-1].startswith("-")
    assert opened.locator("#goals-table tfoot th").all_inner_texts() == ["all goals", "mean of rows"]


def test_a_table_is_filtered_by_words(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    opened.locator("#whole-every summary").click()
    opened.locator("#whole-every").get_by_label("Filter").fill("p1 ALPHA")
    assert column(opened, "whole-every", 1) == ["alpha p10", "alpha p11", "alpha p1"]  # p1 is solved twice
    assert opened.locator("#whole-every .count").inner_text() == "3 of 13 rows"
    opened.locator("#whole-every").get_by_label("Filter").fill("")
    assert len(column(opened, "whole-every", 1)) == 13


def test_a_filtered_table_is_saved_as_csv(page: Path, open_page: Any, tmp_path: Path) -> None:
    opened = open_page(page)
    opened.locator("#whole-every summary").click()
    opened.locator("#whole-every").get_by_label("Filter").fill("p11")
    with opened.expect_download() as download:
        opened.locator("#whole-every").get_by_role("button", name="Save as CSV").click()
    download.value.save_as(tmp_path / "table.csv")
    rows = (tmp_path / "table.csv").read_text().splitlines()
    assert rows == ['"problem","auto","plain"', '"alpha p11","12 in 1.20 s","-"']


def chart(opened: Any, title: str) -> Any:
    return opened.locator(".block.chart").filter(has=opened.get_by_role("heading", name=title, exact=True))


def test_hovering_a_curve_shows_its_mean_and_spread(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    block = chart(opened, "Training episodes (planner + network)")
    assert not block.locator(".tip").is_visible()
    over = block.locator(".u-over")
    over.scroll_into_view_if_needed()
    size = over.bounding_box()
    over.hover(position={"x": size["width"] - 2, "y": size["height"] / 2})
    text = block.locator(".tip").inner_text()
    assert "training interactions: 400" in text
    assert "0.9 [0.8, 1]" in text


def test_the_arrow_keys_read_the_values_of_a_chart(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    block = chart(opened, "Problems solved over CPU time")
    plot = block.locator(".plot")
    assert "problems solved over CPU seconds" in plot.get_attribute("aria-label")
    plot.focus()
    opened.keyboard.press("End")
    assert "auto 12" in block.locator(".spoken").inner_text()
    opened.keyboard.press("Home")
    opened.keyboard.press("ArrowRight")
    assert "auto 1" in block.locator(".spoken").inner_text()
    opened.keyboard.press("Escape")
    assert not block.locator(".tip").is_visible()


def test_the_legend_hides_a_curve_and_the_values_are_a_table(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    block = chart(opened, "Problems solved over CPU time")
    block.get_by_role("button", name="auto").click()
    assert block.get_by_role("button", name="auto").get_attribute("aria-pressed") == "false"
    block.locator(".u-over").hover()
    assert "auto" not in block.locator(".tip").inner_text()
    block.locator(".values summary").click()
    rows = block.locator(".values tbody tr")
    rows.first.wait_for()  # the table is filled by the toggle event, which comes after the click
    assert rows.count() == 14 + 3


def test_unknown_figures_and_the_parts_of_time_have_charts(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    assert chart(opened, "Lag").locator("canvas").count() == 1
    block = chart(opened, "Where the time goes")
    assert block.locator(".legend button").all_inner_texts() == ["planning", "waiting"]


def test_hostile_names_stay_text(open_page: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    call = ["report", str(make_runs(tmp_path / "runs", HOSTILE)), "--out", str(page), "--title", HOSTILE]
    assert main(call) == 0
    opened = open_page(page)
    opened.wait_for_timeout(300)
    assert opened.evaluate("window.hacked") is None
    shown = opened.locator("h1").inner_text()
    assert "<script>window.hacked = 1</script>" in shown and "</style>" in shown
    assert "<script>" in opened.locator("#training-tiles").inner_text()
    for over in opened.locator(".block.chart .u-over").all():
        over.hover()
    assert opened.evaluate("window.hacked") is None
    assert opened.locator("img").count() == 0  # the pictures for readers without scripts are not loaded


def test_without_scripts_the_page_has_tables_and_pictures(page: Path, browser: Any) -> None:
    pytest.importorskip("matplotlib")
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(page.resolve().as_uri())
    assert opened.locator("#training-table tbody tr").count() == 1
    assert opened.locator("img").count() == 5  # two for single goals, one each for the others
    assert all(opened.locator("img").evaluate_all("list => list.map(image => image.naturalWidth > 0)"))
    context.close()


def test_the_page_has_names_headings_and_contrast_at_every_width(page: Path, open_page: Any) -> None:
    for width, dark in ((400, True), (1200, False), (1200, True), (2000, False)):
        opened = open_page(page, width=width, dark=dark)
        opened.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        assert faults(opened) == []
        opened.context.close()


def test_the_page_is_read_by_keyboard_alone(page: Path, open_page: Any) -> None:
    opened = open_page(page)
    stops = tab_stops(opened)
    assert [stop for stop in stops if not (stop["name"] and stop["outline"] and stop["seen"])] == []
    names = " ".join(stop["name"] for stop in stops)
    assert len(stops) > 20 and "Values as a table" in names and "Every problem" in names


def test_finished_runs_have_no_empty_charts_and_no_raw_names(tmp_path: Path, open_page: Any) -> None:
    search_run(tmp_path / "runs" / "search", [None, None])
    (tmp_path / "runs" / "search" / "progress.jsonl").write_text("")
    extra = ({"l2_loss": 3.0}, {"l2_loss": 2.0})
    training.write(tmp_path / "runs" / "train", [0.5, 1.0], extra=extra)
    path = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "runs"), "--out", str(path)]) == 0
    opened = open_page(path)
    text = opened.locator("main").inner_text()
    assert "Nothing has been recorded yet" not in text and "l2_loss" not in text and "L2 loss" in text
    labels = opened.evaluate("JSON.stringify([...document.querySelectorAll('script')].map((one) => one.textContent))")
    assert "l2 loss" in labels
