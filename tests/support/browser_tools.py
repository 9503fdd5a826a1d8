"""A real browser for tests: the fixtures `browser` and `open_page`, for tests with the marker `browser`.

    @pytest.mark.browser
    def test_a_page(open_page, tmp_path):
        page = open_page(tmp_path / "page.html", width=400)  # a Page of playwright
        assert page.locator("h1").inner_text() == "A page"

At the end of the test `open_page` fails if a page sent a network request (anything but file, data and blob), wrote an
error to the console, or raised an exception that nothing caught. Without a browser the tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, WebSocket

_PROGRAMS = ("/usr/bin/chromium", "chromium", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page that names a host gets no answer, so that no test depends on the network.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
#: Milliseconds until an action of the browser is given up. A busy machine may need long, and no test measures it.
PATIENCE = 300_000
_LOCAL = ("file:", "data:", "blob:", "about:")


@lru_cache
def chromium() -> str | None:
    """The program of the browser: WIDTHWISE_CHROMIUM, or what is installed; None without one."""
    named = os.environ.get("WIDTHWISE_CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, _PROGRAMS)), None)


def browser_missing() -> str | None:
    """Why tests in the browser are skipped; None if they can run."""
    if find_spec("playwright") is None:
        return "playwright is not installed: pip install 'widthwise[dev]'"
    if chromium() is None:
        named = os.environ.get("WIDTHWISE_CHROMIUM")
        place = f"WIDTHWISE_CHROMIUM={named} is not a program" if named else "there is no chromium"
        return f"{place}: `make browser` installs it, or set WIDTHWISE_CHROMIUM to its program"
    return None


def wait_until(page: Page, expression: str, *, seconds: float = 120.0) -> None:
    """Wait until an expression is true in the page.

    `Page.wait_for_function` evaluates its text inside the page if it is not true at once. The pages forbid that by
    their Content-Security-Policy, so it fails on a slow machine only. This asks from outside.

    Args:
        page: an open page.
        expression: what must become true, as JavaScript.
        seconds: how long to wait at most.

    Raises:
        AssertionError: the expression was not true in time.
    """
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"not true within {seconds:g} s: {expression}"
        page.wait_for_timeout(20)


def processor_milliseconds(page: Page, action: Callable[[], object]) -> list[float]:
    """The processor time of every task of the main thread of a page while an action goes on, the longest first.

    The time that other programs take from the browser does not count, so that a limit of it holds on a busy machine.

    Args:
        page: an open page, the only one of its browser.
        action: what to do with it.

    Returns:
        Milliseconds.
    """
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["toplevel", "disabled-by-default-devtools.timeline"])
    try:
        action()
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) in main and "tdur" in event
    ]
    assert tasks, "the trace has no tasks with processor time"
    return sorted(tasks, reverse=True)


class Visits:
    """The pages that a test opened, with what they did wrong."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        #: Network requests, console errors and uncaught exceptions, as lines.
        self.problems: list[str] = []

    def open(
        self, target: Path | str, *, width: int = 1200, height: int = 800, dark: bool = False, allowed: str = "file:"
    ) -> Page:
        """Open a file or an address in a fresh profile.

        Args:
            target: a file, or a whole address.
            width: the width of the window in pixels.
            height: the height of the window in pixels.
            dark: whether the user prefers dark colours.
            allowed: the beginning of addresses that the page may request, such as `http://127.0.0.1:8000/`.

        Returns:
            The page of playwright, loaded.
        """
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()

        def request(sent: Request) -> None:
            if not sent.url.startswith((*_LOCAL, allowed)):
                self.problems.append(f"network request: {sent.method} {sent.url}")

        def console(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.problems.append(f"console error: {message.text}")

        def exception(error: Error) -> None:
            self.problems.append(f"uncaught exception: {error}")

        def web_socket(socket: WebSocket) -> None:
            self.problems.append(f"web socket: {socket.url}")

        page.on("request", request)
        page.on("console", console)
        page.on("pageerror", exception)
        page.on("websocket", web_socket)
        page.goto(target.resolve().as_uri() if isinstance(target, Path) else target)
        return page

    def close(self) -> None:
        """Close all pages."""
        for context in self._browser.contexts:
            context.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser, one process for each module of tests.

    It ends with the module: as long as it runs, asyncio.run() is refused in this process.
    """
    from playwright.sync_api import sync_playwright

    program = chromium()
    assert program is not None, "a test that uses the browser needs @pytest.mark.browser"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield running
        running.close()


@pytest.fixture
def visits(browser: Browser) -> Iterator[Visits]:
    """The pages of one test; the test looks at `visits.problems` itself."""
    opened = Visits(browser)
    yield opened
    opened.close()


@pytest.fixture
def open_page(visits: Visits) -> Iterator[object]:
    """The function `Visits.open`; afterwards no page may have had a problem."""
    yield visits.open
    visits.close()
    assert not visits.problems, "\n".join(visits.problems)
