"""The command line: which call ends with which exit code, and what it prints."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path

import pytest

from cli_tools import LOCKED, TORN, call, environment, files, texts
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.load import load
from widthwise.cli.main import main
from widthwise.cli.planner_options import patterns
from widthwise.core.errors import UsageError
from widthwise.portfolio.registry import CHOICES, make_planner, parse_choices
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW
from widthwise.version import __version__

KEY = ["--planner", "hiw", "--width", "1,1", "--high", "(have-key)"]
# task, arguments of solve, exit code, status
SOLVE = [
    ("corridor", [], 0, "solved"),
    ("corridor", ["--planner", "iw"], 12, "exhausted"),
    ("corridor", ["--planner", "iw", "--width", "1"], 12, "exhausted"),
    ("corridor", ["--planner", "iw", "--width", "2"], 0, "solved"),
    ("corridor", ["--planner", "iw", "--width", "3"], 0, "solved"),
    ("corridor", ["--planner", "iw", "--width", "n"], 0, "solved"),
    ("corridor", ["--planner", "bfs"], 0, "solved"),
    ("corridor", KEY, 0, "solved"),
    ("corridor", [*KEY[:2], *KEY[4:]], 0, "solved"),
    ("corridor", ["--planner", "hiw", "--high", "have-key"], 0, "solved"),
    ("corridor", ["--planner", "hiw", "--high", "(have-key) (key-at *)"], 0, "solved"),
    ("corridor", [*KEY, "--high", "(key-at p5)"], 0, "solved"),
    (
        "corridor",
        ["--planner", "hiw", "--width", "1,1,1", "--high", "(have-key)", "--high", "(at *)"],
        0,
        "solved",
    ),
    ("corridor", ["--planner", "hiw", "--width", "1,1", "--high", "(at *)"], 12, "exhausted"),
    ("corridor", ["--planner", "hiw", "--width", "n,n", "--high", "(key-at *)"], 0, "solved"),
    ("corridor", ["--planner", "ihiw"], 0, "solved"),
    ("corridor", ["--planner", "ihiw", "--width", "1,1", "--seed", "5"], 0, "solved"),
    ("corridor", ["--planner", "ihiw", "--relevance", "task"], 0, "solved"),
    ("corridor", ["--planner", "ihiw", "--ihiw", "pick=random,negated=yes, rebuild=new"], 0, "solved"),
    ("corridor", ["--planner", "ihiw", "--ihiw", "low-order=depth-first,high-order=depth-first"], 0, "solved"),
    ("corridor", ["--planner", "iw", "--width", "2", "--relevance", "goal"], 0, "solved"),
    ("corridor", ["--goal", "(at p3)"], 0, "solved"),
    ("corridor", ["--goal", "(at p3)", "--goal", "(have-key)"], 0, "solved"),
    ("corridor", ["--goal", "(and (at p3) (not (have-key)))"], 0, "solved"),
    ("corridor", ["--goal", "(at p0)"], 0, "solved"),
    ("corridor", ["--goal", "(at p0)", "--goal", "(at p1)"], 11, "unsolvable"),
    ("corridor", ["--planner", "bfs", "--max-nodes", "5"], 12, "out-of-nodes"),
    ("corridor", ["--planner", "iw", "--width", "2", "--max-nodes", "1"], 12, "out-of-nodes"),
    ("corridor", ["--max-nodes", "30"], 12, "out-of-nodes"),
    ("corridor", ["--max-time", "0.0000001"], 23, "out-of-time"),
    ("corridor", ["--max-memory", "0.0001"], 22, "out-of-memory"),
    ("corridor", ["--max-memory", "500", "--max-time", "100", "--max-nodes", "1e6"], 0, "solved"),
    ("torn", ["--planner", "bfs"], 11, "unsolvable"),
    ("torn", ["--planner", "auto"], 11, "unsolvable"),
    ("torn", ["--planner", "iw", "--width", "2"], 12, "exhausted"),
    ("torn", ["--planner", "ihiw"], 12, "exhausted"),
    ("torn", ["--planner", "ihiw", "--ihiw", "stuck=stop,entry-in-table=no"], 12, "exhausted"),
    ("torn", KEY, 12, "exhausted"),
    ("locked", ["--planner", "iw"], 11, "unsolvable"),
    # Limits and widths that no run could reach are no limits.
    ("corridor", ["--max-nodes", "1e30", "--max-memory", "1e30"], 0, "solved"),
    ("corridor", ["--planner", "iw", "--width", "99999999999"], 0, "solved"),
]
WRONG = [
    [],
    ["solve"],
    ["sovle"],
    ["solve", "{domain}"],
    ["solve", "{domain}", "{problem}", "--planner", "astar"],
    ["solve", "{domain}", "{problem}", "--planner", "iw", "--width", "0"],
    ["solve", "{domain}", "{problem}", "--planner", "iw", "--width", "1,1"],
    ["solve", "{domain}", "{problem}", "--planner", "iw", "--width", "two"],
    ["solve", "{domain}", "{problem}", "--planner", "ihiw", "--width", "30,1"],
    ["solve", "{domain}", "{problem}", "--planner", "ihiw", "--ihiw", "pick=first"],
    ["solve", "{domain}", "{problem}", "--planner", "ihiw", "--ihiw", "negated"],
    ["solve", "{domain}", "{problem}", "--planner", "ihiw", "--ihiw", "pick=last,pick=last"],
    ["solve", "{domain}", "{problem}", "--planner", "ihiw", "--ihiw", ""],
    ["solve", "{domain}", "{problem}", "--planner", "iw", "--ihiw", "pick=last"],
    ["solve", "{domain}", "{problem}", "--planner", "bfs", "--width", "2"],
    ["solve", "{domain}", "{problem}", "--planner", "hiw"],
    ["solve", "{domain}", "{problem}", "--planner", "hiw", "--high", "(hold *)"],
    ["solve", "{domain}", "{problem}", "--planner", "hiw", "--high", "(have-key"],
    ["solve", "{domain}", "{problem}", "--planner", "hiw", "--high", ""],
    ["solve", "{domain}", "{problem}", "--planner", "iw", "--high", "(have-key)"],
    ["solve", "{domain}", "{problem}", "--planner", "hiw", "--width", "1,1,1", "--high", "(have-key)"],
    ["solve", "{domain}", "{problem}", "--max-nodes", "0"],
    ["solve", "{domain}", "{problem}", "--max-nodes", "-5"],
    ["solve", "{domain}", "{problem}", "--max-time", "soon"],
    ["solve", "{domain}", "{problem}", "--max-memory", "nan"],
    ["solve", "{domain}", "{problem}", "--seed", "-1"],
    ["solve", "{domain}", "{problem}", "--relevance", "all"],
    ["solve", "{domain}", "{problem}", "--plan-out", "no/such/folder/plan"],
    ["solve", "{domain}", "{problem}", "--plan-out", "."],
    ["solve", "{domain}", "{problem}", "--each-goal", "--plan-out", "plan"],
    ["solve", "{domain}", "{problem}", "--max", "5"],
    ["validate", "{domain}", "{problem}"],
    ["ground", "{domain}", "{problem}", "--max-nodes", "5"],
    ["bounds", "1", "2"],
    ["bounds", "5", "-2", "1"],
    ["bounds", "5", "0", "1"],
    ["bounds", "5", "2", "1", "--high", "1", "2"],
    ["examples", "corridoor"],
]


def test_choices_reach_the_planner() -> None:
    planner = make_planner(
        "ihiw", (1, 2), choices=parse_choices("pick=random,stuck=stop,negated=yes,low-order=depth-first")
    )
    assert planner == IHIW(IW(1), IW(2, depth_first=True), pick="random", stuck="stop", negated=True)
    defaults = ",".join(f"{name}={next(iter(values))}" for name, values in CHOICES.items())
    assert make_planner("ihiw", choices=parse_choices(defaults)) == IHIW()


def task(name: str, folder: Path) -> list[str]:
    if name in ("locked", "torn"):
        return texts(folder, EXAMPLES["corridor"].domain(), LOCKED if name == "locked" else TORN)
    return files(folder, name, **({"length": 5} if name == "corridor" else {}))


@pytest.mark.parametrize(("name", "arguments", "code", "status"), SOLVE)
def test_every_call_of_solve_has_its_exit_code(
    name: str,
    arguments: list[str],
    code: int,
    status: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = task(name, tmp_path)
    assert main(["solve", *paths, *arguments]) == code
    messages = capsys.readouterr()
    assert "Traceback" not in messages.err
    if code == 0:
        assert messages.out.splitlines()[-1].startswith("; cost = ")
        (tmp_path / "plan").write_text(messages.out, encoding="utf-8")
        goals = [word for flag, word in pairwise(arguments) if flag == "--goal"]
        wanted = [part for goal in goals for part in ("--goal", goal)]
        assert main(["validate", *paths, str(tmp_path / "plan"), *wanted]) == 0
        capsys.readouterr()
    else:
        assert messages.out == ""
        assert status in messages.err
    assert main(["solve", *paths, *arguments, "--json"]) == code
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == status
    assert (data["plan"] is not None) == (code == 0)
    assert set(data) >= {
        *("status", "planner", "width", "seed", "plan", "cost", "generated", "expanded", "pruned"),
        *("high_level_nodes", "features", "seconds", "memory_mb", "budget"),
    }
    assert set(data["seconds"]) == {"parse", "ground", "search"}
    for run in (data, *data.get("goals", ())):
        moments = [plan["seconds"] for plan in run["plans"]]
        assert moments == sorted(moments)
        assert all(moment <= sum(run["seconds"].values()) for moment in moments)
        assert all(moment >= run["seconds"]["parse"] + run["seconds"]["ground"] for moment in moments)


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_usage_is_one_message_and_exit_code_2(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    domain, problem = task("corridor", tmp_path)
    try:
        code = main([argument.format(domain=domain, problem=problem) for argument in arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    messages = capsys.readouterr()
    assert code == 2
    assert messages.out == ""
    assert messages.err.startswith("widthwise: ")
    assert messages.err.count("widthwise: ") == 1
    assert "Traceback" not in messages.err


@pytest.mark.parametrize("planner", ["auto", "bfs", "iw:1", "iw:2", "hiw:1,1", "ihiw:1,1", "ihiw:1,2", "ihiw:n,1"])
@pytest.mark.parametrize("name", list(EXAMPLES))
def test_every_planner_runs_on_every_bundled_task(
    name: str, planner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = files(tmp_path, name)
    kind, _, width = planner.partition(":")
    arguments = ["--planner", kind, *(["--width", width] if width else []), "--max-nodes", "1000000"]
    if kind == "hiw":  # any feature will do: the first atom of the task
        arguments += ["--high", load(*paths).atoms[0]]
    plan = tmp_path / "plan"
    code = main(["solve", *paths, *arguments, "--plan-out", str(plan)])
    out = capsys.readouterr().out
    assert code == 0 if kind in ("auto", "bfs") else code in (0, 12)
    assert plan.exists() == (code == 0)
    if code == 0:
        assert plan.read_text(encoding="utf-8") == out
        assert main(["validate", *paths, str(plan)]) == 0


def test_each_goal_prints_a_table_and_its_own_objects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, "corridor", length=5)
    assert main(["solve", *paths, "--each-goal", "--planner", "iw"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["goal", "status", "nodes", "plan", "true", "at", "start"],
        ["(at", "p0)", "solved", "1", "0", "yes"],
        ["(have-key)", "solved", "12", "6", "no"],
    ]
    assert main(["solve", *paths, "--each-goal", "--planner", "iw", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "solved"
    assert [(item["goal"], item["true_at_start"], item["generated"]) for item in data["goals"]] == [
        ("(at p0)", True, 1),
        ("(have-key)", False, 12),
    ]
    assert main(["solve", *paths, "--each-goal", "--max-nodes", "3"]) == 12
    assert main(["solve", *paths, "--each-goal", "--max-time", "1e-7"]) == 23
    assert main(["solve", *paths, "--each-goal", "--goal", "(at p2)", "--goal", "(at p3)"]) == 0


def test_several_patterns_in_one_option() -> None:
    assert patterns("(holding *) (clear a)") == ["(holding *)", "(clear a)"]
    assert patterns("have-key") == ["have-key"]
    for wrong in ("(a", "a)", "()) (", "(a) b"):
        with pytest.raises(UsageError):
            patterns(wrong)


def test_the_story_of_a_discovery_is_reported_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *files(tmp_path, "corridor", length=5), "--planner", "ihiw"]) == 0
    messages = " ".join(capsys.readouterr().err.split())
    assert "the atom (have-key) became true" in messages
    assert "2 high-level nodes" in messages


def test_ground_shows_the_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, "corridor", length=2)
    assert main(["ground", *paths]) == 0
    assert "atoms          5 (at 3, key-at 1, have-key 1)" in capsys.readouterr().out
    assert main(["ground", *paths, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert sorted(data["atoms"]) == ["(at p0)", "(at p1)", "(at p2)", "(have-key)", "(key-at p2)"]
    assert len(data["operators"]) == 5
    assert "(walk p0 p1)" in data["operators"]
    assert sorted(data["init"]) == ["(at p0)", "(key-at p2)"]
    assert data["goals"] == ["(at p0)", "(have-key)"]
    assert set(data["seconds"]) == {"parse", "ground"}


@pytest.mark.parametrize(
    ("plan", "code", "said"),
    [
        (
            "(walk p0 p1)\n(walk p1 p2)\n(take-key p2)\n(walk p2 p1)\n(walk p1 p0)\n",
            0,
            "valid: 5 steps, cost 5",
        ),
        ("(walk p0 p1)\n(take-key p1)\n", 1, "step 2"),
        ("(walk p0 p1)\n", 1, "the goal is not reached"),
        ("", 1, "the goal is not reached"),
        ("(wlak p0 p1)\n", 1, "did you mean 'walk'"),
    ],
)
def test_validate_says_why(plan: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, "corridor", length=2)
    (tmp_path / "plan").write_text(plan, encoding="utf-8")
    assert main(["validate", *paths, str(tmp_path / "plan")]) == code
    assert said in capsys.readouterr().out


def test_a_plan_that_is_no_plan_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, "corridor", length=2)
    (tmp_path / "plan").write_text("walk p0 p1\n", encoding="utf-8")
    assert main(["validate", *paths, str(tmp_path / "plan")]) == 31
    assert main(["validate", *paths, str(tmp_path / "nothing")]) == 31
    assert capsys.readouterr().out == ""


def test_the_demo_tells_what_happened(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--no-training"]) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    rows = [line.split() for line in out.splitlines() if line.startswith("  ")]
    assert ["IW(1)", "exhausted", "23", "11", "-"] in rows
    assert ["IW(2)", "solved", "40", "18", "21", "steps"] in rows
    assert "the atom (have-key) became true" in " ".join(out.split())
    assert any(row[:1] == ["HIW(1,1):"] and row[4:7] == ["5", "of", "5"] for row in rows)  # in the maze
    assert sum(line.count("#") for line in out.splitlines()) > 100


def test_hash_seeds_do_not_change_a_byte(tmp_path: Path) -> None:
    paths = files(tmp_path, "blocks", blocks=6)
    for arguments in (
        ["solve", *paths, "--planner", "ihiw", "--each-goal", "--seed", "3", "--json"],
        ["solve", *paths, "--planner", "iw", "--width", "2", "--json", "--relevance", "goal"],
        ["solve", *paths],
        ["ground", *paths, "--json"],
        ["examples"],
    ):
        first, second = (call(*arguments, PYTHONHASHSEED=seed) for seed in ("1", "20"))
        assert first.code == second.code
        if arguments[-1] == "--json" or "--json" in arguments:
            assert without_times(json.loads(first.out)) == without_times(json.loads(second.out))
        else:
            assert first.out == second.out


def without_times(data: object) -> object:
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key not in ("seconds", "memory_mb")}
    return [without_times(item) for item in data] if isinstance(data, list) else data


def test_help_is_quick_and_light() -> None:
    code = "import sys; sys.argv = ['widthwise', '--help']\nfrom widthwise.cli.main import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += "print([name for name in ('numpy', 'torch', 'matplotlib') if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("solve", "validate", "ground", "bounds", "examples", "demo"):
        with pytest.raises(SystemExit) as end:
            main([command, "--help"])
        assert end.value.code == 0
    assert "about 5e8 novel states" in capsys.readouterr().out


def test_version() -> None:
    ended = call("--version")
    assert (ended.code, ended.out) == (0, f"widthwise {__version__}\n")


@pytest.mark.parametrize(("planner", "seed"), [*product(["auto", "bfs", "ihiw"], [0, 1, 7])])
def test_the_same_seed_gives_the_same_plan(
    planner: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = files(tmp_path, "blocks", blocks=5)
    outputs = []
    for _ in range(2):
        main(["solve", *paths, "--planner", planner, "--seed", str(seed)])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert outputs[0] or planner == "ihiw"
