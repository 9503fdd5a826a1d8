"""The browser fixture sees network requests, console errors and exceptions; without a browser tests are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

import browser_tools
from browser_tools import Visits, browser_missing, chromium
from places import ROOT


def page(folder: Path, body: str) -> Path:
    path = folder / "page.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'><title>page</title>{body}", encoding="utf-8")
    return path


@pytest.mark.browser
def test_a_page_without_problems_has_none(visits: Visits, tmp_path: Path) -> None:
    opened = visits.open(page(tmp_path, "<h1>A page</h1><img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"))
    assert opened.locator("h1").inner_text() == "A page"
    assert not visits.problems


@pytest.mark.browser
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<img alt='' src='http://example.test/a.png'>", "network request: GET http://example.test/a.png"),
        (
            "<script>fetch('https://example.test/x').catch(() => 0)</script>",
            "network request: GET https://example.test/x",
        ),
        ("<script>new WebSocket('ws://example.test/s')</script>", "web socket: ws://example.test/s"),
        ("<script>console.error('went wrong')</script>", "console error: went wrong"),
        ("<script>undefinedName()</script>", "uncaught exception: undefinedName is not defined"),
        (
            "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\"><script>let a</script>",
            "Content Security Policy",
        ),
    ],
)
def test_a_problem_is_recorded(visits: Visits, tmp_path: Path, body: str, problem: str) -> None:
    visits.open(page(tmp_path, body)).wait_for_timeout(200)
    assert any(problem in line for line in visits.problems), visits.problems


@pytest.mark.browser
def test_a_page_sees_the_width_and_the_preferred_colours(visits: Visits, tmp_path: Path) -> None:
    opened = visits.open(page(tmp_path, ""), width=400, dark=True)
    assert opened.evaluate("innerWidth") == 400
    assert opened.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")


def test_without_a_browser_tests_are_skipped_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright")
    monkeypatch.setenv("WIDTHWISE_CHROMIUM", "/nowhere/chromium")
    chromium.cache_clear()
    assert "WIDTHWISE_CHROMIUM=/nowhere/chromium is not a program: `make browser`" in str(browser_missing())
    monkeypatch.delenv("WIDTHWISE_CHROMIUM")
    monkeypatch.setattr(browser_tools, "_PROGRAMS", ())
    chromium.cache_clear()
    assert str(browser_missing()).startswith("there is no chromium: `make browser` installs it")
    monkeypatch.undo()
    chromium.cache_clear()


def test_continuous_integration_installs_the_browser_before_the_tests() -> None:
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert 0 < steps.index("make browser") < steps.index("make test")
