"""Novelty over values: falsehood is a feature where a condition or a goal wants an atom false."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widthwise as ww
from cli_tools import texts
from example_tasks import example
from strategies import Op, Spec, any_tasks, model_of
from widthwise import _native
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.profile import profile
from widthwise.cli.main import main
from widthwise.task_search.iw import IW
from widthwise.theory.bounds import novel_states

ALARM = """
(define (domain house) (:requirements :strips :negative-preconditions)
  (:predicates (alarm) (unlocked) (opened))
  (:action silence :parameters () :precondition (alarm) :effect (not (alarm)))
  (:action unlock :parameters () :precondition (not (alarm)) :effect (unlocked))
  (:action open :parameters () :precondition (unlocked) :effect (opened)))
"""
ALARM_PROBLEM = "(define (problem break-in) (:domain house) (:init (alarm)) (:goal (opened)))"
PLAN = ["(silence)", "(unlock)", "(open)"]

ALARMS = """
(define (domain house) (:requirements :adl) (:types bell)
  (:predicates (rings ?b - bell) (opened))
  (:action silence :parameters (?b - bell) :precondition (rings ?b) :effect (not (rings ?b)))
  (:action open :parameters () :precondition (forall (?b - bell) (not (rings ?b))) :effect (opened)))
"""
ALARMS_PROBLEM = """(define (problem bells) (:domain house) (:objects a b c - bell)
  (:init (rings a) (rings b) (rings c)) (:goal (opened)))"""

# The switch is at the far end, the door at the near one: on the way back only the silence is new.
SWITCH = """
(define (domain hall) (:requirements :strips :negative-preconditions)
  (:predicates (at ?p) (next ?p ?q) (switch ?p) (door ?p) (alarm) (opened))
  (:action walk :parameters (?p ?q) :precondition (and (at ?p) (next ?p ?q)) :effect (and (at ?q) (not (at ?p))))
  (:action silence :parameters (?p) :precondition (and (at ?p) (switch ?p) (alarm)) :effect (not (alarm)))
  (:action open :parameters (?p) :precondition (and (at ?p) (door ?p) (not (alarm))) :effect (opened)))
"""
SWITCH_PROBLEM = """(define (problem way-back) (:domain hall) (:objects a b c d)
  (:init (at a) (door a) (switch d) (alarm) (next a b) (next b a) (next b c) (next c b) (next c d) (next d c))
  (:goal (opened)))"""


@pytest.fixture
def alarm(tmp_path: Path) -> ww.Task:
    return ww.load(*texts(tmp_path, ALARM, ALARM_PROBLEM))


@pytest.mark.parametrize(
    "planner",
    [
        *(ww.IW(1), ww.IW(2), ww.IW(3), ww.SIW(1), ww.SIW(2), ww.IHIW(), ww.HIW(["(alarm)"]), ww.HIW(["(opened)"])),
        *(ww.SIW(ww.IHIW()), ww.BFWS("k1"), ww.BFWS(), "auto", "gbfs", "bfs", "backward"),
    ],
    ids=lambda planner: planner if isinstance(planner, str) else planner.name,
)
def test_what_only_deletes_is_novel_if_something_wants_it_false(alarm: ww.Task, planner: str) -> None:
    result = ww.solve(alarm, planner)
    assert result.status is ww.Status.SOLVED and result.plan == PLAN


def test_the_alarm_has_width_one(alarm: ww.Task) -> None:
    (result,) = profile(alarm)
    assert (result.width, result.solved_by, result.plan) == ("1", "IW(1)", PLAN)
    (result,) = profile(alarm, novelty="true-atoms")
    assert (result.width, result.solved_by) == (">3", "BFS")


@pytest.mark.parametrize("planner", [ww.IW(1), ww.IW(3), ww.IHIW(), ww.SIW(2), ww.BFWS("k1")])
def test_true_atoms_alone_never_see_a_subset(alarm: ww.Task, planner: ww.IW) -> None:
    result = ww.solve(alarm, planner, novelty="true-atoms")
    assert result.status is ww.Status.EXHAUSTED
    assert [item.status for item in ww.solve_each_goal(alarm, planner, novelty="true-atoms")] == [result.status]


def test_a_word_that_is_neither_is_refused(alarm: ww.Task) -> None:
    with pytest.raises(ww.UsageError, match="use 'values' or 'true-atoms'"):
        ww.solve(alarm, "iw", novelty="atoms")  # type: ignore[arg-type]
    with pytest.raises(ww.UsageError, match="use 'values' or 'true-atoms'"):
        alarm.novelty_table(1, "atoms")  # type: ignore[arg-type]


def test_a_universal_condition_makes_the_falsehood_of_each_instance_a_feature(tmp_path: Path) -> None:
    task = ww.load(*texts(tmp_path, ALARMS, ALARMS_PROBLEM))
    assert {"(rings a)", "(rings b)", "(rings c)"} < {task.atoms[atom] for atom in task.complements()}
    assert ww.solve(task, ww.IW(1)).status is ww.Status.EXHAUSTED  # silencing a second bell is new only as a pair
    result = ww.solve(task, ww.IW(2))
    assert result.status is ww.Status.SOLVED and len(result.plan or ()) == 4
    assert ww.solve(task, ww.IW(2), novelty="true-atoms").status is ww.Status.EXHAUSTED


def test_ihiw_discovers_that_an_atom_became_false(tmp_path: Path) -> None:
    task = ww.load(*texts(tmp_path, SWITCH, SWITCH_PROBLEM))
    assert ww.solve(task, ww.IW(1)).status is ww.Status.EXHAUSTED
    assert ww.solve(task, ww.IW(2)).status is ww.Status.SOLVED
    for negated in (False, True):
        result = ww.solve(task, ww.IHIW(negated=negated))
        assert result.status is ww.Status.SOLVED and result.features == ["(not (alarm))"]
        assert result.high_level_nodes == 2
        assert result.story[0].feature == "(not (alarm))"
    assert ww.solve(task, ww.IHIW(), novelty="true-atoms").status is ww.Status.EXHAUSTED


def test_negated_goals_count(tmp_path: Path) -> None:
    problem = ALARM_PROBLEM.replace("(opened)", "(and (opened) (not (alarm)))")
    task = ww.load(*texts(tmp_path, ALARM.replace(":precondition (not (alarm))", ""), problem))
    assert [task.atoms[atom] for atom in task.complements()] == ["(alarm)"]
    opened, silent = task.goals
    assert task.complements(opened) == [] and len(task.complements(silent)) == 1
    assert task.feature_count() == 4 and task.feature_count(opened) == task.feature_count(novelty="true-atoms") == 3
    assert ww.solve(task, ww.IW(1), goal=silent).status is ww.Status.SOLVED


def test_the_command_line_takes_both_and_counts_the_features(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(path) for path in texts(tmp_path, ALARM, ALARM_PROBLEM)]
    assert main(["solve", *files, "--planner", "iw"]) == 0
    assert main(["solve", *files, "--planner", "iw", "--novelty", "values"]) == 0
    assert main(["solve", *files, "--planner", "iw", "--novelty", "true-atoms"]) == 12
    assert main(["profile", *files]) == 0
    capsys.readouterr()
    assert main(["profile", *files, "--novelty", "true-atoms", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["novelty"], data["goals"][0]["width"]) == ("true-atoms", ">3")
    assert main(["ground", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["novelty_features"] == 4
    assert main(["ground", *files]) == 0
    assert "4: 3 true atoms, 1 false atom" in capsys.readouterr().out


def test_the_suite_takes_both(tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "house"
    folder.mkdir(parents=True)
    (folder / "domain.pddl").write_text(ALARM)
    (folder / "p1.pddl").write_text(ALARM_PROBLEM)
    common = ["bench", "classical", "--suite", "all", "--benchmarks", str(tmp_path / "tasks"), "--seeds", "1"]
    for relevance in ("task", "goal"):
        for novelty, status in (("values", "solved"), ("true-atoms", "exhausted")):
            out = tmp_path / f"{relevance}-{novelty}"
            more = ["--planner", "iw:1", "--relevance", relevance, "--novelty", novelty, "--workers", "1"]
            assert main([*common, *more, "--out", str(out)]) == 0
            (line,) = map(json.loads, (out / "results.jsonl").read_text().splitlines())
            assert line["status"] == [status]
            assert json.loads((out / "config.json").read_text())["settings"]["novelty"] == novelty


def test_iw_by_hand_is_iw(tmp_path: Path, alarm: ww.Task) -> None:
    hall = ww.load(*texts(tmp_path, SWITCH, SWITCH_PROBLEM))
    for task in (alarm, hall, ww.load(*texts(tmp_path, ALARMS, ALARMS_PROBLEM))):
        for width in (1, 2):
            for novelty in ("values", "true-atoms"):
                table = task.novelty_table(width, novelty)
                table.insert(task.init)
                queue, kept = deque([task.init]), 1
                while queue:
                    state = queue.popleft()
                    for _, child in task.successors(state):
                        if table.take(child, before=state):
                            queue.append(child)
                            kept += 1
                operators = task.ordered(None, novelty=novelty)
                search = _native.Search(operators, _native.Meter(), [], [0], [0], width=width)
                search.start()
                search.resume(0)
                assert search.node_count == kept


def test_states_of_both_kinds_are_the_same_states(alarm: ww.Task) -> None:
    plain = alarm.ordered(None, novelty="true-atoms").first
    values = alarm.ordered(None).first
    assert plain == values and hash(plain) == hash(values) and len(plain) == len(values) == 1
    assert alarm.successors(plain) == alarm.successors(values)
    (_, silent), *_ = alarm.successors(plain)
    assert list(silent) == [] and len(silent) == 0
    table = alarm.novelty_table(1)
    assert table.take(plain) and not table.take(values) and table.take(silent, before=plain)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_without_negative_conditions_nothing_changes(name: str) -> None:
    task = example(name)
    if task.complements():
        pytest.skip("this family has negative conditions")
    assert task.feature_count() == task.native.atom_count
    assert task.ordered(None) is task.ordered(None, novelty="true-atoms")


@settings(max_examples=200)
@given(any_tasks())
def test_the_atoms_that_are_wanted_false(spec: Spec) -> None:
    assert _native.wanted_false(spec.native(), sorted(spec.goal_neg)) == sorted(spec.wanted_false())


@settings(max_examples=60)
@given(any_tasks(), st.sampled_from([1, 2]))
def test_values_prune_no_more_than_true_atoms(spec: Spec, width: int) -> None:
    """What is novel among true atoms is novel among values, as long as the same states were seen."""
    spec = spec.by_values()
    values, atoms = spec.operators(), replace(spec, complements=frozenset()).operators()
    fine = _native.NoveltyTable(_native.Meter(), values, width)
    coarse = _native.NoveltyTable(_native.Meter(), atoms, width)
    for state in sorted(spec.reachable(), key=sorted)[:60]:
        shown = values.state(sorted(state))
        assert fine.novel(shown) or not coarse.novel(shown)
        fine.insert(shown)
        coarse.insert(shown)


@pytest.mark.parametrize("width", [1, 2, 3])
@settings(max_examples=60)
@given(data=st.data(), atoms=st.integers(2, 6))
def test_features_of_two_values_keep_the_bound_of_theorem_1(width: int, data: st.DataObject, atoms: int) -> None:
    """Where the falsehood of every atom counts, a state is a vector of n features of two values."""
    subsets = st.frozensets(st.integers(0, atoms - 1), max_size=2)
    ops = data.draw(
        st.lists(st.builds(Op, pos=subsets, neg=subsets, add=subsets, delete=subsets), min_size=1, max_size=12)
    )
    never = Op(frozenset({atoms}), frozenset(range(atoms)), frozenset(), frozenset())
    ops = [Op(op.pos, op.neg, op.add, op.delete - op.add) for op in ops]
    spec = Spec(atoms + 1, (*ops, never), (), frozenset(), frozenset({atoms})).by_values()
    assert len(spec.complements) == atoms
    outcome = IW(width).run(model_of(spec))
    assert outcome.search is not None
    assert outcome.search.generated - outcome.pruned <= novel_states(atoms, 2, width)
