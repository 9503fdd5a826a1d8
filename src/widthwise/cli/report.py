"""`widthwise report`: tables and plots of run folders, with the published figures for comparison."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from widthwise.reports.kinds import KindReport


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "report",
        help="make tables and plots of runs",
        description=(
            "Print the table of one or more run folders, with the published figures for comparison, and write it "
            "with plots as a page. Several folders are combined into one table; runs with another --relevance get "
            "separate columns. For whole problems: coverage by domain, costs and times of all planners. For training "
            "runs and suites of them: a table over seeds, and learning curves. For searches: the best score over "
            "interactions. Folders of different kinds become one page with a section for each kind."
        ),
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a run folder, or a folder of run folders")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="write a self-contained HTML page")
    parser.add_argument("--title", metavar="TEXT", help="the title of the page (default: chosen by the kind of run)")
    parser.add_argument("--markdown", type=Path, metavar="FILE.md", help="write the table as Markdown")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="write the plots as SVG files")
    parser.add_argument(
        "--explain",
        action="append",
        default=[],
        metavar="'ROW INSTANCE: WHY'",
        help="explain why an instance failed; the report then shows a note instead of an error; may be repeated",
    )
    parser.add_argument(
        "--explore",
        action="append",
        default=[],
        metavar="'ROW INSTANCE'",
        help="with --out: search this problem again, with the planners and limits of the run, and link pages that show "
        "each search; 'ROW INSTANCE (GOAL)' is one goal of a suite of single goals; may be repeated",
    )
    parser.add_argument(
        "--benchmarks",
        type=Path,
        metavar="DIR",
        help="the folder of the problem files for --explore (default: $WIDTHWISE_BENCHMARKS)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table on stdout and write the requested files."""
    from widthwise.core.errors import UsageError
    from widthwise.reports.kinds import make_reports
    from widthwise.reports.records import run_folders

    if args.explore and args.out is None:
        raise UsageError("--explore needs --out: its pages are linked from the page of the report")
    folders = [run for folder in args.folders for run in run_folders(folder)]
    reports = make_reports(folders, args.explain)
    for number, report in enumerate(reports):
        if len(reports) > 1:
            print(f"{chr(10) if number else ''}{report.title}\n{'=' * len(report.title)}\n")
        print(report.text)
    plots = _plots(args, reports)
    for own in plots if args.plots is not None else []:
        for name, svg in own.items():
            _write(args.plots / f"{name}.svg", svg)
    if args.out is not None:
        _write_page(args, reports, plots, folders)
    if args.markdown is not None:
        _write(args.markdown, _markdown(args, reports, plots))
    return 0


def _plots(args: argparse.Namespace, reports: Sequence[KindReport]) -> list[dict[str, str]]:
    """The static plots of each report, where they are wanted."""
    from widthwise.core.errors import MissingExtraError

    if args.out is None and args.plots is None:
        return [{} for _ in reports]
    try:
        return [report.plots() for report in reports]
    except MissingExtraError as error:
        if args.plots is not None:
            raise
        print(
            f"note: the page has no static plots, which are shown if JavaScript is disabled: {error}", file=sys.stderr
        )
        return [{} for _ in reports]


def _write_page(
    args: argparse.Namespace, reports: Sequence[KindReport], plots: Sequence[dict[str, str]], folders: Sequence[Path]
) -> None:
    from widthwise.cli.report_explore import explore_pages
    from widthwise.reports.kinds import PageLinks, make_document

    problems = explore_pages(args.explore, reports, args.benchmarks, args.out) if args.explore else {}
    links = PageLinks(problems, {folder: _link(folder, args.out) for folder in folders})
    _write(args.out, make_document(reports, plots, links, args.title).html())


def _markdown(args: argparse.Namespace, reports: Sequence[KindReport], plots: Sequence[dict[str, str]]) -> str:
    parts = []
    for report, own in zip(reports, plots, strict=True):
        links = [] if args.plots is None else [_link(args.plots / f"{name}.svg", args.markdown) for name in own]
        heading = f"## {report.title}\n\n" if len(reports) > 1 else ""
        parts.append(heading + report.markdown(links))
    return "\n".join(parts)


def _link(target: Path, page: Path) -> str:
    return Path(os.path.relpath(target, page.parent)).as_posix()


def _write(path: Path, text: str) -> None:
    from widthwise.core.errors import OutputError
    from widthwise.core.files import write_whole

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError.of(path.parent, error) from None
    write_whole(path, text)
