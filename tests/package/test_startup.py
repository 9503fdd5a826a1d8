"""A command loads only what it needs: what would slow down its start is forbidden by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import files
from widthwise.cli.main import COMMANDS, make_parser

#: Packages and parts of the standard library that take long to import.
HEAVY = {
    *("numpy", "torch", "gymnasium", "matplotlib", "PIL", "ale_py", "ray", "unified_planning"),
    *("asyncio", "concurrent", "difflib", "email", "html", "http", "importlib.metadata", "multiprocessing"),
    *("socket", "ssl", "subprocess", "tempfile", "unittest", "urllib.request", "xml"),
    *("decimal", "fractions", "logging"),
}
#: The packages that planning for a PDDL task does not import.
OTHER_PACKAGES = ("experiments", "exploration", "learning", "online", "reports", "simulators", "training", "theory")
PROGRAM = """
import sys
from widthwise.cli.main import main
code = main(sys.argv[1:])
print(*sys.modules, sep="\\n", file=sys.stderr)
sys.exit(code)
"""


def imported(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize("planner", ["auto", "ihiw"])
def test_solve_imports_neither_numpy_nor_other_heavy_modules(tmp_path: Path, planner: str) -> None:
    modules = imported("solve", *files(tmp_path, "corridor"), "--planner", planner)
    assert "widthwise._native" in modules
    assert not modules & HEAVY
    others = tuple(f"widthwise.{package}" for package in OTHER_PACKAGES)
    assert not [name for name in modules if name.startswith(others)]


def test_a_command_imports_no_other_command(tmp_path: Path) -> None:
    modules = imported("solve", *files(tmp_path, "corridor"))
    assert not {f"widthwise.cli.{name}" for name in COMMANDS if name != "solve"} & modules


@pytest.mark.parametrize("command", [name.replace("_", "-") for name in COMMANDS])
def test_the_parser_of_one_command_is_that_of_the_whole_program(command: str) -> None:
    def help_of(parser: object) -> str:
        choices = parser._subparsers._group_actions[0].choices  # type: ignore[attr-defined]
        return str(choices[command].format_help())

    assert help_of(make_parser(command)) == help_of(make_parser())


def test_the_whole_program_is_parsed_if_the_first_word_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser("slove").parse_args(["slove"])
    assert "did you mean solve?" in capsys.readouterr().err
