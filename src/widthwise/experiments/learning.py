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

from widthwise.core.errors import MissingExtraError, UsageError
from widthwise.core.showing import counted, setting
from widthwise.experiments.run_folder import EPISODES, EVALUATIONS, RunFolder, read_config
from widthwise.experiments.runner import describe_run
from widthwise.experiments.store import CONFIG, write_json
from widthwise.experiments.training import Listener, Schedule, Training
from widthwise.experiments.training_settings import RunSettings, refuse_unknown, settings_for
from widthwise.learning.checkpoint import About, Checkpoints
from widthwise.online.presets import preset_settings

if TYPE_CHECKING:
    from widthwise.core.simulator import Simulator
    from widthwise.learning.config import Config
    from widthwise.learning.trainer import Trainer


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
    from widthwise.learning.algorithms import Algorithm, algorithm
    from widthwise.learning.config import Config, Learning

    refuse_unknown(settings.parts, Algorithm, Learning)
    simulator = make_simulator(settings)
    chosen = algorithm(settings.algorithm, simulator, preset=settings.preset, **settings_for(Algorithm, settings.parts))
    of_preset = preset_settings(settings.preset, simulator)
    known = {one.name for one in fields(Learning)}
    given = {name: value for name, value in of_preset.items() if name in known}
    learning = Learning(**{**given, **settings_for(Learning, settings.parts)})
    return Config(
        algorithm=chosen, learning=learning, trees=settings.trees, refresh=settings.refresh, seed=settings.seed
    )


def label(settings: RunSettings, config: Config) -> str:
    """What a table calls this: the algorithm as the paper writes it, and what was set differently."""
    parts = {name: value for name, value in settings.parts.items() if name != "tiles"}
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
    trainer = _trainer(settings, config)
    trainer.try_out(make_simulator(settings))
    made = describe_run(settings.describe(), command or ["widthwise", *sys.argv[1:]])
    made["versions"] |= {name: found for name in ("torch", "gymnasium", "ale-py") if (found := _version(name))}
    told = {"kind": "training", "label": label(settings, config), **made, "algorithm": _plain(config.describe())}
    kept = Checkpoints(folder, about(settings, trainer))
    opened = RunFolder.create(folder, told)
    kept.prepare()
    return _training(opened, kept, trainer, settings, listener)


def refuse_changes(folder: Path, given: Mapping[str, Any]) -> None:
    """Raise an error that names a setting which a run in a folder has otherwise; it may only become longer."""
    kept = RunSettings.of(read_config(folder)["settings"]).describe()
    for name, value in given.items():
        if name != "interactions" and _plain(value) != kept[name]:
            raise UsageError(
                f"{folder} was begun with {name} {setting(kept[name])}; it cannot go on with {setting(value)}"
            )


def resume(folder: Path, listener: Listener, interactions: int | None = None) -> Training:
    """A run that goes on from its newest checkpoint, perhaps further than it was meant to go."""
    need_torch()
    told = read_config(folder)
    settings = RunSettings.of(told["settings"])
    if interactions is not None and interactions != settings.interactions:
        if interactions < settings.interactions:
            raise UsageError(
                f"{folder} is to run for {counted(settings.interactions, 'interaction')}; that cannot become less"
            )
        settings = replace(settings, interactions=interactions, evaluate_every=settings.interval)
        told["settings"] |= settings.describe()
    from widthwise.learning.config import Config

    trainer = _trainer(settings, Config.read(told["algorithm"]))
    kept = Checkpoints(folder, about(settings, trainer))
    found = kept.load(listener.say) if any(kept.folder.glob("*.ckpt")) else None
    if found is not None:
        found.refuse_other(kept.about, same_version=True)
    opened = RunFolder.reopen(folder)
    kept.prepare()
    write_json(folder / CONFIG, told)
    training = _training(opened, kept, trainer, settings, listener)
    if found is not None:
        training.resume(found)
    else:
        listener.say(f"{folder}: was stopped before its first checkpoint, so it begins anew")
        opened.cut({EPISODES: 0, EVALUATIONS: 0})
    return training


def clear_unborn(folder: Path) -> None:
    """Remove what is left of a run that was killed before its settings were written, and nothing else."""
    ours = {".lock", EPISODES, EVALUATIONS, f"{CONFIG}.part"}
    if folder.is_dir() and {path.name for path in folder.iterdir()} <= ours:
        shutil.rmtree(folder)


def _trainer(settings: RunSettings, config: Config) -> Trainer:
    from widthwise.learning.trainer import Trainer
    from widthwise.simulators.chance import check_mode

    return Trainer(lambda: make_simulator(settings), config, check_mode(settings.chance))


def _training(
    folder: RunFolder, kept: Checkpoints, trainer: Trainer, settings: RunSettings, listener: Listener
) -> Training:
    schedule = Schedule(settings.interactions, settings.interval)
    from widthwise.experiments.run_learner import RunLearner

    evaluation = make_simulator(settings)
    return Training(folder, kept, RunLearner(trainer, settings, evaluation), schedule, listener)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
