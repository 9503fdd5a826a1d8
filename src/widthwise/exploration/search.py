"""`ww.search`: one long search in an environment, from its reset to the best trajectory that is found."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from widthwise.core.contract import environment_name
from widthwise.core.errors import OutOfTime, UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.exploration.followed_policy import GivenPolicy, options_with, policy_function, policy_record
from widthwise.exploration.search_folder import KIND, SearchFolder
from widthwise.exploration.search_run import ExplorationRun, SearchListener, SearchResult
from widthwise.exploration.search_settings import (
    SEARCH_MODES,
    SearchSettings,
    continued_settings,
    levels_of_tiles,
    new_settings,
)
from widthwise.online.defaults import default_features
from widthwise.simulator_search.archive_search import ArchiveSearch
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulators.chance import Mode, check_chance, refusal
from widthwise.simulators.names import simulator
from widthwise.training.checkpoint import About
from widthwise.training.search_features import Choice, choose_features, suitable


def search(
    env: Any,
    interactions: int,
    *,
    seed: int | None = None,
    features: Sequence[FeatureFunction] | None = None,
    planner: ArchiveSearch | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    chance: Mode | None = None,
    options: Mapping[str, Any] | None = None,
    policy: GivenPolicy | None = None,
) -> SearchResult:
    """Search an environment for the trajectory with the highest score, without acting in between.

    Args:
        env: A simulator, a Gymnasium environment, or a name as for `simulator`.
        interactions: The total number of simulator steps.
        seed: The seed of the search and of the reset; 0 by default.
        features: A function of a step for each level, highest level first; the last one is for pruning inside regions.
            By default scenes and tiles of the image on two levels, chosen for the environment, or its own features.
        planner: The settings of the search.
        out: A run folder: checkpoints, progress, and the best trajectory so far.
        resume: Whether to continue the search in `out`. It has its settings from there, except features that are
            functions; a setting that is given must not differ.
        max_seconds: Stop after this many seconds, those for the choice of features included.
        chance: What to do if steps depend on chance: "refuse", the default, or "foresee" to search with known random
            outcomes.
        options: Options of the environment, if it is given by name.
        policy: A policy to follow in a part of the visits (`ArchiveSearch.follow`): a `Policy`, the folder of a
            training run, or a function of a step that gives a probability for each action. Options of the environment
            that are not given are then those of the run.

    Returns:
        The best trajectory, which was replayed from a reset, and the cost of the search.

    Raises:
        UsageError: The settings do not fit together, or `out` exists and `resume` is not given.
        ChanceError: Steps depend on chance.
        OutOfTime: `max_seconds` were over before the features were chosen.
        SimulatorError: The environment breaks its contract, or does not repeat a trajectory.

    Example:
        >>> import widthwise as ww
        >>> ww.search("corridor", 3_000).score
        1.0
    """
    run = begin_search(
        env,
        interactions,
        seed=seed,
        features=features,
        planner=planner,
        out=None if out is None else Path(out),
        resume=resume,
        max_seconds=max_seconds,
        chance=chance,
        options=options,
        policy=policy,
    )
    try:
        return run.run()
    finally:
        if run.folder is not None:
            run.folder.close()


def begin_search(
    env: Any,
    interactions: int,
    *,
    seed: int | None = None,
    features: Sequence[FeatureFunction] | None = None,
    tiles: Sequence[str] | None = None,
    planner: ArchiveSearch | Mapping[str, Any] | None = None,
    out: Path | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    chance: str | None = None,
    options: Mapping[str, Any] | None = None,
    policy: GivenPolicy | None = None,
    listener: SearchListener | None = None,
) -> ExplorationRun:
    """A search that is ready to run; the arguments are those of `search`.

    `tiles` are those of each level, as WxH:V. `planner` may have only the settings that are given.

    Returns:
        The run. Its folder, if it has one, is open and has to be closed.
    """
    begun = time.monotonic()
    if interactions < 1:
        raise UsageError(f"a search must have at least 1 interaction, not {interactions}")
    if resume and out is None:
        raise UsageError("to continue a search, name its folder", python="give out=", command="give --out DIR")
    given: dict[str, Any] = {
        "seed": seed,
        "planner": planner,
        "options": options if resume else options_with(policy, env, options),
        "policy": policy_record(policy),
        "chance": chance,
        "tiles": tiles,
    }
    settings = continued_settings(out, **given) if resume and out else new_settings(interactions, **given)
    environment = simulator(env, **settings.options)
    finding = check_chance(environment, settings.seed)
    if finding.stochastic and settings.chance != "foresee":
        raise refusal(finding, SEARCH_MODES)
    follows = policy_function(settings.policy, policy, env, settings.options)
    until = None if max_seconds is None else begun + max_seconds
    choice, levels = _choose(environment, settings, features, until)
    run = ExplorationRun(
        suitable(settings.planner, choice).begin(environment, choice.features, settings.seed, policy=follows),
        interactions,
        sampled=choice.interactions,
        features=f"gain, {levels}" if settings.planner.gains else levels,
        max_seconds=max_seconds,
        listener=listener,
        begun=begun,
        finding=finding,
        mode=settings.chance,
    )
    if out is not None:
        name = env if isinstance(env, str) else environment_name(environment)
        recorded = {
            "environment": name,
            "interactions": interactions,
            "features": choice.note,
            **settings.describe(),
        }
        run.folder = _folder(name, environment.actions, run, recorded, out, resume=resume)
    return run


def _choose(
    environment: Simulator,
    settings: SearchSettings,
    features: Sequence[FeatureFunction] | None,
    until: float | None,
) -> tuple[Choice, str]:
    """The features of a search, and those of the levels of its archive in words."""
    if features is not None:
        high = features[:-1] or features
        return Choice(tuple(features), 0, ", ".join(map(_named, features))), ", ".join(map(_named, high))
    if settings.tiles:
        tiles = levels_of_tiles(settings.tiles)
        note = ", ".join(f"tiles {level.width}x{level.height} of {level.values} values" for level in tiles)
        return Choice((*tiles, default_features(environment)[0]), 0, note), note
    sampled = environment if until is None else LimitedSimulator(environment, until)
    parts = settings.planner
    choice = choose_features(sampled, settings.seed, settings.sample, scenes=parts.scenes, lowest=parts.lowest)
    return choice, choice.note


def _named(feature: FeatureFunction) -> str:
    """A feature in words, without the addresses of a `repr`, which differ between processes."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(feature))


class LimitedSimulator:
    """A simulator whose steps raise an error when the time of the run is over.

    Args:
        inner: The simulator.
        until: The end of the time, on the clock of `time.monotonic`.

    Raises:
        OutOfTime: At a step after that.
    """

    def __init__(self, inner: Simulator, until: float) -> None:
        self.inner, self.until = inner, until
        self.actions, self.deterministic = inner.actions, getattr(inner, "deterministic", True)
        self.reset, self.save, self.load = inner.reset, inner.save, inner.load

    def step(self, action: int) -> Step:
        """Execute an action."""
        if time.monotonic() > self.until:
            name = environment_name(self.inner)
            raise OutOfTime(f"{name}: the time limit was reached while the features of the search were chosen")
        return self.inner.step(action)

    @property
    def default_features(self) -> tuple[FeatureFunction, ...]:
        """The features of the simulator."""
        return default_features(self.inner)


def _folder(
    name: str, actions: int, run: ExplorationRun, settings: dict[str, Any], out: Path, *, resume: bool
) -> SearchFolder:
    from widthwise.core.provenance import describe_run

    config = {"kind": KIND, **describe_run(settings, ["widthwise", *sys.argv[1:]])}
    unchanging = {key: value for key, value in settings.items() if key != "interactions"}
    about = About(name, actions, (), {"search": unchanging})
    if not resume:
        return SearchFolder.create(out, config, about)
    folder = SearchFolder.resume(out, config, about)
    try:
        folder.load(run, config)
    except BaseException:
        folder.close()
        raise
    return folder
