"""The summary of a collection as a result: each of its lists as much as its room holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from casetrack.base.records.documents import NAMED
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.results import few, first, tokens
from casetrack.faces.mcp.steps import See, here, offers, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.graph import (
        CollectionStatistics,
        CollectionSummary,
        Entity,
        Reference,
    )
    from casetrack.faces.mcp.concise import Telling
    from casetrack.faces.mcp.outputs import Facts

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
        notes=tuple(few(map(told, found.notes))),
    )


def _largest(found: Mapping[str, int]) -> dict[str, int]:
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = sum(count for _, count in ordered[_COUNTED:])
    return dict(ordered[:_COUNTED]) | ({"others": rest} if rest else {})


@dataclass(frozen=True)
class Briefing:
    """What a summary shows.

    Attributes
    ----------
    found
        The whole summary.
    told
        How it is told; a concise one quotes and lists less.
    """

    found: CollectionSummary
    told: Telling

    @property
    def _most(self) -> int | None:
        return _CONCISE if self.told.concise else None

    @cached_property
    def actors(self) -> list[Facts]:
        """The people and organizations that matter most."""
        shape = partial(results.actor, told=self.told)
        return first(self.found.key_actors, shape, room=_ACTORS, most=self._most)

    @cached_property
    def dates(self) -> list[Facts]:
        """The events that stand out, in order of date."""
        events = self.found.key_dates
        if self.told.concise:
            best = sorted(events, key=lambda e: -e.weight)[:_CONCISE]
            events = tuple(e for e in events if e in best)
        return first(events, lambda e: results.event(e, self.told), room=_DATES)

    @cached_property
    def topics(self) -> list[Facts]:
        """What the passages are about."""
        shape = partial(results.topic, told=self.told)
        return first(self.found.topics, shape, room=_TOPICS, most=self._most)

    @cached_property
    def kinds(self) -> list[Facts]:
        """The documents by type: all types are counted, the first documents named."""
        found = self.found.documents
        room = _KINDS // max(1, len(found))
        named = 3 if self.told.concise else results.SHOWN_NAMES

        def kind(name: str, documents: Sequence[Document]) -> Facts:
            shown = first(documents, self._named, room=room, most=named)
            return {"document_type": name, "count": len(documents), "documents": shown}

        return [kind(name, documents) for name, documents in found]

    @cached_property
    def references(self) -> list[Facts]:
        """What is referred to most."""

        def shape(item: Reference) -> Facts:
            return self.told.entry(results.reference(item))

        return first(self.found.references, shape, room=_REFERENCES, most=self._most)

    @cached_property
    def entities(self) -> list[Facts]:
        """What is mentioned most."""
        aliases = 0 if self.told.concise else 4

        def shape(item: Entity) -> Facts:
            return self.told.entry(results.entity_facts(item, aliases=aliases))

        return first(self.found.entities, shape, room=_ENTITIES, most=self._most)

    @cached_property
    def chains(self) -> list[list[Facts]]:
        """The first chains of versions, oldest version first."""

        def chain(documents: Sequence[Document]) -> list[Facts]:
            return [self._named(d) for d in documents[: results.SHOWN_NAMES]]

        most = 3 if self.told.concise else results.SHOWN_NAMES
        shown = first(self.found.version_chains, chain, room=_CHAINS, most=most)
        return shown if tokens(shown) <= 2 * _CHAINS else []

    @cached_property
    def statistics(self) -> CollectionStatistics:
        """The counts."""
        return counts(self.found.statistics)

    def _named(self, document: Document) -> Facts:
        return self.told.entry(NAMED.of(document))

    @property
    def more(self) -> str | None:
        """Which tools have all of what is cut."""
        found = self.found
        if not found.statistics.document_count:
            return here(f"No documents yet. Ingest some with {See('ingest')}.")
        pairs = (
            (found.key_actors, self.actors, "list_entities"),
            (found.key_dates, self.dates, "get_collection_timeline"),
            (found.topics, self.topics, "find_document_clusters"),
            (found.references, self.references, "list_references"),
            (found.version_chains, self.chains, "find_related_documents"),
        )
        tools = [name for every, shown, name in pairs if len(shown) < len(every)]
        if any(kind["count"] > len(kind["documents"]) for kind in self.kinds):
            tools.append("list_documents")
        tools = [name for name in tools if offers(name)]
        return f"All of what is cut here: {', '.join(tools)}." if tools else None

    def facts(self) -> dict[str, Any]:
        """Return the structured result."""
        facts = {
            "collection": self.found.collection,
            "collection_type": self.found.collection_type,
            "notice": QUOTED,
            "key_actors": self.actors,
            "key_dates": self.dates,
            "topics": self.topics,
            "documents": self.kinds,
            "references": self.references,
            "entities": self.entities,
            "version_chains": self.chains,
            "version_chain_count": len(self.found.version_chains),
            "statistics": self.told.entry(self.statistics.as_dict()),
            "more": self.more,
        }
        return self.told.whole(facts)
