"""Serving over HTTP: who comes in, what each client remembers, what the others notice of it."""

from __future__ import annotations

import contextlib
import gc
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.config import load_settings
from casetrack.http.address import Address, Door, bind, checked_origin, door
from casetrack.library import Library
from casetrack.mcp.app import server_for
from casetrack.mcp.http.gate import MAX_BODY, Gate
from casetrack.mcp.http.serving import gated
from casetrack.mcp.session import NOT_REMEMBERED, ConnectionState, Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import httpx2
    from mcp.client import Client

ROOT = Path(__file__).parents[2]
ERAS = ["2026-07-28", "legacy"]
SERVE = [sys.executable, "-m", "casetrack", "serve", "--transport", "http", "--port", "0"]
TOKEN = "correct-horse-battery-staple"
FILES = 400
PAGE = "https://app.example"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """A server process, and what it says on standard error."""

    def __init__(self, root: Path, *options: str, **environment: str) -> None:
        self.home = root / "data"
        mine = {"CASETRACK_HOME": str(self.home), "CASETRACK_MODELS": str(root / "models")}
        self.process = subprocess.Popen(
            [*SERVE, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **mine, **environment},
            cwd=ROOT,
            encoding="utf-8",
        )
        assert self.process.stderr is not None
        self.first = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", self.first)
        assert found, self.first + self.process.stderr.read()
        self.url, self.port = found[0], int(found[1])
        self._said = [self.first]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self._said += self.process.stderr

    def ask(
        self, method: str = "POST", path: str = "/mcp", body: Any = HELLO, **headers: str | None
    ) -> http.client.HTTPResponse:
        """Send one request as it stands, and return the answer, whose body is read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        all_headers = {
            "host": f"127.0.0.1:{self.port}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection.putrequest(method, path, skip_host=True)
        for name, value in all_headers.items():
            if value is not None:
                connection.putheader(name, value)
        if method == "POST":
            connection.putheader("content-length", str(len(data)))
        connection.endheaders(data if method == "POST" else None)
        answer = connection.getresponse()
        answer.text = answer.read().decode()  # type: ignore[attr-defined]
        connection.close()
        return answer

    def end(self, way: signal.Signals = signal.SIGTERM) -> str:
        """End the process and return what it said."""
        self.process.send_signal(way)
        self.process.wait(30)
        self._reader.join(60)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        with self.process.stdout, self.process.stderr:
            assert self.process.stdout.read() == ""
        return "".join(self._said)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without a token, with a collection "Acme"."""
    root = tmp_path_factory.mktemp("http")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_MODELS", str(root / "models"))
        library = Library(load_settings(root / "data"))
        (root / "lease.txt").write_text("The tenant pays the rent on the third working day.")
        library.create("Acme").ingest([root / "lease.txt"])
    running = Server(root)
    yield running
    said = running.end()
    assert running.process.returncode == (1 if os.name == "nt" else 143)
    assert "Traceback" not in said


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a token, and a page that may use it."""
    running = Server(
        tmp_path_factory.mktemp("locked"), "--allow-origin", PAGE, CASETRACK_HTTP_TOKEN=TOKEN
    )
    yield running
    said = running.end(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
    assert running.process.returncode == (1 if os.name == "nt" else 130)
    assert TOKEN not in said
    assert "wrong-token-value" not in said


@pytest.fixture
def many_files(tmp_path: Path) -> Path:
    """A folder that takes a while."""
    folder = tmp_path / "in"
    folder.mkdir()
    for n in range(FILES):
        (folder / f"{n:04}.txt").write_text(f"Letter number {n} about the delivery of goods.")
    return folder


def connected(server: Server, mode: str) -> Client:
    from mcp.client import Client

    return Client(server.url, mode=mode)


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


# Connecting


@pytest.mark.parametrize("mode", [*ERAS, "auto"])
def test_a_client_finds_text(server: Server, mode: str) -> None:
    async def work() -> None:
        async with connected(server, mode) as client:
            assert "search_documents" in {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool(
                "search_documents", {"query": "rent", "collection": "Acme", "mode": "keyword"}
            )
            assert "third working day" in text_of(found)
            assert "lease.txt" in json.dumps(found.structured_content)

    anyio.run(work)


def test_the_line_at_the_start_says_how_to_connect_and_to_end(server: Server) -> None:
    assert server.first == (
        f"Listening on 127.0.0.1:{server.port}. Connect to {server.url}. Ctrl-C ends it.\n"
    )


@pytest.mark.parametrize(
    ("changes", "status", "says"),
    [
        ({}, 200, '"protocolVersion":"2025-11-25"'),
        ({"origin": "https://evil.example"}, 403, "--allow-origin"),
        ({"origin": "null"}, 403, "--allow-origin"),
        ({"origin": "http://127.0.0.1:1"}, 403, "--allow-origin"),
        ({"origin": "http://127.0.0.1:PORT"}, 200, "protocolVersion"),
        ({"origin": "http://localhost:PORT"}, 200, "protocolVersion"),
        ({"host": "localhost:PORT"}, 200, "protocolVersion"),
        ({"host": "[::1]:PORT"}, 200, "protocolVersion"),
        ({"host": "LOCALHOST:PORT"}, 200, "protocolVersion"),
        ({"host": "evil.example:PORT"}, 421, "Host header"),
        ({"host": "evil.example"}, 421, "Host header"),
        ({"host": "localhost"}, 421, "Host header"),
        ({"host": "localhost:PORT@evil.example"}, 421, "Host header"),
        ({"host": "localhost:PORT.evil.example"}, 421, "Host header"),
        ({"host": ""}, 421, "Host header"),
        ({"content_type": "text/plain"}, 400, "Content-Type"),
        ({"mcp_session_id": "0" * 32}, 404, "Session not found"),
        ({"path": "/"}, 405, "/mcp"),
        ({"path": "/", "method": "GET"}, 200, "Model Context Protocol"),
        ({"path": "/MCP"}, 404, "/mcp"),
        ({"path": "/mcp/../etc/passwd"}, 404, "/mcp"),
        ({"path": "/.well-known/oauth-protected-resource", "method": "GET"}, 404, "/mcp"),
        ({"method": "PUT"}, 405, ""),
        ({"body": b"{not json"}, 400, "Parse error"),
        ({"body": b"x" * (MAX_BODY + 1)}, 413, "4 MiB"),
        ({"long": "x" * 20_000}, 431, "16 KiB"),
    ],
)
def test_requests_as_they_stand(
    server: Server, changes: dict[str, Any], status: int, says: str
) -> None:
    known = {
        name: value.replace("PORT", str(server.port)) if isinstance(value, str) else value
        for name, value in changes.items()
    }
    answer = server.ask(**known)
    assert answer.status == status, answer.text  # type: ignore[attr-defined]
    assert says in answer.text  # type: ignore[attr-defined]
    assert answer.getheader("server") is None


def test_a_body_without_a_declared_length_is_limited_as_well(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    pieces = (b"x" * 2**20 for _ in range(5))
    connection.request("POST", "/mcp", body=pieces, headers={"content-type": "application/json"})
    assert connection.getresponse().status == 413
    connection.close()


def test_a_header_that_decides_may_be_there_only_once(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("GET", "/")
    connection.putheader("Origin", f"http://127.0.0.1:{server.port}")
    connection.putheader("Origin", "https://evil.example")
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()


def test_without_the_token_nobody_comes_in(locked: Server) -> None:
    given = {
        None: 401,
        "": 401,
        TOKEN: 401,
        "Bearer": 401,
        "Bearer wrong-token-value": 401,
        f"Bearer {TOKEN}x": 401,
        f"Bearer {TOKEN[:-1]}": 401,
        f"Basic {TOKEN}": 401,
        "Bearer t\xf6ken": 401,
        f"Bearer {TOKEN}": 200,
        f"bearer {TOKEN}": 200,
    }
    assert {header: locked.ask(authorization=header).status for header in given} == given
    refused = locked.ask(body=b"x" * (MAX_BODY + 1))
    assert refused.status == 401
    assert (refused.getheader("www-authenticate") or "").startswith("Bearer")
    assert "Authorization: Bearer TOKEN" in refused.text  # type: ignore[attr-defined]
    assert locked.ask("GET", "/").status == 401
    assert locked.ask("GET", "/elsewhere").status == 404


def test_the_token_is_not_in_the_list_of_processes(locked: Server) -> None:
    arguments = Path(f"/proc/{locked.process.pid}/cmdline")
    if arguments.exists():
        assert TOKEN.encode() not in arguments.read_bytes()
    assert TOKEN not in locked.first
    assert "with the token" in locked.first


def test_an_allowed_page_may_ask_and_read(locked: Server) -> None:
    asked = locked.ask("OPTIONS", origin=PAGE, access_control_request_method="POST")
    assert asked.status == 204
    assert "Authorization" in (asked.getheader("access-control-allow-headers") or "")
    answer = locked.ask(origin=PAGE, authorization=f"Bearer {TOKEN}")
    assert answer.status == 200
    for each in (asked, answer, locked.ask(origin=PAGE)):  # the last one is a 401
        assert each.getheader("access-control-allow-origin") == PAGE
    other = locked.ask("OPTIONS", origin="https://x.example", access_control_request_method="POST")
    assert other.status == 403
    assert other.getheader("access-control-allow-origin") is None
    # Without what makes it a browser's question it needs the token like everything else.
    assert locked.ask("OPTIONS").status == 401


DOOR = Door(frozenset({"box", "box.local"}), None, any_ip=True, origins=frozenset(), token=TOKEN)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("box:8765", True),
        ("BOX.local", True),
        ("192.168.1.7:9000", True),
        ("[fe80::1]:8765", True),
        ("evil.example", False),
        ("192.168.1.7.evil.example", False),
        ("user@box", False),
        ("box/evil", False),
        ("box:port", False),
        ("", False),
    ],
)
def test_elsewhere_a_name_must_be_the_computers_own(host: str, known: bool) -> None:
    assert DOOR.knows_host(host) is known


def test_the_host_of_an_allowed_page_is_a_name_too() -> None:
    with contextlib.closing((address := bind("0.0.0.0", 0, token=TOKEN)).socket):
        assert address.is_everywhere
        entrance = door(address, [checked_origin("https://Cases.Example/")], TOKEN)
        assert entrance.knows_host("cases.example")
        assert entrance.knows_origin("https://cases.example")
        assert not door(address, [], TOKEN).knows_host("cases.example")


# What each client remembers


def test_each_session_has_its_own_active_collection(server: Server) -> None:
    async def work() -> None:
        async with connected(server, "legacy") as first, connected(server, "legacy") as second:
            made = await first.call_tool("create_collection", {"name": "First"})
            assert made.structured_content["is_active"] is True
            await second.call_tool("create_collection", {"name": "Second"})
            for client, name in ((first, "First"), (second, "Second"), (first, "First")):
                listed = await client.call_tool("list_documents", {})
                assert listed.structured_content["collection"] == name
            # What becomes of a collection is told to others that work in it.
            await second.call_tool("switch_collection", {"collection_name": "First"})
            await first.call_tool(
                "delete_collection", {"collection_name": "First", "confirm": True}
            )
            assert "No active collection" in text_of(await first.call_tool("list_documents", {}))
            gone = text_of(await second.call_tool("list_documents", {}))
            assert 'The active collection "First" no longer exists.' in gone

    anyio.run(work)


def test_stateless_requests_remember_nothing_and_say_so(server: Server) -> None:
    async def work() -> None:
        async with connected(server, "2026-07-28") as client:
            made = await client.call_tool("create_collection", {"name": "Passing"})
            chosen = await client.call_tool("switch_collection", {"collection_name": "Acme"})
            for result in (made, chosen):
                assert result.is_error is False
                assert result.structured_content["is_active"] is False
                assert NOT_REMEMBERED in result.structured_content["notes"]
                assert NOT_REMEMBERED in text_of(result)
                assert "now your active collection" not in text_of(result)
            lost = await client.call_tool("list_documents", {})
            assert lost.is_error is True
            assert text_of(lost).startswith(
                "No collection was named. Pass its name as `collection`."
            )
            listed = await client.call_tool("list_documents", {"collection": "Acme"})
            assert listed.structured_content["collection"] == "Acme"

    anyio.run(work)


def test_a_stateless_request_cannot_borrow_a_session(server: Server) -> None:
    session_id = server.ask().getheader("mcp-session-id")
    assert session_id
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "switch_collection", "arguments": {"collection_name": "Acme"}},
    }
    headers = {"mcp_session_id": session_id, "mcp_protocol_version": "2025-11-25"}
    server.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
    assert '"is_active":true' in server.ask(body=call, **headers).text.replace(" ", "")  # type: ignore[attr-defined]
    lookup = {"name": "list_documents", "arguments": {}}
    modern = {
        "mcp_session_id": session_id,
        "mcp_protocol_version": "2026-07-28",
        "mcp_method": "tools/call",
        "mcp_name": "list_documents",
    }
    asked = server.ask(body={**call, "params": lookup | {"_meta": ENVELOPE}}, **modern)
    assert "No active collection" in asked.text  # type: ignore[attr-defined]
    # A session that has ended is not there any more.
    assert server.ask("DELETE", **headers).status == 200
    assert server.ask(body=call, **headers).status == 404


def test_over_stdio_a_stateless_client_keeps_its_collection(tmp_path: Path) -> None:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    async def work() -> None:
        started = StdioServerParameters(
            command=sys.executable,
            args=["-m", "casetrack", "serve"],
            env={**os.environ, "CASETRACK_HOME": str(tmp_path), "CASETRACK_MODELS": str(tmp_path)},
            cwd=str(ROOT),
        )
        async with Client(started, mode="2026-07-28") as client:
            made = await client.call_tool("create_collection", {"name": "Kept"})
            assert made.structured_content["is_active"] is True
            listed = await client.call_tool("list_documents", {})
            assert listed.structured_content["collection"] == "Kept"

    anyio.run(work)


@contextlib.asynccontextmanager
async def in_process(library: Library) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of a server in this process, without a network."""
    import httpx2

    address = Address(None, "127.0.0.1", 8765, is_loopback=True)  # type: ignore[arg-type]
    gate = gated(server_for(Session(library)), door(address, (), None))
    app: Any = gate._app
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=gate),
            base_url="http://127.0.0.1:8765",
            headers={"accept": "application/json, text/event-stream"},
        ) as client,
    ):
        yield client


def test_what_is_remembered_goes_with_the_session(library: Library) -> None:
    def kept() -> int:
        gc.collect()
        return sum(isinstance(each, ConnectionState) for each in gc.get_objects())

    async def work() -> tuple[int, int]:
        async with in_process(library) as client:
            before = kept()
            answers = [await client.post("/mcp", json=HELLO) for _ in range(3)]
            during = kept()
            for each in answers:
                mine = {"mcp-session-id": each.headers["mcp-session-id"]}
                assert (await client.delete("/mcp", headers=mine)).status_code == 200
            with anyio.fail_after(60):
                while kept() > before:
                    await anyio.sleep(0.05)
            return during - before, kept() - before

    assert anyio.run(work) == (3, 0)


def test_sessions_are_limited_and_the_others_go_on(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.mcp.http.serving.MAX_SESSIONS", 2)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}

    async def work() -> None:
        async with in_process(library) as client:
            first, second, third = [await client.post("/mcp", json=HELLO) for _ in range(3)]
            assert (first.status_code, second.status_code, third.status_code) == (200, 200, 503)
            mine = {"mcp-session-id": first.headers["mcp-session-id"]}
            assert (await client.post("/mcp", json=ping, headers=mine)).status_code == 200
            assert (await client.delete("/mcp", headers=mine)).status_code == 200
            assert (await client.post("/mcp", json=HELLO)).status_code == 200

    anyio.run(work)


# Long work


@pytest.mark.parametrize("mode", ERAS)
def test_long_work_of_one_client_leaves_the_others_alone(
    server: Server, many_files: Path, mode: str
) -> None:
    name = f"Long {mode}"
    heard: list[float] = []

    async def work() -> None:
        begun = anyio.Event()

        async def progress(value: float, total: float | None, message: str | None) -> None:
            heard.append(value)
            if value >= 1:
                begun.set()

        async with connected(server, mode) as busy, connected(server, mode) as other:
            await busy.call_tool("create_collection", {"name": name})
            answered = anyio.Event()

            async def ingest(scope: anyio.CancelScope) -> None:
                with scope:
                    await busy.call_tool(
                        "ingest_folder",
                        {"folder_path": str(many_files), "collection": name},
                        progress_callback=progress,
                    )
                    answered.set()

            async with anyio.create_task_group() as group:
                scope = anyio.CancelScope()
                group.start_soon(ingest, scope)
                with anyio.fail_after(90):
                    await begun.wait()
                    found = await other.call_tool(
                        "search_documents",
                        {"query": "rent", "collection": "Acme", "mode": "keyword"},
                    )
                assert "third working day" in text_of(found)
                assert not answered.is_set()
                scope.cancel()
            with anyio.fail_after(90):
                # A closed connection of the stateless protocol cancels the call, and may be all
                # that is seen of a client that is gone.
                ended = "cancelled" if mode == "legacy" else "interrupted"
                while await states(other, name) != [ended]:
                    await anyio.sleep(0.05)

    async def states(client: Client, collection: str) -> list[str]:
        jobs = await client.call_tool("get_job_status", {})
        known = jobs.structured_content["jobs"]
        return [job["state"] for job in known if job["collection"] == collection]

    anyio.run(work)
    assert heard == sorted(set(heard))
    documents = Library(load_settings(server.home)).get(name).documents()
    assert 1 <= len(documents) < FILES


def test_a_session_that_ends_leaves_its_work_going(server: Server, many_files: Path) -> None:
    session_id = server.ask().getheader("mcp-session-id")
    headers = {"mcp_session_id": session_id, "mcp_protocol_version": "2025-11-25"}

    def call(number: int, tool: str, **arguments: Any) -> str:
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        answer: str = server.ask(body=message, **headers).text  # type: ignore[attr-defined]
        return answer

    def states() -> list[str]:
        jobs = Library(load_settings(server.home)).jobs.list()
        return [job.state for job in jobs if job.collection == "Left"]

    def wait_for(state: str) -> None:
        deadline = time.monotonic() + 90
        while states() != [state]:
            assert time.monotonic() < deadline, states()
            time.sleep(0.05)

    server.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
    call(2, "create_collection", name="Left")
    ingest = threading.Thread(
        target=call, args=(3, "ingest_folder"), kwargs={"folder_path": str(many_files)}
    )
    ingest.start()
    wait_for("running")
    assert server.ask("DELETE", **headers).status == 200
    ingest.join(90)
    assert not ingest.is_alive()
    # Another client finds it, still at work, and stops it.
    wait_for("running")
    jobs = Library(load_settings(server.home)).jobs
    jobs.request_cancel(next(job.id for job in jobs.list() if job.collection == "Left"))
    wait_for("cancelled")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals that a program can answer")
def test_ending_in_the_middle(tmp_path: Path, many_files: Path) -> None:
    server = Server(tmp_path)

    async def work() -> None:
        begun = anyio.Event()

        async def progress(value: float, total: float | None, message: str | None) -> None:
            if value >= 1:
                begun.set()

        async with connected(server, "legacy") as client:  # it holds a stream for news open
            await client.call_tool("create_collection", {"name": "A"})
            async with anyio.create_task_group() as group:
                group.start_soon(call, client, progress)
                with anyio.fail_after(90):
                    await begun.wait()
                started = time.monotonic()
                server.process.send_signal(signal.SIGTERM)
                with anyio.fail_after(30):
                    await anyio.to_thread.run_sync(server.process.wait)
                assert time.monotonic() - started < 20
                group.cancel_scope.cancel()

    async def call(client: Client, progress: Any) -> None:
        await client.call_tool(
            "ingest_folder", {"folder_path": str(many_files)}, progress_callback=progress
        )

    with contextlib.suppress(BaseExceptionGroup):  # the client's own, for the lost connection
        anyio.run(work)
    assert server.process.wait(0) == 143
    said = server.end()
    assert "Traceback" not in said
    library = Library(load_settings(server.home))
    (left,) = library.jobs.list()
    assert (left.state, left.error["code"]) == ("interrupted", "client_left"), (left, said)
    documents = library.get("A").documents()
    assert 1 <= len(documents) < FILES
    assert library.get("A").stats().chunk_count == len(documents)


def test_a_gate_that_closes_lets_nobody_in() -> None:
    served: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope["path"])

    async def ask(gate: Gate) -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"{}"}

        headers = [(b"host", b"box"), (b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
        await gate(scope, receive, send)
        return sent

    gate = Gate(app, DOOR)
    assert anyio.run(ask, gate) == []
    assert served == ["/mcp"]
    assert gate.close() is False
    assert anyio.run(ask, gate)[0]["status"] == 503
    assert served == ["/mcp"]


# Clients that are slow on purpose


def test_a_body_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casetrack.mcp.http.gate.BODY_SECONDS", 0.05)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    async def work() -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            await anyio.sleep(0.02)
            return {"type": "http.request", "body": b"x", "more_body": True}

        headers = [(b"host", b"box"), (b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
        with anyio.fail_after(60):
            await Gate(app, DOOR)(scope, receive, send)
        status: int = sent[0]["status"]
        return status

    assert anyio.run(work) == 408


@pytest.mark.parametrize(
    "first",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /ag"],
    ids=["nothing", "half a head", "half a second head"],
)
def test_a_head_that_does_not_arrive_is_given_up(
    monkeypatch: pytest.MonkeyPatch, first: bytes
) -> None:
    import uvicorn

    from casetrack.http import listening as server

    monkeypatch.setattr(server, "HEADER_SECONDS", 0.3)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await anyio.sleep(0.6)  # an answer may take longer than a head
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"answer"})

    async def work() -> bytes:
        import asyncio

        config = uvicorn.Config(app, http=server._Protocol, log_config=None, lifespan="off")
        config.load()
        state = uvicorn.server.ServerState()
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(
            lambda: server._Protocol(config, state, {}), "127.0.0.1", 0
        )
        port = listening.sockets[0].getsockname()[1]
        stream = await anyio.connect_tcp("127.0.0.1", port)
        got = b""
        async with stream:
            if first:
                await stream.send(first)
            with anyio.fail_after(60), contextlib.suppress(anyio.EndOfStream):
                while True:
                    got += await stream.receive()
        listening.close()
        return got

    assert (b"answer" in anyio.run(work)) is first.startswith(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
