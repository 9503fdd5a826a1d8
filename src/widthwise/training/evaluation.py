"""How good is what was learned? The network alone, and the planner with the network."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from widthwise.core.contract import guarded
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator, Step

#: The paper's authors let the network act at this temperature.
TEMPERATURE = 0.01


@dataclass(frozen=True, slots=True)
class EvaluationEpisode:
    """An episode played to see how good it is."""

    score: float
    steps: int
    interactions: int  # simulator steps it took
    actions: list[int]


def sharpened(policy: Sequence[float], temperature: float) -> list[float]:
    """A policy at a temperature, proportional to p^(1 / temperature); at 0 the best actions share the probability."""
    most = max(policy)
    if temperature == 0:
        weights = [float(probability == most) for probability in policy]
    else:
        weights = [(probability / most) ** (1 / temperature) for probability in policy]
    total = sum(weights)
    return [weight / total for weight in weights]


def play_network(
    simulator: Simulator, policy: Callable[[Step], Sequence[float]], temperature: float, seed: int
) -> EvaluationEpisode:
    """An episode in which the network alone acts: greedily at temperature 0, the first of equally good actions."""
    if temperature < 0:
        raise UsageError(f"a temperature must be at least 0, not {temperature!r}")
    rng = random.Random(seed)
    world = guarded(simulator)
    step = world.reset(seed)
    score, actions = 0.0, list[int]()
    while not step.done:
        chances = sharpened(policy(step), temperature)
        if temperature == 0:
            actions.append(chances.index(max(chances)))
        else:
            actions.append(rng.choices(range(len(chances)), chances)[0])
        step = world.step(actions[-1])
        score += step.reward
    return EvaluationEpisode(score, len(actions), len(actions), actions)
