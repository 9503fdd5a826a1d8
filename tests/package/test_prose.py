"""Plain English in the code: messages and comments do without idioms and personifications."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import widthwise
from places import ROOT

SOURCE = Path(widthwise.__file__).parent
WORDS = re.compile(
    r"\b(?:nobody|somebody|anybody|everybody|whoever|himself|itself knows|clings?|shattered|dearest|dearer"
    r"|is told|are told|told of|hears? of|in so many words|says? nothing|means? nothing|that mean nothing"
    r"|is no (?:number|whole|width|seed|simulator|run folder|training|planner|setting|file|folder|JSON)"
    r"|are no (?:numbers|tiles)|r[au]ns? dry|goes on with|gone on with|of one's own|the machine has no more to give)\b",
    re.IGNORECASE,
)


def texts() -> list[Path]:
    """The modules of the package, the scripts, and the programs of benchmarks."""
    folders = (SOURCE, ROOT / "scripts", ROOT / "benchmarks")
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]


@pytest.mark.parametrize("path", texts(), ids=lambda path: path.stem)
def test_messages_and_comments_are_plain(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    result = [f"{number}: {match[0]}" for number, line in enumerate(lines, 1) for match in WORDS.finditer(line)]
    assert result == []
