"""Refusals and next steps name tools of the server that gives them, and no commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.base.editions import ANY, LEGAL
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.catalogue import declared
from casetrack.faces.mcp.session import ConnectionState, Session, serve_for
from casetrack.faces.mcp.steps import Steps

if TYPE_CHECKING:
    from casetrack.api.library import Library

EVERY = frozenset({*declared(), *declared(legal_edition())})


SAID = [
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
    told = [Steps(EVERY, here, parameters=lambda _: ("mode",)).told(text) for text in SAID]
    messages("\n\n".join(f"{said}\n-> {now}" for said, now in zip(SAID, told, strict=True)))


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
