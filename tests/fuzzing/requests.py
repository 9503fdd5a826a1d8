"""The target `request`: requests to the service, handed to the code that answers them, without a socket.

Some are well-formed; others are damaged, too large, of the wrong type, or for what is not there. The work is done in
this process instead of a worker, so that a fault of it is noticed. Checked: every answer has a documented code and,
where it has a body, is JSON; a plan in it is valid.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from fuzzing.cases import Case, Disagreement
from fuzzing.damage import VALUES, damage_bytes
from fuzzing.tasks import texts
from widthwise import parse, validate
from widthwise.service.app import Service
from widthwise.service.fields import KINDS
from widthwise.service.limits import ServiceLimits
from widthwise.service.work import Answer, Job, perform
from widthwise.service.worker_pool import WorkerPool

LIMITS = ServiceLimits(seconds=1.0, megabytes=60, body_bytes=60_000, workers=1, queue=4, kept_results=2)
PATHS = [*(f"/api/{kind}" for kind in KINDS), "/solve", "/validate", "/solve-and-validate", "/package/widthwise/solve"]
OTHERS = ["/package/x/solve", "/package/widthwise/x", "/check/x", "/package", "/nothing"]
CODES = {200, 307, 400, 403, 404, 405, 413, 415, 422, 429}
FIELDS = ("planner", "width", "high", "goals", "seed", "max_nodes", "max_time", "max_memory", "improve", "plan", "x")
GOOD: dict[str, list[Any]] = {
    "planner": ["bfs", "iw", "ihiw", "hiw", "siw", "bfws"],
    "width": ["1", "2", "1,1", "n", "0", "9" * 60],
    "high": [["(clear *)"], ["clear"], ["("], []],
    "goals": [["(clear a)"], ["(not (on a b))", "(clear b)"], ["("], []],
    "plan": ["", "(lift a)\n(drop a)", "0: (LIFT A)", "(lift"],
    "max_nodes": [1, 50],
    "max_time": [0.1, 1],
}


class InProcess(WorkerPool):
    """Does the work here and at once."""

    def submit(self, job: Job) -> asyncio.Task[Answer]:
        """Do a job."""

        async def work() -> Answer:
            return {**perform(job), "queue_seconds": 0.0}

        return asyncio.ensure_future(work())


def generate(rng: random.Random) -> Case:
    """A request: its head as JSON, and its body."""
    domain, problem = texts(rng, damaged=0.4)
    path = rng.choice(PATHS) if rng.random() < 0.9 else rng.choice(OTHERS)
    data: dict[str, Any] = {"domain": domain.decode("latin-1"), "problem": problem.decode("latin-1")}
    if path.endswith(("solve", "profile")):
        data["max_nodes"] = 500
    if path.endswith("validate"):
        data["plan"] = "(lift a)\n(drop a)"
    for name in rng.sample(FIELDS, rng.choice((0, 0, 0, 1, 2))):
        data[name] = rng.choice(GOOD[name] if name in GOOD and rng.random() < 0.7 else VALUES)
    if rng.random() < 0.1:
        data[rng.choice(("domain", "problem"))] = rng.choice(VALUES)
    body = json.dumps(data if rng.random() < 0.95 else rng.choice(VALUES)).encode()
    if rng.random() < 0.1:
        body = damage_bytes(body, rng)
    if rng.random() < 0.03:
        body += b" " * LIMITS.body_bytes
    headers = {"host": "127.0.0.1", "content-type": "application/json", "content-length": str(len(body))}
    if rng.random() < 0.15:
        name = rng.choice((*headers, "origin"))
        headers[name] = rng.choice(("", "x", "[", "text/plain", "application/x-www-form-urlencoded", "-1", "9" * 30))
    method = "POST" if rng.random() < 0.93 else rng.choice(("GET", "DELETE", "HEAD", "OPTIONS", "PUT", "x"))
    head = {"method": method, "path": path, "headers": headers, "cut": rng.random() < 0.05}
    return {"head.json": json.dumps(head).encode(), "body": body}


def check_case(case: Case) -> str:
    """Have a request answered; the outcome is the code."""
    head = json.loads(case["head.json"])
    code, body = asyncio.run(_answer(head, case["body"]))
    if code not in CODES:
        raise Disagreement(f"the answer has the code {code}: {body[:500]!r}")
    if head["method"] == "HEAD" or not body:
        return str(code)
    answer = json.loads(body)
    if head["path"] == "/api/solve" and code == 200 and answer["status"] == "solved":
        data = json.loads(case["body"])
        task = parse(data["domain"], data["problem"], goals=data.get("goals", ()))
        if not validate(task, answer["plan"]).valid:
            raise Disagreement("a plan that is not valid was answered")
    return str(code)


async def _answer(head: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """The code and the body of the answer to a request; a request that is cut ends in its middle."""
    service = Service(LIMITS)
    service.pool = InProcess(LIMITS)
    pieces = [body[: len(body) // 2], body[len(body) // 2 :]]
    messages = [{"type": "http.request", "body": piece, "more_body": index == 0} for index, piece in enumerate(pieces)]
    if head["cut"]:
        messages[1] = {"type": "http.disconnect"}
    sent: list[Any] = []

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        await asyncio.Event().wait()  # the client stays

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": head["method"],
        "path": head["path"],
        "raw_path": head["path"].encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in head["headers"].items()],
    }
    await service.app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)
