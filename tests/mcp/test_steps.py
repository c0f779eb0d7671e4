"""Refusals and next steps name tools of the server that gives them, and no commands."""

from __future__ import annotations

import re
from typing import Any

import anyio
import pytest
from mcp.client import Client

from casetrack.config import Settings
from casetrack.editions import ANY, LEGAL
from casetrack.library import Library
from casetrack.license.tiers import FREE
from casetrack.mcp.app import server_for
from casetrack.mcp.catalogue import choose, declared
from casetrack.mcp.legal import legal_edition
from casetrack.mcp.server import build_server
from casetrack.mcp.session import ConnectionState, Session, serve_for
from casetrack.mcp.steps import Steps

EVERY = frozenset({*declared(), *declared(legal_edition())})


SAID = [
    "See `casetrack documents` (list_documents).",
    "List them with `casetrack documents`.",
    "Run `casetrack doctor --repair`: it brings them back.",
    "The user can run `casetrack doctor`.",
    "Run `ctx sync`.",
    "Run `casetrack search --mode keyword`.",
    "Ingest some with ingest_document or ingest_folder.",
    "Call list_entities.",
    "Call list_entities. Or wait.",
    "Call list_documents, list_entities or get_chunk.",
    "2 chunks did not fit: go on with traverse_chunks.",
    "Wait; get_chunk gives it.",
    "One:\n  - get_chunk: Text\n  - list_documents: Names",
    'There is no "get_chunk" here.',
    "The top_k is too high.",
]


def test_steps_are_put_in_terms_of_what_there_is(messages: Any) -> None:
    here = frozenset({"list_documents", "ingest_document", "search_documents"})
    told = [Steps(EVERY, here).told(said) for said in SAID]
    messages("\n\n".join(f"{said}\n-> {now}" for said, now in zip(SAID, told, strict=True)))


NOWHERE = {
    "string": "Nowhere",
    "integer": 3,
    "number": 0.9,
    "boolean": False,
    "array": ["Nowhere", "Nobody"],
}


def _arguments(schema: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments of the right types; what is not given names nothing that there is."""
    needed = {
        name: field.get("enum", [NOWHERE[field.get("type", "string")]])[0]
        for name, field in schema["properties"].items()
        if name in schema.get("required", ())
    }
    known = {k: v for k, v in given.items() if k in schema["properties"] or k == "unknown"}
    return needed | known


def _named(result: Any) -> set[str]:
    text = "\n".join(getattr(block, "text", "") for block in result.content)
    words = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", re.sub(r'"[^"]*"', "", text)))
    shell = {
        line
        for line in text.split("\n")
        if re.search(r"`(casetrack|ctx) |casetrack [a-z]+ -", line) and "user" not in line
    }
    return (words & EVERY) | shell


GIVEN: tuple[dict[str, Any], ...] = (
    {},
    {"collection": "Nowhere", "collection_name": "Closed"},
    {"collection": "Acme", "document_name": "Notes.txt", "before": "Notes.txt", "after": "Let.md"},
    {"collection": "Acme", "query": "Zyzzyva unheard of", "offset": 50},
    {"collection": "Empty", "query": "rent", "sql": "SELECT nothing FROM nowhere"},
    {"collection": "Closed", "confirm": True, "file_path": "/nowhere/a.pdf", "folder_path": "/nix"},
    {"collection": "Acme", "file_path": "/", "folder_path": "/dev/null", "name": "Acme"},
    {"offset": -1, "unknown": 1},
)


def _dead_ends(library: Library, chosen: str) -> dict[str, set[str]]:
    """Call every tool rightly and wrongly; return what each names that is not there."""
    server = build_server(library, choose(chosen))
    usable = server.catalogue.usable()
    found: dict[str, set[str]] = {}

    async def ask() -> None:
        async with Client(server, mode="legacy") as client:
            for tool in (await client.list_tools()).tools:
                for given in GIVEN if tool.name != "query" else GIVEN[4:5]:
                    asked = _arguments(tool.input_schema, {"name": "Acme"} | given)
                    result = await client.call_tool(tool.name, asked)
                    found.setdefault(tool.name, set()).update(_named(result) - usable - {tool.name})

    anyio.run(ask)
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Collections with a little, nothing, and one that is closed."""
    root = tmp_path_factory.mktemp("several")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"), tier=FREE)
    (root / "Notes.txt").write_text("The rent is due on 1 May 2024.", encoding="utf-8")
    (root / "Let.md").write_text("# Let\n\nTo Ann Lee.\n", encoding="utf-8")
    library.create("Acme").ingest([root / "Notes.txt", root / "Let.md"])
    library.create("Empty")
    library.create("Closed").admin.close()
    return library


@pytest.mark.parametrize(
    "chosen",
    [
        "daily",
        "core,read-only",
        "map",
        pytest.param("search", marks=pytest.mark.slow),
        pytest.param("all", marks=pytest.mark.slow),
    ],
)
def test_nothing_that_is_said_leads_into_a_dead_end(several: Library, chosen: str) -> None:
    assert _dead_ends(several, chosen) == {}


@pytest.mark.parametrize("legal", [False, True], ids=["collections", "cases"])
def test_where_nothing_is_remembered_nobody_is_told_to_choose(
    library: Library, legal: bool, codes: list[str]
) -> None:
    noun, kind = ("case", LEGAL) if legal else ("collection", ANY)
    for name in ("Acme", "Bolt"):
        library.create(name, edition=kind)
    session = Session(library)
    server = server_for(session, None, legal_edition() if legal else None)

    async def ask(name: str, /, **given: Any) -> str:
        serve_for(ConnectionState(remembers=False))
        result = await server.call_tool(name, given)
        assert result.content[0].type == "text"
        return result.content[0].text

    async def told() -> list[str]:
        return [
            await ask("list_documents"),
            await ask(f"create_{noun}", name="Acme"),
            await ask("list_documents", **{noun: "Nowhere"}),
        ]

    unnamed, exists, unknown = anyio.run(told)
    assert f"`{noun}`" in unnamed
    assert {'  - "Acme"', '  - "Bolt"'} == set(unnamed.split("\n")[-2:])
    assert codes == ["no_collection_active", "collection_exists", "collection_not_found"]
    assert '  - "Acme"' in unknown
    assert "switch_" not in unnamed + exists + unknown


def test_a_server_without_a_choice_asks_for_the_name(
    library: Library, codes: list[str], messages: Any
) -> None:
    library.create("Acme")
    library.create("Bolt")
    server = build_server(library, choose("daily"))

    async def ask() -> str:
        async with Client(server, mode="legacy") as client:
            result = await client.call_tool("search_documents", {"query": "rent"})
        return str(result.content[0].text)  # type: ignore[union-attr]

    messages(anyio.run(ask))
    assert codes == ["no_collection_active"]
