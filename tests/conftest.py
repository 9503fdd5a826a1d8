"""What all tests share: the examples of random tests, signals, and the markers for optional packages.

Tests that need torch or ale-py have the markers `torch` and `atari`. A module that imports such a package, or a part of
Widthwise made of it, gets its marker automatically. Tests that need a browser have the marker `browser`. Without the
package or the browser these tests are skipped. Random tests have the same examples in every run, and no deadline.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from browser_tools import browser, browser_missing, open_page, visits
from optional_packages import missing, needed_by

__all__ = ["browser", "open_page", "visits"]  # fixtures

settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

# Ctrl-C must work even if the tests run in the background, where children ignore it: some tests send it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also under nohup


class SkippedModule(pytest.Module):
    """A module that cannot be imported, because an optional package is missing."""

    reason = ""

    def collect(self) -> list[pytest.Item]:
        """Skip the whole module."""
        pytest.skip(self.reason, allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Mark a module by the optional packages it imports, and skip it if one of them is missing."""
    markers = needed_by(module_path)
    if not markers:
        return None
    reason = missing(markers)
    kind = pytest.Module if reason is None else SkippedModule
    module: pytest.Module = kind.from_parent(parent, path=module_path)
    for marker in markers:
        module.add_marker(marker)
    if isinstance(module, SkippedModule):
        module.reason = reason or ""
    return module


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test if a package that one of its markers names is missing, or the browser."""
    markers = [marker.name for marker in item.iter_markers()]
    reason = missing(markers) or (browser_missing() if "browser" in markers else None)
    if reason is not None:
        pytest.skip(reason)
