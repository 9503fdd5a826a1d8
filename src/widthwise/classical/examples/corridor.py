"""The paper's corridor: fetch the key from the far end and come back."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered


def _generate(_: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    positions = numbered("p", sizes["length"] + 1, first=0)
    start, end = positions[0], positions[-1]
    init = [f"(at {start})", f"(key-at {end})"]
    if sizes["door"]:
        init.append(f"(door-at {start})")
    for left, right in pairwise(positions):
        init += [f"(next {left} {right})", f"(next {right} {left})"]
    goal = ["(open)"] if sizes["door"] else [f"(at {start})", "(have-key)"]
    return GeneratedProblem([("position", positions)], init, goal)


CORRIDOR = Example(
    name="corridor",
    summary="fetch the key at the far end of a corridor and come back: the paper's example of width 2",
    parameters=(
        # Below 2 the way back is a single step: its state is the goal, though IW(1) sees nothing new in it.
        Parameter("length", 10, 2, 10_000, "number of the last position, where the key is; the first position is 0"),
        Parameter("door", 0, 0, 1, "0: the goal is to be at position 0 with the key; 1: to open a door at position 0"),
    ),
    generate=_generate,
    domain_name="corridor",
    seeded=False,
)
