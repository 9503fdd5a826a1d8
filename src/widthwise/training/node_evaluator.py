"""Evaluates nodes with the network, those with the same observation only once while its weights do not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from widthwise.core.simulator import Step
from widthwise.learning.inference import Inference
from widthwise.learning.input_format import InputFormat
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.tree import Tree
from widthwise.training.algorithms import PlanningSettings
from widthwise.training.clocks import Clocks, now

#: How many evaluations, and marks of observations, are kept so that they need not be computed again.
KNOWN = 5_000


class NodeEvaluator:
    """Evaluates nodes with the network, with the parts of an evaluation that an algorithm uses.

    Different nodes often have the same observation: in Montezuma's Revenge more than half of those of a round. The
    network evaluates every observation separately, so their evaluations are equal.
    """

    def __init__(self, inference: Inference, planning: PlanningSettings, clocks: Clocks) -> None:
        self.inference, self.planning, self.clocks = inference, planning, clocks
        self.input_format: InputFormat = inference.network.input_format
        self._asked = 0  # the weights that the known evaluations come from
        self._known: dict[int, Evaluation] = {}
        self._marks: dict[int, tuple[Any, int]] = {}

    def __call__(self, steps: Sequence[Step]) -> list[Evaluation]:
        """The evaluation of each node."""
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
            for mark, evaluation in zip(new, self.inference(list(new.values())), strict=True):
                known[mark] = self.parts(evaluation)
        evaluations = [known[mark] for mark in marks]
        self.clocks.network += now() - begun
        return evaluations

    def look_anew(self, tree: Tree, *, guided: bool = True) -> None:
        """Evaluate all nodes of a tree with the network as it is now; they get its policy if they are `guided`."""
        live = tree.nodes.live
        steps = [Step(tree.observation[node]) for node in live]
        for node, evaluation in zip(live, self(steps), strict=True):
            if evaluation.features is not None:
                tree.nodes.features[node] = evaluation.features
            tree.prior[node], tree.value[node] = evaluation.prior if guided else None, evaluation.value
            tree.version[node] = evaluation.version

    def forget(self) -> None:
        """Drop all evaluations and marks, so that no observation is kept alive."""
        self._known.clear()
        self._marks.clear()

    def mark(self, observation: Any) -> int:
        """A number that distinguishes an observation from others; it is computed once for each observation."""
        marks = self._marks
        marked = marks.get(id(observation))
        if marked is None:
            if len(marks) > KNOWN:
                marks.clear()
            # The observation is kept alive, so that its id stays its own.
            marks[id(observation)] = marked = observation, self.input_format.mark(observation)
        return marked[1]

    def parts(self, evaluation: Evaluation) -> Evaluation:
        """The parts of an evaluation that the algorithm uses."""
        parts = self.planning
        if parts.dynamic and parts.guided and parts.value:
            return evaluation
        return replace(
            evaluation,
            features=evaluation.features if parts.dynamic else None,
            prior=evaluation.prior if parts.guided else None,
            value=evaluation.value if parts.value else None,
        )
