"""Plans: steps such as `(move a b)` as plans of unified-planning, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from unified_planning.plans import ActionInstance, SequentialPlan

from widthwise.core.errors import UsageError
from widthwise.up.element_names import ElementNames


def plan_of(steps: Iterable[str], problem: Any, actions: Mapping[str, Any], objects: Mapping[str, Any]) -> Any:
    """The plan for a problem that consists of these steps; its actions and objects are given by their names there."""
    manager = problem.environment.expression_manager
    instances = []
    for step in steps:
        head, *args = step.strip("() ").lower().split()
        unknown = [name for name in args if name not in objects]
        if head not in actions or unknown:
            what = f"object '{unknown[0]}'" if head in actions else f"action '{head}'"
            raise UsageError(f"the problem {problem.name} has no {what}, which the step {step} needs")
        instances.append(ActionInstance(actions[head], tuple(manager.ObjectExp(objects[name]) for name in args)))
    return SequentialPlan(instances, problem.environment)


def step_of(instance: Any, problem: Any, names: ElementNames) -> str | None:
    """An action of a plan as a step in the names of the syntax tree; None if it is not an action of the problem."""
    action = instance.action
    if not problem.has_action(action.name) or problem.action(action.name) != action:
        return None
    args = []
    for value in instance.actual_parameters:
        if not value.is_object_exp() or not problem.has_object(value.object().name):
            return None
        args.append(names.objects[value.object().name])
    return f"({' '.join((names.actions[action.name], *args))})"
