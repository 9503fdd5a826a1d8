"""`widthwise bench mazes` and `bench atari`: suites of training runs over processes, stopped and resumed."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from cli_tools import call, start
from places import SUPPORT
from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.experiments import pool
from widthwise.experiments.jobs import Job
from widthwise.experiments.learning_suites import Suite, check, expand_tiles, folder_of, memory_of
from widthwise.training.overrides import parse_overrides
from widthwise.training.run_settings import RunSettings

pytestmark = pytest.mark.torch

BENCH = ["bench", "mazes", "--environments", "tiny_world:TinyWorld", "--algorithms", "pi-iw,pi-hiw", "--tiles", "2x1"]
BENCH += ["--seeds", "2", "--interactions", "260", "--evaluate-every", "100", "--budget", "6", "--set", "batch=8"]
BENCH += ["--workers", "1"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.syspath_prepend(str(SUPPORT))


def lines(out: Path) -> dict[str, list[dict[str, object]]]:
    """The lines of all runs without what depends on the clock."""
    return {
        f"{path.parent.name}/{path.name}": [
            {name: value for name, value in json.loads(line).items() if "second" not in name}
            for line in path.read_text().splitlines()
        ]
        for path in sorted(out.glob("runs/*/*.jsonl"))
    }


def test_a_suite_that_was_stopped_continues_and_ends_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once, out = tmp_path / "once", tmp_path / "out"
    ended = call(*BENCH, "--out", str(once))
    assert ended.code == 0, ended.err
    assert "4 runs" in ended.out
    assert len(lines(once)) == 8
    assert json.loads((once / "result.json").read_text()) == {"runs": 4, "failures": 0}
    process = start(*BENCH, "--out", str(out))
    messages = process.stderr
    assert messages is not None
    while "seed 0:" not in messages.readline():  # the first run has ended, the second has begun
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert main([*BENCH, "--out", str(out)]) == 2
    assert "give --resume" in capsys.readouterr().err
    again = call(*BENCH, "--resume", "--out", str(out))
    assert again.code == 0, again.err
    assert lines(out) == lines(once)
    assert main(["report", str(out)]) == 0
    assert "π-HIW(1,1), 2x1" in capsys.readouterr().out


def test_a_finished_suite_can_go_further(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    once, out = tmp_path / "once", tmp_path / "out"
    further = ["--seeds", "1", "--interactions", "520"]
    assert main([*BENCH, "--seeds", "1", "--out", str(out)]) == 0
    assert main([*BENCH, *further, "--resume", "--out", str(out)]) == 0
    assert main([*BENCH, *further, "--out", str(once)]) == 0
    episodes = [
        {name: messages for name, messages in lines(item).items() if "episodes" in name} for item in (out, once)
    ]
    assert episodes[0] == episodes[1]
    assert json.loads((out / "config.json").read_text())["settings"]["interactions"] == 520
    results = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert [line["interactions"] >= 520 for line in results] == [False, False, True, True]
    assert main([*BENCH, *further, "--resume", "--out", str(out)]) == 0  # nothing is left to do
    assert len((out / "results.jsonl").read_text().splitlines()) == 4
    capsys.readouterr()
    assert main([*BENCH, "--seeds", "1", "--resume", "--out", str(out)]) == 2
    assert "interactions was 520, now 260" in capsys.readouterr().err


def test_what_would_fail_in_every_run_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path / "x")]
    for arguments, words in (
        (["mazes", "--algorithms", "pi-iww"], "no algorithm 'pi-iww'"),
        (["mazes", "--algorithms", "pi-hiw:tiles=2x"], "is not a tiling"),
        (["mazes", "--algorithms", "pi-iw,pi-iw"], "given twice"),
        (["mazes", "--environments", "maze-smal"], "did you mean maze-small"),
        (["atari", "--games", "pongg"], "did you mean atari:pong"),
        (["atari", "--workers", "2", "--ray-address", "auto"], "--ray-address is for --workers ray"),
    ):
        assert main(["bench", *arguments, *out]) == 2
        assert words in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_algorithms_with_settings_and_tilings() -> None:
    algorithms = expand_tiles(["pi-iw", "pi-hiw", "pi-hiw:tiles=8x8:value=off"], ["2x2", "4x4"])
    assert algorithms == ["pi-iw", "pi-hiw:tiles=2x2", "pi-hiw:tiles=4x4", "pi-hiw:tiles=8x8:value=off"]
    runs = check(Suite(["corridor"], algorithms, 2, {"interactions": 10, "overrides": {"batch": 8}}))
    assert [run.seed for run in runs] == [0] * 4 + [1] * 4
    assert runs[3].overrides == {"batch": 8, "tiles": (8, 8), "value": False}
    assert len({folder_of(run) for run in runs}) == 8


def test_gray_tiles_can_be_written_with_the_tiles() -> None:
    algorithms = expand_tiles(["pi-hiw", "pi-hiw:tiles=4x4:gray:value=off"], ["2x2:gray"])
    assert algorithms == ["pi-hiw:tiles=2x2:gray", "pi-hiw:tiles=4x4:gray:value=off"]
    runs = check(Suite(["maze-small"], algorithms, 1, {"interactions": 10}))
    assert runs[0].overrides == {"tiles": (2, 2), "gray": True}
    assert runs[1].overrides == {"tiles": (4, 4), "gray": True, "value": False}
    with pytest.raises(UsageError, match="gray is given twice"):
        parse_overrides(["tiles=4x4:gray", "gray=off"])


def test_a_run_is_started_only_if_its_memory_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [Job("bench_tools:echo", {}, [{"number": number}], memory=size) for number, size in enumerate((60, 50, 40))]
    free = 100
    monkeypatch.setattr(pool, "machine_bytes", lambda: free)
    monkeypatch.setattr(pool, "usage", lambda pid: (0.0, 20 / 1e6))
    assert pool.missing_bytes(jobs[0], [], {}) == 0
    # 60 are promised to the first, of which it has taken 20: 40 of the free 100 are set aside.
    assert pool.missing_bytes(jobs[1], [7], {7: 60}) == 0
    assert pool.missing_bytes(jobs[0], [7, 8], {7: 60, 8: 50}) == 30
    too_large = Job("bench_tools:echo", {}, [{"number": 9}], memory=200)
    (line,) = list(pool.LocalPool(2).run([too_large]))
    assert line.line["failure"]["kind"] == "OutOfMemory"
    assert line.line["failure"]["reason"].startswith("not started: it may use 0 MB of memory")


def test_jobs_that_do_not_fit_together_run_after_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "machine_bytes", lambda: 100)
    monkeypatch.setattr(pool, "usage", lambda pid: (0.0, 0.0))
    started = []
    start = pool.LocalPool._start

    def watched(self: pool.LocalPool, job: Job) -> object:
        started.append(sum(self._promised.values()))
        return start(self, job)

    monkeypatch.setattr(pool.LocalPool, "_start", watched)
    jobs = [Job("bench_tools:echo", {}, [{"number": number}], memory=60) for number in range(3)]
    lines = [done.line for done in pool.LocalPool(2).run(jobs)]
    assert sorted(line["number"] for line in lines) == [0, 1, 2]
    assert started == [0, 0, 0]


def test_the_memory_of_a_run_grows_with_what_it_remembers() -> None:
    small, large = (memory_of(RunSettings("corridor", 100, overrides={"replay": size})) for size in (100, 100_000))
    assert small > 350_000_000
    assert large > small


def test_the_memory_of_a_run_includes_the_archive_and_its_copy() -> None:
    def needed(interactions: int, archive: int) -> int:
        return memory_of(RunSettings("corridor", interactions, overrides={"archive": archive}))

    without = needed(10**6, 0)
    assert needed(10**6, 800_000) - without >= 2 * 500_000_000
    assert 0 < needed(1_000, 100) - without < 100_000_000  # so few steps cannot fill it


def test_a_run_that_was_begun_before_its_preset_had_options_continues(tmp_path: Path) -> None:
    from widthwise.experiments.learning_suites import prepare
    from widthwise.training.launch import begin

    pytest.importorskip("ale_py")
    small = {"replay": 50, "steps_per_action": 2, "nodes": 10, "updates": 0, "archive": 0}
    common: dict[str, Any] = {"network_episodes": 1, "planner_episodes": 0, "evaluation_steps": 3, "overrides": small}
    old = RunSettings("atari:pong", 140, "pi-iw", options={"limit": 12}, recorded=True, **common)
    begin(tmp_path / "run", old).folder.close()  # stopped before its first checkpoint
    new = RunSettings("atari:pong", 140, "pi-iw", options={"limit": 12}, **common)
    assert new.options == {"stack": 8, "spread": True, "limit": 12}
    run = prepare({"folder": str(tmp_path / "run"), "settings": new.describe()})
    assert run({})["interactions"] >= 140
    assert json.loads((tmp_path / "run" / "config.json").read_text())["settings"]["options"] == {"limit": 12}
    other = RunSettings("atari:pong", 140, "pi-iw", options={"limit": 13}, **common)
    with pytest.raises(UsageError, match="started with options limit=12; it cannot continue with"):
        prepare({"folder": str(tmp_path / "run"), "settings": other.describe()})({})
