"""The text output of `widthwise solve`: plan, summary, features found by IHIW, tables and progress."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from widthwise.classical.plan import Plan, number_text
from widthwise.cli.common import duration
from widthwise.core.result import REASONS, Status
from widthwise.core.showing import counted as count
from widthwise.core.terminal import StatusLine

if TYPE_CHECKING:
    from widthwise import _native
    from widthwise.classical.result import Discovered, Incumbent, Result
    from widthwise.classical.task import Task

_STORY_SHOWN = 6


def print_wrapped(text: str, *, indent: str = "", first: str | None = None) -> None:
    """Print a paragraph to stderr, wrapped to the terminal and to at most 100 columns."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    lead = indent if first is None else first
    print(
        textwrap.fill(
            text,
            width,
            initial_indent=lead,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        ),
        file=sys.stderr,
    )


def plan_text(result: Result) -> str:
    """The plan in the format of plan files."""
    return Plan(result.plan or (), result.cost or 0.0, result.unit_cost).text()


def planner_name(result: Result, requested: str) -> str:
    """The planner in the paper's words."""
    return "breadth-first search" if requested == "bfs" else result.planner


def summarize(result: Result, requested: str) -> None:
    """Print how a run ended, its counts and its times."""
    name = planner_name(result, requested)
    if result.plan and sys.stdout.isatty() and sys.stderr.isatty():
        print(file=sys.stderr)  # separates the summary from the plan where both are on the screen
    if result.status is Status.SOLVED:
        by = f"{name}: {result.reason}" if result.reason else f"solved by {name}"
        plan = result.plan or Plan()
        steps = "the goal holds in the initial state" if not plan else count(len(plan), "step")
        print_wrapped(f"{by}; {steps}, cost {number_text(result.cost or 0)}, checked by the validator.")
    else:
        reason = result.reason if name in result.reason else f"{name}: {result.reason}"
        print_wrapped(f"{result.status}: {reason}.")
    history(result)
    nodes = f"{count(result.generated, 'node')} generated, {result.pruned:,} pruned"
    if result.high_level_nodes:
        nodes += f", {count(result.high_level_nodes, 'high-level node')}"
    times = ", ".join(f"{part} {duration(spent)}" for part, spent in result.seconds.items())
    improvement = next((stage.seconds for stage in result.stages if stage.planner == "improvement"), None)
    if improvement is not None:
        times += f", of which improvement {duration(improvement)}"
    print_wrapped(f"{nodes}; {duration(result.elapsed_seconds)} in all ({times}).")
    story(result.story)


def plan_found(plan: Incumbent) -> None:
    """Print the cost of a plan as soon as it is found."""
    print(
        f"plan of cost {number_text(plan.cost)} after {duration(plan.seconds)} ({plan.how})",
        file=sys.stderr,
        flush=True,
    )


def history(result: Result) -> None:
    """Print the result of plan improvement."""
    improvement = next((stage for stage in result.stages if stage.planner == "improvement"), None)
    if improvement is None:
        return
    first, last = result.plans[0], result.plans[-1]
    if first is last:
        text = "Improvement found no better plan"
    elif first.cost == last.cost:
        text = f"Improvement found a plan of the same cost, {number_text(first.cost)}, with fewer steps"
    else:
        text = f"Improvement reduced the cost of the plan from {number_text(first.cost)} to {number_text(last.cost)}"
    why = {
        Status.EXHAUSTED: improvement.reason,
        Status.OUT_OF_TIME: "more time (--max-time) may improve it further",
        Status.INTERRUPTED: "it was interrupted",
    }.get(improvement.status, REASONS.get(improvement.status, "").partition(";")[0])
    print_wrapped(f"{text} ({why}).")


def stages(result: Result) -> None:
    """Print which searches a schedule ran, why, and how each ended."""
    for stage in result.stages:
        ended = "turn ended" if stage.status is Status.OUT_OF_NODES else stage.status
        nodes = count(stage.generated, "node")
        print_wrapped(
            f"{stage.planner}: {stage.reason}; {nodes}, {duration(stage.seconds)}, {ended}.", indent="  ", first="- "
        )


def story(chapters: Sequence[Discovered]) -> None:
    """Print how IHIW found its high-level features: the first in full, the others in short."""
    if not chapters:
        return
    print_wrapped("How the high-level features were found:")
    shown = chapters if len(chapters) <= _STORY_SHOWN else chapters[: _STORY_SHOWN - 1]
    for number, chapter in enumerate(shown, 1):
        text = first_chapter(chapter) if number == 1 else short_chapter(chapter)
        print_wrapped(text, indent="     ", first=f"  {number}. ")
    if len(shown) < len(chapters):
        left = count(len(chapters) - len(shown) - 1, "more feature")
        print_wrapped(f"... {left} (--json prints all of them); the last one:", indent="  ")
        print_wrapped(short_chapter(chapters[-1]), indent="     ", first=f"  {len(chapters)}. ")


def first_chapter(chapter: Discovered) -> str:
    """The first feature, with an explanation of the procedure."""
    others = len(chapter.candidates) - 1
    one_of = f", one of {others + 1} candidates," if others else ""
    return (
        f"After {count(chapter.generated, 'node')} the search was exhausted. On the pruned branch {_branch(chapter)} "
        f"the atom {chapter.feature}{one_of} became true. With it as a high-level feature the tree has "
        f"{count(chapter.high_level_nodes, 'high-level node')}, each with its own novelty table. The search continued "
        f"and generated {count(chapter.search, 'more node')}."
    )


def short_chapter(chapter: Discovered) -> str:
    """A later feature, in short."""
    return (
        f"{chapter.feature}, from the branch {_branch(chapter)}: "
        f"{count(chapter.high_level_nodes, 'high-level node')}, {count(chapter.search, 'more node')}."
    )


def _branch(chapter: Discovered) -> str:
    last = chapter.branch[-3:]
    return ("... " if len(chapter.branch) > len(last) else "") + " ".join(last)


class GoalTable:
    """The table of --each-goal; a line is printed as soon as its goal is done."""

    def __init__(self, task: Task) -> None:
        self.wide = min(max([len(goal.name) for goal in task.goals] + [4]), 50)
        print(f"{'goal':<{self.wide}}  {'status':<13} {'nodes':>12} {'plan':>6}  true at start")

    def show(self, result: Result) -> None:
        """Print the line of one goal."""
        length = "-" if result.plan is None else str(len(result.plan))
        start = "yes" if result.true_at_start else "no"
        goal = result.goal or "goal"
        print(
            f"{goal:<{self.wide}}  {result.status!s:<13} {result.generated:>12,} {length:>6}  {start}",
            flush=True,
        )


def summarize_goals(results: Sequence[Result], goals: int, meter: _native.Meter) -> None:
    """Print how many goals were solved."""
    solved = [result for result in results if result.status is Status.SOLVED]
    already = sum(result.true_at_start for result in solved)
    text = f"{len(solved)} of {count(goals, 'goal')} solved"
    if already:
        text += f" ({already} of them true at the start)"
    nodes = sum(result.generated for result in results)
    text += f"; {count(nodes, 'node')} generated, {duration(meter.seconds)} in all."
    if len(results) < goals:
        why = REASONS[results[-1].status].partition(";")[0]
        text += f" {count(goals - len(results), 'goal')} not tried: {why}."
    print_wrapped(text)
    for result in results:
        if result.status is Status.FAILED:
            print_wrapped(f"{result.goal}: failed: {result.reason}")


class SearchProgress:
    """A status line with the progress of a search, updated at most ten times a second."""

    def __init__(self, meter: _native.Meter) -> None:
        self.meter = meter
        self.planner = ""  # the one that is running
        self.line = StatusLine(sys.stderr)
        self.last = time.monotonic()
        self.total = self.before = 0  # nodes of all searches, now and when the line was written last
        self.counts: dict[int, int] = {}  # nodes of each search when it was last seen

    def at_work(self, name: str) -> None:
        """Set the name of the search that is running."""
        self.planner = name

    def __call__(self, search: _native.Search | _native.BestFirst) -> None:
        """Update the line for a search that is running."""
        known = self.counts.get(id(search), 0)
        # Fewer nodes than before: another search at the address of one that ended.
        self.total += search.generated - (known if search.generated >= known else 0)
        self.counts[id(search)] = search.generated
        now = time.monotonic()
        if now - self.last < 0.1:
            return
        rate = (self.total - self.before) / (now - self.last)
        self.last, self.before = now, self.total
        not_pruned = search.generated - search.pruned - search.pruned_entries
        self.line.show(
            f"{self.planner}: {count(self.total, 'node')}, {rate / 1000:,.0f}k/s, depth {search.depth:,}, "
            f"{not_pruned:,} kept, {search.pruned + search.pruned_entries:,} pruned, {self.meter.seconds:.1f} s"
        )

    def clear(self) -> None:
        """Remove the line."""
        self.line.clear()
