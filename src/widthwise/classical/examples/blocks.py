"""Blocks on a table: build one random set of towers from another."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered


def _towers(rng: random.Random, blocks: Sequence[str]) -> list[list[str]]:
    """Stack the blocks in random order, each on one of the towers so far or on the table."""
    towers: list[list[str]] = []
    for block in rng.sample(blocks, len(blocks)):
        place = rng.randrange(len(towers) + 1)
        if place == len(towers):
            towers.append([])
        towers[place].append(block)
    return towers


def _arrangement(towers: Sequence[Sequence[str]]) -> list[str]:
    """Return the atoms for the place of each block, bottom blocks first."""
    standing = sorted(f"(on-table {tower[0]})" for tower in towers)
    stacked = sorted(f"(on {upper} {lower})" for tower in towers for lower, upper in pairwise(tower))
    return standing + stacked


def _generate(rng: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    blocks = numbered("b", sizes["blocks"])
    start = _towers(rng, blocks)
    before = after = _arrangement(start)
    while after == before:
        after = _arrangement(_towers(rng, blocks))
    clear = sorted(f"(clear {tower[-1]})" for tower in start)
    return GeneratedProblem([("block", blocks)], ["(arm-free)", *before, *clear], after)


BLOCKS = Example(
    name="blocks",
    summary="rebuild random towers of blocks into other random towers",
    parameters=(Parameter("blocks", 5, 2, 1_000, "blocks on the table"),),
    generate=_generate,
    domain_name="blocks",
)
