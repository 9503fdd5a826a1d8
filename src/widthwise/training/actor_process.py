"""The process of a local actor: reads orders, follows them, answers. Started by `local_transport`."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

#: The learner is what limits a machine with many actors, so it comes first where there are not enough cores.
_NICER = 4
#: The exit code of an actor whose simulator did not return in time.
HANGS = 23
#: The ticket of a sign of life; those of orders begin with 1.
PULSE = 0
#: Seconds between two signs of life.
PULSE_SECONDS = 5.0


class StopSignals:
    """Signals that ask this process to end are passed on to the learner, which ends all with a checkpoint."""

    def __init__(self) -> None:
        self.received = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)

    def _handle(self, number: int, frame: object) -> None:
        self.received = True


def die_with(parent: int) -> None:
    """Let this process end at once when the learner's ends, however that happens."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG

    def watch() -> None:
        done = threading.Event()
        while os.getppid() == parent:
            done.wait(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def picklable(error: Exception) -> Exception:
    """The error, or one of the same message where it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        from widthwise.core.errors import SimulatorError, WidthwiseError

        if isinstance(error, WidthwiseError):
            return SimulatorError(str(error))
        return RuntimeError(f"{type(error).__name__}: {error}")


class Pulse:
    """Tells the learner during a long order that the actor is alive."""

    def __init__(self, connection: Connection, signals: StopSignals) -> None:
        self.connection, self.signals, self.last = connection, signals, time.monotonic()

    def __call__(self) -> None:
        """Send a sign of life if the last one is old enough."""
        if time.monotonic() - self.last > PULSE_SECONDS:
            send(self.connection, PULSE, None, None, self.signals)
            self.last = time.monotonic()


def send(connection: Connection, ticket: int, value: object, failure: Exception | None, signals: StopSignals) -> None:
    """Send the answer to the order with this ticket."""
    connection.send_bytes(pickle.dumps((ticket, value, failure, signals.received), protocol=5))


def serve(connection: Connection, signals: StopSignals) -> None:
    """Make the actor, and follow orders until the connection closes."""
    from widthwise.core.errors import OutOfTime
    from widthwise.core.watchdog import StepExpired, watching

    contents, actor = connection.recv_bytes(), None
    with contextlib.ExitStack() as stack:  # the watchdog runs for as long as this process serves
        while True:
            ticket, order, weights = pickle.loads(connection.recv_bytes())
            value, failure = None, None
            try:
                if actor is None:
                    from widthwise.training.actor import Actor

                    spec = pickle.loads(contents)  # may import the user's module
                    if spec.step_timeout is not None:
                        stack.enter_context(watching(spec.step_timeout, exit_code=HANGS))
                    actor = Actor(spec)
                    actor.alive = Pulse(connection, signals)
                value = actor.follow(order, weights)
            except (OutOfTime, StepExpired):
                os._exit(HANGS)  # its simulator is in no known state: the learner replaces the actor
            except Exception as error:
                failure = picklable(error)
            send(connection, ticket, value, failure, signals)


def main() -> None:
    """The process of an actor."""
    from widthwise.core.errors import command_line_advice

    descriptor, parent = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(descriptor, False)  # a child of the simulator would keep the connection open
    signals = StopSignals()
    die_with(parent)
    with contextlib.suppress(OSError):
        os.nice(_NICER)
    with contextlib.suppress(EOFError, OSError), command_line_advice():
        serve(Connection(descriptor), signals)
    # The learner has closed the connection; nothing here has to be saved.
    os._exit(0)


if __name__ == "__main__":
    main()
