"""Writes the golden trees of the corridor: `python tests/support/make_golden.py` after an intended change of search.

A golden file is a complete search tree, pruned nodes included, one node per line. Read the difference before
committing it: every line is a node that the paper's algorithm generates.
"""

import json
from pathlib import Path

import widthwise as ww
from example_tasks import example
from widthwise import _native
from widthwise.core.model import Model

FOLDER = Path(__file__).resolve().parent.parent / "golden"
LENGTH = 4
FLAGS = {"pruned": _native.PRUNED, "expanded": _native.EXPANDED, "entry": _native.ENTRY, "goal": _native.GOAL}


def planners():
    """The searches whose trees are kept, by file name."""
    return {
        "corridor-iw-1": ww.IW(1, record=True),
        "corridor-iw-2": ww.IW(2, record=True),
        "corridor-hiw-1-1": ww.HIW(["(have-key)"], record=True),
        "corridor-ihiw-1-1": ww.IHIW(),
    }


def tree(planner):
    """The tree a planner builds, as it is written to a file."""
    task = example("corridor", length=LENGTH)
    model = Model(
        _native.Operators(task.native),
        list(task.goal.positive),
        list(task.goal.negative),
        _native.Meter(),
        find_atoms=task.find_atoms,
    )
    outcome = planner.run(model)
    nodes = []
    for number in range(outcome.search.node_count):
        parent, op, depth, region, flags = outcome.search.node(number)
        nodes.append(
            {
                "node": number,
                "parent": parent,
                "operator": None if op is None else task.operator_name(op),
                "depth": depth,
                "region": region,
                "flags": [name for name, flag in FLAGS.items() if flags & flag],
                "state": [task.atoms[atom] for atom in outcome.search.state(number)],
            }
        )
    return {
        "planner": planner.name,
        "task": f"corridor of length {LENGTH}",
        "status": str(outcome.status),
        "plan": None if outcome.path is None else [task.operator_name(op) for op in outcome.path],
        "generated": outcome.generated,
        "expanded": outcome.expanded,
        "pruned": outcome.pruned,
        "high_level_nodes": outcome.high_level_nodes,
        "features": [task.atoms[atom] for atom in outcome.features],
        "nodes": nodes,
    }


def text(golden):
    """The file: one line per node, so that a difference shows which nodes changed."""
    head = {key: value for key, value in golden.items() if key != "nodes"}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = [f"    {json.dumps(node)}" for node in golden["nodes"]]
    return "\n".join(["{", *lines, '  "nodes": [', ",\n".join(rows), "  ]", "}", ""])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, planner in planners().items():
        path = FOLDER / f"{name}.json"
        path.write_text(text(tree(planner)), encoding="utf-8")
        print(path)
