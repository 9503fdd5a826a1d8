"""What planning on simulators costs beyond the simulators themselves: ratios, all measured in one run.

python benchmarks/simulators.py [--quick] [--json FILE]

The time inside the simulator (steps with their observations, saves, restores) and inside feature functions is taken
while a planner runs, so that a ratio compares the same work under the same conditions; the clock's own cost counts
against the planner. Needs ale-py for the part about Atari.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import widthwise as ww
from widthwise.online.acting import OnlinePlanner
from widthwise.online.defaults import default_features
from widthwise.planners.simulated import OnSimulator
from widthwise.simulators.names import simulator

PLANNERS: dict[str, OnSimulator] = {
    "RIW(1)": ww.RolloutIW(1),
    "CRIW(1)": ww.CountRolloutIW(1),
    "HIW(1,1)": ww.HIW(high=ww.CountRolloutIW(1), low=ww.RolloutIW(1)),
    "HIW(n,1)": ww.HIW(high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1)),
}


class Timed:
    """A simulator that takes the time of its own steps (which bring the observation), saves and restores."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.actions, self.deterministic = inner.actions, inner.deterministic
        self.seconds = 0.0
        self.step, self.save, self.load = map(self.timed, (inner.step, inner.save, inner.load))
        self.reset = self.timed(inner.reset)  # a tenth of a second in Atari

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with a clock around it."""
        clock = time.perf_counter

        def call(*arguments: Any) -> Any:
            begun = clock()
            result = function(*arguments)
            self.seconds += clock() - begun
            return result

        return call


@dataclass
class Row:
    """One measurement, in microseconds per interaction."""

    environment: str
    planner: str
    interactions: int
    restores_per_interaction: float
    bare: float
    features: float
    total: float

    @property
    def overhead(self) -> float:
        """What is neither the simulator nor the features."""
        return self.total - self.bare - self.features

    @property
    def rate(self) -> float:
        """The rate of the planner as a share of the bare simulator's."""
        return self.bare / self.total


def measure(environment: str, planner: str, steps: int, budget: ww.Budget) -> Row:
    """One planner in one environment: the run of three in which the planner itself took least."""
    rows = []
    env = Timed(simulator(environment))
    watch = Timed(env.inner)  # of the features
    low, high = (watch.timed(function) for function in default_features(env.inner))
    given = PLANNERS[planner]
    if isinstance(given, ww.HIW):
        given = ww.HIW(high, given.high, given.low)
    agent = OnlinePlanner(env, given, features=low, budget=budget, max_steps=steps)
    agent.run(0)  # pictures are drawn once
    for _ in range(3):
        env.seconds = watch.seconds = 0.0
        episode = agent.run(0)
        count = episode.interactions
        bare, features, total = (1e6 * one / count for one in (env.seconds, watch.seconds, episode.seconds))
        rows.append(Row(environment, planner, count, episode.restores / count, bare, features, total))
    return min(rows, key=lambda row: row.overhead)


def resident() -> int:
    """Bytes of memory this process holds."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def bytes_per_node(environment: str, nodes: int) -> float:
    """How much memory a node of a large tree takes, all levels and tables included."""
    env = simulator(environment)
    agent = OnlinePlanner(env, PLANNERS["HIW(n,1)"], budget=ww.Budget(steps=nodes, nodes=nodes), max_steps=1)
    env.reset(0)
    env.step(0)
    before = resident()
    sizes: list[int] = []
    agent.recorder = lambda tree, record: sizes.extend([resident(), len(tree)])
    agent.run(0)
    return (sizes[0] - before) / sizes[1]


def _episode(environment: str) -> int:
    """Work for one process."""
    agent = OnlinePlanner(simulator(environment), PLANNERS["HIW(1,1)"], budget=ww.Budget(steps=60))
    return agent.run(0).interactions


def speed_up(environment: str, jobs: int = 4) -> float:
    """How much faster two processes do the same episodes than one."""
    seconds = []
    context = multiprocessing.get_context("spawn")
    for processes in (1, 2):
        with context.Pool(processes) as pool:
            pool.map(_episode, [environment] * processes, chunksize=1)  # start-up and pictures are not what is measured
            begun = time.perf_counter()
            pool.map(_episode, [environment] * jobs, chunksize=1)
            seconds.append(time.perf_counter() - begun)
    return seconds[0] / seconds[1]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args(arguments)
    steps = 60 if options.quick else 300
    rows = []
    print(
        f"{'environment':26}{'planner':10}{'interactions':>13}{'bare':>9}{'features':>9}{'total':>9}{'beyond':>9}  rate"
    )
    plan = [(maze, name, steps, ww.Budget(steps=30)) for maze in ("maze-small", "maze-large") for name in PLANNERS]
    atari = find_spec("ale_py") is not None
    if atari:
        budget = ww.Budget(steps=100)
        plan += [("atari:montezuma_revenge", name, 6 if options.quick else 15, budget) for name in PLANNERS]
    for environment, name, most, budget in plan:
        row = measure(environment, name, most, budget)
        rows.append(row)
        print(
            f"{row.environment:26}{row.planner:10}{row.interactions:13}{row.bare:9.1f}{row.features:9.1f}"
            f"{row.total:9.1f}{row.overhead:9.1f}  {row.rate:.3f}",
            flush=True,
        )
    figures: dict[str, Any] = {"rows": [{**asdict(row), "overhead": row.overhead, "rate": row.rate} for row in rows]}
    print("\nin microseconds per interaction; rate: of the bare simulator's steps, saves, restores and observations")
    mazes = [row for row in rows if row.environment.startswith("maze")]
    verdicts = [("maze: most beyond the simulator and its features, µs", max(row.overhead for row in mazes), "<= 60")]
    if atari:
        rate = min(row.rate for row in rows if row.environment.startswith("atari"))
        verdicts.append(("Atari: least share of the bare rate", rate, ">= 0.90"))
        with multiprocessing.get_context("spawn").Pool(1) as pool:  # a process that holds nothing else
            size = pool.apply(bytes_per_node, ("atari:montezuma_revenge", 500 if options.quick else 3000))
        verdicts.append(("Atari: memory per node, KB", size / 1000, "< 40"))
    verdicts.append(("two processes against one", speed_up("maze-large"), ">= 1.8"))
    for what, value, wanted in verdicts:
        print(f"{what:55}{value:9.2f}   wanted {wanted}")
        figures[what] = value
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
