"""What the README shows works: its shell and Python blocks run, and the figures it prints are the real ones."""

from __future__ import annotations

import re
from pathlib import Path

from page_blocks import run_blocks
from places import ROOT

README = ROOT / "README.md"


def test_shell_and_python_blocks_run_and_print_what_they_show(tmp_path: Path) -> None:
    kinds = run_blocks(README, tmp_path)
    assert kinds["sh"] >= 3
    assert kinds["python"] == 2


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_links_lead_somewhere() -> None:
    pages = [
        ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "benchmarks/README.md")
    ]
    for page in (*pages, *sorted(ROOT.glob("docs/**/*.md"))):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
