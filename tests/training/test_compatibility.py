"""Run folders of released versions: later versions read them, or refuse them by the name of the version."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from places import FIXTURES, ROOT, SUPPORT
from widthwise.cli.main import main
from widthwise.core.continuing import CONTINUED, differences_since
from widthwise.training.checkpoint import CURRENT, FOLDER, About, read_checkpoint, write_checkpoint
from widthwise.training.old_keys import upgrade_config
from widthwise.version import __version__

VERSIONS = sorted(path for path in (FIXTURES).iterdir() if path.is_dir())
WORLD = "tiny_world:TinyWorld"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SUPPORT))


def training(version: Path, folder: Path) -> Path:
    with tarfile.open(version / "training.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "training"


def suite(version: Path, name: str, folder: Path) -> Path:
    """A suite as its version left it, with the place of its tasks as it is here."""
    shutil.copytree(version / name, folder / name)
    config = json.loads((folder / name / "config.json").read_text())
    config["settings"]["benchmarks"] = str((version / "tasks").resolve())
    (folder / name / "config.json").write_text(json.dumps(config))
    return folder / name


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.torch
def test_a_training_run_of_a_released_version_continues_or_is_refused_by_name(
    version: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = training(version, tmp_path)
    before = {name: (folder / name).read_bytes() for name in ("episodes.jsonl", "evaluations.jsonl")}
    was = upgrade_config(json.loads((folder / "config.json").read_text()))
    reached = json.loads((folder / "result.json").read_text())["interactions"]
    call = ["train", WORLD, "--resume", str(folder), "--quiet", "--interactions"]
    code = main([*call, "200"])
    said = capsys.readouterr().err
    if version.name not in CONTINUED:
        assert code == 31 and f"made by Widthwise {version.name}, but this is {__version__}" in said
        assert {name: (folder / name).read_bytes() for name in before} == before
        return
    assert code == 0, said
    assert f"was started by Widthwise {version.name} and continues with {__version__}" in said
    assert all(f"since {version.name}: {sentence}" in said for sentence in differences_since("training", version.name))
    assert json.loads((folder / "result.json").read_text())["interactions"] >= 200
    for name, lines_before in before.items():
        now = (folder / name).read_bytes()
        assert now.startswith(lines_before) and len(now) > len(lines_before)
    config = json.loads((folder / "config.json").read_text())
    assert config["configuration"] == was["configuration"]  # its own, whatever the defaults are now
    assert config["versions"]["widthwise"] == version.name
    (entry,) = config["continued"]
    assert entry["versions"]["widthwise"] == __version__ and entry["interactions"] == reached
    assert read_checkpoint(folder / FOLDER / CURRENT).about["widthwise"] == __version__
    assert main([*call, "260"]) == 0  # from now on it is a run of this version
    assert "was started by" not in capsys.readouterr().err
    assert json.loads((folder / "config.json").read_text())["continued"] == [entry]
    page = tmp_path / "page.html"
    assert main(["report", str(folder), "--out", str(page)]) == 0
    assert f"from {reached} interactions on widthwise {__version__}" in page.read_text()


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.torch
def test_a_training_run_of_a_released_version_continues_with_the_lines_that_version_wrote(
    version: Path, tmp_path: Path
) -> None:
    """`continued` has the lines of the same run, continued to 200 interactions by the version that began it.

    Scores and counts are the same. Processors round the sums of a network differently, and every update adds to it:
    after 25 updates losses differ by up to 1e-3 between an AMD and an Intel processor.
    """
    folder = training(version, tmp_path)
    assert main(["train", WORLD, "--resume", str(folder), "--quiet", "--interactions", "200"]) == 0
    for name, changed in (("episodes.jsonl", set()), ("evaluations.jsonl", {"best"})):
        now, then = lines(folder / name), lines(version / "continued" / name)
        assert len(now) == len(then)
        for ours, theirs in zip(now, then, strict=True):
            for key, value in theirs.items():
                if key not in changed and "second" not in key:
                    assert ours[key] == (pytest.approx(value, rel=1e-2) if isinstance(value, float) else value)


@pytest.mark.torch
def test_a_run_of_an_unknown_version_is_refused_by_name_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = training(VERSIONS[-1], tmp_path)
    path = folder / FOLDER / CURRENT
    kept = read_checkpoint(path)
    write_checkpoint(path, About(**{**kept.about, "widthwise": "99.1"}), kept.data)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert main(["train", WORLD, "--resume", str(folder), "--interactions", "200", "--quiet"]) == 31
    said = capsys.readouterr().err
    assert f"was made by Widthwise 99.1, but this is {__version__}" in said and "start a new run" in said
    assert {file: file.read_bytes() for file in before} == before


def test_every_released_version_is_known_to_the_rule() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## (\d+\.\d+\.\d+)$", changes, flags=re.MULTILINE)
    assert released[0] == __version__
    assert set(released) == set(CONTINUED)
    assert {path.name for path in VERSIONS} == set(released[1:])


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.torch
def test_the_policy_of_a_released_version_can_be_played(
    version: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = training(version, tmp_path)
    for more in ([], ["--network-only"]):
        assert main(["play", WORLD, "--policy", str(folder), "--quiet", "--json", *more]) == 0
        assert json.loads(capsys.readouterr().out)["steps"] > 0


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_every_folder_of_a_released_version_can_be_reported(
    version: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [version / "classical", version / "whole", training(version, tmp_path)]
    with tarfile.open(version / "learning.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folders.append(tmp_path / "learning")
    for folder in folders:
        page = tmp_path / f"{folder.name}.html"
        assert main(["report", str(folder), "--out", str(page)]) == 0, capsys.readouterr().err
        assert folder.name in page.read_text()


@pytest.mark.parametrize("name", ["classical", "whole"])
@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_a_suite_of_a_released_version_continues(
    version: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = suite(version, name, tmp_path)
    (folder / "result.json").unlink()
    whole = lines(folder / "results.jsonl")
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in whole[:-1]))
    call = ["bench", "classical", "--benchmarks", str(version / "tasks"), "--workers", "1", "--out", str(folder)]
    if name == "classical":
        call += ["--suite", "all", "--planner", "iw:2", "--planner", "ihiw:1,1", "--seeds", "1"]
        assert main([*call, "--resume", "--novelty", "values"]) == 2
        assert "novelty was true-atoms, now values" in capsys.readouterr().err
    else:
        other = "other=widthwise solve {domain} {problem} --planner bfs --plan-out {plan}"
        call += ["--suite", "whole", "--planner", "auto", "--max-time", "20", "--against", other]
    code = main([*call, "--resume"])
    said = capsys.readouterr().err
    assert code == 0, said
    assert f"widthwise {version.name} then, {__version__} now" in said
    now = lines(folder / "results.jsonl")
    assert now[:-1] == whole[:-1] and now[-1]["versions"]["widthwise"] == __version__
    assert (folder / "result.json").exists()
    results = ("row", "instance", "planner", "status", "generated", "plan_length", "features")
    if name == "classical":
        assert {key: now[-1][key] for key in results} == {key: whole[-1][key] for key in results}


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
@pytest.mark.torch
def test_a_suite_of_training_runs_of_a_released_version_continues(
    version: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tarfile.open(version / "learning.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "learning"
    whole = lines(folder / "results.jsonl")
    settings = ["--budget", "6", "--set", "batch=8", "--set", "calibration=4", "--set", "replay=50"]
    settings += ["--network-episodes", "1", "--planner-episodes", "0", "--workers", "1"]
    call = [
        "bench",
        "mazes",
        "--environments",
        WORLD,
        "--algorithms",
        "pi-iw",
        "--evaluate-every",
        "20",
        "--seeds",
        "1",
    ]
    code = main([*call, *settings, "--interactions", "60", "--out", str(folder), "--resume"])
    said = capsys.readouterr().err
    assert code == 0, said
    assert f"widthwise {version.name} then, {__version__} now" in said
    assert all(f"since {version.name}: {sentence}" in said for sentence in differences_since("learning", version.name))
    now = lines(folder / "results.jsonl")
    assert now[: len(whole)] == whole and now[-1]["failure"] is None and now[-1]["interactions"] >= 60
    (run,) = (folder / "runs").iterdir()
    (entry,) = json.loads((run / "config.json").read_text())["continued"]
    assert entry["versions"]["widthwise"] == __version__ and entry["interactions"] == whole[0]["interactions"]
