"""A service of S3's kind over HTTP: a real one of moto's, and a proxy that has bad days."""

from __future__ import annotations

import contextlib
import http.client
import logging
import socket
import struct
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

KEY, SECRET = "AKIAOURS", "s3cr3t-of-ours"


@contextlib.contextmanager
def s3() -> Iterator[str]:
    """Run the service; yield its address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def new_bucket() -> str:
    """Make a new bucket directly in the service."""
    from moto.s3.models import s3_backends

    name = f"cases-{uuid.uuid4().hex[:12]}"
    s3_backends["123456789012"]["aws"].create_bucket(name, "us-east-1")
    return name


def use(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    """Let this process and its children use a service, with their own credentials."""
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "none-of-this-machine")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)


class Proxy:
    """Forwards requests, except those with an entry of :attr:`fate`.

    Attributes
    ----------
    fate
        Returns for a method and a path ``"503"`` or another status (answered without asking the
        service), ``"lost"`` (forwarded, and the connection cut before the answer), ``"cut"`` (cut
        before it is forwarded), or ``None``.
    seen
        Method and path of each request.
    """

    def __init__(self, service: str) -> None:
        self.fate: Callable[[str, str], str | None] = lambda _method, _path: None
        self.seen: list[tuple[str, str]] = []
        proxy, target = self, urlsplit(service)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def _handle(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                proxy.seen.append((self.command, self.path))
                fate = proxy.fate(self.command, self.path)
                if fate == "cut":
                    self._cut()
                    return
                if fate is not None and fate.isdecimal():
                    self._answer(int(fate), {}, _said(int(fate)))
                    return
                link = http.client.HTTPConnection(target.hostname or "", target.port)
                link.request(self.command, self.path, body, dict(self.headers))
                answer = link.getresponse()
                content = answer.read()
                link.close()
                if fate == "lost":
                    self._cut()
                    return
                headers = {
                    name: value
                    for name, value in answer.getheaders()
                    if name.lower() not in {"connection", "transfer-encoding", "date", "server"}
                }
                self._answer(answer.status, headers, content)

            def _cut(self) -> None:
                hard = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, hard)
                self.close_connection = True
                self.connection.close()

            def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
                self.send_response(status)
                if self.command != "HEAD":
                    headers = {k: v for k, v in headers.items() if k.lower() != "content-length"}
                    headers["Content-Length"] = str(len(content))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

        for method in ("GET", "PUT", "POST", "DELETE", "HEAD"):
            setattr(Handler, f"do_{method}", Handler._handle)

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # a client that went away

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


def _said(status: int) -> bytes:
    code = {503: "SlowDown", 403: "AccessDenied", 404: "NoSuchBucket", 400: "ExpiredToken"}.get(
        status, "InternalError"
    )
    return f"<Error><Code>{code}</Code><Message>made up</Message></Error>".encode()
