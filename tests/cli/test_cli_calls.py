"""Wrong calls are answered with what was probably meant, and with the help of their own command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench_tools import make_benchmarks
from cli_tools import files, on_terminal
from places import ROOT
from widthwise.cli.main import make_parser
from widthwise.core.errors import MissingExtraError, install_line
from widthwise.core.showing import counted, setting


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as raised:
        make_parser().parse_args(arguments)
    assert raised.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "meant", "help_of"),
    [
        (["slove", "d", "p"], "solve", "widthwise"),
        (["solve", "d", "p", "--planr", "iw"], "--planner", "widthwise solve"),
        (["solve", "d", "p", "--max-node=3"], "--max-nodes", "widthwise solve"),
        (["solve", "d", "p", "--planner", "ihwi"], "ihiw", "widthwise solve"),
        (["play", "maze-small", "--tile", "4x4"], "--tiles", "widthwise play"),
        (["train", "maze-small", "--interaction", "3"], "--interactions", "widthwise train"),
        (["bench", "clasical"], "classical", "widthwise bench"),
        (["bench", "classical", "--out", "x", "--planers", "iw"], "--planner", "widthwise bench classical"),
        (["report", "x", "--ot", "y"], "--out", "widthwise report"),
        (["examples", "corridor", "--sizes", "a=3"], "--size", "widthwise examples"),
    ],
)
def test_what_was_meant_is_suggested(
    arguments: list[str], meant: str, help_of: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, *arguments)
    assert f"did you mean {meant}?" in said
    assert f"(see `{help_of} --help`)" in said


def test_what_is_like_nothing_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "solve", "d", "p", "--zzz")
    assert "unknown option --zzz\n" in said
    assert "unknown argument q\n" in refused(capsys, "validate", "d", "p", "plan", "q")


def test_options_for_solve_may_begin_with_dashes() -> None:
    parse = make_parser().parse_args
    base = ["bench", "classical", "--out", "x", "--suite", "whole"]
    for words in (["--options", "--first"], ["--options=--first"], ["--options", "--first --seed 1"]):
        assert parse([*base, *words, "--seeds", "2"]).options == words[-1].removeprefix("--options=")
    assert parse([*base, "--options", "--first", "--seeds", "2"]).seeds == 2


def test_auto_runs_beside_another_planner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from widthwise.cli.main import main

    folder = make_benchmarks(tmp_path / "benchmarks")
    call = [
        "bench",
        "classical",
        "--suite",
        "whole",
        "--benchmarks",
        str(folder),
        "--first",
        "1",
        "--domains",
        "gripper",
    ]
    other = ["--against", "other=false {domain} {problem} {plan}"]
    assert main([*call, *other, "--out", str(tmp_path / "both")]) == 0
    out = capsys.readouterr().out
    assert "auto: 1 solved" in out and "other: 0 solved" in out and "both: 1 problem\n" in out
    assert main([*call, *other, "--planner", "none", "--out", str(tmp_path / "other")]) == 0
    assert "auto:" not in capsys.readouterr().out
    assert main([*call, "--planner", "none", "--out", str(tmp_path / "nothing")]) == 2
    assert "--against" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "both"), "--out", str(tmp_path / "page.html")]) == 0
    first = capsys.readouterr().out
    (tmp_path / "runs").mkdir()
    (tmp_path / "both").rename(tmp_path / "runs" / "both")
    assert main(["report", str(tmp_path / "runs")]) == 0  # the folder that the run folder is in
    assert capsys.readouterr().out == first
    for wrong, words in (("benchmarks", "contains none"), ("missing", "does not exist"), ("page.html", "is a file")):
        assert main(["report", str(tmp_path / wrong)]) == 31
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(("option", "name"), [("--gif", "x.png"), ("--gif", "x"), ("--mp4", "x.gif")])
def test_a_film_of_another_format_is_refused(
    option: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from widthwise.cli.main import main

    assert main(["play", "maze-small", option, str(tmp_path / name)]) == 2
    assert "that ends in" in capsys.readouterr().err


def test_the_live_line_names_the_search_and_its_count_never_falls(tmp_path: Path) -> None:
    ended = on_terminal("solve", *files(tmp_path, "8puzzle", side=4), "--max-nodes", "900000", "--planner", "siw")
    ended.err += on_terminal("solve", *files(tmp_path, "8puzzle", side=5), "--max-time", "4").err
    lines = re.findall(r"\x1b\[K([^\r\x1b]*): ([\d,]+) nodes?, ", ended.err)
    assert len(lines) > 3
    counts: dict[bool, list[int]] = {True: [], False: []}
    for name, number in lines:
        assert name
        counts[name.startswith("SIW")].append(int(number.replace(",", "")))
    for numbers in counts.values():
        assert numbers == sorted(numbers)
    assert {name for name, _ in lines} - {"auto", "SIW(2)"}  # searches that auto runs


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(number, "step") for number in (0, 1, 2, 1000)] == ["0 steps", "1 step", "2 steps", "1,000 steps"]
    assert counted(1, "line is", "lines are") == "1 line is"


def test_no_message_prints_a_dict() -> None:
    assert setting({"tiles": [4, 4], "value": False, "seed": None}) == "tiles=[4, 4], value=off, seed=none"
    assert setting({}) == "none"


def test_there_is_one_install_line() -> None:
    """Every text that says how to install an extra says it as messages do, and names an extra that exists."""
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.py")]
    texts += (ROOT / "src").rglob("*.py")
    for path in texts:
        for line, extra in re.findall(r"(pip install [^`\n)\"]*\[([a-z{}]+)\]'?)", path.read_text(encoding="utf-8")):
            assert line == install_line(extra), f"{path} says {line}"
            assert extra == "{extra}" or extra in extras, f"{path} names the extra {extra}"
    assert install_line("video") in str(MissingExtraError("a film", "video"))
