"""Pages in a conversation: supporting clients, content, and permitted calls."""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.extension import advertise
from mcp.shared.exceptions import MCPError

from casetrack.api.viewer.page_picture import page_picture
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.mcp.apps import PAGES
from casetrack.faces.mcp.server import build_server
from casetrack.faces.mcp.session import Session
from casetrack.faces.mcp.specs import ToolChoice

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

ERAS = ["2026-07-28", "legacy"]
PAGES_SHOWN = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
STATIC = Path(__file__).parents[3] / "casetrack" / "faces" / "mcp" / "apps" / "static"
PDF, WORD = "Master Services Agreement.pdf", "Amendment No 1.docx"
CALLS = {"show_page", "show_timeline", "show_graph"}
pytestmark = pytest.mark.usefixtures("drawn_once")


def talk(
    server: Any, work: Callable[[Any], Any], *, mode: str = ERAS[0], pages: bool = True
) -> Any:
    """Run *work* with a client that shows pages, or with one that does not."""

    async def main() -> Any:
        extensions = [PAGES_SHOWN] if pages else []
        async with Client(server, mode=mode, extensions=extensions) as client:
            try:
                return await work(client)
            except MCPError as error:
                return error

    return anyio.run(main)


@pytest.fixture
def ask(paged: Library) -> Callable[..., Any]:
    """Return ``ask(tool, arguments, pages=...)``: one call about the collection "Case"."""

    def call(name: str, arguments: dict[str, Any], **how: Any) -> Any:
        given = {"collection": "Case"} | arguments
        return talk(build_server(paged), lambda client: client.call_tool(name, given), **how)

    return call


def timeless(message: Any) -> str:
    """Return an answer without how long it took."""
    return re.sub(r"Time: \d+ ?ms|'\w+_ms': [\d.]+", "", str(message))


def listed(server: Any, **how: Any) -> dict[str, dict[str, Any]]:
    tools = talk(server, lambda client: client.list_tools(), **how).tools
    return {t.name: t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ERAS)
def test_only_who_shows_pages_is_told_of_them(library: Library, mode: str) -> None:
    plain = listed(build_server(library), mode=mode, pages=False)
    shown = listed(build_server(library), mode=mode)
    assert not [name for name, tool in plain.items() if "ui" in tool.get("_meta", {})]
    assert shown.keys() - plain.keys() == CALLS
    for name in CALLS:
        assert shown.pop(name)["_meta"] == {"ui": {"visibility": ["app"]}}
    for tool in shown.values():
        tool.get("_meta", {}).pop("ui", None)
        if tool.get("_meta") == {}:
            del tool["_meta"]
    assert shown == plain, "what its model is told stays as it is"


@pytest.mark.parametrize("mode", ERAS)
def test_every_page_that_a_tool_names_can_be_read(library: Library, mode: str) -> None:
    async def work(client: Any) -> Any:
        named = [
            (t.meta or {}).get("ui", {}).get("resourceUri")
            for t in (await client.list_tools()).tools
        ]
        actual = [r for r in (await client.list_resources()).resources if r.uri.startswith("ui://")]
        read = [(await client.read_resource(uri)).contents for uri in filter(None, named)]
        return set(filter(None, named)), actual, [content for (content,) in read]

    named, actual, contents = talk(build_server(library), work, mode=mode)
    assert named == {r.uri for r in actual} == {c.uri for c in contents}
    empty = {"connectDomains": [], "resourceDomains": []}
    for each in (*actual, *contents):
        assert each.mime_type == "text/html;profile=mcp-app"
        assert each.meta["ui"]["csp"] == empty
    plain = talk(build_server(library), lambda c: c.list_resources(), mode=mode, pages=False)
    assert not [r for r in plain.resources if r.uri.startswith("ui://")]


@pytest.mark.parametrize("uri", ["ui://casetrack/nothing.html", "ui://other/search.html", "ui://"])
def test_an_address_of_no_page_names_those_that_there_are(library: Library, uri: str) -> None:
    error = talk(build_server(library), lambda client: client.read_resource(uri))
    assert isinstance(error, MCPError)
    assert uri in error.message
    assert "ui://casetrack/search.html" in error.message


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_loads_nothing_and_runs_only_itself(page: Any) -> None:
    html = page.html({"search": "</script><b>", "place": None, "calls": [], "version": "1"})
    policy = re.search(r'Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    rules = dict(part.strip().split(" ", 1) for part in policy[1].split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind in ("script", "style"):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert not re.search(r"<(?:link|img|iframe|object|base|form)\b", html)
    assert "http://" not in html
    assert "https://" not in html
    assert "</b>" not in html.partition("<script>")[2].partition("</script>")[0]
    assert len(html.encode()) < 80_000


def test_every_text_is_in_both_languages_and_is_used() -> None:
    texts = tomllib.loads((STATIC / "texts.toml").read_text(encoding="utf-8"))
    script = "".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))
    for name, messages in texts.items():
        assert messages.keys() == {"en", "de"}, name
        assert re.findall(r"\{\w+\}", messages["en"]) == re.findall(
            r"\{\w+\}", messages["de"]
        ) or sorted(re.findall(r"\{\w+\}", messages["en"])) == sorted(
            re.findall(r"\{\w+\}", messages["de"])
        ), name
    used = set(re.findall(r"\bt\('(\w+)'", script))
    assert used <= texts.keys()
    assert not [n for n in texts if f"'{n}'" not in script and not n.endswith("_place")]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
def test_a_model_cannot_call_what_is_for_pages(library: Library, mode: str) -> None:
    for name in CALLS:
        error = talk(
            build_server(library), lambda c, n=name: c.call_tool(n, {}), mode=mode, pages=False
        )
        assert isinstance(error, MCPError)
        assert name in error.message


def test_what_a_page_may_call_follows_the_tools_that_are_offered(library: Library) -> None:
    for tools, calls in (
        ({"get_page_image"}, {"show_page"}),
        ({"get_collection_timeline"}, {"show_page", "show_timeline"}),
        ({"list_collections"}, set()),
    ):
        server = build_server(library, ToolChoice(frozenset(tools)))
        assert listed(server).keys() - tools == calls


@pytest.mark.usefixtures("free_tier")
def test_a_page_for_what_the_license_lacks_is_not_linked(library: Library) -> None:
    tools = listed(build_server(library))
    assert "_meta" not in tools["get_entity_graph"]
    result = talk(build_server(library), lambda c: c.call_tool("show_graph", {"width": 700}))
    assert result.is_error


@pytest.mark.slow
def test_what_its_model_reads_is_the_same_with_and_without_a_page(ask: Callable[..., Any]) -> None:
    for name, arguments in (
        ("search_documents", {"query": "When are invoices paid?"}),
        ("get_collection_timeline", {}),
        ("get_page_image", {"document_name": PDF, "page": 2}),
    ):
        shown, plain = ask(name, arguments), ask(name, arguments, pages=False)
        assert timeless(shown.content) == timeless(plain.content)
        assert timeless(shown.structured_content) == timeless(plain.structured_content)
        assert not [key for key in plain.meta or {} if key.startswith("casetrack/")]
        assert shown.meta["casetrack/api/collection"]


@pytest.mark.usefixtures("as_models_see")
def test_a_search_says_where_in_each_text_it_answers(ask: Callable[..., Any]) -> None:
    result = ask("search_documents", {"query": "Within how many days is an invoice paid?"})
    spans = result.meta["casetrack/graph/answers"]
    texts = [each["text"] for each in result.structured_content["results"]]
    assert len(spans) == len(texts)
    messages = [text[slice(*span)] for text, span in zip(texts, spans, strict=True) if span]
    assert any("forty-five days" in each or "thirty days" in each for each in messages)


def test_the_passage_is_marked_over_the_picture_of_its_page(
    ask: Callable[..., Any], paged: Library
) -> None:
    case = paged.get("Case")
    chunk = case.read.chunks(PDF, page=3)[-1]
    question = "When are invoices paid?"
    result = ask("show_page", {"chunk_id": chunk.chunk_id, "question": question})
    facts = result.structured_content
    (image,) = [c for c in result.content if c.type == "image"]
    plain = page_picture(case.workspace.state(), PDF, 3).png
    assert base64.b64decode(image.data) == plain, "the page itself, without marks"
    lines = len(chunk.provenance.line_boxes)
    strong = facts["marks"].count('strong"')
    assert strong
    assert facts["marks"].count("<rect") == lines + strong
    assert facts["body"] == ""
    assert facts["passage"]["text"] == chunk.text
    assert facts["citation"] == chunk.citation
    assert facts["quote"] in chunk.text
    assert facts["answers"][0] == facts["quote"]
    assert (facts["page"], facts["page_count"], facts["page_kind"]) == (3, 11, "page")
    near = case.read.context(chunk.chunk_id, window=1)
    assert facts["before"] == near.before[-1].chunk_id
    assert facts["after"] == near.after[0].chunk_id


def test_a_page_without_a_picture_comes_as_text(ask: Callable[..., Any], paged: Library) -> None:
    chunk = paged.get("Case").read.chunks(WORD)[1]
    result = ask("show_page", {"chunk_id": chunk.chunk_id})
    facts = result.structured_content
    assert not [c for c in result.content if c.type == "image"]
    assert facts["marks"] == ""
    assert "<mark" in facts["body"]
    page = ask("show_page", {"document_name": WORD, "page": 1}).structured_content
    assert page["passage"] is None
    assert page["citation"] == f"{WORD}, page 1"
    assert "<mark" not in page["body"]
    assert page["body"]


def test_a_page_that_is_not_there_is_refused(ask: Callable[..., Any], codes: list[str]) -> None:
    for given in (
        {},
        {"chunk_id": "x", "page": 1},
        {"document_name": PDF, "page": 99},
        {"chunk_id": "00000000"},
        {"document_name": "Nothing.pdf", "page": 1},
    ):
        assert ask("show_page", given).is_error
    assert codes == [*["usage"] * 3, "chunk_not_found", "document_not_found"]


def test_the_signs_of_a_timeline_are_numbered_as_its_events(ask: Callable[..., Any]) -> None:
    facts = ask("show_timeline", {"width": 700, "end_date": "2024-06-30"}).structured_content
    numbers = {int(n) for n in re.findall(r'href="#event-(\d+)"', facts["drawing"])}
    assert numbers == set(range(len(facts["events"]))) != set()
    assert len(facts["words"]) == len(facts["events"])
    assert all(each["date"] <= "2024-06-30" for each in facts["events"])
    assert all(each["citation"] and each["chunk_id"] for each in facts["events"])
    assert " style=" not in facts["drawing"]


def test_the_signs_of_a_graph_are_numbered_as_its_names(ask: Callable[..., Any]) -> None:
    facts = ask("show_graph", {"width": 700, "top_k": 6}).structured_content
    names = {int(n) for n in re.findall(r'href="#name-(\d+)"', facts["drawing"])}
    links = {int(n) for n in re.findall(r'href="#link-(\d+)"', facts["drawing"])}
    assert names == set(range(len(facts["nodes"]))) != set()
    assert links <= set(range(len(facts["edges"])))
    first = facts["edges"][0]
    assert first["evidence"]["citation"]
    around = ask("show_graph", {"width": 700, "entity_name": first["source_name"]})
    assert around.structured_content["center"]["name"] == first["source_name"]


def test_the_edition_for_lawyers_shows_its_search(library: Library, tmp_path: Path) -> None:
    from casetrack.faces.mcp.app import server_for

    server = server_for(Session(library), None, legal_edition())
    paper = tmp_path / "Letter.txt"
    paper.write_text("The crane was delivered to Pier 9 on 3 May 2024.\n", encoding="utf-8")

    async def work(client: Any) -> Any:
        await client.call_tool("create_case", {"name": "Harbor v. Quay"})
        await client.call_tool("ingest_document", {"file_path": str(paper)})
        result = await client.call_tool("search_case", {"query": "crane Pier 9"})
        hit = result.structured_content["results"][0]["source"]
        given = {"chunk_id": hit["chunk_id"], "collection": result.meta["casetrack/api/collection"]}
        html = (await client.read_resource("ui://casetrack/search.html")).contents[0].text
        return await client.call_tool("show_page", given), html

    shown, html = talk(server, work, mode="legacy")
    assert "crane" in shown.structured_content["body"]
    assert '"place": "case"' in html
    assert '"search": "search_case"' in html
