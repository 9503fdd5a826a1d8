"""The engine of unified-planning: oneshot planner, anytime planner and plan validator."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import IO, Any

from unified_planning.engines import Credits, Engine, PlanGenerationResult, ValidationResult
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.exceptions import UPUsageError
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION
from unified_planning.plans import PlanKind

from widthwise.core.errors import UsageError
from widthwise.portfolio.registry import Planner
from widthwise.up.plan_checking import check
from widthwise.up.runs import solutions, solve_once
from widthwise.up.settings import Settings
from widthwise.up.supported import FEATURES, refusal
from widthwise.version import __version__

_CREDITS = Credits(
    name="Widthwise",
    author="The Widthwise developers",
    contact="",
    website="",
    license="MIT",
    short_description="Width-based planning: IW, HIW, IHIW, SIW, BFWS and a portfolio of them.",
    long_description=(
        f"Widthwise {__version__} plans by width: it keeps a state only if the state shows something new.\n"
        "The algorithms are those of 'Hierarchical Width-Based Planning and Learning' by Miquel Junyent,\n"
        "Vicenç Gómez and Anders Jonsson (ICAPS 2021)."
    ),
)


class WidthwiseEngine(Engine, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin):  # type: ignore[misc]
    """Widthwise as an engine of unified-planning, in the same process and without PDDL files.

    The options below are the `params` of `OneshotPlanner` and `AnytimePlanner`, and further arguments of `solve` and
    `get_solutions`, where they apply to one call.

    Args:
        planner: The planner: auto, bfs, iw, ihiw, siw, bfws, gbfs or backward, or a planner such as `ww.IW(2)`.
        width: Its width, such as 2, or its widths, high level first, such as "1,1".
        seed: Permutes the order in which actions are tried.
        max_nodes: The most nodes that the search may generate.
        max_time: The most seconds, as `timeout` of `solve`. The smaller of the two applies.
        max_memory: The most memory of the grounded task and the search, in megabytes.
        improve: In the oneshot mode, make the plan cheaper before it is returned, as `ww.solve(..., improve=True)`.

    Raises:
        UPUsageError: An option is unknown or has a wrong value.

    Example:
        >>> from unified_planning.shortcuts import Fluent, InstantaneousAction, Problem
        >>> from widthwise.up import WidthwiseEngine
        >>> problem, lamp, press = Problem("lamp"), Fluent("on"), InstantaneousAction("press")
        >>> press.add_effect(lamp, True)
        >>> problem.add_action(press)
        >>> problem.add_goal(problem.add_fluent(lamp, default_initial_value=False))
        >>> WidthwiseEngine(planner="iw", width=1).solve(problem).plan.actions
        [press]
    """

    def __init__(
        self,
        *,
        planner: str | Planner = "auto",
        width: int | str | None = None,
        seed: int | None = None,
        max_nodes: int | None = None,
        max_time: float | None = None,
        max_memory: float | None = None,
        improve: bool = False,
        **_unknown: Any,
    ) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        settings = Settings(planner, width, seed, max_nodes, max_time, max_memory, improve)
        self._settings = _settings(settings, _unknown)

    @property
    def name(self) -> str:
        """The name of the engine."""
        return "widthwise"

    @staticmethod
    def supported_kind() -> Any:
        """The problems that the engine can solve."""
        return ProblemKind(FEATURES, version=LATEST_PROBLEM_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: Any) -> bool:
        """Whether the engine can solve problems of this kind."""
        return bool(problem_kind <= WidthwiseEngine.supported_kind())

    @staticmethod
    def supports_plan(plan_kind: Any) -> bool:
        """Whether the engine can validate plans of this kind."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: Any) -> bool:
        """Whether every plan of the oneshot mode has this guarantee. Plans are not guaranteed to be optimal."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: Any) -> bool:
        """Whether the anytime mode has this guarantee. Each plan is better than the one before."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def get_credits(**kwargs: Any) -> Any:
        """Who wrote the engine."""
        return _CREDITS

    # The public methods of the mixins check the kind of the problem. Their message does not say what is unsupported.

    def solve(self, problem: Any, *args: Any, **kwargs: Any) -> Any:
        """Solve a problem once, as `OneshotPlannerMixin.solve` describes."""
        with _NamedRefusal(self, problem):
            return super().solve(problem, *args, **kwargs)

    def get_solutions(self, problem: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Yield better and better plans, as `AnytimePlannerMixin.get_solutions` describes."""
        with _NamedRefusal(self, problem):
            yield from super().get_solutions(problem, *args, **kwargs)

    def validate(self, problem: Any, plan: Any) -> Any:
        """Validate a plan, as `PlanValidatorMixin.validate` describes."""
        with _NamedRefusal(self, problem):
            return super().validate(problem, plan)

    def _solve_with_params(
        self,
        problem: Any,
        heuristic: Callable[..., float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Any = None,
        **kwargs: Any,
    ) -> PlanGenerationResult:
        _warn_ignored(heuristic=heuristic, warm_start_plan=warm_start_plan)
        return solve_once(self.name, problem, _settings(self._settings, kwargs), timeout, output_stream)

    def _solve(
        self,
        problem: Any,
        heuristic: Callable[..., float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _get_solutions_with_params(
        self,
        problem: Any,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Any = None,
        **kwargs: Any,
    ) -> Iterator[PlanGenerationResult]:
        _warn_ignored(warm_start_plan=warm_start_plan)
        yield from solutions(self.name, problem, _settings(self._settings, kwargs), timeout, output_stream)

    def _get_solutions(
        self, problem: Any, timeout: float | None = None, output_stream: IO[str] | None = None
    ) -> Iterator[PlanGenerationResult]:
        yield from self._get_solutions_with_params(problem, timeout, output_stream)

    def _validate(self, problem: Any, plan: Any) -> ValidationResult:
        return check(self.name, problem, plan)


class _NamedRefusal:
    """Adds the names of unsupported features to the error with which unified-planning refuses a problem."""

    def __init__(self, engine: WidthwiseEngine, problem: Any) -> None:
        self.engine, self.problem = engine, problem

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UPUsageError) and not self.engine.skip_checks:
            reason = refusal(self.problem.kind.features)
            if reason is not None:
                raise UPUsageError(f"{error} The problem is {reason}.") from None


def _settings(settings: Settings, options: dict[str, Any]) -> Settings:
    try:
        return settings.changed(options)
    except UsageError as error:
        raise UPUsageError(str(error)) from None


def _warn_ignored(**arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            warnings.warn(f"widthwise ignores the argument {name}", stacklevel=4)
