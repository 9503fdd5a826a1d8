"""The loop of planning and learning: every tree executes an action, then the network is trained.

K trees are advanced in lock-step, so that the network sees all their new nodes in one batch. A round is one executed
action of every tree, followed by `updates` updates per action. Between two rounds nothing is under way: that is where
a run can be saved. With one tree this is the paper's sequential algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import torch

from widthwise.core.budget import Budget
from widthwise.core.driver import Evaluation
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.learning.algorithms import Algorithm, algorithm
from widthwise.learning.clocks import Clocks, Timed, now
from widthwise.learning.learner import Learner, Learning, Losses
from widthwise.learning.losses import monte_carlo_returns
from widthwise.learning.network import Network
from widthwise.learning.replay import Played, Replay
from widthwise.learning.sight import Array, Sight
from widthwise.learning.support import Support
from widthwise.online.acting import OnlinePlanner, StepRecord

Waiting = Generator[Step, Evaluation, Any]


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a run except the environment."""

    algorithm: Algorithm = field(default_factory=Algorithm)
    learning: Learning = field(default_factory=Learning)
    support: Support | None = None  # of the value; None: what fits the environment
    trees: int = 1
    refresh: bool = False  # evaluate the kept tree anew after every update
    seed: int = 0

    def describe(self) -> dict[str, Any]:
        """The settings as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Ended:
    """A training episode that has come to its end."""

    episode: int
    tree: int
    score: float
    steps: int
    interactions: int  # of this episode
    total_interactions: int  # of the run, when it ended
    updates: int
    losses: Losses | None  # of the last update


class Player:
    """One tree: the agent that grows it, and what its episode has shown so far."""

    def __init__(self, agent: OnlinePlanner) -> None:
        self.agent = agent
        self.episode = -1
        self.observations: list[tuple[Array, ...]] = []
        self.targets: list[list[float]] = []

    def begin(self, episode: int, seed: int) -> Waiting:
        """Begin an episode."""
        self.episode, self.observations, self.targets = episode, [], []
        return self.agent.begin(seed)

    def act(self, sight: Sight) -> Generator[Step, Evaluation, StepRecord]:
        """Execute an action, and remember what there is to learn from it."""
        tree = self.agent.driver.tree
        seen = sight.parts(tree.observation[tree.root])
        record = yield from self.agent.act()
        self.observations.append(seen)
        self.targets.append(record.target)
        return record

    def played(self, discount: float) -> Played:
        """The episode as something to learn from."""
        returns = monte_carlo_returns(self.agent.episode.rewards, discount)
        return Played(self.observations, np.array(self.targets, np.float32), np.array(returns, np.float32))


class Trainer:
    """Learns in an environment; `make` makes as many simulators of it as there are trees."""

    def __init__(self, make: Callable[[], Simulator], config: Config) -> None:
        torch.set_num_threads(1)
        if config.trees < 1:
            raise UsageError(f"there is at least 1 tree, not {config.trees}")
        self.config = config
        self.clocks = Clocks()
        simulators = [make() for _ in range(config.trees)]
        first = simulators[0]
        sight = Sight.of(first.reset(config.seed).observation, states(first))
        self.support = config.support or support_for(first)
        network = Network(sight, first.actions, self.support, config.seed, config.learning.momentum)
        self.sight = sight
        self.learner = Learner(network, config.learning)
        self.replay = Replay(sight, config.learning.replay, config.learning.batch, config.seed)
        self.players = [Player(self.agent(Timed(one, self.clocks))) for one in simulators]
        self.episodes = 0  # begun
        self.interactions = 0
        self.actions = 0  # executed
        self.losses: Losses | None = None
        self._known: dict[int, tuple[Any, Evaluation]] = {}

    def agent(self, simulator: Any) -> OnlinePlanner:
        """An agent of the algorithm that is trained here, asking this trainer's network."""
        chosen = self.config.algorithm
        return OnlinePlanner(
            simulator,
            chosen.planner(),
            budget=Budget(steps=chosen.interactions, nodes=chosen.nodes),
            evaluate=self.evaluate,
            discount=chosen.discount,
            behaviour=chosen.acts_by(),
            target_temperature=chosen.target_temperature,
            keep_records=False,
        )

    def round(self) -> list[Ended]:
        """One executed action of every tree, then training; returns the episodes that ended."""
        begun = now()
        fresh = [one for one in self.players if one.episode < 0 or one.agent.over]
        self.together([one.begin(*self.next_episode()) for one in fresh])
        before = [one.agent.driver.steps for one in self.players]
        self.together([one.act(self.sight) for one in self.players])
        self.interactions += sum(one.agent.driver.steps for one in self.players) - sum(before)
        self.actions += len(self.players)
        ended = [self.end(number) for number, one in enumerate(self.players) if one.agent.over]
        self.learn(self.config.learning.updates * len(self.players))
        self.clocks.total += now() - begun
        return ended

    def next_episode(self) -> tuple[int, int]:
        """The number and the seed of the next episode."""
        self.episodes += 1
        return self.episodes - 1, self.config.seed * 1_000_003 + self.episodes

    def together(self, waiting: Sequence[Waiting]) -> None:
        """Advance coroutines in lock-step until all are done: the nodes they generate are evaluated together."""
        asked: list[tuple[Waiting, Step]] = []
        for one in waiting:
            self._advance(one, None, asked)
        while asked:
            steps, now_asked = [step for _, step in asked], asked
            asked = []
            for (one, _), evaluation in zip(now_asked, self.evaluate(steps), strict=True):
                self._advance(one, evaluation, asked)

    @staticmethod
    def _advance(one: Waiting, evaluation: Evaluation | None, asked: list[tuple[Waiting, Step]]) -> None:
        try:
            asked.append((one, next(one) if evaluation is None else one.send(evaluation)))
        except StopIteration:
            pass

    def evaluate(self, steps: Sequence[Step]) -> list[Evaluation]:
        """What the network says of nodes; an observation that was evaluated in this round already is not again."""
        begun = now()
        known = self._known
        new: dict[int, Any] = {}
        for step in steps:
            seen = step.observation
            if id(seen) not in known:
                new[id(seen)] = seen
        if new:
            for (key, seen), found in zip(new.items(), self.learner.inference(list(new.values())), strict=True):
                known[key] = seen, self.parts(found)  # the observation stays alive, so its id stays its own
        evaluations = [known[id(step.observation)][1] for step in steps]
        self.clocks.network += now() - begun
        return evaluations

    def parts(self, found: Evaluation) -> Evaluation:
        """What the algorithm uses of an evaluation."""
        parts = self.config.algorithm
        return replace(
            found,
            features=found.features if parts.dynamic else None,
            prior=found.prior if parts.guided else None,
            value=found.value if parts.value else None,
        )

    def end(self, number: int) -> Ended:
        """Remember an episode that is over."""
        player = self.players[number]
        self.replay.add(player.played(self.config.algorithm.discount))
        episode = player.agent.episode
        return Ended(
            player.episode,
            number,
            episode.score,
            episode.steps,
            episode.interactions,
            self.interactions,
            self.learner.updates,
            self.losses,
        )

    def learn(self, updates: int) -> None:
        """Train the network, once there is something to learn from."""
        begun = now()
        if len(self.replay):
            for _ in range(updates):
                self.losses = self.learner.learn(self.replay)
            self.learner.publish()
        self._known.clear()
        self.clocks.training += now() - begun


def states(simulator: Any) -> int:
    """How many states there are where an observation is the number of one."""
    space = getattr(getattr(simulator, "env", None), "observation_space", None)
    return int(space.n) if type(space).__name__ == "Discrete" else 0


def support_for(simulator: Simulator) -> Support:
    """A support that fits the rewards: ±1 in mazes; elsewhere rescaled as in MuZero, for scores of any size."""
    from widthwise.simulators.maze import Maze

    return Support(-1.0, 1.0, 51) if isinstance(simulator, Maze) else Support(-100.0, 100.0, 201, rescaled=True)


def trainer_for(env: str, name: str = "pi-hiw", config: Config | None = None, **settings: Any) -> Trainer:
    """A trainer for an environment by name."""
    from widthwise.simulators.names import simulator

    first = simulator(env)
    config = replace(config or Config(), algorithm=algorithm(name, first, **settings))
    return Trainer(lambda: simulator(env), config)
