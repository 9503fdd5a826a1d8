"""Plan improvement: drop steps that are not needed, then find cheaper ways through windows of the plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from widthwise import _native
from widthwise.core.model import Model
from widthwise.core.result import STATUS_OF_STOP, STOP_OF_HALT, Status

Stop = _native.Stop

#: How a better plan came about, told to whoever wants every plan as soon as it exists.
Report = Callable[[list[int], str], object]

#: The work that improvement may do when no time limit says otherwise: about half a second.
ALLOWANCE = 300_000_000
#: Up to this many steps the dearest steps are dropped first; longer plans lose their steps in one pass.
GREEDY_STEPS = 300
#: Nodes for a window in the first round, and how they grow when a round changed nothing.
FIRST_NODES, GROWTH = 100, 3


@dataclass(slots=True)
class Improved:
    """What became of a plan."""

    path: list[int]
    generated: int  # nodes of all windows
    status: Status  # exhausted: no window can be improved; else the limit that ended it
    optimal: bool = False  # proved: there is no cheaper plan


class _Enough(Exception):
    """A limit was reached."""

    def __init__(self, status: Status) -> None:
        self.status = status


def improve(model: Model, path: list[int], report: Report, *, allowance: int | None = ALLOWANCE) -> Improved:
    """Make a plan cheaper until nothing helps or a limit ends it; never returns a dearer or an invalid one.

    `report` hears of every better plan. Without an `allowance` of work only the model's limits end it.
    """
    running = Improvement(model, path, report, allowance)
    try:
        running.run()
        status = Status.EXHAUSTED
    except _Enough as enough:
        status = enough.status
    except InterruptedError:  # the meter said to stop between windows
        status = STATUS_OF_STOP[STOP_OF_HALT[model.meter.poll()]]
    except MemoryError:
        status = Status.OUT_OF_MEMORY
    running.tell()
    return Improved(running.told, running.generated, status, running.optimal)


class Improvement:
    """A running improvement: the plan so far, what was told of it, and what it took."""

    def __init__(self, model: Model, path: list[int], report: Report, allowance: int | None) -> None:
        self.model, self.report, self.allowance = model, report, allowance
        self.steps = len(path)
        self.weights = weights(model.costs, model.operator_count, self.steps)
        self.kernel = _native.Improver(model.operators, model.meter, self.weights, model.goal_pos, model.goal_neg)
        self.plan, self.told = path, path
        self.how = ""
        self.generated = 0
        self.optimal = False

    def cost(self, plan: list[int]) -> float:
        """What a plan weighs: its cost, and its length among plans of the same cost."""
        return sum(self.weights[op] for op in plan)

    def better(self, plan: list[int], other: list[int]) -> bool:
        """Whether a plan is cheaper, or shorter at the same cost; what it weighs tells only nearly (see `weights`)."""
        costs = self.model.costs
        if costs is None:
            return len(plan) < len(other)
        saved = math.fsum(costs[op] for op in other) - math.fsum(costs[op] for op in plan)
        return saved > 0 or (saved == 0 and len(plan) < len(other))

    def tell(self) -> None:
        """Report the plan if it is better than the one that was reported last."""
        if self.better(self.plan, self.told) and self.kernel.valid(self.plan):
            self.told = self.plan
            self.report(self.plan, self.how)

    def run(self) -> None:
        """Rounds over all windows, each with more nodes than the one before if that had not helped."""
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
            elif weight:  # the estimate may have hidden something
                weight, nodes = 0.0, FIRST_NODES
            else:
                break
        # The last window was the whole plan, or no step is left: no plan is lighter.
        self.optimal = lightest_is_cheapest(self.model.costs, self.plan, self.steps)

    def sweeps(self, nodes: int, weight: float) -> bool:
        """Try windows of growing length; True if some search was cut short."""
        cut_short = False
        length = 2
        while True:
            for stop in self.sweep(length, nodes, weight):
                cut_short = cut_short or stop is Stop.OUT_OF_NODES
            self.tell()
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
        """How many nodes the next window may have, within the budget; raises if there is none left."""
        self.check_work()
        if self.model.max_nodes is None:
            return nodes
        left = self.model.max_nodes - self.generated
        if left <= 0:
            raise _Enough(Status.OUT_OF_NODES)
        return min(nodes, left)

    def check_work(self) -> None:
        """Raise if improvement has had its share."""
        if self.allowance is not None and self.kernel.work >= self.allowance:
            raise _Enough(Status.OUT_OF_TIME)

    def eliminate(self) -> None:
        """Drop steps that are not needed."""
        steps = len(self.plan)
        if self.allowance is not None and self.kernel.work + 50 * steps * steps > self.allowance:
            return
        self.plan = self.kernel.eliminate(self.plan, steps <= GREEDY_STEPS)
        if len(self.plan) < steps:
            self.how = "steps that are not needed dropped"
        self.tell()

    def gather(self) -> None:
        """Bring steps that belong together side by side, so that one window holds them."""
        plan = self.kernel.gather(self.plan)
        if self.kernel.valid(plan):
            self.plan = plan


def lightest_is_cheapest(costs: list[float] | None, plan: list[int], steps: int) -> bool:
    """Whether a plan that no other is lighter than, by the `weights` for so many steps, is a cheapest one, too.

    A cheaper plan could be so much longer that it weighs more, unless every step costs something: then its cost
    bounds its length.
    """
    if costs is None or not plan:
        return True
    if not all(cost == int(cost) and cost >= 1 for cost in costs):
        return False
    cost = sum(costs[op] for op in plan)
    if cost * scale(steps) + len(plan) >= 2.0**53:  # beyond that, doubles are not exact
        return False
    return (cost - 1) / min(costs) < scale(steps) + len(plan)


def scale(steps: int) -> float:
    """How much more a unit of cost weighs than a step, where plans have about so many steps."""
    return float(2.0 ** (steps.bit_length() + 1))


def weights(costs: list[float] | None, operators: int, steps: int) -> list[float]:
    """Costs as improvement weighs them: all above zero, and of two plans of one cost the shorter is lighter.

    A plan of more than twice the steps may be heavier than a dearer one, and so may one that saves only a fraction.
    """
    if costs is None:
        return [1.0] * operators
    return [cost * scale(steps) + 1.0 for cost in costs]
