"""Play Gymnasium environments with `widthwise play ENV` and no options, beside a random policy and the best setting.

python benchmarks/gymnasium_table.py [--run FOLDER] [--only A,B] [--setups default,random,best] [--seeds N]
    [--limit SECONDS] [--jobs N] [--out FILE.md]

Every episode runs in a process of its own, which is interrupted after `--limit` CPU seconds; what was played until then
is kept. Lines go to FOLDER/results.jsonl as episodes end; the same call continues an interrupted run. LunarLander needs
`pip install 'widthwise[box2d]'`. Two cores, an hour.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import widthwise as ww
from gymnasium_rows import ENVIRONMENTS, Environment, write_report
from resumable_run import report, resumable_run
from widthwise.cli.main import main as widthwise

KEYS = ("env", "setup", "seed")
SETUPS = ("default", "random", "best")
#: A random policy stops after this many steps where the environment has no limit of its own.
RANDOM_STEPS = 10_000


def episode(env: Environment, setup: str, seed: int, limit: float) -> dict[str, Any]:
    """One episode in this process."""
    if setup == "random":
        outcome = random_episode(env, seed)
    else:
        # SIGTERM and not SIGINT, which programs in the background ignore; `play` then prints what was played so far.
        signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        signal.setitimer(signal.ITIMER_PROF, limit)
        arguments = env.arguments(setup)
        printed, messages = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(messages):
            code = widthwise([*arguments, "--seed", str(seed), "--json"])
        signal.setitimer(signal.ITIMER_PROF, 0)
        outcome = {"code": code, **kept(printed.getvalue(), messages.getvalue())}
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {**outcome, "cpu_seconds": round(used.ru_utime + used.ru_stime, 2), "memory_mb": used.ru_maxrss // 1024}


def kept(printed: str, messages: str) -> dict[str, Any]:
    """What the table needs of the result that `play --json` prints."""
    lines = messages.strip().splitlines()
    if not printed.strip():
        return {"status": "no result", "message": lines[-1] if lines else ""}
    result = json.loads(printed.strip().splitlines()[-1])
    names = ("status", "planner", "score", "steps", "interactions", "restores", "seconds")
    short: dict[str, Any] = {name: result[name] for name in names if name in result}
    if short["status"] == "refused":
        short["message"] = next((line for line in lines if "chance" in line or "random" in line), lines[-1])
    return short


def random_episode(env: Environment, seed: int) -> dict[str, Any]:
    """An episode of a policy that chooses all actions with the same probability."""
    simulator, choose = ww.simulator(env.name, **env.options), random.Random(seed)
    step = simulator.reset(seed=seed)
    score, steps = 0.0, 0
    while not step.done and steps < RANDOM_STEPS:
        step = simulator.step(choose.randrange(simulator.actions))
        score, steps = score + step.reward, steps + 1
    return {"status": "ended" if step.done else "stopped", "score": score, "steps": steps}


def elsewhere(env: Environment, setup: str, seed: int, limit: float) -> dict[str, Any]:
    """One episode in a process of its own, as a line."""
    command = [sys.executable, __file__, "--episode", env.name, setup, str(seed), "--limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    line: dict[str, Any] = {"env": env.name, "setup": setup, "seed": seed, "arguments": env.arguments(setup)}
    try:
        return {**line, **json.loads(done.stdout.strip().splitlines()[-1])}
    except (IndexError, ValueError):
        words = done.stderr.strip().splitlines()
        return {**line, "status": "crashed", "code": done.returncode, "message": words[-1] if words else ""}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/gymnasium"), help="the run folder")
    parser.add_argument("--only", default="", help="ids of environments with commas between them (default: all)")
    parser.add_argument("--setups", default=",".join(SETUPS), help="default, random, best (default: all three)")
    parser.add_argument("--seeds", type=int, default=5, help="seeds 0 to N-1 (default 5); 0 writes the report only")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds of an episode (default 60)")
    parser.add_argument("--jobs", type=int, default=1, help="episodes at a time (default 1)")
    parser.add_argument("--out", type=Path, help="write the report here")
    parser.add_argument("--episode", nargs=3, metavar=("ENV", "SETUP", "SEED"), help="play one, print its line, end")
    options = parser.parse_args(arguments)
    known = {env.name: env for env in ENVIRONMENTS}
    if options.episode:
        name, setup, seed = options.episode
        print(json.dumps(episode(known[name], setup, int(seed), options.limit)))
        return 0
    names = options.only.split(",") if options.only else list(known)
    with resumable_run(options.run, {"limit": options.limit}, KEYS, arguments) as (store, config):
        jobs = [
            (known[name], setup, seed)
            for seed in range(options.seeds)
            for setup in options.setups.split(",")
            for name in names
            if (setup != "best" or known[name].best) and (name, setup, seed) not in store.done
        ]
        with ThreadPoolExecutor(options.jobs) as pool:
            waiting = [pool.submit(elsewhere, *job, options.limit) for job in jobs]
            for done in as_completed(waiting):
                line = {**done.result(), "commit": config["commit"]}
                store.append(line)
                shown = f"{line.get('score')} after {line.get('steps')} steps, {line.get('cpu_seconds')} s"
                print(f"{line['env']}, {line['setup']}, seed {line['seed']}: {line['status']}, {shown}", flush=True)
    report(options.out, options.run, store, write_report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
