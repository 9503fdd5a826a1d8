"""Plans and `unsolvable` before outside judges: VAL, unified-planning's validator, Fast Downward's blind search.

Tasks are random (`strategies`, `random_pddl`), bundled, and, where WIDTHWISE_BENCHMARKS is set, of the competitions. An
oracle that does not support a task has no opinion; each test says how many opinions it wants at least.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings

import widthwise as ww
from cli_tools import texts
from fuzzing.tasks import changed_plan
from oracles import (
    NO_FAST_DOWNWARD,
    NO_VAL,
    NoOpinion,
    UnifiedPlanning,
    fast_downward_finds_plan,
    find_fast_downward,
    find_val,
    val_accepts,
)
from random_pddl import ADL, EVERYTHING, STRIPS, Features, random_task, spec_task
from strategies import Spec, any_tasks
from widthwise import validate
from widthwise.classical.collection import domain_of, problems_in
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.task import Task
from widthwise.core.result import Status

VAL = find_val()
FAST_DOWNWARD = find_fast_downward()
BENCHMARKS = os.environ.get("WIDTHWISE_BENCHMARKS")
FOLDERS = sorted(path for path in Path(BENCHMARKS).iterdir() if path.is_dir()) if BENCHMARKS else []
LANGUAGES = {"strips": STRIPS, "adl": ADL, "everything": EVERYTHING}

needs_val = pytest.mark.skipif(VAL is None, reason=NO_VAL)
needs_fast_downward = pytest.mark.skipif(FAST_DOWNWARD is None, reason=NO_FAST_DOWNWARD)

Judge = Callable[[Sequence[str]], bool]


def compare(task: Task, judge: Judge, seed: int, opinions: Counter[bool], *, rounds: int = 4) -> ww.Result:
    """Our plan is accepted, and plans with random changes are judged as our validator judges them."""
    result = ww.solve(task, budget=ww.Budget(nodes=20_000), seed=seed)
    if result.plan is not None:
        assert judge(result.plan), result.plan
        opinions[True] += 1
    rng = random.Random(seed)
    for _ in range(rounds):
        if not task.operators:
            break
        steps = changed_plan(list(result.plan or []), task.operators, rng)
        ours = validate(task.domain, task.problem, steps).valid
        assert judge(steps) == ours, (steps, ours)
        opinions[ours] += 1
    return result


def load(folder: Path, pair: tuple[str, str]) -> tuple[Task, Path, Path]:
    domain, problem = texts(folder, *pair)
    return ww.load(domain, problem), Path(domain), Path(problem)


def random_tasks(folder: Path, features: Features, count: int) -> list[tuple[int, Task, Path, Path]]:
    return [(seed, *load(folder / str(seed), random_task(random.Random(seed), features))) for seed in range(count)]


def solvable_tasks(folder: Path, features: Features, count: int) -> list[tuple[int, Task, Path, Path]]:
    """The first random tasks whose plans have steps; most random tasks are unsolvable, or solved at the start."""
    chosen: list[tuple[int, Task, Path, Path]] = []
    for seed in range(1000, 1000 + 200 * count):
        task, domain, problem = load(folder / str(seed), random_task(random.Random(seed), features))
        if ww.solve(task, budget=ww.Budget(nodes=20_000), seed=seed).plan:
            chosen.append((seed, task, domain, problem))
        if len(chosen) == count:
            return chosen
    raise AssertionError(f"only {len(chosen)} of the random tasks have plans with steps")


def bundled(folder: Path) -> list[tuple[int, Task, Path, Path]]:
    result = []
    for seed, example in enumerate(EXAMPLES.values()):
        sizes = {parameter.name: parameter.minimum for parameter in example.parameters}
        result.append((seed, *load(folder / example.name, (example.domain(), example.problem(**sizes)))))
    return result


@needs_val
@pytest.mark.parametrize("language", LANGUAGES)
def test_val_judges_plans_of_random_tasks_as_we_do(language: str, tmp_path: Path) -> None:
    assert VAL is not None
    opinions: Counter[bool] = Counter()
    features = LANGUAGES[language]
    tasks = random_tasks(tmp_path, features, 40) + solvable_tasks(tmp_path, features, 20)
    for seed, task, domain, problem in tasks:
        try:
            compare(task, lambda steps: val_accepts(VAL, domain, problem, steps), seed, opinions)  # noqa: B023
        except NoOpinion:
            continue
    assert opinions[True] >= 15 and opinions[False] >= 20, opinions


@needs_val
def test_val_judges_plans_of_bundled_tasks_as_we_do(tmp_path: Path) -> None:
    assert VAL is not None
    opinions: Counter[bool] = Counter()
    for seed, task, domain, problem in bundled(tmp_path):
        try:
            compare(task, lambda steps: val_accepts(VAL, domain, problem, steps), seed, opinions)  # noqa: B023
        except NoOpinion:  # it reads no name that begins with a digit
            continue
    assert opinions[True] >= len(EXAMPLES) - 1


@needs_val
@pytest.mark.ipc
@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_val_judges_plans_of_competition_tasks_as_we_do(folder: Path, tmp_path: Path) -> None:
    assert VAL is not None
    path = problems_in(folder)[0]
    domain, problem = texts(
        tmp_path,
        domain_of(path).read_text(encoding="utf-8", errors="replace"),
        path.read_text(encoding="utf-8", errors="replace"),
    )
    opinions: Counter[bool] = Counter()
    judge = lambda steps: val_accepts(VAL, Path(domain), Path(problem), steps)  # noqa: E731
    try:
        compare(ww.load(domain, problem), judge, 1, opinions)
    except NoOpinion as error:
        pytest.skip(f"VAL has no opinion: {error}")
    assert opinions.total() >= 4


@pytest.mark.slow
@pytest.mark.parametrize("language", ["strips", "adl"])
def test_unified_planning_judges_plans_of_random_tasks_as_we_do(language: str, tmp_path: Path) -> None:
    pytest.importorskip("unified_planning", reason="the package unified-planning is not there")
    opinions: Counter[bool] = Counter()
    features = LANGUAGES[language]
    for seed, task, domain, problem in random_tasks(tmp_path, features, 30) + solvable_tasks(tmp_path, features, 20):
        try:
            compare(task, UnifiedPlanning(domain, problem).accepts, seed, opinions)
        except NoOpinion:
            continue
    assert opinions[True] >= 15 and opinions[False] >= 20, opinions


def test_unified_planning_judges_plans_of_bundled_tasks_as_we_do(tmp_path: Path) -> None:
    pytest.importorskip("unified_planning", reason="the package unified-planning is not there")
    opinions: Counter[bool] = Counter()
    for seed, task, domain, problem in bundled(tmp_path):
        try:
            compare(task, UnifiedPlanning(domain, problem).accepts, seed, opinions, rounds=2)
        except NoOpinion:  # it reads no name that begins with a digit
            continue
    assert opinions[True] >= len(EXAMPLES) - 1, opinions


@needs_fast_downward
@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_fast_downward_finds_a_plan_where_we_do_and_none_where_we_prove_that_there_is_none(
    language: str, tmp_path: Path
) -> None:
    assert FAST_DOWNWARD is not None
    statuses: Counter[Status] = Counter()
    for seed, task, domain, problem in random_tasks(tmp_path, LANGUAGES[language], 30):
        status = ww.solve(task, "bfs" if seed % 2 else "auto", budget=ww.Budget(nodes=20_000)).status
        if status not in (Status.SOLVED, Status.UNSOLVABLE):
            continue
        try:
            result = fast_downward_finds_plan(FAST_DOWNWARD, domain, problem, problem.parent)
        except NoOpinion:
            continue
        assert result == (status is Status.SOLVED), (seed, status)
        statuses[status] += 1
    assert min(statuses[Status.SOLVED], statuses[Status.UNSOLVABLE]) >= 5, statuses


@needs_fast_downward
@pytest.mark.slow
def test_fast_downward_agrees_on_grounded_random_tasks(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert FAST_DOWNWARD is not None
    statuses: Counter[Status] = Counter()

    @settings(max_examples=30)
    @given(any_tasks())
    def agree(spec: Spec) -> None:
        folder = tmp_path_factory.mktemp("grounded")
        task, domain, problem = load(folder, spec_task(spec))
        status = ww.solve(task, budget=ww.Budget(nodes=20_000)).status
        assert status in (Status.SOLVED, Status.UNSOLVABLE)
        result = fast_downward_finds_plan(FAST_DOWNWARD, domain, problem, folder)
        assert result == (status is Status.SOLVED)
        statuses[status] += 1

    agree()
    assert min(statuses[Status.SOLVED], statuses[Status.UNSOLVABLE]) >= 3, statuses
