"""How a program goes about a question: it tries what the list of tools offers, and reads on.

A way is made of the words that the list and the answers use; where two servers differ in what they
offer, it takes what this one has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.asking.agent import Agent, Call

Script = "Callable[[Agent], Iterator[Call]]"
SEARCH = "search_documents"


def within(agent: Agent, collection: str, /) -> dict[str, str]:
    """Return the argument that names a collection, once something has shown its name."""
    name = agent.shown(rf"\b{re.escape(collection)}\b")
    return {"collection": name} if name else {}


def begin(agent: Agent, collection: str, tool: str, /, **arguments: Any) -> Iterator[Call]:
    """Yield a call, and again with the collection's name where the refusal named it."""
    where = within(agent, collection)
    yield tool, arguments | where
    if "collection" in agent.last.text.lower() and agent.last.failed and not where:
        where = within(agent, collection)
        if where:
            yield tool, arguments | where


def look_up(collection: str, /, *others: str, document: str = "") -> Any:
    """Return the way of most questions: search, search in other words, read around the best.

    Parameters
    ----------
    collection
        The one that a reader of the question would take where several are named.
    others
        Other words for the question.
    document
        Pattern of a document's name, as far as the question gives it: what it matches in an answer
        is searched alone then.
    """

    def script(agent: Agent) -> Iterator[Call]:
        yield from begin(agent, collection, SEARCH, query=agent.question)
        yield from _further(agent, collection, others, document)

    return script


def _further(
    agent: Agent, collection: str, others: tuple[str, ...], document: str
) -> Iterator[Call]:
    where = within(agent, collection)
    only = agent.shown(rf'"({document})"') if document else None
    narrow: dict[str, Any] = {"document_filter": only} if only else {}
    for query in others or (agent.question,) * bool(only):
        yield SEARCH, {"query": query, **narrow, **where}
    chunks = agent.values("chunk_id", "chunk")
    for chunk in chunks[:2]:
        yield "get_source_context", {"chunk_id": chunk, **where}
    yield SEARCH, {"query": agent.question, "offset": 5, **narrow, **where}


def first_of(collection: str, /, *ways: tuple[str, dict[str, Any]], then: Any = None) -> Any:
    """Return the way that tries calls in turn, as far as the server offers their tools.

    Parameters
    ----------
    ways
        Pattern of a tool's name, and what it is asked.
    then
        What to do after them.
    """

    def script(agent: Agent) -> Iterator[Call]:
        for name, arguments in ways:
            tool = agent.tool(rf"^(?:{name})$", *arguments)
            if tool is not None:
                yield from begin(agent, collection, tool, **arguments)
                yield from paged(agent, tool, arguments, collection)
        if then is not None:
            yield from then(agent)

    return script


def paged(agent: Agent, tool: str, arguments: dict[str, Any], collection: str) -> Iterator[Call]:
    """Yield further pages of what a tool returned, two at most."""
    for _ in range(2):
        after = agent.values("next_offset")
        if not after:
            return
        yield tool, {**arguments, **within(agent, collection), "offset": after[0]}


def in_sql(collection: str, view: str, statement: str, /) -> Any:
    """Return the way that looks at the columns of a view, then asks it; nothing without SQL."""

    def script(agent: Agent) -> Iterator[Call]:
        if agent.offers("query", "sql"):
            yield from begin(agent, collection, "query", sql=f"DESCRIBE {view}")
            yield "query", {"sql": statement, **within(agent, collection)}

    return script


def in_turn(*scripts: Any) -> Any:
    """Return the way that follows several, one after the other."""

    def script(agent: Agent) -> Iterator[Call]:
        for each in scripts:
            yield from each(agent)

    return script


def read_both(collection: str, first: str, second: str, /, **asked: Any) -> Any:
    """Return the way that asks for the changes from one document to another, or reads both."""

    def script(agent: Agent) -> Iterator[Call]:
        yield from begin(agent, collection, "list_documents")
        named = {
            "document_a": agent.shown(rf'"({first})"'),
            "document_b": agent.shown(rf'"({second})"'),
        }
        if None in named.values():
            return
        where = within(agent, collection)
        tool = agent.tool("change|version", "before", "after")
        if tool is not None:
            yield tool, dict(zip(("before", "after"), named.values(), strict=True)) | where
        if agent.offers("compare_documents"):
            yield "compare_documents", {**named, **asked, **where}
        for name in named.values():
            yield "browse_pages", {"document_name": name, "start_page": 1, "end_page": 1, **where}

    return script
