"""What planning on simulators costs beyond the simulators themselves: ratios, all measured in one run.

python benchmarks/simulators.py [--quick] [--json FILE] [--out docs/results/simulator-speed.md]
python benchmarks/simulators.py --contract | --processes

The time inside the simulator (steps with their observations, saves, restores) and inside feature functions is taken
while a planner runs, so that a ratio compares the same work under the same conditions; the clock's own cost counts
against the planner. Needs ale-py for the part about Atari.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import widthwise as ww
from page_width import wrapped
from widthwise.core.provenance import describe_run
from widthwise.online.acting import OnlinePlanner
from widthwise.online.defaults import default_features
from widthwise.simulator_search.levels import OnSimulator
from widthwise.simulators.names import simulator

GAME = "atari:montezuma_revenge"
HEAD = (
    f"{'environment':25}{'nodes':>6} {'planner':9}{'interactions':>13}"
    f"{'bare':>8}{'features':>9}{'total':>8}{'beyond':>8}  rate"
)
LEGEND = "in microseconds per interaction; rate: of the bare simulator's steps, saves, restores and observations"
CONTRACT_HEAD = f"{'environment':25}{'planner':9}{'interactions':>13}{'bare':>8}" + 2 * f"{'checked':>9}{'watched':>9}"
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
    nodes: int
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

    def text(self) -> str:
        """The row of a table."""
        return (
            f"{self.environment:25}{self.nodes:6} {self.planner:9}{self.interactions:13}{self.bare:8.1f}"
            f"{self.features:9.1f}{self.total:8.1f}{self.overhead:8.1f}  {self.rate:.3f}"
        )


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
        bare, features, total = (1e6 * item / count for item in (env.seconds, watch.seconds, episode.seconds))
        rows.append(
            Row(environment, planner, agent.budget.nodes or 0, count, episode.restores / count, bare, features, total)
        )
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


def _episode(environment: str) -> float:
    """Work for one process; returns the processor time it took."""
    agent = OnlinePlanner(simulator(environment), PLANNERS["HIW(1,1)"], budget=ww.Budget(steps=60))
    begun = time.process_time()
    agent.run(0)
    return time.process_time() - begun


def speed_up(environment: str, rounds: int, jobs: int = 4) -> tuple[float, float]:
    """How much faster two processes do the same episodes than one: by the clock, and by processor time.

    One process and two processes take turns. The best round counts by the clock, because other programs may use the
    machine. Processor time does not include them: it says whether two processes hinder each other (2 if not at all).
    """
    context = multiprocessing.get_context("spawn")
    walls, works = [], []
    with context.Pool(1) as first, context.Pool(2) as second:
        for pool, processes in ((first, 1), (second, 2)):
            pool.map(_episode, [environment] * 2 * processes, chunksize=1)  # start-up and pictures do not count
        for _ in range(rounds):
            seconds, worked = [], []
            for pool in (first, second):
                begun = time.perf_counter()
                worked.append(sum(pool.map(_episode, [environment] * jobs, chunksize=1)))
                seconds.append(time.perf_counter() - begun)
            walls.append(seconds[0] / seconds[1])
            works.append(2 * worked[0] / worked[1])
    return max(walls), median(works)


class Bare:
    """A simulator without the checks of the contract, with what the driver asks of a checked one."""

    watch, steps = None, 0

    def __init__(self, inner: Any) -> None:
        self.inner, self.name = inner, "bare"
        self.actions, self.deterministic = inner.actions, inner.deterministic
        self.reset, self.step, self.save, self.load = inner.reset, inner.step, inner.save, inner.load


def contract(environment: str, planner: str, steps: int, rounds: int) -> str:
    """What the checks of the contract cost, alone and with the watchdog: episodes in turns, by processor time."""
    seconds: dict[str, list[float]] = {"bare": [], "checked": [], "watched": []}
    for turn in range(rounds + 1):  # the first turn does not count: pictures are drawn once
        for kind, times in seconds.items():
            with contextlib.ExitStack() as stack:
                if kind == "watched":
                    stack.enter_context(ww.watching(60.0))
                env = simulator(environment)
                agent = OnlinePlanner(env, PLANNERS[planner], budget=ww.Budget(steps=30), max_steps=steps)
                if kind == "bare":
                    agent.driver.simulator = Bare(env)  # type: ignore[assignment]
                begun = time.process_time()
                episode = agent.run(0)
                if turn:
                    times.append(1e6 * (time.process_time() - begun) / episode.interactions)
    bare, checked, watched = (median(times) for times in seconds.values())
    ratios = [[first / other for first, other in zip(seconds[kind], seconds["bare"], strict=True)] for kind in seconds]
    return (
        f"{environment:25}{planner:9}{episode.interactions:13}{bare:8.1f}{checked:9.1f}{watched:9.1f}"
        f"{median(ratios[1]):9.3f}{median(ratios[2]):9.3f}"
    )


def busy() -> float:
    """How many processor cores other work takes, measured over half a second of sleep."""
    before = _ticks()
    time.sleep(0.5)
    after = _ticks()
    total = sum(after) - sum(before)
    idle = after[3] + after[4] - before[3] - before[4]
    return (os.cpu_count() or 1) * (1 - idle / total) if total else 0.0


def _ticks() -> list[int]:
    return [int(item) for item in Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    parser.add_argument("--out", type=Path, help="also write a report to a file")
    parser.add_argument("--processes", action="store_true", help="only compare two processes with one, and say it")
    parser.add_argument("--contract", action="store_true", help="only measure the checks of the contract, and say it")
    options = parser.parse_args(arguments)
    if options.contract:
        print(CONTRACT_HEAD)
        for environment, most in (("maze-small", 300), ("maze-large", 300), (GAME, 6)):
            if environment != GAME or find_spec("ale_py") is not None:
                print(contract(environment, "RIW(1)", most, 3 if options.quick else 15), flush=True)
        return 0
    if options.processes:
        others = busy()
        print("two against one: by the clock {:.2f}, by processor time {:.2f}".format(*speed_up("maze-large", 5)))
        print(f"other work on the machine before, cores: {others:.2f}")
        return 0
    steps = 60 if options.quick else 300
    others = busy()
    rows = []
    lines = [HEAD]
    print(HEAD)
    plan = [(maze, name, steps, ww.Budget(steps=30)) for maze in ("maze-small", "maze-large") for name in PLANNERS]
    atari = find_spec("ale_py") is not None
    if atari:
        wide, few = ww.Budget(steps=100, nodes=5000), 6 if options.quick else 15
        full = ww.Budget(steps=100, nodes=500)  # a tree that is full most of the time
        plan += [(GAME, name, few, wide) for name in PLANNERS]
        plan += [(GAME, name, 4 * few, full) for name in PLANNERS]
    for environment, name, most, budget in plan:
        row = measure(environment, name, most, budget)
        rows.append(row)
        lines.append(row.text())
        print(lines[-1], flush=True)
    print(f"\n{LEGEND}")
    mazes = [row for row in rows if row.environment.startswith("maze")]
    verdicts = [("maze: most beyond the simulator and its features, µs", max(row.overhead for row in mazes), "<= 60")]
    if atari:
        for nodes, what in ((5000, "a tree with room"), (500, "a full tree of 500 nodes")):
            rate = min(row.rate for row in rows if row.environment == GAME and row.nodes == nodes)
            verdicts.append((f"Atari, {what}: least share of the bare rate", rate, ">= 0.90"))
        with multiprocessing.get_context("spawn").Pool(1) as pool:  # a process that holds nothing else
            size = pool.apply(bytes_per_node, (GAME, 500 if options.quick else 3000))
        verdicts.append(("Atari: memory per node, KB", size / 1000, "< 40"))
    others = max(others, busy())
    wall, work = speed_up("maze-large", 1 if options.quick else 5)
    verdicts.append(("two processes against one, by the clock", wall, ">= 1.8"))
    verdicts.append(("two processes against one, by processor time", work, ">= 1.8"))
    messages = [f"{what:64}{value:9.2f}   wanted {wanted}" for what, value, wanted in verdicts]
    messages.append(f"{'other work on the machine meanwhile, cores':64}{others:9.2f}")
    print("\n".join(messages))
    if options.json:
        figures: dict[str, Any] = {
            "rows": [{**asdict(row), "overhead": row.overhead, "rate": row.rate} for row in rows],
            **{what: value for what, value, _ in verdicts},
            "other work, cores": others,
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if options.out:
        options.out.write_text(wrapped(report(lines, messages)), encoding="utf-8")
    return 0


def report(lines: list[str], message: list[str]) -> str:
    """The figures as a page."""
    made = describe_run({}, ["python", *sys.argv])
    machine = made["machine"]
    parts = [
        "# The cost of planning in addition to the simulator",
        f"Written by `{made['command']}`. Commit {made['commit']}, Widthwise "
        f"{made['versions']['widthwise']}, Python {made['versions']['python']}; "
        f"{machine['cpu']}, {machine['cores']} cores.",
        "```\n" + "\n".join(message) + "\n```",
        "By the clock, two processes can only be twice as fast as one if there is no other load on a machine with two "
        "cores; the last line gives the other load. `python benchmarks/simulators.py --processes` measures only this. "
        "Processor time shows whether the processes slow each other down.",
        "```\n" + "\n".join(lines) + "\n```",
        f"{LEGEND[0].upper()}{LEGEND[1:]}. The best of three runs each. In a full tree planning stops early, so "
        "the work of acting (values, policy, dropping nodes) is divided among few interactions.",
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
