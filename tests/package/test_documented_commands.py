"""Every command in README, docs and help texts is parsed, and all that do not take long are run for success.

A command succeeds if it does what its text promises: a plan that the validator accepts, a maze that is solved, a page
that is HTML, a film with frames. What is not run is listed in `NOT_RUN`, with the reason. Commands inside sentences are
often parts of one, such as `widthwise solve --first`: their options are looked up, and those that are whole are run.
The blocks of docs/results say how long measurements were made: they are parsed only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench_tools import make_benchmarks
from cli_tools import TORN, files
from places import ROOT
from widthwise.cli.main import make_parser

RESULTS = sorted(ROOT.glob("docs/results/*.md"))
#: All pages of the site except the results.
DOCS = sorted({*ROOT.glob("docs/**/*.md")} - {*RESULTS})
PAGES = (*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")), *DOCS)
#: A command in backticks inside a sentence, perhaps over the end of a line.
INLINE = re.compile(r"`(widthwise\s[^`]+)`")
#: What stands for something else in a command: `DIR`, `[--json]`, `DIR...`, `$seed`.
PLACEHOLDER = re.compile(r"\[|\.\.\.|…|\$|\b[A-Z]{1,}\b")
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)

#: Commands that are only parsed, by how they begin, with the reason.
NOT_RUN = {
    "widthwise train ": "trains for minutes or hours; tests/training/test_train.py runs short trainings",
    "widthwise bench mazes": "trains for hours; tests/experiments/test_bench_learning.py runs a small suite",
    "widthwise bench atari": "trains for hours",
    "widthwise report runs/mazes": "needs hours of training; tests/reports/test_training_report.py reports small runs",
    "widthwise watch": "serves until Ctrl-C; tests/reports/test_live.py serves and ends it",
    "widthwise play maze-small --policy": "needs a trained network; tests/training/test_train.py plays with one",
    "widthwise play atari:": "plays for minutes; tests/simulators/test_atari.py plays shorter",
    "widthwise demo atari": "takes minutes; tests/exploration/test_search.py searches shorter",
    "widthwise search maze-small --interactions 20_000 --policy": (
        "needs a trained network; tests/exploration/test_followed_policy.py follows one"
    ),
    "widthwise search atari:": "takes minutes; tests/exploration/test_search.py searches shorter",
    "widthwise check-env atari:": "takes long; tests/simulators/test_atari.py checks games",
    "widthwise serve": "does not end by itself; docs/guide/serve.md and tests/service run it",
    "widthwise bench classical --benchmarks ~/benchmarks": "needs the collection of the planning competitions",
    "widthwise bench classical --domains blocks,depot": "needs the collection of the planning competitions",
    "widthwise bench classical --suite whole --benchmarks my-tasks --max-time 60 --out runs/mine --against": (
        "needs Fast Downward; tests/experiments/test_bench_whole.py runs other planners"
    ),
}
#: The score of episodes that do not solve their maze; the pages say why.
SCORES = {"widthwise play maze-large --tiles 4x4 --budget 300 --nodes 2000": 0}
#: Exit codes that are not 0, by how the command begins.
CODES = {
    "widthwise solve corridor/domain.pddl corridor/problem.pddl --planner iw --width 1": 12,  # the README says why
    "widthwise solve domain.pddl problem.pddl --certificate": 11,
}


def texts() -> Iterator[str]:
    """The code blocks of the pages, and the help of every command."""
    for path in (ROOT / "README.md", *DOCS):
        yield from BLOCK.findall(path.read_text(encoding="utf-8"))
    parsers: list[argparse.ArgumentParser] = [make_parser()]
    while parsers:
        parser = parsers.pop(0)
        yield parser.format_help()
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += dict.fromkeys(action.choices.values())


def commands() -> list[str]:
    """All commands, each once, in the order of the pages."""
    result: dict[str, None] = {}
    for text in texts():
        for line in re.sub(r"\\\n\s*", "", text).splitlines():
            if re.match(r"\s*widthwise [a-z]", line) and not re.match(r"\s*widthwise \w+ (\[|[A-Z])", line):
                result[re.split(r"\s{2,}", line.strip())[0]] = None  # what follows is an explanation
    return list(result)


def inline_commands() -> list[str]:
    """The commands inside sentences of all pages, each once."""
    result = [call for page in (*PAGES, *RESULTS) for call in INLINE.findall(BLOCK.sub("", page.read_text("utf-8")))]
    return list(dict.fromkeys(" ".join(call.split()) for call in result))


def result_commands() -> list[str]:
    """The commands in the blocks of the pages of results, each once, with a number for each variable of the shell."""
    result: dict[str, None] = {}
    for page in RESULTS:
        for block in BLOCK.findall(page.read_text("utf-8")):
            for line in re.sub(r"\\\n\s*", "", block).splitlines():
                if (at := line.find("widthwise ")) >= 0 and not line[:at].strip(" $;do"):
                    result[re.sub(r"\$\w+", "1", line[at:]).strip()] = None
    return list(result)


def runs_inline() -> list[str]:
    """The commands inside sentences that are whole: neither a part of one nor with something to fill in."""
    return [call for call in inline_commands() if not PLACEHOLDER.search(call) and is_whole(call)]


def is_whole(call: str) -> bool:
    """Whether a command has all that it needs; `widthwise play` alone is the name of one."""
    if len(call.split()) < 3:
        return False
    try:
        make_parser().parse_args(shlex.split(call)[1:])
    except SystemExit as ended:
        return not ended.code  # the help, or the version
    return True


def parser_of(words: list[str]) -> argparse.ArgumentParser:
    """The parser of the command that words begin with."""
    parser = make_parser()
    for word in words:
        below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if not below or word.startswith("-"):
            break
        assert word in below[0].choices, f"there is no command {word} ({' '.join(words)})"
        parser = below[0].choices[word]
    return parser


def reason_not_to_run(command: str) -> str | None:
    return next((reason for begin, reason in NOT_RUN.items() if command.startswith(begin)), None)


def test_every_command_is_one_that_the_program_knows() -> None:
    result = commands()
    assert len(result) > 40
    for command in result:
        for call in command.split(" | "):
            words = shlex.split(call)
            assert words[0] == "widthwise"
            make_parser().parse_args(words[1:])  # leaves with exit code 2 if it is wrong


def test_commands_inside_sentences_have_only_options_that_exist() -> None:
    result = inline_commands()
    assert len(result) > 25
    for call in result:
        words = shlex.split(re.sub(r"[\[\]]|\.\.\.|…", " ", call))[1:]
        parser = parser_of(words)
        for word in words:
            if word.startswith("-") and not re.fullmatch(r"-[\d.]*", word):
                assert word.partition("=")[0] in parser._option_string_actions, f"{call}: there is no option {word}"


def test_the_commands_of_published_results_are_still_understood() -> None:
    result = result_commands()
    assert len(result) > 15
    for call in result:
        make_parser().parse_args(shlex.split(call, comments=True)[1:])


def test_an_option_that_was_removed_is_noticed_in_a_part_of_a_command() -> None:
    assert "--first" in parser_of(["solve", "--first"])._option_string_actions
    assert "--last" not in parser_of(["solve", "--last"])._option_string_actions
    assert "--suite" in parser_of(["bench", "classical", "--suite", "whole"])._option_string_actions
    with pytest.raises(AssertionError, match="no command slove"):
        parser_of(["slove"])


def test_every_reason_not_to_run_a_command_is_needed() -> None:
    for begin in NOT_RUN:
        assert any(command.startswith(begin) for command in commands()), f"no text has a command {begin}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the texts speak of."""
    folder = tmp_path_factory.mktemp("documented")
    make_benchmarks(folder / "my-tasks")
    files(folder, "corridor")
    unsolvable = folder / "unsolvable"
    unsolvable.mkdir()
    (unsolvable / "domain.pddl").write_bytes((folder / "domain.pddl").read_bytes())
    (unsolvable / "problem.pddl").write_text(TORN, encoding="utf-8")
    return folder


def run(command: str, place: Path) -> str:
    """Run a command in a shell and return what it printed on stdout."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "COLUMNS": "80", "WIDTHWISE_BENCHMARKS": str(place / "my-tasks")}
    folder = place / "unsolvable" if "certificate" in command else place
    ended = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    code = next((code for begin, code in CODES.items() if command.startswith(begin)), 0)
    assert ended.returncode == code, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def check(command: str, out: str, place: Path) -> None:
    """Whether a command has done what it promises."""
    words = shlex.split(command)
    if "--help" in words:
        assert out.startswith(f"usage: {' '.join(words[:-1])} ")
        return
    plan = [line for line in out.splitlines() if not line.startswith(";")]
    if words[1] == "solve" and "|" not in words and "--each-goal" not in words and out:
        assert plan and plan[0].startswith("("), f"{command} printed no plan:\n{out}"
    if words[1] == "solve" and out.startswith("("):
        (place / "checked.txt").write_text(out, encoding="utf-8")
        assert run(f"widthwise validate {words[2]} {words[3]} checked.txt", place).startswith("valid: ")
    if "validate" in words:
        assert out.startswith("valid: ")
    if words[1] == "play" and "--preset" not in words:  # the paper's settings do not always solve a maze
        score = SCORES.get(command, 1)
        assert f"score {score} " in out, f"{command} did not end with the score {score}:\n{out}"
    if "--record" in words:
        lines = (place / words[words.index("--record") + 1]).read_text(encoding="utf-8").splitlines()
        assert json.loads(lines[0])["kind"] == "header" and len(lines) > 2
    if "--gif" in words:
        from PIL import Image

        with Image.open(place / words[words.index("--gif") + 1]) as film:
            assert film.format == "GIF" and film.n_frames > 1  # type: ignore[attr-defined]
    if words[1] == "report" and "--out" in words:
        page = (place / words[words.index("--out") + 1]).read_text(encoding="utf-8")
        assert page.lower().startswith("<!doctype html") and "</html>" in page
    if "--plot" in words:
        assert (place / words[words.index("--plot") + 1]).read_bytes().startswith(b"\x89PNG")
    if words[1] == "check-env":
        assert "failed" not in out.lower()


@pytest.mark.slow
def test_commands_do_what_they_promise(place: Path) -> None:
    """In one test, because later commands use what earlier ones have written."""
    for command in dict.fromkeys([*commands(), *runs_inline()]):
        if reason_not_to_run(command) is None:
            check(command, run(command, place), place)
