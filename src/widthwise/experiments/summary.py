"""The summary that ends a classical run: what was solved, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from widthwise.experiments.store import Record


def summarize(rows: Sequence[str], lines: Sequence[Record]) -> dict[str, Any]:
    """Goals, solved goals and nodes by row and planner, over all seeds, whatever the order of the lines."""
    table: dict[str, dict[str, dict[str, Any]]] = {row: {} for row in rows}
    for line in sorted(lines, key=lambda line: (line["planner"], line["width"])):
        name = f"{line['planner']}:{line['width']}" if line["width"] else line["planner"]
        empty = {"goals": 0, "solved": 0, "true_at_start": 0, "generated": 0, "failures": 0}
        cell = table[line["row"]].setdefault(name, empty)
        if line["failure"] is not None:
            cell["failures"] += 1
            continue
        cell["goals"] += len(line["goal"])
        cell["solved"] += line["status"].count("solved")
        cell["true_at_start"] += sum(line["true_at_start"])
        cell["generated"] += sum(line["generated"])
    good = [line for line in lines if line["failure"] is None]
    return {
        "lines": len(lines),
        "failures": len(lines) - len(good),
        "goals": sum(len(line["goal"]) for line in good),
        "solved": sum(line["status"].count("solved") for line in good),
        "rows": table,
        "search_seconds": round(sum(sum(line["seconds"]) for line in good), 3),
    }
