"""The Model Context Protocol server: the kinds of requests of the service as tools of language models, over stdio.

Standard output carries the protocol only; the package moves it away from everything that prints.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

from widthwise.core.errors import WidthwiseError
from widthwise.service.fields import KINDS, SUMMARIES, BadRequest, read_request, schema
from widthwise.service.limits import ServiceLimits
from widthwise.service.work import Answer
from widthwise.service.worker_pool import WorkerPool
from widthwise.version import __version__

_INSTRUCTIONS = (
    "Widthwise plans in PDDL. Give the texts of domain and problem, not paths. Use solve for a plan; every plan is "
    "validated. A mistake in PDDL is reported with its line and column. Use explain if a task has no plan or a plan is "
    "not valid, and profile to see how hard each goal is."
)


class ProtocolServer:
    """The tools, and the workers behind them.

    Args:
        limits: What a call may use.
    """

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.pool = WorkerPool(limits)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.server: Server[Any] = Server(
            "widthwise",
            version=__version__,
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
            get_tool_input_schema=lambda name: schema(name, limits) if name in KINDS else None,
        )

    def stop(self) -> None:
        """End the workers and the process; for handlers of signals.

        The process does not return from `run`, because a thread of the package waits for the next line of the client.
        """

        async def end() -> None:
            await self.pool.stop()
            os._exit(0)

        if self._loop is None:
            os._exit(0)
        self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(end()))

    async def run(self) -> None:
        """Serve until the client closes the connection."""
        self._loop = asyncio.get_running_loop()
        self.pool.start()
        try:
            async with stdio_server() as (reading, writing):
                await self.server.run(reading, writing, self.server.create_initialization_options())
        finally:
            await self.pool.stop()

    async def _list(self, context: Any, params: Any) -> ListToolsResult:
        hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        tools = [
            Tool(name=kind, description=SUMMARIES[kind], input_schema=schema(kind, self.limits), annotations=hints)
            for kind in KINDS
        ]
        return ListToolsResult(tools=tools)

    async def _call(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        try:
            if params.name not in KINDS:
                raise BadRequest(f"there is no tool {params.name[:100]!r}; the tools are {', '.join(KINDS)}")
            answer = await self.pool.run(read_request(params.name, params.arguments or {}, self.limits))
        except WidthwiseError as error:
            answer = {"status": "error", "error": {"kind": "request", "message": str(error)}}
        return CallToolResult(
            content=[TextContent(type="text", text=text_of(answer))],
            structured_content=answer,
            is_error="error" in answer,
        )


def text_of(answer: Answer) -> str:
    """An answer in words for the model, in addition to the data."""
    if "error" in answer:
        return str(answer["error"]["message"])
    if "explanation" in answer:
        return str(answer["explanation"])
    if answer.get("plan_text"):
        return f"{answer['status']}: {answer['reason']}\n{answer['plan_text']}"
    if "goals" in answer:
        rows = [
            f"{goal['goal']}: width {goal['width']}, {goal['solved_by'] or goal['status']}" for goal in answer["goals"]
        ]
        return "\n".join([f"{answer['status']}: {len(rows)} of {answer['goal_count']} goals profiled", *rows])
    return f"{answer['status']}: {answer.get('reason', '')}"
