"""The search debugger gets every node of a search exactly once, parents before children."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cli_tools import call, files

CODES = {"/state/initial": 201, "/state": 201, "/state/visitedOrWorse": 201, "/state/heuristic": 200, "/plan": 200}


class Extension(ThreadingHTTPServer):
    """What the extension does with messages, and what it refuses."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.break_after: int | None = None
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> str:
        return str(self.server_address[1])

    def of(self, path: str) -> list[dict[str, Any]]:
        """The messages to one address."""
        return [data for place, data in self.messages if place == path]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self.answer(200 if self.path == "/about" else 404)

    def do_POST(self) -> None:
        extension = self.server
        assert isinstance(extension, Extension)
        data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        extension.messages.append((self.path, data))
        broken = extension.break_after is not None and len(extension.messages) > extension.break_after
        self.answer(500 if broken else CODES.get(self.path, 404))

    def answer(self, code: int) -> None:
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def extension() -> Iterator[Extension]:
    with Extension() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def check_messages(extension: Extension) -> list[dict[str, Any]]:
    """What the parser of the extension relies on; returns the nodes in the order in which they came."""
    seen: dict[str, dict[str, Any]] = {}
    for path, data in extension.messages:
        assert path in CODES
        assert re.fullmatch(r"\d+", data["id"])  # the default pattern of the extension
        if path in ("/state/initial", "/state"):
            assert data["id"] not in seen, "a node came twice"
            assert (path == "/state/initial") == (not seen)
            assert data["parentId"] is None if not seen else data["parentId"] in seen
            assert len(data["planHead"]) == data["g"]
            assert all(step["kind"] == "INSTANTANEOUS" for step in data["planHead"])
            if seen:
                parent = seen[data["parentId"]]
                assert data["planHead"] == [*parent["planHead"], data["appliedAction"]]
            seen[data["id"]] = data
        else:
            assert data["id"] in seen, f"{path} is about a node that has not come"
    return list(seen.values())


@pytest.mark.parametrize(
    ("planner", "width"), [("bfs", None), ("iw", "1"), ("iw", "2"), ("hiw", "1,1"), ("ihiw", "1,1"), ("bfws", None)]
)
def test_every_node_comes_once_and_after_its_parent(
    tmp_path: Path, extension: Extension, planner: str, width: str | None
) -> None:
    paths = files(tmp_path, "corridor", length=6)
    options = ["--planner", planner, *([] if width is None else ["--width", width])]
    options += ["--high", "(have-key)"] if planner == "hiw" else []
    ended = call("solve", *paths, *options, "--json", "--search-debugger", extension.port)
    result = json.loads(ended.out)
    nodes = check_messages(extension)
    pruned = {data["id"] for data in extension.of("/state/visitedOrWorse")}
    evaluated = {data["id"] for data in extension.of("/state/heuristic")}
    assert pruned | evaluated == {node["id"] for node in nodes} and not pruned & evaluated
    assert len(extension.of("/state/visitedOrWorse")) == len(pruned)
    if planner == "bfws":  # its tree has no node for a duplicate
        assert len(nodes) == result["generated"] - result["pruned"]
    else:
        assert len(nodes) == result["generated"]
    if planner in ("bfs", "iw", "hiw"):  # a feature that ihiw discovers can make a pruned node novel
        assert len(pruned) == result["pruned"]
    plans = extension.of("/plan")
    assert len(plans) == (result["plan"] is not None)
    for plan in plans:
        assert [f"({step['actionName']})" for step in plan["planHead"]] == result["plan"]
        goal = next(data for data in extension.of("/state/heuristic") if data["id"] == plan["id"])
        assert goal["h"] == 0


def test_the_heuristic_counts_open_goals(tmp_path: Path, extension: Extension) -> None:
    call("solve", *files(tmp_path, "corridor", length=3), "--planner", "bfs", "--search-debugger", extension.port)
    values = {data["id"]: data["h"] for data in extension.of("/state/heuristic")}
    assert values["0"] == 1  # the key is missing, the place is right
    assert set(values.values()) == {0, 1, 2}


def test_the_argument_that_the_extension_passes_works_with_its_output(tmp_path: Path, extension: Extension) -> None:
    paths = files(tmp_path, "corridor", length=4)
    address = f"--search-tree-dump=http://localhost:{extension.port}"
    ended = call("solve", *paths, "--vscode", "--planner", "ihiw", address)
    assert ended.code == 0 and ended.err == ""
    count = len(check_messages(extension))
    assert f"received {count} nodes" in ended.out


def test_a_debugger_that_is_not_there_is_one_message(tmp_path: Path, extension: Extension) -> None:
    port = extension.port
    extension.shutdown()
    extension.server_close()
    ended = call("solve", *files(tmp_path, "corridor"), "--planner", "bfs", "--search-debugger", port)
    assert ended.code == 2 and f"no search debugger answers at http://127.0.0.1:{port}" in ended.err
    assert "Traceback" not in ended.err


def test_a_debugger_that_fails_leaves_the_plan(tmp_path: Path, extension: Extension) -> None:
    extension.break_after = 5
    ended = call("solve", *files(tmp_path, "corridor"), "--planner", "bfs", "--search-debugger", extension.port)
    assert ended.code == 0 and ended.out.startswith("(walk p0 p1)")
    assert "with code 500" in ended.err


@pytest.mark.parametrize("address", ["0", "70000", "nowhere", "https://localhost:1", "http://localhost", "http://[::1"])
def test_other_addresses_are_refused(tmp_path: Path, address: str) -> None:
    ended = call("solve", *files(tmp_path, "corridor"), "--planner", "bfs", "--search-debugger", address)
    assert ended.code == 2 and "takes a port or a URL" in ended.err


@pytest.mark.parametrize("options", [[], ["--planner", "siw"], ["--planner", "iw", "--each-goal"]])
def test_several_searches_are_refused(tmp_path: Path, options: list[str]) -> None:
    ended = call("solve", *files(tmp_path, "corridor"), *options, "--search-debugger", "8000")
    assert ended.code == 2 and "shows one search" in ended.err
