"""Where things are: the project, its tests, what tests share, and the files of earlier versions."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).resolve().parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
FIXTURES = TESTS / "fixtures"
