"""Measure what each part of `widthwise search` contributes outside Atari: every part is switched off alone.

python benchmarks/search_parts.py [--run FOLDER] [--out PAGE] [--environments A,B] [--parts A,B] [--seeds 0,1,2,3,4]

A search ends at the first trajectory with a score above 0 or to a goal, or at the limit of its environment. Lines go to
FOLDER/results.jsonl as searches end; the same call continues an interrupted run. `--seeds ''` only writes the page. The
whole run takes about half an hour of a core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

import widthwise as ww
from resumable_run import Lines, report, resumable_run
from widthwise.core.contract import innermost
from widthwise.core.files import write_whole
from widthwise.training.search_features import STEPS, choose_features, suitable

#: The environments, and the interactions of a search in each, at most.
LIMITS = {
    "corridor": 20_000,
    "maze-small": 40_000,
    "maze-large": 80_000,
    "Taxi-v4": 20_000,
    "MountainCar-v0": 40_000,
    "MiniGrid-DoorKey-8x8-v0": 40_000,
    "MiniGrid-KeyCorridorS3R3-v0": 40_000,
    "MiniGrid-MultiRoom-N4-S5-v1": 40_000,
    "MiniGrid-UnlockPickup-v0": 40_000,
}
#: Settings of `ArchiveSearch`, by the option that sets them. Lives, survival, restarts and the memory have no effect in
#: these environments within the limits.
PARTS: dict[str, dict[str, Any]] = {
    "default": {},
    "--no-lowest": {"lowest": False},
    "--no-scenes": {"scenes": False},
    "--no-gains": {"gains": False},
    "--no-shared-counts": {"shared_counts": False},
    "--no-count-steps": {"count_steps": False},
    "--no-improve": {"improve": False},
    "--no-through": {"through": False},
    "--through": {"through": True},
    "--hold 1": {"hold": 1.0},
    "--rollout 10": {"rollout": 10},
    "--widths 1,n,all": {"widths": (1, "n", "all")},
}
KEYS = ("environment", "part", "seed")
#: The head of the section that is written by hand.
SHOWS = "## What this shows"
TEXT = """\
# The parts of a long search, outside Atari

Written by `python benchmarks/search_parts.py --seeds {numbers} --out {out}`.
Widthwise {version}, Python {python}; {machine}. Commit {commit}. The raw lines are in
`{folder}/results.jsonl`.

Each part of [`widthwise search`](../guide/search.md#the-algorithm) is switched off alone. A search ends at its first
trajectory with a score above 0 or, where every step costs a point, to the goal. Each field has the median number of
interactions over {seeds} seeds, the sample for the choice of features included; a search without such a trajectory
counts with the limit of the environment. Where not all searches found one, their number is in brackets.

{table}
"""


def search(environment: str, part: str, seed: int) -> dict[str, Any]:
    """A line: how many interactions a search takes to its first solution, or None within the limit."""
    limit = LIMITS[environment]
    planner = ww.ArchiveSearch(**PARTS[part])
    simulator = ww.simulator(environment)
    begun = time.process_time()
    sample = min(STEPS, limit // 4)
    choice = choose_features(simulator, seed, sample, scenes=planner.scenes, lowest=planner.lowest)
    work = suitable(planner, choice).begin(simulator, choice.features, seed)
    found = None
    while found is None and (left := limit - choice.interactions - work.interactions) > 0:
        work.visit(left)
        if work.best is not None and (work.best.score > 0 or work.best.ended):
            found = choice.interactions + work.best.interactions
    return {
        "environment": environment,
        "part": part,
        "seed": seed,
        "found": found,
        "limit": limit,
        "score": work.best.score if found is not None and work.best is not None else None,
        "features": [repr(function) for function in choice.features],
        "kind": type(innermost(simulator)).__name__,
        "cpu_seconds": round(time.process_time() - begun, 2),
    }


def table(lines: Lines) -> str:
    """A row for each part, a column for each environment."""
    environments = [name for name in LIMITS if any(line["environment"] == name for line in lines)]
    rows = [
        "| | " + " | ".join(name.removeprefix("MiniGrid-") for name in environments) + " |",
        "|---|" + "--:|" * len(environments),
        "| limit | " + " | ".join(f"{LIMITS[name]:,}" for name in environments) + " |",
    ]
    for part in PARTS:
        fields = [
            shown([line for line in lines if line["part"] == part and line["environment"] == name])
            for name in environments
        ]
        if any(fields):
            rows.append(f"| {part if part == 'default' else f'`{part}`'} | {' | '.join(fields)} |")
    return "\n".join(rows)


def shown(lines: Lines) -> str:
    """The median of the interactions, and how many searches were successful if not all were."""
    if not lines:
        return ""
    found = [line["found"] for line in lines if line["found"] is not None]
    middle = median(line["limit"] if line["found"] is None else line["found"] for line in lines)
    return f"{middle:,.0f}" + (f" ({len(found)} of {len(lines)})" if len(found) < len(lines) else "")


def page(out: Path, config: dict[str, Any], lines: Lines) -> None:
    """Write the page; of a page that exists, the section about what it shows is kept."""
    filled = TEXT.format(
        out=out.as_posix(),
        folder=out.stem,
        version=config["versions"]["widthwise"],
        python=config["versions"]["python"],
        machine=f"{config['machine']['cpu']}, {config['machine']['cores']} cores",
        commit=", ".join(sorted({line["commit"][:7] for line in lines})),
        numbers=",".join(map(str, sorted({line["seed"] for line in lines}))),
        seeds=len({line["seed"] for line in lines}),
        table=table(lines),
    )
    before = out.read_text(encoding="utf-8") if out.exists() else ""
    write_whole(out, filled + (f"\n{SHOWS}{before.split(SHOWS, 1)[1]}" if SHOWS in before else ""))


def main(arguments: list[str] | None = None) -> None:
    """Search, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/search-parts"), help="the run folder")
    parser.add_argument("--out", type=Path, help="the page to write")
    parser.add_argument("--environments", default=",".join(LIMITS), help="separated by commas")
    parser.add_argument("--parts", default=";".join(PARTS), help="separated by semicolons")
    parser.add_argument("--seeds", default="0,1,2,3,4", help="separated by commas; empty: only write the page")
    options = parser.parse_args(arguments)
    with resumable_run(options.run, {"benchmark": "search parts"}, KEYS, arguments) as (store, config):
        for seed in [int(text) for text in options.seeds.split(",") if text]:
            for environment in options.environments.split(","):
                for part in options.parts.split(";"):
                    if (environment, part, seed) not in store.done:
                        line = {**search(environment, part, seed), "commit": config["commit"]}
                        store.append(line)
                        print(line, flush=True)
        print(table(store.lines))
        report(options.out, options.run, store, page)


if __name__ == "__main__":
    main()
