"""Episodes and other coroutines in lock-step, so that the nodes they generate are evaluated in one batch."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, TypeVar

from widthwise.core.simulator import Step
from widthwise.online.episode import Episode
from widthwise.simulator_search.driver import Evaluation

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner

#: Evaluates the nodes of several trees at once.
Evaluate = Callable[[Sequence[Step]], Sequence[Evaluation]]
#: An episode as a coroutine: yields a step, receives its evaluation, returns the episode.
Playing = Generator[Step, Evaluation, Episode]
Result = TypeVar("Result")


def advance_together(coroutines: Sequence[Generator[Step, Evaluation, Result]], evaluate: Evaluate) -> list[Result]:
    """Run coroutines in lock-step until all have ended.

    Args:
        coroutines: Each yields a step and receives its evaluation.
        evaluate: Called with the steps that the coroutines yielded in one round, in the order of the coroutines.

    Returns:
        The results of the coroutines, in their order.
    """
    results: dict[int, Result] = {}
    waiting: dict[int, Step] = {}

    def advance(index: int, evaluation: Evaluation | None) -> None:
        coroutine = coroutines[index]
        try:
            waiting[index] = next(coroutine) if evaluation is None else coroutine.send(evaluation)
        except StopIteration as end:
            results[index] = end.value

    for index in range(len(coroutines)):
        advance(index, None)
    while waiting:
        requests, waiting = waiting, {}
        for index, evaluation in zip(requests, evaluate(list(requests.values())), strict=True):
            advance(index, evaluation)
    return [results[index] for index in range(len(coroutines))]


def run_together(agents: Sequence[OnlinePlanner], evaluate: Evaluate, seeds: Sequence[int]) -> list[Episode]:
    """Play one episode with each agent, in lock-step: the nodes they generate are evaluated together."""
    for agent in agents:
        agent.evaluate = evaluate
    playing = [agent.play(seed) for agent, seed in zip(agents, seeds, strict=True)]
    return advance_together(playing, evaluate)
