"""HTML for notebooks: small tables and lists, with every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Lists with more entries than this are folded.
OPEN_ENTRIES = 30
#: The most entries of a list that are written out.
MOST_ENTRIES = 1_000


class Markup(str):
    """HTML that is already escaped."""

    __slots__ = ()


def escape(text: str) -> str:
    """A text as HTML. The module is imported only here, because its table of characters takes a while to load."""
    import html

    return html.escape(text)


def table(title: str, rows: Iterable[tuple[str, object]]) -> Markup:
    """A table of names and values.

    Args:
        title: The caption.
        rows: Names and values. A value that is `Markup` is kept as it is; any other is escaped.

    Returns:
        The HTML.
    """
    body = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{_html(value)}</td></tr>'
        for name, value in rows
    )
    return Markup(f"<table><caption><b>{escape(title)}</b></caption><tbody>{body}</tbody></table>")


def listing(title: str, entries: Sequence[str]) -> Markup:
    """A numbered list below a title, folded if it is long.

    Args:
        title: The title.
        entries: The entries. The first `MOST_ENTRIES` are written out.

    Returns:
        The HTML.
    """
    shown = "".join(f"<li><code>{escape(entry)}</code></li>" for entry in entries[:MOST_ENTRIES])
    hidden = len(entries) - MOST_ENTRIES
    more = f"<p>{hidden:,} more</p>" if hidden > 0 else ""
    state = " open" if len(entries) <= OPEN_ENTRIES else ""
    return Markup(f"<details{state}><summary>{escape(title)}</summary><ol>{shown}</ol>{more}</details>")


def _html(value: object) -> str:
    return value if isinstance(value, Markup) else escape(str(value))
