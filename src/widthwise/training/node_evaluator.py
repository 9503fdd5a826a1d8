"""Asks the network about nodes, and once about those that look the same, as long as its weights stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from widthwise.core.simulator import Step
from widthwise.learning.inference import Inference
from widthwise.learning.input_format import InputFormat
from widthwise.simulator_search.driver import Evaluation
from widthwise.training.algorithms import PlanningSettings
from widthwise.training.clocks import Clocks, now

#: How many evaluations, and marks of observations, are kept so that they need not be made again.
KNOWN = 5_000


class NodeEvaluator:
    """What an algorithm uses of the network's opinion of nodes.

    Different nodes often show the same: in Montezuma's Revenge more than half of those of a round. A network that
    judges every observation by itself says the same of them.
    """

    def __init__(self, inference: Inference, planning: PlanningSettings, clocks: Clocks) -> None:
        self.inference, self.planning, self.clocks = inference, planning, clocks
        self.input_format: InputFormat = inference.network.input_format
        self._asked = 0  # which weights were asked last
        self._known: dict[int, Evaluation] = {}
        self._marks: dict[int, tuple[Any, int]] = {}

    def __call__(self, steps: Sequence[Step]) -> list[Evaluation]:
        """What the network says of each node."""
        begun = now()
        known = self._known
        if self._asked != self.inference.changes:
            self.forget()
            self._asked = self.inference.changes  # last: should it be interrupted, nothing old looks valid
        if len(known) > KNOWN:  # rounds of training are short, but episodes of evaluation and play are not
            known.clear()
        marks = [self.mark(step.observation) for step in steps]
        new = {mark: step.observation for mark, step in zip(marks, steps, strict=True) if mark not in known}
        if new:
            for mark, found in zip(new, self.inference(list(new.values())), strict=True):
                known[mark] = self.parts(found)
        evaluations = [known[mark] for mark in marks]
        self.clocks.network += now() - begun
        return evaluations

    def forget(self) -> None:
        """Ask again about everything, and keep no observation alive."""
        self._known.clear()
        self._marks.clear()

    def mark(self, observation: Any) -> int:
        """A number that tells an observation from others; of one that is marked again it is not worked out again."""
        marks = self._marks
        found = marks.get(id(observation))
        if found is None:
            if len(marks) > KNOWN:
                marks.clear()
            # The observation is kept alive, so that its id stays its own.
            marks[id(observation)] = found = observation, self.input_format.mark(observation)
        return found[1]

    def parts(self, found: Evaluation) -> Evaluation:
        """What the algorithm uses of an evaluation."""
        parts = self.planning
        if parts.dynamic and parts.guided and parts.value:
            return found
        return replace(
            found,
            features=found.features if parts.dynamic else None,
            prior=found.prior if parts.guided else None,
            value=found.value if parts.value else None,
        )
