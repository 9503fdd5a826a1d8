"""Parcels by truck and plane; every city has an airport and a truck."""

from __future__ import annotations

import random
from collections.abc import Mapping

from widthwise.classical.examples.base import Example, GeneratedProblem, Parameter, numbered


def _generate(rng: random.Random, sizes: Mapping[str, int]) -> GeneratedProblem:
    cities = numbered("city", sizes["cities"])
    planes, parcels = numbered("plane", sizes["planes"]), numbered("parcel", sizes["parcels"])
    airports = [f"{city}-airport" for city in cities]
    streets = {city: numbered(f"{city}-place", sizes["places"] - 1) for city in cities}
    trucks = [f"{city}-truck" for city in cities]
    places = {city: [airport, *streets[city]] for city, airport in zip(cities, airports, strict=True)}
    everywhere = [place for city in cities for place in places[city]]

    init = [f"(belongs {place} {city})" for city in cities for place in places[city]]
    init += [f"(at {truck} {rng.choice(places[city])})" for city, truck in zip(cities, trucks, strict=True)]
    init += [f"(at {plane} {rng.choice(airports)})" for plane in planes]
    goal = []
    for parcel in parcels:
        origin, destination = rng.sample(everywhere, 2)
        init.append(f"(at {parcel} {origin})")
        goal.append(f"(at {parcel} {destination})")
    objects = [
        ("city", cities),
        ("airport", airports),
        ("place", [place for city in cities for place in streets[city]]),
        ("truck", trucks),
        ("plane", planes),
        ("parcel", parcels),
    ]
    return GeneratedProblem(objects, init, goal)


LOGISTICS = Example(
    name="logistics",
    summary="deliver parcels by trucks inside cities and planes between their airports",
    parameters=(
        # Two at least, so that a parcel always has somewhere else to go.
        Parameter("cities", 2, 2, 200, "cities, each with an airport and a truck"),
        Parameter("places", 2, 1, 100, "places of each city, the airport included"),
        Parameter("planes", 1, 1, 200, "planes, at random airports"),
        Parameter("parcels", 3, 1, 1_000, "parcels, each with a destination other than its start"),
    ),
    generate=_generate,
    domain_name="logistics",
)
