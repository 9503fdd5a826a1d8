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
    r"|(?<!there )is no (?:number|whole|width|seed|simulator|run folder|training|planner|setting|file|folder|JSON"
    r"|image|object|part|goal|dead end|failure|reason|pickled)|are no (?:numbers|tiles|arrays|such)"
    r"|for good|told so|told to|but for the|frighten|foretell|r[au]ns? dry|goes on with|gone on with|of one's own"
    r"|the machine has no more to give)\b",
    re.IGNORECASE,
)


def texts() -> list[Path]:
    """The modules of the package and their scripts for pages, scripts, the programs of benchmarks, and the kernels."""
    folders = (
        (SOURCE, ".py .js"),
        (ROOT / "scripts", ".py"),
        (ROOT / "benchmarks", ".py"),
        (ROOT / "native", ".cpp .hpp"),
    )
    return [
        path
        for folder, kinds in folders
        for path in sorted(folder.rglob("*.*"))
        if path.suffix in kinds.split() and not {"third_party", "vendor"} & set(path.parts)
    ]


@pytest.mark.parametrize("path", texts(), ids=lambda path: path.name)
def test_messages_and_comments_are_plain(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    result = [f"{number}: {match[0]}" for number, line in enumerate(lines, 1) for match in WORDS.finditer(line)]
    assert result == []
