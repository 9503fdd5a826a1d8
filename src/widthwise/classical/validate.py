"""The validator: runs a plan on the PDDL as it was read, without normal form and grounded task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from widthwise.classical.matching import Binding
from widthwise.classical.pddl.errors import near
from widthwise.classical.pddl.numbers import Number, plain
from widthwise.classical.pddl.syntax import (
    Action,
    AndEffect,
    Args,
    Condition,
    DomainDefinition,
    Effect,
    IncreaseCost,
    ProblemDefinition,
)
from widthwise.classical.pddl.typetable import show_types
from widthwise.classical.world import Fact, World
from widthwise.core.showing import counted


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `validate` returns: whether a plan is valid, and if not, why.

    A verdict is true in a condition if the plan is valid.

    Args:
        valid: Whether the plan can be executed and reaches the goal.
        reason: Why it is not valid, in one sentence.
        step: The number of the step that cannot be executed, counted from 1; None if it is the goal that fails.
        cost: The exact cost of the executed steps.

    Example:
        >>> ww.validate(ww.example("corridor", length=2), ["(walk p0 p1)", "(walk p0 p1)"]).step
        2
    """

    valid: bool
    reason: str
    step: int | None
    cost: float

    def __bool__(self) -> bool:
        return self.valid


class StepError(Exception):
    """A step cannot be executed."""


def check_plan(
    domain: DomainDefinition,
    problem: ProblemDefinition,
    steps: Iterable[str],
    goal: Condition | None = None,
    *,
    poll: Callable[[], None] | None = None,
) -> Verdict:
    """Execute a plan step by step and check its goal.

    Args:
        domain: The domain as it was read.
        problem: The problem as it was read.
        steps: The actions, such as `(move a b)`.
        goal: Another goal than the problem's own.
        poll: Called repeatedly during the check. It may raise an exception to stop.

    Returns:
        The verdict, with the exact cost of the executed steps.
    """
    valid, reason, step, cost = replay(World(domain, problem, poll), steps, problem.goal if goal is None else goal)
    return Verdict(valid, reason, step, plain(cost))


def replay(world: World, steps: Iterable[str], goal: Condition) -> tuple[bool, str, int | None, Number]:
    """Execute a plan and check a goal: what a `Verdict` states, with the cost as an exact number."""
    actions = {action.name: action for action in world.domain.actions}
    cost: Number = 0
    for number, step in enumerate(steps, 1):
        world.poll()
        try:
            cost += execute(world, actions, step)
        except StepError as failure:
            return False, f"step {number}, {step}: {failure}", number, cost
    missing = world.failures(goal, {})
    if missing:
        return False, f"the goal is not reached: {', '.join(_shorten(missing))}", None, cost
    return True, "the plan is valid", None, cost


def _shorten(parts: list[str], limit: int = 8) -> list[str]:
    return parts if len(parts) <= limit else [*parts[:limit], f"and {len(parts) - limit} more"]


def execute(world: World, actions: dict[str, Action], step: str) -> Number:
    """Execute one step and return its cost."""
    words = step.replace("(", " ").replace(")", " ").lower().split()
    if not words:
        raise StepError("this is not an action")
    action = actions.get(words[0])
    if action is None:
        similar = near(words[0], actions)
        hint = f"; did you mean '{similar}'?" if similar else ""
        raise StepError(f"there is no action '{words[0]}'{hint}")
    binding = _bind(world, action, words[1:])
    failed = world.failures(action.precondition, binding)
    if failed:
        raise StepError(f"the precondition is false: {', '.join(_shorten(failed))}")
    cost: Number = _cost(world, action.effect, binding) if world.problem.minimize_cost else 1
    added: dict[Fact, None] = {}
    deleted: dict[Fact, None] = {}
    for fact, negated in world.changes(action, binding):
        (deleted if negated else added)[fact] = None
    world.change(added, deleted)
    return cost


def _bind(world: World, action: Action, names: list[str]) -> Binding:
    """Give the parameters of an action their values, checking number and types."""
    if len(names) != len(action.parameters):
        wanted = len(action.parameters)
        raise StepError(f"the action takes {counted(wanted, 'argument')}, not {len(names)}")
    objects = world.problem.objects
    for parameter, name in zip(action.parameters, names, strict=True):
        types = objects.get(name)
        if types is None:
            similar = near(name, objects)
            hint = f"; did you mean '{similar}'?" if similar else ""
            raise StepError(f"there is no object '{name}'{hint}")
        if not world.domain.types.fits(types, parameter.types):
            raise StepError(
                f"'{name}' is of type {show_types(types)}, but {parameter.name} is of type "
                f"{show_types(parameter.types)}"
            )
    return {parameter.name: name for parameter, name in zip(action.parameters, names, strict=True)}


def _cost(world: World, effect: Effect, binding: Binding) -> Number:
    """Return the cost that an effect adds; it depends on no condition and on no quantifier."""
    match effect:
        case AndEffect(parts):
            return sum((_cost(world, part, binding) for part in parts), 0)
        case IncreaseCost(constant, terms):
            return constant + sum((_value(world, term.name, term.args, binding) for term in terms), 0)
    return 0


def _value(world: World, name: str, args: Args, binding: Binding) -> Number:
    names = tuple([binding.get(arg, arg) for arg in args])
    value = world.problem.values.get(name, {}).get(names)
    if value is None:
        if not world.problem.minimize_cost:
            return 0
        raise StepError(f"the cost ({' '.join((name, *names))}) has no value")
    return value
