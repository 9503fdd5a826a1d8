"""What a page is made of: sections of blocks, each a piece of HTML with a name, a chart also with its data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A part of a section that a live page can replace separately.

    Args:
        key: its name, unique within its page.
        html: its content; all text in it is escaped.
        chart: the data of its chart.
        style: its CSS class, which decides how much of the width it takes.
    """

    key: str
    html: str
    chart: Mapping[str, Any] | None = None
    style: str = ""

    @property
    def version(self) -> str:
        """A digest of the content: a live page replaces a block when it changes."""
        text = json.dumps([self.html, self.chart], sort_keys=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with a heading."""

    key: str
    title: str
    blocks: Sequence[PageBlock]


def prose(text: str) -> str:
    """A text for a page: what stands between backticks is code, a lone backtick is an apostrophe."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text)).replace("`", "'")


def paragraphs(key: str, texts: Sequence[str], style: str = "note") -> PageBlock:
    """Some sentences, each a paragraph."""
    return PageBlock(key, "".join(f"<p>{prose(text)}</p>" for text in texts), style=style)


def listed(key: str, title: str, texts: Sequence[str], style: str = "") -> PageBlock:
    """A list with a heading."""
    items = "".join(f"<li>{prose(text)}</li>" for text in texts)
    return PageBlock(key, f"<h3>{escape(title)}</h3><ul>{items}</ul>", style=style)


def tiles(key: str, entries: Sequence[tuple[str, str, str]]) -> PageBlock:
    """The figures that matter most: label, value and a note each."""
    items = "".join(
        f"<div><dt>{escape(label)}</dt><dd><b>{escape(value)}</b> <span>{escape(note)}</span></dd></div>"
        for label, value, note in entries
    )
    return PageBlock(key, f"<dl class=tiles>{items}</dl>")


def pictures(key: str, plots: Mapping[str, str]) -> PageBlock:
    """Static plots, by name, for readers without scripts."""
    data = {name: base64.b64encode(svg.encode()).decode() for name, svg in plots.items()}
    images = "".join(
        f'<p><img alt="{escape(name)}" src="data:image/svg+xml;base64,{code}"></p>' for name, code in data.items()
    )
    return PageBlock(key, f"<noscript>{images}</noscript>", style="static")


def name_of(text: str) -> str:
    """A text as part of the key of a block."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    return f"{re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')[:40]}-{digest}"
