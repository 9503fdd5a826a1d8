"""Training runs by their settings: begun, resumed, and run in a folder."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.core import run_shapes
from widthwise.core.errors import InputError, MissingExtraError, UsageError, WidthwiseError
from widthwise.core.provenance import describe_run
from widthwise.core.run_folder import CONFIG, read_json, write_json
from widthwise.core.showing import counted, setting
from widthwise.online.presets import preset_settings
from widthwise.training.checkpoint import About, Checkpoints
from widthwise.training.folder import EPISODES, EVALUATIONS, TrainingFolder, read_config
from widthwise.training.run import Listener, Schedule, Training
from widthwise.training.run_settings import RunSettings, refuse_unknown, settings_for
from widthwise.training.trust import names_code, require_trust, resume_call
from widthwise.training.unpacking import Limits

if TYPE_CHECKING:
    from widthwise.core.simulator import Simulator
    from widthwise.training.config import Config
    from widthwise.training.trainer import Trainer


def need_torch(what: str = "training") -> None:
    """Raise an error that tells how to get PyTorch, if it is not there."""
    if find_spec("torch") is None:
        raise MissingExtraError(what, "learn", "torch")


def make_simulator(settings: RunSettings) -> Simulator:
    """The environment of a run."""
    from widthwise.simulators.names import simulator

    return simulator(settings.environment, **settings.options)


def config_of(settings: RunSettings) -> Config:
    """The configuration of the algorithm and of learning that settings stand for."""
    from widthwise.learning.learning_settings import LearningSettings
    from widthwise.training.algorithms import Algorithm, algorithm
    from widthwise.training.config import Config

    refuse_unknown(settings.parts, Algorithm, LearningSettings)
    simulator = make_simulator(settings)
    chosen = algorithm(settings.algorithm, simulator, preset=settings.preset, **settings_for(Algorithm, settings.parts))
    of_preset = preset_settings(settings.preset, simulator)
    known = {one.name for one in fields(LearningSettings)}
    given = {name: value for name, value in of_preset.items() if name in known}
    learning = LearningSettings(**{**given, **settings_for(LearningSettings, settings.parts)})
    return Config(
        algorithm=chosen, learning=learning, trees=settings.trees, refresh=settings.refresh, seed=settings.seed
    )


def note_on_choice(settings: RunSettings, config: Config) -> str | None:
    """One line about the algorithm where it is not pi-hiw over tiles and was not chosen in so many words."""
    chosen = config.algorithm
    if settings.algorithm == "auto" and not chosen.hierarchical and "tiles" not in settings.parts:
        return (
            f"{settings.environment}: {chosen.name} (flat, as there is neither an image for tiles nor high-level "
            "features)"
        )
    if chosen.high_features == "own" and "high_features" not in settings.parts:
        return f"{settings.environment}: {chosen.name} over the high-level features of the environment"
    return None


def label(settings: RunSettings, config: Config) -> str:
    """What a table calls this: the algorithm as the paper writes it, and what was set differently."""
    parts = {name: value for name, value in settings.parts.items() if name != "tiles"}
    if config.algorithm.high_features == "own":
        parts = {"high_features": "own", **parts}
    if config.algorithm.tiles is not None:
        parts = {"tiles": "x".join(map(str, config.algorithm.tiles)), **parts}
    varied = replace(settings, parts=parts).variation
    return f"{config.algorithm.title}, {varied}" if varied else config.algorithm.title


def about(settings: RunSettings, trainer: Trainer) -> About:
    """What the checkpoints of a run belong to."""
    return About(
        settings.environment,
        trainer.players[0].agent.simulator.actions,
        tuple(trainer.sight.shape),
        {**_plain(trainer.config.describe()), "options": dict(settings.options)},
    )


def _plain(told: Any) -> Any:
    """Tuples as lists, as they come back from a file."""
    if isinstance(told, Mapping):
        return {str(name): _plain(value) for name, value in told.items()}
    return [_plain(one) for one in told] if isinstance(told, list | tuple) else told


def begin(folder: Path, settings: RunSettings, listener: Listener, command: list[str] | None = None) -> Training:
    """A new run in a new folder; what can be refused is refused before anything is written."""
    need_torch()
    config = config_of(settings)
    if choice := note_on_choice(settings, config):
        listener.chosen(choice)
    settings = replace(settings, algorithm=config.algorithm.name)
    trainer = _trainer(settings, config)
    trainer.try_out(make_simulator(settings))
    made = describe_run(settings.describe(), command or ["widthwise", *sys.argv[1:]])
    made["versions"] |= {name: found for name in ("torch", "gymnasium", "ale-py") if (found := _version(name))}
    told = {"kind": "training", "label": label(settings, config), **made, "algorithm": _plain(config.describe())}
    kept = Checkpoints(folder, about(settings, trainer))
    opened = TrainingFolder.create(folder, told)
    try:
        kept.prepare()
        return _training(opened, kept, trainer, settings, listener)
    except BaseException:
        opened.close()
        raise


def read_settings(folder: Path) -> tuple[dict[str, Any], RunSettings]:
    """The configuration of a run in a folder, and its settings; raises `InputError` if they make no sense.

    Nothing is made of them yet, and no code that they name is imported.
    """
    read_config(folder)
    told: dict[str, Any] = read_json(folder / CONFIG, run_shapes.RESUMED)
    try:
        return told, RunSettings.of(told["settings"])
    except UsageError as error:
        raise InputError(f"{folder / CONFIG}: {error}") from None


def read_algorithm(folder: Path, told: Mapping[str, Any]) -> Config:
    """The settings of the algorithm and of learning that a folder holds; raises `InputError` if they make no sense."""
    from widthwise.training.config import Config

    try:
        return Config.read(told["algorithm"])
    except (UsageError, TypeError, ValueError) as error:
        raise InputError(f"{folder / CONFIG}: algorithm: {error}") from None


def refuse_changes(folder: Path, given: Mapping[str, Any]) -> None:
    """Raise an error that names a setting which a run in a folder has otherwise; it may only become longer."""
    kept = read_settings(folder)[1].describe()
    for name, value in given.items():
        if name != "interactions" and _plain(value) != kept[name]:
            raise UsageError(
                f"{folder} was begun with {name} {setting(kept[name])}; it cannot go on with {setting(value)}"
            )


def resume(
    folder: Path,
    listener: Listener,
    interactions: int | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    trust: bool = False,
) -> Training:
    """A run that goes on from its newest checkpoint, perhaps further than it was meant to go.

    Args:
        folder: the run folder. It is data: what it says is checked, and code that it names is not imported unless
            `given` names it as well.
        listener: hears how the run goes.
        interactions: how far it is to go now; not less than before.
        given: settings that the caller knows to be those of the run, such as `{"environment": "my_module:make"}`.
        trust: whether to import whatever code the folder names, and to take checkpoints of any size.

    Returns:
        The run, ready to go on.

    Raises:
        UsageError: the folder names code that `given` does not name, or another process is writing this run.
        InputError: something in the folder makes no sense; nothing was changed.

    Example:
        >>> resume(Path("runs/small"), Listener()).run()
    """
    need_torch()
    told, settings = read_settings(folder)
    code = {**told["settings"], "algorithm": told["algorithm"]}
    require_trust(folder, code, given or {}, trust=trust, remedy=resume_call(folder, settings.environment))
    if interactions is not None and interactions != settings.interactions:
        if interactions < settings.interactions:
            raise UsageError(
                f"{folder} is to run for {counted(settings.interactions, 'interaction')}; that cannot become less"
            )
        settings = replace(settings, interactions=interactions, evaluate_every=settings.interval)
        told["settings"] |= settings.describe()
    trainer = trainer_of(folder, settings, read_algorithm(folder, told))
    kept = Checkpoints(folder, about(settings, trainer))
    limits = None if trust else limits_for(trainer)
    found = kept.load(listener.say, limits) if any(kept.folder.glob("*.ckpt")) else None
    if found is not None:
        found.refuse_other(kept.about, same_version=True)
    opened = TrainingFolder.resume(folder)
    try:
        kept.prepare()
        training = _training(opened, kept, trainer, settings, listener)
        if found is not None:
            training.resume(found)
        else:
            listener.say(f"{folder}: was stopped before its first checkpoint, so it begins anew")
            opened.cut({EPISODES: 0, EVALUATIONS: 0})
        write_json(folder / CONFIG, told)
    except BaseException:
        opened.close()
        raise
    return training


def trainer_of(folder: Path, settings: RunSettings, config: Config, chance: str | None = None) -> Trainer:
    """The trainer of a run in a folder; options and settings that nothing can be made of are refused by name."""
    try:
        return _trainer(settings, config, chance)
    except WidthwiseError as error:
        if type(error) is UsageError:  # of the folder, not of the call
            raise InputError(f"{folder / CONFIG}: {error}") from None
        raise
    except MemoryError:
        raise InputError(f"{folder / CONFIG}: its settings ask for more memory than this machine has") from None
    except (TypeError, ValueError, ArithmeticError, LookupError, RuntimeError) as error:
        if names_code(settings.environment):
            raise  # by code of the user's own, whose traceback tells more
        raise InputError(f"{folder / CONFIG}: nothing can be made of its settings ({error})") from None


def limits_for(trainer: Trainer) -> Limits:
    """How much a checkpoint of a run may hold: its network, its replay memory, its trees, and as much again."""
    config, machine = trainer.config, Limits.of_machine()
    weights = sum(one.numel() * one.element_size() for one in trainer.learner.network.state_dict().values())
    row = trainer.sight.buffer(1).nbytes
    # The last episode stays whole, however long it is.
    rows = 4 * config.learning.replay + 10_000
    nodes = config.trees * config.algorithm.nodes
    arrays = (64 << 20) + 4 * weights + rows * (row + 256) + nodes * 8192
    return Limits(min(arrays, machine.arrays), min((32 << 20) + nodes * 4096, machine.description))


def clear_unborn(folder: Path) -> None:
    """Remove what is left of a run that was killed before its settings were written, and nothing else."""
    ours = {".lock", EPISODES, EVALUATIONS, f"{CONFIG}.part"}
    if folder.is_dir() and {path.name for path in folder.iterdir()} <= ours:
        shutil.rmtree(folder)


def _trainer(settings: RunSettings, config: Config, chance: str | None = None) -> Trainer:
    from widthwise.simulators.chance import check_mode
    from widthwise.training.trainer import Trainer

    return Trainer(lambda: make_simulator(settings), config, check_mode(chance or settings.chance))


def _training(
    folder: TrainingFolder, kept: Checkpoints, trainer: Trainer, settings: RunSettings, listener: Listener
) -> Training:
    schedule = Schedule(settings.interactions, settings.interval, evaluation_share=settings.evaluation_share)
    from widthwise.training.run_trainer import RunLearner

    evaluation = make_simulator(settings)
    return Training(folder, kept, RunLearner(trainer, settings, evaluation), schedule, listener)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
