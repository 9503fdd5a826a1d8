"""The table of training runs as text, as Markdown and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from widthwise.reports.page import made_by, page, pictures, prose
from widthwise.reports.text import without_backticks
from widthwise.reports.training_runs import LAST, Group, Point

LEGEND = (
    f"Score and steps are means over the training episodes of the last {LAST:.0%} of each run, then over seeds, "
    "with the minimum and the maximum in brackets. `solved from` is the number of interactions after which the mean "
    "score of ten successive episodes is always 1, for every seed. `network alone` is the last evaluation without "
    "search, `best` the best one of each run, `planner + network` the last evaluation with search. "
    "`evaluation cost` is the number of interactions of the evaluations; `interactions` does not include them."
)
PUBLISHED = (
    "The scores of the paper are from the end of its runs (tens of millions of interactions, five seeds); our scores "
    "are at the interactions in the table."
)

Published = Mapping[str, Mapping[str, float]]


def head(published: Published) -> list[str]:
    """The names of the columns."""
    names = ["environment", "algorithm", "seeds", "interactions", "score", "steps", "solved from"]
    names += ["network alone", "its steps", "best", "planner + network", "evaluation cost"]
    return [*names, "paper"] if published else names


def body(groups: Sequence[Group], published: Published) -> list[list[str]]:
    """The lines of the table as texts."""
    lines = []
    for group in groups:
        known = group.solved_from(1.0)
        line = [
            group.environment,
            group.label,
            f"{len(group.runs)}",
            f"{group.reached:,}",
            mean_text(group.last("score"), 2),
            mean_text(group.last("steps"), 0),
            "-" if known is None else f"{known.high:,.0f}",
            mean_text(group.final("network_score"), 2),
            mean_text(group.final("network_steps"), 0),
            mean_text(group.best("network_score"), 2),
            mean_text(group.latest("planner_score"), 2),
            mean_text(group.evaluation_total(), 0),
        ]
        if published:
            theirs = _theirs(group, published)
            line.append("-" if theirs is None else f"{theirs:,.2f}")
        lines.append(line)
    return lines


def _theirs(group: Group, published: Published) -> float | None:
    name = group.runs[0].config["settings"]["algorithm"]
    return published.get(group.environment, {}).get(name)


def mean_text(point: Point | None, digits: int) -> str:
    """A mean with its spread."""
    if point is None:
        return "-"
    if point.low == point.high:
        return f"{point.mean:,.{digits}f}"
    return f"{point.mean:,.{digits}f} [{point.low:,.{digits}f}, {point.high:,.{digits}f}]"


def notes(groups: Sequence[Group], published: Published) -> list[str]:
    """The legend, and a note about unfinished runs."""
    sentences = [LEGEND, *([PUBLISHED] if published else [])]
    going = [str(run.folder) for group in groups for run in group.runs if not run.finished]
    if going:
        sentences.append(f"Unfinished runs: {', '.join(going)}.")
    return sentences


def training_table(groups: Sequence[Group], published: Published) -> str:
    """The table for a terminal."""
    lines = [head(published), *body(groups, published)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    rows = []
    for line in lines:
        cells = [
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        rows.append("  ".join(cells).rstrip())
    return "\n".join([*rows, "", *map(without_backticks, notes(groups, published))])


def training_markdown(groups: Sequence[Group], published: Published, plots: Sequence[str] = ()) -> str:
    """The table as a Markdown page; `plots` are links to pictures."""
    names = head(published)
    rule = [":--", ":--", *["--:"] * (len(names) - 2)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in [names, rule, *body(groups, published)])
    return "\n\n".join([table, *notes(groups, published), *(f"![{name}]({name})" for name in plots)]) + "\n"


def training_page(groups: Sequence[Group], published: Published, plots: Mapping[str, str]) -> str:
    """The self-contained page."""
    top = _cells("th", head(published))
    rows = "".join(f"<tr>{_cells('td', line)}</tr>" for line in body(groups, published))
    parts = [
        "<h2>Table</h2>",
        f"<div class=scroll><table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>",
        *(f"<p>{prose(note)}</p>" for note in notes(groups, published)),
    ]
    if plots:
        parts += ["<h2>Learning curves</h2>", *pictures(plots)]
    parts += ["<h2>Runs</h2>", *(made_by(run.folder, run.config, {}) for group in groups for run in group.runs)]
    return page("Training runs", parts)


def _cells(tag: str, texts: Sequence[str]) -> str:
    """The cells of a line; environment and algorithm are texts, the rest are numbers."""
    return "".join(
        f"<{tag}{' class=text' if number < 2 else ''}>{escape(text)}</{tag}>" for number, text in enumerate(texts)
    )
