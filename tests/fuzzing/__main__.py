"""The fuzzer's command line: inputs are checked in a process of their own, which may crash or hang without harm.

A long run can be stopped and resumed: `--state FILE` keeps the counts and the number of the next input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fuzzing.cases import write_case
from fuzzing.targets import TARGETS, draw

BATCH = 2000
PATIENCE = 300.0  # wall-clock seconds without a new input after which a process is taken to hang in native code


class Run:
    """A run of the fuzzer: counts, findings, and where to go on."""

    def __init__(self, seed: int, names: list[str], state: Path | None, findings: Path) -> None:
        self.seed, self.names, self.state, self.findings = seed, names, state, findings
        self.command = [sys.executable, "-m", "fuzzing.worker"]
        self.next = 0
        self.counts: Counter[str] = Counter()
        self.found: list[dict[str, Any]] = []
        self.seconds = 0.0
        self.commits: Counter[str] = Counter()  # inputs by the commit of the code they were checked with
        if state is not None and state.exists():
            kept = json.loads(state.read_text(encoding="utf-8"))
            if (kept["seed"], kept["targets"]) != (seed, names):
                raise SystemExit(f"{state}: is of another seed or other targets")
            self.next, self.counts, self.found = kept["next"], Counter(kept["counts"]), kept["findings"]
            self.seconds, self.commits = kept["seconds"], Counter(kept["commits"])

    def save(self) -> None:
        """Keep the state, whole or not at all."""
        if self.state is None:
            return
        kept = {"seed": self.seed, "targets": self.names, "next": self.next, "seconds": round(self.seconds, 1)}
        kept["commits"] = dict(self.commits)
        kept |= {"counts": dict(sorted(self.counts.items())), "findings": self.found}
        part = self.state.with_name(self.state.name + ".part")
        part.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        part.replace(self.state)

    def batch(self, count: int, patience: float = PATIENCE) -> None:
        """Check the next inputs; a process that dies or hangs is a finding, and the run goes on after it."""
        began, first = time.monotonic(), self.next
        with tempfile.TemporaryDirectory(prefix="widthwise-fuzz-") as name:
            scratch = Path(name)
            (scratch / "current").write_bytes(self.next.to_bytes(8, "little"))
            words = [str(self.seed), str(self.next), str(count), ",".join(self.names), name]
            with (scratch / "out").open("w+b") as out, (scratch / "err").open("w+b") as err:
                process = subprocess.Popen([*self.command, *words], stdout=out, stderr=err)
                ended = self.watch(process, scratch / "current", patience)
                out.seek(0)
                err.seek(0)
                lines, said = out.read().decode().splitlines(), err.read().decode(errors="replace")
            reached = int.from_bytes((scratch / "current").read_bytes(), "little")
        for line in lines:
            report = json.loads(line)
            if "counts" in report:
                self.counts.update(report["counts"])
            else:
                self.finding(report["finding"], report["what"], report["trace"])
        if ended is not None:
            target, _ = draw(self.seed, reached, self.names)
            # The counts of the batch are lost with the process: the inputs before this one are checked again.
            self.counts[f"{target}: {ended}"] += 1
            self.finding(reached, ended, said[-3000:])
            self.seconds += time.monotonic() - began
            if reached > self.next:
                self.batch(reached - self.next, patience)
            self.next = reached + 1
        else:
            self.next = reached
            self.seconds += time.monotonic() - began
        self.commits[commit()] += 1 if ended is not None else reached - first
        self.save()

    def watch(self, process: subprocess.Popen[bytes], current: Path, patience: float) -> str | None:
        """Wait for a process; None if it ended well, otherwise what became of it."""
        last, since = b"", time.monotonic()
        while True:
            try:
                code = process.wait(0.5)
            except subprocess.TimeoutExpired:
                now = current.read_bytes()
                if now != last:
                    last, since = now, time.monotonic()
                elif time.monotonic() - since > patience:
                    process.kill()
                    process.wait()
                    return "hang in native code"
                continue
            except BaseException:
                process.kill()
                process.wait()
                raise
            return None if code == 0 else f"crash ({code})"

    def finding(self, number: int, what: str, trace: str) -> None:
        """Keep an input that was found, and say so. Findings with the same cause are kept a few times."""
        target, case = draw(self.seed, number, self.names)
        last = [line.strip() for line in trace.splitlines() if line.strip()]
        places = [line for line in last if line.startswith("File ")]
        cause = hashlib.sha256(repr((what, places[-1:], last[-1:][0][:60] if last else "")).encode()).hexdigest()[:10]
        known = sum(1 for item in self.found if item["cause"] == cause)
        self.found.append({"number": number, "target": target, "what": what, "cause": cause})
        if known < 3:
            folder = write_case(self.findings / target / f"{cause}-{number}", case)
            (self.findings / target / f"{cause}-{number}.txt").write_text(trace, encoding="utf-8")
            print(f"input {number} ({target}): {what}; kept in {folder}\n{trace}", file=sys.stderr)


def commit() -> str:
    """The commit of the code, as short as people write it."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def arguments() -> argparse.Namespace:
    """What the user wants."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after so many seconds (default 60)")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs, counted over all parts of a run")
    parser.add_argument("--seed", type=int, default=0, help="inputs are drawn from this seed (default 0)")
    parser.add_argument("--target", action="append", choices=list(TARGETS), help="fuzz only this; repeatable")
    parser.add_argument("--state", type=Path, help="keep the counts here, and go on from what is there")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"), help="where inputs that were found go")
    return parser.parse_args()


def main() -> int:
    """Run until the time or the inputs are used up; 1 if anything was found."""
    args = arguments()
    tests = Path(__file__).resolve().parent.parent
    os.environ["PYTHONPATH"] = os.pathsep.join([str(tests), str(tests / "support")])
    run = Run(args.seed, args.target or list(TARGETS), args.state, args.findings)
    end = time.monotonic() + args.seconds
    size = 100
    try:
        while time.monotonic() < end and (args.inputs is None or run.next < args.inputs):
            run.batch(size if args.inputs is None else min(size, args.inputs - run.next))
            size = BATCH if args.seconds > 600 else size
    except KeyboardInterrupt:
        print("stopped; the state is that of the last batch", file=sys.stderr)
    for outcome, count in sorted(run.counts.items()):
        print(f"{count:>9,}  {outcome}")
    for name, count in run.commits.items():
        print(f"{count:>9,}  at commit {name}")
    print(f"{run.next:>9,}  inputs, seed {run.seed}, {run.seconds:.0f} s, {len(run.found)} findings")
    return 1 if run.found else 0


if __name__ == "__main__":
    sys.exit(main())
