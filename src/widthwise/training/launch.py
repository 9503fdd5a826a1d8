"""Begin and resume training runs in their folders."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.core import run_shapes
from widthwise.core.continuing import notes_on_version, with_version
from widthwise.core.errors import InputError, MissingExtraError, UsageError, WidthwiseError
from widthwise.core.provenance import describe_run
from widthwise.core.run_folder import CONFIG, write_json
from widthwise.core.shape import Mismatch
from widthwise.core.showing import counted, setting
from widthwise.learning.learning_settings import TREE_CAPACITY
from widthwise.online.presets import complete_options, preset_options
from widthwise.training.checkpoint import About, Checkpoints
from widthwise.training.configure import configure, label, make_simulator, note_on_choice, plain
from widthwise.training.folder import EPISODES, EVALUATIONS, TrainingFolder, read_config
from widthwise.training.old_keys import upgrade_config
from widthwise.training.overrides import plain_overrides
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_schedule import RunSchedule
from widthwise.training.run_settings import RunSettings
from widthwise.training.transport import ActorOptions
from widthwise.training.trust import names_code, require_trust, resume_call
from widthwise.training.unpacking import PackedLimits

if TYPE_CHECKING:
    from widthwise.core.simulator import Simulator
    from widthwise.training.configuration import Configuration
    from widthwise.training.trainer import Trainer


def need_torch(what: str = "training") -> None:
    """Raise `MissingExtraError` if PyTorch is not installed; the message says how to install it."""
    if find_spec("torch") is None:
        raise MissingExtraError(what, "learn", "torch")
    # Read when torch is imported: threads of the learner that wait leave their core to actors.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def about(settings: RunSettings, trainer: Trainer) -> About:
    """What the checkpoints of a run belong to."""
    return About(
        settings.environment,
        trainer.players[0].agent.simulator.actions,
        tuple(trainer.input_format.shape),
        {
            **plain(trainer.config.describe()),
            "options": dict(settings.options),
            **({"actors": settings.actors} if settings.actors > 1 else {}),
        },
    )


def begin(
    folder: Path,
    settings: RunSettings,
    listener: TrainingListener | None = None,
    command: list[str] | None = None,
    options: ActorOptions | None = None,
) -> TrainingRun:
    """Begin a run in a new folder.

    Args:
        folder: the run folder; it is empty or does not exist.
        settings: the settings of the run.
        listener: is called as the run proceeds.
        command: the command that `config.json` records; by default that of this process.
        options: where actors run; by default in processes of this machine.

    Returns:
        The run, ready to start. Its folder is open: `run.folder.close()` releases it.

    Raises:
        UsageError: the folder is not empty, or a setting does not fit. Nothing was written.
        MissingExtraError: PyTorch is not installed.

    Example:
        >>> begin(Path("runs/small"), RunSettings("corridor", 1_000)).run()
    """
    need_torch()
    listener = listener or TrainingListener()
    configuration = configure(settings)
    note = note_on_choice(settings, configuration)
    settings = replace(settings, algorithm=configuration.planning.algorithm)
    trainer = _trainer(settings, configuration, options=options)
    trainer.try_out(make_simulator(settings))
    config = {
        "kind": "training",
        "label": label(settings, configuration),
        **_origin(settings.describe(), command),
        "configuration": plain(configuration.describe()),
    }
    checkpoints = Checkpoints(folder, about(settings, trainer))
    opened = TrainingFolder.create(folder, config)
    try:
        checkpoints.prepare()
        if note:  # a call that is refused prints nothing else
            listener.chosen(note)
        return _run(opened, checkpoints, trainer, settings, listener, options=options)
    except BaseException:
        opened.close()
        raise


def _origin(settings: Mapping[str, Any], command: list[str] | None = None) -> dict[str, Any]:
    """How a run is made by this program, with the packages that its results depend on."""
    origin = describe_run(settings, command or ["widthwise", *sys.argv[1:]])
    origin["versions"] |= {name: number for name in ("torch", "gymnasium", "ale-py") if (number := _version(name))}
    return origin


def read_settings(folder: Path) -> tuple[dict[str, Any], RunSettings]:
    """The `config.json` of a run with today's keys, and its settings; raises `InputError` if they cannot be read.

    Nothing is created from them yet, and no code that they name is imported.
    """
    config = read_config(folder)
    path = folder / CONFIG
    try:
        config = upgrade_config(config)
        run_shapes.RESUMED(config, "")
        return config, RunSettings.of(config["settings"])
    except UsageError as error:
        raise InputError(f"{path}: {error}") from None
    except Mismatch as error:
        raise InputError(f"{path}: {error}; restore the file from a copy") from None


def read_configuration(folder: Path, config: Mapping[str, Any]) -> Configuration:
    """The configuration that a folder holds; raises `InputError` if it cannot be read."""
    from widthwise.training.configuration import Configuration

    try:
        return Configuration.read(config["configuration"])
    except (UsageError, TypeError, ValueError) as error:
        raise InputError(f"{folder / CONFIG}: configuration: {error}") from None


def refuse_changes(folder: Path, given: Mapping[str, Any]) -> None:
    """Raise `UsageError` if a setting differs from that of the run in a folder; only `interactions` may grow."""
    before = read_settings(folder)[1]
    recorded = before.describe()
    if "options" in given:
        given = {**given, "options": _options_of(before, given["options"])}
    given = {**given, "overrides": plain_overrides(given["overrides"])} if "overrides" in given else given
    for name, value in given.items():
        if name != "interactions" and plain(value) != recorded[name]:
            raise UsageError(
                f"{folder} was started with {name} {setting(recorded[name])}; it cannot continue with {setting(value)}"
            )


def _options_of(before: RunSettings, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an environment that a user means: those of a run, if that was begun with those given.

    A preset may have added none when the run was begun, or all that it has.
    """
    complete = complete_options(before.preset, before.environment, given)
    every = {**preset_options(before.preset, before.environment), **given}
    recorded = dict(before.options)
    return recorded if plain(recorded) in (plain(given), plain(every)) else complete


def resume(
    folder: Path,
    listener: TrainingListener | None = None,
    interactions: int | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    trust: bool = False,
    make: Callable[[], Simulator] | None = None,
    options: ActorOptions | None = None,
) -> TrainingRun:
    """Continue a run from its newest checkpoint.

    Args:
        folder: the run folder. It is data: its contents are checked, and code that it names is not imported unless
            `given` names it as well.
        listener: is called as the run proceeds.
        interactions: the interactions at which the run ends; not fewer than before.
        given: settings of the run that the caller gives explicitly, such as `{"environment": "my_module:make"}`.
        trust: whether to import whatever code the folder names, and to accept checkpoints of any size.
        make: makes a simulator of an environment that was given in Python.
        options: where actors run; by default in processes of this machine.

    Returns:
        The run, ready to continue. Its folder is open: `run.folder.close()` releases it.

    Raises:
        UsageError: the folder names code that `given` does not name, or another process is writing this run.
        InputError: something in the folder cannot be read; nothing was changed.

    Example:
        >>> resume(Path("runs/small"), interactions=2_000).run()
    """
    need_torch()
    listener = listener or TrainingListener()
    config, settings = read_settings(folder)
    require_trust(
        folder, named_code(config), given or {}, trust=trust, remedy=resume_call(folder, settings.environment)
    )
    settings = replace(settings, make=make)
    if interactions is not None and interactions != settings.interactions:
        if interactions < settings.interactions:
            raise UsageError(
                f"{folder} was started with {counted(settings.interactions, 'interaction')}; "
                "the number can only be increased"
            )
        settings = replace(settings, interactions=interactions, evaluate_every=settings.interval)
    config["settings"] |= settings.describe()
    trainer = trainer_of(folder, settings, read_configuration(folder, config), options=options)
    checkpoints = Checkpoints(folder, about(settings, trainer))
    limits = None if trust else limits_for(trainer)
    newest = checkpoints.load(listener.say, limits) if any(checkpoints.folder.glob("*.ckpt")) else None
    if newest is not None:
        newest.refuse_other(checkpoints.about, to_continue=True)
    opened = TrainingFolder.resume(folder)
    try:
        checkpoints.prepare()
        run = _run(opened, checkpoints, trainer, settings, listener, options=options)
        if newest is not None:
            run.resume(newest)
            for note in notes_on_version("training", newest.about["widthwise"]):
                listener.say(note)
        else:
            listener.say(f"{folder}: the run was stopped before its first checkpoint, so it starts from the beginning")
            opened.cut({EPISODES: 0, EVALUATIONS: 0})
        write_json(folder / CONFIG, with_version(config, _origin(config["settings"]), trainer.interactions))
    except BaseException:
        opened.close()
        raise
    return run


def named_code(config: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a configuration file from which something is made, so that it may name code."""
    return {**config["settings"], "configuration": config["configuration"]}


def trainer_of(
    folder: Path,
    settings: RunSettings,
    configuration: Configuration,
    chance: str | None = None,
    options: ActorOptions | None = None,
) -> Trainer:
    """The trainer of a run in a folder; raises `InputError` if none can be made from its settings."""
    path = folder / CONFIG
    try:
        return _trainer(settings, configuration, chance, options)
    except WidthwiseError as error:
        if type(error) is UsageError:  # of the folder, not of the call
            raise InputError(f"{path}: {error}") from None
        raise
    except MemoryError:
        raise InputError(f"{path}: its settings need more memory than this machine has") from None
    except (TypeError, ValueError, ArithmeticError, LookupError, RuntimeError) as error:
        if names_code(settings.environment):
            raise  # from the user's own code: its traceback is more informative
        raise InputError(f"{path}: no trainer can be made from its settings ({error})") from None


def limits_for(trainer: Trainer) -> PackedLimits:
    """The most that a checkpoint of a run may hold: network, replay memory, trees and archive, and as much again."""
    config, machine = trainer.config, PackedLimits.of_machine()
    weights = sum(tensor.numel() * tensor.element_size() for tensor in trainer.updater.network.state_dict().values())
    row = trainer.input_format.buffer(1).nbytes
    # The last episode stays in the memory however long it is.
    rows = 4 * config.learning.replay + 10_000
    if config.learning.tree_targets:
        rows += TREE_CAPACITY * config.learning.replay
    nodes = len(trainer.slots()) * config.planning.nodes
    arrays = (64 << 20) + 4 * weights + rows * (row + 256) + nodes * 8192
    if config.learning.archive:
        from widthwise.training.demonstration import archive_bytes

        arrays += 2 * archive_bytes(config.learning.archive)
    return PackedLimits(min(arrays, machine.arrays), min((32 << 20) + nodes * 4096, machine.description))


def clear_unfinished(folder: Path) -> None:
    """Remove the files of a run that was killed before its settings were written, and nothing else."""
    ours = {".lock", EPISODES, EVALUATIONS, f"{CONFIG}.part"}
    if folder.is_dir() and {path.name for path in folder.iterdir()} <= ours:
        shutil.rmtree(folder)


def _trainer(
    settings: RunSettings,
    configuration: Configuration,
    chance: str | None = None,
    options: ActorOptions | None = None,
) -> Trainer:
    from widthwise.simulators.chance import check_mode
    from widthwise.training.actors_trainer import ActorsTrainer
    from widthwise.training.free_running import FreeRunningTrainer
    from widthwise.training.trainer import Trainer

    def make() -> Simulator:
        return make_simulator(settings)

    mode = check_mode(chance or settings.chance)
    if settings.asynchronous:
        return FreeRunningTrainer(make, configuration, mode, settings, options)
    if settings.actors > 1:
        return ActorsTrainer(make, configuration, mode, settings, options)
    options = options or ActorOptions()
    return Trainer(make, configuration, mode, device=options.device, threads=options.threads)


def _run(
    folder: TrainingFolder,
    checkpoints: Checkpoints,
    trainer: Trainer,
    settings: RunSettings,
    listener: TrainingListener,
    *,
    options: ActorOptions | None,
) -> TrainingRun:
    from widthwise.training.evaluation_beside import EvaluationBeside
    from widthwise.training.recording_trainer import RecordingTrainer

    schedule = RunSchedule(settings.interactions, settings.interval, evaluation_share=settings.evaluation_share)
    recording = RecordingTrainer(trainer, settings, make_simulator(settings))
    beside = EvaluationBeside(trainer, settings, options)
    return TrainingRun(folder, checkpoints, recording, schedule, listener, beside=beside)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
