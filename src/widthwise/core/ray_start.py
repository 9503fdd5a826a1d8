"""Connects to a Ray cluster, or starts a local one, also on a machine that is busy."""

from __future__ import annotations

import contextlib
from typing import Any

from widthwise.core.errors import InputError

#: Ray waits 30 seconds for a node. Where that is too short, another attempt finds its files in memory already.
_ATTEMPTS = 4
_TOO_SLOW = "timed out during startup"


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
            ray.init(**options)
            return
        except Exception as error:  # Ray raises plain exceptions too
            with contextlib.suppress(Exception):
                ray.shutdown()  # what was started before it failed
            if left and _TOO_SLOW in str(error):
                continue
            raise InputError(f"cannot connect to Ray at {address or 'a local cluster'}: {error}") from None
