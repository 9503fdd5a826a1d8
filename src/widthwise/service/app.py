"""The HTTP service: its routes and how every error becomes an answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from widthwise.core.errors import WidthwiseError
from widthwise.portfolio.planner_names import NAMES
from widthwise.service import planning_domains
from widthwise.service.api_page import render_page
from widthwise.service.bodies import Bodies, TooLarge, WrongType
from widthwise.service.fields import KINDS, BadRequest, read_request
from widthwise.service.gate import Gate
from widthwise.service.kept_jobs import KeptJobs
from widthwise.service.limits import ServiceLimits
from widthwise.service.metrics import Metrics
from widthwise.service.openapi import document
from widthwise.service.work import Answer, Job
from widthwise.service.worker_pool import QueueFull, Stopping, WorkerLost, WorkerPool
from widthwise.version import __version__

_CODES: dict[type[WidthwiseError], int] = {
    BadRequest: 400,
    TooLarge: 413,
    WrongType: 415,
    QueueFull: 429,
    Stopping: 503,
    WorkerLost: 500,
}
#: The code for a client that went away; it is only counted.
_GONE = 499
Endpoint = Callable[[Request], Awaitable[Response]]


class Service:
    """One service: its workers, its results, its numbers and its routes.

    Args:
        limits: What requests may use.
        hosts: Names of hosts, in addition to those of loopback, that requests may be for.
        origins: Web pages of other sites that may send requests; `*` stands for all.
        any_host: Accept every name of a host.
    """

    def __init__(
        self,
        limits: ServiceLimits | None = None,
        *,
        hosts: Collection[str] = (),
        origins: Collection[str] = (),
        any_host: bool = False,
    ) -> None:
        self.limits = limits or ServiceLimits()
        self.metrics = Metrics()
        self.pool = WorkerPool(self.limits, self.metrics)
        self.metrics.waiting.set_function(lambda: self.pool.waiting)
        self.metrics.running.set_function(lambda: self.pool.running)
        self.bodies = Bodies(self.limits)
        self.kept = KeptJobs(self.limits)
        self.document = document(self.limits)
        self.page = render_page(self.document)
        self.packages = planning_domains.manifest(self.limits, [name for name in NAMES if name != "hiw"])
        gate = Middleware(Gate, metrics=self.metrics, hosts=hosts, origins=origins, any_host=any_host)
        cors = Middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["*"], allow_headers=["*"])
        self.app = Starlette(
            routes=self._routes(),
            middleware=[gate, *([cors] if origins else [])],
            lifespan=self._lifespan,
            exception_handlers={WidthwiseError: _known_error, HTTPException: _http_error},
        )

    def _routes(self) -> list[Route]:
        native = [Route(f"/api/{kind}", self._native(kind), methods=["POST"]) for kind in KINDS]
        return [
            Route("/", self._show_page, methods=["GET"]),
            Route("/openapi.json", self._show_document, methods=["GET"]),
            Route("/health", self._health, methods=["GET"]),
            Route("/metrics", self._metrics, methods=["GET"]),
            *native,
            Route("/solve", self._domains_solve, methods=["POST"]),
            Route("/validate", self._domains_validate, methods=["POST"]),
            Route("/solve-and-validate", self._domains_both, methods=["POST"]),
            Route("/package", self._packages, methods=["GET"]),
            Route("/package/{package}/{service}", self._package, methods=["GET", "POST"]),
            Route("/check/{job}", self._check, methods=["GET", "POST", "DELETE"]),
        ]

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.pool.start()
        try:
            yield
        finally:
            await self.stop()

    async def stop(self) -> None:
        """End all work; requests in progress are answered with code 503."""
        await asyncio.gather(self.kept.stop(), self.pool.stop())

    async def _awaited(self, request: Request, job: Job) -> Answer | None:
        """Have a job done; None if the client goes away first, which ends the job."""
        work = self.pool.submit(job)
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if work.cancelled():  # the service is shutting down
                raise Stopping("the service is shutting down")
            return work.result() if work.done() else None
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    async def _posted(
        self, request: Request, kind: str, show: Callable[[Answer], Response], *, foreign: bool = False
    ) -> Response:
        """Read a request, have it done, and show the answer."""
        try:
            data = await self.bodies.read(request)
            if foreign:
                planning_domains.check_texts(data)
            job = read_request(kind, data, self.limits, ignore_unknown=foreign)
            job["show_actions"] = foreign
            answer = await self._awaited(request, job)
        finally:
            self.bodies.release(request)
        return Response(status_code=_GONE) if answer is None else show(answer)

    def _native(self, kind: str) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            return await self._posted(request, kind, lambda answer: _json(answer, 422 if "error" in answer else 200))

        return endpoint

    async def _domains_solve(self, request: Request) -> Response:
        return await self._foreign(request, "solve", planning_domains.solved)

    async def _domains_validate(self, request: Request) -> Response:
        return await self._foreign(request, "validate", planning_domains.validated)

    async def _domains_both(self, request: Request) -> Response:
        return await self._foreign(request, "solve", planning_domains.solved_and_validated)

    async def _foreign(self, request: Request, kind: str, form: Callable[[Answer], Answer]) -> Response:
        try:
            return await self._posted(request, kind, lambda answer: _json(form(answer)), foreign=True)
        except BadRequest as error:  # clients of that service look for the message in the answer
            return _json(planning_domains.failed(str(error)), 400)

    async def _packages(self, request: Request) -> Response:
        return _json(self.packages)

    async def _package(self, request: Request) -> Response:
        package, service = request.path_params["package"], request.path_params["service"]
        if package not in self.packages:
            return _json({"Error": f"That package does not exist; there is {planning_domains.PACKAGE}"}, 404)
        if service != "solve":
            return _json({"Error": "That package does not contain that service; it has solve"}, 404)
        if request.method == "GET":
            return _json(self.packages[package])
        try:
            data = await self.bodies.read(request)
            planning_domains.check_texts(data)
            job = read_request("solve", data, self.limits, ignore_unknown=True)
            job["show_actions"] = True
            self.kept.check_room()
            task = self.pool.submit(job)
            size = self.bodies.taken(request)
            task.add_done_callback(lambda task: self.bodies.give_back(size))
        except BadRequest as error:
            return _json({"Error": str(error)}, 400)
        finally:
            self.bodies.release(request)
        return _json({"result": f"/check/{self.kept.add(task)}"})

    async def _check(self, request: Request) -> Response:
        name = request.path_params["job"]
        job = self.kept.find(name)
        if job is None:
            raise HTTPException(404, "there is no such job, or its result was dropped")
        if request.method == "DELETE":
            self.kept.remove(name)
            return _json({"status": "deleted"})
        if not job.task.done():
            return _json({"status": "PENDING"})
        answer = job.task.result()
        adaptor = await _adaptor(request)
        if adaptor is None:
            return _json(planning_domains.package_result(answer))
        if adaptor != planning_domains.ADAPTOR:
            raise HTTPException(400, f"there is no such adaptor; there is {planning_domains.ADAPTOR}")
        return _json(planning_domains.adapted_result(answer))

    async def _show_page(self, request: Request) -> Response:
        return HTMLResponse(self.page)

    async def _show_document(self, request: Request) -> Response:
        return _json(self.document)

    async def _health(self, request: Request) -> Response:
        return _json(
            {
                "status": "stopping" if self.pool.stopping else "ok",
                "version": __version__,
                "waiting": self.pool.waiting,
                "running": self.pool.running,
            }
        )

    async def _metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), media_type=self.metrics.content_type)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _adaptor(request: Request) -> str | None:
    """The adaptor that a request for a result names."""
    if request.method != "POST":
        return None
    size = 0
    chunks: list[bytes] = []
    async for chunk in request.stream():
        size += len(chunk)
        if size > 10_000:
            raise TooLarge("a request for a result may have at most 10,000 bytes")
        chunks.append(chunk)
    if size == 0:
        return None
    try:
        data: Any = json.loads(b"".join(chunks))
    except (ValueError, RecursionError):
        raise BadRequest("the request is not JSON") from None
    adaptor = data.get("adaptor") if isinstance(data, dict) else None
    return None if adaptor is None else str(adaptor)


def _json(data: Any, code: int = 200) -> Response:
    return JSONResponse(data, code)


async def _known_error(request: Request, error: Exception) -> Response:
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), 500)
    headers = {"Retry-After": "1"} if code in (429, 503) else None
    return JSONResponse(
        {"error": {"kind": "service" if code >= 429 else "request", "message": str(error)}}, code, headers
    )


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = error.detail
    if message == HTTPStatus(error.status_code).phrase:  # from the router, which gives no reason
        what = f"{request.method} is not possible here" if error.status_code == 405 else "there is no such address"
        message = f"{what}: GET / describes every request"
    data = {"error": {"kind": "request", "message": message}}
    return JSONResponse(data, error.status_code, headers=error.headers)
