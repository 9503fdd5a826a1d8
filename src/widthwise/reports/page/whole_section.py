"""The section on whole problems: problems solved over time, failures with their reasons, domains, every problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from widthwise.reports.page.charts import Axis, Chart, Curve
from widthwise.reports.page.content import PageBlock, Section, listed, paragraphs, pictures, tiles
from widthwise.reports.page.failures import severity, status_table
from widthwise.reports.page.goals_section import Links
from widthwise.reports.page.origin import facts, origin
from widthwise.reports.page.tables import Column, TableCell, file_links, table
from widthwise.reports.records import Record, SuiteRun
from widthwise.reports.whole_plots import end_of_time, solved_problems
from widthwise.reports.whole_suite import Problem, Whole, count_totals, reason_of, status_of
from widthwise.reports.whole_text import LEGEND, coverage, errors, lost, number, summary

_KEY = "whole"
_MANY = 15  # rows from which on a table of failures is closed at first


def whole_section(whole: Whole, plots: Mapping[str, str], links: Links, files: Sequence[str]) -> Section:
    """The section of some runs of whole problems.

    Args:
        whole: the runs.
        plots: static plots, by name.
        links: pages about problems.
        files: the folders of the runs as a reader of the page reaches them, in order; empty without links.

    Returns:
        The section.
    """
    totals = count_totals(whole)
    blocks = [
        tiles(
            f"{_KEY}-tiles",
            [
                (name, number(own.solved), f"of {own.tried} solved; score {own.score:.1f}")
                for name, own in totals.items()
            ],
        ),
        _cactus(whole),
    ]
    if plots:
        blocks.append(pictures(f"{_KEY}-static", plots))
    blocks += _failures(whole, files)
    behind = lost(whole, whole.columns[0]) if len(whole.columns) > 1 else []
    if behind:
        blocks.append(
            listed(f"{_KEY}-lost", f"Domains where others solve more than {whole.columns[0]}", behind, "warn")
        )
    blocks += [
        _plain(f"{_KEY}-domains", "Domains", coverage(whole), sums=1),
        _plain(f"{_KEY}-planners", "Planners", summary(whole)),
        paragraphs(f"{_KEY}-legend", [LEGEND]),
        _every(whole, links, files),
    ]
    commands = {name: text for run in whole.runs for name, text in run.config["settings"]["planners"].items()}
    blocks.append(facts(f"{_KEY}-commands", "Commands", {f"planner {name}": text for name, text in commands.items()}))
    blocks += origin(_KEY, whole.runs, _details)
    return Section(_KEY, "Whole problems", blocks)


def _details(run: SuiteRun) -> dict[str, str]:
    settings = run.config["settings"]
    limits = {name: value for name, value in settings["limits"].items() if value is not None}
    words = {"wall": "s of wall-clock time", "cpu": "s of CPU time", "megabytes": "MB of memory"}
    seeds = [str(seed) for seed in settings.get("seeds", []) if seed is not None]
    return {
        "limits": ", ".join(f"{value:,g} {words.get(name, name)}" for name, value in limits.items()) + " per problem",
        **({"seeds": ", ".join(seeds)} if seeds else {}),
    }


def _cactus(whole: Whole) -> PageBlock:
    end = end_of_time(whole)
    solved = {column: solved_problems(whole, column) for column in whole.columns}
    start = max(0.01, 0.7 * min((own[0][0] for own in solved.values() if own), default=0.01))
    curves = []
    for colour, column in enumerate(whole.columns):
        times = [max(seconds, start) for seconds, _ in solved[column]]
        notes = ["", *(" ".join(problem) for _, problem in solved[column]), ""]
        counts = list(range(len(times) + 1))
        curves.append(Curve(column, [start, *times, end], [*counts, counts[-1]], colour=colour, notes=notes))
    return Chart(
        f"{_KEY}-cactus",
        "Problems solved over CPU time",
        Axis("CPU seconds until the plan was found", 0.9 * start, 1.1 * end, log=True),
        Axis("problems solved", 0, 1.03 * max(1, len(whole.all_problems))),
        curves,
        f"Of {len(whole.all_problems):,} problems. A plan counts when the validator accepts it.",
        kind="steps",
        wide=True,
    ).block()


def _failures(whole: Whole, files: Sequence[str]) -> list[PageBlock]:
    """What is wrong with the runs, why problems have no plan, and each of them with its message."""
    wrong = errors(whole)
    blocks = [
        listed(f"{_KEY}-errors", "Problems with the runs", wrong, "bad")
        if wrong
        else paragraphs(f"{_KEY}-errors", ["No planner crashed, and the validator refused no plan."], "fine")
    ]
    counts = {column: totals.statuses for column, totals in count_totals(whole).items()}
    statuses = status_table(f"{_KEY}-statuses", "Why there is no plan", counts, whole.columns)
    if statuses is None:
        return blocks
    without = [
        (severity(status_of(line)), column, problem, line)
        for column in whole.columns
        for problem in whole.all_problems
        for line in whole.of(column, problem)
        if status_of(line) != "solved"
    ]
    without.sort(key=lambda entry: entry[0])
    columns = [Column(name, text=True) for name in ("problem", "planner", "why", "message")]
    columns += [Column("CPU seconds"), Column("MB"), Column("files", text=True)]
    rows: list[list[TableCell | str]] = [
        [
            " ".join(problem) + _seed(line),
            column,
            status_of(line),
            reason_of(line),
            _figure(line.get("cpu_seconds"), 2),
            _figure(line.get("memory_mb"), 0),
            TableCell("", links=_files(line, files, ("log",))),
        ]
        for _, column, problem, line in without
    ]
    title = f"Without a plan ({len(rows):,})"
    return [*blocks, statuses, table(f"{_KEY}-failures", title, columns, rows, folded=len(rows) > _MANY)]


def _seed(line: Record) -> str:
    return "" if line["seed"] is None else f", seed {line['seed']}"


def _figure(value: object, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, int | float) else "-"


def _files(line: Record, files: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """Links to the plan and the log of a line, if its run has kept them."""
    return file_links(line, files[line["run"]], {name: name for name in names}) if files else []


def _plain(key: str, title: str, rows: Sequence[Sequence[str]], sums: int = 0) -> PageBlock:
    """A table of texts whose first column names the row."""
    columns = [Column(name, text=not number) for number, name in enumerate(rows[0])]
    cells = [[TableCell(text, mark="worse" if text.endswith("▼") else "") for text in row] for row in rows[1:]]
    return table(key, title, columns, cells[: len(cells) - sums], cells[len(cells) - sums :])


def _every(whole: Whole, links: Links, files: Sequence[str]) -> PageBlock:
    """Every problem: cost and CPU seconds until the plan was found, or why there is none; the unsolved first."""

    def solved(problem: Problem) -> int:
        return sum(status_of(line) == "solved" for column in whole.columns for line in whole.of(column, problem))

    columns = [Column("problem", text=True), *(Column(name, text=True) for name in whole.columns)]
    columns += [Column("pages", text=True)] if links else []
    rows = []
    for problem in sorted(whole.all_problems, key=solved):
        row = [TableCell(" ".join(problem))]
        for column in whole.columns:
            lines = whole.of(column, problem)
            text = ", ".join(map(_outcome, lines)) or "-"
            own = [link for line in lines for link in _files(line, files, ("plan", "log"))]
            row.append(TableCell(text, links=own))
        rows.append([*row, TableCell("", links=links.get(problem, []))] if links else row)
    return table(f"{_KEY}-every", f"Every problem ({len(rows):,}), the unsolved first", columns, rows, folded=True)


def _outcome(line: Record) -> str:
    if status_of(line) == "solved":
        return f"{line['cost']:g} in {line['plan_seconds']:.2f} s"
    return status_of(line) if status_of(line) != "failed" else f"failed: {reason_of(line)[:60]}"
