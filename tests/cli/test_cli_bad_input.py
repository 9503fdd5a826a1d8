"""Bad files at the command line: one message with the place, exit code 31 or 34, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_tools import call, files
from places import FIXTURES
from widthwise.classical.examples import EXAMPLES
from widthwise.cli.main import main

DOMAIN = EXAMPLES["corridor"].domain()
PROBLEM = EXAMPLES["corridor"].problem(length=2)
# domain, problem, exit code, words of the message
BAD: dict[str, tuple[str | bytes, str | bytes, int, str]] = {
    "empty domain": ("", PROBLEM, 31, "domain.pddl"),
    "empty problem": (DOMAIN, "", 31, "problem.pddl"),
    "binary": (bytes(range(256)) * 10, PROBLEM, 31, "domain.pddl"),
    "nul bytes": (DOMAIN, b"\0" * 1000, 31, "problem.pddl"),
    "a parenthesis is missing": (DOMAIN.rstrip()[:-1], PROBLEM, 31, "never closed"),
    "a parenthesis too many": (DOMAIN + ")", PROBLEM, 31, "domain.pddl:"),
    "files exchanged": (PROBLEM, DOMAIN, 31, "domain.pddl:"),
    "another domain": (DOMAIN, PROBLEM.replace(":domain corridor", ":domain gripper"), 31, "gripper"),
    "another domain with other types": (EXAMPLES["gripper"].domain(), PROBLEM, 31, "belongs to domain 'corridor'"),
    "undeclared predicate": (DOMAIN.replace("(have-key))", "(hav-key))", 1), PROBLEM, 31, "'have-key'"),
    "undeclared object": (DOMAIN, PROBLEM.replace("(at p0)", "(at p9)"), 31, "p9"),
    "undeclared type": (DOMAIN, PROBLEM.replace("- position", "- place"), 31, "place"),
    "wrong arity": (DOMAIN, PROBLEM.replace("(at p0)", "(at p0 p1)"), 31, "argument"),
    "declared twice": (DOMAIN.replace("take-key", "walk"), PROBLEM, 31, "twice"),
    "not PDDL": ("hello", "world", 31, "domain.pddl:1:1"),
    "very deep": ("(" * 100_000, PROBLEM, 31, "domain.pddl"),
    "durative action": (DOMAIN.replace("(:action walk", "(:durative-action walk"), PROBLEM, 34, "durative"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_files_have_one_message_and_no_traceback(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, problem, code, words = BAD[case]
    paths = []
    for name, text in (("domain.pddl", domain), ("problem.pddl", problem)):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(str(tmp_path / name))
    for command in (["solve"], ["ground"], ["solve", "--json"]):
        assert main([command[0], *paths, *command[1:]]) == code
        messages = capsys.readouterr()
        assert messages.out == ""
        assert messages.err.startswith("widthwise: ")
        assert words in messages.err
        assert "Traceback" not in messages.err


def test_files_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem = files(tmp_path, "corridor")
    for paths in ([domain, "nothing.pddl"], ["nothing.pddl", problem], [str(tmp_path), problem]):
        assert main(["solve", *paths]) == 31
        assert capsys.readouterr().err.startswith("widthwise: ")


def test_a_process_ends_the_same_way(tmp_path: Path) -> None:
    domain, problem = files(tmp_path, "corridor")
    ended = call("solve", domain, domain)
    assert ended.code == 31
    assert "Traceback" not in ended.err
    assert call("solve", problem, problem).code == 31
    assert call("solve").code == 2


#: Commands that are given a folder where they read a file, or a file where they want a folder, and what they say.
CONFUSED = [
    ("solve {folder} {problem}", "{folder}: this is a directory, not a PDDL domain file", 31),
    ("solve {domain} {folder}", "{folder}: this is a directory, not a PDDL problem file", 31),
    ("solve {domain}/x {problem}", "{domain}/x: there is no such file; a part of its path is a file", 31),
    ("profile {domain} {folder}", "{folder}: this is a directory, not a PDDL problem file", 31),
    ("ground {folder} {problem}", "{folder}: this is a directory, not a PDDL domain file", 31),
    ("validate {domain} {problem} {folder}", "{folder}: this is a directory, not a plan file", 31),
    ("verify-certificate {domain} {problem} {folder}", "{folder}: this is a directory, not a certificate file", 31),
    ("validate {domain} {problem} {binary}", "{binary}: this is a binary file, not a plan file", 31),
    ("play maze:{folder}", "{folder}: this is a folder, not a file", 31),
    ("check-env maze:{folder}", "{folder}: this is a folder, not a file", 31),
    ("play maze:/dev/zero", "/dev/zero: this is not a regular file", 31),
    ("play maze-small --policy {domain}", "{domain}: this is not a run folder: it is a file", 31),
    ("play maze-small --record {folder}", "{folder} is a folder; give the name of a file", 2),
    ("train --resume {domain}", "{domain}: this is not a run folder: it is a file", 31),
    ("train --resume {folder}/none", "{folder}/none: this is not a run folder: there is no such folder", 31),
    ("train maze-small --interactions 10 --out {domain}", "{domain} is a file, not a folder", 2),
    ("report {domain}", "{domain}: this is a file, not a run folder", 31),
    ("examples ferry --out {domain}", "{domain} is a file, not a folder", 2),
    (
        "bench classical --benchmarks {domain} --out {folder}/run",
        "{domain}: this is a file, not a folder of benchmarks",
        31,
    ),
    ("bench classical --benchmarks {folder}/none --out {folder}/run", "{folder}/none: there is no such folder", 31),
    ("bench classical --suite all --benchmarks {tasks} --out {domain}", "{domain} is a file, not a folder", 2),
    ("bench classical --suite all --benchmarks {tasks} --resume --out {domain}", "{domain} is a file, not a folder", 2),
]


@pytest.mark.parametrize(("command", "expected", "code"), CONFUSED, ids=[command for command, _, _ in CONFUSED])
def test_folders_given_as_files_and_files_given_as_folders_are_named_as_such(
    command: str, expected: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "train" in command or "--policy" in command:
        pytest.importorskip("torch")
    example = EXAMPLES["corridor"]
    places = {name: tmp_path / name for name in ("domain", "problem", "folder", "binary")}
    places["domain"].write_text(example.domain())
    places["problem"].write_text(example.problem())
    places["folder"].mkdir()
    places["tasks"] = FIXTURES / "0.1.0" / "tasks"
    places["binary"].write_bytes(b"\x00\x01\x02")
    assert main(command.format(**places).split()) == code
    messages = capsys.readouterr()
    assert messages.out == "" and messages.err.startswith("widthwise: ")
    assert expected.format(**places) in messages.err
