"""The page of a run on a task in a real browser; `open_page` fails on network requests and console errors."""

from __future__ import annotations

import pytest

import widthwise as ww
from browser_tools import wait_until
from widthwise.explorer import task_data
from widthwise.explorer.explorer_page import NOTEBOOK_HEIGHT

pytestmark = pytest.mark.browser
#: The regions of the nodes that are drawn, and the colours of the legend.
REGIONS = "() => [...new Set(explorer.groupNumbers())].sort((left, right) => left - right)"
LEGEND = ".legend button"


@pytest.fixture
def corridor(tmp_path, open_page):
    """The page of IHIW in the corridor."""

    def opened(**window):
        path = tmp_path / "corridor.html"
        ww.explore(ww.solve(ww.example("corridor"), "ihiw")).save(path)
        return open_page(path, **window)

    return opened


def panel(page):
    return page.locator("aside").inner_text()


@pytest.mark.parametrize(("width", "dark"), [(400, False), (1200, True), (2000, False)])
def test_the_corridor_has_two_regions_at_every_width(corridor, width, dark):
    page = corridor(width=width, dark=dark)
    assert page.evaluate(REGIONS) == [0, 1]
    assert page.locator(LEGEND).all_inner_texts() == ["high-level node 0 21 nodes", "high-level node 1 19 nodes"]
    colours = page.eval_on_selector_all(
        f"{LEGEND} .swatch", "all => all.map((part) => getComputedStyle(part).backgroundColor)"
    )
    assert len(set(colours)) == 2
    # Nothing is wider than the window, and the whole tree is inside its frame.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inside = """() => explorer.tree.parent.every((_, node) => {
      const [x, y] = explorer.canvas.spot(node), [width, height] = explorer.canvas.size;
      return x >= 0 && y >= 0 && x <= width && y <= height;
    })"""
    assert page.evaluate(inside)


def test_the_tree_is_drawn_in_the_colours_of_its_regions(corridor):
    page = corridor()
    wait_until(page, "explorer.canvas.stats.pictures > 0 && !explorer.canvas.job")
    drawn = """() => {
      const { base } = explorer.canvas, scale = base.width / base.clientWidth;
      const pen = base.getContext("2d"), seen = {};
      for (const node of [3, 25]) {
        const [x, y] = explorer.canvas.spot(node);
        seen[node] = [...pen.getImageData(Math.round((x - 3) * scale), Math.round(y * scale), 1, 1).data].slice(0, 3);
      }
      return seen;
    }"""
    seen = page.evaluate(drawn)
    assert seen["3"] != seen["25"] and all(max(colour) - min(colour) > 30 for colour in seen.values())


def test_clicking_a_pruned_node_names_the_first_and_the_link_leads_there(corridor):
    page = corridor()
    x, y = page.evaluate("explorer.canvas.spot(24)")
    page.locator(".tree-place canvas").nth(1).click(position={"x": x, "y": y})
    text = panel(page)
    assert "Node 24" in text and "pruned" in text and "nothing is new" in text
    rows = page.locator("aside .tuples tbody tr").first
    assert rows.inner_text().split() == ["(at", "p10)", "node", "21"]
    assert page.url.endswith("#node=24")
    rows.locator("a").click()
    assert "Node 21" in panel(page) and "(take-key p10)" in panel(page)
    assert page.url.endswith("#node=21")
    assert page.evaluate("explorer.canvas.selected") == 21


def test_a_kept_node_names_what_was_new_and_an_entry_its_feature(corridor):
    page = corridor()
    page.evaluate("explorer.select(5)")
    assert "first in its high-level node to show\n\n(at p3)" in panel(page)
    page.evaluate("explorer.select(21)")
    assert "It begins a high-level node: first to show\n\n(have-key)" in panel(page)


def test_a_link_opens_its_node_and_its_chapter(tmp_path, open_page):
    path = tmp_path / "page.html"
    ww.explore(ww.solve(ww.example("corridor"), "ihiw")).save(path)
    page = open_page(f"{path.as_uri()}#node=22&chapter=1")
    assert "Node 22" in panel(page)
    assert page.evaluate("explorer.chapter") == 0
    page.evaluate("location.hash = '#node=7'")
    wait_until(page, "explorer.selected === 7")
    page.evaluate("location.hash = '#node=4711'")
    page.locator("aside", has_text="Node 4711 is not on this page").wait_for()


def test_the_slider_recolours_the_tree_and_shows_the_branch(corridor):
    page = corridor()
    slider = page.locator("#chapter")
    assert page.evaluate(REGIONS) == [0, 1]
    slider.fill("0")
    assert page.evaluate(REGIONS) == [-1, 0]  # nodes that did not exist yet are in no region
    assert page.evaluate("explorer.layout.count") == 23
    assert page.locator(LEGEND).all_inner_texts() == ["high-level node 0 23 nodes"]
    assert "The branch to pruned node 22 proposes (have-key)" in page.locator("#chapter-text").inner_text()
    branch = page.evaluate("explorer.canvas.paths.map(({ nodes }) => nodes.at(-1))")
    assert branch == [22]
    page.get_by_role("button", name="Next chapter").click()
    assert page.evaluate(REGIONS) == [0, 1] and page.evaluate("explorer.layout.count") == 40


def test_nodes_are_searched_and_walked_by_keys(corridor):
    page = corridor()
    page.keyboard.press("/")
    page.keyboard.type("take-key")
    assert "1 node found" in page.locator(".found").inner_text()
    page.keyboard.press("Enter")
    assert page.evaluate("explorer.selected") == 21
    page.locator(".tree-place canvas").nth(1).focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("explorer.selected") == 19
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("explorer.selected") == 22
    page.keyboard.press("g")
    assert "goal" in panel(page)
    page.keyboard.press("[")
    assert page.evaluate("explorer.chapter") == 0


def test_a_subtree_closes_and_opens(corridor):
    page = corridor()
    page.evaluate("explorer.select(21)")
    page.get_by_role("button", name="Close 18 nodes below").click()
    assert page.evaluate("explorer.layout.count") == 22
    page.get_by_role("button", name="Open 18 nodes below").click()
    assert page.evaluate("explorer.layout.count") == 40
    page.evaluate("explorer.layout.collapsed.add(5); explorer.arrange(); explorer.select(30)")
    assert page.evaluate("explorer.layout.shown[30]") == 1  # a link opens what is above its node
    page.locator("#pruned").uncheck()
    assert page.evaluate("explorer.layout.count") == 22


def test_the_plan_and_the_goals_are_text(corridor):
    page = corridor()
    steps = page.locator(".steps li").all_inner_texts()
    assert len(steps) == 21 and "(take-key p10)" in steps[10] and "high-level node 1" in steps[10]
    assert page.locator(".goals li").all_inner_texts() == [
        "(at p0)\ntrue at the start, from step 21 to the end",
        "(have-key)\ntrue from step 11 to the end",
    ]
    page.locator(".steps button").nth(10).click()
    assert page.evaluate("explorer.selected") == 21
    label = page.locator("canvas[role=application]").get_attribute("aria-label")
    assert "Search tree of IHIW(1,1): 40 nodes" in str(label)
    names = page.eval_on_selector_all("button", "all => all.map((one) => one.ariaLabel || one.textContent.trim())")
    assert all(names)


def test_the_colours_can_be_switched(corridor):
    page = corridor(dark=True)
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(20, 23, 28)"
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate(background) == "rgb(255, 255, 255)"


def test_the_stages_of_auto_are_a_time_line(tmp_path, open_page):
    path = tmp_path / "page.html"
    result = ww.solve(ww.example("gripper", balls=4), trace=True)
    ww.explore(result).save(path)
    page = open_page(path)
    stages = page.locator(".stages button")
    assert [text.split()[0] for text in stages.all_inner_texts()] == ["IW(1)", "1-BFWS(f5)"]
    assert stages.nth(0).is_disabled() and stages.nth(1).get_attribute("aria-pressed") == "true"
    page.evaluate("explorer.select(2)")
    assert "open goal" in panel(page)
    ww.explore(result, stages="all").save(path)
    page = open_page(path)
    page.locator(".stages button").nth(0).click()
    assert page.evaluate("explorer.tree.data.planner") == "IW(1)"


def test_the_level_of_a_hierarchy_can_be_chosen(tmp_path, open_page):
    path = tmp_path / "page.html"
    planner = ww.HIW(["(have-key)"], low=ww.HIW(["(at *)"]))
    ww.explore(ww.solve(ww.example("corridor"), planner)).save(path)
    page = open_page(path)
    assert len(set(page.evaluate(REGIONS)) - {-1}) == 21  # one for each place, twice, but for the last step
    page.locator("#level").select_option("0")
    assert [group for group in page.evaluate(REGIONS) if group >= 0] == [0, 1]
    assert page.locator(LEGEND).first.inner_text().startswith("high-level node 0")


def test_a_notebook_shows_the_page_in_a_sandbox(tmp_path, open_page):
    page = tmp_path / "notebook.html"
    html = ww.explore(ww.solve(ww.example("corridor"), "ihiw"))._repr_html_()
    page.write_text(f"<!doctype html><title>notebook</title>{html}", encoding="utf-8")
    opened = open_page(page)
    frame = opened.frame_locator("iframe")
    assert frame.locator(LEGEND).count() == 2
    assert opened.locator("iframe").get_attribute("sandbox") == "allow-scripts"
    assert opened.evaluate("document.querySelector('iframe').clientHeight") == NOTEBOOK_HEIGHT
    frame.locator(LEGEND).nth(1).click()
    assert "Node 21" in frame.locator("aside").inner_text()


@pytest.mark.parametrize("planner", ["iw", "bfs", "hiw", "siw", "bfws", "gbfs", "backward", "auto"])
def test_every_planner_has_a_page_without_errors(tmp_path, open_page, planner):
    chosen = ww.HIW(["(have-key)"]) if planner == "hiw" else planner
    path = tmp_path / "page.html"
    ww.explore(ww.solve(ww.example("corridor"), chosen), stages="all").save(path)
    page = open_page(path)
    assert page.locator("h1").inner_text().startswith("corridor-length-10-door-0")
    nodes = page.evaluate("explorer.tree?.count ?? 0")
    for node in range(nodes):
        page.evaluate("node => explorer.select(node)", node)
    assert (nodes == 0) == (planner == "backward")


def test_a_node_of_a_sample_names_the_first_too(tmp_path, open_page, monkeypatch):
    monkeypatch.setattr(task_data, "MOST_NODES", 600)
    path = tmp_path / "page.html"
    ww.explore(ww.solve(ww.example("blocks", blocks=7), ww.IW(2))).save(path)
    page = open_page(path)
    pruned = """() => Object.keys(explorer.tree.data.first).map(Number)
      .find((node) => explorer.tree.data.flags[node] & 1 && explorer.reasons.stored(0, node).seen[0].first >= 0)"""
    node = page.evaluate(pruned)
    page.evaluate("node => explorer.select(node)", node)
    text = panel(page)
    assert "Pruned: nothing is new. Each atom or pair was shown before in the search" in text
    first = page.locator("aside .tuples tbody tr a").first
    number = first.inner_text().removeprefix("node ").replace(",", "")
    first.click()
    assert panel(page).startswith(f"Node {number}")
    # Links lead to nodes that the page has; the others are named by their number.
    page.evaluate(
        """() => { const { first, numbers } = explorer.tree.data;
          const [node, rows] = Object.entries(first).find(([, rows]) => rows.length);
          rows[0][1] = numbers.at(-1) + 7; explorer.select(Number(node)); }"""
    )
    assert "not on this page" in panel(page)
    unknown = """() => { delete explorer.tree.data.first[explorer.selected]; explorer.select(explorer.selected); }"""
    page.evaluate(unknown)
    assert "Which node was first is not known here." in panel(page) and "examined for a page is limited" in panel(page)


def test_a_best_first_search_shows_its_duplicates(tmp_path, open_page):
    path = tmp_path / "page.html"
    ww.explore(ww.solve(ww.example("blocks", blocks=5), "bfws")).save(path)
    page = open_page(path)
    node, owner = page.evaluate(
        """() => Object.entries(explorer.tree.data.dropped.of)
          .map(([node, rows]) => [Number(node), rows.find(([, owner]) => owner >= 0)?.[1]])
          .find(([, owner]) => owner !== undefined)"""
    )
    page.evaluate("node => explorer.select(node)", node)
    listed = page.locator("aside details", has_text="without a node of")
    if listed.get_attribute("open") is None:
        listed.locator("summary").click()
    row = listed.locator("tr", has_text=f"the state of node {owner}").first
    assert row.locator("code").inner_text().startswith("(")
    row.locator("a").click()
    assert page.evaluate("explorer.selected") == owner
    # A dead end is called so.
    page.evaluate("explorer.tree.data.flags[2] |= 1; explorer.select(2)")
    assert "a dead end" in panel(page)
