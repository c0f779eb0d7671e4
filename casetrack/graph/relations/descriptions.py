"""The self-descriptions of a collection's documents, indexed for lookup."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.graph.entities.organizations import form_of_key
from casetrack.graph.identity.facts import Description
from casetrack.graph.identity.titles import title_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from casetrack.graph.relations.targets import Catalogue

_PARTY_EVIDENCE = frozenset(
    {
        "party clause",
        "invoice head",
        "letterhead",
        "signature",
        "title block",
        "caption",
        "mail head",
    }
)
_OPENING_CHUNKS = 2
_COMMON = 60
_PUBLIC = frozenset(
    "commission court ministry department registry county state district office agency authority "
    "treasury senate congress parliament republic government exchange".split()
)
_NUMBERED = frozenset({"amendment", "addendum", "supplement"})


@dataclass(frozen=True, slots=True)
class DocumentDescription:
    """The description of one document by its text and its name."""

    description: Description
    # Words of its titles: of the text, then of the file name and the metadata.
    titles: tuple[tuple[str, ...], ...]
    # From those names; a date may be that of the file.
    name_dates: frozenset[str]
    name_numbers: frozenset[str]
    ordinal: int | None
    label: str
    parts: frozenset[str]
    parties: frozenset[str]  # Entities in its opening, or with evidence as a party
    mentioned: frozenset[str]  # All persons and organisations in the text


@dataclass(slots=True)
class DescribedDocuments:
    """The descriptions of all documents in order, with indexes to positions of documents."""

    own: list[DocumentDescription]
    by_number: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_date: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_party: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_title: dict[frozenset[str], list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for i, own in enumerate(self.own):
            if own.description.kind == "mail":
                continue
            for number in {*own.description.numbers, *own.name_numbers}:
                self.by_number[_bare(number)].append(i)
            for date in {*own.description.dates, *own.name_dates}:
                self.by_date[date[:7]].append(i)
            for party in own.parties:
                self.by_party[party].append(i)
            for title in {frozenset(title) for title in own.titles}:
                self.by_title[title].append(i)

    def candidates(self, i: int, wanted: Description, /) -> set[int]:
        """Return documents with a number, date or title of *wanted*, or a party of *i*."""
        own = self.own[i]
        positions = {j for number in wanted.numbers for j in self.by_number.get(_bare(number), ())}
        positions |= {j for date in wanted.dates for j in self.by_date.get(date[:7], ())}
        positions.update(self.by_title.get(frozenset(wanted.title), ()) if wanted.title else ())
        for party in own.parties or own.mentioned:
            # A party of very many documents does not narrow the candidates.
            others = self.by_party.get(party, ())
            positions.update(others if len(others) <= _COMMON else ())
        return positions - {i}


def _bare(number: str) -> str:
    return number.partition(":")[2] or number


def describe_documents(
    identities: Sequence[Mapping[str, Any]],
    parties: tuple[Sequence[frozenset[str]], Sequence[frozenset[str]]],
    catalogue: Catalogue,
    /,
) -> DescribedDocuments:
    """Build the descriptions of all documents.

    *identities* are rows of the segments' table with ``document``, its position; *parties* is the
    result of :func:`parties_of`; *catalogue* has the names of the files.
    """
    first = {row["document"]: row for row in identities}
    return DescribedDocuments(
        [_own(i, first.get(i), parties, catalogue) for i in range(len(catalogue.documents))]
    )


def _own(
    i: int,
    row: Mapping[str, Any] | None,
    parties: tuple[Sequence[frozenset[str]], Sequence[frozenset[str]]],
    catalogue: Catalogue,
) -> DocumentDescription:
    described = described_by(row) if row else Description()
    names = catalogue.titles(i)
    titles = dict.fromkeys([described.title] if described.title else [])
    titles |= dict.fromkeys(filter(None, (title_words(" ".join(t.words)) for t in names)))
    ordinals = [
        int(t.words[1])
        for t in names
        if len(t.words) > 1 and t.words[0] in _NUMBERED and t.words[1].isdigit()
    ]
    ordinals += [
        int(b)
        for t in names
        for a, b in zip(t.words, t.words[1:], strict=False)
        if a in _NUMBERED and b.isdigit()
    ]
    return DocumentDescription(
        described,
        tuple(titles),
        frozenset(d for t in names for d in t.dates),
        frozenset(n for t in names for n in t.identifiers),
        described.ordinal or (ordinals[0] if ordinals else None),
        row["label"] if row else "",
        frozenset(row["parts"] if row else ()),
        parties[0][i],
        parties[1][i],
    )


def described_by(row: Mapping[str, Any], /) -> Description:
    """Return the description in a row of a segment's table."""
    return Description(
        row["kind"],
        tuple(row["title"]),
        row["restated"],
        row["ordinal"],
        tuple(row["dates"]),
        tuple(row["numbers"]),
    )


def parties_of(
    locals_: pa.Table, ids: pa.Array, chunk_indexes: Mapping[str, int], count: int, /
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the parties of each document (or names in its opening), and all names in it.

    A firm without its legal form counts as the only one of that name. *ids* are the entity ids of
    the rows of *locals_*; *chunk_indexes* are the positions of chunks within their documents.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = ("document_rank", "kind", "key", "first_chunk_id", "evidence")
    table = locals_.select(columns).append_column("entity", ids)
    named_kinds = pc.is_in(table["kind"], pa.array(["person", "organization"]))
    rows = [
        (row, row["entity"] or f"{row['kind']}:{row['key']}")
        for row in table.filter(named_kinds).to_pylist()
    ]
    representative = _one_name(rows)
    certain: list[set[str]] = [set() for _ in range(count)]
    opening: list[set[str]] = [set() for _ in range(count)]
    named: list[set[str]] = [set() for _ in range(count)]
    for row, entity in rows:
        if _PUBLIC.intersection(row["key"].split("-")):
            continue
        who, document = representative[entity], row["document_rank"]
        named[document].add(who)
        if _PARTY_EVIDENCE.intersection(e["kind"] for e in row["evidence"] or ()):
            certain[document].add(who)
        if chunk_indexes.get(row["first_chunk_id"], _OPENING_CHUNKS) < _OPENING_CHUNKS:
            opening[document].add(who)
    parties = [frozenset(s if len(s) > 1 else s | o) for s, o in zip(certain, opening, strict=True)]
    return parties, [frozenset(n) for n in named]


def _one_name(rows: Iterable[tuple[Mapping[str, Any], str]]) -> dict[str, str]:
    """Return the representative of each entity: the first of those with one name of any kind."""
    forms: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    representative: dict[str, str] = {}
    for row, entity in rows:
        representative[entity] = entity
        form = form_of_key(row["key"])
        forms[form.base][form.family].add(entity)
    for families in forms.values():
        if len([f for f in families if f]) <= 1:
            combined = sorted({e for entities in families.values() for e in entities})
            for entity in combined:
                representative[entity] = min(representative[entity], combined[0])
    return representative
