"""Plans and logs of suites: kept in the run folder, and linked by the page of the report."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import widthwise as ww
from bench_tools import make_benchmarks
from widthwise.cli.main import main
from widthwise.experiments import goal_lines
from widthwise.experiments.store import RunStore


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    tasks = make_benchmarks(folder / "tasks")
    call = [
        "bench",
        "classical",
        "--benchmarks",
        str(tasks),
        "--suite",
        "whole",
        "--domains",
        "ferry",
        "--workers",
        "1",
    ]
    crash = "crash=sh -c 'echo cannot do this >&2; exit 7' {domain} {problem} {plan}"
    assert main([*call, "--planner", "auto", "--against", crash, "--max-time", "60", "--out", str(folder / "run")]) == 0
    return folder / "run"


def test_the_plan_and_the_log_of_every_line_are_kept(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {line["planner"]: line for line in map(json.loads, (run / "results.jsonl").read_text().splitlines())}
    assert "files" not in lines["auto"] and "plan_file" not in lines["crash"]
    plan = run / lines["auto"]["plan_file"]
    tasks = run.parent / "tasks" / "ferry"
    assert main(["validate", str(tasks / "domain.pddl"), str(tasks / "p01.pddl"), str(plan)]) == 0
    assert "--planner auto" in (run / lines["auto"]["log_file"]).read_text()
    log = (run / lines["crash"]["log_file"]).read_text()
    assert "exit code 7" in log and "cannot do this" in log


def test_the_page_links_to_them_and_explains_the_failure(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "out" / "page.html"
    assert main(["report", str(run), "--out", str(page)]) == 0
    text = page.read_text()
    links = [unquote(link) for link in re.findall(r'href="([^"#]+\.txt)"', text)]
    assert len(links) == 4  # the log of the failure twice, and the plan and the log of the solved problem
    assert all((page.parent / link).resolve().is_relative_to(run.resolve()) for link in links)
    assert all((page.parent / link).is_file() for link in links)
    assert "it ended with exit code 7: cannot do this" in text
    assert "The planner crashed, or it ended without a plan for another reason" in text


@pytest.mark.parametrize(
    "name", ["../../secret.txt", "javascript:alert(1)", "plans/../config.json", "plans/a b.txt", 7]
)
def test_a_folder_cannot_make_the_page_link_to_other_files(run: Path, tmp_path: Path, name: object) -> None:
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "config.json").write_bytes((run / "config.json").read_bytes())
    lines = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    forge = {"plan_file": name, "log_file": name}
    (forged / "results.jsonl").write_text("".join(json.dumps(line | forge) + "\n" for line in lines))
    page = tmp_path / "page.html"
    assert main(["report", str(forged), "--out", str(page)]) == 0
    assert not re.findall(r'<a href="[^#]', page.read_text())


def test_the_search_of_a_problem_is_a_page_that_the_report_links_to(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WIDTHWISE_BENCHMARKS", raising=False)
    page, tasks = tmp_path / "page.html", str(run.parent / "tasks")
    call = ["report", str(run), "--out", str(page)]
    assert main([*call, "--explore", "ferry p01", "--benchmarks", tasks]) == 0
    (link,) = re.findall(r'href="(page-explore/[^"]+)">explore auto<', page.read_text())
    assert "<html" in (tmp_path / link).read_text()[:200]
    for more, code, message in (
        (["--explore", "ferry p01"], 2, "give --benchmarks DIR"),
        (["--explore", "ferry p99", "--benchmarks", tasks], 2, "no run has this problem"),
        (["--explore", "ferry p01", "--benchmarks", str(run)], 31, "there is no problem p01 to explore"),
    ):
        capsys.readouterr()
        assert main([*call, *more]) == code
        assert message in capsys.readouterr().err
    assert main(["report", str(run), "--explore", "ferry p01"]) == 2


def test_names_of_kept_files_are_plain_and_differ(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run", {"settings": {}}, ("row", "instance"), resume=False)
    for instance in ("../p 1", "../p-1", "x" * 300):
        store.append({"row": "<a>", "instance": instance, "files": {"log": instance}})
    store.close()
    names = [line["log_file"] for line in store.lines]
    assert len(set(names)) == 3
    assert all(re.fullmatch(r"logs/[\w.+-]{1,120}\.txt", name) for name in names)
    assert [(tmp_path / "run" / name).read_text() for name in names] == ["../p 1", "../p-1", "x" * 300]


@pytest.fixture(scope="module")
def goals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of single goals: blocks and gripper, two planners, two seeds, few nodes."""
    folder = tmp_path_factory.mktemp("goals")
    tasks = make_benchmarks(folder / "tasks")
    call = ["bench", "classical", "--benchmarks", str(tasks), "--suite", "all", "--domains", "blocks,gripper"]
    call += ["--planner", "iw:1", "--planner", "auto", "--seeds", "2", "--max-nodes", "60", "--workers", "1"]
    assert main([*call, "--out", str(folder / "run")]) == 0
    return folder / "run"


def kept_plans(text: str) -> dict[str, list[str]]:
    """The plans in a file of single goals, by goal; a goal without a plan has None."""
    plans: dict[str, list[str]] = {}
    for line in text.splitlines()[1:]:
        if line.startswith("; goal "):
            plans[line.removeprefix("; goal ").split(": ")[0]] = []
            goal = list(plans)[-1]
        else:
            plans[goal].append(line)
    return plans


def test_the_plans_of_single_goals_are_kept_and_valid(goals: Path) -> None:
    lines = [json.loads(line) for line in (goals / "results.jsonl").read_text().splitlines()]
    assert len(lines) == 20 and {status for line in lines for status in line["status"]} > {"solved"}
    checked = 0
    for line in lines:
        tasks = goals.parent / "tasks" / line["folder"]
        task = ww.load(tasks / "domain.pddl", tasks / f"{line['instance']}.pddl")
        assert ("plan_file" in line) == ("solved" in line["status"])
        if "plan_file" not in line:
            continue
        plans = kept_plans((goals / line["plan_file"]).read_text())
        assert list(plans) == line["goal"] and "log_file" not in line and "files" not in line
        columns = (line["goal"], line["status"], line["plan_length"], line["generated"])
        for goal, status, length, generated in zip(*columns, strict=True):
            assert len(plans[goal]) == (length or 0)
            if status == "solved":
                assert ww.validate(task, plans[goal], goal=goal).valid
                checked += 1
            else:
                assert f"; goal {goal}: {status} after {generated} nodes" in (goals / line["plan_file"]).read_text()
    assert checked > 20


def test_the_kept_plans_of_single_goals_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goal_lines, "MOST_PLANS", 80)
    task = ww.example("corridor")
    results = [*ww.solve_each_goal(task, ww.IW(1)), *ww.solve_each_goal(task, ww.IW(1))]
    line = goal_lines.line_of(task, [goal_lines.goal_fields(result) for result in results])
    text = line["files"]["plan"]
    assert "(have-key): 11 steps, left out: the plans of a file have at most 80 characters" in text
    assert "plan" not in line and line["plan_length"] == [0, 11, 0, 11]


def test_the_failure_of_a_line_and_of_a_goal_is_kept_as_a_log(
    goals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = ww.example("corridor")
    (first, second) = (goal_lines.goal_fields(result) for result in ww.solve_each_goal(task, ww.IW(1)))
    line = goal_lines.line_of(task, [first, {**second, "status": "failed", "plan": None, "error": "it broke"}])
    assert line["files"]["log"] == "(have-key): failed: it broke\n" and line["errors"] == {"(have-key)": "it broke"}
    # A damaged problem file fails in every part that reads it.
    tasks = make_benchmarks(tmp_path / "tasks")
    (tasks / "ferry" / "p01.pddl").write_text("(define (problem broken)")
    call = ["bench", "classical", "--benchmarks", str(tasks), "--suite", "ferry", "--planner", "iw:1", "--seeds", "1"]
    assert main([*call, "--workers", "1", "--out", str(tmp_path / "run")]) == 0
    (failed,) = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    log = (tmp_path / "run" / failed["log_file"]).read_text()
    assert failed["failure"]["reason"] in log and "p01.pddl" in log
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "run"), str(goals), "--out", str(page)]) == 0
    text = page.read_text()
    assert "Failed (1)" in text and text.index("Failed (1)") < text.index("Every problem")
    links = [unquote(link) for link in re.findall(r'href="([^"#]+\.txt)"', text)]
    plans = list((goals / "plans").iterdir())
    assert len(plans) > 10 and len(links) == len(set(links)) + 1 == len(plans) + 2  # the log is linked twice
    assert all((page.parent / link).is_file() for link in links)


def test_a_resumed_run_of_single_goals_has_the_same_files(goals: Path, tmp_path: Path) -> None:
    again = tmp_path / "run"
    shutil.copytree(goals, again)
    lines = (again / "results.jsonl").read_text().splitlines(keepends=True)
    (again / "results.jsonl").write_text("".join(lines[:7]))
    kept = {path.name: path.read_text() for path in (goals / "plans").iterdir()}
    for line in map(json.loads, lines[7:12]):
        if "plan_file" in line:
            (again / line["plan_file"]).unlink()  # a crash may leave a file without its line, or neither
    call = ["bench", "classical", "--benchmarks", str(goals.parent / "tasks"), "--suite", "all"]
    call += ["--domains", "blocks,gripper", "--planner", "iw:1", "--planner", "auto", "--seeds", "2"]
    assert main([*call, "--max-nodes", "60", "--workers", "1", "--resume", "--out", str(again)]) == 0
    assert {path.name: path.read_text() for path in (again / "plans").iterdir()} == kept


def explored(folder: Path, page: Path) -> dict[str, dict[str, Any]]:
    """The data of the pages that a report links to, by the text of the link."""
    links = re.findall(r'href="([^"]+-explore/[^"]+)">(explore [^<]+)<', page.read_text())
    data = {}
    for link, text in links:
        html = (folder / link).read_text()
        begin = html.index('id="data">') + len('id="data">')
        data[text] = json.loads(html[begin : html.index("</script>", begin)])
    return data


def test_the_search_of_a_single_goal_is_repeated_with_the_limits_of_its_run(
    goals: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    lines = [json.loads(line) for line in (goals / "results.jsonl").read_text().splitlines()]
    own = [line for line in lines if (line["row"], line["instance"], line["seed"]) == ("blocks", "p03", 0)]
    goal = own[0]["goal"][0]
    call = ["report", str(goals), "--out", str(page), "--benchmarks", str(goals.parent / "tasks")]
    assert main([*call, "--explore", f"blocks p03 {goal}"]) == 0
    pages = explored(tmp_path, page)
    assert set(pages) == {f"explore iw:1 {goal}", f"explore auto {goal}"}
    for line in own:
        label = f"explore {line['planner']}{':' if line['width'] else ''}{line['width']} {goal}"
        at = line["goal"].index(goal)
        assert (pages[label]["status"], pages[label]["generated"]) == (line["status"][at], line["generated"][at])
        assert [entry["name"] for entry in pages[label]["goals"]] == [goal]
        assert not any("ended differently" in note for note in pages[label]["notes"])
    # Without a goal, those come first that were not solved.
    assert main([*call, "--explore", "blocks p03"]) == 0
    shown = {text.split(" ", 2)[2] for text in explored(tmp_path, page)}
    unsolved = {
        name for line in own for name, status in zip(line["goal"], line["status"], strict=True) if status != "solved"
    }
    assert len(shown) <= 3 and (unsolved <= shown or shown <= unsolved)
    capsys.readouterr()
    assert main([*call, "--explore", "blocks p03 (on nothing here)"]) == 2
    assert "no run has this goal of blocks p03" in capsys.readouterr().err


def test_a_repeated_search_that_ends_differently_says_so(goals: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    shutil.copytree(goals, forged)
    lines = [json.loads(line) for line in (forged / "results.jsonl").read_text().splitlines()]
    for line in lines:
        line["generated"] = [nodes + 5 for nodes in line["generated"]]
    (forged / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    page = tmp_path / "page.html"
    call = ["report", str(forged), "--out", str(page), "--benchmarks", str(goals.parent / "tasks")]
    assert main([*call, "--explore", "gripper p01"]) == 0
    assert all("ended differently" in data["notes"][0] for data in explored(tmp_path, page).values())


def test_a_generated_problem_is_explored_without_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIDTHWISE_BENCHMARKS", raising=False)
    tasks = make_benchmarks(tmp_path / "tasks")
    call = ["bench", "classical", "--benchmarks", str(tasks), "--suite", "paper", "--domains", "Ferry", "--first", "1"]
    call += ["--planner", "ihiw:1,1", "--seeds", "1", "--workers", "1", "--out", str(tmp_path / "run")]
    assert main(call) == 0
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "run"), "--out", str(page), "--explore", "Ferry ferry-1"]) == 0
    pages = explored(tmp_path, page)
    assert pages and all(data["domain"] == "ferry" and data["planner"] == "IHIW(1,1)" for data in pages.values())
