"""The summary of a collection as a result: each list is cut to its token budget."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.base.records.documents import NAMED
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp.outputs import QUOTED, Facts
from casetrack.faces.mcp.results import few, first, tokens
from casetrack.faces.mcp.steps import See, if_offered, tool_of
from casetrack.faces.mcp.steps import name_tools as terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.graph import CollectionStatistics, CollectionSummary
    from casetrack.base.records.shape import Record
    from casetrack.faces.mcp.concise import ResponseFormatter

R = TypeVar("R", bound="Record")
_ACTORS, _DATES, _TOPICS = 3_600, 3_200, 3_200
_KINDS, _REFERENCES, _ENTITIES, _CHAINS = 2_200, 1_000, 1_600, 800
"""Tokens of the lists of a summary; the counts get the rest."""
_COUNTED = 40
_CONCISE = 5


def counts(statistics: CollectionStatistics, /) -> CollectionStatistics:
    """Return the counts of a collection; of very many languages or formats the largest."""
    return replace(
        statistics,
        file_formats=_largest(statistics.file_formats),
        languages=_largest(statistics.languages),
        notes=tuple(few(map(terms, statistics.notes))),
    )


def _largest(numbers: Mapping[str, int]) -> dict[str, int]:
    ordered = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = sum(count for _, count in ordered[_COUNTED:])
    return dict(ordered[:_COUNTED]) | ({"others": rest} if rest else {})


def briefing(
    summary: CollectionSummary, formatter: ResponseFormatter, /
) -> tuple[CollectionSummary, Facts]:
    """Return as much of a summary as fits, and its facts; a concise one quotes and lists less."""
    concise, events, facts = formatter.concise, summary.key_dates, dict[str, Any]()
    most = _CONCISE if concise else None
    if concise:
        best = sorted(events, key=lambda e: -e.weight)[:_CONCISE]
        events = tuple(e for e in events if e in best)

    def shown(name: str, items: Sequence[R], cut: Callable[[R], R], budget: int) -> tuple[R, ...]:
        kept = [cut(item) for item in items[:most]]
        facts[name] = first(kept, lambda each: formatter.entry(each.as_dict()), budget=budget)
        return tuple(kept[: len(facts[name])])

    aliases = 0 if concise else 4
    part = replace(
        summary,
        key_actors=shown(
            "key_actors", summary.key_actors, partial(results.actor, formatter=formatter), _ACTORS
        ),
        key_dates=shown("key_dates", events, partial(results.event, formatter=formatter), _DATES),
        topics=shown(
            "topics", summary.topics, partial(results.topic, formatter=formatter), _TOPICS
        ),
        references=shown("references", summary.references, results.reference, _REFERENCES),
        entities=shown(
            "entities", summary.entities, partial(results.entity, aliases=aliases), _ENTITIES
        ),
        statistics=counts(summary.statistics),
    )
    facts["documents"] = _kinds(summary, formatter)
    facts["version_chains"] = _chains(summary, formatter)
    part = replace(part, version_chains=summary.version_chains[: len(facts["version_chains"])])
    named = {
        "collection": summary.collection,
        "collection_type": summary.collection_type,
        "notice": QUOTED,
        "version_chain_count": len(summary.version_chains),
        "statistics": formatter.entry(part.statistics.as_dict()),
        "more": _more(summary, facts),
    }
    return part, formatter.whole(named | facts)


def _kinds(summary: CollectionSummary, formatter: ResponseFormatter) -> list[Facts]:
    """Return the documents by type, with counts of all types and the first documents."""
    budget = _KINDS // max(1, len(summary.documents))
    most = 3 if formatter.concise else results.SHOWN_NAMES

    def kind(name: str, documents: Sequence[Document]) -> Facts:
        shown = first(
            documents, lambda each: formatter.entry(NAMED.of(each)), budget=budget, most=most
        )
        return {"document_type": name, "count": len(documents), "documents": shown}

    return [kind(name, documents) for name, documents in summary.documents]


def _chains(summary: CollectionSummary, formatter: ResponseFormatter) -> list[list[Facts]]:
    """Return the first chains of versions, oldest version first."""

    def chain(documents: Sequence[Document]) -> list[Facts]:
        return [formatter.entry(NAMED.of(each)) for each in documents[: results.SHOWN_NAMES]]

    most = 3 if formatter.concise else results.SHOWN_NAMES
    shown = first(summary.version_chains, chain, budget=_CHAINS, most=most)
    return shown if tokens(shown) <= 2 * _CHAINS else []


def _more(summary: CollectionSummary, facts: Facts) -> str | None:
    """Return the tools that list the omitted entries in full."""
    if not summary.statistics.document_count:
        return if_offered(f"No documents yet. Ingest some with {See('ingest')}.")
    pairs = (
        *(("key_actors", "entities"), ("key_dates", "timeline"), ("topics", "clusters")),
        *(("references", "references"), ("version_chains", "related")),
    )
    cut = [name for key, name in pairs if len(facts[key]) < len(getattr(summary, key))]
    if any(kind["count"] > len(kind["documents"]) for kind in facts["documents"]):
        cut.append("documents")
    tools = list(filter(None, map(tool_of, cut)))
    return f"For complete lists, call {', '.join(tools)}." if tools else None
