"""The search debugger of the PDDL extension of Visual Studio Code: sends the nodes of a search to it, over HTTP.

The extension listens on loopback and draws the tree. Every node is posted once, its parent before it:
`/state/initial` for the root and `/state` for the others. A pruned node is then reported by `/state/visitedOrWorse`,
every other node by `/state/heuristic` with the number of goals that are still open. A plan is reported by `/plan`.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from widthwise import _native
from widthwise.classical.task import Task
from widthwise.core.errors import OutputError, UsageError
from widthwise.portfolio.registry import Planner
from widthwise.task_search.hiw import HIW
from widthwise.task_search.iw import IW

_SECONDS = 30.0  # the longest wait for an answer
_EPSILON = 0.001  # the time between two actions, as the extension counts it


def recording(planner: Planner) -> Planner:
    """The same planner, with pruned nodes kept in its tree."""
    return replace(planner, record=True) if isinstance(planner, IW | HIW) else planner


class SearchDebugger:
    """A connection to the extension, and the nodes that it has received.

    Args:
        address: A port of this machine, or a URL such as `http://localhost:8123`.

    Raises:
        UsageError: This is neither a port nor a URL.
    """

    def __init__(self, address: str) -> None:
        self.host, self.port = _place(address)
        self.url = f"http://{self.host}:{self.port}"
        self.sent = 0  # nodes
        self.stopped = False
        self._connection = http.client.HTTPConnection(self.host, self.port, timeout=_SECONDS)
        self._names: dict[int, str] = {}

    def connect(self) -> None:
        """Check that the extension listens; raises `UsageError` if it does not."""
        try:
            self._connection.request("GET", "/about")
            self._connection.getresponse().read()
        except (OSError, http.client.HTTPException) as error:
            raise UsageError(
                f"no search debugger answers at {self.url} ({error}): start it in Visual Studio Code with the command "
                "'PDDL: Start search debugger', and give its port"
            ) from None

    def stop(self) -> None:
        """Send nothing more; for handlers of signals."""
        self.stopped = True

    def send_nodes(self, search: _native.Search | _native.BestFirst, task: Task) -> None:
        """Send the nodes that were not sent yet; raises `OutputError` if the extension does not take them."""
        while self.sent < search.node_count and not self.stopped:
            node = self.sent
            self.sent += 1
            data = self._state(search, task, node)
            self._post("/state" if node else "/state/initial", data)
            if search.node(node)[-1] & _native.PRUNED:
                self._post("/state/visitedOrWorse", data)
            else:
                self._post("/state/heuristic", _evaluation(search, task, node, data))

    def send_plan(self, search: _native.Search | _native.BestFirst, task: Task) -> None:
        """Send the node in which the goal holds, if there is one."""
        for node in range(search.node_count - 1, -1, -1):
            if search.node(node)[-1] & _native.GOAL and not self.stopped:
                self._post("/plan", self._state(search, task, node))
                return

    def _state(self, search: _native.Search | _native.BestFirst, task: Task, node: int) -> dict[str, Any]:
        """A node as the extension reads it."""
        head = [self._happening(task, op, number) for number, op in enumerate(search.path(node), 1)]
        parent = search.node(node)[0]
        return {
            "id": str(node),
            "parentId": None if parent is None else str(parent),
            "g": len(head),
            "earliestTime": round(_EPSILON * len(head), 3),
            "appliedAction": head[-1] if head else None,
            "planHead": head,
            "landmarks": 0,
        }

    def _happening(self, task: Task, op: int, number: int) -> dict[str, Any]:
        if op not in self._names:
            self._names[op] = task.operator_name(op).strip("()")
        return {
            "earliestTime": round(_EPSILON * number, 3),
            "actionName": self._names[op],
            "shotCounter": 0,
            "iterations": 1,
            "kind": "INSTANTANEOUS",
        }

    def _post(self, path: str, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        try:
            self._connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise OutputError(
                f"the search debugger at {self.url} closed the connection after {self.sent} nodes ({error})"
            ) from None
        if answer.status >= 300:
            raise OutputError(f"the search debugger at {self.url} refused {path} with code {answer.status}")


def _evaluation(
    search: _native.Search | _native.BestFirst, task: Task, node: int, data: dict[str, Any]
) -> dict[str, Any]:
    """How far a node is from the goal: the goals that are open. A width search has no other estimate."""
    state = search.state(node)
    goal = task.goal
    open_goals = sum(atom not in state for atom in goal.positive) + sum(atom in state for atom in goal.negative)
    return {
        "id": data["id"],
        "h": open_goals,
        "totalMakespan": data["earliestTime"],
        "helpfulActions": [],
        "relaxedPlan": [],
    }


def _place(address: str) -> tuple[str, int]:
    """The host and port of an address; a port alone is one of this machine."""
    if address.isascii() and address.isdigit() and 0 < int(address) < 65536:
        return "127.0.0.1", int(address)
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme != "http" or not host or not port:
        raise UsageError(f"--search-debugger takes a port or a URL such as http://localhost:8123, not {address!r}")
    return host, port
