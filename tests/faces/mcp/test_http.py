"""Serving over HTTP: access, the state of each client, and its effect on the others."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
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

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.http.address import Access, Address, access, bind, checked_origin
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.http.serving import MAX_BODY, Gate, gated
from casetrack.faces.mcp.session import NO_STATE, Session
from hostile_lines import JUNK, mutations

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import httpx2
    from mcp.client import Client

ROOT = Path(__file__).parents[3]
ERAS = ["2026-07-28", "legacy"]
SERVE = [sys.executable, "-m", "casetrack", "serve", "--transport", "http", "--port", "0"]
TOKEN = "correct-horse-battery-staple"
FILES = 300
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
MODERN = {
    "body": HELLO | {"method": "tools/list", "params": {"_meta": ENVELOPE}},
    "mcp_protocol_version": "2026-07-28",
    "mcp_method": "tools/list",
}


class Server:
    """A server process and its standard error."""

    def __init__(self, root: Path, **environment: str) -> None:
        self.home = root / "data"
        mine = {"CASETRACK_HOME": str(self.home), "CASETRACK_MODELS": str(root / "models")}
        self.process = subprocess.Popen(
            SERVE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **mine, **environment},
            cwd=ROOT,
            encoding="utf-8",
        )
        assert self.process.stderr is not None
        self.first = self.process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", self.first)
        assert match, self.first + self.process.stderr.read()
        self.url, self.port = match[0], int(match[1])
        self._said = [self.first]
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self._said += self.process.stderr

    def ask(
        self, method: str = "POST", path: str = "/mcp", body: Any = HELLO, **headers: str | None
    ) -> http.client.HTTPResponse:
        """Send one raw request, and return the answer with its body read."""
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
        """End the process and return its standard error."""
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
    text = running.end(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
    assert running.process.returncode == (1 if os.name == "nt" else 130)
    assert "Traceback" not in text


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


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", [*ERAS, "auto"])
def test_a_client_finds_text(server: Server, mode: str) -> None:
    async def work() -> None:
        async with connected(server, mode) as client:
            assert "search_documents" in {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool(
                "search_documents", {"query": "rent", "collection": "Acme", "mode": "keyword"}
            )
            assert "third working day" in text_of(result)
            assert "lease.txt" in text_of(result)
            assert result.structured_content is None

    anyio.run(work)


def test_plain_requests_answer_as_the_tools_do(server: Server) -> None:
    def ask(path: str, method: str = "GET", body: Any = None) -> tuple[int, Any]:
        answer = server.ask(method, path, body)
        return answer.status, json.loads(answer.text)  # type: ignore[attr-defined]

    wanted = {"query": "rent", "mode": "keyword"}
    by_address = ask("/api/search_documents?query=rent&mode=keyword&collection=Acme")
    by_body = ask("/api/search_documents", "POST", wanted | {"collection": "Acme"})
    for status, each in (by_address, by_body):
        assert status == 200
        assert each["results"][0]["text"] == by_body[1]["results"][0]["text"]
    assert ask("/api/search_documents?top_k=many")[0] == 400
    assert ask("/api/get_document?document_name=none")[1]["error"]["code"] == "document_not_found"
    assert (ask("/api/delete_collection")[0], ask("/api/nothing")[0]) == (405, 404)
    paths = ask("/api/openapi.json")[1]["paths"]
    assert set(paths["/api/search_documents"]) == {"get", "post"}
    assert set(paths["/api/delete_collection"]) == {"post"}


def test_the_line_at_the_start_says_how_to_connect_and_to_end(
    server: Server, messages: Any
) -> None:
    messages(server.first, hide={str(server.port): "<port>"})


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
        ({"host": "evil.example:PORT"}, 421, "Host"),
        ({"host": "evil.example"}, 421, "Host"),
        ({"host": "localhost"}, 421, "Host"),
        ({"host": "localhost:PORT@evil.example"}, 421, "Host"),
        ({"host": "localhost:PORT.evil.example"}, 421, "Host"),
        ({"host": ""}, 421, "Host"),
        ({"content_type": "text/plain"}, 400, "Content-Type"),
        ({"mcp_session_id": "0" * 32}, 404, ""),
        ({"path": "/"}, 405, "/mcp"),
        ({"path": "/", "method": "GET"}, 200, "/mcp"),
        ({"path": "/MCP"}, 404, "/mcp"),
        ({"path": "/mcp/../etc/passwd"}, 404, "/mcp"),
        ({"path": "/.well-known/oauth-protected-resource", "method": "GET"}, 404, "/mcp"),
        ({"mcp_session_id": "../../x"}, 404, ""),
        *(({"method": method}, 405, "") for method in ("PUT", "PATCH")),
        *(({"body": body}, 400, "") for body in (b"", b"[]", b"\xff\xfe", b"[" * 100_000)),
        (MODERN, 200, '"tools"'),
        (MODERN | {"mcp_method": "tools/call"}, 400, ""),
        (MODERN | {"mcp_protocol_version": "1999-01-01"}, 400, ""),
        ({"origin": "http://127.0.0.1.evil.example"}, 403, "--allow-origin"),
        ({"method": "OPTIONS", "origin": "https://evil.example"}, 403, ""),
        ({"body": b"{not json"}, 400, "-32700"),
        ({"body": b"x" * (MAX_BODY + 1)}, 413, "4"),
        ({"long": "x" * 20_000}, 431, "16"),
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
    assert not any(leak in answer.text for leak in ("Traceback", "site-packages"))  # type: ignore[attr-defined]


def test_a_body_without_a_declared_length_is_limited_as_well(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    pieces = (b"x" * 2**20 for _ in range(5))
    connection.request("POST", "/mcp", body=pieces, headers={"content-type": "application/json"})
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.slow
def test_any_body(server: Server) -> None:
    how = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"}
    for body in [*JUNK, *mutations(100, random.Random(7391))]:
        answer = server.ask(body=body, **how)
        assert answer.status < 500 or len(body) > MAX_BODY, body[:200]
        assert "Traceback" not in answer.text  # type: ignore[attr-defined]
    for path in ("/", "/mcp/../x", "/mcp%00", "/%2e%2e/etc/passwd", "/mcp?x=" + "y" * 5000):
        answer = server.ask("GET", path)
        assert answer.status < 500
        assert "root:" not in answer.text  # type: ignore[attr-defined]
    assert server.ask(**MODERN).status == 200  # type: ignore[arg-type]


def test_a_header_that_decides_may_be_there_only_once(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("GET", "/")
    connection.putheader("Origin", f"http://127.0.0.1:{server.port}")
    connection.putheader("Origin", "https://evil.example")
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()


@pytest.mark.slow
def test_the_token_is_not_in_the_list_of_processes(tmp_path: Path) -> None:
    locked = Server(tmp_path, CASETRACK_HTTP_TOKEN=TOKEN)
    arguments = Path(f"/proc/{locked.process.pid}/cmdline")
    listed = arguments.read_bytes() if arguments.exists() else b""
    assert locked.ask().status == 401
    text = locked.end(signal.SIGTERM)
    assert TOKEN.encode() not in listed
    assert TOKEN not in text


def test_without_the_token_nobody_comes_in(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    given = {
        None: 401,
        "": 401,
        TOKEN: 401,
        "Bearer": 401,
        "Bearer wrong-token-value": 401,
        f"Bearer {TOKEN}x": 401,
        f"Bearer {TOKEN[:-1]}": 401,
        f"Basic {TOKEN}": 401,
        b"Bearer t\xf6ken": 401,
        f"Bearer {TOKEN}": 200,
        f"bearer {TOKEN}": 200,
    }

    async def work() -> None:
        async with in_process(library, TOKEN) as client:
            for header, status in given.items():
                more: Any = {} if header is None else {"authorization": header}
                answer = await client.post("/mcp", json=HELLO, headers=more)
                assert answer.status_code == status, header
            refused = await client.post("/mcp", content=b"x" * (MAX_BODY + 1))
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"].startswith("Bearer")
            assert "Authorization: Bearer" in refused.text
            assert (await client.get("/")).status_code == 401
            assert (await client.get("/elsewhere")).status_code == 404

    with caplog.at_level("DEBUG"):
        anyio.run(work)
    assert TOKEN not in caplog.text
    assert "wrong-token-value" not in caplog.text


def test_an_allowed_page_may_ask_and_read(library: Library) -> None:
    asks = {"origin": PAGE, "access-control-request-method": "POST"}
    allowed = "access-control-allow-origin"

    async def work() -> None:
        async with in_process(library, TOKEN, PAGE) as client:
            asked = await client.options("/mcp", headers=asks)
            assert asked.status_code == 204
            assert "Authorization" in asked.headers["access-control-allow-headers"]
            with_it = {"origin": PAGE, "authorization": f"Bearer {TOKEN}"}
            answer = await client.post("/mcp", json=HELLO, headers=with_it)
            without = await client.post("/mcp", json=HELLO, headers={"origin": PAGE})
            assert (answer.status_code, without.status_code) == (200, 401)
            for each in (asked, answer, without):
                assert each.headers[allowed] == PAGE
            other = await client.options("/mcp", headers=asks | {"origin": "https://x.example"})
            assert other.status_code == 403
            assert allowed not in other.headers
            # Without the headers of a browser's request it needs the token like every other
            # request.
            assert (await client.options("/mcp")).status_code == 401

    anyio.run(work)


DOOR = Access(frozenset({"box", "box.local"}), None, any_ip=True, origins=frozenset(), token=TOKEN)


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
        assert address.is_any_address
        entrance = access(address, [checked_origin("https://Cases.Example/")], TOKEN)
        assert entrance.knows_host("cases.example")
        assert entrance.knows_origin("https://cases.example")
        assert not access(address, [], TOKEN).knows_host("cases.example")


# The state of each client


def test_each_session_has_its_own_active_collection(server: Server) -> None:
    async def work() -> None:
        async with connected(server, "legacy") as first, connected(server, "legacy") as second:
            made = await first.call_tool("create_collection", {"name": "First"})
            assert made.structured_content["is_active"] is True
            await second.call_tool("create_collection", {"name": "Second"})
            for client, name in ((first, "First"), (second, "Second"), (first, "First")):
                listed = await client.call_tool("list_documents", {})
                assert f"Documents of {name}: 0" in text_of(listed)
            # Changes to a collection are reported to other clients that use it.
            await second.call_tool("switch_collection", {"collection_name": "First"})
            await first.call_tool(
                "delete_collection", {"collection_name": "First", "confirm": True}
            )
            assert "switch_collection" in text_of(await first.call_tool("list_documents", {}))
            gone = await second.call_tool("list_documents", {})
            assert gone.is_error
            assert '"First"' in text_of(gone)

    anyio.run(work)


def test_stateless_requests_remember_nothing_and_say_so(server: Server) -> None:
    async def work() -> None:
        async with connected(server, "2026-07-28") as client:
            made = await client.call_tool("create_collection", {"name": "Passing"})
            chosen = await client.call_tool("switch_collection", {"collection_name": "Acme"})
            for result in (made, chosen):
                assert result.is_error is False
                assert result.structured_content["is_active"] is False
                assert NO_STATE in result.structured_content["notes"]
                assert NO_STATE in text_of(result)
            lost = await client.call_tool("list_documents", {})
            assert lost.is_error is True
            assert "`collection`" in text_of(lost)
            listed = await client.call_tool("list_documents", {"collection": "Acme"})
            assert "Documents of Acme" in text_of(listed)

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
    assert '"isError":true' in asked.text.replace(" ", "")  # type: ignore[attr-defined]
    # A session that has ended is not there any more.
    assert server.ask("DELETE", **headers).status == 200
    assert server.ask(body=call, **headers).status == 404


@contextlib.asynccontextmanager
async def in_process(
    library: Library, token: str | None = None, *pages: str
) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of a server in this process, without a network."""
    import httpx2

    address = Address(None, "127.0.0.1", 8765, is_loopback=True)  # type: ignore[arg-type]
    rules = access(address, [*map(checked_origin, pages)], token)
    gate: Any = gated(server_for(Session(library)), rules)
    async with (
        gate._app.router.lifespan_context(gate._app),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=gate),
            base_url="http://127.0.0.1:8765",
            headers={"accept": "application/json, text/event-stream"},
        ) as client,
    ):
        yield client


def test_sessions_are_limited_and_the_others_go_on(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.faces.mcp.http.serving.MAX_SESSIONS", 2)
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


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
def test_long_work_of_one_client_leaves_the_others_alone(
    server: Server, many_files: Path, mode: str
) -> None:
    name = f"Long {mode}"
    received: list[float] = []

    async def work() -> None:
        begun = anyio.Event()

        async def progress(value: float, total: float | None, message: str | None) -> None:
            received.append(value)
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
                    result = await other.call_tool(
                        "search_documents",
                        {"query": "rent", "collection": "Acme", "mode": "keyword"},
                    )
                assert "third working day" in text_of(result)
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
    assert received == sorted(set(received))
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


@pytest.mark.slow
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
    text = server.end()
    assert "Traceback" not in text
    library = Library(load_settings(server.home))
    (left,) = library.jobs.list()
    assert (left.state, left.error["code"]) == ("interrupted", "client_left"), (left, text)
    documents = library.get("A").documents()
    assert 1 <= len(documents) < FILES
    assert library.get("A").stats().chunk_count == len(documents)


async def through(gate: Gate, *pieces: bytes) -> int | None:
    """Send a request through a gate, a piece at a time; return the status of the gate's answer."""
    sent: list[Any] = []
    rest = list(pieces)

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        await anyio.sleep(0.02)
        return {"type": "http.request", "body": rest.pop(), "more_body": bool(rest)}

    headers = [(b"host", b"box"), (b"authorization", f"Bearer {TOKEN}".encode())]
    await gate(
        {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, receive, send
    )
    return sent[0]["status"] if sent else None


def test_a_gate_that_closes_lets_nobody_in() -> None:
    served: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope["path"])

    gate = Gate(app, DOOR)
    assert anyio.run(through, gate, b"{}") is None
    assert served == ["/mcp"]
    assert gate.close() is False
    assert anyio.run(through, gate, b"{}") == 503
    assert served == ["/mcp"]


# Clients that are slow on purpose


@pytest.mark.slow
def test_a_body_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casetrack.faces.mcp.http.serving.BODY_SECONDS", 0.05)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    assert anyio.run(through, Gate(app, DOOR), *[b"x"] * 1000) == 408


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /ag"],
    ids=["nothing", "half a head", "half a second head"],
)
def test_a_head_that_does_not_arrive_is_given_up(
    monkeypatch: pytest.MonkeyPatch, first: bytes
) -> None:
    import uvicorn

    from casetrack.base.http import listening as server

    monkeypatch.setattr(server, "HEADER_SECONDS", 0.1)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await anyio.sleep(0.2)  # an answer may take longer than a head
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
