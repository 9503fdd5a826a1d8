"""How orders reach actors and answers come back: the interface that local processes and Ray share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from widthwise.core.errors import UsageError, WidthwiseError
from widthwise.training.actor_messages import ActorSpec, Order, Weights

#: The actor that evaluates has this index.
EVALUATOR = -1
Engine = Literal["processes", "ray"]
#: Why an actor was lost whose simulator did not return.
HANGING = "a call into its simulator did not return in time"
DEVICES = ("cpu", "cuda")


@dataclass(frozen=True, slots=True)
class ActorOptions:
    """Where actors and the learner run.

    Args:
        engine: `processes` on this machine, or `ray`.
        address: the address of a Ray cluster; None: a local one is started.
        timeout: an actor that has not answered for this many seconds is replaced.
        step_timeout: the most seconds of one call into the simulator.
        device: where the learner trains, `cpu` or `cuda`.
        threads: the threads of torch in the learner.
        evaluate_beside: whether a run in one process may start another one for long evaluations.

    What a run in step writes does not depend on the engine. Other devices and numbers of threads round differently.
    """

    engine: Engine = "processes"
    address: str | None = None
    timeout: float = 600.0
    step_timeout: float | None = None
    device: str = "cpu"
    threads: int = 1
    evaluate_beside: bool = True

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if not self.timeout > 0:
            raise UsageError(f"the timeout of actors must be above 0 seconds, not {self.timeout:g}")
        if self.device not in DEVICES:
            raise UsageError(f"the device must be {' or '.join(DEVICES)}, not {self.device!r}")
        if self.threads < 1:
            raise UsageError(f"the learner needs at least 1 thread, not {self.threads}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What an actor has answered to the order with this ticket."""

    actor: int
    ticket: int
    value: Any = None
    error: Exception | None = None  # it could not follow the order
    stop: bool = False  # a signal has asked the actor to end


@dataclass(frozen=True, slots=True)
class Lost:
    """An actor that will not answer any more."""

    actor: int
    reason: str


class ActorLost(WidthwiseError):
    """An actor has died, hangs or was cut off."""

    def __init__(self, actor: int, reason: str) -> None:
        super().__init__(f"{actor_name(actor)} was lost: {reason}")
        self.actor, self.reason = actor, reason


class Transport(Protocol):
    """Starts actors, and carries orders and answers. Orders to one actor are followed in their order."""

    def start(self, spec: ActorSpec) -> None:
        """Start an actor; one of the same index that is there already is ended first."""

    def send(self, actor: int, ticket: int, order: Order, weights: Weights | None) -> None:
        """Send an order; returns at once."""

    def receive(self, timeout: float | None) -> list[Answer | Lost]:
        """The answers that have come; waits for the first one, at most `seconds` seconds."""

    def end(self, actor: int) -> None:
        """End an actor at once."""

    def close(self) -> None:
        """End all actors; none is left behind."""


def make_transport(options: ActorOptions) -> Transport:
    """The transport that the options name; raises `MissingExtraError` if Ray is not installed."""
    if options.engine == "ray":
        from widthwise.training.ray_transport import RayTransport

        return RayTransport(options.address)
    from widthwise.training.local_transport import LocalTransport

    return LocalTransport()


def cluster_actors(options: ActorOptions) -> int:
    """As many actors as the Ray cluster has cores; the local cluster is started for that, and the run ends it."""
    from widthwise.training.ray_transport import connect

    return max(1, int(connect(options.address).cluster_resources().get("CPU", 1)))


@contextlib.contextmanager
def cluster_released(options: ActorOptions) -> Iterator[None]:
    """End the connection that `cluster_actors` has made, also if no run came to use it."""
    try:
        yield
    finally:
        if options.engine == "ray":
            from widthwise.training.ray_transport import disconnect

            disconnect()


def actor_name(actor: int) -> str:
    """An actor in a message."""
    return "the evaluator" if actor == EVALUATOR else f"actor {actor}"


def parse_actors(text: int | str) -> tuple[Engine, int | None]:
    """The engine and the number of actors in `8`, `ray` or `ray:8`; None: as many as the cluster has cores.

    Args:
        text: a number, `ray`, or `ray:` and a number.

    Returns:
        The engine and the number.

    Raises:
        UsageError: it is none of them.

    Example:
        >>> parse_actors("ray:8"), parse_actors(2)
        (('ray', 8), ('processes', 2))
    """
    engine, _, count = str(text).partition(":")
    if engine != "ray":
        engine, count = "processes", str(text)
    elif str(text) == "ray":
        return "ray", None
    try:
        number = int(count.replace("_", ""))
    except ValueError:
        number = 0
    if not 1 <= number <= 4096:
        raise UsageError(f"actors must be a number from 1 to 4096, ray, or ray:N, not {text!r}")
    return ("ray" if engine == "ray" else "processes"), number
