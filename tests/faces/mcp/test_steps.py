"""Refusals and next steps name tools of the server that gives them, and no commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.base.editions import ANY, LEGAL
from casetrack.base.errors import Opt, See
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.session import ConnectionState, Session, serve_for
from casetrack.faces.mcp.steps import Steps, if_offered, name_tools, use_steps

if TYPE_CHECKING:
    from casetrack.api.library import Library

SAID = [
    f"List them with {See('documents')}.",
    f"Run {See('doctor', repair=True)}: it brings them back.",
    f"The user can run {See('doctor')}.",
    f"Run {See('ctx sync')}.",
    f"Run {See('search', mode='keyword')}.",
    f"Choose {Opt(mode='keyword')}.",
    f"Choose {Opt('force')}. Or wait.",
    f"{See('entities')} names them. Or wait.",
    f'The file "a.b. C" is gone. Ingest it with {See("ingest", "PATH")}.',
    f"One:\n{See('entities')}\n{See('documents')}",
    "The top_k is too high.",
]


def test_steps_are_put_in_terms_of_what_there_is(messages: Any) -> None:
    doing = {"documents": ["list_documents"], "ingest": ["ingest_document"], "search": ["search"]}
    use_steps(Steps(frozenset(), doing, "list_dates", lambda _: ("mode",)))
    lines = [f"{texts}\n-> {name_tools(texts)}\n-> {if_offered(texts)}" for texts in SAID]
    messages("\n\n".join(lines))


@pytest.mark.parametrize("legal", [False, True], ids=["collections", "cases"])
def test_where_nothing_is_remembered_nobody_is_reported_to_choose(
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

    async def replies() -> list[str]:
        return [
            await ask("list_documents"),
            await ask(f"create_{noun}", name="Acme"),
            await ask("list_documents", **{noun: "Nowhere"}),
        ]

    unnamed, exists, unknown = anyio.run(replies)
    assert f"`{noun}`" in unnamed
    assert {'  - "Acme"', '  - "Bolt"'} == set(unnamed.split("\n")[-2:])
    assert codes == ["no_collection_active", "collection_exists", "collection_not_found"]
    assert '  - "Acme"' in unknown
    assert "switch_" not in unnamed + exists + unknown
