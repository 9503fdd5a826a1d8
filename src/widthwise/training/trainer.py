"""The loop of planning and learning: every tree executes actions, then the network is trained.

K trees are advanced in lock-step, so that the network sees all their new nodes in one batch. A round is a few executed
actions of each, followed by `updates` updates per action. Between two rounds nothing is in progress: that is where
a run can be saved. With one tree a round is one action, and this is the paper's sequential algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import torch

from widthwise.core.errors import UsageError
from widthwise.core.showing import counted
from widthwise.core.simulator import Simulator, Step
from widthwise.learning.support import named_support
from widthwise.learning.updater import Losses, Updater
from widthwise.online.acting import OnlinePlanner
from widthwise.online.defaults import planning_defaults
from widthwise.online.lockstep import advance_together
from widthwise.online.start import Start
from widthwise.simulators.chance import Chance, Mode, check_chance, check_mode, refusal
from widthwise.training.clocks import Clocks, TimedSimulator, now
from widthwise.training.configuration import Configuration
from widthwise.training.demonstration import Demonstration
from widthwise.training.demonstration_setup import new_demonstration
from widthwise.training.ended_episode import EndedEpisode
from widthwise.training.evaluation import TEMPERATURE, EvaluationEpisode, play_network
from widthwise.training.learning_parts import new_memory, new_network, use_threads
from widthwise.training.node_evaluator import NodeEvaluator
from widthwise.training.player import Player, Waiting
from widthwise.training.rehearsal import repeats
from widthwise.training.rewards import total
from widthwise.training.simulator_facts import input_format_of, over_at_reset, random_walk, support_for
from widthwise.training.starts import Starts
from widthwise.training.training_agent import training_agent
from widthwise.training.transport import ActorLost

#: Where there are several trees, a round is as many actions of each as take this many times the interactions of one.
#: Some actions take all they may and others, with a tree that is full, hardly any: if the trees did one action each,
#: most of them would wait for a few, and the network would evaluate few nodes at a time.
TOGETHER = 2
#: Random steps from which the scale of numbers is computed where there is no calibration.
SCALING = 128


class Trainer:
    """Learns in an environment; `make` makes as many simulators of it as there are trees.

    `chance` is what to do where steps depend on chance, as for `OnlinePlanner`; the check is made once, and not at all
    where its `finding` is given. The network is trained on `device`, with this number of `threads` of torch.
    """

    def __init__(
        self,
        make: Callable[[], Simulator],
        config: Configuration,
        chance: Mode = "refuse",
        *,
        finding: Chance | None = None,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        torch.set_num_threads(threads)
        self.config, self.threads = config, threads
        self.clocks = Clocks()
        simulators = [make() for _ in range(self.simulators())]
        first = simulators[0]
        self.chance = check_mode(chance)
        self.finding = finding or check_chance(first, config.seed)
        if self.finding.stochastic and chance == "refuse":
            raise refusal(self.finding)
        input_format = input_format_of(first, config)
        self.defaults = planning_defaults(first, network=True)
        learning = config.learning
        self.support = config.support or named_support(learning.value_support) or support_for(first)
        self.input_format = input_format
        self.updater = Updater(new_network(config, input_format, first.actions, self.support), learning, device)
        self.replay = new_memory(config, input_format)
        self.evaluate = NodeEvaluator(self.updater.inference, config.planning, self.clocks)
        self.players = [
            Player(self.agent(TimedSimulator(simulator, self.clocks)), learning) for simulator in simulators
        ]
        self.demonstration: Demonstration | None = None
        if learning.archive and finding is None:  # actors have a finding, and leave the search to the learner
            self.demonstration = new_demonstration(make, config, self.clocks)
        self.episodes = 0  # begun
        self.interactions = 0
        self.actions = 0  # executed
        self.losses: Losses | None = None
        self.stop_asked = False  # by a signal to an actor
        self.scaled = finding is not None  # the numbers of observations; an actor gets the scale with the weights
        if not self.scaled:
            self.calibrate(config.seed)

    def simulators(self) -> int:
        """How many simulators there are: one for each tree that this process advances."""
        return self.config.trees

    def calibrate(self, seed: int) -> None:
        """Walk at random, and set scale and normalisation to what is seen; the steps count as interactions."""
        steps, simulator = self.config.learning.calibration, self.players[0].agent.driver.simulator
        encoding = self.input_format.encoding
        unscaled = encoding is not None and encoding.numeric and not self.scaled
        if not steps and not unscaled:
            return
        seen = random_walk(simulator, steps or SCALING, seed, self.config.seed)
        self.interactions += len(seen)
        if encoding is not None and unscaled:  # once: what is in the memory has this scale
            encoding.fit(seen)
            self.scaled = True
        if steps:
            buffer = self.input_format.buffer(steps)
            for row, observation in zip(buffer, seen, strict=True):
                self.input_format.write(self.input_format.parts(observation), row)
            self.updater.network.calibrate(torch.from_numpy(buffer))
        self.updater.publish()

    def slots(self) -> list[OnlinePlanner]:
        """An agent for each tree of the run."""
        return [player.agent for player in self.players]

    def settle(self) -> list[EndedEpisode]:
        """Make ready for `state`; the episodes that have ended with it. Here nothing is in progress between rounds."""
        return []

    def summary(self) -> dict[str, Any]:
        """For `result.json`: the demonstration, if there is one, and where the time went."""
        demonstration = {} if self.demonstration is None else self.demonstration.summary()
        return demonstration | {
            "time_seconds": {name: round(seconds, 3) for name, seconds in self.clocks.seconds().items()}
        }

    def figures(self) -> dict[str, float]:
        """The figures to show in addition to losses."""
        first = self.demonstration
        return {"demonstration": first.best_score()} if first is not None and first.under_way() else {}

    def recover(self, error: ActorLost) -> bool:
        """Replace an actor that was lost; whether the run has to go back to its last checkpoint."""
        raise error

    def close(self) -> None:
        """End what the trainer has started."""

    def agent(self, simulator: Any) -> OnlinePlanner:
        """An agent of the algorithm that is trained here, with this trainer's network."""
        return training_agent(
            simulator,
            self.config.planning,
            self.evaluate,
            defaults=self.defaults,
            chance=self.chance,
            finding=self.finding,
        )

    def try_out(self, simulator: Simulator) -> None:
        """Look at a first state as the agents will, so that features which do not fit are refused before training."""
        self.together([self.agent(simulator).begin(self.config.seed)])

    def preparing(self) -> bool:
        """Whether something comes before the first episode: the search for a demonstration, and updates on it."""
        return self.demonstration is not None and self.demonstration.under_way()

    def prepare(self) -> bool:
        """Continue the search for a demonstration, or the updates on it alone; returns whether there was work to do."""
        first = self.demonstration
        if first is None or not first.under_way():
            return False
        begun = now()
        if first.rehearsing():
            use_threads(self.threads)
            self.learn(first.updates())
            first.judge(self.repeats_demonstration)
        else:
            self.interactions += first.advance()
            accepted, steps = first.accept(self.input_format)
            self.interactions += steps
            if accepted:
                self.show_demonstration()
        self.clocks.total += now() - begun
        return True

    def repeats_demonstration(self) -> bool:
        """Whether the network repeats the demonstration."""
        shown = self.replay.demonstration
        assert shown is not None
        return repeats(self.updater.inference.policies(shown.observations), shown)

    def show_demonstration(self) -> None:
        """Let the network learn from the demonstration, if there is one."""
        assert self.demonstration is not None
        episode = self.demonstration.episode(self.input_format, self.config.planning.discount)
        if episode is not None:
            self.replay.demonstrate(episode)
            if self.rehearses_only():
                self.updater.network.demonstrated.fill_(len(episode))
                self.updater.publish()

    def round(self) -> list[EndedEpisode]:
        """One or, of several trees, a few executed actions of each, then training; returns the episodes that ended."""
        if self.prepare():
            return []
        begun = now()
        fresh = [player for player in self.players if player.episode < 0 or player.agent.over]
        if self.config.learning.patient and self.episodes and len(fresh) == len(self.players) and not self.ready():
            self.draw_anew()
        self.together([player.begin(*self.next_episode()) for player in fresh])
        for player in fresh:
            self.interactions += player.agent.driver.steps  # those that lead to a start
            if player.agent.over:
                raise over_at_reset(player.agent.driver.simulator.name, player.seed)
        # Before there is something to learn from, trees that begin together end together and then get other weights.
        waiting = self.config.learning.patient and not self.ready()
        least = 0 if waiting or len(self.players) == 1 else TOGETHER * self.config.planning.steps_per_action
        before = self.spent()
        self.together([player.act(self.input_format, least) for player in self.players])
        steps, actions = (more - less for more, less in zip(self.spent(), before, strict=True))
        self.interactions += steps
        self.actions += actions
        for player in self.players:
            self.take_parts(player)
        ended = [self.end(number) for number, player in enumerate(self.players) if player.agent.over]
        self.learn(self.earned(actions))
        if self.config.refresh:
            self.look_anew()
        self.clocks.total += now() - begun
        return ended

    def spent(self) -> tuple[int, int]:
        """Simulator steps and executed actions of the episodes in hand."""
        agents = [player.agent for player in self.players]
        return sum(agent.driver.steps for agent in agents), sum(agent.episode.steps for agent in agents)

    def earned(self, actions: int) -> int:
        """The updates that executed actions earn; none where a rehearsal is all that is learned."""
        learning = self.config.learning
        return 0 if self.rehearses_only() and learning.rehearsal else learning.updates * actions

    def draw_anew(self) -> None:
        """Take other first weights while there is nothing to learn from: the next episode looks for other features."""
        seed = self.episode_seed(self.episodes)
        self.updater.begin(seed)
        self.calibrate(seed)

    def next_episode(self) -> tuple[int, int, Start | None]:
        """The number and the seed of the next episode, and where it begins."""
        self.episodes += 1
        seed = self.episode_seed(self.episodes)
        starts, share = self.starts(), self.config.learning.start_share
        return self.episodes - 1, seed, None if starts is None else starts.draw(share, seed)

    def starts(self) -> Starts | None:
        """Where episodes may begin besides at a reset; None without a demonstration, or if chance leads elsewhere."""
        first = self.demonstration
        return None if first is None or self.chance == "reseed" else first.starts()

    def episode_seed(self, number: int) -> int:
        """Seeds that no other run has."""
        return self.config.seed * 1_000_003 + number

    def together(self, waiting: Sequence[Waiting]) -> None:
        """Advance coroutines in lock-step until all are done: the nodes they generate are evaluated together."""
        advance_together(waiting, self.evaluate)

    def take_parts(self, player: Player) -> None:
        """Remember what an episode in hand has already given to learn from."""
        samples = player.samples(self.input_format)
        if samples is not None:
            self.replay.add_nodes(samples)
        for part in player.parts():
            self.replay.add(part)

    def rehearses_only(self) -> bool:
        """Whether the demonstration is all that is learned from: with `self_imitation`, if there is one.

        Other episodes lead through states that the demonstration does not visit. What is learned there disturbs what
        was learned on the trajectory.
        """
        first = self.demonstration
        return self.config.learning.self_imitation and first is not None and bool(first.actions)

    def surpass(self, start: int, seed: int, rewards: Sequence[float], actions: Sequence[int]) -> None:
        """Compare an episode with the demonstration; with `self_imitation` a better one takes its place."""
        first, gain = self.demonstration, total(max(0.0, reward) for reward in rewards)
        if first is None:
            return
        first.judge_start(start, seed, rewards, actions)
        if not self.config.learning.self_imitation or self.finding.stochastic:
            return
        if first.surpassed(total(rewards), gain):
            first.replace(seed, rewards, actions)
            self.interactions += len(first.actions or ())
            self.replay.clear()
            self.show_demonstration()

    def end(self, number: int) -> EndedEpisode:
        """Remember an episode that is over."""
        player = self.players[number]
        episode = player.agent.episode
        self.surpass(player.start, player.seed, episode.rewards, episode.actions)
        if not self.rehearses_only():
            self.replay.add(player.played())
        return EndedEpisode(
            player.episode,
            number,
            episode.score,
            episode.steps,
            episode.interactions,
            self.interactions,
            self.updater.updates,
            self.losses,
            player.start,
        )

    def learn(self, updates: int) -> None:
        """Train the network, once there is something to learn from."""
        begun = now()
        if updates and self.ready():
            for following in range(updates - 1, -1, -1):
                self.losses = self.updater.learn(self.replay, following)
            self.updater.publish()
        self.clocks.training += now() - begun

    def ready(self) -> bool:
        """Whether there is something to learn from: an episode, and with `patient` one that was rewarded.

        Returns that are all 0 teach nothing, but every update moves the features, and what the tree has seen of the
        old ones makes states look new that are not: the search explores worse, and finds a reward later. That holds
        again when the last rewarded episode has left the memory.
        """
        return self.rewarded() if self.config.learning.patient else self.replay.usable()

    def rewarded(self) -> bool:
        """Whether there is a return other than 0 in the memory."""
        return self.replay.rewarded()

    def look_anew(self) -> None:
        """Evaluate the nodes that were kept with the network as it is now; their features, and so novelty, change."""
        for player in self.players:
            if player.episode < 0 or player.agent.over or not player.agent.evaluates:
                continue
            self.evaluate.look_anew(player.agent.driver.tree, guided=player.agent.driver.guided)
            player.agent.planning.begin_again()

    def policy(self, step: Step) -> list[float]:
        """The network's policy in a state."""
        prior = self.updater.inference([step.observation])[0].prior
        return list(prior or ())

    def evaluate_network(
        self, simulator: Simulator, episodes: int = 1, temperature: float = TEMPERATURE, seed: int = 0
    ) -> list[EvaluationEpisode]:
        """Episodes of the network alone, on a simulator that is not used for training; 0 is greedy."""
        return [play_network(simulator, self.policy, temperature, seed + number) for number in range(episodes)]

    def evaluate_planner(self, simulator: Simulator, episodes: int = 1, seed: int = 0) -> list[EvaluationEpisode]:
        """Episodes of the planner with the network as it is, on a simulator that is not used for training."""
        agent = self.agent(simulator)
        played = [agent.run(seed + number) for number in range(episodes)]
        self.evaluate.forget()  # observations of long episodes that are not needed any more
        return [EvaluationEpisode(each.score, each.steps, each.interactions, each.actions) for each in played]

    def state(self) -> dict[str, Any]:
        """Everything the run depends on, as plain data and tensors; to be taken between two rounds."""
        return {
            "learner": self.updater.state(),
            "replay": self.replay.state(),
            "players": [player.state() for player in self.players],
            "episodes": self.episodes,
            "interactions": self.interactions,
            "actions": self.actions,
            "losses": None if self.losses is None else asdict(self.losses),
            "seconds": self.clocks.seconds(),
            **({} if self.demonstration is None else {"demonstration": self.demonstration.state()}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state of a trainer that was made in the same way."""
        if len(state["players"]) != len(self.players):
            raise UsageError(
                f"the run was saved with {counted(len(state['players']), 'tree')}, not with {len(self.players)}"
            )
        self.restore_learner(state)
        for player, saved in zip(self.players, state["players"], strict=True):
            player.restore(saved, self.input_format)

    def restore_learner(self, state: dict[str, Any]) -> None:
        """Continue from the part of a state that does not concern trees."""
        self.updater.restore(state["learner"])
        self.replay.restore(state["replay"])
        self.episodes, self.interactions, self.actions = state["episodes"], state["interactions"], state["actions"]
        self.losses = None if state["losses"] is None else Losses(**state["losses"])
        self.clocks.restore(state["seconds"])
        if self.demonstration is not None:
            self.demonstration.restore(state["demonstration"])
            self.show_demonstration()
