"""What a trace costs: the processor time and the memory of searches with a trace, as ratios to those without one.

    python benchmarks/trace_cost.py [--rounds 7]

Searches with and without a trace take turns, and the best time of each counts. The nodes and the plan are compared.
"""

from __future__ import annotations

import argparse
import time

import widthwise as ww

CASES = (
    ("corridor", {"length": 2_000}, ww.IW(2), None),
    ("gripper", {"balls": 12}, ww.IW(2), None),
    ("gripper", {"balls": 10}, ww.BFS(), 300_000),
    ("blocks", {"blocks": 12}, ww.IW(2), 300_000),
    ("logistics", {"parcels": 8}, ww.IHIW(), 100_000),
    ("gripper", {"balls": 12}, ww.SIW(2), None),
)


def measure(task: ww.Task, planner: ww.Planner, nodes: int | None, trace: bool) -> tuple[float, int, ww.Result]:
    """The seconds of processor time of a search, the most bytes it took, and its result."""
    meter = ww.Budget(nodes=nodes).start()
    begin = time.process_time()
    result = ww.solve(task, planner, budget=ww.Budget(nodes=nodes), meter=meter, trace=trace)
    return time.process_time() - begin, meter.peak_bytes, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="measurements of each search (default 7)")
    rounds = parser.parse_args().rounds
    print("| task | planner | nodes | time | memory | page |")
    print("|---|---|---|---|---|---|")
    for name, sizes, planner, nodes in CASES:
        task = ww.example(name, **sizes)
        measure(task, planner, nodes, False)  # makes the operators
        rows = [[measure(task, planner, nodes, trace) for trace in (False, True)] for _ in range(rounds)]
        plain, traced = ([row[trace] for row in rows] for trace in (0, 1))
        first, second = plain[0][2], traced[0][2]
        assert (first.generated, first.status, first.plan) == (second.generated, second.status, second.plan)
        seconds = [min(row[0] for row in column) for column in (plain, traced)]
        begin = time.process_time()
        ww.explore(second).html()
        page = time.process_time() - begin
        size = ", ".join(f"{value:,} {key}" for key, value in sizes.items())
        ratio = f"{seconds[1] / seconds[0]:.2f}"
        memory = f"{traced[0][1] / plain[0][1]:.2f}"
        print(f"| {name}, {size} | {first.planner} | {first.generated:,} | {ratio} | {memory} | {page:.1f} s |")


if __name__ == "__main__":
    main()
