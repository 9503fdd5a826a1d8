"""Actors that run freely: no actor waits for another one, so what a run writes depends on timing.

Every actor has a block in hand and another one in its queue. The learner takes blocks as they come, makes the updates
that they earn, and sends its newest weights with every order. Two rules bound the age of weights, counted in updates:
the learner makes no update that would leave the weights of a block in progress more than `max_lag` updates behind, and
no new block is ordered while more than `max_lag` updates are still to be made. Updates on an episode that becomes the
demonstration are an exception: blocks in progress are older by all of them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from widthwise.training.actor_messages import Capture, Play, Played, Restore
from widthwise.training.actors_trainer import ActorsTrainer
from widthwise.training.clocks import now
from widthwise.training.ended_episode import EndedEpisode
from widthwise.training.learning_parts import use_threads
from widthwise.training.transport import ActorLost

#: Blocks that an actor has been ordered to play: the one in hand and the next one, so that it never waits.
ORDERED = 2


class FreeRunningTrainer(ActorsTrainer):
    """The learner of free-running actors."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._playing: dict[int, tuple[int, int]] = {}  # by ticket: the actor, and the version of the weights
        self._captures: dict[int, int] = {}  # by ticket: the actor
        self._held: list[tuple[int, Played]] = []  # blocks that are newer than the state of their actor
        self._done: list[EndedEpisode] = []  # not reported yet
        self._begun, self._ended_by = Counter[int](), Counter[int]()  # episodes by actor

    def round(self) -> list[EndedEpisode]:
        """Updates, until blocks have come; returns the episodes that have ended in them."""
        if self.prepare():
            return []
        self.open()
        self._settled = False
        self._take_held()
        while not self._pump():
            pass
        return self._reported()

    def _reported(self) -> list[EndedEpisode]:
        done, self._done = self._done, []
        return done

    def _pump(self) -> bool:
        """Order blocks, make an update, and take what has come; whether a block has."""
        self._order()
        learns = self._may_learn()
        if learns:
            self._update()
        arrived, capturing = False, bool(self._captures)  # the last capture may come together with newer blocks
        for actor, ticket, value in self.answers(0.0 if learns else None):
            if ticket in self._captures:
                self._states[self._captures.pop(ticket)] = value
            elif ticket in self._playing:
                del self._playing[ticket]
                arrived = True
                if capturing and actor not in self._captures.values():
                    self._held.append((actor, value))
                else:
                    self._take_block(actor, value)
        return arrived

    def _order(self) -> None:
        ordered = Counter(actor for actor, _ in self._playing.values())
        if self.owed > self.settings.max_lag:
            return
        waiting = self.config.learning.patient and not self.ready()
        for actor in range(self.settings.actors):
            for _ in range(ORDERED - ordered[actor]):
                if self.weights.version != self.updater.updates:
                    self.weights = self._weights()
                self._playing[self.ask(actor, Play(waiting, self.starts()))] = actor, self.weights.version

    def _may_learn(self) -> bool:
        if not self.owed or not self.ready():
            self.owed = 0
            return False
        oldest = min((version for _, version in self._playing.values()), default=self.updater.updates)
        return self.updater.updates + 1 - oldest <= self.settings.max_lag

    def _update(self) -> None:
        begun = now()
        use_threads(self.options.threads)
        self.losses = self.updater.learn(self.replay)
        self.owed -= 1
        spent = now() - begun
        self.clocks.training += spent
        self.clocks.total += spent

    def _take_block(self, actor: int, block: Played) -> None:
        self.count(block)
        ended = self.take(actor, block)
        self._begun[actor] = block.begun
        self._ended_by[actor] += len(ended)
        self._done += ended

    def _take_held(self) -> None:
        held, self._held = self._held, []
        for actor, block in held:
            self._take_block(actor, block)

    def settle(self) -> list[EndedEpisode]:
        """Ask the actors for their states; they continue meanwhile, and what they send after that is held back."""
        if self._settled or self.transport is None:
            return []
        self._captures = {self.ask(actor, Capture()): actor for actor in range(self.settings.actors)}
        while self._captures:
            self._pump()
        self.updater.publish()
        self._settled = True
        return self._reported()

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state; what was in progress when it was taken is lost."""
        super().restore(state)
        self._playing, self._captures, self._held, self._done = {}, {}, [], []
        for actor, saved in enumerate(self._states):
            self._begun[actor] = saved["begun"]
            running = sum("agent" in player for player in saved["players"])
            self._ended_by[actor] = saved["begun"] - running

    def recover(self, error: ActorLost) -> bool:
        """Replace an actor that was lost; its episodes are lost with it, and the others continue."""
        self._take_held()  # a lost actor continues after the episodes in them
        for actor in (error.actor, *self.gone()):
            self.lost["actors"] += 1
            self.lost["episodes"] += self._begun[actor] - self._ended_by[actor]
            self._ended_by[actor] = self._begun[actor]
            self._states[actor] = {**self._fresh_state(), "begun": self._begun[actor]}
            self._playing = {ticket: asked for ticket, asked in self._playing.items() if asked[0] != actor}
            self._asked = {ticket: asked for ticket, asked in self._asked.items() if asked[0] != actor}
            self.launch(actor)
            self.ask(actor, Restore(self._states[actor]))
        self._captures = {}
        return False
