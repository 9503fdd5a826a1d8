"""A short random search before the real one: what an environment shows decides which features suit it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from widthwise.core.contract import guarded, innermost
from widthwise.core.simulator import Simulator, Step
from widthwise.online.defaults import default_features, observation
from widthwise.simulator_search.archive_search import ArchiveSearch
from widthwise.simulator_search.driver import FeatureFunction, vector
from widthwise.simulators.bins import Bins
from widthwise.simulators.scene_features import Scenes
from widthwise.simulators.tile_choice import choose_tiles, is_image

#: Simulator steps of the sample.
STEPS = 1_500
#: The share of states from which later rollouts of the sample start.
SAVED = 0.05
#: Scenes per state of the sample, at most. Where there are more, scenes are no larger units than tiles.
SCENES = 0.01
#: Values of the lowest features per state of the sample, at most, for a level of regions. A memory with counters of
#: frames has more: every state would be a region of its own.
LOWEST = 0.25


@dataclass(frozen=True, slots=True)
class Choice:
    """Features for the levels of a search, highest level first, and the interactions that the choice took.

    `situations` says whether regions are single situations: the environment shows neither images nor numbers that are
    divided into intervals.
    """

    features: tuple[FeatureFunction, ...]
    interactions: int
    note: str
    situations: bool = False


def choose_features(
    simulator: Simulator, seed: int = 0, steps: int = STEPS, *, scenes: bool = True, lowest: bool = True
) -> Choice:
    """The features of a search where none are given.

    Images are cut into tiles, on two levels. Above them is the scene, unless the sample has too many scenes; below them
    are the features that the simulator shows for its lowest level, or the observation (`Guarded` shows no features).
    Features that the environment declares for its lowest level are regions of the archive too, unless nearly every
    state of the sample has other values. Where observations are not images, the features of the environment inside all
    wrappers are taken. The last features of the result, by which rollouts may be pruned, are always the lowest ones.

    Args:
        simulator: The environment; it is reset.
        seed: Of the random sample.
        steps: How many simulator steps the sample has.
        scenes: Whether the scene may be a level.
        lowest: Whether the features that the environment declares for its lowest level may be a level.

    Returns:
        The features, and how many interactions the sample took.
    """
    environment = guarded(simulator)
    first = environment.reset(seed)
    if not is_image(first):
        own = default_features(innermost(simulator))
        regions = tuple(reversed(own if lowest else own[1:]))
        situations = (lowest or len(own) == 1) and not any(isinstance(function, Bins) for function in own)
        features = (*regions, own[0]) if len(own) > 1 else own
        return Choice(features, 0, "the features of the environment", situations)
    pruning = default_features(simulator)[0]
    states = sample(environment, first, random.Random(seed), steps)
    tiles = choose_tiles(states)
    levels: list[FeatureFunction] = list(tiles)
    notes = [f"tiles {t.width}x{t.height} of {t.values} values" for t in tiles]
    if scenes and count_scenes(states) <= max(1, SCENES * steps):
        levels.insert(0, Scenes())
        notes.insert(0, "scenes")
    declared = default_features(innermost(simulator))[0]
    declares = lowest and declared is not observation
    if declares and len({vector(declared, step) for step in states}) <= LOWEST * len(states):
        levels.append(declared)
        notes.append("the features of the environment")
    return Choice((*levels, pruning), len(states) - 1, ", ".join(notes))


def suitable(planner: ArchiveSearch, choice: Choice) -> ArchiveSearch:
    """A planner whose rollouts end at known states where a known region is a known state.

    A region of tiles or of intervals has many states, and rollouts that stop at known ones do not leave it.

    Args:
        planner: The planner; a setting that was given is kept.
        choice: The features of the search.

    Returns:
        The planner.
    """
    return planner if planner.through is not None else replace(planner, through=not choice.situations)


def count_scenes(states: Sequence[Step]) -> int:
    """How many scenes a sample shows."""
    scenes = Scenes()
    for step in states:
        scenes(step)
    return len(scenes)


def sample(environment: Simulator, first: Step, rng: random.Random, steps: int) -> list[Step]:
    """Steps of random rollouts from the initial state and from states that other rollouts have passed."""
    usual = ArchiveSearch()  # the rollouts are those of the search that follows
    states, starts = [first], [environment.save()]
    lives = first.info.get("lives")
    while len(states) <= steps:
        environment.load(rng.choice(starts))
        action = rng.randrange(environment.actions)
        for _ in range(min(usual.rollout, steps + 1 - len(states))):
            if rng.random() * usual.hold < 1:
                action = rng.randrange(environment.actions)
            step = environment.step(action)
            states.append(step)
            if step.done or (lives is not None and step.info.get("lives", lives) < lives):
                break
            if rng.random() < SAVED:
                starts.append(environment.save())
    return states
