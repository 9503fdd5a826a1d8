"""The HTTP server: the socket, the service behind it, and a clean end on signals."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import socket
from collections.abc import Callable, Iterator

import uvicorn

from widthwise.core.errors import UsageError
from widthwise.service.app import Service

_BACKLOG = 2048


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 chooses a free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"cannot listen on port {port} of {host} ({reason}): give another --port or --host") from None
    listener.set_inheritable(False)
    return listener


class _Server(uvicorn.Server):
    """A server that leaves signals to the command line."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class ServerRun:
    """A running service; `stop` may be called by a handler of signals.

    Args:
        service: The service.
        listener: A socket that listens.
        ready: Called with the address as soon as requests are answered.
    """

    def __init__(self, service: Service, listener: socket.socket, ready: Callable[[str], None]) -> None:
        self.service = service
        self.listener = listener
        self.ready = ready
        self._stop: Callable[[], object] | None = None
        self._stopped = False

    def run(self) -> None:
        """Answer requests until `stop` is called."""
        asyncio.run(self._run())

    def stop(self) -> None:
        """End the service: no more requests, and those in progress are answered with code 503."""
        self._stopped = True
        if self._stop is not None:
            self._stop()

    async def _run(self) -> None:
        limits = self.service.limits
        config = uvicorn.Config(
            self.service.app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="on",
            ws="none",
            backlog=_BACKLOG,
            # Enough for waiting requests and for short requests in addition; more connections get code 503.
            limit_concurrency=limits.queue + limits.workers + 256,
            h11_max_incomplete_event_size=64_000,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=5,
        )
        server = _Server(config)
        loop = asyncio.get_running_loop()

        def stop() -> None:
            server.should_exit = True
            closing.append(asyncio.ensure_future(self.service.stop()))

        closing: list[asyncio.Future[None]] = []
        self._stop = functools.partial(loop.call_soon_threadsafe, stop)
        if self._stopped:
            return
        serving = asyncio.ensure_future(server.serve(sockets=[self.listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if not serving.done():
            host, port = self.listener.getsockname()[:2]
            self.ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        await serving
        await asyncio.gather(*closing)
