"""`widthwise train`: run folders, stops of every kind, resuming byte for byte, refusals; `play --policy`."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli_tools import call, start
from places import SUPPORT
from widthwise.cli.main import main
from widthwise.training.checkpoint import read_checkpoint

pytestmark = pytest.mark.torch

WORLD = "tiny_world:TinyWorld"
TINY = ["train", WORLD, "--budget", "6", "--set", "batch=8", "--interactions", "500", "--evaluate-every", "150"]
TINY += ["--tiles", "2x1", "--seed", "3"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.syspath_prepend(str(SUPPORT))


def lines(folder: Path) -> dict[str, bytes]:
    """The files of lines without what depends on the clock, byte for byte."""
    result = {}
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        records = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
        kept = [{k: v for k, v in record.items() if "seconds" not in k and "per_second" not in k} for record in records]
        result[name] = b"\n".join(json.dumps(item).encode() for item in kept)
    return result


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    ended = call(*TINY, "--out", str(folder), PYTHONPATH=str(SUPPORT))
    assert ended.code == 0, ended.err
    assert "interactions/s" in ended.out
    assert "the network alone scores" in ended.err
    assert "continuing" not in ended.err
    return folder


def test_a_run_folder_holds_everything(whole: Path) -> None:
    config = json.loads((whole / "config.json").read_text())
    assert config["kind"] == "training"
    assert config["settings"]["environment"] == WORLD
    assert config["settings"]["seed"] == 3
    assert config["settings"]["evaluate_every"] == 150
    assert config["configuration"]["learning"]["batch"] == 8
    assert config["configuration"]["planning"]["tiles"] == [2, 1]
    assert "--interactions 500" in config["command"]
    assert "torch" in config["versions"]
    episodes = [json.loads(line) for line in (whole / "episodes.jsonl").read_text().splitlines()]
    assert [episode["episode"] for episode in episodes] == list(range(len(episodes)))
    assert all({"interactions", "score", "steps", "seconds"} <= episode.keys() for episode in episodes)
    evaluations = [json.loads(line) for line in (whole / "evaluations.jsonl").read_text().splitlines()]
    assert len(evaluations) == 5
    assert all({"network_score", "planner_score", "best"} <= evaluation.keys() for evaluation in evaluations)
    result = json.loads((whole / "result.json").read_text())
    assert result["interactions"] >= 500
    assert result["episodes"] == len(episodes)
    kept = sorted(path.name for path in (whole / "checkpoint").iterdir())
    assert kept == ["best.ckpt", "current.ckpt", "previous.ckpt"]
    assert any((whole / "events").iterdir())


def test_the_same_seed_gives_the_same_lines_and_another_does_not(whole: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    assert call(*TINY, "--out", str(again), PYTHONHASHSEED="5").code == 0
    assert lines(again) == lines(whole)
    assert main([*TINY, "--seed", "4", "--quiet", "--out", str(other)]) == 0
    assert lines(other) != lines(whole)


@pytest.mark.parametrize("steps", [250, 580])  # 80 of them are the check for chance
def test_a_killed_run_continues_byte_for_byte(whole: Path, tmp_path: Path, steps: int) -> None:
    folder = tmp_path / "run"
    killed = call(*TINY, "--out", str(folder), TINY_WORLD_DIES_AFTER=str(steps))
    assert killed.code == -signal.SIGKILL
    assert not (folder / "result.json").exists()
    # What is newer than the checkpoint may be torn.
    with (folder / "episodes.jsonl").open("ab") as file:
        file.write(b'{"episode":99,"inter')
    assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 0
    assert lines(folder) == lines(whole)


def test_a_run_killed_before_its_first_checkpoint_begins_anew(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    shutil.rmtree(folder / "checkpoint")
    assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 0
    assert lines(folder) == lines(whole)


def test_ctrl_c_writes_a_checkpoint_and_says_how_to_continue(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(*TINY, "--interactions", "1_000_000", "--evaluate-every", "150", "--out", str(folder))
    while not (folder / "episodes.jsonl").exists() or (folder / "episodes.jsonl").stat().st_size < 1000:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"widthwise train {WORLD} --resume {folder}" in err
    settled = lines(folder)
    # Nothing is newer than the checkpoint, so nothing is dropped; the run could go on for long.
    process = start("train", WORLD, "--resume", str(folder))
    line = ""
    while "continuing at" not in line:
        line = process.stderr.readline()  # type: ignore[union-attr]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    for name, text in settled.items():
        assert lines(folder)[name].startswith(text)
    shared = settled["episodes.jsonl"].splitlines()[:5]
    assert lines(whole)["episodes.jsonl"].splitlines()[: len(shared)] == shared


def test_a_finished_run_can_be_made_longer(whole: Path, tmp_path: Path) -> None:
    folder, once = tmp_path / "run", tmp_path / "once"
    longer = [*TINY[: TINY.index("--interactions")], *TINY[TINY.index("--evaluate-every") :], "--quiet"]
    assert main([*longer, "--interactions", "300", "--out", str(folder)]) == 0
    assert main(["train", WORLD, "--resume", str(folder), "--interactions", "450", "--quiet"]) == 0
    assert main([*longer, "--interactions", "450", "--out", str(once)]) == 0
    assert lines(folder) == lines(once)
    assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 0  # nothing is left to do
    assert lines(folder) == lines(once)


@pytest.mark.parametrize("more", [["--trees", "3", "--refresh"], ["--algorithm", "pi-iw"]])
def test_many_trees_and_other_algorithms_resume_too(tmp_path: Path, more: list[str]) -> None:
    base = [part for part in TINY if part not in ("--tiles", "2x1")]
    once, folder = tmp_path / "once", tmp_path / "run"
    assert main([*base, *more, "--quiet", "--out", str(once)]) == 0
    assert call(*base, *more, "--out", str(folder), TINY_WORLD_DIES_AFTER="400").code == -signal.SIGKILL
    assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 0
    assert lines(folder) == lines(once)


def damaged(whole: Path, folder: Path, *names: str) -> Path:
    shutil.copytree(whole, folder)
    for name in names:
        path = folder / "checkpoint" / name
        raw = path.read_bytes()
        path.write_bytes(raw[: len(raw) // 2] + b"x" + raw[len(raw) // 2 + 1 :])
    return folder


def test_a_damaged_checkpoint_is_reported_and_the_one_before_it_is_used(whole: Path, tmp_path: Path) -> None:
    folder = damaged(whole, tmp_path / "run", "current.ckpt")
    ended = call("train", WORLD, "--resume", str(folder))
    assert ended.code == 0, ended.err
    assert "current.ckpt: this is not a valid checkpoint" in ended.err
    assert "continuing from previous.ckpt" in ended.err
    assert lines(folder) == lines(whole)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> str:
    assert main(list(arguments)) == code
    messages = capsys.readouterr().err
    assert "Traceback" not in messages
    return messages


def test_what_cannot_continue_is_refused_by_name(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = damaged(whole, tmp_path / "broken", "current.ckpt", "previous.ckpt")
    assert "is not a valid checkpoint" in said(capsys, "train", WORLD, "--resume", str(broken), code=31)
    assert "is not a run folder" in said(capsys, "train", WORLD, "--resume", str(tmp_path / "none"), code=31)
    shutil.copytree(whole, tmp_path / "other")
    path = tmp_path / "other" / "config.json"
    path.write_text(path.read_text().replace('"batch": 8', '"batch": 9'))
    assert "batch" in said(capsys, "train", WORLD, "--resume", str(tmp_path / "other"), code=31)
    messages = said(capsys, "train", "maze-small", "--resume", str(whole), code=2)
    assert "started with environment tiny_world:TinyWorld;" in messages
    assert "the number can only be increased" in said(
        capsys, "train", WORLD, "--resume", str(whole), "--interactions", "10", code=2
    )
    assert "exists already" in said(capsys, *TINY, "--out", str(whole), code=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train"], "ENV is missing"),
        (["train", WORLD, "--out", "x"], "--interactions is missing"),
        (["train", WORLD, "--interactions", "10"], "--out is missing"),
        ([*TINY, "--set", "tempo=3", "--out", "x"], "unknown setting 'tempo'"),
        ([*TINY, "--set", "value=perhaps", "--out", "x"], "value must be on or off"),
        ([*TINY, "--set", "replay=1.5", "--out", "x"], "replay must be a whole number, not '1.5'"),
        ([*TINY, "--set", "high_width=3", "--out", "x"], "a width must be 1, 2 or n"),
        ([*TINY, "--set", "batch", "--out", "x"], "write NAME=VALUE"),
        ([*TINY, "--set", "learning_rate=-1", "--out", "x"], "learning_rate must be above 0"),
        (["train", WORLD, "--interactions", "9", "--set", "batch=1", "--out", "x"], "batch must be at least 2"),
        ([*TINY, "--set", "calibration=1", "--out", "x"], "calibration must be 0 (none) or at least 2"),
        (["train", "maze-small", "--tiles", "99x99", "--interactions", "10", "--out", "x"], "too small for 99x99"),
        (["train", "maze-smal", "--interactions", "10", "--out", "x"], "did you mean maze-small"),
    ],
)
def test_wrong_usage(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in said(capsys, *arguments, code=2)
    assert not (tmp_path / "x").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot write to the run folder" in said(capsys, *TINY, "--out", str(tmp_path / "file" / "run"), code=31)


def test_a_full_disk_is_reported_and_what_is_there_stays_good(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    before = {path.name: path.read_bytes() for path in (folder / "checkpoint").iterdir()}
    # A limit on the size of files: writing beyond it fails as on a full disk.
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
    code += "import sys; from widthwise.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for arguments in (["train", WORLD, "--resume", str(folder)], [*TINY, "--out", str(tmp_path / "new")]):
        ended = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert ended.returncode in (1, 31), ended.stderr
        assert "cannot be written" in ended.stderr
        assert "Traceback" not in ended.stderr
    assert {path.name: path.read_bytes() for path in (folder / "checkpoint").iterdir()} == before
    assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 0


@pytest.mark.parametrize(
    ("world", "more", "why"),
    [
        ("Poisoned", [], "returned the reward nan"),
        (
            "TinyWorld",
            ["--set", "learning_rate=1e30"],
            "training diverged: the outputs of the network are no longer finite",
        ),
    ],
)
def test_what_is_no_number_stops_the_run(
    tmp_path: Path, world: str, more: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    arguments = [f"tiny_world:{world}" if part == WORLD else part for part in TINY]
    messages = said(capsys, *arguments, *more, "--out", str(folder), code=31 if world == "Poisoned" else 1)
    assert why in messages
    assert f"--resume {folder}" in messages
    assert not (folder / "result.json").exists()
    assert all(read_checkpoint(path) for path in (folder / "checkpoint").glob("*.ckpt"))


def test_without_torch_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("")
    code = "import sys, importlib.util as u; real = u.find_spec\n"
    code += "import widthwise.training.launch as l; l.find_spec = lambda n: None if n == 'torch' else real(n)\n"
    code += "from widthwise.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for arguments in ([*TINY, "--out", str(tmp_path / "x")], ["play", WORLD, "--policy", str(tmp_path)]):
        ended = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert ended.returncode == 34
        assert "needs torch: pip install 'widthwise[learn]'" in ended.stderr


def test_play_acts_with_what_was_learned(whole: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = tmp_path / "episode.jsonl"
    for more in ([], ["--network-only"]):
        arguments = ["play", WORLD, "--policy", str(whole), "--json", "--record", str(record), *more]
        assert main([*arguments, "--quiet"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["status"] == "ended"
        header = json.loads(record.read_text().splitlines()[0])
        assert header["policy"] == str(whole)
        assert header["network_only"] is bool(more)
        if more:
            assert result["interactions"] == result["steps"]
    assert "was trained in tiny_world:TinyWorld, not in corridor" in said(
        capsys, "play", "corridor", "--policy", str(whole), code=2
    )
    assert "--tiles cannot be combined with --policy" in said(
        capsys, "play", WORLD, "--policy", str(whole), "--tiles", "2x2", code=2
    )
    other = ["play", WORLD, "--policy", str(whole), "--option", "limit=1"]
    assert "was trained with other options of the environment" in said(capsys, *other, code=2)
    assert main([*other, "--network-only", "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 1  # the network alone plans nothing
    for option in ("--budget", "--nodes"):
        alone = ["play", WORLD, "--policy", str(whole), "--network-only", option, "10"]
        assert f"{option} cannot be combined with --network-only" in said(capsys, *alone, code=2)
    assert "--network-only needs --policy RUN" in said(capsys, "play", WORLD, "--network-only", code=2)
    broken = damaged(whole, tmp_path / "broken", "best.ckpt")
    assert "is not a valid checkpoint" in said(capsys, "play", WORLD, "--policy", str(broken), code=31)


def test_the_help_names_every_setting() -> None:
    from dataclasses import fields

    from widthwise.cli.train import _EPILOG
    from widthwise.learning.learning_settings import LearningSettings
    from widthwise.training.algorithms import PlanningSettings

    for kind in (PlanningSettings, LearningSettings):
        for field in fields(kind):
            assert field.name == "algorithm" or field.name in _EPILOG, field.name


def test_the_demo_ends_with_a_network_that_learns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from widthwise.cli import demo_learning

    monkeypatch.setattr(demo_learning, "INTERACTIONS", 700)  # far too few to learn anything, but all of it is shown
    monkeypatch.setattr(demo_learning, "ROWS", 2)
    demo_learning.learn()
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert sum("lost" in line for line in out.splitlines()) == 3
    assert "A#" in out
    demo_learning.how_to_get_it()
    assert "pip install 'widthwise[learn]'" in " ".join(capsys.readouterr().out.split())
