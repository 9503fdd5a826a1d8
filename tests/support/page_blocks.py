"""Run the code blocks of a page and compare what they print with what the page shows.

Blocks marked `sh` and `python` run, in order, in one folder and with one namespace per page; `sh exit=12` expects that
exit code. A block marked `text` directly below shows what is printed, up to times and line breaks; a line `...` in it
means that only a part is shown, and it is not compared.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

BLOCK = re.compile(r"^```(\S*)(?: exit=(\d+))?\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r"\s*\(parse[^)]*\)|[0-9.]+\s+s\b")


def words(text: str) -> str:
    """A text without its times and line breaks."""
    return " ".join(TIMES.sub("", text).split())


def run_blocks(page: Path, folder: Path) -> Counter[str]:
    """Run all blocks of a page in a folder; return how many blocks of each kind there are."""
    try:
        return _run_blocks(page, folder)
    finally:
        for pid in folder.glob("*.pid"):  # a service that a page has started and, after a failure, not ended
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(pid.read_text(encoding="utf-8")), signal.SIGKILL)


def _run_blocks(page: Path, folder: Path) -> Counter[str]:
    names: dict[str, object] = {}
    kinds: Counter[str] = Counter()
    for kind, code, block, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
        kinds[kind] += 1
        if kind == "sh":
            printed = run_shell(block, int(code or 0), folder)
        elif kind == "python":
            caught = io.StringIO()
            with contextlib.redirect_stdout(caught), contextlib.chdir(folder):
                exec(block, names)
            printed = caught.getvalue()
        else:
            continue
        if shown and "..." not in shown.splitlines():
            assert words(shown) in words(printed), f"{page.name} shows:\n{shown}\nbut this is printed:\n{printed}"
    return kinds


def run_shell(block: str, code: int, folder: Path) -> str:
    """Run a block in a shell and return what it printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["sh", "-ec", block],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == code, f"{block}\n{ended.stdout}"
    return ended.stdout
