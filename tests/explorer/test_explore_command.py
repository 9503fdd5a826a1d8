"""`widthwise explore` and `play --explore`: exit codes, messages, and files that are whole or absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_tools import LOCKED, TORN, call, files, texts
from widthwise.classical.examples import EXAMPLES
from widthwise.cli.main import main


def data_of(path: Path) -> dict:
    text = path.read_text(encoding="utf-8")
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin : text.index("</script>", begin)])


def test_a_page_is_written_and_named(tmp_path):
    out = tmp_path / "page.html"
    done = call("explore", *files(tmp_path, "corridor"), "--planner", "ihiw", "--out", str(out))
    assert (done.code, done.out) == (0, "solved by IHIW(1,1): a plan of 21 steps, 40 nodes generated\n")
    assert done.err == f"{out}: open it in a browser\n"
    assert data_of(out)["status"] == "solved"


@pytest.mark.parametrize(
    ("problem", "options", "code", "status"),
    [
        (None, ["--planner", "iw"], 12, "exhausted"),
        (None, ["--planner", "iw", "--width", "2", "--max-nodes", "5"], 12, "out-of-nodes"),
        (TORN, ["--planner", "bfs"], 11, "unsolvable"),
        (LOCKED, [], 11, "unsolvable"),
        (None, ["--goal", "(at p0)"], 0, "solved"),
        (None, ["--planner", "hiw", "--width", "1,1,1", "--high", "(have-key)", "--high", "(at *)"], 0, "solved"),
        (None, ["--planner", "ihiw", "--ihiw", "negated=yes,rebuild=new", "--seed", "3"], 0, "solved"),
    ],
)
def test_every_end_of_a_search_has_a_page_and_its_exit_code(tmp_path, capsys, problem, options, code, status):
    task = files(tmp_path, "corridor")
    if problem is not None:
        task = texts(tmp_path, EXAMPLES["corridor"].domain(), problem)
    out = tmp_path / "page.html"
    assert main(["explore", *task, *options, "--out", str(out)]) == code
    assert capsys.readouterr().out.startswith(f"{status} by ")
    assert data_of(out)["status"] == status


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "missing/page.html"], "the folder missing does not exist"),
        (["--out", "."], "is a folder; give the name of a file"),
        (["--out", "page.html", "--stage", "7"], "there is no search 7: the run had 2 searches"),
        (["--out", "page.html", "--stage", "0"], "is not plan, all, or the number of a search"),
        (["--out", "page.html", "--planner", "hiw"], "hiw needs high-level features"),
        ([], "--out"),
    ],
)
def test_wrong_usage_is_one_message_and_leaves_no_file(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    done = call("explore", *files(tmp_path, "corridor"), *options)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_cannot_be_written_is_one_message(tmp_path):
    done = call("explore", *files(tmp_path, "corridor"), "--out", "/dev/full")
    assert done.code == 1 and "/dev/full" in done.err and "Traceback" not in done.err
    played = call("play", "corridor", "--quiet", "--max-steps", "2", "--explore", "/dev/full")
    assert played.code == 1 and "score" in played.out and "/dev/full" in played.err


def test_a_limit_before_the_search_is_named_and_no_page_is_written(tmp_path):
    out = tmp_path / "page.html"
    done = call("explore", *files(tmp_path, "corridor"), "--max-memory", "0.001", "--out", str(out))
    assert done.code == 22 and "no page is written" in done.err and not out.exists()
