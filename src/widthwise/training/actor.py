"""An actor: it plans and acts with its own simulators and its own copy of the network, one block after another.

The learner sends an order and the weights to follow it with; the actor answers. It does not know what brought the
order: the same class serves local processes and Ray. What it answers depends on the orders alone, never on time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from widthwise.core.simulator import Simulator
from widthwise.simulators.chance import check_mode
from widthwise.training.actor_messages import (
    ActorSpec,
    Capture,
    Evaluate,
    Order,
    Play,
    Played,
    PlayedEpisode,
    PlayedPart,
    Restore,
    Weights,
    pack_episode,
)
from widthwise.training.clocks import now
from widthwise.training.configure import make_simulator
from widthwise.training.divergence import diagnosed
from widthwise.training.evaluation_record import evaluation_record
from widthwise.training.player import Player, Waiting
from widthwise.training.simulator_facts import over_at_reset
from widthwise.training.trainer import TOGETHER, Trainer

#: A block takes this many times the interactions of one action, shared by the trees of the actor. Longer blocks save
#: time (weights travel less often, the network evaluates fewer observations twice), and their weights are older.
BLOCK = 8
_REPORTED = ("simulator", "network", "tree", "packing", "waiting")


@dataclass(slots=True)
class _Part:
    """What one tree does in a block."""

    tree: int
    player: Player
    least: int  # interactions
    fresh: bool  # whether it may begin an episode though there is nothing to learn from
    interactions: int = 0
    actions: int = 0


class Actor:
    """Follows orders; between two orders nothing is in progress."""

    def __init__(self, spec: ActorSpec) -> None:
        self.spec = spec
        self.trainer = Trainer(
            lambda: make_simulator(spec.settings), spec.configuration, check_mode(spec.chance), finding=spec.finding
        )
        self.begun = 0  # episodes
        self.weights: Weights | None = None
        self.draw: int | None = None  # the seed of its own weights, while there is nothing to learn from
        self.oldest = [0] * spec.configuration.trees  # versions that the episodes in hand began with
        self.drawn_interactions = 0
        self.packing_seconds = self.waiting_seconds = 0.0
        self._reported = dict.fromkeys(_REPORTED, 0.0)
        self._idle_since = time.perf_counter()
        self._ended: list[PlayedEpisode] = []
        self._parts: list[PlayedPart] = []
        self._evaluation: Simulator | None = None
        self.alive: Callable[[], object] = lambda: None  # called at every step of an evaluation

    def follow(self, order: Order, weights: Weights | None) -> Any:
        """Carry out an order with the weights that came with it; None: those that the actor has."""
        self.waiting_seconds += time.perf_counter() - self._idle_since
        try:
            return self._follow(order, weights)
        finally:
            self._idle_since = time.perf_counter()

    def _follow(self, order: Order, weights: Weights | None) -> Any:
        if weights is not None:
            self._take(weights)
        if isinstance(order, Play):
            with diagnosed(self.trainer):
                return self.play(order)
        if isinstance(order, Capture):
            return self.state()
        if isinstance(order, Restore):
            return self.restore(order.state)
        assert isinstance(order, Evaluate)
        return self.evaluate(order)

    def _take(self, weights: Weights) -> None:
        if self.weights is not None and self.weights.number == weights.number:
            return
        self.weights = weights
        if self.draw is None:
            self._load()

    def _load(self) -> None:
        """Let the searches use the learner's weights."""
        assert self.weights is not None
        self.weights.put_into(self.trainer.updater.network)
        self.trainer.updater.updates = self.weights.version
        self.trainer.updater.publish()
        if self.trainer.config.refresh:
            self.trainer.look_anew()

    @property
    def version(self) -> int:
        """The version of the weights in use."""
        return 0 if self.weights is None else self.weights.version

    def play(self, order: Play) -> Played:
        """Play a block: at least this many interactions in every tree; episodes that end are followed by others."""
        trainer, waiting, begun = self.trainer, order.waiting, now()
        self._ended, self._parts, self.drawn_interactions = [], [], 0
        if not waiting and self.draw is not None:
            self.draw = None
            self._load()
        fresh = all(_over(player) for player in trainer.players)
        if waiting and fresh and self.begun:
            self._draw_own(self.seed(self.begun))
        least = max(TOGETHER, BLOCK // len(trainer.players)) * trainer.config.planning.steps_per_action
        parts = [_Part(tree, player, least, fresh) for tree, player in enumerate(trainer.players)]
        trainer.together([self._block(part, order) for part in parts])
        for player in trainer.players:
            self._hand_over(player)
        trainer.clocks.total += now() - begun
        return Played(
            self.version,
            self.drawn_interactions + sum(part.interactions for part in parts),
            sum(part.actions for part in parts),
            self.begun,
            tuple(self._ended),
            self._new_seconds(),
            tuple(self._parts),
        )

    def _new_seconds(self) -> dict[str, float]:
        """What was spent since the last block that was reported."""
        clocks = self.trainer.clocks
        spent = {
            "simulator": clocks.simulator,
            "network": clocks.network,
            "tree": clocks.tree - self.packing_seconds,
            "packing": self.packing_seconds,
            "waiting": self.waiting_seconds,
        }
        new = {name: seconds - self._reported[name] for name, seconds in spent.items()}
        self._reported = spent
        return new

    def _block(self, part: _Part, order: Play) -> Waiting:
        """The part of one tree in a block.

        While there is nothing to learn from, trees begin together: each time they do, the actor draws other weights.
        """
        player, agent = part.player, part.player.agent
        while part.interactions < part.least:
            if _over(player):
                if order.waiting and not part.fresh:
                    return
                number, seed = self.begun, self._next_seed()
                share = self.trainer.config.learning.start_share
                start = None if order.starts is None else order.starts.draw(share, seed)
                yield from player.begin(number, seed, start)
                part.interactions += agent.driver.steps  # those that lead to a start
                if agent.over:
                    raise over_at_reset(agent.driver.simulator.name, player.seed)
                self.oldest[part.tree] = self.version
                part.fresh = False
            steps, actions = agent.driver.steps, agent.episode.steps
            yield from player.act(self.trainer.input_format, part.least - part.interactions)
            part.interactions += agent.driver.steps - steps
            part.actions += agent.episode.steps - actions
            if agent.over:
                self._ended.append(self._end(part.tree, player))

    def _next_seed(self) -> int:
        self.begun += 1
        return self.seed(self.begun)

    def seed(self, number: int) -> int:
        """The seed of the actor's episode of this number; no two actors share one."""
        return self.trainer.episode_seed((number - 1) * self.spec.actors + self.spec.index + 1)

    def _end(self, tree: int, player: Player) -> PlayedEpisode:
        begun = now()
        contents = pack_episode(player.played())
        self.packing_seconds += now() - begun
        episode = player.agent.episode
        return PlayedEpisode(
            tree,
            player.seed,
            episode.score,
            episode.steps,
            episode.interactions,
            tuple(episode.actions),
            tuple(episode.rewards),
            player.start,
            self.oldest[tree],
            self.version,
            self.draw,
            contents,
        )

    def _hand_over(self, player: Player) -> None:
        """Pack what the episodes of a tree have already given to learn from, in one message for each kind."""
        begun = now()
        for part in player.parts():
            self._parts.append(PlayedPart(False, self.draw, pack_episode(part)))
        samples = player.samples(self.trainer.input_format)
        if samples is not None:
            self._parts.append(PlayedPart(True, self.draw, pack_episode(samples)))
        self.packing_seconds += now() - begun

    def _draw_own(self, seed: int) -> None:
        """Draw new weights: while there is nothing to learn from, every episode looks for other features."""
        self.draw = seed
        before = self.trainer.interactions
        self.trainer.updater.begin(seed)
        self.trainer.calibrate(seed)
        self.drawn_interactions += self.trainer.interactions - before

    def state(self) -> dict[str, Any]:
        """What the actor depends on, except for the weights, as plain data."""
        return {
            "players": [player.state() for player in self.trainer.players],
            "begun": self.begun,
            "draw": self.draw,
            "oldest": list(self.oldest),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Return to a state; the weights have come with the order."""
        self.begun, self.oldest = state["begun"], list(state["oldest"])
        self.draw = None
        if self.weights is not None:
            self._load()
        if state["draw"] is not None:
            self._draw_own(state["draw"])
        for player, saved in zip(self.trainer.players, state["players"], strict=True):
            player.restore(saved, self.trainer.input_format)

    def evaluate(self, order: Evaluate) -> dict[str, Any]:
        """Evaluate the weights with a simulator that is not used for training."""
        if self._evaluation is None:
            self._evaluation = make_simulator(self.spec.settings)

        def stop() -> bool:
            self.alive()
            return False

        record = evaluation_record(
            self.trainer, self.spec.settings, self._evaluation, order.number, stop=stop, planner=order.planner
        )
        assert record is not None  # nothing stops it here
        return record


def _over(player: Player) -> bool:
    return player.episode < 0 or player.agent.over
