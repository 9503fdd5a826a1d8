"""What every request passes first: which host and which web page it is for, and the counting of answers."""

from __future__ import annotations

import json
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from widthwise.service.metrics import Metrics

_LOCAL = ("localhost", "127.0.0.1", "::1")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}


class Gate:
    """Refuses requests that a web page of another site sends, and names of hosts that are not this service.

    A page in a browser can send requests to loopback. Without this check any page could use the service. The check of
    the host keeps out pages that give their own name the address of loopback.
    """

    def __init__(
        self, app: ASGIApp, *, metrics: Metrics, hosts: Collection[str], origins: Collection[str], any_host: bool
    ) -> None:
        self.app = app
        self.metrics = metrics
        self.hosts = {*_LOCAL, *(host.lower() for host in hosts)}
        self.origins = {origin.lower() for origin in origins}
        self.any_host = any_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                route = getattr(scope.get("route"), "path", "other")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self.metrics.responses.labels(route, method, str(message["status"])).inc()
            await send(message)

        headers = Headers(scope=scope)
        reason = self._refused(headers.get("host", ""), headers.get("origin"))
        if reason:
            await _refuse(count, reason)
        else:
            await self.app(scope, receive, count)

    def _refused(self, host: str, origin: str | None) -> str:
        # Names of hosts have no case; browsers write them in lower case, other clients as they were given.
        if not self.any_host and _name(host).lower() not in self.hosts:
            return "the host name of the request is not that of this service"
        if origin is None or origin.lower() in self.origins or "*" in self.origins:
            return ""
        try:
            same = urlsplit(origin).netloc.lower() == host.lower()
        except ValueError:
            same = False
        return "" if same else "requests from web pages of other sites are refused; --allow-origin allows a site"


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


def _name(host: str) -> str:
    """The name in a host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


async def _refuse(send: Send, reason: str) -> None:
    body = json.dumps({"error": {"kind": "request", "message": reason}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
