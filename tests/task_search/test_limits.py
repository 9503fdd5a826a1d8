"""Limits on memory, time and patience: kept, and reported with what was found."""

import gc
import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from example_tasks import example
from twin_search import native_table
from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import Status
from widthwise.task_search.bfs import BFS, DFS
from widthwise.task_search.hiw import HIW
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW

PLANNERS: dict[str, Any] = {
    "BFS": BFS(),
    "DFS": DFS(),
    "IW(1)": IW(1, record=True),
    "IW(2)": IW(2),
    "IW(3)": IW(3),
    "HIW(1,1)": HIW(list(range(0, 70, 2))),
    "HIW of a function": HIW(lambda state: tuple(atom in state for atom in range(0, 70, 9))),
    "IHIW(1,1)": IHIW(),
}


def switches(count):
    """A task of independent switches: 2**count states, and a goal that is none of them."""
    on = [([], [bit], [bit], [], 1.0, []) for bit in range(count)]
    off = [([bit], [], [], [bit], 1.0, []) for bit in range(count)]
    return _native.Operators(_native.GroundedTask.build(count + 1, on + off, [], [], [count], []))


def blocks_model(meter, max_nodes=30_000):
    """Blocks without a goal that could be reached."""
    task = example("blocks", blocks=8)
    return Model(_native.Operators(task.native), [0], [0], meter, max_nodes=max_nodes)


MILLION = """
import json
from widthwise import _native

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))

bits = 20
# Switches that are turned on in order, so that every set of them is reached in one way only.
on = [([], list(range(bit, bits)), [bit], [], 1.0, []) for bit in range(bits)]
operators = _native.Operators(_native.GroundedTask.build(bits + 1, on, [], [], [bits], []))
meter = _native.Meter()
before = resident()
search = _native.Search(operators, meter, [], [bits], [], width=_native.ALL_FEATURES)
search.start()
stop, _, _ = search.resume(0)
print(json.dumps([stop.name, search.node_count, search.generated, meter.bytes, meter.peak_bytes, resident() - before]))
"""


@pytest.mark.resident
def test_a_million_nodes_take_the_memory_that_is_stated():
    """Bits of the state and at most 24 bytes per node, tables included, by the meter and by the system's count."""
    done = subprocess.run([sys.executable, "-c", MILLION], capture_output=True, text=True, check=True, timeout=300)
    stop, nodes, generated, held, peak, resident = json.loads(done.stdout)
    assert (stop, nodes, generated) == ("EXHAUSTED", 2**20, 2**20)
    stated = nodes * (8 + 24) + 200_000  # columns grow by chunks of up to 32 KB
    assert nodes * (8 + 12) <= held <= peak <= stated
    # What the meter says is what the process really took, give or take the allocator.
    assert held * 0.9 - 2**20 <= resident <= peak * 1.1 + 8 * 2**20


@pytest.mark.parametrize("limit", [100, 500, 5_000, 300_000, 600_000])
@pytest.mark.parametrize("name", PLANNERS)
def test_memory_limits_are_kept(name, limit):
    meter = _native.Meter(bytes=limit)
    outcome = PLANNERS[name].run(blocks_model(meter))
    assert outcome.status in (Status.OUT_OF_MEMORY, Status.EXHAUSTED, Status.OUT_OF_NODES)
    if limit <= 5_000:
        assert outcome.status is Status.OUT_OF_MEMORY
    assert meter.peak_bytes <= limit
    assert outcome.generated == outcome.search.generated
    if outcome.status is Status.OUT_OF_MEMORY and limit > 100_000:
        assert outcome.generated > 1
    outcome.search = None
    gc.collect()
    assert meter.bytes == 0


@pytest.mark.parametrize("name", ["BFS", "DFS", "IW(3)"])
def test_memory_runs_out_with_counts(name):
    meter = _native.Meter(bytes=400_000)
    outcome = PLANNERS[name].run(blocks_model(meter))
    assert outcome.status is Status.OUT_OF_MEMORY
    assert outcome.generated > 200
    assert outcome.expanded > 10
    assert outcome.search.node_count > 10


@pytest.mark.parametrize(
    ("planner", "limit"),
    [(IHIW(), 1), (IHIW(IW(2), IW(2)), 1_000_000), (HIW(list(range(0, 70, 3)), IW(2), IW(2)), 400_000)],
    ids=["IHIW(1,1)", "IHIW(2,2)", "HIW(2,2)"],
)
def test_memory_that_runs_out_between_searches(planner, limit):
    outcome = planner.run(blocks_model(_native.Meter(bytes=limit)))
    assert outcome.status is Status.OUT_OF_MEMORY
    assert limit < 1000 or outcome.generated > 100


def test_a_tree_continues_after_memory_ran_out():
    """What was built before stays readable, and is the beginning of the tree that more memory would have given."""
    short = BFS().run(blocks_model(_native.Meter(bytes=400_000))).search
    whole = BFS().run(blocks_model(_native.Meter())).search
    rows, all_rows = native_table(short), native_table(whole)
    assert 10 < len(rows) < len(all_rows)
    same = [(*row[:4], row[5]) for row in rows]
    assert same == [(*row[:4], row[5]) for row in all_rows[: len(rows)]]


def test_pairs_become_sparse_when_the_matrix_does_not_fit():
    """12,000 atoms: the matrix would take 18 MB; with 10 MB the search still runs, and makes the same tree."""
    count = 12_000
    ops = [([atom], [], [(atom * 7 + 1) % count], [], 1.0, []) for atom in range(0, count, 3)]
    ops += [([atom], [], [(atom + 3) % count], [atom], 1.0, []) for atom in range(count)]
    task = _native.Operators(_native.GroundedTask.build(count + 1, ops, [], [0, 5], [count], []))
    trees = []
    for limit in (None, 10_000_000):
        meter = _native.Meter(bytes=limit)
        assert _native.NoveltyTable(meter, count + 1, 2).sparse == (limit is not None)
        search = _native.Search(task, meter, [], [count], [], width=2, max_nodes=3000)
        search.start()
        assert search.resume(0)[0] is _native.Stop.OUT_OF_NODES
        trees.append([(*search.node(node), search.state(node)) for node in range(search.node_count)])
    assert trees[0] == trees[1]
    assert len(trees[0]) > 100


@pytest.mark.parametrize("name", PLANNERS)
def test_no_time_at_all(name):
    meter = _native.Meter(seconds=1e-9)
    outcome = PLANNERS[name].run(blocks_model(meter))
    assert outcome.status is Status.OUT_OF_TIME
    assert outcome.generated >= 1


def test_time_runs_out_in_the_middle():
    """More states than could ever be visited: only the clock ends this search."""
    meter = _native.Meter(seconds=0.05)
    search = _native.Search(switches(60), meter, [], [60], [], width=_native.ALL_FEATURES)
    search.start()
    assert search.resume(0)[0] is _native.Stop.OUT_OF_TIME
    assert search.generated > 1000
    assert search.resume(0)[0] is _native.Stop.OUT_OF_TIME


def test_an_interrupt_from_another_thread_ends_a_search():
    """The other thread can only run because the search gave up the interpreter lock."""
    meter = _native.Meter(bytes=2_000_000_000)
    search = _native.Search(switches(60), meter, [], [60], [], width=_native.ALL_FEATURES)
    search.start()
    threading.Timer(0.05, meter.interrupt).start()
    assert search.resume(0)[0] is _native.Stop.INTERRUPTED
    assert search.generated > 1000
    assert meter.poll() is _native.Halt.INTERRUPTED


def test_an_interrupt_ends_every_planner():
    for planner in PLANNERS.values():
        meter = _native.Meter()
        meter.interrupt()
        outcome = planner.run(blocks_model(meter))
        assert outcome.status is Status.INTERRUPTED
        assert outcome.generated == 1


@pytest.mark.parametrize("nodes", [1, 2, 17, 500])
@pytest.mark.parametrize("name", PLANNERS)
def test_node_limits_are_exact(name, nodes):
    outcome = PLANNERS[name].run(blocks_model(_native.Meter(), nodes))
    assert outcome.generated <= nodes
    if outcome.status is Status.OUT_OF_NODES:
        assert outcome.generated == nodes
    if nodes < 10:
        assert outcome.status is Status.OUT_OF_NODES


RESIDENT = """
import tempfile, pathlib, widthwise as ww
from widthwise.classical.examples import EXAMPLES

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "d.pddl").write_text(EXAMPLES["8puzzle"].domain())
(folder / "p.pddl").write_text(EXAMPLES["8puzzle"].problem(0, side=4))
task = ww.load(folder / "d.pddl", folder / "p.pddl")
ww.solve(task, ww.IHIW(), budget=ww.Budget(nodes=1000))
before = resident()
result = ww.solve(task, ww.IHIW(), budget=ww.Budget(bytes=40_000_000))
print(result.status, resident() - before)
"""


@pytest.mark.resident
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_hundreds_of_thousands_of_regions_keep_the_memory_limit():
    """Regions are many small blocks: what the meter says must still be what the process takes."""
    done = subprocess.run([sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=True, timeout=300)
    status, grown = done.stdout.split()
    assert status == "out-of-memory"
    assert 20e6 <= int(grown) <= 50e6
