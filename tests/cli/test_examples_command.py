"""`widthwise examples`: the list of families, the files it writes, and what it refuses."""

import argparse
import re

import pytest

from widthwise.classical.examples import EXAMPLES
from widthwise.cli import examples as command
from widthwise.core.errors import OutputError, UsageError


def call(*arguments):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["examples", *map(str, arguments)])
    assert args.run is command.run
    return command.run(args)


def test_command_lists_all_families(capsys):
    assert call() == 0
    out = capsys.readouterr().out
    for example in EXAMPLES.values():
        assert f"{example.name}: {example.summary}" in out
        assert all(parameter.meaning in out for parameter in example.parameters)


def test_command_describes_one_family(capsys):
    assert call("ferry") == 0
    out, err = capsys.readouterr()
    assert out.startswith("ferry: ") and "cars" in out and "gripper" not in out and not err


def test_command_writes_a_task(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert call("ferry", "--size", "cars=5", "--size", "harbours=4", "--seed", 7, "--out", out) == 0
    assert capsys.readouterr().out.split() == [str(out / "domain.pddl"), str(out / "problem.pddl")]
    assert sorted(file.name for file in out.iterdir()) == ["domain.pddl", "problem.pddl"]
    assert (out / "domain.pddl").read_bytes() == EXAMPLES["ferry"].domain().encode()
    problem = (out / "problem.pddl").read_bytes()
    assert problem == EXAMPLES["ferry"].problem(7, cars=5, harbours=4).encode()

    # The first line of the file is the command that makes it again.
    again = tmp_path / "again"
    words = problem.decode().splitlines()[0].split()
    assert words[:3] == [";", "widthwise", "examples"]
    call(*words[3:], "--out", again)
    assert (again / "problem.pddl").read_bytes() == problem


def test_command_says_when_a_seed_does_nothing(tmp_path, capsys):
    call("corridor", "--seed", 3, "--out", tmp_path)
    assert "--seed has no effect" in capsys.readouterr().err


def test_command_overwrites_only_by_force(tmp_path):
    (tmp_path / "problem.pddl").write_text("mine")
    with pytest.raises(UsageError, match=r"problem\.pddl already exists; --force"):
        call("blocks", "--out", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["problem.pddl"]
    assert (tmp_path / "problem.pddl").read_text() == "mine"
    assert call("blocks", "--out", tmp_path, "--force") == 0
    assert (tmp_path / "problem.pddl").read_text() == EXAMPLES["blocks"].problem()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fery", "--out", "x"], "there is no example 'fery' (did you mean 'ferry'?)"),
        (["xyzzy"], "the examples are corridor, gripper"),
        (["ferry", "--size", "cars"], "takes NAME=VALUE"),
        (["ferry", "--size", "cars=many"], "whole number, not 'many'"),
        (["ferry", "--size", "cars=2", "--size", "cars=3"], "given twice"),
        (["ferry", "--size", "cars=0"], "must be from 1 to 1000"),
        (["ferry", "--size", "seed=1"], "has no size 'seed'"),
        (["ferry", "--seed", "-2"], "a seed must be a whole number"),
        (["--out", "x"], "give the name of an example: one of"),
    ],
)
def test_command_refuses(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "ferry":
        arguments = [*arguments, "--out", "x"]
    with pytest.raises(UsageError, match=re.escape(message)):
        call(*arguments)
    assert not list(tmp_path.iterdir())


def test_command_needs_a_folder_to_write():
    with pytest.raises(UsageError, match="--out DIR"):
        call("ferry", "--size", "cars=2")


def test_command_cannot_write_into_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file, not a folder"):
        call("ferry", "--out", tmp_path / "file")
    with pytest.raises(UsageError, match="cannot write to"):
        call("ferry", "--out", tmp_path / "file" / "below")
    (tmp_path / "problem.pddl").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        call("ferry", "--out", tmp_path, "--force")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "problem.pddl"]


def test_command_leaves_no_drafts_when_writing_fails(tmp_path, monkeypatch):
    def full(self, data):
        self.touch()
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OutputError, match=r"domain\.pddl: cannot be written \(No space left on device\)"):
        call("ferry", "--out", tmp_path)
    assert not list(tmp_path.iterdir())
