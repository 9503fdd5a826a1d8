"""Keep the prose of written pages within the width of the code."""

from __future__ import annotations

from textwrap import fill

WIDTH = 120


def wrapped(page: str) -> str:
    """A page of Markdown whose long lines of prose are broken; code and tables stay as they are."""
    lines: list[str] = []
    fenced = False
    for line in page.split("\n"):
        fenced ^= line.startswith("```")
        if fenced or line.startswith("|") or len(line) <= WIDTH:
            lines.append(line)
        else:
            indent = "  " if line.startswith("- ") else ""
            lines.append(fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines)
