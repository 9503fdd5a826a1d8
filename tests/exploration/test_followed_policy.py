"""Searches that follow a policy in a part of their visits: that of a training run, or a function."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from widthwise.cli.main import main
from widthwise.core.errors import InputError, UsageError
from widthwise.core.run_folder import CONFIG
from widthwise.core.simulator import Step
from widthwise.exploration.search import begin_search
from widthwise.exploration.search_run import ExplorationRun
from widthwise.simulator_search.archive_search import ArchiveSearch
from widthwise.training import packing
from widthwise.training.search_state import capture, restore

#: The shortest way through the corridor, which its second half repeats backwards.
WAY = ww.search("corridor", 20_000).actions


def packed(run: ExplorationRun) -> bytes:
    stream = io.BytesIO()
    packing.write(stream, capture(run.search))
    return stream.getvalue()


def first_action_only(step: Step) -> Sequence[float]:
    return [1.0, 0.0, 0.0, 0.0, 0.0]


def actions_of(run: ExplorationRun) -> list[int]:
    return list(run.search.trajectories.action)


def test_all_visits_follow_the_policy_or_none_does() -> None:
    run = begin_search("corridor", 300, planner=ArchiveSearch(follow=1.0), policy=first_action_only)
    run.run()
    assert set(actions_of(run)) == {0}
    run = begin_search("corridor", 300, planner=ArchiveSearch(follow=0.0), policy=first_action_only)
    run.run()
    assert set(actions_of(run)) == set(range(5))


def test_a_share_of_the_visits_follows_the_policy() -> None:
    run = begin_search("corridor", 20_000, policy=first_action_only)
    visits = []
    while run.interactions < 10_000:
        before = run.search.interactions
        run.search.visit(27)
        visits.append(set(actions_of(run)[before:]) == {0})
    share = sum(visits) / len(visits)
    assert 0.4 < share < 0.75  # an action is held, so that some random visits take no other one


def test_a_good_policy_is_followed_to_the_goal_at_once() -> None:
    """A policy that knows the way needs its length; a random search needs many times as much."""
    known: dict[bytes, int] = {}
    world = ww.simulator("corridor")
    step = world.reset(0)
    for action in WAY:
        known.setdefault(bytes(step.observation), action)
        step = world.step(action)
    assert step.done

    def knows(step: Step) -> list[float]:
        best = known.get(bytes(step.observation))
        return [0.2] * 5 if best is None else [0.96 if action == best else 0.01 for action in range(5)]

    for seed in range(5):
        found = []
        for policy in (knows, None):
            run = begin_search("corridor", 3_000, seed=seed, policy=policy)
            run.run()
            assert run.search.best is not None
            found.append(run.search.best.interactions)
        assert found[0] < 100 < found[1]


def test_the_probabilities_of_an_entry_are_those_of_its_state() -> None:
    def marks(step: Step) -> list[float]:
        weight = 1 + sum(bytes(step.observation)) % 7
        return [weight / (weight + 4)] + [1 / (weight + 4)] * 4

    run = begin_search("corridor", 2_000, policy=marks)
    for _ in range(30):
        run.search.visit()
    entries = [entry for region in run.search.archive.top.inside for entry in _entries(region)]
    world = ww.simulator("corridor")
    assert len(entries) > 10
    for entry in entries:
        step = world.reset(0)
        for action in run.search.trajectories.actions(entry.node):
            step = world.step(action)
        assert entry.policy.tolist() == pytest.approx(marks(step))


def _entries(region: Any) -> list[Any]:
    return [entry for inner in region.inside for entry in _entries(inner)] + ([region.entry] if region.entry else [])


def test_such_a_search_continues_exactly() -> None:
    first = begin_search("corridor", 10_000, policy=first_action_only)
    for _ in range(40):
        first.search.visit()
    raw = packed(first)
    second = begin_search("corridor", 10_000, policy=first_action_only)
    restore(second.search, packing.read(raw))
    assert packed(second) == raw
    for run in (first, second):
        for _ in range(40):
            run.search.visit()
    assert packed(first) == packed(second)


def test_a_policy_that_is_never_followed_changes_only_the_draw_of_visits() -> None:
    """Without a policy nothing is drawn: the first visits are those of a generator with the same seed."""
    run = begin_search("corridor", 2_000)
    state = run.search.rng.getstate()
    run.search.visit()
    again = begin_search("corridor", 2_000, planner=ArchiveSearch(follow=0.0), policy=first_action_only)
    assert again.search.rng.getstate() == state
    again.search.policy = None
    again.search.visit()
    assert actions_of(run) == actions_of(again)
    asked: list[Step] = []

    def records(step: Step) -> list[float]:
        asked.append(step)
        return [0.2] * 5

    ignored = begin_search("corridor", 500, planner=ArchiveSearch(follow=0.0), policy=records)
    ignored.run()
    assert not asked


@pytest.mark.parametrize(
    "given", [None, [], [1.0], [0.0] * 5, [-1.0, 2.0, 0.0, 0.0, 0.0], [float("nan")] * 5, ["a"] * 5, [1.0] * 6]
)
def test_a_function_that_gives_no_probabilities_gets_one_clear_message(given: Any) -> None:
    with pytest.raises(UsageError, match="the policy must give probabilities of the 5 actions, not "):
        ww.search("corridor", 500, policy=lambda step: given)


def test_a_damaged_column_of_policies_is_refused() -> None:
    run = begin_search("corridor", 2_000, policy=first_action_only)
    for _ in range(10):
        run.search.visit()
    good = capture(run.search)
    for wrong in (None, good["policy"][:, :3], good["policy"] * 0, good["policy"] * float("nan"), good["policy"][:-1]):
        with pytest.raises(ValueError):
            restore(begin_search("corridor", 2_000, policy=first_action_only).search, {**good, "policy": wrong})


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_share_is_from_0_to_1(wrong: float) -> None:
    with pytest.raises(UsageError, match="follow must be from 0 to 1"):
        ArchiveSearch(follow=wrong)


def test_a_function_has_to_be_given_again(tmp_path: Path) -> None:
    out = tmp_path / "way"
    ww.search("corridor", 500, out=out, policy=first_action_only)
    assert json.loads((out / CONFIG).read_text())["settings"]["policy"] == {"kind": "function"}
    with pytest.raises(UsageError, match="began with a function as its policy"):
        ww.search("corridor", 1_000, out=out, resume=True)
    with pytest.raises(UsageError, match="was started with another policy"):
        ww.search("corridor", 1_000, out=out, resume=True, policy=_trained(tmp_path))
    ww.search("corridor", 1_000, out=out, resume=True, policy=first_action_only)
    plain = tmp_path / "plain"
    ww.search("corridor", 500, out=plain)
    assert "follow" not in json.loads((plain / CONFIG).read_text())["settings"]["planner"]
    with pytest.raises(UsageError, match="was started with no policy"):
        ww.search("corridor", 1_000, out=plain, resume=True, policy=first_action_only)


def _trained(folder: Path) -> Path:
    pytest.importorskip("torch")
    run = folder / "run"
    if not run.exists():
        ww.train("corridor", 300, out=run, planner_episodes=0, network_episodes=1, steps_per_action=10)
    return run


@pytest.mark.torch
def test_the_network_of_a_run_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, out = _trained(tmp_path), tmp_path / "led"
    call = ["search", "corridor", "--interactions", "1_500", "--out", str(out), "--quiet"]
    main([*call, "--policy", str(run), "--follow", "0.8"])
    recorded = json.loads((out / CONFIG).read_text())["settings"]
    assert recorded["policy"]["folder"] == str(run) and recorded["planner"]["follow"] == 0.8
    policy = ww.Policy(run)
    alike = begin_search("corridor", 1_500, planner={"follow": 0.8}, policy=run)
    same = begin_search("corridor", 1_500, planner={"follow": 0.8}, policy=policy.probabilities)
    for search in (alike, same):
        search.run()
    assert actions_of(alike) == actions_of(same)

    main(["search", "corridor", "--interactions", "3_000", "--out", str(out), "--quiet", "--resume"])
    whole = begin_search("corridor", 3_000, planner={"follow": 0.8}, policy=run)
    whole.run()
    result = json.loads((out / "result.json").read_text())
    assert result["actions"] == whole.result().actions and result["interactions"] == 3_000
    capsys.readouterr()

    moved = tmp_path / "moved"
    shutil.move(run, moved)
    again = ["search", "corridor", "--interactions", "3_500", "--out", str(out), "--quiet", "--resume"]
    assert main(again) == 31
    with pytest.raises(UsageError, match="follow has no effect without a policy"):
        ww.search("corridor", 500, planner=ArchiveSearch(follow=0.3))
    assert "there is no policy" in capsys.readouterr().err
    assert main([*again, "--policy", str(moved)]) in (0, 12)
    best = moved / "checkpoint" / "best.ckpt"
    best.write_bytes(best.read_bytes() + b"x")
    with pytest.raises(UsageError, match="was started with another policy"):
        ww.search("corridor", 4_000, out=out, resume=True, policy=moved)
    shutil.move(moved, run)
    with pytest.raises(InputError, match="its policy has changed since the search began"):
        ww.search("corridor", 4_000, out=out, resume=True)


@pytest.mark.torch
def test_wrong_policies_get_one_clear_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = _trained(tmp_path)
    capsys.readouterr()
    for call, code, text in (
        (["corridor", "--policy", str(tmp_path / "nothing")], 31, "nothing"),
        (["maze-small", "--policy", str(run)], 2, "was trained in corridor, not in maze-small"),
        (["corridor", "--follow", "0.3"], 2, "--follow has no effect without a policy: give --policy RUN too"),
        (["corridor", "--policy", str(run), "--follow", "2"], 2, "--follow must be from 0 to 1, not 2"),
    ):
        assert main(["search", *call, "--interactions", "500", "--quiet"]) == code
        error = capsys.readouterr().err
        assert text in error and "Traceback" not in error and error.count("\n") == 1


@pytest.mark.torch
def test_an_environment_that_is_given_as_an_object_is_compared_with_the_run(tmp_path: Path) -> None:
    run = _trained(tmp_path)
    with pytest.raises(UsageError, match=r"was trained in corridor, not in .*Maze.* \(given in Python\)"):
        ww.search(ww.simulator("maze-small"), 500, policy=run)
    result = ww.search("corridor", 1_000, policy=ww.Policy(run), planner=ArchiveSearch(follow=1.0))
    assert result.interactions == 1_000


@pytest.mark.torch
def test_code_that_a_run_names_is_not_run_unless_it_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["import widthwise as ww", "made = []", "def make(**options):", "    made.append(options)"]
    code = "\n".join([*lines, "    return ww.simulator('corridor')", ""])
    (tmp_path / "own_worlds.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    run = tmp_path / "run"
    settings: dict[str, Any] = {"steps_per_action": 10, "options": {"hook": "evil:go"}}
    ww.train("own_worlds:make", 300, out=run, planner_episodes=0, network_episodes=1, **settings)
    import own_worlds  # type: ignore[import-not-found]

    own_worlds.made.clear()
    with pytest.raises(UsageError, match=r"names code to import and run: .*evil:go.* Nothing was run"):
        ww.search("own_worlds:make", 500, policy=run)
    assert not own_worlds.made
    assert main(["search", "own_worlds:make", "--interactions", "500", "--policy", str(run), "--quiet"]) == 2
    assert "evil:go" in capsys.readouterr().err and not own_worlds.made
    ww.search("own_worlds:make", 500, policy=run, options={"hook": "evil:go"})
    assert own_worlds.made


@pytest.mark.parametrize(
    "record", [{"kind": "run"}, {"kind": "run", "folder": 3, "sha256": "a"}, {"kind": "other"}, []]
)
def test_a_damaged_record_of_the_policy_gets_one_clear_message(tmp_path: Path, record: Any) -> None:
    out = tmp_path / "way"
    ww.search("corridor", 500, out=out, policy=first_action_only)
    config = json.loads((out / CONFIG).read_text())
    config["settings"]["policy"] = record
    (out / CONFIG).write_text(json.dumps(config))
    with pytest.raises(InputError, match="these are not the settings of a search"):
        ww.search("corridor", 1_000, out=out, resume=True, policy=first_action_only)
