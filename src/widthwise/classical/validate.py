"""The validator: runs a plan on the PDDL as it was read, without normal form and grounded task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from widthwise.classical.pddl.errors import near
from widthwise.classical.pddl.syntax import (
    Action,
    AndEffect,
    Args,
    Condition,
    Domain,
    Effect,
    ForallEffect,
    IncreaseCost,
    LiteralEffect,
    Problem,
    Variable,
    When,
)
from widthwise.classical.pddl.typetable import show_types
from widthwise.classical.plan import Plan
from widthwise.classical.world import Binding, World


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a plan is valid and, if it is not, why and at which step (counted from 1; none: the goal).

    `cost` is that of the steps that could be executed.
    """

    valid: bool
    reason: str
    step: int | None
    cost: float


class _Failure(Exception):
    """A step cannot be executed."""


def validate(
    domain: Domain,
    problem: Problem,
    plan: Plan | Iterable[str],
    goal: Condition | None = None,
    *,
    poll: Callable[[], None] | None = None,
) -> Verdict:
    """Execute a plan step by step and check its goal, another than the problem's own if one is given.

    `poll` is called again and again meanwhile, and may raise what should end it.
    """
    steps = plan.steps if isinstance(plan, Plan) else tuple(plan)
    actions = {action.name: action for action in domain.actions}
    world = World(domain, problem, poll)
    cost = 0.0
    for number, step in enumerate(steps, 1):
        world.poll()
        try:
            cost += _execute(world, actions, step)
        except _Failure as failure:
            return Verdict(False, f"step {number}, {step}: {failure}", number, cost)
    wanted = problem.goal if goal is None else goal
    missing = world.failures(wanted, {})
    if missing:
        parts = ", ".join(_shorten(missing))
        return Verdict(False, f"the goal is not reached: {parts}", None, cost)
    return Verdict(True, "the plan is valid", None, cost)


def _shorten(parts: list[str], limit: int = 8) -> list[str]:
    return parts if len(parts) <= limit else [*parts[:limit], f"and {len(parts) - limit} more"]


def _execute(world: World, actions: dict[str, Action], step: str) -> float:
    """Execute one step and return its cost."""
    words = step.replace("(", " ").replace(")", " ").lower().split()
    if not words:
        raise _Failure("this is no action")
    action = actions.get(words[0])
    if action is None:
        similar = near(words[0], actions)
        hint = f"; did you mean '{similar}'?" if similar else ""
        raise _Failure(f"there is no action '{words[0]}'{hint}")
    binding = _bind(world, action, words[1:])
    failed = world.failures(action.precondition, binding)
    if failed:
        raise _Failure(f"the precondition is false: {', '.join(_shorten(failed))}")
    added: list[tuple[str, Args]] = []
    deleted: list[tuple[str, Args]] = []
    cost = _effect(world, action.effect, binding, added, deleted)
    world.change(added, deleted)
    return cost if world.problem.minimize_cost else 1.0


def _bind(world: World, action: Action, names: list[str]) -> Binding:
    """Give the parameters of an action their values, checking number and types."""
    if len(names) != len(action.parameters):
        wanted = len(action.parameters)
        raise _Failure(f"the action takes {wanted} argument{'' if wanted == 1 else 's'}, not {len(names)}")
    objects = world.problem.objects
    for parameter, name in zip(action.parameters, names, strict=True):
        types = objects.get(name)
        if types is None:
            similar = near(name, objects)
            hint = f"; did you mean '{similar}'?" if similar else ""
            raise _Failure(f"there is no object '{name}'{hint}")
        if not world.domain.types.fits(types, parameter.types):
            raise _Failure(
                f"'{name}' is of type {show_types(types)}, but {parameter.name} is of type "
                f"{show_types(parameter.types)}"
            )
    return {parameter.name: name for parameter, name in zip(action.parameters, names, strict=True)}


def _effect(
    world: World,
    effect: Effect,
    binding: Binding,
    added: list[tuple[str, Args]],
    deleted: list[tuple[str, Args]],
) -> float:
    """Collect what an effect adds and deletes in the current state, and return the cost it adds."""
    match effect:
        case LiteralEffect(atom, negated):
            args = tuple([binding.get(arg, arg) for arg in atom.args])
            (deleted if negated else added).append((atom.predicate, args))
        case AndEffect(parts):
            return sum(_effect(world, part, binding, added, deleted) for part in parts)
        case When(condition, part):
            if world.holds(condition, binding):
                return _effect(world, part, binding, added, deleted)
        case ForallEffect(variables, part):
            for inner in _matches(world, variables, part, binding):
                _effect(world, part, inner, added, deleted)
        case IncreaseCost(constant, terms):
            return constant + sum(_value(world, term.name, term.args, binding) for term in terms)
    return 0.0


def _matches(world: World, variables: tuple[Variable, ...], part: Effect, binding: Binding) -> Iterable[Binding]:
    """Return the values of the variables for which a universal effect may do anything."""
    if isinstance(part, When):
        return list(world.solutions(variables, part.condition, binding))
    return world.values(variables, binding)


def _value(world: World, name: str, args: Args, binding: Binding) -> float:
    names = tuple([binding.get(arg, arg) for arg in args])
    value = world.problem.values.get(name, {}).get(names)
    if value is None:
        if not world.problem.minimize_cost:
            return 0.0
        raise _Failure(f"the cost ({' '.join((name, *names))}) has no value")
    return value
