"""Training from Python: `train` runs in a folder, calls back, and returns its result."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from widthwise.core import notebook
from widthwise.core.errors import RunInterrupted, UsageError
from widthwise.core.showing import counted
from widthwise.training.environment import named_environment
from widthwise.training.launch import begin, refuse_changes
from widthwise.training.launch import resume as resume_run
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_settings import EVALUATION_SHARE, MAX_LAG, RunSettings
from widthwise.training.transport import ActorOptions, cluster_actors, cluster_released, parse_actors

if TYPE_CHECKING:
    from widthwise.training.policy import Policy

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """What the callback of `train` is called with.

    Args:
        event: `begin`, `action` (actions were executed), `evaluation`, `message` or `end`.
        interactions: The simulator steps of training so far.
        goal: The simulator steps at which the run ends.
        episodes: The training episodes that have ended.
        recent_score: The mean score of the last episodes; None before the first has ended.
        evaluation: At an evaluation, its figures: `network_score`, `network_steps`, `planner_score` and others.
        message: At a message, its text.
        stop: A function without arguments that ends the run after the current action, with a checkpoint.

    Example:
        >>> progress = ww.TrainingProgress("action", interactions=500, goal=1_000)
        >>> progress.interactions / progress.goal
        0.5
    """

    event: Literal["begin", "action", "evaluation", "message", "end"]
    interactions: int = 0
    goal: int = 0
    episodes: int = 0
    recent_score: float | None = None
    evaluation: Mapping[str, Any] | None = None
    message: str = ""
    stop: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What `train` returns.

    Args:
        folder: The run folder, with settings, lines of JSON, checkpoints and the best policy.
        finished: Whether the run reached its end. If not, `train(..., out=folder, resume=True)` continues it.
        interactions: The simulator steps of training.
        episodes: The training episodes that have ended.
        evaluations: The number of evaluations.
        best: The figures of the best evaluation; None before the first.
        figures: The contents of `result.json`; empty if the run is not finished.

    Example:
        >>> result = ww.TrainingResult("runs/small", finished=False, interactions=500)
        >>> result
        <TrainingResult stopped: 500 interactions, 0 episodes, no evaluation, in runs/small>
    """

    folder: Path
    finished: bool
    interactions: int = 0
    episodes: int = 0
    evaluations: int = 0
    best: Mapping[str, Any] | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = f"{counted(self.interactions, 'interaction')}, {counted(self.episodes, 'episode')}"
        best = "no evaluation" if self.best is None else f"best score {self.best['network_score']:g}"
        return f"<TrainingResult {'finished' if self.finished else 'stopped'}: {counts}, {best}, in {self.folder}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [
            ("folder", self.folder),
            ("status", "finished" if self.finished else "stopped"),
            ("interactions", f"{self.interactions:,}"),
            ("episodes", f"{self.episodes:,}"),
            ("evaluations", f"{self.evaluations:,}"),
        ]
        if self.best is not None:
            rows.append(("best score of the network alone", f"{self.best['network_score']:g}"))
        return notebook.table("Training run", rows)

    def policy(self, environment: Any = None) -> Policy:
        """The best policy of the run.

        Args:
            environment: The environment, if it was not given to `train` by a name.

        Returns:
            The policy.

        Raises:
            InputError: There has been no evaluation yet.
        """
        from widthwise.training.policy import Policy

        return Policy.load(self.folder, environment)


class _Callback(TrainingListener):
    """Passes the events of a run on to a function and to the log."""

    def __init__(self, callback: Callable[[TrainingProgress], object] | None) -> None:
        self.callback = callback
        self.run: TrainingRun | None = None

    def begin(self, run: TrainingRun) -> None:
        self.run = run
        _log.info("%s: training from %d interactions", run.folder.folder, run.trainer.interactions)
        self._call("begin")

    def moved(self, run: TrainingRun) -> None:
        self._call("action")

    def evaluated(self, run: TrainingRun, record: dict[str, Any]) -> None:
        _log.info("%s: evaluation %s", run.folder.folder, record)
        self._call("evaluation", evaluation=record)

    def chosen(self, text: str) -> None:
        self.say(text)

    def say(self, text: str) -> None:
        _log.info("%s", text)
        self._call("message", message=text)

    def end(self) -> None:
        self._call("end")

    def _call(self, event: Literal["begin", "action", "evaluation", "message", "end"], **more: Any) -> None:
        if self.callback is None:
            return
        if self.run is not None:
            recent = self.run.mean_recent()
            more |= {
                "interactions": self.run.trainer.interactions,
                "goal": self.run.schedule.interactions,
                "episodes": self.run.episodes,
                "recent_score": None if recent is None else recent[0],
                "stop": self._stop,
            }
        self.callback(TrainingProgress(event, **more))

    def _stop(self) -> None:
        assert self.run is not None
        self.run.stopping = True


def train(
    environment: Any = None,
    interactions: int | None = None,
    *,
    out: str | Path,
    algorithm: str = "auto",
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    preset: str = "default",
    trees: int = 1,
    actors: int | str = 1,
    asynchronous: bool = False,
    max_lag: int = MAX_LAG,
    ray_address: str | None = None,
    actor_timeout: float = 600.0,
    device: str = "cpu",
    learner_threads: int = 1,
    refresh: bool = False,
    evaluate_every: int = 0,
    evaluation_share: float = EVALUATION_SHARE,
    network_episodes: int = 3,
    planner_episodes: int = 1,
    evaluation_steps: int | None = None,
    chance: str = "refuse",
    callback: Callable[[TrainingProgress], object] | None = None,
    resume: bool = False,
    trust: bool = False,
    **settings: Any,
) -> TrainingResult:
    """Train a network from search, in a run folder. Nothing is printed; `callback` and the log report progress.

    A run that was stopped continues with `resume=True`, with the same lines as if it had never stopped.

    Args:
        environment: A name as `simulator` takes it, a function without arguments that makes the environment, or a
            simulator or Gymnasium environment, which is copied. With `resume`, needed only if it was not given by name.
        interactions: The simulator steps of the run. With `resume`, a larger number makes the run longer.
        out: The run folder; a new one unless `resume` is set.
        algorithm: `pi-iw`, `pi-iw+`, `pi-hiw`, or `auto` for the one chosen for the environment.
        seed: The seed of the run. The same seed gives the same run.
        options: Options of an environment that is given by name.
        preset: `default`, `paper`, `authors` or `demonstration`.
        trees: The episodes that are planned in lock-step.
        actors: The processes that plan and act for one learner; `"ray"` or `"ray:8"` for actors on a Ray cluster.
        asynchronous: Let actors run freely. In step, the default, the same seed and number of actors give the same run.
        max_lag: With `asynchronous`, the maximum number of updates by which an actor's weights may be behind.
        ray_address: The Ray cluster; by default a local one is started.
        actor_timeout: The seconds after which an actor that does not answer is replaced.
        device: Where the learner trains, `"cpu"` or `"cuda"`.
        learner_threads: The threads of torch in the learner.
        refresh: Evaluate the kept tree again after every update.
        evaluate_every: The interactions between two evaluations; by default a twentieth of the run.
        evaluation_share: The interactions that evaluations may take, as a share of those of training; 0 for no bound.
        network_episodes: The episodes of the network alone in an evaluation.
        planner_episodes: The episodes of the planner with the network in an evaluation.
        evaluation_steps: The maximum number of steps of an evaluation episode; None: 10,000.
        chance: What to do if steps depend on chance: `refuse`, `foresee` or `reseed`, as for `OnlinePlanner`.
        callback: Called with a `TrainingProgress` at the beginning, after actions, at evaluations and at the end.
        resume: Continue the run in `out`.
        trust: With `resume`, import the code that the folder names.
        settings: Settings of planning and learning by name, such as `tiles=(4, 4)`, `steps_per_action=30`,
            `learning_rate=1e-3` or `value=False`.

    Returns:
        The result. `result.policy()` is the best policy.

    Raises:
        UsageError: A setting is wrong, the folder is not empty, or the run in it has different settings.
        InputError: The run folder cannot be read.
        MissingExtraError: PyTorch is not installed.
        RunInterrupted: Ctrl-C; the newest checkpoint is kept, and `result` is the result so far.

    Example:
        >>> result = ww.train("corridor", 300, out="runs/corridor", planner_episodes=0)  # needs torch
        >>> result.finished, result.policy().play(seed=0, network_only=True).steps > 0
        (True, True)
    """
    folder = Path(out)
    listener = _Callback(callback)
    given = _given(locals())
    name, make = (None, None) if environment is None else named_environment(environment)
    if name is not None:
        given["environment"] = name
    engine, count = parse_actors(actors)
    where = ActorOptions(engine, ray_address, actor_timeout, device=device, threads=learner_threads)
    with cluster_released(where):
        if "actors" in given:
            given["actors"] = count or cluster_actors(where)
        if resume:
            refuse_changes(folder, given)
            run = resume_run(folder, listener, interactions, given=given, trust=trust, make=make, options=where)
        else:
            if name is None or interactions is None:
                raise UsageError("a new run needs an environment and interactions; resume=True continues a run")
            run = begin(folder, RunSettings(**given, make=make), listener, ["ww.train"], where)
        try:
            figures = run.run()
        except KeyboardInterrupt:
            raise RunInterrupted(_result(folder, run, None)) from None
        finally:
            run.folder.close()
    return _result(folder, run, figures)


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `train` that differ from their defaults and are settings of a run."""
    names = {item.name for item in fields(RunSettings)} & arguments.keys() - {"environment"}
    defaults = {name: parameter.default for name, parameter in inspect.signature(train).parameters.items()}
    given = {name: arguments[name] for name in sorted(names) if arguments[name] != defaults[name]}
    if arguments["settings"]:
        given["overrides"] = dict(arguments["settings"])
    return given


def _result(folder: Path, run: TrainingRun, figures: Mapping[str, Any] | None) -> TrainingResult:
    return TrainingResult(
        folder, figures is not None, run.trainer.interactions, run.episodes, run.evaluations, run.best, figures or {}
    )
