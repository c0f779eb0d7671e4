"""Reads one document: entities with their places, dates, amounts and references."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING

from casetrack.base.provenance import HIDDEN_KINDS
from casetrack.extract.papers.courts import is_court
from casetrack.extract.spans import AmountSpan
from casetrack.extract.tables.cells import names_money
from casetrack.graph.document.anchored_names.facts import Where
from casetrack.graph.document.concepts import find_concepts
from casetrack.graph.document.dates import DateReader, date_key, date_name
from casetrack.graph.document.facts import (
    DocumentGraph,
    LocalAmount,
    LocalCitation,
    LocalDate,
    LocalEntity,
    LocalMention,
)
from casetrack.graph.document.learn import TERM_CONFIDENCE, Learned, is_placed, learn
from casetrack.graph.document.names import Named, group_names
from casetrack.graph.document.tables import read_tables
from casetrack.graph.document.titles import find_roles
from casetrack.graph.entities.lexicon import PLACED
from casetrack.graph.entities.persons import read_person
from casetrack.graph.entities.text import clean, fold, is_all_caps, surface

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from casetrack.base.records.graph import EntityKind
    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts, TableSum

# Collection of the document's entities: counts, spellings, roles.


@dataclass(slots=True)
class EntityBuilder:
    """The collected facts about an entity."""

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
    """Detects places that an earlier chunk of the page also contains."""

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self._chunks = chunks
        self._seen: dict[tuple[int, int, int], object] = {}
        self._chunk_of: dict[tuple[int, int, int], int] = {}

    def first(self, chunk: int, start: int, end: int, value: object, /) -> object | None:
        """Return the value of an earlier place, or ``None`` and keep *value*."""
        facts = self._chunks[chunk]
        place = (facts.page, facts.char_start + start, facts.char_start + end)
        known = self._seen.setdefault(place, value)
        return None if self._chunk_of.setdefault(place, chunk) == chunk else known

    def repeated(self, chunk: int, start: int, end: int, value: object = True, /) -> bool:
        """Return whether an earlier chunk has *value* at the same place."""
        return self.first(chunk, start, end, value) == value


class Collector:
    """The entities of a document and their places, in the order of addition."""

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self.chunks = chunks
        self.entities: list[EntityBuilder] = []
        self.mentions: list[LocalMention] = []
        self._numbers: dict[tuple[str, str], int] = {}

    def entity(self, kind: EntityKind, key: str, /) -> int:
        """Return the number of an entity, which is added on first use."""
        number = self._numbers.get((kind, key))
        if number is None:
            number = self._numbers[kind, key] = len(self.entities)
            self.entities.append(EntityBuilder(kind, key))
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
        """Add a place; a repeated one is not counted; a *spelling* of ``None`` is no name."""
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
        """Count the evidence for an entity, and add its mail addresses."""
        known = self.entities[entity]
        for kind, count in evidence.items():
            known.evidence[kind] = known.evidence.get(kind, 0) + count
        known.addresses.update(addresses)

    def finished(self, name_of: Callable[[EntityBuilder], str], /) -> tuple[LocalEntity, ...]:
        """Return the entities, named by *name_of*."""
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
    """Return counted texts, the most frequent first, equal counts by text."""
    ordered = tuple(counts)
    if len(ordered) < 2:
        return ordered
    return tuple(sorted(ordered, key=lambda item: (-item[1], item[0])))


# Amounts as entities: one entity per amount, in any spelling and scale.

_OWN_SCALE = re.compile(r"[^\W\d_]{1,8}\.?\)?$|\d\s?(?:k|m|mm|bn|b)\b", re.IGNORECASE)
_UNSIGNED = 0.85
"""Confidence in an amount that only its column and the label of its row identify."""
_UNNAMED = 0.6
"""Confidence if the label does not say that it is money: it is never told as the largest."""
_DOUBTFUL = 0.3
"""Confidence if it is also larger than plausible in its document."""

_HIDDEN = tuple(f"{label}:" for label in HIDDEN_KINDS.values())
"""Labels of text that a reader does not see; its dates are no events."""
_SHEETS = frozenset(("xlsx", "xls", "ods"))
"""Formats whose pages are sheets."""
_SYMBOLS = {"percent": "%", "permille": "‰"}
_PLURALS = {"foot": "feet", "inch": "inches", "century": "centuries", "mol": "mol", "yen": "yen"}
_PLURALS |= {"bar": "bar", "lux": "lux", "mph": "mph", "kph": "kph", "rpm": "rpm", "min": "min"}


def amounts_of(
    chunk: ChunkFacts, sums: Sequence[TableSum], /
) -> list[tuple[AmountSpan, TableSum | None]]:
    """Return the amounts of a chunk with their table cells, in order.

    *sums* are the amounts in its tables; those without a currency sign are additional amounts.
    """
    result: list[tuple[AmountSpan, TableSum | None]] = []
    left = list(sums)
    for span in chunk.amounts:
        at = next(
            (i for i, s in enumerate(left) if s.start < span.end and span.start < s.end), None
        )
        if at is None:
            result.append((span, None))
            continue
        cell = left.pop(at)
        left = [s for s in left if s.start >= span.end or s.end <= span.start]
        result.append(_in_cell(span, cell))
    for cell in left:
        value = round(cell.printed * cell.factor, 6)
        text = chunk.text[cell.start : cell.end]
        is_named = names_money(cell.row_label or "")
        sure = _DOUBTFUL if cell.doubtful else _UNSIGNED if is_named else _UNNAMED
        span = AmountSpan(cell.start, cell.end, text, "money", value, None, cell.unit, sure)
        result.append((span, cell))
    return sorted(result, key=lambda one: (one[0].start, one[0].end))


def _in_cell(span: AmountSpan, cell: TableSum) -> tuple[AmountSpan, TableSum | None]:
    if span.kind != "money":
        return span, None
    if span.value != cell.printed or _OWN_SCALE.search(span.text):
        # The text has its own scale ("$5.2 million"), or is more than this number.
        return span, cell._replace(printed=span.value, factor=1.0)
    if span.text[-1] in "$£€¥" and span.start == cell.start:
        # The sign after it belongs to the next cell.
        span = replace(span, end=cell.end, text=span.text[: cell.end - span.start])
    scaled = round(span.value * cell.factor, 6)
    return replace(span, value=scaled, unit=cell.unit or span.unit), cell


def amount_key(span: AmountSpan, /) -> str | None:
    """Return the key of an amount, such as ``GBP:318400``; ``None`` for infinity and NaN."""
    ends = [span.value] if span.high is None else [span.value, span.high]
    if not all(map(math.isfinite, ends)):
        return None
    return f"{span.unit or 'number'}:{'..'.join(map(_plain, ends))}"


def amount_name(key: str, /) -> str:
    """Format an amount for display.

    >>> amount_name("GBP:318400"), amount_name("percent:15.7"), amount_name("day:30")
    ('GBP 318,400', '15.7 %', '30 days')
    """
    unit, _, ends = key.rpartition(":")
    number = " – ".join(_grouped(end) for end in ends.split(".."))
    if unit == "number":
        return number
    if len(unit) == 3 and unit.isupper():
        return f"{unit} {number}"
    if unit in _SYMBOLS:
        return f"{number} {_SYMBOLS[unit]}"
    if unit.isalpha() and unit.islower() and len(unit) > 2 and ends != "1":
        unit = _PLURALS.get(unit, unit if unit.endswith(("s", "z")) else f"{unit}s")
    return f"{number} {unit}"


def _plain(value: float) -> str:
    # Fifteen digits: further digits are rounding noise of the scale.
    number = Decimal(f"{value:.15g}").normalize()
    return f"{number or Decimal(0):f}"


def _grouped(number: str) -> str:
    whole, dot, decimals = number.partition(".")
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.lstrip('-')):,}{dot}{decimals}"


def read_document(document: DocumentFacts, chunks: Sequence[ChunkFacts], /) -> DocumentGraph:
    """Read one document; a pure function of its chunks and ledger row.

    ``mentions`` has the places of all entities, including dates and amounts, by chunk and position.
    Dates without a value or a year, and uncertain ones, are no entities. Concepts have confidence
    1, because their relevance depends on the whole collection.
    """
    learned = learn(document, chunks)
    chunks = learned.chunks
    collector = Collector(chunks)
    named = group_names(learned)
    names = _add_names(collector, named, learned)
    _add_author(collector, document.author, names)
    dates = _add_dates(collector, DateReader(document, chunks))
    amounts = _add_amounts(collector, sheets=document.format in _SHEETS)
    taken = _taken(named)
    places = Places(chunks)
    for concept in find_concepts(chunks, document.language, taken=taken):
        span = (concept.start, concept.end)
        collector.add(
            collector.entity("concept", concept.key),
            concept.chunk,
            span,
            spelling=" ".join(chunks[concept.chunk].text[concept.start : concept.end].split()),
            repeated=places.repeated(concept.chunk, *span, concept.key),
            confidence=1.0,
        )
    collector.mentions.sort(key=attrgetter("chunk", "start", "end", "entity"))
    return DocumentGraph(
        entities=collector.finished(lambda e: _name(e, names)),
        mentions=tuple(collector.mentions),
        dates=dates,
        amounts=amounts,
        citations=_citations(chunks),
    )


def _add_names(collector: Collector, named: Named, learned: Learned) -> dict[tuple[str, str], str]:
    """Add the places of names with their roles; return the names by kind and key."""
    chunks = collector.chunks
    kinds: list[list[NameKind | None]] = [[] for _ in chunks]
    for place in named.places:
        kinds[place.chunk].append(named.kinds[place.group] if place.group >= 0 else None)
    roles = [find_roles(c, k) if c.names else {} for c, k in zip(chunks, kinds, strict=True)]
    _set_terms(roles, learned)
    places = Places(chunks)
    courts = {
        number
        for number, (kind, name) in enumerate(zip(named.kinds, named.names, strict=True))
        if kind == "organization" and is_court(name)
    }
    at: Counter[int] = Counter()
    for place in named.places:
        position = at[place.chunk]
        at[place.chunk] += 1
        if place.group < 0:
            continue
        span = (place.span.start, place.span.end)
        # A name at the edge of a chunk, cut off from its title, keeps its previous entity.
        before = places.first(place.chunk, *span, place.group)
        group = before if isinstance(before, int) else place.group
        entity = collector.entity(named.kinds[group], named.keys[group])
        collector.add(
            entity,
            place.chunk,
            span,
            spelling=place.spelling,
            repeated=before is not None or Where(place.chunk, *span) in learned.repeats,
            confidence=place.span.confidence,
            role="court" if group in courts else roles[place.chunk].get(position),
            found_by=place.found_by,
        )
        is_word = "-" not in named.keys[group] and named.kinds[group] != "organization"
        if is_word and before is None and is_placed(chunks[place.chunk], position):
            collector.add_role(entity, PLACED)
    _add_terms(collector, named, learned, places)
    _add_evidence(collector, named, learned)
    return {
        (kind, key): name
        for kind, key, name in zip(named.kinds, named.keys, named.names, strict=True)
    }


def _set_terms(roles: list[dict[int, str]], learned: Learned) -> None:
    """Assign each term that a chunk defines to its owner only."""
    for term, _ in learned.known.terms:
        owner = term.owner
        if not term.role:
            continue
        for position, span in enumerate(learned.chunks[owner.chunk].names):
            # With "The", the name may start before the owner in the definition.
            if span.start <= owner.start <= span.start + 4 and span.end == owner.end:
                roles[owner.chunk].setdefault(position, term.role)
            elif roles[owner.chunk].get(position) == term.role:
                del roles[owner.chunk][position]


def _add_terms(collector: Collector, named: Named, learned: Learned, places: Places) -> None:
    """Add the places of terms ("the Buyer") to their owners."""
    for bound in learned.bound:
        group = named.surfaces.get(bound.owner, -1)
        if group < 0:
            continue
        span = (bound.start, bound.end)
        collector.add(
            collector.entity(named.kinds[group], named.keys[group]),
            bound.chunk,
            span,
            spelling=None,
            repeated=places.repeated(bound.chunk, *span, group),
            confidence=TERM_CONFIDENCE,
            role=bound.role or None,
            found_by=bound.found_by,
        )


def _add_evidence(collector: Collector, named: Named, learned: Learned) -> None:
    """Add evidence, roles in the case, mail addresses and other names to the entities."""
    known = learned.known
    for name_surface, group in named.surfaces.items():
        evidence, addresses = known.evidence.get(name_surface), known.addresses.get(name_surface)
        if evidence or addresses:
            collector.add_evidence(
                collector.entity(named.kinds[group], named.keys[group]),
                evidence or {},
                addresses or (),
            )
        if name_surface in known.roles:
            entity = collector.entity(named.kinds[group], named.keys[group])
            collector.add_role(entity, known.roles[name_surface])
    for term, owner in known.terms:
        if owner in named.surfaces and surface(term.text) in known.same:
            group = named.surfaces[owner]
            entity = collector.entity(named.kinds[group], named.keys[group])
            collector.entities[entity].defined.add(clean(term.text))


def _add_author(
    collector: Collector, author: str | None, names: dict[tuple[str, str], str]
) -> None:
    """Mark the author in the file's metadata if the text names the same person."""
    form = read_person(author) if author else None
    if form is not None and ("person", form.key) in names:
        collector.add_role(collector.entity("person", form.key), "author")


def _add_dates(collector: Collector, reader: DateReader) -> tuple[LocalDate, ...]:
    dates = []
    places = Places(collector.chunks)
    for number, chunk in enumerate(collector.chunks):
        for stored in chunk.dates:
            if chunk.text.startswith(_HIDDEN, chunk.text.rfind("\n", 0, stored.start) + 1):
                continue
            span, read_by = reader.read(stored, chunk.text)
            key, entity = date_key(span), None
            # A date without a key is also repeated the second time; None would mean "new".
            repeated = places.repeated(number, span.start, span.end, key or "")
            if key is not None:
                entity = collector.entity("date", key)
                collector.add(
                    entity,
                    number,
                    (span.start, span.end),
                    spelling=clean(span.text),
                    repeated=repeated,
                    confidence=span.confidence,
                )
            dates.append(LocalDate(number, span, repeated, entity, read_by))
    return tuple(dates)


def _add_amounts(collector: Collector, *, sheets: bool) -> tuple[LocalAmount, ...]:
    amounts = []
    places = Places(collector.chunks)
    tables = read_tables(collector.chunks, sheets=sheets)
    for number, chunk in enumerate(collector.chunks):
        for span, cell in amounts_of(chunk, tables[number]):
            key = amount_key(span)
            if key is None:
                continue
            entity = collector.entity("amount", key)
            repeated = places.repeated(number, span.start, span.end, key)
            collector.add(
                entity,
                number,
                (span.start, span.end),
                spelling=" ".join(span.text.split()),
                repeated=repeated,
                confidence=span.confidence,
            )
            amounts.append(LocalAmount(number, span, repeated, entity, cell))
    return tuple(amounts)


def _citations(chunks: Sequence[ChunkFacts]) -> tuple[LocalCitation, ...]:
    places = Places(chunks)
    return tuple(
        LocalCitation(number, span, places.repeated(number, span.start, span.end))
        for number, chunk in enumerate(chunks)
        for span in chunk.citations
    )


def _taken(named: Named) -> set[str]:
    """Return the names of a document, folded, and the single words of its persons."""
    taken = {surface(text) for text in {place.span.text for place in named.places}}
    for kind, name in zip(named.kinds, named.names, strict=True):
        taken.add(fold(name))
        if kind == "person":
            taken.update(fold(word) for word in name.split())
    return taken


def _name(entity: EntityBuilder, names: dict[tuple[str, str], str]) -> str:
    if entity.kind == "date":
        return date_name(entity.key)
    if entity.kind == "amount":
        return amount_name(entity.key)
    if entity.kind != "concept":
        return names[entity.kind, entity.key]
    spelling = min(
        entity.spellings,
        key=lambda t: (-entity.spellings[t], not t.islower(), t),
        default=entity.key,
    )
    return spelling.lower() if is_all_caps(spelling) else spelling
