"""A ferry brings cars to their harbours, one at a time."""

from __future__ import annotations

import random
from collections.abc import Mapping

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered


def _generate(rng: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    harbours, cars = numbered("h", sizes["harbours"]), numbered("car", sizes["cars"])
    init = [f"(ferry-at {rng.choice(harbours)})", "(deck-free)"]
    goal = []
    for car in cars:
        origin, destination = rng.sample(harbours, 2)
        init.append(f"(car-at {car} {origin})")
        goal.append(f"(car-at {car} {destination})")
    return GeneratedProblem([("harbour", harbours), ("car", cars)], init, goal)


FERRY = Example(
    name="ferry",
    summary="a ferry that holds one car takes every car to another harbour",
    parameters=(
        Parameter("harbours", 3, 2, 1_000, "harbours the ferry calls at"),
        Parameter("cars", 3, 1, 1_000, "cars, each with a destination other than its start"),
    ),
    generate=_generate,
    domain_name="ferry",
)
