"""AI programs and plain HTTP clients of a config: a real server process and real clients."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.editions.context.cli.main import main
from context_faces import CTX, TOKEN, compare, questions_of, rest, served, typed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from mcp.client import Client

QUESTIONS = ("how are tokens validated", "zebra")
EVIL = "https://evil.example"
DOCS, CODE = "filesystem:docs", "filesystem:code"


@pytest.fixture(scope="module", autouse=True)
def _models(models_dir: Path) -> Iterator[None]:
    """Let the programs that are started here find the model that the project was taken in with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_MODELS", str(models_dir))
        yield


@pytest.fixture(scope="module")
def port(project: Path) -> Iterator[int]:
    """The port of a server of the project."""
    with served(project) as caught:
        yield caught


def over_mcp(
    port: int, work: Callable[[Client], Awaitable[Any]], mode: str = "auto", **how: Any
) -> Any:
    """Let *work* use a client of the protocol that is connected to the server."""
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async def run() -> Any:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as carrier:
            way = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=carrier)
            async with Client(way, mode=mode, **how) as client:
                return await work(client)

    return anyio.run(run)


def call(port: int, name: str, arguments: dict[str, Any]) -> Any:
    """Call a tool over HTTP."""
    return over_mcp(port, lambda client: client.call_tool(name, arguments))


# --- the same everywhere --------------------------------------------------------------------


@pytest.mark.slow
def test_two_hundred_questions_have_one_answer_each(project: Path) -> None:
    result = compare(project, questions_of(project, 200))
    assert result.unequal == []
    assert result.asked == 3 * len(questions_of(project, 200))


FILTERED: tuple[tuple[list[str], dict[str, Any], str], ...] = (
    (["--limit", "2"], {"limit": 2}, "limit=2"),
    (["--source", DOCS, "--source", CODE], {"filters": {"source": [DOCS, CODE]}},
     f"source={DOCS}&source={CODE}"),
    (["--path", "notes/**"], {"filters": {"path": "notes/**"}}, "path=notes/**"),
    (["--since", "2001"], {"filters": {"since": "2001"}}, "since=2001"),
    (["--until", "2001"], {"filters": {"until": "2001"}}, "until=2001"),
    (["--explain"], {"explain": True}, "explain=true"),
)  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("options", "arguments", "address"), FILTERED)
def test_filters_mean_the_same(
    project: Path, port: int, options: list[str], arguments: dict[str, Any], address: str
) -> None:
    wanted = typed(project, "search", "token cache", *options)
    asked = {"query": "token cache", **arguments}
    assert call(port, "search", asked).structured_content == wanted
    for way in ("/search", "/tools/search"):
        assert rest(port, way, json.dumps(asked).encode()) == (200, wanted)
    assert rest(port, f"/search?q=token%20cache&{address}") == (200, wanted)
    assert bool(wanted["results"]) is ("--until" not in options)


FIRST = {"first": 0, "count": 1}


def test_reading_and_sources_are_the_same(project: Path, port: int) -> None:
    hit = typed(project, "search", "tokens validated")["results"][0]
    for words, arguments, address in (
        (hit["id"], {"id": hit["id"]}, f"id={hit['id']}"),
        (f"{hit['id']}:0:1", FIRST | {"id": hit["id"]}, f"id={hit['id']}&first=0&count=1"),
        ("deploy.md", {"id": "deploy.md"}, "id=deploy.md"),
    ):
        wanted = typed(project, "get", words)
        assert wanted["body"]
        assert call(port, "get", arguments).structured_content == wanted
        assert rest(port, f"/get?{address}") == (200, wanted)
    wanted = typed(project, "sources")
    assert {s["name"] for s in wanted["sources"]} == {DOCS, CODE}
    assert call(port, "sources", {}).structured_content == wanted
    assert rest(port, "/sources") == (200, wanted)
    status, health = rest(port, "/health")
    assert (status, health["status"]) == (200, "ok")


@pytest.mark.slow
def test_over_pipes_too(project: Path) -> None:
    from mcp import StdioServerParameters
    from mcp.client import Client

    async def run() -> Any:
        words = [*CTX[1:], "--config", str(project), "serve", "mcp", "--transport", "stdio"]
        command = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        async with Client(command) as client:
            answer = await client.call_tool("search", {"query": "roll back"})
            return answer, await client.list_tools(), await client.list_prompts()

    answer, tools, prompts = anyio.run(run)
    assert answer.structured_content == typed(project, "search", "roll back")
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert [t.name for t in tools.tools] == ["search", "get", "sources"]
    assert [p.name for p in prompts.prompts] == ["reviewer"]


@pytest.mark.slow
def test_a_program_that_shows_pages_opens_what_was_found(project: Path, port: int) -> None:
    from mcp.client.extension import advertise

    shows = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})

    async def work(client: Client) -> Any:
        (page,) = (await client.list_resources()).resources
        html = (await client.read_resource(page.uri)).contents[0].text
        result = await client.call_tool("search", {"query": "roll back"})
        hit = result.structured_content["results"][0]
        given = {"chunk_id": hit["chunk_id"], "collection": result.meta["casetrack/api/collection"]}
        return html, result, await client.call_tool("show_page", given)

    html, result, shown = over_mcp(port, work, extensions=[shows])
    assert result.structured_content == typed(project, "search", "roll back")
    assert '"place": null, "search": "search"' in html
    assert "Roll back" in shown.structured_content["body"]


# --- the view of clients --------------------------------------------------------------------


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_three_tools_that_only_read(port: int, era: str) -> None:
    async def look(client: Client) -> Any:
        return (await client.list_tools()).tools, client.instructions

    tools, instructions = over_mcp(port, look, era)
    assert [tool.name for tool in tools] == ["search", "get", "sources"]
    for tool in tools:
        hints = tool.annotations
        assert hints.read_only_hint is True
        assert hints.destructive_hint is False
        assert hints.open_world_hint is False
        assert hints.idempotent_hint is None
        assert "$ref" not in json.dumps(tool.input_schema)
    search = tools[0].input_schema
    assert search["required"] == ["query"]
    assert list(search["properties"]) == ["query", "mode", "limit", "filters", "explain"]
    assert list(search["properties"]["filters"]["properties"])[:3] == ["source", "since", "until"]
    if era == "legacy":  # a client of the stateless protocol asks for them by itself
        assert 500 < len(instructions) < 2_000
    assert len(json.dumps([t.model_dump(exclude_none=True) for t in tools])) < 4_500


def test_agents_are_prompts(port: int) -> None:
    async def look(client: Client) -> Any:
        listed = (await client.list_prompts()).prompts
        return listed, await client.get_prompt("reviewer", {"service": "billing"})

    listed, got = over_mcp(port, look)
    assert [(p.name, p.description) for p in listed] == [("reviewer", "Reviews changes")]
    assert [(a.name, a.required) for a in listed[0].arguments] == [("service", True)]
    text, _, tools = got.messages[0].content.text.partition("\n\n")
    assert text == "You review changes of billing. Leave {braces} alone."
    assert tools.rstrip(".").endswith(": search, get")  # those of its tools that are there


@pytest.mark.parametrize(("name", "lacks"), [("nobody", "reviewer"), ("reviewer", "service")])
def test_prompts_that_cannot_be_had(port: int, name: str, lacks: str) -> None:
    from mcp.shared.exceptions import MCPError

    async def ask(client: Client) -> str:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, {})
        return str(caught.value)

    text = over_mcp(port, ask)
    assert name in text
    assert lacks in text


# --- invalid requests -----------------------------------------------------------------------

HOSTILE: dict[str, tuple[str, dict[str, Any]]] = {
    "no query": ("search", {}),
    "blank query": ("search", {"query": "   "}),
    "long query": ("search", {"query": "x" * 20_000}),
    "large limit": ("search", {"query": "x", "limit": 10**30}),
    "limit 0": ("search", {"query": "x", "limit": 0}),
    "limit in words": ("search", {"query": "x", "limit": "many"}),
    "mode": ("search", {"query": "x", "mode": "hybird"}),
    "filter": ("search", {"query": "x", "filters": {"sorce": "git"}}),
    "number as filter": ("search", {"query": "x", "filters": {"source": 7}}),
    "text as filters": ("search", {"query": "x", "filters": "git"}),
    "day": ("search", {"query": "x", "filters": {"since": "soon"}}),
    "source": ("search", {"query": "x", "filters": {"source": "git:nope"}}),
    "argument": ("search", {"query": "x", "colour": 1}),
    "unknown id": ("get", {"id": "00000000-0000-4000-8000-000000000000"}),
    "path as id": ("get", {"id": "../../etc/passwd"}),
    "passage": ("get", {"id": "auth.md", "first": 99}),
    "negative passage": ("get", {"id": "auth.md", "first": -1}),
    "list as id": ("get", {"id": ["a"]}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_does_not_fit_is_refused(port: int, case: str, messages: Any) -> None:
    name, arguments = HOSTILE[case]
    missing = case in {"unknown id", "path as id"}
    code, status = ("not_found", 404) if missing else ("bad_request", 400)
    answer = call(port, name, arguments)
    assert answer.is_error
    error = answer.structured_content["error"]
    assert error["code"] == code
    assert answer.content[0].text == error["message"]
    assert rest(port, f"/{name}", json.dumps(arguments).encode()) == (status, {"error": error})
    messages(error["message"])


def test_unknown_tools_are_not_found(port: int) -> None:
    answer = call(port, "serch", {})
    assert answer.structured_content["error"]["code"] == "not_found"
    assert '"search"' in answer.content[0].text


DEEP = b"[" * 100_000


@pytest.mark.parametrize("body", [b"{not json", b"[]", b"", b"\xff\xfe", DEEP, b'"text"', b"null"])
def test_a_body_that_is_no_object_is_a_bad_request(port: int, body: bytes) -> None:
    status, text = rest(port, "/search", body)
    assert status == 400
    assert text["error"]["code"] == "bad_request"


def test_nobody_comes_in_without_the_token(port: int) -> None:
    for path in ("/search?q=a", "/get?id=a", "/sources", "/health", "/tools/search"):
        for given in (None, "Bearer wrong-wrong-wrong-wrong", f"Basic {TOKEN}"):
            status, text = rest(port, path, authorization=given)
            assert (status, text["error"]["code"]) == (401, "unauthorized")
            assert "Authorization: Bearer TOKEN" in text["error"]["message"]
            assert TOKEN not in json.dumps(text)


def test_foreign_pages_and_names_are_refused(port: int) -> None:
    status, text = rest(port, "/search?q=a", origin=EVIL)
    assert (status, text["error"]["code"]) == (403, "forbidden")
    assert "--allow-origin" in text["error"]["message"]
    assert rest(port, "/search?q=a", host="evil.example")[0] == 421


def test_other_methods_and_paths(port: int) -> None:
    assert rest(port, "/sources", b"{}")[0] == 405
    assert rest(port, "/nothing")[0] == 404
    assert rest(port, "/search?q=a&q=b")[0] == 400
    assert rest(port, "/search", b"{" + b" " * 5_000_000)[0] == 413


def test_long_answers_are_shortened(
    project: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.editions.context.mcp import tools

    monkeypatch.setattr(tools, "fitting", lambda costs, **_: max(1, sum(1 for _ in costs) - 2))
    result = typed(project, "search", "requests refused status")
    short = tools._shortened(result)
    assert short["results"] == result["results"][:-2]
    assert short["notes"][-1].startswith("2 ")
    assert result["notes"] == short["notes"][:-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "about"),
    [(["--transport", "stdio", "--port", "1"], "--port"), (["--host", "0.0.0.0"], "token")],
)
def test_servers_that_cannot_be(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], about: str
) -> None:
    """A port makes no sense over pipes, and other computers need a token."""
    assert main(["--config", str(project), "serve", "mcp", *options]) == 2
    assert about in capsys.readouterr().err
