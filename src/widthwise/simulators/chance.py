"""A check whether steps depend on chance. A planner that restores snapshots knows random outcomes in advance.

From states along random walks the same actions are executed twice: once unchanged, once with all generators reseeded.
If observations, rewards or ends differ, the environment is random. A generator that was used without any difference is
reported as unused: some environments draw numbers that have no effect.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from widthwise.core.contract import Guarded, guarded, innermost, made_here
from widthwise.core.errors import UnsupportedError, UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.simulators import generators
from widthwise.simulators.traces import Difference, compare, differ, frozen, play

#: What to do about chance: refuse to plan, plan with known random outcomes, or execute with new random numbers.
Mode = Literal["refuse", "foresee", "reseed"]
MODES: tuple[Mode, ...] = get_args(Mode)
#: The number of walks that are executed twice, three times as many if a generator is used, and their length.
WALKS = 4
WALKS_WITH_RANDOMNESS = 12
LENGTH = 10
#: The parts that are compared; `info` is not, because it may contain times.
OUTCOME = ("terminated", "truncated", "reward", "observation")

Kind = Literal["none", "unused", "declared", "random", "unrepeatable"]


#: Options that make environments deterministic, by the beginning of their name.
DETERMINISTIC = {
    "FrozenLake": "is_slippery=False",
    "CliffWalking": "is_slippery=False",
    "Taxi": "is_rainy=False",
    "ALE/": "repeat_action_probability=0",
    "atari:": "sticky=0",
}


class ChanceError(UnsupportedError):
    """The environment is random and chance is refused; `finding` is the result of the check."""

    def __init__(
        self, message: str = "", finding: Chance | None = None, *, python: str = "", command: str = ""
    ) -> None:
        super().__init__(message, python=python, command=command)
        self.finding = finding


@dataclass(frozen=True, slots=True)
class Chance:
    """The result of a check.

    `kind` is `none` (no generator was used), `unused` (generators were used, outcomes did not differ), `declared` (the
    simulator says that it is not deterministic), `random` (outcomes depend on a generator) or `unrepeatable` (the same
    actions from the same snapshot gave different steps although no generator was touched).
    """

    environment: str
    kind: Kind
    detail: str = ""
    generators: tuple[str, ...] = ()  # those that steps have used
    steps: int = 0  # simulator steps of the check
    tries: int = 0  # steps that were repeated with new random numbers
    seconds: float = 0.0

    @property
    def stochastic(self) -> bool:
        """Whether outcomes depend on chance."""
        return self.kind not in ("none", "unused")

    @property
    def broken(self) -> bool:
        """Whether steps do not repeat although they use no known generator, so that no mode of chance helps."""
        return self.kind == "unrepeatable" and not self.generators

    def __str__(self) -> str:
        """The finding as a clause without the environment's name."""
        used = ", ".join(self.generators)
        return {
            "none": f"steps use no random generator ({self.steps} steps)",
            "unused": f"steps use random numbers ({used}), but no outcome differed in {self.tries} repetitions",
            "declared": self.detail or "the simulator declares that it is not deterministic",
            "random": f"steps depend on chance{f' ({used})' if used else ''}: {self.detail}",
            "unrepeatable": f"the same actions from the same snapshot gave different steps: {self.detail}"
            + (f" (save() may not keep {used})" if used else ""),
        }[self.kind]

    def describe(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "kind": self.kind,
            "stochastic": self.stochastic,
            "text": str(self),
            "generators": list(self.generators),
            "check_steps": self.steps,
            "tries": self.tries,
            "check_seconds": round(self.seconds, 4),
        }


def check_mode(mode: str) -> Mode:
    """The mode, or a `UsageError` that names the three modes."""
    if mode not in MODES:
        raise UsageError(f"unknown mode chance={mode!r}: choose one of {', '.join(map(repr, MODES))}")
    return mode


#: The modes that a refusal recommends, first the one that does not plan with known outcomes.
_ADVISED: Mapping[Mode, str] = {
    "reseed": "(execute with new random numbers and plan again from the resulting state)",
    "foresee": "(plan with known outcomes)",
}


def refusal(finding: Chance, modes: Sequence[Mode] = MODES) -> ChanceError:
    """The error for a random environment, with advice.

    Args:
        finding: The result of the check.
        modes: The modes that the caller supports.

    Returns:
        The error. It recommends the supported modes, or only a check if states are not restored.
    """
    if finding.broken:
        return ChanceError(
            f"{finding.environment}: {finding}. Steps use no known random generator; probably load() does not restore "
            "the state",
            finding,
            python="check the environment with check_simulator",
            command="check the environment with widthwise check-env",
        )
    advised = [(mode, text) for mode, text in _ADVISED.items() if mode in modes]
    # A simulator that gives its reason has no option that removes it.
    switchable = finding.kind != "declared" or not finding.detail
    option = next((text for name, text in DETERMINISTIC.items() if finding.environment.startswith(name)), "")
    effect = (
        "A planner that restores snapshots would know the random outcomes"
        if switchable
        else "What was planned may not be what happens"
    )
    remedy = ", or make the environment deterministic" if switchable else ""
    return ChanceError(
        f"{finding.environment}: {finding}. {effect}",
        finding,
        python=f"use {' or '.join(f'chance={mode!r} {text}' for mode, text in advised)}{remedy}"
        f"{f' with {option}' if option and remedy else ''}",
        command=f"use {' or '.join(f'--chance {mode} {text}' for mode, text in advised)}{remedy}"
        f"{f' with --option {option}' if option and remedy else ''}",
    )


def check_chance(
    simulator: Simulator,
    seed: int = 0,
    *,
    walks: int = WALKS_WITH_RANDOMNESS,
    seconds: float | None = None,
) -> Chance:
    """Check whether steps of a simulator depend on chance. The simulator is reset; global generators are restored.

    Args:
        simulator: Any simulator.
        seed: Seed of the walks.
        walks: The maximum number of walks of ten steps that are compared if a generator is used.
        seconds: An approximate time limit; without it the check does not depend on the clock.

    Returns:
        The result. It is not a proof: the walks may miss random outcomes.

    Raises:
        SimulatorError: If the simulator breaks its contract.

    Example:
        `check_chance(ww.simulator("FrozenLake-v1")).stochastic` is True.
    """
    world = guarded(simulator)
    if not world.deterministic:
        return Chance(world.name, "declared", getattr(innermost(simulator), "why_random", ""))
    if made_here(simulator):
        return Chance(world.name, "none")
    with generators.shared_kept():
        return _Check(world, seed, walks, seconds).run()


def same_outcome(before: tuple[Any, float, bool], step: Step) -> bool:
    """Whether a step has the observation, reward and end of a tree node."""
    observation, reward, ended = before
    if reward != step.reward or ended != step.done:
        return False
    return differ(frozen(observation), frozen(step.observation)) is None


class _Check:
    def __init__(self, world: Guarded, seed: int, walks: int, seconds: float | None) -> None:
        self.world, self.seed, self.walks = world, seed, walks
        self.begun = time.perf_counter()
        self.until = None if seconds is None else self.begun + seconds
        self.rng = random.Random(f"chance {seed}")
        self.steps = self.tries = 0
        self.used: dict[str, None] = {}
        self.places: list[generators.GeneratorPlace] = []

    def run(self) -> Chance:
        for number, (snapshot, actions, first) in enumerate(self.segments()):
            if number < WALKS and (difference := self.again(snapshot, actions, first)):
                return self.finding("unrepeatable", self.words(difference, actions))
            if self.suspicious:
                self.tries += len(first)
                if difference := self.again(snapshot, actions, first, luck=number + 1):
                    return self.finding("random", self.words(difference, actions))
        return self.finding("unused" if self.used else "none", "")

    @property
    def suspicious(self) -> bool:
        """Whether there may be chance: a generator was used, or the simulator has a native one (`reseed`)."""
        return bool(self.used) or generators.own_reseed(self.world) is not None

    def segments(self) -> Iterator[tuple[Any, list[int], list[Step]]]:
        """Segments of walks: the first snapshot, the actions, and the steps."""
        world, end = self.world, None
        for number in range(self.walks):
            late = self.until is not None and time.perf_counter() > self.until
            if number >= WALKS and (late or not self.suspicious):
                return
            if end is None:
                if world.reset(self.seed + number).done:
                    return
                self.places = generators.find(world)
            else:
                world.load(end)
            snapshot = world.save()
            actions = [self.rng.randrange(world.actions) for _ in range(LENGTH)]
            before = generators.states(self.places)
            first = play(world, actions)
            self.steps += len(first)
            after = generators.states(self.places)
            for place, old, new in zip(self.places, before, after, strict=True):
                if old != new or (old is None and place.get() is not None):
                    self.used[place.name] = None
            end = None if first[-1].done else world.save()
            yield snapshot, actions, first

    def again(self, snapshot: Any, actions: list[int], first: list[Step], luck: int | None = None) -> Difference | None:
        """Repeat the actions of a segment, optionally with new random numbers; returns the first difference."""
        self.world.load(snapshot)
        if luck is not None:
            generators.reseed(self.world, 1_000_003 * luck + self.seed, self.places)
        second = play(self.world, actions[: len(first)])
        self.steps += len(second)
        return compare(first, second, OUTCOME)

    def words(self, difference: Difference, actions: list[int]) -> str:
        return f"action {actions[difference.step - 1]}: {difference.part} {difference.detail}"

    def finding(self, kind: Kind, detail: str) -> Chance:
        seconds = time.perf_counter() - self.begun
        return Chance(self.world.name, kind, detail, tuple(self.used), self.steps, self.tries, seconds)
