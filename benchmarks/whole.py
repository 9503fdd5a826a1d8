"""Whole problems: Widthwise beside lapkt, pymimir and Fast Downward, in one run with the same limits.

    python benchmarks/whole.py --benchmarks DIR --out runs/sample           # 63 problems of 21 domains
    python benchmarks/whole.py --benchmarks DIR --all --cpu-time 10 --out runs/whole
    widthwise report runs/sample --out runs/sample.html

It is `widthwise bench classical --suite whole` with the peers given by --against: planners take turns on every
problem, CPU time and memory are those of all processes of a planner together, and only plans that the validator
accepts count. Called again, it goes on where it stopped. See benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from speed_runs import HERE, PEERS_ENV, ROOT, make_peers_environment
from widthwise.cli.main import main as widthwise

# One version of each domain; the sample takes the 3rd, 10th and 20th problem of each.
SAMPLE = [
    "barman-sat11-strips",
    "blocks",
    "depot",
    "driverlog",
    "elevators-sat08-strips",
    "floortile-sat11-strips",
    "freecell",
    "gripper",
    "logistics98",
    "nomystery-sat11-strips",
    "openstacks-sat08-strips",
    "parking-sat11-strips",
    "pipesworld-notankage",
    "rovers",
    "satellite",
    "scanalyzer-08-strips",
    "storage",
    "tpp",
    "transport-sat08-strips",
    "visitall-sat11-strips",
    "zenotravel",
]
PLACES = "3,10,20"
FILES = "{domain} {problem} {plan}"


def peers(python: Path) -> dict[str, str]:
    """The commands of the peers, by the name of their column; one that is not installed is left out."""
    scripts = HERE / "peers"
    lapkt = f"{_quoted(python)} {_quoted(scripts / 'lapkt_plan.py')}"
    commands = {
        "lama-first": _fast_downward(python),
        "lapkt-BFWS-f5": f"{lapkt} BFWS-f5 {FILES}" if _has(python, "lapkt.planner", "tarski", "clingo") else None,
        "lapkt-DUAL-BFWS": f"{lapkt} DUAL-BFWS {FILES}",
        "lapkt-SIW": f"{lapkt} SIW {FILES}",
        "pymimir-SIW": f"{_quoted(python)} {_quoted(scripts / 'pymimir_plan.py')} {FILES}"
        if _has(python, "pymimir")
        else None,
    }
    if commands["lapkt-BFWS-f5"] is None:
        commands |= {"lapkt-DUAL-BFWS": None, "lapkt-SIW": None}
    for name, command in commands.items():
        if command is None:
            print(f"{name} is not installed: left out", file=sys.stderr)
    return {name: command for name, command in commands.items() if command is not None}


def _fast_downward(python: Path) -> str | None:
    # Asked for without importing it: the package itself wants unified-planning, its driver does not.
    script = "from importlib.util import find_spec as f; s = f('up_fast_downward'); print(s.origin if s else '')"
    result = subprocess.run([str(python), "-c", script], check=True, capture_output=True, text=True).stdout.strip()
    driver = Path(result).parent / "downward" / "fast-downward.py"
    if not result or not driver.exists():
        return None
    return f"{_quoted(python)} {_quoted(driver)} --alias lama-first --plan-file {{plan}} {{domain}} {{problem}}"


def _has(python: Path, *modules: str) -> bool:
    imports = "; ".join(f"import {module}" for module in modules)
    return subprocess.run([str(python), "-c", imports], check=False, capture_output=True).returncode == 0


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--benchmarks", default=os.environ.get("WIDTHWISE_BENCHMARKS"), metavar="DIR")
    parser.add_argument("--all", action="store_true", help="all problems, not the sample of 63")
    parser.add_argument("--domains", metavar="A,B", help="only these folders")
    parser.add_argument("--instances", metavar="3,10,20", help="only the problems at these places")
    parser.add_argument("--planner", action="append", default=[], metavar="NAME:WIDTH", help="ours (default: auto)")
    parser.add_argument("--peers", metavar="A,B", help="which peers; '' for none (default: all)")
    parser.add_argument("--only-peers", action="store_true", help="run none of ours")
    parser.add_argument("--cpu-time", type=float, default=6.0, metavar="S", help="CPU seconds per problem")
    parser.add_argument("--max-memory", type=float, default=2000.0, metavar="MB")
    parser.add_argument(
        "--options",
        default="--first",
        metavar="TEXT",
        help="more options for widthwise solve (default: --first, since the peers stop at their first plan, too)",
    )
    parser.add_argument("--workers", default="1", metavar="N", help="problems at a time (default: 1)")
    parser.add_argument("--environment", type=Path, metavar="DIR", help="has the peers (default: .venv-peers, made)")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "whole", metavar="DIR")
    args = parser.parse_args()
    if not args.benchmarks or not Path(args.benchmarks).is_dir():
        sys.exit("The IPC tasks are needed: set WIDTHWISE_BENCHMARKS or give --benchmarks DIR.")
    if args.environment is None:
        make_peers_environment()
    result = peers((args.environment or PEERS_ENV).absolute() / "bin" / "python")
    wanted = list(result) if args.peers is None else [name for name in args.peers.split(",") if name]
    unknown = [name for name in wanted if name not in result]
    if unknown:
        sys.exit(f"There is no peer {unknown[0]}: the peers are {', '.join(result)}.")
    call = ["bench", "classical", "--suite", "whole", "--benchmarks", args.benchmarks, "--out", str(args.out)]
    call += ["--cpu-time", str(args.cpu_time), "--max-memory", str(args.max_memory), "--workers", args.workers]
    domains = args.domains or ("" if args.all else ",".join(SAMPLE))
    places = args.instances or ("" if args.all else PLACES)
    call += ["--domains", domains] if domains else []
    call += ["--instances", places] if places else []
    call += [f"--options={args.options}"] if args.options else []
    for planner in ["none"] if args.only_peers else args.planner or ["auto"]:
        call += ["--planner", planner]
    for name in wanted:
        call += ["--against", f"{name}={result[name]}"]
    if (args.out / "config.json").exists():
        call.append("--resume")
    sys.exit(widthwise(call))


if __name__ == "__main__":
    main()
