"""One of the trees that a trainer advances: its agent, and what the episode in hand has shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from widthwise.core.simulator import Step
from widthwise.learning.input_format import Array, InputFormat
from widthwise.learning.learning_settings import LearningSettings
from widthwise.learning.losses import monte_carlo_returns
from widthwise.learning.replay_memory import EpisodeData
from widthwise.online.acting import OnlinePlanner
from widthwise.online.capture import capture, resume
from widthwise.online.episode import Episode, StepRecord
from widthwise.online.start import Start
from widthwise.online.tree_samples import TreeSample, tree_samples
from widthwise.online.values import LookAhead, leaf_value
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.rarity import Rarity
from widthwise.simulator_search.tree import NONE, Tree
from widthwise.training.rewards import steps_to_last_reward

Waiting = Generator[Step, Evaluation, Any]


class Player:
    """One tree: the agent that grows it, and what its episode has shown so far."""

    def __init__(self, agent: OnlinePlanner, learning: LearningSettings | None = None) -> None:
        self.agent = agent
        self.learning = learning or LearningSettings()
        self.episode = -1
        self.seed = 0  # of the reset
        self.start = 0  # actions before the state at which the episode begins
        self.observations: list[tuple[Array, ...]] = []
        self.targets: list[list[float]] = []
        self.lost: list[bool] = []  # whether an action has lost a life
        self.delivered = 0  # actions that were handed over to be learned from
        self._parts: list[EpisodeData] = []
        self._samples: list[TreeSample] = []
        self.rarity: Rarity | None = None
        self._entered: bytes | None = None  # the high-level state of the root
        if self.learning.tree_targets:
            agent.recorder = self._sample
        if self.learning.rare_bonus:
            self.rarity = agent.driver.rarity = Rarity(self.learning.rare_bonus)

    def begin(self, episode: int, seed: int, start: Start | None = None) -> Waiting:
        """Begin an episode, at its reset or at another start; nothing is learned from the actions that lead there."""
        self.episode, self.seed = episode, seed if start is None else start.seed
        self.observations, self.targets, self.lost, self.delivered = [], [], [], 0
        yield from self.agent.begin(seed, start)
        self.start = self.agent.episode.steps
        self._count(None)

    def _count(self, before: bytes | None) -> None:
        """Count the high-level state of the root, if an action has entered it and such states are counted."""
        if self.rarity is not None and not self.agent.guidance.over:
            self._entered = self.rarity.enter(self.agent.driver.tree, before)

    def act(self, input_format: InputFormat, least: int = 0) -> Waiting:
        """Execute an action, and others until this many interactions were made; store what there is to learn from."""
        enough = self.agent.driver.steps + least
        while True:
            tree = self.agent.driver.tree
            self.observations.append(input_format.parts(tree.observation[tree.root]))
            record = yield from self.agent.act()
            self.targets.append(record.target)
            self.lost.append(tree.root in tree.lost)
            self._count(self._entered)
            if self.learning.segment and len(self.targets) - self.delivered > self.learning.segment:
                self._deliver(record.look_ahead)
            if self.agent.over or self.agent.driver.steps >= enough:
                return

    def _deliver(self, ahead: LookAhead) -> None:
        """Hand over the actions before the last one; `ahead` is what was seen of the future when that was chosen."""
        end = len(self.targets) - 1
        known = [value for value in ahead.returns if value is not None]
        self._parts.append(self._part(end, max(known, default=ahead.value)))
        self.delivered = end

    def _sample(self, tree: Tree, record: StepRecord) -> None:
        """Take samples from the nodes that leave the tree with an action."""
        agent = self.agent
        kept = NONE if agent.luck.fresh else tree.nodes.children[tree.root][record.action]
        leaf = leaf_value(tree, agent.discount)
        self._samples += tree_samples(
            tree, kept, self.learning.tree_targets, discount=agent.discount, doubted=agent.doubted, leaf=leaf
        )

    def parts(self) -> list[EpisodeData]:
        """The parts of the episode in hand that can be learned from and were not handed over yet."""
        parts, self._parts = self._parts, []
        return parts

    def samples(self, input_format: InputFormat) -> EpisodeData | None:
        """The samples from nodes of the tree that were not handed over yet."""
        samples, self._samples = self._samples, []
        if not samples:
            return None
        return EpisodeData(
            [input_format.parts(sample.observation) for sample in samples],
            np.array([self.agent.target(sample.look_ahead) for sample in samples], np.float32),
            np.array([sample.worth for sample in samples], np.float32),
        )

    def state(self) -> dict[str, Any]:
        """The episode so far as plain data; nothing is left of one that is over."""
        state: dict[str, Any] = {"episode": self.episode}
        if self.rarity is not None:
            state["visits"] = [[features, count] for features, count in sorted(self.rarity.visits.items())]
        if self.episode < 0 or self.agent.over:
            return state
        state |= {"targets": list(self.targets), "agent": capture(self.agent, self.seed)}
        delivered = {"delivered": self.delivered} if self.learning.segment else {}
        return state | delivered | ({"start": self.start} if self.start else {})

    def restore(self, state: dict[str, Any], input_format: InputFormat) -> None:
        """Return to a state."""
        self.episode = state["episode"]
        self.agent.episode = Episode(terminated=True)
        self._parts, self._samples = [], []
        if self.rarity is not None:
            self.rarity.visits = Counter(dict(state.get("visits", ())))
        if "agent" in state:
            self.seed = state["agent"]["seed"]
            seen = resume(self.agent, state["agent"])
            self.start = state.get("start", 0)
            own = seen[self.start :]
            self.observations = [input_format.parts(step.observation) for step in own[:-1]]
            self.targets = [list(target) for target in state["targets"]]
            self.lost = lives_lost(own)
            self.delivered = state.get("delivered", 0)
            if self.rarity is not None and not self.agent.guidance.over:
                self._entered = self.rarity.state(self.agent.driver.tree)

    def played(self) -> EpisodeData:
        """What there is to learn from at the end of an episode: all of it, or what follows the last part.

        With `self_imitation` the actions after the last positive reward are left out: they may not have been good. An
        episode without any is whole.
        """
        end = len(self.targets)
        if self.learning.self_imitation:
            end = steps_to_last_reward(self._rewards()) or end
        return self._part(end, 0.0)

    def _rewards(self) -> list[float]:
        """The rewards since the start."""
        return self.agent.episode.rewards[self.start :]

    def _part(self, end: int, after: float) -> EpisodeData:
        """The actions from the last part to `end` as something to learn from; `after` is the return that follows."""
        agent, rows = self.agent, slice(self.delivered, end)
        rules, rewards = agent.rules, self._rewards()[rows]
        counted = [
            rules.counted(reward) - rules.life_penalty * lost
            for reward, lost in zip(rewards, self.lost[rows], strict=True)
        ]
        returns = monte_carlo_returns(counted, agent.discount, after)
        return EpisodeData(
            self.observations[rows], np.array(self.targets[rows], np.float32), np.array(returns, np.float32)
        )


def lives_lost(seen: Sequence[Step]) -> list[bool]:
    """For each step after the first whether it has lost a life."""
    lives = [step.info.get("lives") for step in seen]
    return [before is not None and now is not None and now < before for before, now in pairwise(lives)]
