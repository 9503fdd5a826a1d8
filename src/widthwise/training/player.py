"""One of the trees that a trainer advances: its agent, and what the episode in hand has shown."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from widthwise.core.simulator import Step
from widthwise.learning.input_format import Array, InputFormat
from widthwise.learning.losses import monte_carlo_returns
from widthwise.learning.replay_memory import EpisodeData
from widthwise.online.acting import OnlinePlanner
from widthwise.online.capture import capture, resume
from widthwise.online.episode import Episode
from widthwise.simulator_search.driver import Evaluation

Waiting = Generator[Step, Evaluation, Any]


class Player:
    """One tree: the agent that grows it, and what its episode has shown so far."""

    def __init__(self, agent: OnlinePlanner) -> None:
        self.agent = agent
        self.episode = -1
        self.seed = 0
        self.observations: list[tuple[Array, ...]] = []
        self.targets: list[list[float]] = []

    def begin(self, episode: int, seed: int) -> Waiting:
        """Begin an episode."""
        self.episode, self.seed, self.observations, self.targets = episode, seed, [], []
        return self.agent.begin(seed)

    def act(self, input_format: InputFormat, least: int = 0) -> Waiting:
        """Execute an action, and others until so many interactions were made; remember what there is to learn from."""
        tree, enough = self.agent.driver.tree, self.agent.driver.steps + least
        while True:
            self.observations.append(input_format.parts(tree.observation[tree.root]))
            record = yield from self.agent.act()
            self.targets.append(record.target)
            if self.agent.over or self.agent.driver.steps >= enough:
                return

    def state(self) -> dict[str, Any]:
        """The episode so far as plain data; nothing is left of one that is over."""
        if self.episode < 0 or self.agent.over:
            return {"episode": self.episode}
        return {"episode": self.episode, "targets": list(self.targets), "agent": capture(self.agent, self.seed)}

    def restore(self, state: dict[str, Any], input_format: InputFormat) -> None:
        """Return to a state."""
        self.episode = state["episode"]
        self.agent.episode = Episode(terminated=True)
        if "agent" in state:
            self.seed = state["agent"]["seed"]
            seen = resume(self.agent, state["agent"])
            self.observations = [input_format.parts(step.observation) for step in seen[:-1]]
            self.targets = [list(target) for target in state["targets"]]

    def played(self, discount: float) -> EpisodeData:
        """The episode as something to learn from."""
        returns = monte_carlo_returns(self.agent.episode.rewards, discount)
        return EpisodeData(self.observations, np.array(self.targets, np.float32), np.array(returns, np.float32))
