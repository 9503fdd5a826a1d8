"""The bodies of requests: read with limits on their size and on the time they take, and decoded."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

from widthwise.core.errors import WidthwiseError
from widthwise.service.fields import BadRequest
from widthwise.service.limits import ServiceLimits
from widthwise.service.worker_pool import QueueFull

#: A client that takes longer to send its request is disconnected.
_BODY_SECONDS = 60.0
_SIZE = "widthwise.bytes"
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"


class TooLarge(WidthwiseError):
    """A request is larger than the service allows."""


class WrongType(WidthwiseError):
    """A request is neither JSON nor a form."""


class Bodies:
    """Reads the bodies of requests; all of them together are limited too."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.held = 0  # bytes of the requests that wait or are being received

    async def read(self, request: Request) -> Any:
        """The body of a request as plain data.

        Raises:
            TooLarge: It has more bytes than one request may have.
            QueueFull: All requests together have more bytes than may wait.
            WrongType: It is neither JSON nor a form.
            BadRequest: It cannot be decoded, or is not sent in time.
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (_JSON, _FORM):
            raise WrongType(f"the content type of a request is {_JSON}")
        declared = request.headers.get("content-length", "0")
        if not declared.isdigit() or int(declared) > self.limits.body_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body = await self._collect(request)
        except TimeoutError:
            raise BadRequest(f"the request was not received within {_BODY_SECONDS:g} seconds") from None
        except ClientDisconnect:
            raise BadRequest("the client closed the connection before the request was complete") from None
        return _json(body) if kind == _JSON else _form(body)

    def release(self, request: Request) -> None:
        """Give back the bytes of a request that is done."""
        self.give_back(self.taken(request))

    def give_back(self, size: int) -> None:
        """Give back this many bytes."""
        self.held -= size

    def taken(self, request: Request) -> int:
        """The bytes of a request, which the caller gives back when the job is done."""
        size: int = request.scope.pop(_SIZE, 0)
        return size

    async def _collect(self, request: Request) -> bytes:
        chunks: list[bytes] = []
        request.scope[_SIZE] = size = 0
        async for chunk in request.stream():
            size += len(chunk)
            self.held += len(chunk)
            request.scope[_SIZE] = size
            if size > self.limits.body_bytes:
                raise self._too_large()
            if self.held > self.limits.waiting_bytes:
                raise QueueFull("the waiting requests use all the memory reserved for them: try again later")
            chunks.append(chunk)
        return b"".join(chunks)

    def _too_large(self) -> TooLarge:
        return TooLarge(f"a request may have at most {self.limits.body_bytes:,} bytes")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the request is not JSON ({str(error)[:200]})") from None


def _form(body: bytes) -> dict[str, str]:
    try:
        return {name: values[-1] for name, values in parse_qs(body.decode(), max_num_fields=100).items()}
    except ValueError as error:
        raise BadRequest(f"the request is not a form ({str(error)[:200]})") from None
