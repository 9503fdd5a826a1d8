"""The report as one HTML page that needs nothing else: errors first, then the table, then the plots."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape

from widthwise.reports.records import Records
from widthwise.reports.table import Cell, Line, Table
from widthwise.reports.text import FIELDS, LEGEND, body, cells, errors, notes

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1250px;padding:0 1em;color:#222}
table{border-collapse:collapse;font-size:12.5px}
th,td{padding:2px 7px;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left}thead th{position:sticky;top:0;background:#fff}
.better{background:#dff3e0}.worse{background:#fbe0dd}
.errors{background:#fbe0dd;padding:.6em 1em;border-radius:6px}
.fine{background:#dff3e0;padding:.6em 1em;border-radius:6px}
tr.sum td{font-weight:600}img{max-width:100%}
.scroll{overflow-x:auto}
dt{float:left;clear:left;width:8em;color:#666}dd{margin:0 0 .2em 9em;overflow-wrap:anywhere}
"""
_CLASSES = {"+": " class=better", "-": " class=worse", "": ""}


def html_page(table: Table, records: Records, plots: Mapping[str, str], title: str = "Classical suite") -> str:
    """The whole page."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        _errors(errors(records)),
        "<h2>Table</h2>",
        f"<p>{escape(LEGEND)}</p>",
        _table(table),
        *(f"<p>{escape(note)}</p>" for note in notes(table, records)),
    ]
    if plots:
        parts.append("<h2>Plots</h2>")
    for name, svg in plots.items():
        data = base64.b64encode(svg.encode()).decode()
        parts.append(f'<p><img alt="{escape(name)}" src="data:image/svg+xml;base64,{data}"></p>')
    parts.append("<h2>Runs</h2>")
    for run in records.runs:
        config = run.config
        told = {
            "folder": run.folder,
            "command": config["command"],
            "commit": config["commit"] or "unknown",
            "versions": ", ".join(f"{name} {version}" for name, version in config["versions"].items()),
            "machine": ", ".join(map(str, config["machine"].values())),
            "seeds": ", ".join(map(str, config["settings"]["seeds"])),
            "budget": ", ".join(f"{value} {name}" for name, value in config["settings"]["budget"].items()),
            "relevance": config["settings"]["relevance"],
        }
        items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in told.items())
        parts.append(f"<dl>{items}</dl>")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _errors(found: list[str]) -> str:
    if not found:
        return "<p class=fine>Every run ended with a result.</p>"
    items = "".join(f"<li><pre>{escape(one)}</pre></li>" for one in found)
    return f"<div class=errors><b>Not explained yet: {len(found)}</b><ul>{items}</ul></div>"


def _table(table: Table) -> str:
    top = "<th></th><th></th><th></th>" + "".join(f"<th colspan=3>{escape(name)}</th>" for name in table.columns)
    head = "<th>row</th><th>goals</th><th>at start</th>" + "".join(
        f"<th>{escape(name)}</th>" for name in FIELDS * len(table.columns)
    )
    rows = [_row(line, table.columns, "") for line in table.lines]
    rows.append(_row(table.total, table.columns, " class=sum"))
    means = "".join(f"<td>{escape(text)}</td>" for text in body(table)[-1])
    rows.append(f"<tr class=sum>{means}</tr>")
    return (
        f"<div class=scroll><table><thead><tr>{top}</tr><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(line: Line, columns: list[str], style: str) -> str:
    star = "*" if line.note else ""
    texts = f"<td>{escape(line.name)}{star}</td><td>{line.goals}</td><td>{line.at_start}</td>"
    return f"<tr{style}>{texts}{''.join(_cell(line.cells[column]) for column in columns)}</tr>"


def _cell(cell: Cell) -> str:
    coverage, nodes, seconds = map(escape, cells(cell))
    return f"<td{_CLASSES[cell.mark]}>{coverage}</td><td>{nodes}</td><td>{seconds}</td>"
