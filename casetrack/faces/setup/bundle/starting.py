"""The bundle's ``server.py``: download the dependencies, then run the server.

Only the standard library is imported before the libraries are installed.
"""

from __future__ import annotations

import contextlib
import html
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

from casetrack.faces.setup.bundle.preparing import Preparation, Progress

# Answers an AI program from the first second on, and hands it over to the server later.

TOOL = "setup_status"
_GREETING = "casetrack-first-start"
_LISTS = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
_CAPABILITIES = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "completions": {},
    "logging": {},
}
_ABOUT = (
    "Progress of the installation of CaseTrack. Call it when the user asks, or when CaseTrack has "
    "no other tool."
)
_INSTRUCTIONS = (
    "CaseTrack is being installed on this computer; its tools appear after that. Until then, "
    f"{TOOL} shows the progress. Inform the user when asked for documents."
)
_CHANGED = ("tools", "prompts", "resources")
Message = dict[str, Any]


@dataclass(slots=True)
class Doorkeeper:
    """Answers an AI program until its server is installed.

    Attributes
    ----------
    preparation
        The download.
    about
        Name and version of the server for ``initialize``.
    start
        Starts the server, with pipes for its input and output.
    source, target
        Input from the program, and output to it.
    leave
        Ends this process with the server's exit code.
    """

    preparation: Preparation
    about: dict[str, str]
    start: Callable[[], subprocess.Popen[bytes]]
    source: IO[bytes]
    target: IO[bytes]
    leave: Callable[[int], object] = os._exit
    _server: subprocess.Popen[bytes] | None = None
    _greeting: Message | None = None
    _greeted: bool = False
    _over: threading.Event = field(default_factory=threading.Event)
    _held: list[bytes] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> int:
        """Serve until the program ends its input; return the exit code."""
        threading.Thread(target=self._hand_over, daemon=True).start()
        for line in self.source:
            if line.strip():
                self._take(line)
        self.preparation.stop()
        with self._lock:
            self._over.set()
            server = self._server
        if server is None:
            return 0
        assert server.stdin is not None  # noqa: S101 - it was asked for
        server.stdin.close()
        return server.wait()

    def _take(self, line: bytes) -> None:
        with self._lock:
            message = _read(line)
            if _asks_how_far(message):
                self._answer(message, self._told())
            elif self._server is not None:
                self._pass_on(line)
            else:
                self._stand_in(message, line)

    def _stand_in(self, message: Message, line: bytes) -> None:
        """Answer instead of the server; requests that only it can answer wait for it."""
        method, params = message.get("method"), message.get("params") or {}
        if method == "notifications/initialized":
            self._greeted = True
        elif "id" not in message:
            return
        elif method == "initialize":
            self._greeting = message
            greeting = {"serverInfo": self.about, "capabilities": _CAPABILITIES}
            version = params.get("protocolVersion")
            self._answer(
                message, greeting | {"protocolVersion": version, "instructions": _INSTRUCTIONS}
            )
        elif method in {"ping", "logging/setLevel"}:
            self._answer(message, {})
        elif method == "tools/list":
            schema = {"type": "object", "properties": {}, "additionalProperties": False}
            tool = {"name": TOOL, "description": _ABOUT, "inputSchema": schema}
            self._answer(message, {"tools": [tool | {"annotations": {"readOnlyHint": True}}]})
        elif method in _LISTS:
            self._answer(message, {_LISTS[method]: []})
        elif method == "tools/call":
            self._answer(message, self._told() | {"isError": True})
        else:
            self._held.append(line)

    def _told(self) -> Message:
        return {"content": [{"type": "text", "text": self.preparation.progress.sentence}]}

    def _hand_over(self) -> None:
        """Start the server when it is ready, repeat the handshake, and announce changes."""
        self.preparation.libraries.wait()
        if self._over.is_set():
            return
        server = self.start()  # which takes seconds: meanwhile this one goes on answering
        greeting = self._greeting
        if greeting is not None:
            self._greet(server, greeting)
        with self._lock:
            if greeting is None and self._greeting is not None:
                self._greet(server, self._greeting)
            self._server = server
            if self._greeted:
                self._pass_on(_line({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            for line in self._held:
                self._pass_on(line)
            if self._greeted:
                for kind in _CHANGED:
                    self._send({"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"})
            if self._over.is_set() and server.stdin is not None:
                server.stdin.close()
        assert server.stdout is not None  # noqa: S101 - it was asked for
        with server.stdout:
            for line in server.stdout:
                self._write(line)
        # The program waits for answers as long as this process lives, and reading from it goes on.
        self.leave(server.wait())

    def _greet(self, server: subprocess.Popen[bytes], greeting: Message) -> None:
        assert server.stdin is not None  # noqa: S101 - it was asked for
        assert server.stdout is not None  # noqa: S101 - the same
        with contextlib.suppress(BrokenPipeError):  # then its output ends, too
            server.stdin.write(_line(greeting | {"id": _GREETING}))
            server.stdin.flush()
        for line in server.stdout:
            if _read(line).get("id") == _GREETING:
                return
            self._write(line)

    def _pass_on(self, line: bytes) -> None:
        assert self._server is not None  # noqa: S101 - the callers have looked
        assert self._server.stdin is not None  # noqa: S101 - it was asked for
        with contextlib.suppress(BrokenPipeError):  # it has ended, and so will this one
            self._server.stdin.write(line if line.endswith(b"\n") else line + b"\n")
            self._server.stdin.flush()

    def _answer(self, request: Message, result: Message) -> None:
        self._send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def _send(self, message: Message) -> None:
        self._write(_line(message))

    def _write(self, line: bytes) -> None:
        with self._writing:
            self.target.write(line)
            self.target.flush()


def _asks_how_far(message: Message) -> bool:
    named = message.get("params") or {}
    return message.get("method") == "tools/call" and "id" in message and named.get("name") == TOOL


def _read(line: bytes) -> Message:
    """Return the message of a line; an invalid one is empty here, and the server reports it."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _line(message: Message) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


# A page that shows how far a first start is, for people who see nothing else of it.

_PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{again}
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>body{{font:17px/1.5 system-ui,sans-serif;max-width:38em;margin:12vh auto;padding:0 1em}}
progress{{width:100%;height:1.2em}}:root{{color-scheme:light dark}}
</style></head><body><h1>{title}</h1><p role="status">{sentence}</p>{bar}<p>{step}</p></body></html>
"""
_SOON = "You can continue working; this page updates itself. Keep the AI program open."
_READY = "Return to the AI program and ask about your documents. You can close this page."


def page_of(progress: Progress, title: str, /) -> str:
    """Return the current page; until everything is installed, it reloads every two seconds."""
    ready = progress.phase == "ready"
    share = f'value="{progress.done}" max="{progress.total}"' if progress.total else ""
    return _PAGE.format(
        title=html.escape(f"{title} is being set up" if not ready else f"{title} is ready"),
        again="" if ready else '<meta http-equiv="refresh" content="2">',
        sentence=html.escape(progress.sentence),
        bar="" if ready else f'<progress aria-label="Progress" {share}></progress>',
        step=_READY if ready else _SOON,
    )


def serve_progress(progress: Progress, title: str, /) -> str:
    """Serve the page on this computer for as long as the process lasts; return its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = page_of(progress, title).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Discard the message, because the output belongs to the AI program."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, name="progress page", daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


ENV_NO_PAGE = "CASETRACK_NO_PROGRESS_PAGE"
_NEEDED = ("mcp", "lance", "typer")
"""Libraries that identify an environment made for CaseTrack."""


def has_libraries() -> bool:
    """Return whether this Python has all libraries, so that the server can run in it."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


def main(root: Path, arguments: list[str], /) -> int:
    """Make the environment of the bundle in *root* if necessary, and run the server in it.

    *arguments* are those of ``casetrack``; returns the server's exit code.
    """
    data_dir = arguments[arguments.index("--data-dir") + 1] if "--data-dir" in arguments else ""
    preparation = Preparation(root, Path(data_dir or Path.home() / "Documents" / "CaseTrack"))
    server = [str(preparation.python), str(root / "server.py")]
    if preparation.is_prepared:
        if os.name == "posix":
            os.execv(server[0], [*server, *arguments])  # noqa: S606 - it takes the place of this one
        return subprocess.run([*server, *arguments], check=False).returncode
    about = _about(root)
    if not os.environ.get(ENV_NO_PAGE):
        _show(serve_progress(preparation.progress, about["title"]))
    preparation.start()

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*server, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    return Doorkeeper(preparation, about, start, sys.stdin.buffer, sys.stdout.buffer).run()


def _show(url: str) -> None:
    """Open the page in the browser, whose output must not reach the AI program."""
    nothing = subprocess.DEVNULL
    subprocess.Popen(
        [sys.executable, "-m", "webbrowser", url], stdin=nothing, stdout=nothing, stderr=nothing
    )


def _about(root: Path) -> dict[str, str]:
    manifest = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
    about = {"name": manifest["name"], "title": manifest["display_name"]}
    return about | {"version": manifest["version"]}
