"""The explorer by keyboard alone, and what a screen reader gets of it."""

from __future__ import annotations

import pytest

import widthwise as ww
from accessibility_tools import faults, tab_stops
from browser_tools import wait_until
from tiny_world import TinyWorld

pytestmark = pytest.mark.browser


def corridor():
    return ww.explore(ww.solve(ww.example("corridor"), "ihiw"))


def levels():
    planner = ww.HIW(["(have-key)"], low=ww.HIW(["(at *)"]))
    return ww.explore(ww.solve(ww.example("corridor"), planner))


def stages():
    return ww.explore(ww.solve(ww.example("gripper", balls=4), trace=True), stages="all")


def maze():
    return ww.explore(ww.OnlinePlanner("maze-small", max_steps=6).run(seed=0))


def numbers():
    agent = ww.OnlinePlanner(TinyWorld(), ww.RolloutIW(1), features=lambda step: step.observation[10, ::3, 0])
    return ww.explore(agent.run(0))


PAGES = [corridor, levels, stages, maze, numbers]


@pytest.mark.parametrize("make", PAGES)
def test_pages_have_names_headings_and_contrast_at_every_width(tmp_path, open_page, make):
    path = tmp_path / "page.html"
    make().save(path)
    for width, dark in ((400, True), (1200, False), (1200, True), (2000, False)):
        page = open_page(path, width=width, dark=dark)
        page.evaluate("explorer.select(3)")
        page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        assert faults(page) == []
        page.context.close()


def test_a_task_is_explored_by_keyboard_alone(tmp_path, open_page):
    path = tmp_path / "page.html"
    corridor().save(path)
    page = open_page(path)
    stops = tab_stops(page)
    assert [stop for stop in stops if not (stop["name"] and stop["outline"] and stop["seen"])] == []
    names = [stop["name"] for stop in stops]
    for wanted in ("Use dark colours", "Chapter before", "Search nodes", "pruned nodes", "Fit", "Search tree of IHIW"):
        assert any(wanted in name for name in names), wanted
    assert sum("(walk" in name for name in names) == 1  # the plan is one stop
    tree = names.index(next(name for name in names if "Search tree" in name))
    for _ in range(tree + 1):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "application"
    status = page.locator("[role=status]")
    page.keyboard.press("Home")
    assert status.inner_text() == "Node 0, initial state, expanded, high-level node 0, depth 0, 1 child"
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert "pruned" in status.inner_text() and page.evaluate("explorer.selected") == 4
    # From the panel to the node that was first, and on: the focus stays in the panel.
    page.locator("aside .tuples a").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("explorer.selected") == 1
    assert page.evaluate("document.querySelector('aside').contains(document.activeElement)")
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.get_by_role("button", name="Close 38 nodes below").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("explorer.layout.count") == 2
    assert page.evaluate("document.activeElement.tagName") == "H2"
    # The slider and the plan.
    page.locator("#chapter").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("explorer.chapter") == 0
    assert page.locator("#chapter").get_attribute("aria-valuetext") == "chapter 1 of 2"
    page.keyboard.press("ArrowRight")
    page.locator(".steps button[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".steps [aria-current=step]").inner_text().startswith("20")
    # The search by its key, and Escape.
    page.keyboard.press("/")
    page.keyboard.type("take-key")
    page.keyboard.press("Enter")
    assert page.evaluate("explorer.selected") == 21 and "begins a high-level node" in status.inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#search").input_value() == "" and page.locator(".found").inner_text() == ""


def test_an_episode_is_watched_by_keyboard_alone(tmp_path, open_page):
    path = tmp_path / "page.html"
    maze().save(path)
    page = open_page(path)
    stops = tab_stops(page)
    assert [stop for stop in stops if not (stop["name"] and stop["outline"] and stop["seen"])] == []
    assert len(stops) < 20  # the film is one stop
    page.locator(".film button[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("explorer.step") == 2
    page.keyboard.press(".")
    assert page.evaluate("explorer.step") == 3
    page.locator("canvas[role=application]").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    said = page.locator("[role=status]").inner_text()
    assert ", 1 step ahead, " in said and said.endswith("reward 0")
    page.keyboard.press("p")
    wait_until(page, "explorer.step === 5")


def test_the_audit_finds_faults(tmp_path, open_page):
    page_file = tmp_path / "page.html"
    page_file.write_text(
        """<!doctype html><html><body><h1>One</h1><h3>Three</h3><button></button><p id=a style='color:#999'>gray</p>
        <p id=a aria-labelledby=nothing>twice</p><table><tr><td>1</table>
        <div style='overflow:hidden;width:40px'><span style='white-space:nowrap'>a text that is too long</span></div>"""
    )
    listed = faults(open_page(page_file))
    parts = ("no name: button", "heading after level 1", "two elements #a", "leads nowhere", "no language", "no main")
    for part in parts:
        assert any(part in fault for fault in listed), part
    assert any(fault.startswith("contrast 2.8") for fault in listed)
    assert any("cut off: span" in fault for fault in listed)
    assert any("no head: table" in fault for fault in listed)
