"""What the pages of all reports share: one self-contained HTML file, its pictures, and the origin of runs."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1250px;padding:0 1em;color:#222}
table{border-collapse:collapse;font-size:12.5px}
th,td{padding:2px 7px;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left}thead th{position:sticky;top:0;background:#fff}
.better{background:#dff3e0}.worse{background:#fbe0dd}
.errors{background:#fbe0dd;padding:.6em 1em;border-radius:6px}
.fine{background:#dff3e0;padding:.6em 1em;border-radius:6px}
tr.sum td{font-weight:600}img{max-width:100%}
.scroll{overflow-x:auto}code{font-size:.92em;background:#f3f3f0;padding:0 .25em;border-radius:3px}
li.report{white-space:pre-wrap;font-family:ui-monospace,monospace;font-size:.9em}
td.text,th.text{text-align:left}th[colspan]{text-align:center}
dt{float:left;clear:left;width:8em;color:#666}dd{margin:0 0 .2em 9em;overflow-wrap:anywhere}
"""


def page(title: str, parts: Sequence[str]) -> str:
    """The whole page: its title, and then its parts."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n" + "\n".join([f"<h1>{escape(title)}</h1>", *parts]) + "\n"
        "</body></html>\n"
    )


def prose(text: str) -> str:
    """A text for a page: what stands between backticks is code, a lone backtick is an apostrophe."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text)).replace("`", "'")


def pictures(plots: Mapping[str, str]) -> list[str]:
    """Plots, by name, as parts of a page."""
    data = {name: base64.b64encode(svg.encode()).decode() for name, svg in plots.items()}
    return [f'<p><img alt="{escape(name)}" src="data:image/svg+xml;base64,{code}"></p>' for name, code in data.items()]


def made_by(folder: Path | str, config: Mapping[str, Any], more: Mapping[str, str]) -> str:
    """The origin of a run: its folder, command and machine, and further entries."""
    entries = {
        "folder": str(folder),
        "command": config.get("command", "unknown"),
        "commit": config.get("commit") or "unknown",
        "versions": ", ".join(f"{name} {version}" for name, version in config.get("versions", {}).items()),
        "machine": ", ".join(map(str, config.get("machine", {}).values())),
        **more,
    }
    items = "".join(f"<dt>{escape(name)}</dt><dd>{_value(name, str(value))}</dd>" for name, value in entries.items())
    return f"<dl>{items}</dl>"


def _value(name: str, text: str) -> str:
    return (
        f"<code>{escape(text)}</code>" if name in ("folder", "command") or name.startswith("planner ") else prose(text)
    )
