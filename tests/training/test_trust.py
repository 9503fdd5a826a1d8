"""Reading a run folder runs no code that the folder names, unless whoever reads it has named it as well."""

from __future__ import annotations

import json
import os
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from places import FIXTURES, SUPPORT
from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.training.trust import code_named, names_code, require_trust

WORLD = "tiny_world:TinyWorld"
#: Whatever imports this module leaves a file behind.
TRAP = "from pathlib import Path\nPath('sprung').write_text('')\nfrom tiny_world import TinyWorld\n"


@pytest.fixture(autouse=True)
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that shows whether it was imported, in a folder where Python finds it."""
    (tmp_path / "trap_world.py").write_text(TRAP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(SUPPORT))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "trap_world", raising=False)


def run_folder(tmp_path: Path, **changes: Any) -> Path:
    """A training run whose settings say something else now."""
    with tarfile.open(FIXTURES / "0.1.0" / "training.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "training"
    config = json.loads((folder / "config.json").read_text())
    algorithm = changes.pop("setting", None)
    config["settings"] |= changes
    if algorithm is not None:
        config["algorithm"]["algorithm"]["name"] = algorithm
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


CODE = [
    {"environment": "trap_world:TinyWorld"},
    {"environment": "trap_world:Env-v0"},
    {"environment": "trap_world:some/Env-v0"},
    {"environment": "maze-small", "options": {"features": "trap_world:look"}},
    {"environment": "CartPole-v1", "options": {"inner": {"list": ["trap_world:make"]}}},
    {"environment": "GymV26Environment-v0", "options": {"env_id": "trap_world:Env-v0"}},
    {"environment": "maze-small", "options": {}, "parts": {"high_features": "trap_world:look"}},
    {"environment": "maze-small", "options": {}, "overrides": {"high_features": "trap_world:look"}},
    {"environment": "maze-small", "options": {}, "setting": "trap_world:look"},
]


@pytest.mark.parametrize("changes", CODE, ids=lambda changes: "-".join(map(str, changes.values()))[:50])
@pytest.mark.torch
def test_resuming_imports_nothing_that_only_the_folder_names(
    changes: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run_folder(tmp_path, **changes)
    before = contents(folder)
    assert main(["train", "--resume", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "trap_world" in said or "GymV26" in said
    assert "--trust" in said and "Nothing was run" in said
    assert not (tmp_path / "sprung").exists()
    assert contents(folder) == before


@pytest.mark.torch
def test_the_attack_that_was_reported_runs_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run_folder(tmp_path, environment="os:system", options={"command": "touch sprung"})
    assert main(["train", "--resume", str(folder)]) == 2
    assert "os:system" in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("arguments", [["trap_world:TinyWorld"], ["--trust"]], ids=["repeated", "trusted"])
@pytest.mark.torch
def test_a_name_that_is_repeated_or_a_folder_that_is_trusted_continues(arguments: list[str], tmp_path: Path) -> None:
    folder = run_folder(tmp_path, environment="trap_world:TinyWorld")
    code = main(["train", *arguments, "--resume", str(folder), "--quiet"])
    assert (tmp_path / "sprung").exists()
    assert code == 31  # its checkpoints are of another environment: nothing but the trap has to be sprung


@pytest.mark.torch
def test_another_name_is_no_consent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run_folder(tmp_path, environment="trap_world:TinyWorld")
    assert main(["train", WORLD, "--resume", str(folder)]) == 2
    assert "was started with environment" in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


@pytest.mark.torch
def test_a_run_that_names_no_code_continues_by_its_folder_alone(tmp_path: Path) -> None:
    out = str(tmp_path / "maze")
    small = ["--budget", "5", "--set", "calibration=2", "--network-episodes", "1", "--planner-episodes", "0"]
    small += ["--evaluation-steps", "2", "--quiet"]
    assert main(["train", "corridor", "--interactions", "20", *small, "--out", out]) == 0
    assert main(["train", "--resume", out, "--interactions", "30", "--quiet"]) == 0


@pytest.mark.torch
def test_playing_a_policy_imports_nothing_that_only_the_folder_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run_folder(tmp_path, environment="trap_world:TinyWorld")
    assert main(["play", WORLD, "--policy", str(folder)]) == 2
    assert "was trained in trap_world:TinyWorld" in capsys.readouterr().err
    folder = run_folder(tmp_path, options={"limit": 12, "features": "trap_world:look"})
    assert main(["play", WORLD, "--policy", str(folder)]) == 2
    assert "trap_world:look" in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


def test_reporting_imports_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for changes in CODE:
        folder = run_folder(tmp_path, **changes)  # type: ignore[arg-type]
        assert main(["report", str(folder), "--out", str(tmp_path / "page.html")]) == 0, capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


@pytest.mark.torch
def test_a_suite_of_training_runs_imports_nothing_that_only_its_folders_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite"
    call = ["bench", "mazes", "--environments", WORLD, "--algorithms", "pi-iw", "--seeds", "1", "--interactions", "20"]
    call += ["--budget", "4", "--set", "calibration=2", "--network-episodes", "1", "--planner-episodes", "0"]
    call += ["--workers", "1", "--out", str(out)]
    os.environ["PYTHONPATH"] = str(SUPPORT)
    try:
        assert main(call) == 0, capsys.readouterr().err
        (run,) = (out / "runs").iterdir()
        config = json.loads((run / "config.json").read_text())
        config["settings"]["environment"] = "trap_world:TinyWorld"
        (run / "config.json").write_text(json.dumps(config))
        (out / "results.jsonl").write_text("")
        assert main([*call, "--resume"]) == 0
    finally:
        del os.environ["PYTHONPATH"]
    line = json.loads((out / "results.jsonl").read_text().splitlines()[-1])
    assert "was started with environment" in line["failure"]["reason"]
    assert not (tmp_path / "sprung").exists()


def test_commands_kept_by_a_suite_of_whole_problems_are_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = FIXTURES / "0.1.0"
    out = tmp_path / "whole"
    out.mkdir()
    for name in ("config.json", "results.jsonl"):
        (out / name).write_bytes((version / "whole" / name).read_bytes())
    config = json.loads((out / "config.json").read_text())
    config["settings"]["benchmarks"] = str((version / "tasks").resolve())
    config["settings"]["planners"]["other"] = "touch sprung"
    (out / "config.json").write_text(json.dumps(config))
    (out / "results.jsonl").write_text("")
    call = ["bench", "classical", "--suite", "whole", "--benchmarks", str(version / "tasks"), "--planner", "auto"]
    call += ["--against", "other=true {domain} {problem} {plan}", "--max-time", "20", "--out", str(out), "--resume"]
    assert main(call) == 2
    assert "was made with different settings" in capsys.readouterr().err
    assert not (tmp_path / "sprung").exists()


def test_which_names_name_code() -> None:
    for name in ("os:system", "a.b:c.d", "mod:Env-v0", "mod:name/Env-v0", "GymV21Environment-v0", "a:b:c", ":x", "x:"):
        assert names_code(name), name
    for name in ("maze-small", "maze:walls.txt", "maze:/a/b:c", "atari:pong", "CartPole-v1", "ALE/Pong-v5", "A\nos:x"):
        assert not names_code(name), name
    assert code_named({"environment": "maze-small", "options": {"a": "tiles:4x4", "b": "8:2", "c": "1:x"}}) == []


def test_every_name_has_to_be_repeated(tmp_path: Path) -> None:
    settings = {"environment": "one:make", "options": {"features": "two:look"}}
    require_trust(tmp_path, settings, settings, trust=False, remedy="")
    require_trust(tmp_path, settings, {}, trust=True, remedy="")
    for given in ({}, {"environment": "one:make"}, {"options": {"features": "two:look"}}, {"environment": "two:look"}):
        with pytest.raises(UsageError, match="names code"):
            require_trust(tmp_path, settings, given, trust=False, remedy="")


@pytest.mark.torch
def test_a_link_in_a_run_folder_is_not_followed_when_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    precious = tmp_path / "precious.txt"
    for name in ("episodes.jsonl", "evaluations.jsonl", ".lock"):
        folder = run_folder(tmp_path)
        precious.write_text("keep me\n" * 1000)
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(precious)
        assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 31
        assert "cannot write to the run folder" in capsys.readouterr().err
        assert precious.read_text() == "keep me\n" * 1000
        (folder / name).unlink()
    folder = run_folder(tmp_path)
    (folder / "config.json.part").symlink_to(precious)
    (folder / "checkpoint" / "fresh.ckpt.part").symlink_to(precious)
    (folder / "checkpoint" / "probe.part").symlink_to(precious)
    assert main(["train", WORLD, "--resume", str(folder), "--quiet"]) == 0
    assert precious.read_text() == "keep me\n" * 1000
