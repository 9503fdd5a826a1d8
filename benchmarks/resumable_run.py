"""A benchmark in a run folder: the same call continues an interrupted run, and the report is written at the end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from widthwise.core.provenance import describe_run
from widthwise.core.run_folder import read_json
from widthwise.experiments.store import RunStore

Lines = list[dict[str, Any]]


@contextlib.contextmanager
def resumable_run(
    folder: Path, settings: dict[str, Any], keys: Sequence[str], arguments: list[str] | None
) -> Iterator[tuple[RunStore, dict[str, Any]]]:
    """Open a run folder, or continue the run in it, and write its summary at the end.

    Args:
        folder: The run folder.
        settings: The settings of the run.
        keys: The fields of a line that identify it; `store.done` has those of the lines that exist.
        arguments: The arguments of the program; None if they are those of the command line.

    Yields:
        The store, to which lines are appended, and the description of this call.
    """
    config = describe_run(settings, ["python", *sys.argv] if arguments is None else None)
    store = RunStore(folder, config, keys, resume=True)
    try:
        yield store, config
        summary = {"lines": len(store.lines)}
        if any("failure" in line for line in store.lines):
            summary["failures"] = sum(line["failure"] is not None for line in store.lines)
        store.finish(summary)
    finally:
        store.close()


def report(
    out: Path | None, folder: Path, store: RunStore, write: Callable[[Path, dict[str, Any], Lines], object]
) -> None:
    """Write the report of a run, if a file was given for it."""
    if out is not None:
        write(out, read_json(folder / "config.json"), store.lines)
        print(f"written: {out}")
