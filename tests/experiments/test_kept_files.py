"""Plans and logs of a suite of whole problems: kept in the run folder, and linked by the page of its report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from bench_tools import make_benchmarks
from widthwise.cli.main import main
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
    assert "The planner crashed, or it ended for a reason of its own" in text


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
