"""The report on whole problems as text for a terminal and as Markdown for a page."""

from __future__ import annotations

from collections.abc import Sequence

from widthwise.reports.records import mixtures
from widthwise.reports.whole_suite import (
    RowCounts,
    Totals,
    Whole,
    count_rows,
    count_totals,
    losses,
    reason_of,
    status_of,
)

LEGEND = (
    "Problems solved by each planner with valid plans. ▼ another planner solves more problems of the domain. Score: "
    "the best known cost divided by the planner's cost, summed over problems. Length: mean plan length over the "
    "problems that all planners solve. CPU seconds include all processes of a planner; median: CPU seconds until the "
    "plan was there."
)
_KINDS = ("out-of-time", "out-of-memory", "failed", "invalid", "unchecked")


def number(value: float) -> str:
    """A count, which is a mean where there are several seeds."""
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def cell(row: RowCounts, column: str) -> str:
    """The number of problems of a domain that a planner solves."""
    if not row.tried[column]:
        return "-"
    part = f" of {row.tried[column]}" if row.tried[column] < row.problems else ""
    return number(row.solved[column]) + part + ("▼" if row.lost(column) else "")


def coverage(whole: Whole) -> list[list[str]]:
    """The table by domain, with its head."""
    rows = count_rows(whole)
    totals = count_totals(whole)
    body = [[row.name, str(row.problems), *(cell(row, column) for column in whole.columns)] for row in rows]
    last = ["all", str(sum(row.problems for row in rows)), *(number(totals[name].solved) for name in whole.columns)]
    return [["domain", "problems", *whole.columns], *body, last]


def summary(whole: Whole) -> list[list[str]]:
    """The table by planner, with its head."""
    head = ["planner", "solved", "of", "score", "length", "CPU seconds", "median", *_KINDS, "other"]
    return [head, *([column, *_totals(totals)] for column, totals in count_totals(whole).items())]


def _totals(totals: Totals) -> list[str]:
    other = sum(count for status, count in totals.statuses.items() if status not in ("solved", *_KINDS))
    return [
        number(totals.solved),
        str(totals.tried),
        f"{totals.score:.1f}",
        "-" if totals.length is None else f"{totals.length:.1f}",
        f"{totals.cpu_seconds:.0f}",
        "-" if totals.median_seconds is None else f"{totals.median_seconds:.2f}",
        *(str(totals.statuses[kind]) for kind in _KINDS),
        str(other),
    ]


def lost(whole: Whole, column: str) -> list[str]:
    """The domains in which another planner solves more, one sentence each."""
    sentences = []
    for loss in losses(whole, count_rows(whole), column):
        winners = ", ".join(f"{name} {number(count)}" for name, count in loss.winners.items())
        lacking = ", ".join(f"{instance} ({status})" for instance, status in loss.problems)
        sentences.append(f"{loss.row}: {column} {number(loss.solved)}, {winners}. Unsolved by {column}: {lacking}.")
    return sentences


def errors(whole: Whole) -> list[str]:
    """Unfinished runs, and commands that failed or whose plans are invalid."""
    sentences = [f"{run.folder}: this run is not finished" for run in whole.runs if not run.finished]
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for (column, row, instance), lines in whole.lines.items():
        for line in lines:
            if status_of(line) in ("failed", "invalid", "unchecked"):
                why = reason_of(line).splitlines() or [""]
                grouped.setdefault((column, row, why[0]), []).append(instance)
    for (column, row, reason), instances in grouped.items():
        what = instances[0] if len(set(instances)) == 1 else f"{len(set(instances))} problems"
        sentences.append(f"{column} on {row} ({what}): {reason}")
    return sentences + mixtures(whole.runs)


def text_report(whole: Whole) -> str:
    """The report for a terminal."""
    parts = [_plain(coverage(whole)), _plain(summary(whole)), LEGEND]
    wrong = errors(whole)
    if wrong:
        parts.insert(0, "Problems with the runs:\n" + "\n".join(f"  {line}" for line in wrong))
    behind = lost(whole, whole.columns[0]) if len(whole.columns) > 1 else []
    if behind:
        parts.append(
            f"Domains where others solve more than {whole.columns[0]}:\n" + "\n".join(f"  {line}" for line in behind)
        )
    return "\n\n".join(parts)


def markdown_report(whole: Whole, plots: Sequence[str] = ()) -> str:
    """The report as a Markdown page; `plots` are links to pictures."""
    parts = [_marked(coverage(whole)), LEGEND, _marked(summary(whole))]
    behind = lost(whole, whole.columns[0]) if len(whole.columns) > 1 else []
    if behind:
        parts.append(
            f"Domains where others solve more than {whole.columns[0]}:\n\n" + "\n".join(f"- {line}" for line in behind)
        )
    wrong = errors(whole)
    if wrong:
        parts.append("Problems with the runs:\n\n" + "\n".join(f"- {line}" for line in wrong))
    parts += [f"![{name}]({name})" for name in plots]
    return "\n\n".join(parts) + "\n"


def _plain(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    # The mark follows the number, so that numbers are aligned.
    return "\n".join(
        "  ".join(
            text.ljust(width) if n == 0 else (text if text.endswith("▼") else f"{text} ").rjust(width + 1)
            for n, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _marked(rows: Sequence[Sequence[str]]) -> str:
    rule = [":--", *["--:"] * (len(rows[0]) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]])
