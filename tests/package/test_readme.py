"""What the README shows works: its shell and Python blocks run, and the figures it prints are the real ones."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

from places import ROOT

BLOCK = re.compile(r"^```(\S*)(?: exit=(\d+))?\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r"\s*\(parse[^)]*\)|[0-9.]+\s+s\b")


def words(text: str) -> str:
    """A text without its times and line breaks."""
    return " ".join(TIMES.sub("", text).split())


def test_shell_and_python_blocks_run_and_print_what_they_show(tmp_path: Path) -> None:
    bin_folder = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    names: dict[str, object] = {}
    kinds = []
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for kind, code, block, shown in BLOCK.findall(readme):
        kinds.append(kind)
        if kind == "sh":
            ended = subprocess.run(
                ["sh", "-ec", block],
                cwd=tmp_path,
                env=env,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert ended.returncode == int(code or 0), ended.stdout
            printed = ended.stdout
        elif kind == "python":
            caught = io.StringIO()
            with contextlib.redirect_stdout(caught), contextlib.chdir(tmp_path):
                exec(block, names)
            printed = caught.getvalue()
        else:
            continue
        if shown and "..." not in shown.splitlines():
            assert words(shown) in words(printed), f"the README shows:\n{shown}\nbut this is printed:\n{printed}"
    assert kinds.count("sh") >= 6
    assert kinds.count("python") == 3


def test_links_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/simulators.md"):
        path = ROOT / name
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (path.parent / target).exists(), f"{name} links to {target}"
