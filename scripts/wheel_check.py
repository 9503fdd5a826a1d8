"""Install a wheel into an empty environment, as a user without a compiler would, and use it there.

`python scripts/wheel_check.py WHEEL [--python PROGRAM]` installs and checks; `--installed` checks the Widthwise of the
Python that runs this script, which is what cibuildwheel asks for. The programs run in an empty folder with a `PATH`
on which nothing is, so that neither a compiler nor the sources can help.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION_FILE = Path(__file__).resolve().parent.parent / "src" / "widthwise" / "version.py"


def run(command: list[str | Path], folder: Path) -> str:
    """Run a command where nothing else is; return what it printed on stdout."""
    keep = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**keep, "PATH": str(folder / "nothing"), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = " ".join(map(str, command))
        raise SystemExit(f"{words}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def install(wheel: Path, base: str, folder: Path, site: Path | None) -> Path:
    """Install a wheel into a new environment; its requirements come from the index, or from another environment."""
    subprocess.run([base, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--only-binary=:all:", *(["--no-deps"] if site else []), str(wheel)], check=True)
    if site:
        (own,) = folder.glob("lib/python3.*/site-packages")
        for part in site.glob("numpy*"):
            (own / part.name).symlink_to(part)
    return python


def check(python: Path, folder: Path) -> None:
    """Use the installed program: version, both ways to call it, a plan that is valid, the demo without learning."""
    program = python.parent / "widthwise"
    version = re.search(r'__version__ = "([^"]+)"', VERSION_FILE.read_text(encoding="utf-8"))
    assert version is not None
    for command in ([program], [python, "-m", "widthwise"]):
        printed = run([*command, "--version"], folder).strip()
        if printed != f"widthwise {version[1]}":
            raise SystemExit(f"{command[0]} is {printed}, not version {version[1]}")
    run([program, "examples", "corridor", "--out", "task"], folder)
    task: list[str | Path] = ["task/domain.pddl", "task/problem.pddl"]
    for command in ([program], [python, "-m", "widthwise"]):
        plan = run([*command, "solve", *task, "--plan-out", "plan.txt"], folder)
        if not plan.endswith("; cost = 21 (unit cost)\n"):
            raise SystemExit(f"solve printed\n{plan}")
        if not run([*command, "validate", *task, "plan.txt"], folder).startswith("valid: "):
            raise SystemExit("the plan is not valid")
    demo = run([program, "demo", "--no-training"], folder)
    if "All results above were computed" not in demo:
        raise SystemExit(f"the demo printed\n{demo}")


def main() -> int:
    """Check one wheel with one Python."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("wheel", nargs="?", type=Path, help="the wheel to install")
    what.add_argument("--installed", action="store_true", help="check what this Python has installed")
    parser.add_argument("--python", default=sys.executable, help="the Python to install into (default: this one)")
    parser.add_argument("--site", type=Path, help="take NumPy from this folder of packages, not from the index")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="widthwise-wheel-") as name:
        folder = Path(name)
        if args.installed:
            check(Path(sys.executable), folder)
        else:
            check(install(args.wheel.resolve(), args.python, folder / "venv", args.site), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
