"""The checker: sound simulators pass, and every broken one is caught for the right reason."""

from __future__ import annotations

import json

import pytest

import broken_contracts as contracts
import broken_simulators as broken
import dice_simulators as dice
import widthwise as ww
from cli_tools import call


def verdicts(env, **options):
    report = ww.check_simulator(env, **{"seconds": 0.4, **options})
    return report, {check.name: check for check in report.checks}


def test_a_sound_simulator_passes():
    report, checks = verdicts(broken.Walk())
    assert report.ok
    assert {check.verdict for check in checks.values()} == {"passed"}, str(report)
    assert len(checks) == 11
    assert set(report.microseconds) == {"step", "save", "load", "observation"}
    assert all(value > 0 for value in report.microseconds.values())
    assert 0 < report.bytes["snapshot"] < 300
    assert "all checks passed" in str(report)


@pytest.mark.parametrize(("kind", "check", "words"), [
    (broken.Sticky, "same seed, same episode", "does not seed all"),
    (broken.Seeded, "same state and action, same step", "random generator"),
    (broken.Seeded, "load restores", "random generator"),
    (broken.StaleScreen, "load restores after other actions", "the screen"),
    (broken.ForgottenCounter, "same state and action, same step", "step counter"),
    (broken.ForgottenCounter, "load restores after other actions", "step counter"),
    (broken.LoudSave, "save changes nothing", "save"),
    (broken.Reused, "observations do not change later", "wrote into it"),
    (broken.Unpicklable, "a snapshot survives pickling", "cannot be pickled"),
    (broken.HomeSick, "a snapshot works in another process", "IndexError"),
    (broken.Mute, "interface", "reset(0) returned a tuple, not a widthwise.Step"),
    (broken.Unseeded, "same seed, same episode", "does not seed all"),
])  # fmt: skip
def test_broken_simulators_are_caught(kind, check, words):
    report, checks = verdicts(kind())
    assert not report.ok
    assert checks[check].verdict == "failed", str(report)
    assert words in checks[check].detail
    assert "not suitable for planning" in str(report)


def test_a_load_that_does_nothing_is_not_blamed_on_save_or_chance():
    report, checks = verdicts(broken.Unmoved())
    assert checks["load restores"].verdict == "failed"
    assert checks["save changes nothing"].verdict == "skipped"
    assert list(checks).index("load restores") < list(checks).index("save changes nothing")
    assert checks["no step depends on chance"].verdict == "failed"
    assert "check_simulator" not in str(report) and "chance=" not in str(report)


def test_the_declaration_is_named():
    assert "3 actions, not declared random" in verdicts(broken.Walk())[1]["interface"].detail
    assert "declared random" in verdicts(dice.Declared())[1]["interface"].detail


def test_a_counter_in_a_wrapper_is_not_forgotten():
    pytest.importorskip("gymnasium")
    report, checks = verdicts(broken.OnlyTheCore())
    result = checks["same state and action, same step"]
    assert result.verdict == "failed"
    assert "truncated is False, then True; probable cause: a step counter" in result.detail
    # The adapter saves the wrappers too.
    report, checks = verdicts(broken.broken_env())
    assert report.ok, str(report)
    assert checks["a snapshot works in another process"].verdict == "skipped"


def test_the_first_difference_is_reported():
    _, checks = verdicts(broken.StaleScreen())
    detail = checks["load restores after other actions"].detail
    assert detail.startswith("step 1: observation at [")
    assert "of 50 numbers differ" in detail


def test_an_error_of_the_simulator_is_a_verdict():
    class Fails(broken.Walk):
        def load(self, snapshot):
            if self.steps > 3:
                raise RuntimeError("the cartridge is dirty")
            super().load(snapshot)

    _, checks = verdicts(Fails())
    detail = checks["load restores"].detail
    assert "raised RuntimeError: the cartridge is dirty (test_checker.py, line" in detail
    assert detail.startswith("Fails: load() after step ")
    # Defined in a function, it cannot go to another process; that says nothing about its snapshots.
    assert checks["a snapshot works in another process"].verdict in ("skipped", "failed")


@pytest.mark.parametrize(
    ("kind", "words"), [pytest.param(*fault, id=fault[0].__name__) for fault in contracts.FAULTS.items()]
)
def test_every_fault_fails_a_check(kind, words):
    report = ww.check_simulator(kind(), seconds=0.05)
    assert not report.ok
    assert any(words.partition(" after step")[0] in check.detail for check in report.checks), str(report)


def test_an_episode_that_is_over_at_reset_fails():
    _, checks = verdicts(contracts.OverAtReset())
    assert "ended at reset(0)" in checks["interface"].detail


@pytest.mark.parametrize(("kind", "verdict", "words"), [
    (dice.Dice, "failed", "steps depend on chance (dice)"),
    (dice.Declared, "failed", "declares that it is not deterministic"),
    (dice.IdleDice, "passed", "use random numbers (dice), but no outcome differed in"),
    (dice.LateDice, "failed", "steps depend on chance (dice)"),
    (broken.Walk, "passed", "use no random generator"),
])  # fmt: skip
def test_chance_is_reported(kind, verdict, words):
    _, checks = verdicts(kind(), seconds=60)  # the number of tries limits it, not the clock
    result = checks["no step depends on chance"]
    assert (result.verdict, words in result.detail) == (verdict, True), result


def test_the_command_reports_faults_and_chance_as_json(tmp_path):
    folder = str(broken.__file__).rpartition("/")[0]
    for kind, check in (
        ("broken_contracts:ExitsInStep", "contract"),
        ("dice_simulators:Dice", "no step depends on chance"),
        ("broken_contracts:ManyActions", "interface"),
    ):
        done = call("check-env", kind, "--json", "--max-time", "0.05", PYTHONPATH=folder)
        assert (done.code, done.err) == (12, "")
        report = json.loads(done.out)
        assert check in [item["name"] for item in report["checks"] if item["verdict"] == "failed"]


def test_the_command(tmp_path):
    done = call("check-env", "corridor", "--max-time", "0.2")
    assert (done.code, done.err) == (0, "")
    assert "ok    load restores" in done.out
    done = call("check-env", "maze-small", "--json", "--max-time", "0.2", "--option", "limit=9")
    report = json.loads(done.out)
    assert (report["ok"], report["environment"], report["actions"]) == (True, "maze-small", 5)
    assert {check["verdict"] for check in report["checks"]} == {"passed"}
    (tmp_path / "mine.txt").write_text("#AKD#\n")
    assert call("check-env", f"maze:{tmp_path / 'mine.txt'}", "--max-time", "0.2").code == 0


def test_the_command_with_a_module(tmp_path):
    folder = str(broken.__file__).rpartition("/")[0]
    done = call("check-env", "broken_simulators:ForgottenCounter", "--max-time", "0.2", PYTHONPATH=folder)
    assert done.code == 12
    assert "FAIL  same state and action" in done.out
    done = call("check-env", "broken_simulators:Walk", "--max-time", "0.2", PYTHONPATH=folder)
    assert done.code == 0, done.out
    assert "ok    a snapshot works in another process" in done.out


@pytest.mark.parametrize(("arguments", "code", "words"), [
    (["maze-smal"], 2, "did you mean maze-small?"),
    (["maze:/nowhere/x.txt"], 31, "/nowhere/x.txt"),
    (["no_such_module:thing"], 2, "no_such_module"),
    (["maze-small", "--option", "speed=3"], 2, "has no option 'speed'"),
    (["maze-small", "--option", "limit"], 2, "does not have the form NAME=VALUE"),
])  # fmt: skip
def test_mistakes(arguments, code, words):
    done = call("check-env", *arguments)
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err
