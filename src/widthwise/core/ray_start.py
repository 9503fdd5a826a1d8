"""Connects to a Ray cluster, or starts a local one, also on a machine that is busy."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

from widthwise.core.errors import InputError

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
#: Ray waits 30 seconds for a node. Where that is too short, another attempt finds its files in memory already.
_ATTEMPTS = 4
_TOO_SLOW = "timed out during startup"


@contextlib.contextmanager
def _handlers_kept() -> Iterator[None]:
    """Keep the handlers of signals: Ray's handler of SIGTERM would end the process without a checkpoint."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                if handler is not None:
                    signal.signal(number, handler)


def start_ray(ray: Any, address: str | None, store_bytes: int) -> None:
    """Connect to Ray.

    Args:
        ray: the module.
        address: of a cluster; None: a local one is started.
        store_bytes: the size of the object store of a local one.

    Raises:
        InputError: there is no cluster at the address, or none could be started.
    """
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        options |= {"address": "local", "include_dashboard": False, "object_store_memory": store_bytes}
    else:
        options["address"] = address
    for left in range(_ATTEMPTS - 1, -1, -1):
        try:
            with _handlers_kept():
                ray.init(**options)
            return
        except Exception as error:  # Ray raises plain exceptions too
            with contextlib.suppress(Exception):
                ray.shutdown()  # what was started before it failed
            if left and _TOO_SLOW in str(error):
                continue
            raise InputError(f"cannot connect to Ray at {address or 'a local cluster'}: {error}") from None
