"""`widthwise report`: tables and plots of run folders, with the published figures for comparison."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "report",
        help="make tables and plots of runs",
        description=(
            "Print the table of one or more run folders, with the published figures for comparison, and write it "
            "with plots as a page. Several folders are combined into one table; runs with another --relevance get "
            "columns of their own. Whole problems: coverage by domain, costs and times of all planners. Training "
            "runs and suites of them: a table over seeds, and learning curves."
        ),
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a run folder, or a folder of run folders")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="write a self-contained HTML page")
    parser.add_argument("--markdown", type=Path, metavar="FILE.md", help="write the table as Markdown")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="write the plots as SVG files")
    parser.add_argument(
        "--explain",
        action="append",
        default=[],
        metavar="'ROW INSTANCE: WHY'",
        help="explain why an instance failed; the report then shows a note instead of an error; may be repeated",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table on stdout and write the requested files."""
    from widthwise.reports.records import kind_of, run_folders
    from widthwise.reports.training_runs import is_training

    args.folders = [run for folder in args.folders for run in run_folders(folder)]
    if any(is_training(folder) for folder in args.folders):
        return _training(args)
    if kind_of(args.folders) == "whole":
        return _whole(args)
    return _single_goals(args)


def _single_goals(args: argparse.Namespace) -> int:
    from widthwise.reports.html import html_page
    from widthwise.reports.plots import make_plots
    from widthwise.reports.records import read_runs
    from widthwise.reports.table import make_table
    from widthwise.reports.text import errors, markdown, text_table

    records = read_runs(args.folders, args.explain)
    table = make_table(records)
    wrong = errors(records)
    if wrong:
        print("Failures without an explanation (--explain):\n" + "\n".join(f"  {line}" for line in wrong) + "\n")
    print(text_table(table, records))
    _write_all(
        args,
        lambda: make_plots(records),
        lambda plots: html_page(table, records, plots),
        lambda links: markdown(table, records, links),
    )
    return 0


def _whole(args: argparse.Namespace) -> int:
    from widthwise.core.errors import InputError, UsageError
    from widthwise.reports.whole_html import whole_page, whole_plots
    from widthwise.reports.whole_suite import read_whole
    from widthwise.reports.whole_text import markdown_report, text_report

    if args.explain:
        raise UsageError("--explain is for runs of single goals")
    whole = read_whole(args.folders)
    if not whole.columns:
        raise InputError(f"{args.folders[0]}: the run has no results yet")
    print(text_report(whole))
    _write_all(
        args,
        lambda: whole_plots(whole),
        lambda plots: whole_page(whole, plots),
        lambda links: markdown_report(whole, links),
    )
    return 0


def _training(args: argparse.Namespace) -> int:
    """The report of training runs: the table, and the learning curves."""
    from widthwise.core.errors import UsageError
    from widthwise.reports.curves import learning_curves
    from widthwise.reports.training_runs import is_training, published, read_training
    from widthwise.reports.training_text import training_markdown, training_page, training_table

    for folder in args.folders:
        if not is_training(folder):
            raise UsageError(f"{folder} is not a training run: report it separately")
    if args.explain:
        raise UsageError("--explain is for runs of single goals")
    groups, theirs = read_training(args.folders), published(args.folders)
    print(training_table(groups, theirs))
    _write_all(
        args,
        lambda: learning_curves(groups),
        lambda plots: training_page(groups, theirs, plots),
        lambda links: training_markdown(groups, theirs, links),
    )
    return 0


def _write_all(
    args: argparse.Namespace,
    make_plots: Callable[[], dict[str, str]],
    page: Callable[[dict[str, str]], str],
    markdown: Callable[[list[str]], str],
) -> None:
    """Write the page, the Markdown file and the plots that were requested."""
    from widthwise.core.errors import MissingExtraError

    plots: dict[str, str] = {}
    if args.out is not None or args.plots is not None:
        try:
            plots = make_plots()
        except MissingExtraError as error:
            if args.plots is not None:
                raise
            print(f"note: the page has no plots: {error}", file=sys.stderr)
    if args.plots is not None:
        for name, svg in plots.items():
            _write(args.plots / f"{name}.svg", svg)
    if args.out is not None:
        _write(args.out, page(plots))
    if args.markdown is not None:
        links = [] if args.plots is None else [_link(args.plots / f"{name}.svg", args.markdown) for name in plots]
        _write(args.markdown, markdown(links))


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
