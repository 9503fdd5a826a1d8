"""Actors without processes: a transport that follows orders in this process, late, out of order or in batches."""

from __future__ import annotations

import pickle
import random
from collections import deque
from typing import Any

from widthwise.training.actor import Actor
from widthwise.training.actor_messages import ActorSpec, Order, Weights
from widthwise.training.transport import EVALUATOR, Answer, Lost


class InlineTransport:
    """Follows orders of actors that are drawn at random; everything is packed as if it travelled.

    `receive` returns up to `batch` answers together. `dies`, `exits` and `hangs` hold numbers of orders, counted over
    all actors but the one that evaluates: the actor that is to follow one of them is lost, is lost together with its
    answer, or does not answer any more.
    """

    def __init__(
        self,
        seed: int = 0,
        dies: tuple[int, ...] = (),
        batch: int = 1,
        exits: tuple[int, ...] = (),
        hangs: tuple[int, ...] = (),
    ) -> None:
        self.random, self.batch = random.Random(seed), batch
        self.dies, self.exits, self.hangs = set(dies), set(exits), set(hangs)
        self.hanging: set[int] = set()
        self.idle = 0  # calls of `receive` in a row without anything to follow
        self.actors: dict[int, Actor] = {}
        self.orders: dict[int, deque[bytes]] = {}
        self.followed = 0

    def start(self, spec: ActorSpec) -> None:
        self.actors[spec.index] = Actor(spec)
        self.orders[spec.index] = deque()
        self.hanging.discard(spec.index)

    def send(self, actor: int, ticket: int, order: Order, weights: Weights | None) -> None:
        self.orders[actor].append(pickle.dumps((ticket, order, weights)))

    def receive(self, timeout: float | None) -> list[Answer | Lost]:
        if timeout == 0.0 and self.random.random() < 0.5:
            return []
        count = 1 if self.batch == 1 else self.random.randint(1, self.batch)
        return [answer for _ in range(count) for answer in self._next()]

    def _next(self) -> list[Answer | Lost]:
        ready = [actor for actor, orders in sorted(self.orders.items()) if orders and actor not in self.hanging]
        self.idle = 0 if ready else self.idle + 1
        assert self.idle < 10_000, "the learner waits for answers that cannot come"
        if not ready:
            return []
        actor = self.random.choice(ready)
        self.followed += actor != EVALUATOR
        if actor != EVALUATOR and self.followed in self.dies:
            self.end(actor)
            return [Lost(actor, "it was told to die")]
        if actor != EVALUATOR and self.followed in self.hangs:
            self.hanging.add(actor)
            return []
        ticket, order, weights = pickle.loads(self.orders[actor].popleft())
        value: Any = self.actors[actor].follow(order, weights)
        answer = Answer(actor, ticket, pickle.loads(pickle.dumps(value)))
        if actor != EVALUATOR and self.followed in self.exits:
            self.end(actor)
            return [answer, Lost(actor, "it was told to exit")]
        return [answer]

    def end(self, actor: int) -> None:
        self.actors.pop(actor, None)
        self.orders.pop(actor, None)

    def close(self) -> None:
        for actor in list(self.actors):
            self.end(actor)
