"""The report on single goals as a page: errors first, then the table, then the plots."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from widthwise.reports.page import made_by, page, pictures, prose
from widthwise.reports.records import Records, SuiteRun
from widthwise.reports.table import Cell, Line, Table
from widthwise.reports.text import FIELDS, LEGEND, body, cells, errors, notes

_CLASSES = {"+": " class=better", "-": " class=worse", "": ""}


def html_page(table: Table, records: Records, plots: Mapping[str, str], title: str = "Classical suite") -> str:
    """The whole page."""
    parts = [
        _errors(errors(records)),
        "<h2>Table</h2>",
        f"<p>{prose(LEGEND)}</p>",
        _table(table),
        *(f"<p>{prose(note)}</p>" for note in notes(table, records)),
    ]
    if plots:
        parts += ["<h2>Plots</h2>", *pictures(plots)]
    parts += ["<h2>Runs</h2>", *(_run(run) for run in records.runs)]
    return page(title, parts)


def _run(run: SuiteRun) -> str:
    settings = run.config["settings"]
    more = {
        "seeds": ", ".join(map(str, settings["seeds"])),
        "budget": ", ".join(f"{value} {name}" for name, value in settings["budget"].items()),
        "relevance": settings["relevance"],
    }
    return made_by(run.folder, run.config, more)


def _errors(sentences: list[str]) -> str:
    if not sentences:
        return "<p class=fine>Every run ended with a result.</p>"
    items = "".join(f"<li class=report>{prose(sentence)}</li>" for sentence in sentences)
    return f"<div class=errors><b>Not explained yet: {len(sentences)}</b><ul>{items}</ul></div>"


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
