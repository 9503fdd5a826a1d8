"""A lift takes passengers from floor to floor."""

from __future__ import annotations

import random
from collections.abc import Mapping

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered


def _generate(rng: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    floors = numbered("f", sizes["floors"], first=0)
    passengers = numbered("p", sizes["passengers"])
    trips = [rng.sample(floors, 2) for _ in passengers]
    init = [f"(lift-at {rng.choice(floors)})"]
    init += [f"(waits {passenger} {origin})" for passenger, (origin, _) in zip(passengers, trips, strict=True)]
    init += [f"(wants {passenger} {target})" for passenger, (_, target) in zip(passengers, trips, strict=True)]
    init += [f"(above {low} {high})" for index, low in enumerate(floors) for high in floors[index + 1 :]]
    goal = [f"(arrived {passenger})" for passenger in passengers]
    return GeneratedProblem([("floor", floors), ("passenger", passengers)], init, goal)


ELEVATOR = Example(
    name="elevator",
    summary="a lift takes passengers from the floors where they wait to those they want",
    parameters=(
        Parameter("floors", 5, 2, 300, "floors of the building"),
        Parameter("passengers", 4, 1, 1_000, "passengers, each waiting at one floor and bound for another"),
    ),
    generate=_generate,
    domain_name="elevator",
)
