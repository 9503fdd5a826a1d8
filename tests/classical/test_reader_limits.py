"""Limits of time and memory hold from the first byte that is read, and hostile inputs take what their size warrants."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import widthwise as ww
from cli_tools import call, environment, files
from widthwise import validate
from widthwise.classical.pddl.errors import PddlError
from widthwise.classical.pddl.lexer import Source, read_text
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem, read_domain
from widthwise.classical.pddl.typetable import TypeTable
from widthwise.classical.plan import Plan
from widthwise.core.errors import InputError, Interrupted, OutOfMemory, OutOfTime
from widthwise.core.guard import Guard
from widthwise.experiments.limited import Ended, Limits
from widthwise.experiments.whole import outcome_of

DOMAIN = "(define (domain d) {types} (:predicates (p ?x) (done)) (:action go :parameters () :effect (done)))"


def guard(**limits: float) -> Guard:
    return Guard(ww.Budget(**limits).start())  # type: ignore[arg-type]


def stops(after: int) -> Callable[[], None]:
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > after:
            raise TimeoutError

    return check


def test_a_chain_of_types_takes_memory_in_proportion_to_the_file() -> None:
    length = 10_000
    chain = " ".join(f"t{n + 1} - t{n}" for n in range(length))
    domain = parse_domain(DOMAIN.format(types=f"(:types {chain})"))
    types = domain.types
    assert types.fits((f"t{length}",), ("t0",)) and not types.fits(("t0",), (f"t{length}",))
    assert types.meets(("t0",), (f"t{length}",))
    assert sum(map(len, types.parents.values())) == length + 1


@pytest.mark.parametrize("seed", range(30))
def test_types_agree_with_their_definition(seed: int) -> None:
    import random

    generator = random.Random(seed)
    names = [f"t{n}" for n in range(7)]
    parents = {
        name: tuple(generator.sample(names[:n], min(n, generator.randrange(3)))) or ("object",)
        for n, name in enumerate(names)
    }
    table = TypeTable(parents, {})
    above = {name: {name, "object"} for name in names} | {"object": {"object"}}
    for name in names:  # parents come first
        for parent in parents[name]:
            above[name] |= above[parent]
    assert table.cycle() is None
    for name in (*names, "object"):
        assert table.above(name) == above[name]
        for other in (*names, "object"):
            assert table.fits((name,), (other,)) == (other in above[name])
            assert table.meets((name,), (other,)) == any({name, other} <= item for item in above.values())
    parents["t0"] = ("t6",)
    parents["t6"] = ("t3", "t0")
    assert TypeTable(parents, {}).cycle() in above


def test_the_place_of_a_token_is_found_without_a_list_of_all_places() -> None:
    with pytest.raises(PddlError, match="1:1: this is not a PDDL domain"):
        parse_domain("?" * 200_000, "d.pddl")
    source = Source("(a\r\n b) ; (c)\r(d\n\te)", "x")
    assert [source.where(n) for n in range(8)] == [
        "x:1:1",
        "x:1:2",
        "x:2:2",
        "x:2:3",
        "x:3:1",
        "x:3:2",
        "x:4:2",
        "x:4:3",
    ]


@pytest.mark.parametrize("text", ["x" * 3_000_000, "?" * 1_000_000, "(" * 1_000_000, "a " * 1_000_000])
def test_memory_is_asked_for_before_it_is_taken(tmp_path: Path, text: str) -> None:
    path = tmp_path / "d.pddl"
    path.write_text(text)
    with pytest.raises(OutOfMemory, match=r"d\.pddl: the memory limit was reached while reading"):
        read_domain(path, guard(bytes=4_000_000))
    with pytest.raises(OutOfMemory, match="while reading"):
        Plan.read(path, guard(bytes=500_000))


def test_what_was_read_is_charged_once_and_the_rest_given_back() -> None:
    limit = guard(bytes=100_000_000)
    objects = " ".join(f"o{n}" for n in range(10_000))
    domain = parse_domain(DOMAIN.format(types=""), "d", limit)
    parse_problem(f"(define (problem x) (:domain d) (:objects {objects}) (:init) (:goal (done)))", "p", domain, limit)
    assert 0 < limit.meter.bytes < limit.meter.peak_bytes < 10_000_000


def test_time_is_looked_at_while_reading(tmp_path: Path) -> None:
    path = tmp_path / "d.pddl"
    path.write_text(DOMAIN.format(types=""))
    with pytest.raises(OutOfTime, match="before the task was read"):
        read_domain(path, guard(seconds=1e-9))


@pytest.mark.parametrize(
    "text",
    [
        "(:types {})".format(" ".join(f"a{n} - b" for n in range(5000))),
        "(:constants {})".format(" ".join(f"a{n} - object" for n in range(5000))),
        "(:functions {})".format(" ".join(f"(f{n})" for n in range(5000))),
    ],
)
def test_long_declarations_poll(text: str) -> None:
    with pytest.raises(TimeoutError):
        parse_domain(DOMAIN.format(types=text), "d", stops(1000))


def test_disjunctions_that_multiply_poll_and_ask_for_memory() -> None:
    parts = " ".join(f"(or (p a{n}) (p b{n}))" for n in range(40))
    names = " ".join(f"a{n} b{n}" for n in range(40))
    domain = parse_domain(DOMAIN.format(types=""))
    problem = parse_problem(f"(define (problem x) (:domain d) (:objects {names}) (:init) (:goal (done)))", "p", domain)
    goal = parse_goal(f"(exists (?v) (and {parts}))", domain, problem)
    with pytest.raises(TimeoutError):
        normalize(domain, problem, goal, stops(2000))
    with pytest.raises(OutOfMemory):
        normalize(domain, problem, goal, guard(bytes=10_000_000))


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(InputError, match="not a regular file"):
            read_text(path)
    with pytest.raises(InputError, match="directory"):
        read_text(tmp_path)


def test_long_names_give_short_messages() -> None:
    name = "n" * 100_000
    with pytest.raises(PddlError) as caught:
        parse_domain(f"(define (domain d) (:predicates (p)) (:action a :effect ({name})))")
    assert len(str(caught.value)) < 2000


# On the command line


def piped(text: str, *arguments: str) -> tuple[int, str, str]:
    import subprocess
    import sys

    ended = subprocess.run(
        [sys.executable, "-m", "widthwise", *arguments],
        input=text,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_one_file_may_come_from_stdin(tmp_path: Path) -> None:
    domain, problem = files(tmp_path, "corridor")
    plan = call("solve", domain, problem, "--first")
    assert plan.code == 0
    for text, first, second in ((Path(domain), "-", problem), (Path(problem), domain, "-")):
        code, out, err = piped(text.read_text(), "solve", first, second, "--first")
        assert (code, out) == (0, plan.out), err
        assert piped(text.read_text(), "ground", first, second)[0] == 0
    (tmp_path / "plan").write_text(plan.out)
    assert piped(plan.out, "validate", domain, problem, "-")[0] == 0
    assert piped(Path(domain).read_text(), "validate", "-", problem, str(tmp_path / "plan"))[0] == 0
    for command in (["solve", "-", "-"], ["validate", domain, "-", "-"], ["profile", "-", "-"], ["ground", "-", "-"]):
        code, _, err = piped("", *command)
        assert code == 2 and "stdin" in err
    code, _, err = piped("nonsense", "solve", "-", problem)
    assert code == 31 and err.startswith("widthwise: <stdin>:1:1: ")


def test_what_cannot_be_checked_in_time_is_not_valid_and_not_invalid(tmp_path: Path) -> None:
    domain, problem = files(tmp_path, "corridor")
    (tmp_path / "plan").write_text("(walk p0 p1)\n")
    for limit, code in ((["--max-time", "1e-6"], 23), (["--max-memory", "0.001"], 22)):
        ended = call("validate", domain, problem, str(tmp_path / "plan"), *limit)
        assert ended.code == code and ended.out.startswith("not checked: ")
    ended = call("validate", domain, problem, str(tmp_path / "plan"), "--max-time", "100", "--max-memory", "100")
    assert ended.code == 1 and ended.out.startswith("not valid: ")


def test_a_foreign_plan_that_cannot_be_checked_is_not_counted_as_solved(tmp_path: Path) -> None:
    domain, problem = map(Path, files(tmp_path, "corridor"))
    plan = tmp_path / "plan"
    plan.write_text(call("solve", str(domain), str(problem), "--first").out)
    ended = Ended(code=0, stopped="", wall=1.0, cpu=1.0, peak_mb=1.0, seen=0.5, out="", err="")
    assert outcome_of(ended, domain, problem, plan, Limits(wall=100.0))["status"] == "solved"
    assert outcome_of(ended, domain, problem, plan)["status"] == "solved"
    for limits in (Limits(wall=1e-9), Limits(wall=100.0, megabytes=1e-3)):
        line = outcome_of(ended, domain, problem, plan, limits)
        assert line["status"] == "unchecked" and line["cost"] is None
        assert "its plan was not checked within" in line["reason"]


def test_an_interrupted_check_says_so() -> None:
    domain = parse_domain(DOMAIN.format(types=""))
    problem = parse_problem("(define (problem x) (:domain d) (:init) (:goal (forall (?x) (p ?x))))", "p", domain)
    limit = guard(seconds=100)
    limit.meter.interrupt()
    with pytest.raises(Interrupted):
        validate(domain, problem, ["(go)"], poll=limit)
    with pytest.raises(OutOfTime, match="before the plan was checked"):
        validate(domain, problem, ["(go)"], budget=ww.Budget(seconds=1e-9))
