"""Puts the places of a document's entities together: counts, spellings, roles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.graph.document.facts import LocalEntity, LocalMention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from casetrack.base.records.graph import EntityKind
    from casetrack.base.records.graph.kinds import FoundBy
    from casetrack.graph.document.facts import ChunkFacts


@dataclass(slots=True)
class Gathered:
    """What is known of an entity so far."""

    kind: EntityKind
    key: str
    spellings: dict[str, int] = field(default_factory=dict)
    roles: dict[str, int] = field(default_factory=dict)
    evidence: dict[str, int] = field(default_factory=dict)
    addresses: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    mention_count: int = 0
    chunk_count: int = 0
    first_chunk: int = -1
    last_chunk: int = -1


class Places:
    """Says whether an earlier chunk of the page holds the very same place.

    Parameters
    ----------
    chunks
        Of one document, in order.
    """

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self._chunks = chunks
        self._seen: dict[tuple[int, int, int], object] = {}
        self._chunk_of: dict[tuple[int, int, int], int] = {}

    def first(self, chunk: int, start: int, end: int, value: object, /) -> object | None:
        """Return what was said of the place when it came first, or ``None``; keep *value* then."""
        facts = self._chunks[chunk]
        place = (facts.page, facts.char_start + start, facts.char_start + end)
        known = self._seen.setdefault(place, value)
        return None if self._chunk_of.setdefault(place, chunk) == chunk else known

    def repeated(self, chunk: int, start: int, end: int, value: object = True, /) -> bool:
        """Return whether an earlier chunk says *value* of the very same place."""
        return self.first(chunk, start, end, value) == value


class Collector:
    """The entities of a document and their places, in the order in which they are added.

    Parameters
    ----------
    chunks
        Of one document, in order.
    """

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self.chunks = chunks
        self.entities: list[Gathered] = []
        self.mentions: list[LocalMention] = []
        self._numbers: dict[tuple[str, str], int] = {}

    def entity(self, kind: EntityKind, key: str, /) -> int:
        """Return the number of an entity; it is new the first time."""
        number = self._numbers.get((kind, key))
        if number is None:
            number = self._numbers[kind, key] = len(self.entities)
            self.entities.append(Gathered(kind, key))
        return number

    def add(
        self,
        entity: int,
        chunk: int,
        span: tuple[int, int],
        /,
        *,
        spelling: str | None,
        repeated: bool,
        confidence: float,
        role: str | None = None,
        found_by: FoundBy | None = None,
    ) -> None:
        """Add a place; one that is repeated is kept and does not count.

        A spelling ``None`` is none of its names.
        """
        start, end = span
        self.mentions.append(
            LocalMention(entity, chunk, start, end, repeated, role, confidence, found_by)
        )
        known = self.entities[entity]
        if known.first_chunk < 0 or chunk < known.first_chunk:
            known.first_chunk = chunk
        if known.last_chunk != chunk:
            known.last_chunk = chunk
            known.chunk_count += 1
        if not repeated:
            known.mention_count += 1
            if spelling is not None:
                known.spellings[spelling] = known.spellings.get(spelling, 0) + 1
            if role:
                self.add_role(entity, role)

    def add_role(self, entity: int, role: str, /) -> None:
        """Count a role of an entity."""
        roles = self.entities[entity].roles
        roles[role] = roles.get(role, 0) + 1

    def add_evidence(
        self, entity: int, evidence: Mapping[str, int], addresses: Iterable[str], /
    ) -> None:
        """Count what makes an entity sure, and keep its mail addresses."""
        known = self.entities[entity]
        for kind, count in evidence.items():
            known.evidence[kind] = known.evidence.get(kind, 0) + count
        known.addresses.update(addresses)

    def finished(self, name_of: Callable[[Gathered], str], /) -> tuple[LocalEntity, ...]:
        """Return the entities; *name_of* says what each is called."""
        return tuple(
            LocalEntity(
                kind=e.kind,
                key=e.key,
                name=name_of(e),
                spellings=most_frequent(e.spellings.items()),
                mention_count=e.mention_count,
                chunk_count=e.chunk_count,
                roles=most_frequent(e.roles.items()),
                first_chunk=e.first_chunk,
                evidence=most_frequent(e.evidence.items()),
                addresses=tuple(sorted(e.addresses)),
                defined=tuple(sorted(e.defined)),
            )
            for e in self.entities
        )


def most_frequent(counts: Iterable[tuple[str, int]], /) -> tuple[tuple[str, int], ...]:
    """Return counted texts, the most frequent first, equal ones by text."""
    found = tuple(counts)
    if len(found) < 2:
        return found
    return tuple(sorted(found, key=lambda item: (-item[1], item[0])))
