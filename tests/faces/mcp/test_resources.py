"""Resources: lists, content of each address, and refusals."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from casetrack.faces.mcp import resources as module
from casetrack.faces.mcp.document_text import BUDGET
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.resources import RESOURCE_NOT_FOUND
from casetrack.faces.mcp.results import tokens
from casetrack.faces.mcp.specs import ToolChoice
from casetrack.faces.mcp.uris import (
    COLLECTIONS,
    SQL,
    TEMPLATES,
    Kind,
    NotAnAddress,
    chunk_uri,
    collection_uri,
    document_uri,
    highlight_uri,
    page_uri,
    parse_uri,
)
from casetrack.store.info import update_info
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

ERAS = ["2026-07-28", "legacy"]
MISSING = {"2026-07-28": INVALID_PARAMS, "legacy": RESOURCE_NOT_FOUND}
ID = "0b5ad5f2-3c1e-4f6a-9f57-0c7a4b1f2d3e"
OTHER = "7e1d1f6c-aaaa-4bbb-8ccc-123456789abc"

Serve = "Callable[..., Any]"


@pytest.fixture
def read(serve: Serve) -> Callable[..., Any]:
    """Return ``read(library, uri, mode=..., choice=...)``: the one content at an address."""

    def one(library: Library, uri: str, **options: Any) -> Any:
        result = serve(library, lambda client: client.read_resource(uri), **options)
        (content,) = result.contents
        assert content.uri == uri
        return content

    return one


DOCUMENT = f"{COLLECTIONS}/{ID}/documents/{OTHER}"
BELOW = f"/ ?x=1 #x /.. /../../etc/passwd /%2e%2e /Demo /{ID[:8]} /{ID.upper()} /{ID}/ //{ID}"
BELOW += f" /{ID}/documents /{ID}/documents/../{OTHER} /{ID}/chunks/{OTHER}/pages/1"
SCHEMES = "CASETRACK://collections file:///collections casetrack://other "
SCHEMES += "casetrack://collections:80 casetrack://user@collections"


@pytest.mark.parametrize(
    "uri",
    [
        *("", "casetrack://", f"{COLLECTIONS}/{ID}\n", f" {COLLECTIONS}/{ID}"),
        *(f"{COLLECTIONS}{rest}" for rest in BELOW.split()),
        *(f"{DOCUMENT}/pages/{n}" for n in ("0", "01", "-1", "1.5", "\u0661", "99999999")),
        *(f"{scheme}/{ID}" for scheme in SCHEMES.split()),
        TEMPLATES[Kind.DOCUMENT],
    ],
)
def test_anything_else_is_no_address(uri: str) -> None:
    with pytest.raises(NotAnAddress):
        parse_uri(uri)


@pytest.mark.parametrize("mode", ERAS)
def test_collections_and_templates_are_listed(serve: Serve, paged: Library, mode: str) -> None:
    async def work(client: Any) -> Any:
        return await client.list_resources(), await client.list_resource_templates()

    listed, templates = serve(paged, work, mode=mode)
    first, *rest = listed.resources
    assert (first.uri, first.mime_type) == (COLLECTIONS, "application/json")
    assert {r.name for r in rest} == {"sql", "Case", "Other"}
    case = next(r for r in rest if r.name == "Case")
    assert case.uri == collection_uri(paged.get("Case").info.id)
    assert "3" in case.description
    assert {t.uri_template for t in templates.resource_templates} == set(TEMPLATES.values()) - {
        COLLECTIONS,
        SQL,
    }
    types = {t.name: t.mime_type for t in templates.resource_templates}
    assert types["page"] == types["highlighted-page"] == "image/png"
    assert types["document"] == "text/markdown"


def test_the_list_is_bounded_and_leaves_out_what_is_closed(
    serve: Serve, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("First", "Second", "Third"):
        library.create(name)
    library.get("Third").admin.close()
    later = library.get("Second")
    update_info(later.folder, lambda i: replace(i, updated_at=i.updated_at + timedelta(hours=1)))
    monkeypatch.setattr(module, "LISTED", 1)
    listed = serve(library, lambda client: client.list_resources())
    assert [r.name for r in listed.resources] == ["collections", "sql", "Second"]


def test_what_sql_may_name_is_a_resource(read: Callable[..., Any], library: Library) -> None:
    content = read(library, SQL)
    assert content.mime_type == "text/markdown"
    for part in ("- amounts(document_id string, ", "- search(question, k := 20", "value double"):
        assert part in content.text
    assert tokens(content.text) < BUDGET


def test_a_document_is_its_text_in_order_with_its_pages(
    read: Callable[..., Any], paged: Library
) -> None:
    case = paged.get("Case")
    document = case.document("Exhibit F Statement of T Zielinski.txt")
    content = read(paged, document_uri(case.info.id, document.document_id))
    assert content.mime_type == "text/markdown"
    assert content.text.startswith(f"# {document.name}\n")
    assert QUOTED in content.text
    pages = re.findall(r"^## \w+ (\d+)$", content.text, re.MULTILINE)
    assert [int(p) for p in pages] == list(range(1, document.page_count + 1))
    quoted = "".join(
        line.removeprefix(">").removeprefix(" ")
        for line in content.text.splitlines()
        if line.startswith(">")
    )
    source = Path(document.path).read_text("utf-8")
    assert "".join(quoted.split()) == "".join(source.split()), "no overlap, no gap"
    assert "browse_pages" not in content.text, "it is complete"


@pytest.mark.parametrize(
    ("choice", "hint"), [(ToolChoice(), True), (ToolChoice(frozenset({"get_chunk"})), False)]
)
def test_a_long_document_is_cut_and_says_how_to_read_on(
    read: Callable[..., Any], paged: Library, choice: ToolChoice, *, hint: bool
) -> None:
    other = paged.get("Other")
    document = other.document("Long.txt")
    uri = document_uri(other.info.id, document.document_id)
    text = read(paged, uri, choice=choice).text
    shown = [int(n) for n in re.findall(r"^## \w+ (\d+)$", text, re.MULTILINE)]
    assert shown == list(range(1, len(shown) + 1))
    assert 1 < len(shown) < document.page_count
    assert tokens(text) < BUDGET + 1000
    last = text.rstrip().splitlines()[-1]
    assert f"{len(shown) + 1}-{document.page_count}" in last
    assert (f"start_page {len(shown) + 1}" in last and document.document_id in last) == hint


def test_text_of_a_document_cannot_pass_for_ours(read: Callable[..., Any], paged: Library) -> None:
    other = paged.get("Other")
    document = other.document("Long.txt")
    text = read(paged, document_uri(other.info.id, document.document_id)).text
    assert "> ## Page 9" in text
    assert "\n## Page 9\n\n> ## Page 9" not in text
    assert len(re.findall(r"^## \w+ 2$", text, re.MULTILINE)) == 1


def test_the_text_of_a_document_drives_no_terminal(
    read: Callable[..., Any], library: Library, store_text: Callable[..., Any]
) -> None:
    target = library.create("Case")
    with write_session(target.folder) as session:
        document = store_text(session, "a\n# b\x1b[2J.txt", "Wipe\x1b[2J the\x00 screen.")
    text = read(library, document_uri(target.info.id, document.document_id)).text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert text.startswith("# a # b\ufffd[2J.txt\n")
    assert "\n> Wipe\ufffd[2J the\ufffd screen." in text


@pytest.mark.usefixtures("drawn_once")
def test_a_picture_of_stored_text_says_so(read: Callable[..., Any], paged: Library) -> None:
    case = paged.get("Case")
    chunk = case.read.chunks("Amendment No 1.docx")[1]
    content = read(paged, highlight_uri(case.info.id, chunk.chunk_id))
    assert content.mime_type == "image/png"
    assert content.meta["casetrack/notes"][0]


def refused(serve: Serve, library: Library, uri: str, mode: str) -> MCPError:
    with pytest.raises(MCPError) as caught:
        serve(library, lambda client: client.read_resource(uri), mode=mode)
    return caught.value


@pytest.mark.parametrize("mode", ERAS)
def test_missing_objects_are_protocol_errors(
    serve: Serve, paged: Library, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    case, other = paged.get("Case"), paged.get("Other")
    key = case.info.id
    foreign_document = other.documents()[0].document_id
    foreign_chunk = other.read.chunks(foreign_document)[0].chunk_id
    own = case.document("Master Services Agreement.pdf")
    cases = {
        "test://nonexistent": "resource_not_found",
        "casetrack://collections/../x": "resource_not_found",
        collection_uri(ID): "collection_not_found",
        document_uri(ID, own.document_id): "collection_not_found",
        document_uri(key, ID): "document_not_found",
        chunk_uri(key, ID): "chunk_not_found",
        document_uri(key, foreign_document): "document_not_found",
        page_uri(key, foreign_document, 1): "document_not_found",
        chunk_uri(key, foreign_chunk): "chunk_not_found",
        highlight_uri(key, foreign_chunk): "chunk_not_found",
        page_uri(key, own.document_id, own.page_count + 1): "usage",
    }
    for uri, code in cases.items():
        with caplog.at_level(logging.INFO, "casetrack.mcp"):
            error = refused(serve, paged, uri, mode)
        assert error.error.code == MISSING[mode], uri
        assert error.error.data == {"uri": uri}
        assert caplog.messages[-1].endswith(f": {code}"), uri


def test_a_name_that_looks_like_an_id_is_not_one(serve: Serve, library: Library) -> None:
    library.create(ID)
    assert refused(serve, library, collection_uri(ID), ERAS[0]).error.code == INVALID_PARAMS


@pytest.mark.parametrize("mode", ERAS)
def test_unexpected_errors_are_masked(
    serve: Serve,
    paged: Library,
    mode: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_args: Any) -> None:
        raise RuntimeError("quizzlefrax")

    monkeypatch.setattr("casetrack.api.collection.read.Read.chunk", fail)
    key = paged.get("Case").info.id
    with caplog.at_level(logging.ERROR, "casetrack.mcp"):
        error = refused(serve, paged, chunk_uri(key, ID), mode)
    assert error.error.code == INTERNAL_ERROR
    assert "quizzlefrax" not in error.error.message
    (reference,) = re.findall(r"\b[0-9a-f]{8}\b", error.error.message)
    assert reference in caplog.text
