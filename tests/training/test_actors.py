"""Several actors and one learner: the same lines whatever the timing, losses, bounded lag; without processes."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actor_tools import InlineTransport
from learning_tools import PoorWalk, Walk
from widthwise.core.errors import UsageError
from widthwise.training import launch
from widthwise.training.actor import BLOCK
from widthwise.training.actor_messages import pack_episode, unpack_episode
from widthwise.training.checkpoint import RunStopped
from widthwise.training.folder import EPISODES, EVALUATIONS, FAULTS
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_settings import RunSettings
from widthwise.training.transport import ActorOptions, Answer, Lost, parse_actors

pytestmark = pytest.mark.torch


class Transports:
    """Hands out inline transports, one for actors and one for evaluations."""

    def __init__(self, seed: int = 0, dies: tuple[int, ...] = (), **more: Any) -> None:
        self.make = partial(InlineTransport, seed, dies, **more)
        self.made: list[InlineTransport] = []

    def __call__(self, options: Any) -> InlineTransport:
        self.made.append(self.make())
        return self.made[-1]


def settings(**more: Any) -> RunSettings:
    overrides = {"steps_per_action": 4, "batch": 8, **more.pop("overrides", {})}
    values = {"actors": 3, "evaluation_share": 0.0, "evaluate_every": 300, "make": Walk, "seed": 5, **more}
    return RunSettings("walk (given in Python)", 900, "pi-iw+", overrides=overrides, **values)


def begun(
    folder: Path,
    patch: pytest.MonkeyPatch,
    transports: Transports,
    chosen: RunSettings,
    every: float = 1e9,
    options: ActorOptions | None = None,
) -> TrainingRun:
    for module in ("actors_trainer", "evaluation_beside"):
        patch.setattr(f"widthwise.training.{module}.make_transport", transports)
    run = launch.begin(folder, chosen, TrainingListener(), options=options)
    run.schedule = type(run.schedule)(chosen.interactions, chosen.interval, every, chosen.evaluation_share)
    return run


def trained(folder: Path, patch: pytest.MonkeyPatch, transports: Transports, chosen: RunSettings, **more: Any) -> Any:
    run = begun(folder, patch, transports, chosen, **more)
    try:
        return run.run()
    finally:
        run.folder.close()


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
    return [{key: value for key, value in record.items() if "seconds" not in key} for record in records]


def both(folder: Path) -> list[list[dict[str, Any]]]:
    return [lines(folder, name) for name in (EPISODES, EVALUATIONS)]


@pytest.mark.parametrize("trees", [1, 2])
def test_in_step_the_order_of_answers_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trees: int
) -> None:
    chosen = settings(trees=trees)
    results = [trained(tmp_path / str(seed), monkeypatch, Transports(seed), chosen) for seed in (1, 2)]
    assert both(tmp_path / "1") == both(tmp_path / "2")
    episodes = lines(tmp_path / "1", EPISODES)
    assert {line["actor"] for line in episodes} == {0, 1, 2}
    assert {line["tree"] for line in episodes} == set(range(trees))
    assert len(lines(tmp_path / "1", EVALUATIONS)) == 4
    first, second = ({name: v for name, v in result.items() if "second" not in name} for result in results)
    assert first == second
    assert first["bytes_per_episode"] > 0
    assert first["bytes_per_weight_update"] > 0
    assert 0 < first["replay_bytes"] <= first["replay_bytes_at_most"] == 2_000 * (9 * 4 + 2 * 4 + 4)
    assert set(results[0]["time_seconds"]) >= {"simulator", "network", "training", "waiting", "transport"}


def test_in_step_there_is_one_update_per_action_and_weights_are_one_round_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path / "run", monkeypatch, Transports(), settings(overrides={"patient": False}))
    trainer: Any = run.trainer.trainer  # type: ignore[attr-defined]
    for _ in range(6):
        before, actions = trainer.updater.updates, trainer.actions
        earned = trainer.owed if len(trainer.replay) else 0
        ended = trainer.round()
        assert trainer.updater.updates == before + earned
        assert trainer.owed == trainer.actions - actions
        assert all(episode.lag == earned for episode in ended)
    assert trainer.actions >= 6 * 3 * BLOCK // 2
    trainer.close()
    run.folder.close()


def test_a_lost_actor_is_replaced_and_the_lines_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained(tmp_path / "whole", monkeypatch, Transports(), settings())
    # At the first order, in the middle of a round, and twice close together; a checkpoint after every round.
    result = trained(tmp_path / "lost", monkeypatch, Transports(3, (1, 8, 30, 31)), settings(), every=0.0)
    assert both(tmp_path / "lost") == both(tmp_path / "whole")
    assert result["actors_lost"] == 4
    faults = lines(tmp_path / "lost", FAULTS)
    assert [set(fault) for fault in faults] == [{"actor", "reason", "interactions", "repeated_interactions"}] * 4
    assert {fault["reason"] for fault in faults} == {"it was told to die"}


@pytest.mark.parametrize("seed", range(3))
def test_an_actor_may_be_lost_together_with_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    trained(tmp_path / "whole", monkeypatch, Transports(), settings())
    exits = tuple(range(12 + seed, 90, 13))
    result = trained(
        tmp_path / "lost", monkeypatch, Transports(seed, (1,), batch=6, exits=exits), settings(), every=0.0
    )
    assert both(tmp_path / "lost") == both(tmp_path / "whole")
    assert result["actors_lost"] == 1 + len(exits)


class CountingClock:
    """Time for the learner: a second passes whenever it looks whether an actor hangs."""

    perf_counter = staticmethod(time.perf_counter)

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        self.seconds += 1.0
        return self.seconds


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_answers_of_others_are_kept_when_an_actor_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asynchronous: bool
) -> None:
    monkeypatch.setattr("widthwise.training.actors_trainer.time", CountingClock())
    monkeypatch.setattr("widthwise.training.actors_trainer.START_SECONDS", 12.0)
    transports, chosen = Transports(1, batch=4, hangs=(7, 25)), settings(asynchronous=asynchronous, max_lag=60)
    options = ActorOptions(timeout=12)
    result = trained(tmp_path / "run", monkeypatch, transports, chosen, every=0.0, options=options)
    assert result["actors_lost"] >= 2
    assert {fault["reason"] for fault in lines(tmp_path / "run", FAULTS)} == {"it did not answer for 12 s"}
    if not asynchronous:
        trained(tmp_path / "whole", monkeypatch, Transports(), chosen)
        assert both(tmp_path / "run") == both(tmp_path / "whole")


class Silent(InlineTransport):
    """An actor that never answers."""

    def receive(self, timeout: float | None) -> list[Answer | Lost]:
        return []


def test_an_evaluator_that_hangs_is_replaced_and_then_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path / "run", monkeypatch, Transports(), settings(), options=ActorOptions(timeout=30))
    made: list[InlineTransport] = []

    def make_silent(options: ActorOptions) -> InlineTransport:
        made.append(Silent())
        return made[-1]

    monkeypatch.setattr("widthwise.training.evaluation_beside.make_transport", make_silent)
    monkeypatch.setattr("widthwise.training.evaluation_beside.time", CountingClock())
    assert run.beside is not None
    run.beside.start(0, False, run.trainer.policy())
    with pytest.raises(RunStopped, match="the evaluator was lost: it did not answer for 30 s"):
        for _ in range(1_000):
            assert run.beside.record(wait=True) is None
    assert len(made) == 3
    run.folder.close()


def test_the_states_of_free_running_actors_fit_the_blocks_that_were_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(tmp_path / "run", monkeypatch, Transports(2, batch=8), settings(asynchronous=True))
    trainer: Any = run.trainer.trainer  # type: ignore[attr-defined]
    held = 0
    for _ in range(30):
        trainer.round()
        trainer.settle()
        held += len(trainer._held)
        assert [state["begun"] for state in trainer._states] == [trainer._begun[actor] for actor in range(3)]
    assert held
    trainer.close()
    run.folder.close()


def test_an_actor_that_dies_again_and_again_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunStopped, match=r"actor [012] was lost: it was told to die; it was already replaced 3 times"):
        trained(tmp_path / "run", monkeypatch, Transports(0, tuple(range(1, 500))), settings())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stopped_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asynchronous: bool) -> None:
    chosen = settings(asynchronous=asynchronous)
    folder = tmp_path / "run"
    run = begun(folder, monkeypatch, Transports(), chosen)
    run.listener.moved = lambda run: setattr(run, "stopping", run.trainer.interactions > 500)  # type: ignore[method-assign]
    assert run.run() is None
    run.folder.close()
    before = both(folder)
    again = launch.resume(folder, make=Walk)
    assert again.run() is not None
    again.folder.close()
    after = both(folder)
    assert [new[: len(old)] for old, new in zip(before, after, strict=True)] == before
    assert [line["episode"] for line in after[0]] == list(range(len(after[0])))
    if not asynchronous:
        trained(tmp_path / "whole", monkeypatch, Transports(9), chosen)
        assert after == both(tmp_path / "whole")


def test_actors_evaluate_what_they_have_kept_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = settings(refresh=True)
    whole = trained(tmp_path / "whole", monkeypatch, Transports(), chosen)
    assert whole["updates"] > 0
    trained(tmp_path / "again", monkeypatch, Transports(9), chosen)
    assert both(tmp_path / "whole") == both(tmp_path / "again")


def test_a_finished_run_that_is_continued_keeps_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = trained(tmp_path / "run", monkeypatch, Transports(), settings())
    again = launch.resume(tmp_path / "run", make=Walk)
    same = again.run()
    again.folder.close()
    assert isinstance(same, dict) and result["lag"] > 0
    assert {name: result[name] for name in ("lag", "updates", "bytes_per_episode")} == {
        name: same[name] for name in ("lag", "updates", "bytes_per_episode")
    }


def test_without_reward_each_actor_draws_weights_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = settings(make=PoorWalk, actors=2)
    whole = trained(tmp_path / "whole", monkeypatch, Transports(), chosen)
    assert whole["updates"] == 0
    run = begun(tmp_path / "run", monkeypatch, Transports(4, (9, 25)), chosen, every=0.0)
    assert run.run() is not None
    run.folder.close()
    assert both(tmp_path / "run") == both(tmp_path / "whole")


def test_free_running_actors_have_weights_of_bounded_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lags = {}
    for most in (20, 10_000):
        chosen = settings(asynchronous=True, max_lag=most, overrides={"patient": False})
        trained(tmp_path / str(most), monkeypatch, Transports(2), chosen, every=0.05)
        lags[most] = [line["lag"] for line in lines(tmp_path / str(most), EPISODES)]
    assert max(lags[20]) <= 20 < max(lags[10_000])
    assert min(lags[20]) >= 0


def test_free_running_actors_that_are_lost_lose_their_episodes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = trained(tmp_path / "run", monkeypatch, Transports(3, (5, 20, 21)), settings(asynchronous=True), every=0.0)
    assert result["actors_lost"] == 3
    assert 1 <= result["episodes_lost"] <= 3
    episodes = lines(tmp_path / "run", EPISODES)
    assert [line["episode"] for line in episodes] == list(range(len(episodes)))
    assert all(fault["repeated_interactions"] == 0 for fault in lines(tmp_path / "run", FAULTS))


def test_one_actor_is_the_run_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transports = Transports()
    trained(tmp_path / "one", monkeypatch, transports, settings(actors=1))
    assert transports.made == []
    assert "actor" not in lines(tmp_path / "one", EPISODES)[0]


def test_an_episode_travels_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun(tmp_path / "one", monkeypatch, Transports(), settings(actors=1))
    trainer: Any = run.trainer.trainer  # type: ignore[attr-defined]
    while not len(trainer.replay):
        trainer.round()
    run.folder.close()
    played = trainer.replay.episodes[0]
    again = unpack_episode(pack_episode(played))
    assert (again.targets == played.targets).all()
    assert (again.returns == played.returns).all()
    for old, new in zip(played.observations, again.observations, strict=True):
        assert all((a == b).all() for a, b in zip(old, new, strict=True))


def test_actors_as_text() -> None:
    assert parse_actors("ray") == ("ray", None)
    for text in ("0", "many", "ray:", "ray:0", "rays", "-2"):
        with pytest.raises(UsageError, match="actors must be a number from 1 to 4096, ray, or ray:N"):
            parse_actors(text)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_actors_send_samples_and_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asynchronous: bool) -> None:
    overrides = {"tree_targets": 4, "segment": 2, "value_support": "fitted", "life_penalty": 1.0}
    chosen = settings(overrides=overrides, asynchronous=asynchronous)
    made = []
    for name in ("a", "b"):
        transports = Transports(seed=len(made))
        trained(tmp_path / name, monkeypatch, transports, chosen)
        made.append(both(tmp_path / name))
    assert made[0][0]
    if not asynchronous:
        assert made[0] == made[1]
