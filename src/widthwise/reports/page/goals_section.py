"""The section on single goals: coverage over nodes, why goals were not solved, the table, every problem."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from widthwise.reports.page.charts import Axis, Chart, Curve
from widthwise.reports.page.content import PageBlock, Section, listed, paragraphs, pictures, tiles
from widthwise.reports.page.failures import severity, status_table
from widthwise.reports.page.origin import origin
from widthwise.reports.page.tables import Column, TableCell, file_links, table
from widthwise.reports.plots import Steps, coverage_steps, nodes_by_goal
from widthwise.reports.records import Record, Records, SuiteRun, column_of, place_of
from widthwise.reports.table import Line, Table
from widthwise.reports.text import FIELDS, LEGEND, body, cells, errors, notes

_KEY = "goals"
_MARKS = {"+": "better", "-": "worse", "": ""}
#: Percent by which a curve has to rise for another point: no screen shows less.
_VISIBLE = 0.1
#: Rows from which on a table of failures is closed at first.
_MANY = 15
Links = Mapping[tuple[str, str], list[tuple[str, str]]]  # by row and instance: label and address


def goals_section(
    records: Records, rows: Table, plots: Mapping[str, str], links: Links, files: Sequence[str] = ()
) -> Section:
    """The section of some runs of single goals.

    Args:
        records: the runs.
        rows: their table.
        plots: static plots, by name.
        links: pages about problems.
        files: the folders of the runs as a reader of the page reaches them, in order; empty without links.

    Returns:
        The section.
    """
    blocks = [tiles(f"{_KEY}-tiles", _tiles(rows)), *_coverage(records), *_scatter(records)]
    if plots:
        blocks.append(pictures(f"{_KEY}-static", plots))
    blocks += [_errors(errors(records)), *_failed(records, files)]
    statuses = status_table(
        f"{_KEY}-statuses", "Why goals were not solved (goals, all seeds)", _statuses(records), records.columns
    )
    blocks += [statuses] if statuses else []
    blocks += [_table(rows), paragraphs(f"{_KEY}-legend", [LEGEND, *notes(rows, records)])]
    blocks.append(_every(records, links, files))
    blocks += origin(_KEY, records.runs, _details)
    return Section(_KEY, "Classical suite: single goals", blocks)


def _details(run: SuiteRun) -> dict[str, str]:
    settings = run.config["settings"]
    return {
        "planners": ", ".join(settings["planners"]),
        "seeds": ", ".join(map(str, settings["seeds"])),
        "budget": ", ".join(f"{value:,} {name}" for name, value in settings["budget"].items() if value) + " per goal",
        "relevance": settings["relevance"],
    }


def _tiles(rows: Table) -> list[tuple[str, str, str]]:
    entries = []
    for column in rows.columns:
        ours = rows.total.cells[column].coverage
        mean = rows.means[column]
        note = "of all goals solved" + ("" if mean is None else f"; {mean:.1f} % with rows weighted equally")
        entries.append((column, "-" if ours is None else f"{ours:.1f} %", note))
    return entries


def _coverage(records: Records) -> list[PageBlock]:
    pairs = {column: coverage_steps(records, column) for column in records.columns}
    ends = [xs[-1] for pair in pairs.values() for xs, _ in pair]
    limit = max([float(records.budget or 1), *ends])
    blocks = []
    for number, title in enumerate(("goals weighted equally", "rows weighted equally")):
        curves = []
        for colour, (column, pair) in enumerate(pairs.items()):
            if pair:
                xs, ys = _thinned(pair[1 - number])
                curves.append(Curve(column, [*xs, limit], [*ys, ys[-1]], colour=colour))
        chart = Chart(
            f"{_KEY}-coverage-{number}",
            f"Solved within a given number of nodes, {title}",
            Axis("generated nodes", 0.9, 1.15 * limit, log=True),
            Axis("solved, %", 0, 103),
            curves,
            kind="steps",
            sync=f"{_KEY}-coverage",
        )
        blocks.append(chart.block())
    return blocks


def _thinned(steps: Steps) -> Steps:
    """A curve without points that no screen shows."""
    xs, ys = [steps[0][0]], [steps[1][0]]
    last = len(steps[0]) - 1
    for index, (x, y) in enumerate(zip(*steps, strict=True)):
        if index and (y - ys[-1] >= _VISIBLE or index == last):
            xs.append(x)
            ys.append(y)
    return xs, ys


def _scatter(records: Records) -> list[PageBlock]:
    """Nodes of one planner against another's: the goals that both solve."""
    across, up = "IW(2)", "IHIW(1,1)"
    if across not in records.columns or up not in records.columns:
        return []
    first, second = nodes_by_goal(records, across), nodes_by_goal(records, up)
    at: dict[tuple[float, float], list[str]] = defaultdict(list)
    only = Counter[str]()
    for goal in first:
        if goal not in second:
            continue
        x, y = median(first[goal]), median(second[goal])
        if max(x, y) < float("inf"):
            at[float(f"{max(1, x):.2g}"), float(f"{max(1, y):.2g}")].append(" ".join(goal))
        elif min(x, y) < float("inf"):
            only[across if x < y else up] += 1
    points = sorted(at.items())
    notes = [f"{goals[0]}{f' and {len(goals) - 1} more' if len(goals) > 1 else ''}" for _, goals in points]
    curve = Curve("goals", [x for (x, _), _ in points], [y for (_, y), _ in points], notes=notes)
    limit = max([1.0, *(value for place, _ in points for value in place)])
    caption = (
        f"Goals that both solve, the median over seeds. Below the line {up} needs fewer nodes. "
        f"Solved by {across} only: {only[across]:,}; by {up} only: {only[up]:,}."
    )
    chart = Chart(
        f"{_KEY}-scatter",
        "Nodes per goal",
        Axis(f"nodes of {across}", 0.8, 1.5 * limit, log=True),
        Axis(f"nodes of {up}", 0.8, 1.5 * limit, log=True),
        [curve],
        caption,
        kind="points",
        diagonal=True,
    )
    return [chart.block()]


def _errors(sentences: list[str]) -> PageBlock:
    if not sentences:
        return paragraphs(f"{_KEY}-errors", ["Every run ended with a result."], "fine")
    return listed(f"{_KEY}-errors", f"Failures that are not explained: {len(sentences)}", sentences, "bad")


def _failed(records: Records, files: Sequence[str]) -> list[PageBlock]:
    """The lines that failed and the goals that failed, each with its message and its log."""
    rows: list[list[TableCell | str]] = []
    for number, run in enumerate(records.runs):
        for line in run.lines:
            failure, errors_of_goals = line["failure"], line.get("errors")
            if failure is not None:
                messages = {"all": f"{failure['kind']}: {failure['reason']}"}
            else:
                messages = errors_of_goals if isinstance(errors_of_goals, dict) else {}
            log = TableCell("", links=file_links(line, files[number], {"log": "log"}) if files else [])
            for goal, message in messages.items():
                rows.append([place_of(line), goal, column_of(line), str(line["seed"]), str(message), log])
    if not rows:
        return []
    columns = [Column(name, text=name != "seed") for name in ("problem", "goal", "planner", "seed", "message", "files")]
    return [table(f"{_KEY}-failed", f"Failed ({len(rows):,})", columns, rows, folded=len(rows) > _MANY)]


def _statuses(records: Records) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {column: Counter() for column in records.columns}
    for column, line in records.lines:
        if line["failure"] is None:
            counts[column].update(line["status"])
    return counts


def _table(rows: Table) -> PageBlock:
    columns = [Column("row", text=True), Column("goals"), Column("at start")]
    columns += [Column(name, group=column) for column in rows.columns for name in FIELDS]
    means = [TableCell(text) for text in body(rows)[-1]]
    lines = [_line(line, rows.columns) for line in rows.lines]
    return table(f"{_KEY}-table", "Table", columns, lines, [_line(rows.total, rows.columns), means])


def _line(line: Line, columns: list[str]) -> list[TableCell]:
    texts = [
        TableCell(line.name + ("*" if line.note else "")),
        TableCell(str(line.goals)),
        TableCell(str(line.at_start)),
    ]
    for column in columns:
        coverage, nodes, seconds = cells(line.cells[column])
        texts += [TableCell(coverage, mark=_MARKS[line.cells[column].mark]), TableCell(nodes), TableCell(seconds)]
    return texts


def _every(records: Records, links: Links, files: Sequence[str]) -> PageBlock:
    """Every problem, those with the most unsolved goals first, with the plans of each planner and seed."""
    solved: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    kept: dict[tuple[tuple[str, str], str], list[tuple[str, str]]] = defaultdict(list)
    failed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for number, run in enumerate(records.runs):
        for line in run.lines:
            problem, column = (line["row"], line["instance"]), column_of(line)
            if line["failure"] is not None:
                failed[problem].add(column)
                solved[problem][column]["failed"] += 1
            else:
                solved[problem][column].update(line["status"])
            kept[problem, column] += _files(line, files[number]) if files else []

    def unsolved(problem: tuple[str, str]) -> tuple[int, float]:
        counts = sum(solved[problem].values(), Counter())
        return -len(failed[problem]), counts["solved"] / max(1, counts.total())

    columns = [Column("problem", text=True), *(Column(name, text=True) for name in records.columns)]
    columns += [Column("pages", text=True)] if links else []
    rows = []
    for problem in sorted(solved, key=unsolved):
        row = [TableCell(" ".join(problem))]
        row += [_outcome(solved[problem].get(column), kept[problem, column]) for column in records.columns]
        rows.append([*row, TableCell("", links=links.get(problem, []))] if links else row)
    return table(
        f"{_KEY}-every", f"Every problem ({len(solved):,}), the least solved first", columns, rows, folded=True
    )


def _files(line: Record, folder: str) -> list[tuple[str, str]]:
    """Links to the plans and the log of a line."""
    return file_links(line, folder, {name: f"{name} of seed {line['seed']}" for name in ("plan", "log")})


def _outcome(counts: Counter[str] | None, links: Sequence[tuple[str, str]]) -> TableCell:
    if not counts:
        return TableCell("-", sort=-1)
    share = counts["solved"] / counts.total()
    others = sorted((status for status in counts if status != "solved"), key=severity)
    reasons = ", ".join(f"{counts[status]} {status}" for status in others)
    text = f"{counts['solved']} of {counts.total()}" + (f" ({reasons})" if reasons else "")
    return TableCell(text, sort=round(share, 4), mark="worse" if counts["failed"] else "", links=links)
