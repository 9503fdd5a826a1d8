"""Commands within limits: whatever they do, they end, with all their children, and it is told why."""

from __future__ import annotations

import os
import sys

import pytest

from bench_tools import gone
from widthwise.core.errors import UsageError
from widthwise.core.processes import tree
from widthwise.experiments.limited import Limits, run_limited

PYTHON = [sys.executable, "-c"]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of whole processes need Linux")


def run(folder, code, watched=None, **limits):
    return run_limited([*PYTHON, code], Limits(**limits), folder, watched)


def test_a_command_that_ends_by_itself(tmp_path):
    ended = run(tmp_path, "import os, sys; print(os.getcwd()); print('oh', file=sys.stderr); sys.exit(7)")
    assert (ended.code, ended.stopped, ended.seen) == (7, "", None)
    assert ended.out.strip() == str(tmp_path.resolve()) and ended.last_words == "oh"
    assert ended.cpu > 0 and ended.wall > 0


def test_a_signal_is_reported(tmp_path):
    assert run(tmp_path, "import os; os.abort()").code == -6


def test_cpu_time_is_that_of_all_processes(tmp_path):
    child = "import os; open('pid', 'w').write(str(os.getpid()))\nwhile True: pass"
    ended = run(tmp_path, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])", cpu=0.5)
    assert ended.stopped == "cpu" and ended.code < 0 and ended.cpu > 0.5
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_command_that_waits_for_ever(tmp_path):
    ended = run(tmp_path, "import time; time.sleep(1000000)", wall=0.3)
    assert ended.stopped == "wall" and ended.wall > 0.3


def test_memory_is_what_is_held(tmp_path):
    ended = run(tmp_path, "held = []\nwhile True: held.append(b'x' * 1000000)", megabytes=150, cpu=60)
    assert ended.stopped == "memory" and ended.peak_mb > 150


def test_a_watched_file_counts_when_it_has_content_in_time(tmp_path):
    plan = tmp_path / "plan"
    write = f"open({str(plan)!r}, 'w').write('(go)')"
    assert run(tmp_path, write, plan).seen is not None
    plan.unlink()
    late = run(tmp_path, f"{write}\nwhile True: pass", plan, cpu=0.5)
    assert late.stopped == "cpu" and late.seen is not None and late.seen <= 0.5
    plan.unlink()
    empty = run(tmp_path, f"open({str(plan)!r}, 'w')\nwhile True: pass", plan, cpu=0.5)
    assert empty.seen is None


def test_limits_that_allow_nothing_are_refused():
    for wrong in ({"wall": 0.0}, {"cpu": -1.0}, {"megabytes": float("inf")}):
        with pytest.raises(UsageError, match="above 0"):
            Limits(**wrong)


def test_a_tree_holds_the_process_itself():
    assert tree(os.getpid())[0] == os.getpid()
