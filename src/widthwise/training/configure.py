"""From the settings of a run to the configuration of its trainer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from widthwise.core.errors import UsageError
from widthwise.learning.learning_settings import LearningSettings
from widthwise.online.presets import preset_settings
from widthwise.training.algorithm_registry import AUTO
from widthwise.training.algorithms import PlanningSettings, planning_settings
from widthwise.training.configuration import Configuration
from widthwise.training.overrides import check_overrides
from widthwise.training.run_settings import RunSettings

if TYPE_CHECKING:
    from widthwise.core.simulator import Simulator


def make_simulator(settings: RunSettings) -> Simulator:
    """A simulator of the environment of a run."""
    from widthwise.simulators.names import simulator
    from widthwise.training.environment import GIVEN

    if settings.make is not None:
        return settings.make()
    if settings.environment.endswith(GIVEN):
        name = settings.environment.removesuffix(GIVEN)
        raise UsageError(
            f"the run was trained in an environment that was given in Python, {name}",
            python="give the same environment again",
            command="continue it in Python: ww.train(environment, out=..., resume=True)",
        )
    return simulator(settings.environment, **settings.options)


def configure(settings: RunSettings) -> Configuration:
    """The configuration of the trainer of a run: the preset, then the algorithm, then what the user gave.

    Args:
        settings: the settings of the run.

    Returns:
        The configuration.

    Raises:
        UsageError: there is no such algorithm, preset or setting, or a value does not fit.

    Example:
        >>> configure(RunSettings("corridor", 1_000, "pi-iw", overrides={"steps_per_action": 20})).planning.algorithm
        'pi-iw'
    """
    overrides = check_overrides(settings.overrides)
    simulator = make_simulator(settings)
    planning = planning_settings(
        settings.algorithm, simulator, preset=settings.preset, **_of(PlanningSettings, overrides)
    )
    learning = _of(LearningSettings, preset_settings(settings.preset, simulator)) | _of(LearningSettings, overrides)
    learning["archive"] = _search_of(settings.interactions, learning["archive"], learning["calibration"])
    for name in ("interim", "replanning"):
        if overrides.get(name) and not learning["archive"]:
            raise UsageError(f"{name} needs a search for a demonstration: set archive too, or leave it out")
    if learning.get("rare_bonus") and not planning.hierarchical:
        raise UsageError(f"{planning.algorithm} has no upper level: leave out rare_bonus, or use the algorithm pi-hiw")
    if learning.get("rare_bonus") and planning.acts_by().tie_tolerance >= 1:
        raise UsageError("rare_bonus has no effect where all returns count as equal: set tie_tolerance below 1 too")
    return Configuration(
        planning=planning,
        learning=LearningSettings(**learning),
        trees=settings.trees,
        refresh=settings.refresh,
        seed=settings.seed,
    )


def _search_of(interactions: int, archive: float, calibration: int) -> int:
    """The interactions of the search for a demonstration: as many as given, or a share of the run if below 1.

    The search ends with the run at the latest, so that what it has found is learned.
    """
    if not archive:
        return 0
    steps = int(archive * interactions) if archive < 1 else int(archive)
    return max(1, min(steps, interactions - calibration))


def _of(kind: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of those settings that a dataclass has."""
    known = {item.name for item in fields(kind)} - {"algorithm"}
    return {name: value for name, value in values.items() if name in known}


def note_on_choice(settings: RunSettings, configuration: Configuration) -> str | None:
    """A line about the algorithm and its upper level, unless the user chose them."""
    planning = configuration.planning
    if settings.algorithm == AUTO and not planning.hierarchical and "tiles" not in settings.overrides:
        why = "flat, as there is neither an image for tiles nor high-level features"
        if not planning.dynamic and "dynamic" not in settings.overrides:
            why += "; search uses the environment's features"
        return f"{settings.environment}: {planning.algorithm} ({why})"
    if planning.high_features == "own" and "high_features" not in settings.overrides:
        return f"{settings.environment}: {planning.algorithm} over the high-level features of the environment"
    if settings.algorithm == AUTO and planning.tiles is not None and "tiles" not in settings.overrides:
        tiles = "x".join(map(str, planning.tiles))
        return f"{settings.environment}: {planning.algorithm} over {tiles} tiles of the image"
    return None


def label(settings: RunSettings, configuration: Configuration) -> str:
    """The name of a run in tables: the algorithm as the paper writes it, and the settings that differ."""
    planning = configuration.planning
    overrides = {name: value for name, value in settings.overrides.items() if name != "tiles"}
    if planning.high_features == "own":
        overrides = {"high_features": "own", **overrides}
    if not planning.dynamic:
        overrides = {"dynamic": False, **overrides}
    if planning.tiles is not None:
        overrides = {"tiles": planning.tiles, **overrides}
    variation = replace(settings, overrides=overrides).variation
    return f"{planning.title}, {variation}" if variation else planning.title


def plain(data: Any) -> Any:
    """Data as it comes back from a file: tuples as lists."""
    if isinstance(data, Mapping):
        return {str(name): plain(value) for name, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, list | tuple) else data
