"""Acting with what a run has learned: the planner guided by the network, or the network alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.core import shape
from widthwise.core.errors import InputError, UsageError
from widthwise.core.showing import setting
from widthwise.core.simulator import Simulator, Step
from widthwise.online.acting import OnlinePlanner
from widthwise.online.choice import chosen_record
from widthwise.online.episode import StepRecord
from widthwise.online.values import look_ahead
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.hiw import SimulatorHierarchy
from widthwise.simulators.chance import check_mode
from widthwise.training.checkpoint import BEST, FOLDER, makes_sense, read_checkpoint
from widthwise.training.checkpoint_shape import check_learner
from widthwise.training.configure import make_simulator
from widthwise.training.evaluation import TEMPERATURE, sharpened
from widthwise.training.launch import (
    about,
    limits_for,
    named_code,
    need_torch,
    read_configuration,
    read_settings,
    trainer_of,
)
from widthwise.training.simulator_facts import input_format_of
from widthwise.training.trust import require_trust

if TYPE_CHECKING:
    from widthwise.training.run_settings import RunSettings
    from widthwise.training.trainer import Trainer


class NetworkAlone(OnlinePlanner):
    """An agent that never searches: it draws each action from the network's policy."""

    def plan(self, hierarchy: SimulatorHierarchy) -> Generator[Step, Evaluation, None]:
        """Nothing is tried before an action is chosen."""
        yield from ()

    def choose(self, rng: random.Random) -> StepRecord:
        """An action by the network's policy, sharpened."""
        tree = self.driver.tree
        prior = tree.prior[tree.root]
        assert prior is not None
        policy = sharpened(prior, TEMPERATURE)
        action = rng.choices(range(len(policy)), policy)[0]
        return chosen_record(tree, action, look_ahead(tree, self.discount), policy, list(prior))


def learned_agent(
    run: Path,
    environment: str | None,
    options: dict[str, Any] | None = None,
    *,
    network_only: bool,
    chance: str | None = None,
    trust: bool = False,
    make: Callable[[], Simulator] | None = None,
) -> OnlinePlanner:
    """An agent with the best policy of a run.

    Args:
        run: the run folder. It is data: code that its settings name is not imported unless `environment` or `options`
            name it as well.
        environment: the environment to act in, by its name; a run in another one is refused. None: that of the run.
        options: options of the environment; those that are not given are those of the run. The network alone may act
            with other options, such as sticky actions, as long as observations and actions stay the same.
        network_only: whether the network acts without search.
        chance: what to do where steps depend on chance; by default what the run was trained with.
        trust: whether to import whatever code the folder names.
        make: makes a simulator of an environment that was given in Python.

    Returns:
        The agent.

    Raises:
        UsageError: the run was made in another environment or with other options, or names code that was not repeated.
        InputError: something in the folder makes no sense.
    """
    need_torch("a learned policy")

    config, settings = read_settings(run)
    settings = replace(settings, make=make)
    if environment is not None and environment != settings.environment:
        raise UsageError(f"{run} was trained in {settings.environment}, not in {environment}")
    if options and {**settings.options, **options} != dict(settings.options) and not network_only:
        raise UsageError(_other_options(run, settings, options), command="act with the network alone: --network-only")
    given = {"environment": environment, "options": options or {}}
    require_trust(run, named_code(config), given, trust=trust, remedy="--option NAME=VALUE")
    mode = "foresee" if network_only else check_mode(chance or settings.chance)  # the network alone plans nothing
    trainer: Trainer = trainer_of(run, settings, read_configuration(run, config), mode)
    path = run / FOLDER / BEST
    if not path.exists():
        raise InputError(f"{path}: there is no policy yet; the first is kept after the first evaluation")
    checkpoint = read_checkpoint(path, None if trust else limits_for(trainer))
    checkpoint.refuse_other(about(settings, trainer), to_continue=False)
    with makes_sense(checkpoint.path):
        shape.fields({"policy": shape.anything})(checkpoint.data, "data")
        check_learner(checkpoint.data["policy"], trainer, "policy")
        trainer.updater.restore(checkpoint.data["policy"])
    if network_only:
        world = make_simulator(replace(settings, options={**settings.options, **(options or {})}))
        trained = (trainer.players[0].agent.simulator.actions, trainer.input_format.shape)
        if (world.actions, input_format_of(world, trainer.config).shape) != trained:
            raise UsageError(f"{_other_options(run, settings, options or {})}: other observations or actions")
        agent = _alone(trainer, world)
    else:
        agent = trainer.agent(make_simulator(settings))
    agent.keep_records = agent.keep_subtree = True
    return agent


def _other_options(run: Path, settings: RunSettings, options: dict[str, Any]) -> str:
    trained, these = setting(settings.options), setting(options)
    return f"{run} was trained with other options of the environment ({trained}) than these ({these})"


def _alone(trainer: Trainer, simulator: Simulator) -> OnlinePlanner:
    inference = trainer.updater.inference
    return NetworkAlone(
        simulator,
        trainer.config.planning.planner(),
        evaluate=lambda steps: inference([step.observation for step in steps]),
        discount=trainer.config.planning.discount,
        chance="foresee",
    )
