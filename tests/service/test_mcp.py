"""`widthwise mcp`: a client of the Model Context Protocol solves tasks and gets the place of a mistake."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from cli_tools import LOCKED
from service_tools import endless, eventually, is_alive, texts
from widthwise import Plan, parse, validate
from widthwise.core.processes import tree
from widthwise.experiments.limited import usage

COMMAND = [sys.executable, "-m", "widthwise", "mcp", "--max-time", "5", "--workers", "1"]


def talk(conversation: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server, hold a conversation with it, and end it."""

    async def run() -> None:
        server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
        async with Client(server) as client:
            await conversation(client)

    asyncio.run(asyncio.wait_for(run(), 120))


def test_a_client_solves_the_corridor_and_gets_the_place_of_a_mistake() -> None:
    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["solve", "validate", "profile", "explain"]
        assert tools["solve"].input_schema["required"] == ["domain", "problem"]
        assert tools["solve"].input_schema["properties"]["max_time"]["maximum"] == 5

        solved = await client.call_tool("solve", texts(length=4))
        data: Any = solved.structured_content
        assert not solved.is_error and data["status"] == "solved"
        assert validate(parse(**texts(length=4)), Plan.parse(data["plan_text"])).valid
        assert data["plan_text"] in solved.content[0].text  # type: ignore[union-attr]

        checked = await client.call_tool("validate", {**texts(length=4), "plan": data["plan_text"]})
        assert checked.structured_content["status"] == "valid"

        task = texts(length=4)
        task["problem"] = task["problem"].replace("(at p0)", "(at q0)", 1)
        position = task["problem"].index("q0")
        wrong = await client.call_tool("solve", task)
        error = wrong.structured_content["error"]
        assert wrong.is_error and error["where"] == "problem"
        assert error["line"] == task["problem"][:position].count("\n") + 1
        assert error["column"] == position - task["problem"].rfind("\n", 0, position)
        assert "undeclared object 'q0'" in wrong.content[0].text  # type: ignore[union-attr]

    talk(conversation)


def test_profiles_explanations_and_limits() -> None:
    async def conversation(client: Client) -> None:
        profiled = await client.call_tool("profile", texts(length=4))
        assert "(have-key): width 1, IW(1)" in profiled.content[0].text  # type: ignore[union-attr]
        locked = await client.call_tool("explain", {**texts(), "problem": LOCKED})
        assert "No plan reaches (at p2)" in locked.content[0].text  # type: ignore[union-attr]
        late = await client.call_tool("solve", {**endless(), "max_time": 0.3})
        assert late.structured_content["status"] == "out-of-time"
        for name, arguments, message in (
            ("solve", {**texts(), "max_time": 100}, "the maximum is 5"),
            ("solve", {"domain": "x"}, "'problem' is missing"),
            ("fly", {}, "there is no tool 'fly'"),
        ):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error and message in refused.content[0].text  # type: ignore[union-attr]

    talk(conversation)


def request(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def hello() -> str:
    """The first messages of a client."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    return (
        request(0, "initialize", **about) + json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"
    )


def test_stdout_carries_the_protocol_only_and_the_end_of_stdin_ends_the_server() -> None:
    text = hello() + "this is not JSON\n" + request(1, "tools/list")
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(text)
    process.stdin.flush()
    answers = {}
    while 1 not in answers:
        answer = json.loads(process.stdout.readline())
        answers[answer.get("id")] = answer
    assert len(answers[1]["result"]["tools"]) == 4
    workers = tree(process.pid)[1:]
    rest, errors = process.communicate(timeout=60)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert process.returncode == 0 and "Traceback" not in errors
    eventually(lambda: not any(map(is_alive, workers)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_its_workers(number: int) -> None:
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(hello() + request(1, "tools/call", name="solve", arguments=endless()))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 0
    eventually(lambda: len(tree(process.pid)) == 2)
    workers = tree(process.pid)[1:]
    process.send_signal(number)
    assert process.wait(60) == 0
    eventually(lambda: not any(map(is_alive, workers)))
    process.communicate()


def test_a_call_that_the_client_cancels_is_ended() -> None:
    command = [*COMMAND[:4], "--max-time", "600", "--workers", "1"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(hello() + request(1, "tools/call", name="solve", arguments=endless()))
    process.stdin.flush()
    eventually(lambda: any(usage(worker)[0] > 1 for worker in tree(process.pid)[1:]))  # the search has begun
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    second = request(2, "tools/call", name="solve", arguments=texts(length=2))
    process.stdin.write(json.dumps(cancelled) + "\n" + second)
    process.stdin.flush()
    while (answer := json.loads(process.stdout.readline())).get("id") != 2:
        pass
    assert answer["result"]["structuredContent"]["status"] == "solved"  # the only worker was free again
    process.communicate(timeout=60)
