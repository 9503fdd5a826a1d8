"""What of unified-planning is supported, and the check that the package is installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from widthwise.core.errors import MissingExtraError

#: The features of a `ProblemKind` that problems may have. Types with bounds are harmless: a numeric fluent that an
#: action changes or a condition reads has the feature INT_FLUENTS or REAL_FLUENTS as well, which is not supported.
FEATURES = frozenset(
    {
        "ACTION_BASED",
        "FLAT_TYPING",
        "HIERARCHICAL_TYPING",
        "BOUNDED_TYPES",
        "NEGATIVE_CONDITIONS",
        "DISJUNCTIVE_CONDITIONS",
        "EQUALITIES",
        "EXISTENTIAL_CONDITIONS",
        "UNIVERSAL_CONDITIONS",
        "CONDITIONAL_EFFECTS",
        "FORALL_EFFECTS",
        "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
        "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
        "ACTIONS_COST",
        "STATIC_FLUENTS_IN_ACTIONS_COST",
        "INT_NUMBERS_IN_ACTIONS_COST",
        "REAL_NUMBERS_IN_ACTIONS_COST",
        "PLAN_LENGTH",
        "UNDEFINED_INITIAL_NUMERIC",
        "UNDEFINED_INITIAL_SYMBOLIC",
    }
)
#: What removes or handles features: compilations of unified-planning, and the meta engine for optional goals.
REMEDIES = {
    "OBJECT_FLUENTS": "CompilationKind.USERTYPE_FLUENTS_REMOVING removes",
    "TRAJECTORY_CONSTRAINTS": "CompilationKind.TRAJECTORY_CONSTRAINTS_REMOVING removes",
    "STATE_INVARIANTS": "CompilationKind.STATE_INVARIANTS_REMOVING removes",
    "OVERSUBSCRIPTION": "the engine oversubscription[widthwise] handles",
}


def require_unified_planning(what: str) -> None:
    """Raise `MissingExtraError` if unified-planning is not installed; the message says how to install it."""
    if find_spec("unified_planning") is None:
        raise MissingExtraError(what, "up", "unified-planning")


def refusal(features: Iterable[str]) -> str | None:
    """One sentence that names the features that are not supported, with what removes them; None if all are."""
    missing = sorted(set(features) - FEATURES)
    if not missing:
        return None
    remedies = [f"{REMEDIES[name]} {name}" for name in missing if name in REMEDIES]
    advice = f" ({'; '.join(remedies)})" if remedies else ""
    return f"not supported: {', '.join(missing)}{advice}"
