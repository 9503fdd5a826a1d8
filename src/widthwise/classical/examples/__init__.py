"""Example tasks of our own: eight families, each a domain and a seeded generator of solvable problems."""

from __future__ import annotations

from widthwise.classical.examples.base import Example, Parameter, near_miss
from widthwise.classical.examples.blocks import BLOCKS
from widthwise.classical.examples.corridor import CORRIDOR
from widthwise.classical.examples.elevator import ELEVATOR
from widthwise.classical.examples.ferry import FERRY
from widthwise.classical.examples.gripper import GRIPPER
from widthwise.classical.examples.logistics import LOGISTICS
from widthwise.classical.examples.puzzle import PUZZLE
from widthwise.classical.examples.visitall import VISIT_ALL
from widthwise.core.errors import UsageError

__all__ = ["EXAMPLES", "Example", "Parameter", "find", "paper_instances"]

EXAMPLES: dict[str, Example] = {
    example.name: example for example in (CORRIDOR, GRIPPER, BLOCKS, PUZZLE, FERRY, LOGISTICS, VISIT_ALL, ELEVATOR)
}

# The paper does not say which instances it used, only how many goals they had in all. These are the
# smallest seeds with which no goal holds at the start, so that every single goal is a task.
_PAPER: dict[str, tuple[dict[str, int], ...]] = {
    "8puzzle": tuple({"side": 3, "seed": seed} for seed in (5, 6, 7, 10)),
    "ferry": tuple({"harbours": ports, "cars": cars, "seed": 0} for ports, cars in ((2, 2), (2, 3), (3, 3))),
}


def find(name: str) -> Example:
    """Return the family of this name, or refuse it with a hint at the nearest one."""
    if name not in EXAMPLES:
        raise UsageError(
            f"there is no example '{name}'{near_miss(name, EXAMPLES)}; the examples are {', '.join(EXAMPLES)}"
        )
    return EXAMPLES[name]


def paper_instances(name: str) -> list[str]:
    """Return the problems behind a row of the paper's table: "8puzzle" (32 goals) or "ferry" (8 goals)."""
    if name not in _PAPER:
        raise UsageError(f"there are no instances of the paper for '{name}', only for {', '.join(_PAPER)}")
    return [EXAMPLES[name].problem(**choice) for choice in _PAPER[name]]
