"""How long `widthwise solve` takes on a small task, beside an empty Python and `import numpy`, in one run.

The programs take turns, so that all have the same share of a busy machine, and of each the least processor time
counts. With valgrind on PATH the instructions are counted as well, which no other process disturbs. The page is
docs/results/start-up.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from page_width import wrapped
from widthwise.core.provenance import describe_run

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / ".venv-peers" / "bin" / "python"


def programs(folder: Path) -> dict[str, list[str]]:
    """The programs by name; the peer only where `make bench` has installed it."""
    task = [str(folder / "domain.pddl"), str(folder / "problem.pddl")]
    rows = {
        'python -c ""': [sys.executable, "-c", ""],
        'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
        "widthwise solve": [sys.executable, "-m", "widthwise", "solve", *task],
    }
    if PEER.exists():
        rows["pymimir, IW(2)"] = [str(PEER), str(ROOT / "benchmarks" / "peers" / "pymimir_solve.py"), *task]
    return rows


def processor_seconds(command: Sequence[str]) -> float:
    """The processor time of one run."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"ended with {process.returncode}: {' '.join(command)}")
    return used.ru_utime + used.ru_stime


def instructions(command: Sequence[str]) -> int | None:
    """The instructions of one run; None without valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    counting = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*counting, *command], capture_output=True, text=True, check=True)
    match = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return int(match[1].replace(",", "")) if match else None


def page(rows: dict[str, tuple[float, int | None]], repeats: int) -> str:
    """The page of results."""
    about = describe_run({}, ["python", "benchmarks/start_up.py", "--repeats", str(repeats)])
    seconds, count = rows['python -c "import numpy"']
    lines = [
        "# Start-up",
        "",
        "What `widthwise solve` costs besides the search: the bundled corridor is solved in a millisecond. "
        f"Minimum processor time of {repeats} runs; the programs take turns. Instructions are counted by valgrind in "
        "one more run, and other processes do not change them.",
        "",
        "| program | processor time, ms | relative to `import numpy` | instructions, millions "
        "| relative to `import numpy` |",
        "|---|---|---|---|---|",
    ]
    for name, (used, counted) in rows.items():
        times = f"| `{name}` | {used * 1e3:.0f} | {used / seconds:.2f} |"
        lines.append(
            f"{times} {counted / 1e6:.0f} | {counted / count:.2f} |" if counted and count else f"{times} - | - |"
        )
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    machine = about["machine"]
    lines += [
        "",
        "`solve` imports neither NumPy nor any other command. What remains is the start of Python, the standard "
        "library (dataclasses, argparse, pathlib, json), the native module, and the modules of the reader, the "
        "planners and the validator. `tests/package/test_startup.py` forbids heavy imports by name.",
        "",
        f"Made with `{about['command']}`: commit {about['commit']}, {versions}, {machine['cpu']}, "
        f"{machine['cores']} cores, {machine['system']}.",
        "",
    ]
    return wrapped("\n".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="runs of each program (default: 20)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "start-up.md", help="the page")
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its compiled files
    with tempfile.TemporaryDirectory() as name:
        make = [sys.executable, "-m", "widthwise", "examples", "corridor", "--out", name]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        commands = programs(Path(name))
        least = {name: processor_seconds(command) for name, command in commands.items()}
        for _ in range(args.repeats - 1):
            for name, command in commands.items():
                least[name] = min(least[name], processor_seconds(command))
        rows = {name: (least[name], instructions(command)) for name, command in commands.items()}
    text = page(rows, args.repeats)
    args.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
