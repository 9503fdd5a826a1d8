"""A page that follows runs in progress: a server on this machine's loopback address that reads the run folders.

It answers two requests: `/`, the page, and `/state`, its content as JSON, which the page fetches every other second. It
only reads files, and nothing in a run folder is executed.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Sequence
from html import escape
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from widthwise.core.errors import UsageError, WidthwiseError
from widthwise.reports.kinds import PageLinks, make_document, make_reports
from widthwise.reports.page.content import PageBlock, Section
from widthwise.reports.page.document import Document, policy
from widthwise.reports.records import run_folders

HOST = "127.0.0.1"
_FILES = ("config.json", "result.json", "results.jsonl", "episodes.jsonl", "evaluations.jsonl", "progress.jsonl")


class LiveDocument:
    """The page of some run folders, made again when one of their files has changed.

    Args:
        folders: run folders, or folders of run folders; new runs in them are found.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = list(folders)
        self._lock = threading.Lock()
        self._seen: object = None
        self._document = Document("Report", "")

    def document(self) -> Document:
        """The page as it is now; what cannot be read yet, or any more, is a message on it."""
        with self._lock:
            seen = self._signature()
            if seen != self._seen:
                self._document, self._seen = self._read(), seen
            return self._document

    def _read(self) -> Document:
        try:
            runs = [run for folder in self.folders for run in run_folders(folder)]
            reports = make_reports(runs)
            return make_document(reports, [{} for _ in reports], PageLinks())
        except WidthwiseError as error:
            message = PageBlock("message", f"<p>{escape(str(error))}</p>", style="warn")
            return Document("Report", "There is nothing to show yet.", [Section("waiting", "Waiting", [message])])

    def _signature(self) -> list[tuple[str, int, int]]:
        """The size and the time of every file that the page depends on."""
        signature = []
        for folder in self.folders:
            for place in (folder, *_inside(folder)):
                for name in _FILES:
                    try:
                        about = (place / name).stat()
                    except OSError:
                        continue
                    signature.append((str(place / name), about.st_size, about.st_mtime_ns))
        return signature


def _inside(folder: Path) -> list[Path]:
    """The folders in which runs of a folder can be: runs in it, and runs of suites in it."""
    try:
        return sorted(
            {path.parent for pattern in ("*", "runs/*", "*/runs/*") for path in folder.glob(f"{pattern}/*.json")}
        )
    except OSError:
        return []


class LiveServer:
    """Serves the page of some run folders on the loopback address.

    Args:
        folders: run folders, or folders of run folders.
        port: the port; 0 for any free one.

    Raises:
        UsageError: the port cannot be used.

    Example:
        >>> server = LiveServer([Path("runs/small")])
        >>> server.address
        'http://127.0.0.1:40123/'
    """

    def __init__(self, folders: Sequence[Path], port: int = 0) -> None:
        try:
            self._server = _Server((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"port {port} of {HOST} cannot be used ({reason}): give another --port") from None
        self._server.live = LiveDocument(folders)
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self._server.server_port}/"

    def start(self) -> None:
        """Serve in a thread that ends with the process."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="live page")
        self._thread.start()

    def close(self) -> None:
        """Stop serving, and release the port."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    live: LiveDocument

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error; a browser that closes a connection early is none."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    # Without kept connections no request is answered after the server has ended.
    protocol_version = "HTTP/1.0"
    server_version = "Widthwise"
    sys_version = ""
    timeout = 30
    server: _Server

    def do_GET(self) -> None:
        """Answer a request for the page or its state."""
        if not self._own_host():
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"this server has another name\n", "text/plain")
            return
        path = self.path.partition("?")[0]
        if path == "/":
            page = self.server.live.document().html(live=True)
            self._send(HTTPStatus.OK, page.encode(), "text/html; charset=utf-8")
        elif path == "/state":
            self._state()
        else:
            self._send(HTTPStatus.NOT_FOUND, b"there is no such page\n", "text/plain")

    do_HEAD = do_GET

    def _state(self) -> None:
        data = json.dumps(self.server.live.document().state(), ensure_ascii=False, allow_nan=False).encode()
        tag = f'"{hashlib.sha256(data).hexdigest()[:20]}"'
        if self.headers.get("If-None-Match") == tag:
            self._send(HTTPStatus.NOT_MODIFIED, b"", "application/json", tag)
        else:
            self._send(HTTPStatus.OK, data, "application/json", tag)

    def _own_host(self) -> bool:
        """Whether the request names this server: a page of another site cannot read it under its own name."""
        port = self.server.server_port
        own = {f"{name}:{port}" for name in (HOST, "localhost")}
        if port == HTTP_PORT:  # browsers leave this port out
            own |= {HOST, "localhost"}
        return self.headers.get("Host", "").lower() in own

    def _send(self, status: HTTPStatus, data: bytes, kind: str, tag: str = "") -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Cache-Control": "no-store",
            "Content-Security-Policy": f"{policy(live=True)}; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            **({"ETag": tag} if tag else {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not printed."""
