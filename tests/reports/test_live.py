"""Watching runs: the server on the loopback address, the page that follows a run, and the commands."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_training_report import write  # type: ignore[import-not-found]

from bench_tools import PROGRAM
from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.reports.live import LiveServer


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write(tmp_path / "run", [0.0, 0.5], finished=False)


@pytest.fixture
def server(run: Path) -> Iterator[LiveServer]:
    serving = LiveServer([run])
    serving.start()
    yield serving
    serving.close()


def ask(server: LiveServer, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    host = server.address.removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


def add_episode(run: Path, number: int, score: float, **more: Any) -> None:
    line = {"episode": number, "interactions": 100 * (number + 1), "score": score, "steps": 10, **more}
    with (run / "episodes.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_the_server_has_the_page_its_state_and_nothing_else(server: LiveServer, run: Path) -> None:
    answer, data = ask(server, "/")
    assert answer.status == 200 and b"<title>Training runs</title>" in data
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy
    answer, data = ask(server, "/state")
    assert json.loads(data)["sections"][0]["key"] == "training"
    tag = answer.headers["ETag"]
    answer, data = ask(server, "/state", If_None_Match=tag)
    assert (answer.status, data) == (304, b"")
    add_episode(run, 2, 1.0)
    answer, data = ask(server, "/state", If_None_Match=tag)
    assert answer.status == 200 and b"300" in data
    for path in ("/config.json", "/../config.json", "/episodes.jsonl", "/favicon.ico", "/state/"):
        assert ask(server, path)[0].status == 404


def test_the_server_answers_only_under_its_own_name(server: LiveServer) -> None:
    port = server.address.rstrip("/").rpartition(":")[2]
    assert ask(server, "/", Host=f"localhost:{port}")[0].status == 200
    answer, data = ask(server, "/state", Host=f"rebound.example:{port}")
    assert answer.status == 421 and b"training" not in data
    assert server.address.startswith("http://127.0.0.1:")
    assert ask(server, "/", Host="localhost")[0].status == 421


def test_a_browser_leaves_port_80_out_of_the_name(server: LiveServer) -> None:
    address = server.address.removeprefix("http://").rstrip("/")
    server._server.server_port = 80  # the port that the server goes by; the one it listens on needs no rights
    for host, status in (("127.0.0.1", 200), ("localhost", 200), ("LocalHost:80", 200), ("rebound.example", 421)):
        connection = http.client.HTTPConnection(address, timeout=30)
        connection.request("GET", "/state", headers={"Host": host})
        assert connection.getresponse().status == status
        connection.close()


def test_only_lost_connections_are_silent(server: LiveServer, capfd: pytest.CaptureFixture[str]) -> None:
    for error in (BrokenPipeError("gone"), TimeoutError("slow"), ValueError("a defect")):
        try:
            raise error
        except type(error):
            server._server.handle_error(None, ("127.0.0.1", 1))
    text = capfd.readouterr().err
    assert "ValueError: a defect" in text and "gone" not in text and "slow" not in text


def test_a_port_that_is_taken_is_refused(server: LiveServer, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = int(server.address.rstrip("/").rpartition(":")[2])
    with pytest.raises(UsageError, match=rf"port {port} of 127\.0\.0\.1 cannot be used"):
        LiveServer([run], port)
    assert main(["watch", str(run), "--port", str(port)]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["watch", str(run), "--port", "70000"])
    assert "a port is a number from 0" in capsys.readouterr().err
    assert main(["watch", str(run / "nothing")]) == 31
    assert "the folder does not exist" in capsys.readouterr().err


def test_a_folder_without_runs_or_with_damage_is_a_message_until_it_can_be_read(tmp_path: Path) -> None:
    serving = LiveServer([tmp_path])
    serving.start()
    try:
        assert b"is not a run folder and contains none" in ask(serving, "/state")[1]
        run = write(tmp_path / "run", [0.5])
        assert b"maze-small" in ask(serving, "/state")[1]  # a run that begins later is found
        (run / "config.json").write_text("{damaged")
        answer, data = ask(serving, "/state")
        assert answer.status == 200 and b"is not valid JSON" in data
        (run / "config.json").write_text('{"environment": "maze\\ud800"}')
        answer, data = ask(serving, "/state")
        assert answer.status == 200 and b"half of a surrogate pair" in data
    finally:
        serving.close()


def test_watch_prints_its_address_and_ends_by_ctrl_c(run: Path) -> None:
    with subprocess.Popen([*PROGRAM, "watch", str(run)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline().decode()
        address = line.split()[0]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address), line
        with urllib.request.urlopen(f"{address}state", timeout=30) as answer:
            assert json.load(answer)["title"] == "Training runs"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b""


@pytest.mark.torch
def test_train_live_serves_the_run_while_it_is_running(tmp_path: Path) -> None:
    out = tmp_path / "run"
    call = ["train", "corridor", "--algorithm", "pi-iw", "--interactions", "1e7", "--budget", "4", "--out", str(out)]
    call += ["--set", "calibration=2", "--live"]
    with subprocess.Popen([*PROGRAM, *call], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        addresses = (re.search(r"(http://127\.0\.0\.1:\d+/) shows this run", line) for line in process.stderr)
        address = next(match[1] for match in addresses if match)
        # Its messages are read on, so that the pipe does not fill up.
        rest: list[str] = []
        reader = threading.Thread(target=lambda: rest.extend(process.stderr or ()))
        reader.start()
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"data-live" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130
        reader.join()
    assert any("stopped: continue with" in line for line in rest)
    assert main(["train", "corridor", "--interactions", "10", "--out", str(tmp_path / "b"), "--port", "1"]) == 2


@pytest.mark.browser
def test_the_page_follows_a_run_without_losing_its_place(run: Path, server: LiveServer, open_page: Any) -> None:
    for number in range(2, 12):
        add_episode(run, number, 0.5)
    opened = open_page(server.address, height=400, allowed=server.address)
    opened.wait_for_selector("#training-progress, #training-table")
    opened.locator("#training-table thead button").first.click()
    block = opened.locator(".block.chart").first
    block.scroll_into_view_if_needed()
    block.locator(".u-over").hover(position={"x": 30, "y": 30})
    assert block.locator(".tip").is_visible()
    opened.evaluate("document.querySelector('.block.chart canvas').id = 'same'")
    place = opened.evaluate("scrollY")
    assert place > 0
    add_episode(run, 12, 1.0, simulator_seconds=0.5, network_seconds=0.25)
    opened.wait_for_selector("#training-table tbody:has-text('1,300')")
    assert opened.evaluate("scrollY") == place
    assert block.locator(".tip").is_visible()
    assert opened.locator("#same").count() == 1  # the chart was not made anew
    assert opened.locator("#training-table thead th").first.get_attribute("aria-sort") == "ascending"
    opened.wait_for_selector("text=Where the time goes")
    (run / "result.json").write_text("{}")
    opened.wait_for_selector("text=Every run has finished.")


@pytest.mark.browser
def test_a_state_that_could_not_be_shown_is_asked_for_again(run: Path, server: LiveServer, open_page: Any) -> None:
    opened = open_page(server.address, allowed=server.address)
    opened.wait_for_selector("text=Live. The last change was")
    opened.evaluate("window.kept = document.querySelector('h1'); kept.remove()")
    add_episode(run, 2, 1.0)
    opened.wait_for_selector("text=The server has stopped or does not answer")
    opened.evaluate("document.querySelector('header').prepend(kept)")
    opened.wait_for_selector("#training-table tbody:has-text('300')")


@pytest.mark.browser
def test_the_page_says_when_its_server_has_ended(run: Path, visits: Any) -> None:
    serving = LiveServer([run])
    serving.start()
    opened = visits.open(serving.address, allowed=serving.address)
    opened.wait_for_selector("text=Live. The last change was")
    serving.close()
    opened.wait_for_selector("text=The server has stopped or does not answer")
    assert opened.locator("#training-table").count() == 1
