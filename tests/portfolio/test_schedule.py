"""Schedules: what a turn is, what it costs, and how searches that cannot be resumed have several."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import widthwise as ww
from example_tasks import example
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Outcome, Status
from widthwise.portfolio.schedule import Schedule, Turn
from widthwise.portfolio.whole_problem import TURNS, whole_problem
from widthwise.task_search.bfws import BFWS, GBFS
from widthwise.task_search.guided import Guided
from widthwise.task_search.iw import IW
from widthwise.task_search.resumable import SEED_STEP, Restarts
from widthwise.task_search.walks import Walks


def puzzle() -> Model:
    """A task that takes more than a few thousand nodes."""
    task = example("8puzzle", side=4)
    return Model(_native.Operators(task.native), list(task.goal.positive), [], _native.Meter())


def test_turns_are_shares_of_rounds_that_grow() -> None:
    model = puzzle()
    model.max_nodes = 1_400
    turns = (Turn(BFWS(), 0.75, "most"), Turn(GBFS(), 0.25, "some"))
    outcome = Schedule(turns, 200, 2).run(model)
    assert outcome.status is Status.OUT_OF_NODES
    assert [stage.generated for stage in outcome.stages] == [150, 50, 300, 100, 600, 200]
    assert [stage.reason for stage in outcome.stages[:3]] == ["most", "some", "continues from its previous turn"]


def test_nodes_that_take_more_work_count_more() -> None:
    model = puzzle()
    model.max_nodes = 3_000
    turns = (Turn(BFWS(), 0.5, "as much"), Turn(Guided(), 0.5, "work"))
    outcome = Schedule(turns, 1_000, 2, weighed=True).run(model)
    wide = sum(stage.generated for stage in outcome.stages if stage.planner == "BFWS(f5)")
    guided = sum(stage.generated for stage in outcome.stages if stage.planner == "guided search")
    assert 0 < guided < wide / 2


@pytest.mark.parametrize("planner", [IW(2), BFWS(), BFWS("k2"), GBFS(), Guided(), Walks()])
def test_slices_come_to_the_same_as_one_run(planner: IW | BFWS | GBFS | Guided | Walks) -> None:
    task = example("blocks", blocks=8)
    whole, sliced = (
        Model(_native.Operators(task.native), list(task.goal.positive), [], _native.Meter()) for _ in range(2)
    )
    at_once = planner.run(whole)
    run = planner.begin(sliced)
    for size in range(1, 10_000):
        before = run.search.generated
        ended = run.resume(size)
        assert run.search.generated - before <= size
        if ended is not None:
            break
        assert run.outcome().status is Status.OUT_OF_NODES
    assert ended is not None
    assert (ended.status, ended.path, ended.generated, ended.reason) == (
        at_once.status,
        at_once.path,
        at_once.generated,
        at_once.reason,
    )


def test_what_cannot_be_resumed_begins_anew_with_another_seed_and_adds_up() -> None:
    seen: list[tuple[int, int | None]] = []

    def run(model: Model) -> Outcome:
        seen.append((model.seed, model.max_nodes))
        return Outcome(Status.OUT_OF_NODES if len(seen) < 3 else Status.EXHAUSTED, generated=10, expanded=2, pruned=1)

    model = puzzle()
    model.seed = 5
    restarts = Restarts(model, run)
    assert restarts.resume(7) is None
    assert restarts.resume(14) is None
    ended = restarts.resume(28)
    assert ended is not None
    assert (ended.status, ended.generated, ended.expanded, ended.pruned) == (Status.EXHAUSTED, 30, 6, 3)
    assert seen == [(5, 7), (5 + SEED_STEP, 14), (5 + 2 * SEED_STEP, 28)]


def test_what_is_tried_once_has_one_turn_and_two_searches_have_most_of_the_work() -> None:
    lasting = sorted((turn.share for turn in TURNS if turn.rounds is None), reverse=True)
    assert sum(lasting) == pytest.approx(1.0)
    assert sum(lasting[:2]) > 0.75
    model = puzzle()
    model.max_nodes = 600_000
    outcome = whole_problem().run(model)
    names = [stage.planner for stage in outcome.stages]
    assert [names.count(turn.planner.name) for turn in TURNS if turn.rounds == 1] == [1, 1, 1]
    order = [turn.planner.name for turn in TURNS if turn.waits == 0]
    order += [turn.planner.name for turn in TURNS if turn.rounds is None and turn.waits <= 1]
    assert len(names) > 3 and names[: len(order)] == order[: len(names)]


def test_auto_gives_the_same_run_every_time() -> None:
    first, second = (ww.solve(example("logistics")) for _ in range(2))
    assert [(stage.planner, stage.generated, stage.status) for stage in first.stages] == [
        (stage.planner, stage.generated, stage.status) for stage in second.stages
    ]
    assert first.plan == second.plan


def test_what_never_ends_by_itself_does_not_keep_a_schedule_going() -> None:
    either = [([0], [], [1], [0], 1.0, []), ([0], [], [2], [0], 1.0, [])]  # one or the other, never both
    task = _native.GroundedTask.build(3, either, [], [0], [1, 2], [])
    turns = (Turn(BFWS("k1"), 0.5, "ends"), Turn(Walks(), 0.5, "does not", endless=True))
    outcome = Schedule(turns, 100, 2).run(Model(_native.Operators(task), [1, 2], [], _native.Meter()))
    assert outcome.status is Status.EXHAUSTED
    assert {stage.planner for stage in outcome.stages} == {"1-BFWS(f5)", "random walks"}


class Stopped:
    """A search that Ctrl-C ends before its first node."""

    name = "stopped"

    def run(self, model: Model) -> Outcome:
        raise KeyboardInterrupt


@dataclass
class TwoSearches:
    """IW(1), IW(2) for a moment, and a search that is interrupted between two kernels."""

    name: str = "two searches"
    widths: tuple[int, ...] = ()

    def run(self, model: Model) -> Outcome:
        turns = (Turn(IW(1), 1.0, "", rounds=1), Turn(IW(2), 0.1, "", rounds=1), Turn(Stopped(), 1.0, ""))
        return Schedule(turns, 500, 2).run(model)


def test_an_interrupt_counts_the_searches_before_it() -> None:
    task = ww.example("blocks")
    first = ww.solve(task, IW(1))
    assert first.status is Status.EXHAUSTED
    result = ww.solve(task, TwoSearches(), on_interrupt="return")
    assert result.status is Status.INTERRUPTED
    assert result.generated == first.generated + 50
    assert result.expanded > first.expanded
    assert result.pruned >= first.pruned
