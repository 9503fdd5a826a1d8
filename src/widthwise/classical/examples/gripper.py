"""A robot carries all balls from one room to another."""

from __future__ import annotations

import random
from collections.abc import Mapping

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered


def _generate(_: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    balls, hands = numbered("ball", sizes["balls"]), numbered("hand", sizes["hands"])
    init = ["(robot-in west)"]
    init += [f"(empty {hand})" for hand in hands]
    init += [f"(ball-in {ball} west)" for ball in balls]
    goal = [f"(ball-in {ball} east)" for ball in balls]
    return GeneratedProblem([("room", ["west", "east"]), ("hand", hands), ("ball", balls)], init, goal)


GRIPPER = Example(
    name="gripper",
    summary="a robot carries balls from one room to another, one in each hand",
    parameters=(
        Parameter("balls", 4, 1, 10_000, "balls to carry"),
        Parameter("hands", 2, 1, 100, "hands of the robot"),
    ),
    generate=_generate,
    domain_name="gripper",
    seeded=False,
)
