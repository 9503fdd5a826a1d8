"""A learned policy: loaded from a run folder, it acts with the planner or with the network alone."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.files import cannot_write
from widthwise.core.run_folder import CONFIG, refuse_existing
from widthwise.core.simulator import Step
from widthwise.online.acting import OnlinePlanner
from widthwise.online.episode import Episode
from widthwise.training.batches import rows_of
from widthwise.training.checkpoint import BEST, FOLDER
from widthwise.training.environment import named_environment
from widthwise.training.evaluation import TEMPERATURE, sharpened
from widthwise.training.launch import read_settings
from widthwise.training.learned_agent import learned_agent


class Policy:
    """The best policy of a training run.

    Args:
        folder: The run folder, or a folder that `save` wrote. It is data: code that it names is not imported unless
            `environment` names it or `trust` is set.
        environment: The environment, in any form that `train` takes. Needed only if `train` was not given a name, or
            if the name is `module:attribute`.
        chance: What to do if steps depend on chance; by default as in training.
        trust: Import the code that the folder names.

    Raises:
        UsageError: The policy was trained in another environment, or the folder names code that was not repeated.
        InputError: The folder cannot be read, or has no policy yet.
        MissingExtraError: PyTorch is not installed.

    Example:
        >>> result = ww.train("corridor", 300, out="runs/policy", planner_episodes=0)  # needs torch
        >>> policy = ww.Policy("runs/policy")
        >>> step = ww.simulator("corridor").reset(seed=0)
        >>> round(sum(policy.probabilities(step)), 3), policy.act(step) in range(5)
        (1.0, True)
    """

    def __init__(
        self, folder: str | Path, environment: Any = None, *, chance: str | None = None, trust: bool = False
    ) -> None:
        self.folder = Path(folder)
        name, make = (None, None) if environment is None else named_environment(environment)
        self._arguments: dict[str, Any] = {"environment": name, "make": make, "chance": chance, "trust": trust}
        self._example: Any = None  # an observation of the environment
        self._rng = random.Random(0)
        self._agents: dict[bool, OnlinePlanner] = {}
        self.environment: str = read_settings(self.folder)[1].environment
        self.agent(network_only=True)  # refuses a folder without a policy now

    def __repr__(self) -> str:
        return f"<Policy for {self.environment} from {self.folder}>"

    @classmethod
    def load(
        cls, folder: str | Path, environment: Any = None, *, chance: str | None = None, trust: bool = False
    ) -> Policy:
        """Load the best policy of a run; the same as `Policy(folder, ...)`.

        Args:
            folder: The run folder, or a folder that `save` wrote.
            environment: The environment, if it was not given to `train` by a name.
            chance: What to do if steps depend on chance; by default as in training.
            trust: Import the code that the folder names.

        Returns:
            The policy.

        Raises:
            UsageError: The policy was trained in another environment, or the folder names code that was not repeated.
            InputError: The folder cannot be read, or has no policy yet.
        """
        return cls(folder, environment, chance=chance, trust=trust)

    def save(self, folder: str | Path) -> None:
        """Write the policy to a separate folder, without the rest of the run.

        Args:
            folder: A new folder, which `Policy.load` reads.

        Raises:
            UsageError: The folder is not empty.
            OutputError: The folder cannot be written.
        """
        target = Path(folder)
        refuse_existing(target, "give another folder")
        try:
            (target / FOLDER).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.folder / FOLDER / BEST, target / FOLDER / BEST)
            shutil.copyfile(self.folder / CONFIG, target / CONFIG)
        except OSError as error:
            raise cannot_write(target, error) from None

    def agent(self, *, network_only: bool = False) -> OnlinePlanner:
        """An agent that acts with the policy.

        Args:
            network_only: Act by the network alone, without search.

        Returns:
            The agent: the planner of the run guided by the network, or the network alone.
        """
        if network_only not in self._agents:
            self._agents[network_only] = learned_agent(self.folder, network_only=network_only, **self._arguments)
        return self._agents[network_only]

    def play(self, seed: int = 0, *, network_only: bool = False) -> Episode:
        """Play one episode.

        Args:
            seed: The seed of the environment and of the agent.
            network_only: Act by the network alone, without search.

        Returns:
            The episode.
        """
        return self.agent(network_only=network_only).run(seed)

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """The network's action for observations, as `predict` of Stable-Baselines3.

        The network alone acts, so any environment of the same kind can be stepped:
        `evaluate_policy(policy, env)`. For the planner that the network guides, use
        `agent = policy.agent()` and `evaluate_policy(agent, agent.env)`.

        Args:
            observation: An observation of the environment, or a batch of observations of a vectorised environment.
            state: Returned as it is.
            episode_start: Not used.
            deterministic: Take the most probable action instead of drawing one.

        Returns:
            An action of the action space, or a batch of actions, and `state`.

        Raises:
            UsageError: The form of the observation differs from that of the environment of the run.
        """
        import numpy as np

        agent = self.agent(network_only=True)
        assert agent.evaluate is not None
        if self._example is None:
            self._example = agent.simulator.reset(seed=0).observation
        single, observations = rows_of(observation, self._example)
        action_of = getattr(agent.simulator, "action_of", int)
        actions = []
        for evaluation in agent.evaluate([Step(seen) for seen in observations]):
            if evaluation.prior is None:
                raise UsageError("the network of this run has no policy")
            prior = sharpened(evaluation.prior, TEMPERATURE)
            choices = range(len(prior))
            number = max(choices, key=prior.__getitem__) if deterministic else self._rng.choices(choices, prior)[0]
            actions.append(action_of(number))
        return np.asarray(actions[0])[()] if single else np.asarray(actions), state

    def probabilities(self, step: Step) -> list[float]:
        """The probability that the network gives to each action.

        Args:
            step: What the simulator returned.

        Returns:
            A probability for each action.
        """
        evaluate = self.agent(network_only=True).evaluate
        assert evaluate is not None
        prior = evaluate([step])[0].prior
        if prior is None:
            raise UsageError("the network of this run has no policy")
        return [float(probability) for probability in prior]

    def act(self, step: Step) -> int:
        """The action with the highest probability.

        Args:
            step: What the simulator returned.

        Returns:
            The action.
        """
        probabilities = self.probabilities(step)
        return max(range(len(probabilities)), key=probabilities.__getitem__)
