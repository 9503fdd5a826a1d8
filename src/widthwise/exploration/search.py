"""`ww.search`: one long search in an environment, from its reset to the best trajectory that is found."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from widthwise.core.contract import environment_name
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator
from widthwise.exploration.search_run import KIND, ExplorationRun, SearchFolder, SearchListener, SearchResult
from widthwise.simulator_search.archive_search import ArchiveSearch
from widthwise.simulator_search.driver import FeatureFunction
from widthwise.simulators.chance import Mode, check_chance, check_mode, refusal
from widthwise.simulators.names import simulator
from widthwise.training.checkpoint import About
from widthwise.training.search_features import Choice, choose_features


def search(
    env: Any,
    interactions: int,
    *,
    seed: int = 0,
    features: Sequence[FeatureFunction] | None = None,
    planner: ArchiveSearch | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    chance: Mode = "refuse",
    options: Mapping[str, Any] | None = None,
) -> SearchResult:
    """Search an environment for the trajectory with the highest score, without acting in between.

    Args:
        env: A simulator, a Gymnasium environment, or a name as for `simulator`.
        interactions: The total number of simulator steps.
        seed: The seed of the search and of the reset.
        features: A function of a step for each level, highest level first; the last one is for pruning inside regions.
            By default scenes and tiles of the image on two levels, chosen for the environment, or its own features.
        planner: The settings of the search.
        out: A run folder: checkpoints, progress, and the best trajectory so far.
        resume: Whether to continue the search in `out`.
        max_seconds: Stop after this many seconds.
        chance: What to do if steps depend on chance: "refuse", or "foresee" to search with known random outcomes.
        options: Options of the environment, if it is given by name.

    Returns:
        The best trajectory, which was replayed from a reset, and the cost of the search.

    Raises:
        UsageError: The settings do not fit together, or `out` exists and `resume` is not given.
        ChanceError: Steps depend on chance.
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
    seed: int = 0,
    features: Sequence[FeatureFunction] | None = None,
    planner: ArchiveSearch | None = None,
    out: Path | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    chance: Mode = "refuse",
    options: Mapping[str, Any] | None = None,
    listener: SearchListener | None = None,
) -> ExplorationRun:
    """A search that is ready to run; the arguments are those of `search`.

    Returns:
        The run. Its folder, if it has one, is open and has to be closed.
    """
    if interactions < 1:
        raise UsageError(f"a search must have at least 1 interaction, not {interactions}")
    if resume and out is None:
        raise UsageError("to continue a search, name its folder", python="give out=", command="give --out DIR")
    environment = simulator(env, **dict(options or {}))
    mode = check_mode(chance)
    finding = check_chance(environment, seed)
    if finding.stochastic and mode != "foresee":
        raise refusal(finding)
    planner = planner or ArchiveSearch()
    if features is None:
        choice = choose_features(environment, seed, scenes=planner.scenes)
    else:
        choice = Choice(tuple(features), 0, ", ".join(map(repr, features)))
    run = ExplorationRun(
        planner.begin(environment, choice.features, seed),
        interactions,
        sampled=choice.interactions,
        features=choice.note,
        max_seconds=max_seconds,
        listener=listener,
    )
    if out is not None:
        run.folder = _folder(env, environment, run, planner, out, resume=resume, options=dict(options or {}))
    return run


def _folder(
    env: Any,
    environment: Simulator,
    run: ExplorationRun,
    planner: ArchiveSearch,
    out: Path,
    *,
    resume: bool,
    options: dict[str, Any],
) -> SearchFolder:
    from widthwise.core.provenance import describe_run

    name = env if isinstance(env, str) else environment_name(environment)
    settings = {
        "environment": name,
        "options": options,
        "interactions": run.limit,
        "seed": run.search.seed,
        "features": run.features,
        "planner": {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(planner).items()},
    }
    config = {"kind": KIND, **describe_run(settings, ["widthwise", *sys.argv[1:]])}
    unchanging = {key: value for key, value in settings.items() if key != "interactions"}
    about = About(name, environment.actions, (), {"search": unchanging})
    if not resume:
        return SearchFolder.create(out, config, about)
    folder = SearchFolder.resume(out, config, about)
    try:
        folder.load(run, config)
    except BaseException:
        folder.close()
        raise
    return folder
