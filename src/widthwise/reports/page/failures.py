"""Why something was not solved: the statuses of a suite in words, counted by planner, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from widthwise.reports.page.content import PageBlock
from widthwise.reports.page.tables import Column, table

#: The statuses without a plan, in the order in which a reader should look at them.
MEANINGS = {
    "failed": "The planner crashed, or it ended without a plan for another reason.",
    "invalid": "The validator refused the plan, so the problem is not counted as solved.",
    "unchecked": "There is a plan, but it could not be checked within the limits. It is not counted as solved.",
    "out-of-memory": "The memory limit was reached. A plan may exist.",
    "out-of-time": "The time limit was reached. A plan may exist.",
    "out-of-nodes": "The node limit was reached. A plan may exist.",
    "exhausted": "The search pruned every remaining node. Pruning is incomplete: a plan may exist.",
    "interrupted": "The run was interrupted.",
    "unsolvable": "It was proved that there is no plan.",
}


def severity(status: str) -> int:
    """The place of a status in a list, the worst first; solved last."""
    order = list(MEANINGS)
    return order.index(status) if status in order else len(order) if status == "solved" else -1


def status_table(key: str, title: str, counts: Mapping[str, Counter[str]], columns: Sequence[str]) -> PageBlock | None:
    """How often each status occurs for each planner, with its meaning; None if everything was solved."""
    statuses = sorted({status for own in counts.values() for status in own if status != "solved"}, key=severity)
    if not statuses:
        return None
    rows = [
        [status, MEANINGS.get(status, "A status that is unknown to this version."), *_numbers(counts, columns, status)]
        for status in statuses
    ]
    heads = [Column("status", text=True), Column("meaning", text=True), *(Column(name) for name in columns)]
    return table(key, title, heads, rows)


def _numbers(counts: Mapping[str, Counter[str]], columns: Sequence[str], status: str) -> list[str]:
    return [f"{counts[column][status]:,}" if counts[column][status] else "-" for column in columns]
