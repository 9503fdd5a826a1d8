"""Evaluations in parallel with training, in a separate process or Ray actor, so that training continues."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from widthwise.training.actor_messages import ActorSpec, Evaluate, Weights
from widthwise.training.actor_process import PULSE_SECONDS
from widthwise.training.checkpoint import RunStopped
from widthwise.training.checkpoint_shape import check_learner
from widthwise.training.run_settings import RunSettings
from widthwise.training.run_trainer import Record
from widthwise.training.transport import EVALUATOR, ActorLost, ActorOptions, Answer, Lost, Transport, make_transport

if TYPE_CHECKING:
    from widthwise.training.trainer import Trainer

#: A run with one actor evaluates in its own process as long as that takes no longer than to start another process.
SHORT_SECONDS = 5.0
_TRIES = 3
_WAIT_SECONDS = 1.0
#: Seconds; signs of life are not looked for more often.
_LEAST_TIMEOUT = 4 * PULSE_SECONDS


class EvaluationBeside:
    """Evaluates one policy at a time. The same policy and number give the same record, wherever it is made."""

    def __init__(self, trainer: Trainer, settings: RunSettings, options: ActorOptions | None) -> None:
        self.trainer, self.settings, self.options = trainer, settings, options or ActorOptions()
        self._transport: Transport | None = None
        self._ticket = self._tries = 0
        self._order: tuple[Evaluate, Weights] | None = None
        self._begun = self._heard = 0.0  # the moments of the order, and of the last sign of life

    def wanted(self, seconds: float) -> bool:
        """Whether the next evaluation is made in parallel with training."""
        several = self.settings.actors > 1 or self.settings.asynchronous
        return several or (self.options.evaluate_beside and seconds > SHORT_SECONDS and (os.cpu_count() or 1) > 1)

    def start(self, number: int, planner: bool, policy: Any) -> None:
        """Begin an evaluation of a policy, as `Updater.state` returns it; raises `Mismatch` if it does not fit."""
        check_learner(policy, self.trainer, "pending.policy")
        self._ticket += 1
        self._order = Evaluate(number, planner), Weights.of(policy["network"], policy["updates"], self._ticket)
        self._tries, self._begun = 0, time.monotonic()
        self._send()

    def _send(self) -> None:
        assert self._order is not None
        order, weights = self._order
        self._tries, self._heard = self._tries + 1, time.monotonic()
        if self._transport is None:
            self._transport = make_transport(self.options)
            self._transport.start(self._spec())
        self._transport.send(EVALUATOR, self._ticket, order, weights)

    def _spec(self) -> ActorSpec:
        trainer, options = self.trainer, self.options
        return ActorSpec(
            EVALUATOR, 1, self.settings, trainer.config, trainer.chance, trainer.finding, options.step_timeout
        )

    def record(self, wait: bool) -> Record | None:
        """The record of the evaluation, if it has ended; with `wait`, a second is waited for it."""
        for answer in self._received(wait):
            if isinstance(answer, Lost):
                self._replace(answer.reason)
                return None
            if answer.ticket != self._ticket:
                continue  # a sign of life
            if answer.error is not None:
                raise answer.error
            record: Record = answer.value
            return {**record, "seconds": round(time.monotonic() - self._begun, 3)}
        limit = max(self.options.timeout, _LEAST_TIMEOUT)
        # A Ray actor gives no signs of life.
        if self.options.engine == "processes" and time.monotonic() - self._heard > limit:
            self._replace(f"it did not answer for {limit:g} s")
        return None

    def _received(self, wait: bool) -> list[Answer | Lost]:
        assert self._transport is not None
        received = self._transport.receive(_WAIT_SECONDS if wait else 0.0)
        while more := self._transport.receive(0.0):  # signs of life that have come while the learner was busy
            received += more
        if received:
            self._heard = time.monotonic()
        return received

    def _replace(self, reason: str) -> None:
        if self._tries == _TRIES:
            raise RunStopped(str(ActorLost(EVALUATOR, reason)))
        self.close()
        self._send()

    def close(self) -> None:
        """End the process of evaluations."""
        if self._transport is not None:
            self._transport.close()
            self._transport = None
