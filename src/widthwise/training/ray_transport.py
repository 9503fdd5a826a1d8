"""Actors on a Ray cluster, or on a local one that is started for them."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from widthwise.core.errors import MissingExtraError, OutOfTime
from widthwise.core.ray_start import start_ray
from widthwise.training.actor_messages import ActorSpec, Order, Weights
from widthwise.training.transport import EVALUATOR, HANGING, Answer, Lost

#: Weights and episodes are a few megabytes; Ray's default would take a third of the machine.
_STORE_BYTES = 200_000_000


class _Connection:
    """The connection of this process to Ray, which all transports share; the last one that closes ends it.

    A connection that the caller of Widthwise has made stays open.
    """

    users = 0
    ours = False


def connect(address: str | None) -> Any:
    """Ray, connected; raises `InputError` if there is no cluster at the address."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--actors ray", "ray") from None
    if ray.is_initialized():
        return ray
    start_ray(ray, address, _STORE_BYTES)
    _Connection.ours = True
    return ray


def disconnect() -> None:
    """End the connection if it was made here and no transport uses it."""
    if _Connection.ours and not _Connection.users:
        import ray

        _Connection.ours = False
        ray.shutdown()


class _Remote:
    """The actor inside a Ray worker."""

    def __init__(self, contents: bytes, paths: list[str]) -> None:
        self.contents = contents
        # Modules that the learner can import, such as that of an environment, are looked for in the same places.
        sys.path += [path for path in paths if path not in sys.path]
        self.actor: Any = None
        self.watch: Any = None

    def follow(self, order: Order, weights: Weights | None) -> tuple[Any, Exception | None]:
        """Carry out an order: the value, or what went wrong."""
        import pickle

        from widthwise.core.errors import OutOfTime, command_line_advice
        from widthwise.core.watchdog import StepExpired, watching
        from widthwise.training.actor import Actor
        from widthwise.training.actor_process import HANGS, picklable

        with command_line_advice():
            try:
                if self.actor is None:
                    spec = pickle.loads(self.contents)
                    if spec.step_timeout is not None:  # for as long as this worker lives
                        self.watch = watching(spec.step_timeout, exit_code=HANGS)
                        self.watch.__enter__()
                    self.actor = Actor(spec)
                return self.actor.follow(order, weights), None
            except StepExpired as error:
                return None, OutOfTime(str(error))
            except Exception as error:
                return None, picklable(error)


class RayTransport:
    """One Ray actor per actor. Ray neither restarts nor retries: the learner replaces what was lost."""

    def __init__(self, address: str | None = None) -> None:
        self.ray, self._open = connect(address), True
        _Connection.users += 1
        self._actors: dict[int, Any] = {}
        self._waiting: dict[Any, tuple[int, int]] = {}  # by reference: actor and ticket
        self._stored: tuple[int, Any] = -1, None  # the number of the weights in Ray's store, and their reference

    def start(self, spec: ActorSpec) -> None:
        """Start an actor; it waits in Ray until the cluster has a core for it."""
        from widthwise.training.local_transport import packed

        self.end(spec.index)
        remote = self.ray.remote(_Remote).options(
            num_cpus=0 if spec.index == EVALUATOR else 1, max_restarts=0, max_task_retries=0
        )
        self._actors[spec.index] = remote.remote(packed(spec), [path or os.getcwd() for path in sys.path])

    def send(self, actor: int, ticket: int, order: Order, weights: Weights | None) -> None:
        """Send an order; the weights are stored once for all actors."""
        if weights is not None and self._stored[0] != weights.number:
            self._stored = weights.number, self.ray.put(weights)
        sent = None if weights is None else self._stored[1]
        self._waiting[self._actors[actor].follow.remote(order, sent)] = actor, ticket

    def receive(self, timeout: float | None) -> list[Answer | Lost]:
        """The answers that have come."""
        if not self._waiting:
            return []
        ready, _ = self.ray.wait(list(self._waiting), num_returns=1, timeout=timeout)
        if ready:  # and what else is there by now
            ready, _ = self.ray.wait(list(self._waiting), num_returns=len(self._waiting), timeout=0)
        answers: list[Answer | Lost] = []
        for reference in ready:
            if reference not in self._waiting:
                continue  # of an actor that was lost with this answer's neighbour
            actor, ticket = self._waiting.pop(reference)
            try:
                value, error = self.ray.get(reference)
            except self.ray.exceptions.RayError as lost:
                self.end(actor)
                answers.append(Lost(actor, f"Ray: {_first_line(lost)}"))
                continue
            if isinstance(error, OutOfTime):  # its simulator is in no known state
                self.end(actor)
                answers.append(Lost(actor, HANGING))
            else:
                answers.append(Answer(actor, ticket, value, error))
        return answers

    def end(self, actor: int) -> None:
        """End an actor."""
        handle = self._actors.pop(actor, None)
        if handle is not None and self.ray.is_initialized():  # otherwise `kill` would start a cluster
            with contextlib.suppress(self.ray.exceptions.RayError, ValueError):
                self.ray.kill(handle)
        self._waiting = {reference: asked for reference, asked in self._waiting.items() if asked[0] != actor}

    def close(self) -> None:
        """End all actors, and with the last transport the connection, if it was made here."""
        for actor in list(self._actors):
            self.end(actor)
        if self._open:
            self._open = False
            _Connection.users -= 1
            disconnect()


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
