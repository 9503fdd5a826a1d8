"""Actors as processes of this machine, over pipes."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import socket
import subprocess
import sys
import threading
from importlib import import_module
from multiprocessing.connection import Connection, wait
from typing import Any

from widthwise.core.errors import UsageError, in_terms
from widthwise.core.processes import kill_tree
from widthwise.training.actor_messages import ActorSpec, Order, Weights
from widthwise.training.actor_process import HANGS
from widthwise.training.transport import HANGING, Answer, Lost


class _Process:
    """One actor: its process, the connection to it, and a thread that sends, as an actor reads only between orders."""

    def __init__(self, spec: bytes) -> None:
        ours, theirs = socket.socketpair()
        # Not through multiprocessing: a child of it imports the main script again, and a daemon may not have children.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "widthwise.training.actor_process", str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=2,  # what an environment prints is not part of our result
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
        )
        theirs.close()
        self.connection = Connection(ours.detach())
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._sender = threading.Thread(target=self._send, daemon=True)
        self._sender.start()
        self.put(spec)

    def put(self, message: bytes | None) -> None:
        """Send a message as soon as the actor reads."""
        self._waiting.put(message)

    def _send(self) -> None:
        with contextlib.suppress(OSError):  # it has died: reading from it reports that
            while (message := self._waiting.get()) is not None:
                self.connection.send_bytes(message)

    def end(self) -> None:
        """End the process and those that its simulator has started; nothing in them would have to be saved."""
        if self.process.poll() is None:
            kill_tree(self.process.pid)
        self.process.wait()
        self.put(None)
        self._sender.join()
        self.connection.close()

    def reason(self) -> str:
        """Why the process has ended."""
        code = self.process.wait()
        if code == HANGS:
            return HANGING
        if code >= 0:
            return f"its process ended with exit code {code}"
        name = signal.Signals(-code).name if -code in list(signal.Signals) else str(-code)
        return f"its process was killed by {name}" + (", perhaps because memory ran out" if code == -9 else "")


class LocalTransport:
    """One process per actor."""

    def __init__(self) -> None:
        self._processes: dict[int, _Process] = {}

    def start(self, spec: ActorSpec) -> None:
        """Start an actor; raises `UsageError` if its environment cannot be sent to another process."""
        self.end(spec.index)
        self._processes[spec.index] = _Process(packed(spec))

    def send(self, actor: int, ticket: int, order: Order, weights: Weights | None) -> None:
        """Send an order."""
        self._processes[actor].put(pickle.dumps((ticket, order, weights), protocol=5))

    def receive(self, timeout: float | None) -> list[Answer | Lost]:
        """The answers that have come."""
        by_connection: dict[Any, int] = {process.connection: actor for actor, process in self._processes.items()}
        answers: list[Answer | Lost] = []
        for connection in wait(list(by_connection), timeout):
            actor = by_connection[connection]
            try:
                ticket, value, error, stop = pickle.loads(self._processes[actor].connection.recv_bytes())
            except (EOFError, OSError):
                process = self._processes.pop(actor)
                answers.append(Lost(actor, process.reason()))
                process.end()
            else:
                answers.append(Answer(actor, ticket, value, error, stop))
        return answers

    def end(self, actor: int) -> None:
        """End an actor."""
        process = self._processes.pop(actor, None)
        if process is not None:
            process.end()

    def close(self) -> None:
        """End all actors."""
        for actor in list(self._processes):
            self.end(actor)


def packed(spec: ActorSpec) -> bytes:
    """What an actor is made from, as bytes; raises `UsageError` if an environment given in Python cannot be sent."""
    dumps: Any = pickle.dumps
    if spec.settings.make is not None:
        with contextlib.suppress(ImportError):
            # It also packs functions of the main script.
            dumps = import_module("cloudpickle").dumps
    try:
        contents: bytes = dumps(spec)
        return contents
    except Exception as error:
        raise UsageError(
            f"{spec.settings.environment} cannot be sent to an actor ({type(error).__name__}: {error}): "
            + in_terms(
                python="give its name, or a function of a module that makes it; or train with actors=1",
                command="train with --actors 1",
            )
        ) from None
