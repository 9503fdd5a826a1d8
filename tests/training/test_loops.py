"""Loops are cut out of a trajectory unless they are needed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from widthwise.core.simulator import Step
from widthwise.training.loops import TRIES, cut_loops
from widthwise.training.replanning import Trajectory
from widthwise.training.rewards import steps_to_last_reward


class Line:
    """Places on a line: 0 stays, 1 goes on, 2 goes back. Place 3 is rewarded, after some steps have passed."""

    name, actions, deterministic = "Line", 3, True

    def __init__(self, after: int = 0) -> None:
        self.after, self.replays = after, 0

    def reset(self, seed: int | None = None) -> Step:
        self.place, self.steps, self.replays = 0, 0, self.replays + 1
        return Step(self.place)

    def step(self, action: int) -> Step:
        self.place, self.steps = max(0, self.place + (0, 1, -1)[action]), self.steps + 1
        rewarded = self.place == 3 and self.steps >= self.after
        return Step(self.place, float(rewarded), terminated=rewarded)

    def save(self) -> Any: ...

    def load(self, snapshot: Any) -> None: ...


def cut(actions: list[int], after: int = 0) -> tuple[list[int], float, int]:
    return cut_loops(Line(after), 0, actions, int)


@pytest.mark.parametrize("actions", [[0, 0, 1, 1, 1], [1, 2, 1, 1, 2, 1, 1], [1, 1, 0, 2, 2, 0, 1, 1, 1]])
def test_loops_are_cut(actions: list[int]) -> None:
    shorter, score, steps = cut(actions)
    assert shorter == [1, 1, 1] and score == 1.0
    assert steps > len(actions)


def test_a_trajectory_without_loops_is_replayed_once() -> None:
    assert cut([1, 1, 1]) == ([1, 1, 1], 1.0, 3)
    assert cut([1, 1, 1, 0, 0]) == ([1, 1, 1, 0, 0], 1.0, 3)  # the episode ends before


def test_a_loop_that_is_needed_is_kept() -> None:
    waiting = [0, 0, 1, 1, 1]
    assert cut(waiting, after=5)[:2] == (waiting, 1.0)
    assert len(cut([0, 0, *waiting], after=5)[0]) >= 5


class Door(Line):
    """A door at place 1 that opens by itself: two steps there change nothing, whatever the action is."""

    def reset(self, seed: int | None = None) -> Step:
        self.waited = 0
        return super().reset(seed)

    def step(self, action: int) -> Step:
        if self.place == 1 and self.waited < 2:
            self.waited += 1
            self.steps += 1
            return Step(1 if self.waited < 2 else 10)  # an open door looks different
        return super().step(action)


def test_a_wait_during_which_actions_have_no_effect_gets_equal_actions() -> None:
    actions = [1, 2, 0, 1, 1]
    kept, score, _ = cut_loops(Door(), 0, actions, int)
    assert (kept, score) == ([1, 2, 2, 1, 1], 1.0)  # none can be left out, and the two of the wait are the same


def test_the_number_of_replays_is_limited() -> None:
    world = Line(after=60)
    actions = [1, 2] * 29 + [1, 1, 1]
    kept, score, _ = cut_loops(world, 0, actions, lambda place: place)
    assert (kept, score) == (actions, 1.0) and world.replays <= TRIES + 1


def demonstration(exact: bool, after: int) -> Any:
    pytest.importorskip("torch")
    from widthwise.training.demonstration import Demonstration

    world = Line(after)
    world.deterministic = exact
    return Demonstration(world, 1_000, 0, 0, interim=1)


@pytest.mark.parametrize(
    ("exact", "after", "found", "expected"),
    [
        (True, 0, 1.0, ([1, 1, 1], 1.0)),
        (True, 0, 5.0, ([0, 1, 0, 1, 1], 5.0)),  # the replay for learning reports the difference
        (False, 0, 5.0, ([1, 1, 1], 1.0)),  # the demonstration is what the replay shows
        (False, 60, 5.0, ([], None)),  # it shows no reward
    ],
)
def test_where_states_are_not_restored_exactly_the_demonstration_is_what_a_replay_shows(
    exact: bool, after: int, found: float, expected: tuple[list[int], float | None]
) -> None:
    first = demonstration(exact, after)
    first.over, first.actions = True, []
    first.candidate = Trajectory(found, found, [0, 1, 0, 1, 1])
    accepted, steps = first.accept(SimpleNamespace(mark=int))
    assert steps >= 5 and accepted == bool(expected[0])
    assert (first.actions, first.score) == expected


@pytest.mark.parametrize("over", [True, False])
def test_a_replay_that_shows_less_leaves_the_demonstration_before(over: bool) -> None:
    first = demonstration(False, 0)
    first.over, first.actions, first.score, first.mastered = over, [1, 1, 1], 1.0, True
    first.candidate = Trajectory(5.0, 5.0, [0, 1, 0, 1, 1])
    assert not first.accept(SimpleNamespace(mark=int))[0]
    assert (first.actions, first.score, first.mastered, first.tried) == ([1, 1, 1], 1.0, True, [5.0, 5])
    assert (first.replayed > 0) is not over


def test_the_steps_to_the_last_reward() -> None:
    assert [steps_to_last_reward(rewards) for rewards in ([], [0.0, -1.0], [1.0, 0.0, 2.0, -3.0])] == [0, 0, 3]
