"""The bundled families: their generators, their texts and the command that writes them."""

import hashlib
import os
import random
import re
import subprocess
import sys
from collections import deque

import pytest

from literal_pddl import Model, goals, init, objects
from widthwise.classical.examples import EXAMPLES, paper_instances
from widthwise.classical.examples.grids import neighbours
from widthwise.core.errors import UsageError

FAMILIES = sorted(EXAMPLES)
LARGER = {
    "corridor": {"length": 25, "door": 1},
    "gripper": {"balls": 9, "hands": 3},
    "blocks": {"blocks": 12},
    "8puzzle": {"side": 4},
    "ferry": {"harbours": 6, "cars": 9},
    "logistics": {"cities": 4, "places": 3, "planes": 2, "parcels": 7},
    "visit-all": {"width": 7, "height": 6, "holes": 9},
    "elevator": {"floors": 12, "passengers": 8},
}


# --- the families


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("larger", [False, True])
def test_translator_reads_and_grounds(name, larger, tmp_path):
    example = EXAMPLES[name]
    model = Model(example.domain(), example.problem(**(LARGER[name] if larger else {})), tmp_path)
    assert model.init & model.goal != model.goal  # never solved before it starts
    assert len(model.atoms) > len(model.goals)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "8puzzle"])
def test_default_is_solved_by_breadth_first_search(name, tmp_path):
    example = EXAMPLES[name]
    for seed in range(3 if example.seeded else 1):
        depth, _ = Model(example.domain(), example.problem(seed), tmp_path).breadth_first(limit=50_000)
        assert depth is not None and depth > 0


def test_puzzles_start_where_slides_can_lead():
    solved = (*range(1, 9), 0)
    reached, queue = {solved}, deque([solved])
    while queue:
        layout = queue.popleft()
        free = layout.index(0)
        for row, column in neighbours(divmod(free, 3)):
            if 0 <= row < 3 and 0 <= column < 3:
                child, other = list(layout), row * 3 + column
                child[free], child[other] = child[other], 0
                child = tuple(child)  # type: ignore[assignment]
                if child not in reached:
                    reached.add(child)  # type: ignore[arg-type]
                    queue.append(child)  # type: ignore[arg-type]
    assert len(reached) == 181_440
    starts = set()
    for seed in range(200):
        problem = EXAMPLES["8puzzle"].problem(seed)
        cells = {cell: index for index, cell in enumerate(objects(problem)["cell"])}
        layout = [0] * 9  # type: ignore[assignment]
        for atom in init(problem):
            if atom[0] == "tile-at":
                layout[cells[atom[2]]] = int(atom[1][1:])  # type: ignore[index]
        assert tuple(layout) in reached and tuple(layout) != solved
        starts.add(tuple(layout))
    assert len(starts) > 190


@pytest.mark.parametrize("side", [2, 4])
def test_puzzles_of_even_side_keep_the_invariant(side):
    for seed in range(20):
        problem = EXAMPLES["8puzzle"].problem(seed, side=side)
        cells = {cell: index for index, cell in enumerate(objects(problem)["cell"])}
        at = {cells[atom[2]]: int(atom[1][1:]) for atom in init(problem) if atom[0] == "tile-at"}
        (free,) = (cells[atom[1]] for atom in init(problem) if atom[0] == "free")
        tiles = [at[index] for index in sorted(at)]
        inversions = sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1 :])
        # The textbook rule for even sides, which the generator does not use.
        assert (inversions + free // side) % 2 == (side - 1) % 2


@pytest.mark.parametrize("door", [0, 1])
@pytest.mark.parametrize("length", [2, 3, 10])
def test_corridor_has_width_two(length, door, tmp_path):
    example = EXAMPLES["corridor"]
    model = Model(example.domain(), example.problem(length=length, door=door), tmp_path)
    assert model.breadth_first(1_000)[0] == 2 * length + 1 + door
    assert not model.iterated_width(1)[0]
    solved, kept, _ = model.iterated_width(2)
    assert solved and len(kept) == 2 * (length + 1) + door


@pytest.mark.parametrize("door", [0, 1])
def test_corridor_splits_at_the_key(door, tmp_path):
    """HIW(1,1) with the key as high-level feature: IW(1) without the key, then IW(1) with it."""
    example = EXAMPLES["corridor"]
    model = Model(example.domain(), example.problem(length=6, door=door), tmp_path)
    key = model.bit("have-key")
    solved, kept, left = model.iterated_width(1, stay=key)
    assert not solved and len(kept) == 7 and len(left) == 1
    solved, kept, _ = model.iterated_width(1, root=left[0], stay=key)
    assert solved and len(kept) == 7 + door
    assert {atom[0] for atom in model.atoms} == {"at", "key-at", "have-key"} | ({"open"} if door else set())


@pytest.mark.parametrize("holes", [0, 1, 11, 33, 34])
def test_holes_leave_the_grid_connected(holes):
    for seed in range(10):
        problem = EXAMPLES["visit-all"].problem(seed, width=6, height=6, holes=holes)
        cells = objects(problem)["cell"]
        assert len(cells) == len(set(cells)) == 36 - holes == len(goals(problem))
        reached, queue = {cells[0]}, [cells[0]]
        edges = [atom[1:] for atom in init(problem) if atom[0] == "beside"]
        while queue:
            cell = queue.pop()
            new = [d for c, d in edges if c == cell and d not in reached]
            reached.update(new)
            queue += new
        assert reached == set(cells)


def test_sizes_are_honoured():
    def kinds(name):
        return {kind: len(names) for kind, names in objects(EXAMPLES[name].problem(**LARGER[name])).items()}

    assert kinds("corridor") == {"position": 26}
    assert kinds("gripper") == {"room": 2, "hand": 3, "ball": 9}
    assert kinds("blocks") == {"block": 12}
    assert kinds("8puzzle") == {"cell": 16, "tile": 15}
    assert kinds("ferry") == {"harbour": 6, "car": 9}
    expected = {"city": 4, "airport": 4, "place": 8, "truck": 4, "plane": 2, "parcel": 7}
    assert kinds("logistics") == expected
    assert kinds("visit-all") == {"cell": 33}
    assert kinds("elevator") == {"floor": 12, "passenger": 8}


@pytest.mark.parametrize("name", FAMILIES)
def test_smallest_and_seeds(name):
    example = EXAMPLES[name]
    smallest = {parameter.name: parameter.minimum for parameter in example.parameters}
    assert goals(example.problem(**smallest))
    assert example.sizes() == {parameter.name: parameter.default for parameter in example.parameters}
    texts = {example.problem(seed).split("(:domain")[1] for seed in range(5)}
    assert (len(texts) > 1) == example.seeded
    assert all(len(line) <= 110 for line in example.problem(**LARGER[name]).splitlines())


def test_blocks_never_start_solved():
    for seed in range(50):
        problem = EXAMPLES["blocks"].problem(seed, blocks=2)
        assert not set(goals(problem)) <= set(init(problem))


# --- the same bytes everywhere

DIGEST = """
import hashlib
from widthwise.classical.examples import EXAMPLES, paper_instances
texts = [e.domain() + e.problem(seed) for e in EXAMPLES.values() for seed in range(5)]
texts += [EXAMPLES["visit-all"].problem(3, width=9, height=9, holes=30)]
texts += paper_instances("8puzzle") + paper_instances("ferry")
print(hashlib.sha256("\\0".join(texts).encode()).hexdigest())
"""


def test_same_bytes_under_two_hash_seeds():
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1 and len(digests.pop().strip()) == 64


def test_paper_instances_stay_what_they_are():
    digests = {
        name: hashlib.sha256("".join(paper_instances(name)).encode()).hexdigest()[:16] for name in ("8puzzle", "ferry")
    }
    assert digests == {"8puzzle": "d6370d46db402a80", "ferry": "f6f3a1e54a878d40"}


def test_generating_leaves_the_global_random_state_alone():
    before = random.getstate()
    for example in EXAMPLES.values():
        example.problem(4)
    assert random.getstate() == before


@pytest.mark.parametrize(("name", "instances", "total"), [("8puzzle", 4, 32), ("ferry", 3, 8)])
def test_paper_instances_have_the_papers_goals(name, instances, total, tmp_path):
    texts = paper_instances(name)
    assert len(texts) == len({text.split("(:domain")[1] for text in texts}) == instances
    assert not any(set(goals(text)) & set(init(text)) for text in texts)
    assert sum(len(goals(text)) for text in texts) == total
    for text in texts:
        model = Model(EXAMPLES[name].domain(), text, tmp_path)
        assert all(model.iterated_width(2, goal=goal)[0] for goal in model.goals)
        if name == "ferry":  # the paper: IW(1) solves none of them
            assert not any(model.iterated_width(1, goal=goal)[0] for goal in model.goals)


# --- wrong calls


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("ferry", {"car": 3}, "did you mean 'cars'"),
        ("ferry", {"zebras": 3}, "its sizes are harbours, cars"),
        ("ferry", {"cars": 0}, "must be from 1 to 1000, not 0"),
        ("corridor", {"length": 1}, "must be from 2 to"),
        ("ferry", {"cars": "3"}, "whole number"),
        ("ferry", {"cars": True}, "whole number"),
        ("ferry", {"seed": -1}, "a seed must be a whole number"),
        ("visit-all", {"width": 2, "height": 2, "holes": 3}, "at most 2 holes, not 3"),
        ("visit-all", {"width": 2, "height": 1, "holes": 1}, "at most 0 holes, not 1"),
    ],
)
def test_wrong_sizes_are_refused(name, sizes, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        EXAMPLES[name].problem(**sizes)


def test_no_paper_instances_of_other_families():
    with pytest.raises(UsageError, match="only for 8puzzle, ferry"):
        paper_instances("blocks")
