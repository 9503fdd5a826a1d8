"""The kinds of runs that a report shows, each as text, Markdown, plots and a section of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from widthwise.core import run_shapes
from widthwise.core.errors import InputError, UsageError
from widthwise.core.json_files import read_json
from widthwise.reports.page.content import Section
from widthwise.reports.page.document import Document
from widthwise.reports.page.goals_section import Links
from widthwise.reports.page.origin import Run, lead

Plots = dict[str, str]  # SVG texts by name


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What a page links to: pages about problems, and the folders of runs as its reader reaches them."""

    problems: Links = field(default_factory=dict)
    folders: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KindReport:
    """The report on all runs of one kind.

    Args:
        title: what the runs are.
        runs: the runs.
        text: the report for a terminal.
        markdown: the report as Markdown, with links to pictures.
        plots: makes the static plots; raises `MissingExtraError` without matplotlib.
        section: makes the section of the page.
    """

    title: str
    runs: Sequence[Run]
    text: str
    markdown: Callable[[Sequence[str]], str]
    plots: Callable[[], Plots]
    section: Callable[[Plots, PageLinks], Section]


def make_reports(folders: Sequence[Path], explanations: Sequence[str] = ()) -> list[KindReport]:
    """The reports on some run folders, one for each kind of run.

    Args:
        folders: the run folders.
        explanations: why instances of single goals failed, as `ROW INSTANCE: sentence`.

    Returns:
        The reports, in a fixed order of kinds.

    Raises:
        InputError: a folder is not a run folder, is damaged, or has no results yet.
        UsageError: runs cannot be combined, or an explanation does not fit.
    """
    by_kind: dict[str, list[Path]] = {}
    for folder in folders:
        by_kind.setdefault(_kind(folder), []).append(folder)
    if explanations and "classical" not in by_kind:
        raise UsageError("--explain is for runs of single goals")
    makers: dict[str, Callable[[list[Path]], KindReport]] = {
        "classical": lambda own: _goals(own, explanations),
        "whole": _whole,
        "training": _training,
        "search": _searches,
    }
    return [make(by_kind[kind]) for kind, make in makers.items() if kind in by_kind]


def make_document(
    reports: Sequence[KindReport], plots: Sequence[Plots], links: PageLinks, title: str | None = None
) -> Document:
    """The page of some reports.

    Args:
        reports: the reports.
        plots: the static plots of each.
        links: what the page links to.
        title: its title; chosen by the kinds of runs if it is not given.

    Returns:
        The page.
    """
    name = title or (reports[0].title if len(reports) == 1 else "Report")
    sections = [report.section(own, links) for report, own in zip(reports, plots, strict=True)]
    return Document(name, lead([run for report in reports for run in report.runs]), sections)


def _kind(folder: Path) -> str:
    kind = read_json(folder / "config.json", run_shapes.config).get("kind")
    if kind == "learning":
        return "training"
    if kind not in ("classical", "whole", "training", "search"):
        raise InputError(
            f"{folder}: this is not a run of `bench classical`, `bench mazes`, `bench atari`, `train` or `search`"
        )
    return str(kind)


def _addresses(runs: Sequence[Run], links: PageLinks) -> list[str]:
    """The folders of runs as the reader of a page reaches them; empty if one is not known."""
    known = [links.folders[run.folder] for run in runs if run.folder in links.folders]
    return known if len(known) == len(runs) else []


def _goals(folders: list[Path], explanations: Sequence[str]) -> KindReport:
    from widthwise.reports import plots
    from widthwise.reports.page.goals_section import goals_section
    from widthwise.reports.records import read_runs
    from widthwise.reports.table import make_table
    from widthwise.reports.text import errors, markdown, text_table

    records = read_runs(folders, explanations)
    rows = make_table(records)
    wrong = errors(records)
    failures = "Failures without an explanation (--explain):\n" + "\n".join(f"  {line}" for line in wrong) + "\n\n"
    return KindReport(
        "Classical suite",
        records.runs,
        (failures if wrong else "") + text_table(rows, records),
        lambda names: markdown(rows, records, names),
        lambda: plots.make_plots(records),
        lambda static, links: goals_section(records, rows, static, links.problems, _addresses(records.runs, links)),
    )


def _whole(folders: list[Path]) -> KindReport:
    from widthwise.reports.page.whole_section import whole_section
    from widthwise.reports.whole_plots import whole_plots
    from widthwise.reports.whole_suite import read_whole
    from widthwise.reports.whole_text import markdown_report, text_report

    whole = read_whole(folders)
    if not whole.columns:
        raise InputError(f"{folders[0]}: the run has no results yet")

    return KindReport(
        "Whole problems",
        whole.runs,
        text_report(whole),
        lambda names: markdown_report(whole, names),
        lambda: whole_plots(whole),
        lambda static, links: whole_section(whole, static, links.problems, _addresses(whole.runs, links)),
    )


def _training(folders: list[Path]) -> KindReport:
    from widthwise.reports.curves import learning_curves
    from widthwise.reports.page.training_section import training_section
    from widthwise.reports.training_runs import failed_runs, published, read_training
    from widthwise.reports.training_text import training_markdown, training_table

    groups, theirs, failed = read_training(folders), published(folders), failed_runs(folders)
    return KindReport(
        "Training runs",
        [run for group in groups for run in group.runs],
        training_table(groups, theirs),
        lambda names: training_markdown(groups, theirs, names),
        lambda: learning_curves(groups),
        lambda static, _: training_section(groups, theirs, failed, static),
    )


def _searches(folders: list[Path]) -> KindReport:
    from widthwise.reports.page.search_section import search_section
    from widthwise.reports.search_runs import read_searches
    from widthwise.reports.search_text import search_markdown, search_plots, search_table

    groups = read_searches(folders)
    return KindReport(
        "Searches",
        [run for group in groups for run in group.runs],
        search_table(groups),
        lambda names: search_markdown(groups, names),
        lambda: search_plots(groups),
        lambda static, _: search_section(groups, static),
    )
