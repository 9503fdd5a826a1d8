"""How an agent handles chance: it refuses it, foresees it, or executes with other random numbers than in planning."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from widthwise.core.contract import made_here
from widthwise.core.simulator import Step
from widthwise.simulator_search.driver import Driver

if TYPE_CHECKING:
    from widthwise.simulators.chance import Chance, Mode
    from widthwise.simulators.generators import GeneratorPlace


class Luck:
    """The random outcomes of one agent's episodes.

    `refuse` checks the simulator before the first episode. Where steps use random numbers and the check met no
    difference, every executed action is executed once more with other random numbers, so that chance that shows later
    is found too. `foresee` takes the executed step from the tree, generators included. `reseed` executes with
    generators that are seeded again from the episode's seed and the number of the step.
    """

    def __init__(self, mode: Mode, driver: Driver) -> None:
        self.mode, self.driver = mode, driver
        self.finding: Chance | None = None  # what the check before the first episode has found
        self.seed = 0
        self._places: list[GeneratorPlace] | None = None
        if mode == "refuse" and not driver.simulator.deterministic:
            self.check(0)

    @property
    def fresh(self) -> bool:
        """Whether actions are executed with other random numbers than they were planned with."""
        return self.mode == "reseed"

    @property
    def verifies(self) -> bool:
        """Whether executed actions are executed once more with other random numbers."""
        return self.mode == "refuse" and self.finding is not None and self.finding.kind == "unused"

    def begin(self, seed: int) -> None:
        """An episode is about to begin, before the simulator is reset."""
        self.seed, self._places = seed, None
        if self.mode == "refuse" and self.finding is None and not made_here(self.driver.simulator):
            self.check(seed)
        if self.fresh or self.verifies:
            self.driver.keep_observations = True  # outcomes are compared

    def check(self, seed: int) -> Chance:
        """Check the simulator, and refuse chance where it is to be refused."""
        from widthwise.simulators.chance import check_chance, refusal

        if self.finding is None:
            self.finding = check_chance(self.driver.simulator, seed)
        if self.mode == "refuse" and self.finding.stochastic:
            raise refusal(self.finding)
        return self.finding

    def of_step(self, number: int) -> int:
        """The seed of an executed step, by its number in the episode: the same in every run with this seed."""
        return random.Random(f"luck {self.seed} {number}").getrandbits(62)

    def step(self, parent: int, action: int, luck: int) -> Step:
        """Execute an action in a node with the given seed."""
        from widthwise.simulators.generators import shared_kept

        with shared_kept():
            return self.driver.step(parent, action, before=lambda: self.draw(luck))

    def draw(self, luck: int) -> None:
        """Reseed the simulator in its current state."""
        from widthwise.simulators.generators import find, reseed

        if self._places is None or any(place.get() is None for place in self._places):
            self._places = find(self.driver.simulator)
        reseed(self.driver.simulator, luck, self._places)

    def same(self, node: int, step: Step) -> bool:
        """Whether a step shows what a node of the tree has shown."""
        from widthwise.simulators.chance import same_outcome

        tree = self.driver.tree
        return same_outcome((tree.observation[node], tree.reward[node], tree.over(node)), step)

    def verify(self, root: int, action: int, node: int, number: int) -> None:
        """Execute a planned action once more with other random numbers; refuse to continue if the outcome differs."""
        from dataclasses import replace

        from widthwise.simulators.chance import refusal

        step = self.step(root, action, self.of_step(number))
        if not self.same(node, step):
            assert self.finding is not None
            detail = f"executed step {number + 1}, action {action}, had another outcome with other random numbers"
            self.finding = replace(self.finding, kind="random", detail=detail)
            raise refusal(self.finding)
