"""Plan improvement: drop unnecessary steps, then replace windows of the plan by cheaper ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import STATUS_OF_STOP, STOP_OF_HALT, Status

Stop = _native.Stop

#: A callback that receives every better plan and how it was found.
Report = Callable[[list[int], str], object]

#: The default limit of work for improvement: about half a second.
ALLOWANCE = 300_000_000
#: Up to this many steps the most expensive steps are dropped first; longer plans are reduced in one pass.
GREEDY_STEPS = 300
#: Nodes for a window in the first round, and the growth factor after a round without improvement.
FIRST_NODES, GROWTH = 100, 3


@dataclass(slots=True)
class Improved:
    """The result of plan improvement."""

    path: list[int]
    generated: int  # nodes of all windows
    status: Status  # exhausted: no window can be improved; else the limit that ended it
    optimal: bool = False  # proved to be optimal


class _Enough(Exception):
    """A limit was reached."""

    def __init__(self, status: Status) -> None:
        self.status = status


def improve(model: Model, path: list[int], report: Report, *, allowance: int | None = ALLOWANCE) -> Improved:
    """Improve a plan until no window can be improved or a limit is reached; the result is valid and never costs more.

    `report` is called with every better plan. Without an `allowance` of work only the limits of the model apply.
    """
    running = Improvement(model, path, report, allowance)
    try:
        running.run()
        status = Status.EXHAUSTED
    except _Enough as enough:
        status = enough.status
    except InterruptedError:  # the meter stopped the run between windows
        status = STATUS_OF_STOP[STOP_OF_HALT[model.meter.poll()]]
    except MemoryError:
        status = Status.OUT_OF_MEMORY
    running.report_better()
    return Improved(running.reported, running.generated, status, running.optimal)


class Improvement:
    """A running improvement: the current plan, the last plan reported, and the counts."""

    def __init__(self, model: Model, path: list[int], report: Report, allowance: int | None) -> None:
        self.model, self.report, self.allowance = model, report, allowance
        self.steps = len(path)
        self.weights = weights(model.costs, model.operator_count, self.steps)
        self.kernel = _native.Improver(model.operators, model.meter, self.weights, model.goal_pos, model.goal_neg)
        self.plan, self.reported = path, path
        self.how = ""
        self.generated = 0
        self.optimal = False

    def cost(self, plan: list[int]) -> float:
        """The weight of a plan: its cost, with its length as tie-breaker."""
        return sum(self.weights[op] for op in plan)

    def better(self, plan: list[int], other: list[int]) -> bool:
        """Whether a plan is cheaper, or shorter at the same cost; exact, unlike the weights."""
        costs = self.model.costs
        if costs is None:
            return len(plan) < len(other)
        saved = math.fsum(costs[op] for op in other) - math.fsum(costs[op] for op in plan)
        return saved > 0 or (saved == 0 and len(plan) < len(other))

    def report_better(self) -> None:
        """Report the plan if it is better than the one that was reported last."""
        if self.better(self.plan, self.reported) and self.kernel.valid(self.plan):
            self.reported = self.plan
            self.report(self.plan, self.how)

    def run(self) -> None:
        """Run rounds over all windows, with more nodes after a round without improvement."""
        self.eliminate()
        weight, nodes = 1.0, FIRST_NODES
        while self.plan:
            before = self.cost(self.plan)
            self.gather()
            cut_short = self.sweeps(nodes, weight)
            if self.cost(self.plan) < before:
                self.eliminate()
            elif cut_short:
                nodes *= GROWTH
            elif weight:  # search without the heuristic, which may have pruned a cheaper plan
                weight, nodes = 0.0, FIRST_NODES
            else:
                break
        # The last window was the whole plan, or no step is left: no plan has a smaller weight.
        self.optimal = lightest_is_cheapest(self.model.costs, self.plan, self.steps)

    def sweeps(self, nodes: int, weight: float) -> bool:
        """Try windows of increasing length; True if a search reached its node limit."""
        cut_short = False
        length = 2
        while True:
            for stop in self.sweep(length, nodes, weight):
                cut_short = cut_short or stop is Stop.OUT_OF_NODES
            self.report_better()
            if length >= len(self.plan):
                return cut_short
            length = min(2 * length, len(self.plan))

    def sweep(self, length: int, nodes: int, weight: float) -> Iterator[Stop]:
        """Slide a window of that length over the plan."""
        begin = 0
        while self.plan:
            end = min(begin + length, len(self.plan))
            limit = self.node_limit(nodes)
            stop, plan, generated = self.kernel.replace(self.plan, begin, end, limit, weight)
            self.generated += generated
            if stop is Stop.SOLVED:
                self.plan, self.how = plan, f"windows of {length} steps"
                begin = max(0, begin - length // 2)
                continue
            if stop not in (Stop.EXHAUSTED, Stop.OUT_OF_NODES):
                raise _Enough(STATUS_OF_STOP[stop])
            yield stop
            if end == len(self.plan):
                return
            begin += max(1, length // 2)

    def node_limit(self, nodes: int) -> int:
        """The node limit of the next window within the budget; raises if no nodes are left."""
        self.check_work()
        if self.model.max_nodes is None:
            return nodes
        left = self.model.max_nodes - self.generated
        if left <= 0:
            raise _Enough(Status.OUT_OF_NODES)
        return min(nodes, left)

    def check_work(self) -> None:
        """Raise if the allowance of work is used."""
        if self.allowance is not None and self.kernel.work >= self.allowance:
            raise _Enough(Status.OUT_OF_TIME)

    def eliminate(self) -> None:
        """Drop unnecessary steps."""
        steps = len(self.plan)
        if self.allowance is not None and self.kernel.work + 50 * steps * steps > self.allowance:
            return
        self.plan = self.kernel.eliminate(self.plan, steps <= GREEDY_STEPS)
        if len(self.plan) < steps:
            self.how = "unnecessary steps dropped"
        self.report_better()

    def gather(self) -> None:
        """Move dependent steps next to each other, so that one window contains them."""
        plan = self.kernel.gather(self.plan)
        if self.kernel.valid(plan):
            self.plan = plan


def lightest_is_cheapest(costs: list[float] | None, plan: list[int], steps: int) -> bool:
    """Whether a plan of least weight, by the `weights` for plans of this length, also has the least cost.

    A cheaper plan could be so much longer that its weight is larger, unless every step has a positive cost: then the
    cost bounds the length.
    """
    if costs is None or not plan:
        return True
    if not all(cost == int(cost) and cost >= 1 for cost in costs):
        return False
    cost = sum(costs[op] for op in plan)
    if cost * scale(steps) + len(plan) >= 2.0**53:  # larger numbers are not exact as doubles
        return False
    return (cost - 1) / min(costs) < scale(steps) + len(plan)


def scale(steps: int) -> float:
    """The weight of a unit of cost in steps, for plans of about this length."""
    return float(2.0 ** (steps.bit_length() + 1))


def weights(costs: list[float] | None, operators: int, steps: int) -> list[float]:
    """The weights of operators: positive, and the shorter of two plans with the same cost has the smaller weight.

    The order by weight differs from the order by cost only for plans of more than twice the length, and for savings
    below 1.
    """
    if costs is None:
        return [1.0] * operators
    return [cost * scale(steps) + 1.0 for cost in costs]
