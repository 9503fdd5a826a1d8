"""Long searches: results that repeat from a reset, run folders that continue exactly, features chosen for images."""

from __future__ import annotations

import io
import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from coin_world import Coins
from places import ROOT
from widthwise.cli.main import main
from widthwise.core.errors import InputError, SimulatorError, UsageError
from widthwise.core.run_folder import CONFIG
from widthwise.core.simulator import Step
from widthwise.exploration.search import begin_search
from widthwise.exploration.search_folder import PROGRESS
from widthwise.exploration.search_run import ExplorationRun
from widthwise.simulator_search.archive_search import ArchiveSearch
from widthwise.training import packing
from widthwise.training.checkpoint import CURRENT, FOLDER, About, read_checkpoint, write_checkpoint
from widthwise.training.search_state import capture, restore

needs_gymnasium = pytest.mark.skipif(find_spec("gymnasium") is None, reason="needs gymnasium")
needs_atari = pytest.mark.skipif(find_spec("ale_py") is None, reason="needs ale-py")


def packed(run: ExplorationRun) -> bytes:
    stream = io.BytesIO()
    packing.write(stream, capture(run.search))
    return stream.getvalue()


def replayed(env: str, seed: int, actions: list[int]) -> float:
    world = ww.simulator(env)
    world.reset(seed)
    return sum(world.step(action).reward for action in actions)


def test_the_result_is_a_trajectory_from_the_reset() -> None:
    result = ww.search("corridor", 3_000, seed=1)
    assert result.score == 1.0 and result.ended and result.finished
    assert len(result.actions) == result.steps
    assert replayed("corridor", 1, result.actions) == result.score
    assert result.interactions == 3_000


@pytest.mark.parametrize("env", [
    "corridor",
    "CartPole-v1",
    "maze-small",
    pytest.param("atari:venture", marks=needs_atari),
])  # fmt: skip
def test_a_search_continues_exactly_from_a_checkpoint(env: str) -> None:
    if env == "CartPole-v1" and find_spec("gymnasium") is None:
        pytest.skip("needs gymnasium")
    planner = ArchiveSearch(widths=(1, "n", "all"), patience=3)
    first = begin_search(env, 10_000, planner=planner)
    for _ in range(40):
        first.search.visit()
    raw = packed(first)
    second = begin_search(env, 10_000, planner=planner)
    restore(second.search, packing.read(raw))
    assert packed(second) == raw
    for run in (first, second):
        for _ in range(40):
            run.search.visit()
    assert packed(first) == packed(second)


def test_a_stopped_search_continues_to_the_same_lines(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    ww.search("maze-small", 6_000, out=whole)
    run = begin_search("maze-small", 6_000, out=parts)
    assert run.folder is not None
    visits = 0

    def stop(moved: ExplorationRun) -> None:
        nonlocal visits
        visits += 1
        moved.stopping = visits == 60

    run.listener.moved = stop
    assert not run.run().finished
    run.folder.close()
    ww.search("maze-small", 6_000, out=parts, resume=True)
    assert without_seconds(whole) == without_seconds(parts)
    assert result_of(whole) == result_of(parts)


@pytest.mark.parametrize("visits", [3, 20, 90, 200])
def test_replays_wait_for_their_share_of_the_interactions(visits: int, tmp_path: Path) -> None:
    def begin(name: str, **continued: Any) -> ExplorationRun:
        return begin_search(Coins(400), 9_000, out=tmp_path / name, planner={"restart": 0}, **continued)

    whole, part = begin("whole"), begin("part")
    result = whole.run()
    assert result.score is not None and result.score > 50 and result.replay_steps <= 9_000 / 4 + result.steps
    shown = [line["score"] for line in without_seconds(tmp_path / "whole") if line["score"] is not None]
    assert shown == sorted(shown) and shown[-1] == result.score and len(shown) >= 4
    left = visits

    def stop(moved: ExplorationRun) -> None:
        nonlocal left
        left -= 1
        moved.stopping = left == 0

    part.listener.moved = stop
    stopped = part.run()
    assert part.search.best is not None
    assert result_of(tmp_path / "part")["score"] == stopped.score == part.search.best.score
    for run in (whole, part):
        assert run.folder is not None
        run.folder.close()
    begin("part", resume=True).run()
    assert without_seconds(tmp_path / "whole") == without_seconds(tmp_path / "part")
    assert result_of(tmp_path / "whole") == result_of(tmp_path / "part")


def test_a_better_trajectory_is_in_the_folder_before_its_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("widthwise.exploration.search_run.WRITE_SECONDS", 0.0)
    run = begin_search(Coins(400), 9_000, out=tmp_path / "run", planner={"restart": 0})
    waiting = 0

    def check(moved: ExplorationRun) -> None:
        nonlocal waiting
        best = moved.search.best
        if best is None or moved.shown is None:  # the first one is replayed at once
            return
        stored = result_of(tmp_path / "run")
        if best is moved.shown:
            assert stored["replayed"]
        elif moved.replay_steps + best.steps > 0.25 * moved.interactions:
            waiting += 1
            assert not stored["replayed"]
            assert (stored["score"], stored["steps"]) == (best.score, best.steps)
            assert len(stored["actions"]) == best.steps

    run.listener.moved = check
    result = run.run()
    assert run.folder is not None
    run.folder.close()
    assert waiting > 10 and result.replayed and result_of(tmp_path / "run")["replayed"]


def without_seconds(folder: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / PROGRESS).read_text(encoding="utf-8").splitlines()]
    assert lines
    return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]


def result_of(folder: Path) -> dict[str, Any]:
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return {name: value for name, value in result.items() if name not in ("seconds", "chance")}  # seconds are in both


def test_lines_newer_than_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ww.search("corridor", 3_000, out=folder)
    before = (folder / PROGRESS).read_bytes()
    with (folder / PROGRESS).open("ab") as file:
        file.write(b'{"interactions": 9999}\n')
    ww.search("corridor", 3_000, out=folder, resume=True)
    assert (folder / PROGRESS).read_bytes() == before


def test_a_finished_search_can_go_further(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ww.search("maze-small", 3_000, out=folder)
    assert ww.search("maze-small", 12_000, out=folder, resume=True).interactions == 12_000


def test_a_search_of_an_earlier_version_continues_and_one_of_a_later_version_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    call = ["search", "maze-small", "--interactions", "6000", "--out", str(folder), "--resume"]
    ww.search("maze-small", 3_000, out=folder)
    same = Path(shutil.copytree(folder, tmp_path / "same"))
    path = folder / FOLDER / CURRENT
    kept = read_checkpoint(path)
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    assert "continued" not in config
    for version in ("99.1", "0.1.0"):
        write_checkpoint(path, About(**{**kept.about, "widthwise": version}), kept.data)
        config["versions"]["widthwise"] = version
        (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
        code = main(call)
        said = capsys.readouterr().err
        if version == "99.1":
            assert code == 31 and "made by Widthwise 99.1" in said
            assert json.loads((folder / CONFIG).read_text(encoding="utf-8")) == config
    assert code in (0, 12) and "was started by Widthwise 0.1.0" in said
    (entry,) = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["continued"]
    assert entry["versions"]["widthwise"] == ww.__version__ and entry["interactions"] == 3_000
    ww.search("maze-small", 6_000, out=same, resume=True)
    assert result_of(same) == result_of(folder)


def test_what_does_not_fit_a_run_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ww.search("corridor", 2_000, out=folder)
    with pytest.raises(UsageError, match="exists already"):
        ww.search("corridor", 2_000, out=folder)
    with pytest.raises(UsageError, match="seed"):
        ww.search("corridor", 2_000, out=folder, resume=True, seed=3)
    with pytest.raises(UsageError, match="interactions"):
        ww.search("corridor", 1_000, out=folder, resume=True)
    with pytest.raises(InputError, match="no run to continue"):
        ww.search("corridor", 1_000, out=tmp_path / "none", resume=True)
    for path in (folder / "checkpoint").glob("*.ckpt"):
        path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(InputError, match="checkpoint"):
        ww.search("corridor", 2_000, out=folder, resume=True)


class Forgetful:
    """Gives another reward after a reset than after a load."""

    actions = 2
    deterministic = True

    def __init__(self) -> None:
        self.place, self.loaded = 0, False

    def reset(self, seed: int | None = None) -> Step:
        self.place, self.loaded = 0, False
        return Step(bytes([0]))

    def step(self, action: int) -> Step:
        self.place = min(200, self.place + action)
        return Step(bytes([self.place]), 1.0 if self.loaded else 0.0)

    def save(self) -> int:
        return self.place

    def load(self, snapshot: int) -> None:
        self.place, self.loaded = snapshot, True


def test_a_trajectory_that_does_not_repeat_is_an_error() -> None:
    with pytest.raises(SimulatorError, match="replayed"):
        begin = begin_search(Forgetful(), 500, chance="foresee")
        begin.run()


def test_a_checkpoint_without_scenes_is_refused() -> None:
    run = begin_search("maze-small", 3_000)
    state = capture(run.search)
    del state["scenes"]
    with pytest.raises(InputError, match="earlier version"):
        restore(run.search, state)


@needs_atari
def test_packed_snapshots_of_atari_continue_in_the_same_way() -> None:
    from widthwise.simulators.atari import Atari

    world = Atari("pong")
    world.reset(0)
    for action in (1, 2, 3, 2, 5) * 4:
        world.step(action % world.actions)
    snapshot = world.save()
    raw = world.pack_snapshot(snapshot)
    assert len(raw) < 8_000
    expected = [world.step(2) for _ in range(3)]
    other = Atari("pong")
    other.reset(0)
    other.load(other.unpack_snapshot(raw))
    for step in expected:
        again = other.step(2)
        assert again.observation == step.observation and again.reward == step.reward
        assert np.array_equal(again.info["ram"], step.info["ram"])


def test_the_command_prints_the_best_trajectory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main(["search", "corridor", "--interactions", "3000", "--json", "--quiet", "--out", str(folder)]) == 0
    result = json.loads(capsys.readouterr().out)
    saved = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert result == saved
    assert {"score", "steps", "actions", "interactions", "high_level_states"} <= set(result)
    assert replayed("corridor", 0, result["actions"]) == result["score"] == 1.0
    assert main(["search", "corridor", "--interactions", "3000", "--out", str(folder), "--resume"]) == 0
    assert "score 1 in" in capsys.readouterr().out


def test_the_command_says_when_nothing_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "maze-large", "--interactions", "5", "--tiles", "4x4:8", "--quiet"]) == 12
    assert "no trajectory" in capsys.readouterr().out


@pytest.mark.parametrize(("options", "code", "message"), [
    (["--tiles", "wide"], 2, "--tiles wide"),
    (["--widths", "3"], 2, "widths"),
    (["--resume"], 2, "--out DIR"),
])  # fmt: skip
def test_wrong_calls_have_one_message(
    options: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "corridor", "--interactions", "100", *options]) == code
    assert message in capsys.readouterr().err


def test_the_command_writes_a_video_of_the_trajectory(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    video = tmp_path / "way.gif"
    assert main(["search", "corridor", "--interactions", "3000", "--quiet", "--gif", str(video)]) == 0
    result = ww.search("corridor", 3_000)
    with pillow.open(video) as film:
        assert film.n_frames == result.steps + 1
        left = film.convert("RGB").crop((0, 0, film.width - 270, film.height))
        assert len(left.getcolors()) > 2  # the maze, not an empty picture
    assert main(["search", "corridor", "--interactions", "3000", "--gif", str(tmp_path / "way.png")]) == 2


@pytest.mark.slow
@needs_atari
def test_the_demo_finds_the_key_of_montezumas_revenge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    video = tmp_path / "game.gif"
    assert main(["demo", "atari", "--interactions", "22000", "--gif", str(video)]) == 0
    assert "score   100" in capsys.readouterr().out
    assert video.stat().st_size > 10_000


def test_options_of_the_atari_demo_are_refused_elsewhere() -> None:
    assert main(["demo", "--interactions", "5"]) == 2


@needs_atari
@pytest.mark.parametrize(("seed", "score"), [(0, 4_600), (1, 2_600), (2, 5_600)])
def test_the_published_trajectories_of_montezumas_revenge_repeat(seed: int, score: float) -> None:
    published = json.loads((ROOT / f"docs/results/montezuma-search/seed-{seed}.json").read_text("utf-8"))
    assert published["score"] == score and len(published["actions"]) == published["steps"]
    assert replayed("atari:montezuma_revenge", seed, published["actions"]) == score


PUBLISHED = sorted((ROOT / "docs" / "results" / "atari-search").glob("*.json"))


@needs_atari
@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_published_trajectories_of_long_searches_repeat(path: Path) -> None:
    assert len(PUBLISHED) > 5
    published = json.loads(path.read_text("utf-8"))
    assert len(published["actions"]) == published["steps"]
    assert replayed(published["environment"], published["seed"], published["actions"]) == published["score"]


@needs_atari
@pytest.mark.parametrize(
    "file, scores",
    [
        ("demonstrations.json", (3_900, 3_600, 2_500, 5_700, 5_600)),
        ("default-demonstrations.json", (6_700, 5_700, 6_600, 6_600, 6_700)),
    ],
)
def test_the_published_demonstrations_of_montezumas_revenge_repeat(file: str, scores: tuple[float, ...]) -> None:
    published = json.loads((ROOT / "docs/results/montezuma-demonstration" / file).read_text("utf-8"))
    for seed, score in enumerate(scores):
        shown = published[str(seed)]
        assert shown["score"] == score
        assert replayed("atari:montezuma_revenge", seed, shown["actions"]) == score
