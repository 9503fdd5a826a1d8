"""The whole page as one HTML file that requests nothing and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from importlib import resources
from typing import Any

from widthwise.reports.page.content import PageBlock, Section, prose

_SCRIPTS = ("uplot/uPlot.iife.min.js", "chart_data.js", "charts.js", "tables.js", "live.js")
_STYLES = ("uplot/uPlot.min.css", "page.css")


@dataclass(frozen=True, slots=True)
class Document:
    """A page: its title, a sentence about what it shows, and its sections."""

    title: str
    lead: str
    sections: Sequence[Section] = field(default_factory=tuple)

    def state(self) -> dict[str, Any]:
        """The content as a live page fetches it."""
        return {
            "title": self.title,
            "lead": prose(self.lead),
            "sections": [
                {"key": section.key, "title": section.title, "blocks": [_state(block) for block in section.blocks]}
                for section in self.sections
            ],
        }

    def html(self, *, live: bool = False) -> str:
        """The file.

        Args:
            live: whether the page asks the server that it came from for changes.

        Returns:
            The HTML text.
        """
        style, script = _asset(*_STYLES), _asset(*_SCRIPTS)
        charts = {
            block.key: block.chart for section in self.sections for block in section.blocks if block.chart is not None
        }
        links = "".join(f'<a href="#{section.key}">{escape(section.title)}</a>' for section in self.sections)
        navigation = f'<nav aria-label="Sections">{links}</nav>' if len(self.sections) > 1 else ""
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy(live=live)}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
            f"<title>{escape(self.title)}</title>"
            f'<link rel="icon" href="data:image/svg+xml;base64,{_icon()}"><style>{style}</style></head>\n'
            f"<body{' data-live' if live else ''}>\n<header><h1>{escape(self.title)}</h1>"
            f"<p id=lead>{prose(self.lead)}</p>{navigation}</header>\n"
            f"<main>\n{''.join(_section(section, alone=not navigation) for section in self.sections)}</main>\n"
            f"<footer><p>Made by Widthwise. Charts: uPlot (MIT licence).</p></footer>\n"
            f'<script type="application/json" id="charts">{_embedded(charts)}</script>\n'
            f"<script>{script}</script>\n</body></html>\n"
        )


def policy(*, live: bool = False) -> str:
    """The content security policy: the page's own style and script by their hashes, pictures in the page, no more."""
    rules = [
        "default-src 'none'",
        f"script-src '{_hash(_asset(*_SCRIPTS))}'",
        f"style-src '{_hash(_asset(*_STYLES))}'",
        "img-src data:",
        *(["connect-src 'self'"] if live else []),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules)


def _state(block: PageBlock) -> dict[str, Any]:
    entry = {"key": block.key, "html": block.html, "style": block.style, "version": block.version}
    return entry if block.chart is None else {**entry, "chart": block.chart}


def _section(section: Section, *, alone: bool) -> str:
    """A section; the heading of the only one is for screen readers, as it repeats the title of the page."""
    blocks = "".join(
        f'<div class="block {block.style}" id="{block.key}" data-version="{block.version}">{block.html}</div>\n'
        for block in section.blocks
    )
    hidden = " class=spoken" if alone else ""
    title = f'<h2 id="{section.key}-title"{hidden}>{escape(section.title)}</h2>'
    return f'<section id="{section.key}" aria-labelledby="{section.key}-title">{title}\n{blocks}</section>\n'


def _embedded(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@lru_cache
def _asset(*names: str) -> str:
    folder = resources.files(__package__).joinpath("assets")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8").strip() for name in names)


@lru_cache
def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@lru_cache
def _icon() -> str:
    return base64.b64encode(_asset("icon.svg").encode()).decode()
