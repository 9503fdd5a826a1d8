"""`widthwise serve`: answers, limits, cancellation and a clean end, of a service in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from browser_tools import Visits
from service_tools import Running, endless, eventually, is_alive, resident_mb, serving, texts
from widthwise import Plan, parse, validate


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    """A service with small limits, for all tests of this module that leave it as it was."""
    with serving("--max-time", "5", "--max-memory", "300", "--workers", "2", "--max-queue", "3") as running:
        yield running


def is_valid(plan: list[str], **sizes: int) -> bool:
    return validate(parse(**texts("corridor", **sizes)), Plan(plan)).valid


def test_a_request_is_solved_and_validated(service: Running) -> None:
    answer = service.post("/api/solve", texts(length=4))
    assert answer.status_code == 200 and is_valid(answer.json()["plan"], length=4)
    checked = service.post("/api/validate", {**texts(length=4), "plan": answer.json()["plan_text"]}).json()
    assert checked["status"] == "valid" and checked["cost"] == 9
    assert service.post("/api/profile", texts(length=4)).json()["goal_count"] == 2
    assert "solvable" in service.post("/api/explain", texts(length=4)).json()["explanation"]


def test_a_mistake_has_its_place_and_the_code_422(service: Running) -> None:
    data = texts(length=4)
    answer = service.post("/api/solve", {**data, "problem": data["problem"].replace("(at p0)", "(at q0)", 1)})
    assert answer.status_code == 422
    assert {"where": "problem", "kind": "input"}.items() <= answer.json()["error"].items()
    assert answer.json()["error"]["line"] > 1


@pytest.mark.parametrize(
    ("content", "kind", "code"),
    [
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"domain": 1' + b"0" * 5000 + b"}", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"x" * 8_000_001, "application/json", 413),
    ],
)
def test_requests_of_another_form_are_refused(service: Running, content: bytes, kind: str, code: int) -> None:
    answer = httpx.post(f"{service.url}/api/solve", content=content, headers={"Content-Type": kind}, timeout=60)
    assert answer.status_code == code
    assert answer.json()["error"]["message"]


def test_unknown_addresses_and_methods_are_refused_with_the_place_that_lists_them(service: Running) -> None:
    for answer, code, words in (
        (service.get("/api/nothing"), 404, "no such address"),
        (service.get("/api/solve"), 405, "GET is not possible here"),
    ):
        assert answer.status_code == code
        message = answer.json()["error"]["message"]
        assert words in message and "GET / describes" in message


def test_a_body_without_a_length_is_limited_too(service: Running) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1_000_000

    with pytest.raises(httpx.HTTPError):  # the connection is closed, or the answer comes first
        answer = httpx.post(
            f"{service.url}/api/solve", content=chunks(), headers={"Content-Type": "application/json"}, timeout=60
        )
        assert answer.status_code == 413
        raise httpx.WriteError("refused")
    assert service.get("/health").json()["status"] == "ok"


def test_other_hosts_and_other_sites_are_refused(service: Running) -> None:
    assert httpx.get(f"{service.url}/health", headers={"Host": "evil.example:80"}).status_code == 403
    assert httpx.get(f"{service.url}/health", headers={"Host": "localhost:1"}).status_code == 200
    assert httpx.get(f"{service.url}/health", headers={"Host": "LocalHost:1"}).status_code == 200
    assert service.post("/api/solve", texts(), headers={"Origin": "http://evil.example"}).status_code == 403
    assert service.post("/api/solve", texts(length=2), headers={"Origin": service.url}).status_code == 200


def test_time_is_kept(service: Running) -> None:
    answer = service.post("/api/solve", {**endless(), "max_time": 0.5}).json()
    assert answer["status"] == "out-of-time" and answer["plan"] is None
    refused = service.post("/api/solve", {**endless(), "max_time": 6})
    assert refused.status_code == 400 and "the maximum is 5" in refused.json()["error"]["message"]


def test_memory_is_kept(service: Running) -> None:
    answer = service.post("/api/solve", {**endless(), "max_memory": 5}).json()
    assert answer["status"] == "out-of-memory"
    service.post("/api/solve", {**endless(), "max_time": 1})  # runs into one of its limits
    assert all(resident_mb(pid) < 700 for pid in service.workers())


def test_a_worker_that_is_killed_harms_no_other_request(service: Running) -> None:
    with ThreadPoolExecutor(2) as threads:
        running = service.metric("widthwise_worker_restarts_total")
        lost = threads.submit(service.post, "/api/solve", endless())
        before = {pid: cpu_seconds(pid) for pid in service.workers()}
        eventually(lambda: any(cpu_seconds(pid) > before[pid] + 0.2 for pid in before))
        os.kill(next(pid for pid in before if cpu_seconds(pid) > before[pid] + 0.2), signal.SIGKILL)
        answer = lost.result()
    assert answer.status_code == 500 and "signal 9" in answer.json()["error"]["message"]
    assert service.post("/api/solve", texts(length=4)).json()["status"] == "solved"
    eventually(lambda: len(service.workers()) == 2)
    assert service.metric("widthwise_worker_restarts_total") > running


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def test_a_request_whose_client_disconnects_is_ended(service: Running) -> None:
    before = service.metric('widthwise_jobs_total{kind="solve",status="cancelled"}')
    with pytest.raises(httpx.TimeoutException):
        httpx.post(f"{service.url}/api/solve", json=endless(), timeout=0.5)
    eventually(lambda: service.metric('widthwise_jobs_total{kind="solve",status="cancelled"}') == before + 1)
    assert service.metric("widthwise_running") == 0


def test_the_queue_is_bounded_and_in_order() -> None:
    with serving("--max-time", "5", "--workers", "1", "--max-queue", "2") as service, ThreadPoolExecutor(8) as threads:
        first = threads.submit(service.post, "/api/solve", {**endless(), "max_time": 5})
        eventually(lambda: service.metric("widthwise_running") == 1)
        waiting = []
        for number in (1, 2):
            waiting.append(threads.submit(service.post, "/api/solve", texts(length=4)))
            eventually(lambda number=number: service.metric("widthwise_waiting") == number)  # type: ignore[misc]
        refused = service.post("/api/solve", texts(length=4))
        assert refused.status_code == 429 and int(refused.headers["Retry-After"]) >= 1
        assert first.result().json()["status"] == "out-of-time"
        assert [answer.result().json()["status"] for answer in waiting] == ["solved", "solved"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_and_all_its_processes(number: int) -> None:
    with serving("--workers", "2", "--max-time", "60") as service, ThreadPoolExecutor(3) as threads:
        answers = [threads.submit(service.post, "/api/solve", endless()) for _ in range(3)]
        # All three have arrived only when two are worked on and one waits: while the workers start, the first waits.
        eventually(lambda: service.metric("widthwise_running") == 2)
        eventually(lambda: service.metric("widthwise_waiting") == 1)
        workers = service.workers()
        assert len(workers) == 2
        assert service.end(number) == 0
        assert [answer.result().status_code for answer in answers] == [503, 503, 503]
    assert not any(map(is_alive, workers))
    assert not any("Traceback" in line for line in service.lines)


def test_workers_end_with_a_service_that_is_killed() -> None:
    with serving("--workers", "2") as service, ThreadPoolExecutor(1) as threads:
        threads.submit(service.post, "/api/solve", endless()).add_done_callback(lambda answer: answer.exception())
        eventually(lambda: service.metric("widthwise_running") == 1)
        workers = service.workers()
        service.end(signal.SIGKILL)
        eventually(lambda: not any(map(is_alive, workers)))


def test_another_address_needs_to_be_named_and_gives_a_warning() -> None:
    with serving() as service:
        assert service.url.startswith("http://127.0.0.1:")
        assert not any("warning" in line for line in service.lines)
    with serving("--host", "0.0.0.0") as service:
        assert any("everyone who can reach 0.0.0.0 can use this service" in line for line in service.lines)


def test_a_port_that_is_taken_is_one_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-m", "widthwise", "serve", "--port", port], capture_output=True, text=True, check=False
        )
    assert ended.returncode == 2 and f"cannot listen on port {port} of 127.0.0.1" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_many_requests_at_once_are_all_answered() -> None:
    """A small form of benchmarks/serve_load.py: nothing is lost, no limit is passed, and memory does not grow."""
    count = 40
    with serving("--workers", "2", "--max-time", "2", "--max-memory", "100") as service:
        eventually(lambda: len(service.workers()) == 2)
        service.post("/api/solve", texts(length=8))
        before = resident_mb(service.process.pid)
        start = threading.Barrier(count)

        def request(number: int) -> httpx.Response:
            start.wait()
            data = {**endless(), "max_time": 0.05} if number % 4 == 0 else texts(length=8)
            return service.post("/api/solve", data)

        with ThreadPoolExecutor(count) as threads:
            answers = list(threads.map(request, range(count)))
        grown = resident_mb(service.process.pid) - before
    for number, answer in enumerate(answers):
        data = answer.json()
        if number % 4 == 0:
            assert data["status"] == "out-of-time" and data.get("work_seconds", 0) < 2.05
        else:
            assert data["status"] == "solved" and is_valid(data["plan"], length=8)
    assert grown < 60


@pytest.mark.browser
def test_the_page_shows_every_request_in_a_browser(service: Running, visits: Visits) -> None:
    page = visits.open(f"{service.url}/", allowed=f"{service.url}/")
    shown = page.locator("h2 code").all_inner_texts()
    assert set(shown) == set(service.get("/openapi.json").json()["paths"])
    assert not visits.problems


def test_a_missing_extra_names_its_command() -> None:
    program = "import sys; from widthwise.cli.main import main; sys.modules[sys.argv[2]] = None; "
    program += "sys.exit(main(sys.argv[1:2]))"
    for command, package in (("serve", "starlette"), ("serve", "uvicorn"), ("mcp", "mcp")):
        call = [sys.executable, "-c", program, command, package]
        ended = subprocess.run(call, capture_output=True, text=True, check=False)
        assert ended.returncode == 34 and f"pip install 'widthwise[{command}]'" in ended.stderr, ended.stderr


def test_the_page_and_the_document_load_nothing(service: Running) -> None:
    page = service.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<script" not in page.text and "src=" not in page.text and "url(" not in page.text
    document = service.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1") and all(path in page.text for path in document["paths"])
