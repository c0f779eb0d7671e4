"""The summary of a collection as a result: each of its lists as much as its room holds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.base.records.documents import NAMED
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.results import few, first, tokens
from casetrack.faces.mcp.steps import See, here, tool_of
from casetrack.faces.mcp.steps import told as terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.graph import CollectionStatistics, CollectionSummary
    from casetrack.base.records.shape import Record
    from casetrack.faces.mcp.concise import Telling
    from casetrack.faces.mcp.outputs import Facts

R = TypeVar("R", bound="Record")
_ACTORS, _DATES, _TOPICS = 3_600, 3_200, 3_200
_KINDS, _REFERENCES, _ENTITIES, _CHAINS = 2_200, 1_000, 1_600, 800
"""Tokens of the lists of a summary; the counts have the rest."""
_COUNTED = 40
_CONCISE = 5


def counts(found: CollectionStatistics, /) -> CollectionStatistics:
    """Return the counts of a collection; of very many languages or formats the largest."""
    return replace(
        found,
        file_formats=_largest(found.file_formats),
        languages=_largest(found.languages),
        notes=tuple(few(map(terms, found.notes))),
    )


def _largest(found: Mapping[str, int]) -> dict[str, int]:
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = sum(count for _, count in ordered[_COUNTED:])
    return dict(ordered[:_COUNTED]) | ({"others": rest} if rest else {})


def briefing(found: CollectionSummary, told: Telling, /) -> tuple[CollectionSummary, Facts]:
    """Return as much of a summary as fits, and its facts; a concise one quotes and lists less."""
    concise, events, facts = told.concise, found.key_dates, dict[str, Any]()
    most = _CONCISE if concise else None
    if concise:
        best = sorted(events, key=lambda e: -e.weight)[:_CONCISE]
        events = tuple(e for e in events if e in best)

    def shown(name: str, items: Sequence[R], cut: Callable[[R], R], room: int) -> tuple[R, ...]:
        kept = [cut(item) for item in items[:most]]
        facts[name] = first(kept, lambda each: told.entry(each.as_dict()), room=room)
        return tuple(kept[: len(facts[name])])

    aliases = 0 if concise else 4
    part = replace(
        found,
        key_actors=shown(
            "key_actors", found.key_actors, partial(results.actor, told=told), _ACTORS
        ),
        key_dates=shown("key_dates", events, partial(results.event, told=told), _DATES),
        topics=shown("topics", found.topics, partial(results.topic, told=told), _TOPICS),
        references=shown("references", found.references, results.reference, _REFERENCES),
        entities=shown(
            "entities", found.entities, partial(results.entity, aliases=aliases), _ENTITIES
        ),
        statistics=counts(found.statistics),
    )
    facts["documents"] = _kinds(found, told)
    facts["version_chains"] = _chains(found, told)
    part = replace(part, version_chains=found.version_chains[: len(facts["version_chains"])])
    named = {
        "collection": found.collection,
        "collection_type": found.collection_type,
        "notice": QUOTED,
        "version_chain_count": len(found.version_chains),
        "statistics": told.entry(part.statistics.as_dict()),
        "more": _more(found, facts),
    }
    return part, told.whole(named | facts)


def _kinds(found: CollectionSummary, told: Telling) -> list[Facts]:
    """Return the documents by type: all types are counted, the first documents named."""
    room = _KINDS // max(1, len(found.documents))
    most = 3 if told.concise else results.SHOWN_NAMES

    def kind(name: str, documents: Sequence[Document]) -> Facts:
        shown = first(documents, lambda each: told.entry(NAMED.of(each)), room=room, most=most)
        return {"document_type": name, "count": len(documents), "documents": shown}

    return [kind(name, documents) for name, documents in found.documents]


def _chains(found: CollectionSummary, told: Telling) -> list[list[Facts]]:
    """Return the first chains of versions, oldest version first."""

    def chain(documents: Sequence[Document]) -> list[Facts]:
        return [told.entry(NAMED.of(each)) for each in documents[: results.SHOWN_NAMES]]

    most = 3 if told.concise else results.SHOWN_NAMES
    shown = first(found.version_chains, chain, room=_CHAINS, most=most)
    return shown if tokens(shown) <= 2 * _CHAINS else []


def _more(found: CollectionSummary, facts: Facts) -> str | None:
    """Return which tools have all of what is cut."""
    if not found.statistics.document_count:
        return here(f"No documents yet. Ingest some with {See('ingest')}.")
    pairs = (
        *(("key_actors", "entities"), ("key_dates", "timeline"), ("topics", "clusters")),
        *(("references", "references"), ("version_chains", "related")),
    )
    cut = [name for key, name in pairs if len(facts[key]) < len(getattr(found, key))]
    if any(kind["count"] > len(kind["documents"]) for kind in facts["documents"]):
        cut.append("documents")
    tools = list(filter(None, map(tool_of, cut)))
    return f"All of what is cut here: {', '.join(tools)}." if tools else None
