"""The second environment, single processes with limits, and the run folder of the speed benchmark."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PEERS_ENV = ROOT / ".venv-peers"
REQUIREMENTS = HERE / "requirements-peers.txt"
OURS = "widthwise"
MODULES = {
    "fast-downward": ["fast_downward.translate"],
    "pymimir": ["pymimir"],
    "tarski": ["tarski", "clingo"],
    "lapkt": ["lapkt.planner", "tarski", "clingo"],
    OURS: ["widthwise"],
}
RUNNERS = {name: HERE / "peers" / f"{name.replace('-', '_')}_runner.py" for name in MODULES}

# Solved, proved unsolvable, not solved: anything else has not done the work that is timed.
FINISHED_CODES = (0, 11, 12)

Line = dict[str, Any]


@dataclass(frozen=True)
class Done:
    """How a process ended and what it used; `limit` when it was ended by us or by its own alarm."""

    code: int
    wall: float
    cpu: float
    peak_mb: float
    out: str
    err: str
    limit: bool


def python_of(system: str) -> str:
    """Return the interpreter that has the system."""
    return sys.executable if system == OURS else str(PEERS_ENV / "bin" / "python")


def make_peers_environment() -> None:
    """Make `.venv-peers` and install what can be installed; a package that fails is left out."""
    stamp = PEERS_ENV / "requirements-installed.txt"
    wanted = REQUIREMENTS.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("making the environment of the peers", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", str(PEERS_ENV)], check=True)
    pip = [python_of("peers"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for line in wanted.splitlines():
        package = line.split("#")[0].strip()
        if package and subprocess.run([*pip, package], check=False, stderr=subprocess.DEVNULL).returncode:
            print(f"cannot install {package}: reported as missing", file=sys.stderr)
    stamp.write_text(wanted)


def missing(system: str) -> bool:
    """Tell whether the system cannot be imported where it should be."""
    imports = "; ".join(f"import {module}" for module in MODULES[system])
    probe = [python_of(system), "-c", imports]
    return subprocess.run(probe, check=False, capture_output=True).returncode != 0


def execute(command: list[str], limit: float) -> Done:
    """Run a command in an empty folder and a process group of its own; kill the group at the limit."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        start = time.perf_counter()
        # Compiled modules are kept, as they are wherever a package is installed.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, start_new_session=True, env=environment)
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            _kill_group(process.pid)

        timer = threading.Timer(limit, kill)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            _kill_group(process.pid)
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - start
        # Popen must not wait for the process again: its number may already belong to another process.
        process.returncode = code = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Done(
            code=code,
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            peak_mb=usage.ru_maxrss / 1024,
            out=out.read().decode("utf-8", "replace"),
            err=err.read().decode("utf-8", "replace"),
            limit=killed.is_set() or code == -signal.SIGALRM,
        )


class RunFolder:
    """A folder with the settings of a run and one JSON line per measurement; what is there is not redone."""

    def __init__(self, folder: Path, config: Line, again: list[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.lines: dict[str, Line] = {}
        self._raw = folder / "raw.jsonl"
        config_file = folder / "config.json"
        if self._raw.exists():
            old = [json.loads(line) for line in self._raw.read_text().splitlines() if line.endswith("}")]
            self.lines = {line["key"]: line for line in old if line["system"] not in again}
            config["resumed"] = True
        _replace(self._raw, "".join(json.dumps(line) + "\n" for line in self.lines.values()))
        _replace(config_file, json.dumps(config, indent=1) + "\n")

    def measure(self, system: str, key: str, command: list[str], limit: float) -> Line:
        """Return the line of a measurement: the stored one, or that of the command run now."""
        if key in self.lines:
            return self.lines[key]
        done = execute(command, limit)
        line: Line = {"key": key, "system": system, "wall_seconds": done.wall, "cpu_seconds": done.cpu}
        line["process_mb"] = done.peak_mb
        if done.limit:
            line["status"] = "time-out"
        elif done.code not in FINISHED_CODES:
            line["status"] = "failed"
            line["error"] = (done.err.strip().splitlines() or [f"exit {done.code}"])[-1][:200]
        else:
            line["code"] = done.code
            last = (done.out.strip().splitlines() or [""])[-1]
            if last.startswith("{"):
                line |= json.loads(last)
        self.lines[key] = line
        with self._raw.open("a") as raw:
            raw.write(json.dumps(line) + "\n")
        print(f"{key}: {line.get('status', 'done')} in {done.wall:.2f} s", file=sys.stderr)
        return line


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _replace(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)
