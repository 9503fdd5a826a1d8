"""A trainer whose trees are advanced by actors: the learner has the replay memory, trains, and publishes weights.

In step, a round is one block of every actor. All blocks of a round are played with the same weights; meanwhile the
learner makes the updates that the round before has earned. So the weights of a round contain what was learned from all
rounds but the last. Blocks are taken in the order of the actors, whenever they come. Therefore the same seed and the
same number of actors give the same run, on any number of cores, in processes and with Ray.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from widthwise.core.provenance import cores
from widthwise.core.simulator import Simulator
from widthwise.learning.replay_memory import EpisodeData
from widthwise.simulators.chance import Mode
from widthwise.training.actor_messages import (
    ActorSpec,
    Capture,
    Order,
    Play,
    Played,
    PlayedEpisode,
    PlayedPart,
    Restore,
    Weights,
    unpack_episode,
)
from widthwise.training.clocks import now
from widthwise.training.configuration import Configuration
from widthwise.training.ended_episode import EndedEpisode
from widthwise.training.learning_parts import use_threads
from widthwise.training.run_settings import RunSettings
from widthwise.training.trainer import Trainer
from widthwise.training.transport import ActorLost, ActorOptions, Lost, Transport, make_transport

#: Where the time of a run goes: processor seconds of all actors together, what actors and learner have waited for each
#: other, and what the learner has spent on sending and unpacking.
TIMES = ("simulator", "network", "tree", "packing", "waiting", "learner_waiting", "transport")

#: The least seconds in which a new actor has to answer for the first time: a busy machine takes long to import torch.
START_SECONDS = 600.0


class ActorsTrainer(Trainer):
    """The learner, with actors that are started when they are first needed."""

    def __init__(
        self,
        make: Callable[[], Simulator],
        config: Configuration,
        chance: Mode,
        settings: RunSettings,
        options: ActorOptions | None = None,
    ) -> None:
        self.settings, self.options, self.actors = settings, options or ActorOptions(), settings.actors
        super().__init__(make, config, chance, device=self.options.device, threads=self.options.threads)
        self.transport: Transport | None = None
        self.owed = 0  # updates that the blocks so far have earned and that are not made yet
        self.published = 0  # sets of weights
        self.weights = self._weights()
        self.lags: list[int] = []  # of the episodes that ended last
        self.traffic = {"episodes": 0, "episode_bytes": 0, "weight_updates": 0, "weight_bytes": 0}
        self.times = dict.fromkeys(TIMES, 0.0)
        self.lost = {"actors": 0, "episodes": 0}
        self._states = [self._fresh_state() for _ in range(settings.actors)]  # of the actors, at the last settling
        self._settled = True  # whether that is where the actors are
        self._ticket = 0
        self._gone: list[Lost] = []  # not raised yet
        self._asked: dict[int, tuple[int, float]] = {}  # by ticket: the actor, and when
        self._started: set[int] = set()  # actors that have answered since they were started

    def simulators(self) -> int:
        """One: the actors have their own."""
        return 1

    def slots(self) -> list[Any]:
        """An agent for each tree of each actor, all with the same settings."""
        return [self.players[0].agent] * (self.settings.actors * self.config.trees)

    def _fresh_state(self) -> dict[str, Any]:
        trees = self.config.trees
        return {"players": [{"episode": -1}] * trees, "begun": 0, "draw": None, "oldest": [0] * trees}

    def _weights(self) -> Weights:
        self.published += 1
        return Weights.of(self.updater.network.state_dict(), self.updater.updates, self.published)

    # Actors

    def open(self) -> Transport:
        """The transport, with all actors started and restored to where they were."""
        if self.transport is None:
            self.transport = make_transport(self.options)
            if self.updater.direct is not None and self.options.threads == 1 and cores() > 1:
                self.updater.direct.use_second_thread()
            for index in range(self.settings.actors):
                self._start(index)
        return self.transport

    def launch(self, index: int) -> None:
        """Start an actor, or a new one in the place of one that was lost."""
        assert self.transport is not None
        self._started.discard(index)
        self.transport.start(self.spec(index))

    def _start(self, index: int) -> None:
        self.launch(index)
        if self._states[index]["begun"]:
            self.ask(index, Restore(self._states[index]))

    def spec(self, index: int) -> ActorSpec:
        """What the actor of an index is made from."""
        return ActorSpec(
            index,
            self.settings.actors,
            self.settings,
            self.config,
            self.chance,
            self.finding,
            self.options.step_timeout,
        )

    def close(self) -> None:
        """End all actors."""
        if self.transport is not None:
            self.transport.close()
            self.transport = None
            self._asked.clear()
            self._gone.clear()
            if self.updater.direct is not None:
                self.updater.direct.close()

    def ask(self, actor: int, order: Order) -> int:
        """Send an order with the weights as they are published; returns its ticket. Raises `ActorLost`."""
        self._raise_lost()
        begun = time.perf_counter()
        self._ticket += 1
        self._asked[self._ticket] = actor, time.monotonic()
        assert self.transport is not None
        self.transport.send(actor, self._ticket, order, self.weights)
        self.traffic["weight_updates"] += 1
        self.traffic["weight_bytes"] += len(self.weights.contents)
        self.times["transport"] += time.perf_counter() - begun
        return self._ticket

    def _raise_lost(self) -> None:
        if self._gone:
            lost = self._gone.pop(0)
            raise ActorLost(lost.actor, lost.reason)

    def answers(self, timeout: float | None) -> list[tuple[int, int, Any]]:
        """Actor, ticket and value of the answers that have come; raises `ActorLost`, or what an actor has raised."""
        assert self.transport is not None
        self._raise_lost()
        begun = time.perf_counter()
        # Looks in from time to time, so that a signal is handled and an actor that hangs is noticed.
        received = self.transport.receive(min(1.0, self.options.timeout / 4) if timeout is None else timeout)
        self.times["learner_waiting"] += time.perf_counter() - begun
        values: list[tuple[int, int, Any]] = []
        for answer in received:
            if isinstance(answer, Lost):
                self._gone.append(answer)  # raised after everything else that has come is taken
                continue
            self.stop_asked = self.stop_asked or answer.stop
            self._started.add(answer.actor)
            if self._asked.pop(answer.ticket, None) is None:
                continue  # from before the actors went back to a checkpoint
            if answer.error is not None:
                raise answer.error
            values.append((answer.actor, answer.ticket, answer.value))
        self._end_hanging({actor for actor, _, _ in values})
        return values

    def _end_hanging(self, answered: set[int]) -> None:
        """End actors that do not answer. They are raised later, so that the answers of the others are not dropped.

        Orders of one actor are followed in turn, so the clock of one begins with the answer to the one before.
        """
        lost = {lost.actor for lost in self._gone}
        moment, oldest = time.monotonic(), dict[int, int]()
        for ticket, (actor, _) in self._asked.items():
            oldest.setdefault(actor, ticket)
        for actor, ticket in oldest.items():
            if actor in answered:
                self._asked[ticket] = actor, moment
                continue
            limit = self.options.timeout if actor in self._started else max(self.options.timeout, START_SECONDS)
            if actor not in lost and moment - self._asked[ticket][1] > limit:
                assert self.transport is not None
                self.transport.end(actor)
                self._gone.append(Lost(actor, f"it did not answer for {limit:g} s"))

    # Rounds

    def prepare(self) -> bool:
        """As in one process, and by the learner alone; the actors begin with the weights after it."""
        busy = super().prepare()
        if busy and not self.preparing():
            self.weights = self._weights()
        return busy

    def round(self) -> list[EndedEpisode]:
        """A block of every actor; meanwhile the updates that the round before has earned."""
        if self.prepare():
            return []
        self.open()
        self._settled = False
        waiting = self.config.learning.patient and not self.ready()
        starts = self.starts()
        tickets = {self.ask(index, Play(waiting, starts)) for index in range(self.settings.actors)}
        self.catch_up()
        blocks: dict[int, Played] = {}
        while len(blocks) < self.settings.actors:
            for actor, ticket, value in self.answers(None):
                if ticket in tickets:
                    blocks[actor] = value
        in_order = [(actor, blocks[actor]) for actor in range(self.settings.actors)]
        for _, block in in_order:
            self.count(block)
        return [ended for actor, block in in_order for ended in self.take(actor, block)]

    def catch_up(self) -> None:
        """Make the updates that are owed, and publish the weights for the next round."""
        if self.owed and self.ready():
            begun = now()
            use_threads(self.options.threads)
            self.learn(self.owed)
            self.weights = self._weights()
            self.clocks.total += now() - begun
        self.owed = 0

    def count(self, block: Played) -> None:
        """Count what a block has taken."""
        self.interactions += block.interactions
        self.actions += block.actions
        self.owed += self.earned(block.actions)
        for name, seconds in block.seconds.items():
            self.times[name] += seconds

    def take(self, actor: int, block: Played) -> list[EndedEpisode]:
        """Remember the episodes that have ended in a block."""
        begun, ended = time.perf_counter(), []
        for part in block.parts:
            self._remember(part, self.replay.add_nodes if part.nodes else self.replay.add)
        for episode in block.episodes:
            self.surpass(episode.start, episode.seed, episode.rewards, episode.actions)
            if not self.rehearses_only():
                self._remember(episode, self.replay.add)
            self.traffic["episodes"] += 1
            ended.append(self._ended(actor, episode))
        self.episodes += len(ended)
        self.lags = [episode.lag or 0 for episode in ended] or self.lags
        self.times["transport"] += time.perf_counter() - begun
        return ended

    def _remember(self, played: PlayedEpisode | PlayedPart, add: Callable[[EpisodeData], None]) -> None:
        """Add what an actor has sent to the memory; the weights with which it found the first reward are adopted."""
        first = not self.ready()
        add(unpack_episode(played.contents))
        if first and played.draw is not None and self.ready():
            self.adopt(played.draw)
        self.traffic["episode_bytes"] += len(played.contents)

    def adopt(self, seed: int) -> None:
        """Continue with the weights that an actor has drawn: with them it has found the first reward."""
        self.updater.begin(seed)
        self.calibrate(seed)
        self.weights = self._weights()

    def _ended(self, actor: int, episode: PlayedEpisode) -> EndedEpisode:
        updates = self.updater.updates
        return EndedEpisode(
            self.episodes,
            episode.tree,
            episode.score,
            episode.steps,
            episode.interactions,
            self.interactions,
            updates,
            self.losses,
            episode.start,
            actor,
            updates - episode.newest,
            updates - episode.oldest,
        )

    # Checkpoints

    def settle(self) -> list[EndedEpisode]:
        """Ask the actors for their states, for the checkpoint that follows; returns episodes that ended meanwhile."""
        if self._settled or self.transport is None:
            return []
        states = {self.ask(index, Capture()): index for index in range(self.settings.actors)}
        missing = set(states)
        while missing:
            for actor, ticket, value in self.answers(None):
                if ticket in missing:
                    self._states[actor] = value
                    missing.remove(ticket)
        self._settled = True
        return []

    def state(self) -> dict[str, Any]:
        """Everything the run depends on; `settle` comes first."""
        state = super().state()
        own = [{name: value for name, value in saved.items() if name != "players"} for saved in self._states]
        return {
            **state,
            "players": [player for saved in self._states for player in saved["players"]],
            "actors": {
                "states": own,
                "owed": self.owed,
                "traffic": dict(self.traffic),
                "lost": dict(self.lost),
                "seconds": dict(self.times),
                "lags": list(self.lags),
            },
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state; actors that are running go back too."""
        players, held, trees = state["players"], state["actors"], self.config.trees
        self.restore_learner(state)
        self.owed, self.traffic = held["owed"], dict(held["traffic"])
        self.lags = list(held.get("lags", ()))  # absent in checkpoints of earlier versions
        # What was lost since then stays lost: the state may be that of a checkpoint to which a fault has led.
        self.lost = {name: max(count, held["lost"][name]) for name, count in self.lost.items()}
        self.times = {name: held["seconds"].get(name, 0.0) for name in TIMES}
        self._states = [
            {**own, "players": players[index * trees : (index + 1) * trees]} for index, own in enumerate(held["states"])
        ]
        self._settled = True
        self.weights = self._weights()
        self._asked.clear()
        if self.transport is not None:
            for index in range(self.settings.actors):
                self.ask(index, Restore(self._states[index]))

    def recover(self, error: ActorLost) -> bool:
        """Replace an actor that was lost. The run goes back to its checkpoint, so that it writes the same lines."""
        for actor in (error.actor, *self.gone()):
            self.lost["actors"] += 1
            if self.transport is not None:
                self.launch(actor)
        return True

    def gone(self) -> list[int]:
        """The actors that were lost as well and are not raised yet."""
        gone, self._gone = self._gone, []
        return [lost.actor for lost in gone]

    # What the run shows

    def figures(self) -> dict[str, float]:
        """The figures to show in addition to losses."""
        lag = sum(self.lags) / len(self.lags) if self.lags else 0.0
        figures = {"actors": self.settings.actors, "lag": lag, "actors_lost": self.lost["actors"]}
        return super().figures() | figures

    def summary(self) -> dict[str, Any]:
        """For `result.json`: what has travelled, and where the time went."""
        times = {"training": self.clocks.training, **self.times}
        demonstration = {} if self.demonstration is None else self.demonstration.summary()
        return demonstration | {
            "actors": self.settings.actors,
            "actors_lost": self.lost["actors"],
            "episodes_lost": self.lost["episodes"],
            "bytes_per_episode": round(self.traffic["episode_bytes"] / max(1, self.traffic["episodes"])),
            "bytes_per_weight_update": round(self.traffic["weight_bytes"] / max(1, self.traffic["weight_updates"])),
            "time_seconds": {name: round(seconds, 3) for name, seconds in times.items()},
        }
