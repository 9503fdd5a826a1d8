"""Tables of a page: plain HTML that a screen reader can read; a script adds sorting and filtering."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import quote

from widthwise.reports.page.content import PageBlock, prose


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, whether it holds text rather than numbers, and the heading it shares with its neighbours."""

    name: str
    text: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: its text, what it is sorted by if not the text, its mark, and links to files (label, address)."""

    text: str
    sort: float | str | None = None
    mark: str = ""  # better, worse
    links: Sequence[tuple[str, str]] = ()


def table(
    key: str,
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[TableCell | str]],
    sums: Iterable[Sequence[TableCell | str]] = (),
    *,
    folded: bool = False,
) -> PageBlock:
    """A table.

    Args:
        key: the name of its block.
        title: its heading.
        columns: its columns; the first one names the row.
        rows: its rows.
        sums: rows that stay at the end however the others are sorted.
        folded: whether it is closed at first.

    Returns:
        The block.
    """
    body = "".join(_row(row, columns) for row in rows)
    foot = "".join(_row(row, columns) for row in sums)
    inner = (
        f'<div class=scroll role=region tabindex=0 aria-label="{escape(title)}"><table><thead>{_head(columns)}</thead>'
        f"<tbody>{body}</tbody>{f'<tfoot>{foot}</tfoot>' if foot else ''}</table></div>"
    )
    if folded:
        return PageBlock(key, f"<details><summary>{escape(title)}</summary>{inner}</details>", style="table")
    return PageBlock(key, f"<h3>{escape(title)}</h3>{inner}", style="table")


def file_links(line: Mapping[str, Any], folder: str, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """Links to the files that a run has kept of a line; a run folder cannot make a page link to anything else.

    Args:
        line: the line.
        folder: the run folder as a reader of the page reaches it.
        labels: the text of each link, by the name of the file: plan, log.

    Returns:
        The text and the address of each link.
    """
    kept = {name: str(line.get(f"{name}_file", "")) for name in labels}
    return [
        (labels[name], quote(f"{folder}/{path}"))
        for name, path in kept.items()
        if re.fullmatch(rf"{name}s/[\w.+-]+\.txt", path)
    ]


def _head(columns: Sequence[Column]) -> str:
    names = "".join(f"<th scope=col{_class(column)}>{escape(column.name)}</th>" for column in columns)
    if not any(column.group for column in columns):
        return f"<tr>{names}</tr>"
    groups = [(name, len(list(own))) for name, own in groupby(columns, key=lambda column: column.group)]
    top = "".join(
        f"<th scope=colgroup colspan={count}>{escape(name)}</th>" if name else f"<td colspan={count}></td>"
        for name, count in groups
    )
    return f"<tr class=groups>{top}</tr><tr>{names}</tr>"


def _class(column: Column) -> str:
    return " class=text" if column.text else ""


def _row(row: Sequence[TableCell | str], columns: Sequence[Column]) -> str:
    cells = [cell if isinstance(cell, TableCell) else TableCell(cell) for cell in row]
    first = f"<th scope=row{_class(columns[0])}{_sort(cells[0])}>{_content(cells[0])}</th>"
    rest = "".join(
        f"<td{_classes(cell, column)}{_sort(cell)}>{_content(cell)}</td>"
        for cell, column in zip(cells[1:], columns[1:], strict=True)
    )
    return f"<tr>{first}{rest}</tr>"


def _classes(cell: TableCell, column: Column) -> str:
    names = [*(["text"] if column.text else []), *([cell.mark] if cell.mark else [])]
    return f' class="{" ".join(names)}"' if len(names) > 1 else f" class={names[0]}" if names else ""


def _sort(cell: TableCell) -> str:
    return "" if cell.sort is None else f' data-sort="{escape(str(cell.sort))}"'


def _content(cell: TableCell) -> str:
    links = " ".join(f'<a href="{escape(address)}">{escape(label)}</a>' for label, address in cell.links)
    return " ".join(part for part in (prose(cell.text), links) if part)
