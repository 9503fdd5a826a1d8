"""Run folders of released versions: later versions read them, or refuse them by the name of the version."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from places import FIXTURES, SUPPORT
from widthwise.cli.main import main
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
def test_a_training_run_of_a_released_version_goes_on_or_is_refused_by_name(
    version: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = training(version, tmp_path)
    before = {name: (folder / name).read_bytes() for name in ("episodes.jsonl", "evaluations.jsonl")}
    config = upgrade_config(json.loads((folder / "config.json").read_text()))["configuration"]
    code = main(["train", WORLD, "--resume", str(folder), "--interactions", "400", "--quiet"])
    said = capsys.readouterr().err
    if version.name != __version__:
        assert code == 31 and f"made by Widthwise {version.name}, and this is {__version__}" in said
        assert {name: (folder / name).read_bytes() for name in before} == before
        return
    assert code == 0, said
    assert json.loads((folder / "result.json").read_text())["interactions"] >= 400
    for name, was in before.items():
        now = (folder / name).read_bytes()
        assert now.startswith(was) and len(now) > len(was)
    after = json.loads((folder / "config.json").read_text())["configuration"]
    assert after == config  # its own, whatever the defaults are now


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
    for folder in folders:
        page = tmp_path / f"{folder.name}.html"
        assert main(["report", str(folder), "--out", str(page)]) == 0, capsys.readouterr().err
        assert folder.name in page.read_text()


@pytest.mark.parametrize("name", ["classical", "whole"])
@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_a_suite_of_a_released_version_goes_on_or_is_refused_by_what_differs(
    version: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = suite(version, name, tmp_path)
    (folder / "result.json").unlink()
    whole = lines(folder / "results.jsonl")
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in whole[:-1]))
    call = ["bench", "classical", "--benchmarks", str(version / "tasks"), "--workers", "1", "--out", str(folder)]
    if name == "classical":
        call += ["--suite", "all", "--planner", "iw:2", "--planner", "ihiw:1,1", "--seeds", "1"]
    else:
        other = "other=widthwise solve {domain} {problem} --planner bfs --plan-out {plan}"
        call += ["--suite", "whole", "--planner", "auto", "--max-time", "20", "--against", other]
    code = main([*call, "--resume"])
    said = capsys.readouterr().err
    if code:
        assert code == 2 and "was made with other settings" in said and " was " in said
        return
    assert len(lines(folder / "results.jsonl")) == len(whole)
    assert (folder / "result.json").exists()
    if name == "classical":
        assert lines(folder / "results.jsonl")[-1]["status"] == whole[-1]["status"]
