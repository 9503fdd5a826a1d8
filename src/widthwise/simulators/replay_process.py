"""The other process of the checker: reads a job from stdin, replays it, writes what it saw to stdout."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from widthwise.core.simulator import Simulator, Step
from widthwise.simulators.traces import play

_PROGRAM = "from widthwise.simulators.replay_process import main; main()"


@dataclass(frozen=True)
class ReplayJob:
    """A simulator (by name and options, or pickled), a snapshot of it, and actions to do from there."""

    name: str | None
    options: dict[str, Any]
    env: Simulator | None
    snapshot: Any
    actions: list[int]

    def run(self) -> list[Step]:
        """Load the snapshot, execute the actions, record the steps."""
        from widthwise.simulators.names import simulator

        env = simulator(self.name, **self.options) if self.env is None else self.env
        env.reset(seed=12345)
        env.load(self.snapshot)
        return play(env, self.actions)


def run_in_new_process(job: ReplayJob, timeout: float = 120.0) -> list[Step]:
    """Run a job in a new process; raises RuntimeError with the last line of its stderr if that fails."""
    # The path is sent first and separately: reading the job may need it.
    data = pickle.dumps(sys.path) + pickle.dumps(job)
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], input=data, capture_output=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no answer within {timeout:g} seconds") from None
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(words[-1] if words else f"it ended with exit code {done.returncode}")
    seen: list[Step] = pickle.loads(done.stdout)
    return seen


def main() -> None:
    """Run one job."""
    answer = sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever the environment prints must not mix with the answer
    sys.path[:] = pickle.load(sys.stdin.buffer)
    job: ReplayJob = pickle.load(sys.stdin.buffer)
    answer.write(pickle.dumps(job.run()))
    answer.flush()
