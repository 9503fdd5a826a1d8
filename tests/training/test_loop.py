"""The loop of a training run, with a learner that learns nothing: lines, evaluations, checkpoints, crashes anywhere."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from widthwise.core.errors import InputError, UsageError
from widthwise.learning.updater import TrainingDivergedError
from widthwise.training.checkpoint import About, Checkpoints, RunStopped, read_checkpoint
from widthwise.training.folder import Lines, TrainingFolder
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_schedule import RunSchedule
from widthwise.training.run_trainer import Record
from widthwise.training.transport import ActorLost

ABOUT = About("nowhere", 2, (3,), {"name": "none"})


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody cuts the power during these tests."""
    monkeypatch.setattr("os.fsync", lambda handle: None)


class Killed(BaseException):
    """As if by kill -9: nobody tidies up."""


class FakeLearner:
    """Draws its episodes from a random generator, and dies when it is told to."""

    def __init__(self, dies_at: int | None = None, error: BaseException | None = None) -> None:
        self.random = random.Random(7)
        self.interactions = self.calls = 0
        self.dies_at, self.error = dies_at, error or Killed()

    def _die(self) -> None:
        self.calls += 1
        if self.calls == self.dies_at:
            raise self.error

    def advance(self) -> list[Record]:
        self._die()
        self.interactions += self.random.randrange(1, 4)
        if self.random.random() < 0.5:
            return []
        return [{"interactions": self.interactions, "score": self.random.random(), "steps": 3}]

    def rehearsing(self) -> bool:
        return False

    def demonstrated(self) -> bool:
        return False

    def preparing(self) -> bool:
        return False

    def rewarded(self) -> bool:
        return self.interactions > 20

    def figures(self) -> dict[str, float]:
        return {"loss": 0.5}

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        self._die()
        chosen = random.Random(number)
        return None if stop() else {"network_score": chosen.random(), "network_steps": 2.0}

    def state(self) -> Any:
        self._die()
        return {"random": self.random.getstate(), "interactions": self.interactions}

    def restore(self, state: Any) -> None:
        self.random.setstate(state["random"])
        self.interactions = state["interactions"]

    def policy(self) -> Any:
        self._die()
        return [self.interactions]

    stop_asked = False

    def settle(self) -> list[Record]:
        return []

    def recover(self, error: ActorLost) -> bool:
        raise error

    def summary(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        pass


def start(folder: Path, learner: FakeLearner, *, resume: bool = False, every: float = 0.0) -> TrainingRun:
    kept = Checkpoints(folder, ABOUT)
    opened = TrainingFolder.resume(folder) if resume else TrainingFolder.create(folder, {"kind": "training"})
    kept.prepare()
    training = TrainingRun(opened, kept, learner, RunSchedule(100, 30, every), TrainingListener())
    if resume:
        training.resume(kept.load(print))
    return training


def lines(folder: Path) -> dict[str, list[str]]:
    """The lines without what depends on the clock."""
    result = {}
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        records = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        result[name] = [json.dumps({k: v for k, v in record.items() if "second" not in k}) for record in records]
    return result


def whole(folder: Path) -> dict[str, list[str]]:
    training = start(folder, FakeLearner())
    assert training.run() is not None
    training.folder.close()
    return lines(folder)


def test_evaluations_are_at_the_start_at_every_interval_and_at_the_end(tmp_path: Path) -> None:
    actual = whole(tmp_path / "run")
    records = [json.loads(line) for line in actual["evaluations.jsonl"]]
    assert [record["evaluation"] for record in records] == [0, 1, 2, 3, 4]
    for item, goal in zip(records, (0, 30, 60, 90, 100), strict=True):
        assert goal <= item["interactions"] <= goal + 3
    scores = [record["network_score"] for record in records]
    assert [record["best"] for record in records] == [score == max(scores[: n + 1]) for n, score in enumerate(scores)]
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["best"]["network_score"] == max(scores)
    assert read_checkpoint(tmp_path / "run" / "checkpoint" / "best.ckpt").data["policy"] == [
        result["best"]["interactions"]
    ]


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deaths=st.lists(st.integers(1, 60), max_size=4), every=st.sampled_from([0.0, 1000.0]))
def test_a_run_that_dies_anywhere_continues_as_if_it_had_not(
    tmp_path_factory: pytest.TempPathFactory, deaths: list[int], every: float
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    expected = whole(folder / "whole")
    resume = False
    for death in [*deaths, None]:
        training = start(folder / "run", FakeLearner(death), resume=resume, every=every)
        try:
            training.run()
        except Killed:
            pass
        finally:
            training.folder.close()
        resume = (folder / "run" / "checkpoint" / "current.ckpt").exists()
        if not resume:  # it died before its first checkpoint
            for path in sorted((folder / "run").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
    assert lines(folder / "run") == expected


@pytest.mark.parametrize("number", [0, 5, 20])
def test_stopping_leaves_a_checkpoint_that_continues(tmp_path: Path, number: int) -> None:
    expected = whole(tmp_path / "whole")
    training = start(tmp_path / "run", FakeLearner(), every=1000)

    class Stops(TrainingListener):
        moves = 0

        def moved(self, run: TrainingRun) -> None:
            self.moves += 1
            run.stopping = self.moves >= number

    training.listener = Stops()
    training.stopping = number == 0
    assert training.run() is None
    training.folder.close()
    assert not (tmp_path / "run" / "result.json").exists()
    training = start(tmp_path / "run", FakeLearner(), resume=True)
    assert training.run() is not None
    training.folder.close()
    assert lines(tmp_path / "run") == expected


def test_diverging_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    training = start(tmp_path / "run", FakeLearner(25, TrainingDivergedError("the loss is nan")))
    with pytest.raises(TrainingDivergedError, match="nan"):
        training.run()
    training.folder.close()
    training = start(tmp_path / "run", FakeLearner(), resume=True)
    assert training.run() is not None


def test_a_folder_belongs_to_one_process_and_one_run(tmp_path: Path) -> None:
    training = start(tmp_path / "run", FakeLearner())
    with pytest.raises(UsageError, match="another process is writing this run"):
        TrainingFolder.resume(tmp_path / "run")
    with pytest.raises(UsageError, match="exists already: resume the run in it"):
        start(tmp_path / "run", FakeLearner())
    training.folder.close()
    with pytest.raises(InputError, match="is not a run folder"):
        TrainingFolder.resume(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write to the run folder"):
        TrainingFolder.create(tmp_path / "file" / "run", {})


def test_lines_that_are_gone_are_noticed(tmp_path: Path) -> None:
    whole(tmp_path / "run")
    (tmp_path / "run" / "episodes.jsonl").write_text("")
    with pytest.raises(InputError, match="lines that were written before the checkpoint are missing"):
        start(tmp_path / "run", FakeLearner(), resume=True)


def test_tensorboard_finds_the_figures(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    whole(tmp_path / "run")
    result = EventAccumulator(str(tmp_path / "run" / "events"))
    result.Reload()
    expected = [json.loads(line) for line in lines(tmp_path / "run")["episodes.jsonl"]]
    drawn = result.Scalars("episodes/score")
    assert [item.step for item in drawn] == [line["interactions"] for line in expected]
    assert [item.value for item in drawn] == pytest.approx([line["score"] for line in expected])
    assert len(result.Scalars("evaluation/network_score")) == 5


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_line_that_a_full_disk_refuses_stops_the_run_by_name(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "lines.jsonl")
    lines._file.close()
    lines._file = Path("/dev/full").open("ab")  # noqa: SIM115
    with pytest.raises(RunStopped, match=r"lines\.jsonl: a line cannot be written \(No space"):
        lines.append({"episode": 0})
    lines.close()


class Costly(FakeLearner):
    """Every evaluation takes ten interactions, twenty with the planner; an episode takes four."""

    def advance(self) -> list[Record]:
        return [{**record, "episode_interactions": 4} for record in super().advance()]

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        spent = {"evaluation_interactions": 20 if planner else 10, "planner_interactions": 10 * planner}
        return {"network_score": 0.0, "network_steps": 2.0, **spent}


def test_evaluations_take_no_more_than_their_share(tmp_path: Path) -> None:
    """Of 400 interactions with a share of .25, and an interval at which 40 evaluations would be due."""
    opened = TrainingFolder.create(tmp_path / "run", {})
    learner = Costly()
    training = TrainingRun(opened, Checkpoints(tmp_path / "run", ABOUT), learner, RunSchedule(400, 10, 30.0, 0.25))
    training.checkpoints.prepare()
    result = training.run()
    opened.close()
    assert result is not None
    lines = [json.loads(line) for line in (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()]
    alone = 0
    for line in lines[:-1]:
        assert alone < 0.125 * line["interactions"]  # it began only where there was room
        alone += line["evaluation_interactions"] - line["planner_interactions"]
    assert lines[-1]["interactions"] >= 400  # the last one is made in any case
    assert result["evaluation_interactions"] == sum(line["evaluation_interactions"] for line in lines) <= 100 + 20
    assert 4 <= len(lines) <= 11
    assert {line["evaluation_interactions"] for line in lines} == {10, 20}  # the planner only where there is room


def test_the_better_score_is_best_and_a_later_death_is_not() -> None:
    from widthwise.training.run_trainer import merit

    def evaluated(score: float, steps: float) -> tuple[float, float]:
        return merit({"network_score": score, "network_steps": steps})

    assert evaluated(-1, 50) == evaluated(-1, 2)  # how long it lives without a reward does not matter
    assert evaluated(0, 200) > evaluated(-1, 200)
    assert evaluated(1, 36) > evaluated(1, 42) > evaluated(0.5, 10) > evaluated(0, 5)


class Rehearsing(FakeLearner):
    """Rehearses for five rounds, which take no interactions, when it has made a number of interactions."""

    def __init__(self, begins: int) -> None:
        super().__init__()
        self.begins, self.left = begins, 5
        self.evaluated: list[tuple[int, int]] = []  # interactions and rounds of the rehearsal that are left

    def rehearsing(self) -> bool:
        return self.interactions >= self.begins and self.left > 0

    def preparing(self) -> bool:
        return self.rehearsing()

    def advance(self) -> list[Record]:
        if not self.rehearsing():
            return super().advance()
        self.left -= 1
        return []

    def evaluate(self, number: int, stop: Callable[[], bool], planner: bool = True) -> Record | None:
        self.evaluated.append((self.interactions, self.left))
        return super().evaluate(number, stop, planner)


def run_of(folder: Path, learner: FakeLearner, schedule: RunSchedule) -> Record:
    opened = TrainingFolder.create(folder, {})
    training = TrainingRun(opened, Checkpoints(folder, ABOUT), learner, schedule)
    training.checkpoints.prepare()
    result = training.run()
    opened.close()
    assert result is not None
    return result


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_last_evaluation_is_after_the_rehearsal(tmp_path: Path, share: float) -> None:
    learner = Rehearsing(100)
    run_of(tmp_path / "run", learner, RunSchedule(100, 30, evaluation_share=share))
    assert learner.left == 0
    assert [left for reached, left in learner.evaluated if reached >= 100] == [0]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_an_evaluation_that_falls_due_with_a_rehearsal_is_made_after_it(tmp_path: Path, share: float) -> None:
    learner = Rehearsing(60)
    run_of(tmp_path / "run", learner, RunSchedule(100, 30, evaluation_share=share))
    reached = [interactions for interactions, _ in learner.evaluated]
    assert [interactions // 30 for interactions in reached] == [*([] if share else [0]), 1, 2, 3, 3]
    assert dict(learner.evaluated)[next(number for number in reached if number >= 60)] == 0


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("searched", [70, 100])
def test_intervals_pass_without_an_evaluation_while_a_demonstration_is_searched_for(
    tmp_path: Path, share: float, searched: int
) -> None:
    class Searching(Rehearsing):
        def preparing(self) -> bool:
            return self.interactions < searched or self.rehearsing()

    learner = Searching(searched)
    run_of(tmp_path / "run", learner, RunSchedule(100, 10, evaluation_share=share))
    reached = [interactions for interactions, _ in learner.evaluated]
    assert reached[0] >= min(searched + 4, 100) and reached[-1] >= 100
    assert len(set(reached)) == len(reached) and all(left == 0 for _, left in learner.evaluated)


def test_the_search_for_a_demonstration_is_not_part_of_the_cost_of_an_episode(tmp_path: Path) -> None:
    class Searching(Costly):
        def advance(self) -> list[Record]:
            if self.interactions < 320:
                self.interactions += 10
                return []
            return super().advance()

        def preparing(self) -> bool:
            return self.interactions < 320

    run_of(tmp_path / "run", Searching(), RunSchedule(400, 40, evaluation_share=0.25))
    lines = (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["planner_interactions"] == 10


def test_a_run_says_whether_it_has_seen_a_reward(tmp_path: Path) -> None:
    class Poor(FakeLearner):
        def rewarded(self) -> bool:
            return False

    for number, (learner, seen) in enumerate(((FakeLearner(), True), (Poor(), False))):
        folder = tmp_path / str(number)
        opened = TrainingFolder.create(folder, {})
        training = TrainingRun(opened, Checkpoints(folder, ABOUT), learner, RunSchedule(100, 30))
        training.checkpoints.prepare()
        result = training.run()
        opened.close()
        assert result is not None and result["reward_seen"] is seen
        from widthwise.cli.train_view import line

        assert ("no reward yet, nothing is learned" in line(training)) is not seen
