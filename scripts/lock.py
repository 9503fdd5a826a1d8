"""Write the requirements with hashes: `make lock`. What they pin is what `constraints.txt` pins.

`requirements-dev.lock` holds what building and testing need, except PyTorch and what needs PyTorch. The second file,
`requirements-learn.lock`, holds these with all they need: which build of PyTorch fits depends on the machine, and it
takes gigabytes. Both hold for every supported Python and platform, and name no index: pip takes the files from where it
is set up to take them, if the hashes fit.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD_TOOLS = ("scikit-build-core", "nanobind", "cmake", "ninja")
#: Packages of the tests that need PyTorch.
ON_TORCH = ("stable-baselines3", "sb3-contrib")
HEADER = "# Requirements with hashes, written by `make lock`. Install: pip install --require-hashes -r {name}\n"
#: File name -> extras of the project, further requirements, requirements to leave out.
LOCKS = {
    "requirements-dev.lock": (("dev", "audit", "coverage", "wheels"), BUILD_TOOLS, ("torch", *ON_TORCH)),
    "requirements-learn.lock": (("learn",), ON_TORCH, ()),
}


def compile_lock(extras: tuple[str, ...], more: tuple[str, ...], without: tuple[str, ...]) -> str:
    """Resolve some extras within the constraints and return the pinned requirements."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "more.in").write_text("".join(f"{item}\n" for item in more), encoding="utf-8")
        (folder / "overrides.txt").write_text(
            "".join(f"{item} ; sys_platform == 'none'\n" for item in without), encoding="utf-8"
        )
        command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", str(folder / "more.in")]
        command += [f"--extra={extra}" for extra in extras]
        command += ["--constraint=constraints.txt", f"--override={folder / 'overrides.txt'}", "--universal"]
        command += ["--python-version=3.11", "--generate-hashes", "--no-annotate", "--no-header", "--quiet"]
        # pip 23 takes the newest release for `coverage[toml]` if the file pins `coverage` only.
        command += ["--no-strip-extras"]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return "".join(block for block in blocks(done.stdout) if "sys_platform == 'none'" not in block)


def blocks(text: str) -> list[str]:
    """The requirements of a file, each with the lines of its hashes."""
    return re.findall(r"^[A-Za-z0-9].*\n(?:^[ \t].*\n)*", text, re.MULTILINE)


def main() -> int:
    """Write all files; nothing is written if anything in them names a place."""
    texts = {name: HEADER.format(name=name) + compile_lock(*what) for name, what in LOCKS.items()}
    for name, text in texts.items():
        if re.search(r"://|--index|--find-links| @ |file:", text):
            print(f"{name} would name a place; uv must be set up without local packages", file=sys.stderr)
            return 1
    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"{name}: {sum('==' in line for line in text.splitlines())} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
