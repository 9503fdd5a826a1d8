"""The fuzzer notices faults of every kind, its inputs repeat, and random and kept inputs end as documented."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzzing import __main__ as fuzzer
from fuzzing.cases import Case, corpus, read_case
from fuzzing.guard import Hang, run, time_limit
from fuzzing.targets import TARGETS, draw
from fuzzing.trees import MUTATIONS, parse, places, show
from pddl_texts import WAREHOUSE
from places import SUPPORT, TESTS
from widthwise.core.errors import InputError

PATHS = os.pathsep.join([str(TESTS), str(SUPPORT)])
NAMES = list(TARGETS)
KEPT = corpus()


@pytest.mark.parametrize(("target", "folder"), KEPT, ids=[f"{target}/{folder.name}" for target, folder in KEPT])
def test_whatever_was_found_once_ends_as_documented(target: str, folder: Path) -> None:
    verdict = run(TARGETS[target].check, read_case(folder))
    assert verdict.finding is None, verdict.finding


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_random_inputs_end_as_documented(name: str, rng: random.Random) -> None:
    verdict = run(TARGETS[name].check, TARGETS[name].generate(rng))
    assert verdict.finding is None, verdict.finding


def test_the_same_seed_and_number_give_the_same_input_in_every_process() -> None:
    drawn = [draw(5, number, NAMES) for number in range(20)]
    code = "from fuzzing.targets import TARGETS, draw\n"
    code += "print(repr([draw(5, number, list(TARGETS)) for number in range(20)]))"
    environment = {**os.environ, "PYTHONPATH": PATHS, "PYTHONHASHSEED": "77"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == repr(drawn)
    assert draw(6, 0, NAMES) != drawn[0]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.__name__ for mutation in MUTATIONS])
def test_a_mutation_of_structure_changes_the_text_and_keeps_its_parentheses_balanced(mutation: object) -> None:
    before = " ".join(show(node) for node in parse(WAREHOUSE))
    changed = 0
    for seed in range(20):
        rng, tree = random.Random(seed), parse(WAREHOUSE)
        holder, index = rng.choice(places(tree))
        mutation(rng, holder, index, tree)  # type: ignore[operator]
        after = " ".join(show(node) for node in tree)
        assert after.count("(") == after.count(")")
        assert parse(after) == tree
        changed += after != before
    assert changed > 0


def raising(error: BaseException) -> object:
    def check(case: Case) -> str:
        raise error

    return check


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), MemoryError(), SystemExit(0), AssertionError()])
def test_an_exception_that_is_not_meant_for_users_is_a_finding(error: BaseException) -> None:
    verdict = run(raising(error), {})  # type: ignore[arg-type]
    assert verdict.outcome == "exception"
    assert type(error).__name__ in str(verdict.finding)


def test_an_error_for_users_is_none_unless_it_says_nothing() -> None:
    assert run(raising(InputError("line 3: no")), {}).finding is None  # type: ignore[arg-type]
    assert run(raising(InputError("line 3: no")), {}).outcome == "refused (31)"  # type: ignore[arg-type]
    assert run(raising(InputError(" ")), {}).finding is not None  # type: ignore[arg-type]


def test_a_loop_without_end_is_a_finding_even_if_it_catches_every_exception() -> None:
    def check(case: Case) -> str:
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue

    assert run(check, {}, seconds=0.2).outcome == "hang"
    with pytest.raises(Hang), time_limit(0.05):
        while True:
            pass


def test_an_input_that_takes_too_much_memory_is_a_finding() -> None:
    code = "from fuzzing.guard import run\ncheck = lambda case: str(len(b'x' * 90_000_000))\n"
    code += "print(run(check, {}, memory=50_000_000).outcome)"
    environment = {**os.environ, "PYTHONPATH": PATHS}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "memory"


WORKER = """
import json, os, sys, time
from pathlib import Path
seed, first, count, names, scratch = sys.argv[1:]
for number in range(int(first), int(first) + int(count)):
    Path(scratch, "current").write_bytes(number.to_bytes(8, "little"))
    if number == 5:
        {end}
Path(scratch, "current").write_bytes((number + 1).to_bytes(8, "little"))
print(json.dumps({{"counts": {{"reader: read": int(count)}}}}))
"""


@pytest.mark.parametrize(
    ("end", "what"), [("os.abort()", "crash (-6)"), ("time.sleep(600)", "hang in native code")], ids=["crash", "hang"]
)
def test_an_input_that_ends_the_process_is_kept_and_the_run_continues_after_it(
    end: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER.format(end=end), encoding="utf-8")
    state = tmp_path / "state.json"
    begun = fuzzer.Run(3, ["reader"], state, tmp_path / "findings")
    begun.command = [sys.executable, str(script)]
    begun.batch(10, patience=1.0)
    assert begun.next == 6
    again = fuzzer.Run(3, ["reader"], state, tmp_path / "findings")  # stopped, and taken up again
    again.command = begun.command
    again.batch(4, patience=30.0)
    assert again.next == 10
    assert again.counts == {"reader: read": 9, f"reader: {what}": 1}
    (kept,) = (path for path in (tmp_path / "findings" / "reader").iterdir() if path.is_dir())
    assert ("reader", read_case(kept)) == draw(3, 5, ["reader"])
    assert [finding["number"] for finding in again.found] == [5]
