"""Recall of the mentions of a contract's parties: ``just quality extraction --only shares``.

Annotated contracts give the names of the parties: full names, short names, and separately the
words for their roles ("Distributor"). A mention has the same letters, or the same in capitals,
also across a line break, with word boundaries; the longest of two counts. It is recalled if an
extracted mention of a person or organisation overlaps at least half of it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quality.cuad_spans import party_kind, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from casetrack.api.collection import Collection

GOOD = 0.95
_NAMES = ("full name", "short name")
_ABOUT = 40


@dataclass(slots=True)
class Share:
    """Mentions of some names in one document.

    Attributes
    ----------
    places, found, own
        All mentions, those recalled, and those recalled as the most frequent entity of the same
        words.
    missed
        Examples of the others, with the words around them.
    """

    places: int = 0
    found: int = 0
    own: int = 0
    missed: list[str] = field(default_factory=list)


def wanted_names(clauses: Iterable[Mapping[str, Any]], /) -> tuple[set[str], set[str]]:
    """Return the names of a contract's parties, and the words for their parts."""
    names: set[str] = set()
    parts: set[str] = set()
    for clause in clauses:
        if clause["category"] != "Parties":
            continue
        start, end = trimmed(clause["text"], 0)
        text = " ".join(clause["text"][start:end].split())
        kind = party_kind(text)
        if kind in _NAMES and len(text) > 1 and not re.search(r"[\[\]_]|[\"“”] or", text):
            names.add(text)
        elif kind == "role word" and len(text) > 1:
            parts.add(text.removeprefix("the ").removeprefix("The "))
    return names, parts - names


def share_of(
    chunks: Sequence[Mapping[str, Any]], mentions: Sequence[Mapping[str, Any]], names: set[str], /
) -> Share:
    """Return how many mentions of names in a document are recalled.

    Parameters
    ----------
    chunks
        Of the document, in order: ``chunk_id``, ``page``, ``char_start``, ``text``.
    mentions
        Of persons and organisations: ``chunk_id``, ``char_start``, ``char_end``, ``entity_id``.
    """
    by_chunk: dict[str, list[Mapping[str, Any]]] = {}
    for mention in mentions:
        by_chunk.setdefault(mention["chunk_id"], []).append(mention)
    seen: dict[tuple[int, int, int], tuple[str, str | None, str]] = {}
    for chunk in chunks:
        for start, end, name in _places(chunk["text"], names):
            # The overlap of two chunks counts once, and is recalled if either chunk has the
            # mention.
            at = chunk["char_start"]
            place = (chunk["page"], at + start, at + end)
            entity = _entity(by_chunk.get(chunk["chunk_id"], ()), start, end)
            if place not in seen or (seen[place][1] is None and entity is not None):
                around = chunk["text"][max(0, start - _ABOUT) : end + _ABOUT]
                seen[place] = (name, entity, " ".join(around.split()))
    most: dict[str, Counter[str]] = {}
    for name, entity, _ in seen.values():
        if entity is not None:
            most.setdefault(name, Counter())[entity] += 1
    share = Share()
    for name, entity, around in seen.values():
        share.places += 1
        share.found += entity is not None
        share.own += entity is not None and entity == most[name].most_common(1)[0][0]
        if entity is None:
            share.missed.append(f"{name}: … {around} …")
    return share


def _places(text: str, names: set[str]) -> Iterator[tuple[int, int, str]]:
    taken: list[tuple[int, int]] = []
    for name in sorted(names, key=lambda n: (-len(n), n)):
        spelled = {name, name.upper()}
        pattern = "|".join(r"\s+".join(map(re.escape, s.split())) for s in sorted(spelled))
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text):
            start, end = match.span()
            if all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
                yield start, end, name


def _entity(mentions: Iterable[Mapping[str, Any]], start: int, end: int) -> str | None:
    least = (end - start) / 2
    for mention in mentions:
        shared = min(mention["char_end"], end) - max(mention["char_start"], start)
        if shared >= least:
            return str(mention["entity_id"])
    return None


def rows_of(
    collection: Collection, clauses: Mapping[str, Sequence[Mapping[str, Any]]], /
) -> tuple[list[tuple[object, ...]], tuple[str, ...]]:
    """Return a row for names and one for role words, and the misses.

    *clauses* are the annotations by name of the file.
    """
    chunks = _by_document(collection, "SELECT document_id, chunk_id, page, char_start, text "
                          "FROM chunks ORDER BY document_id, chunk_index")  # fmt: skip
    mentions = _by_document(
        collection,
        "SELECT document_id, chunk_id, char_start, char_end, entity_id FROM mentions "
        "WHERE kind IN ('person', 'organization')",
    )
    shares: dict[str, list[Share]] = {"names of parties": [], "words of parts": []}
    for document in collection.documents():
        wanted = wanted_names(clauses.get(document.name, ()))
        for measured, names in zip(shares.values(), wanted, strict=True):
            share = share_of(
                chunks[document.document_id], mentions.get(document.document_id, ()), names
            )
            if share.places:
                share.missed = [f"{document.name[:30]}: {note}" for note in share.missed]
                measured.append(share)
    rows = [
        (
            kind,
            sum(s.places for s in measured),
            sum(s.found for s in measured),
            _percent(sum(s.found for s in measured), sum(s.places for s in measured)),
            _percent(sum(s.own for s in measured), sum(s.places for s in measured)),
            len(measured),
            sum(s.found >= GOOD * s.places for s in measured),
        )
        for kind, measured in shares.items()
    ]
    return rows, tuple(note for measured in shares.values() for s in measured for note in s.missed)


def _by_document(collection: Collection, sql: str) -> dict[str, list[Mapping[str, Any]]]:
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for row in collection.sql(sql).to_pylist():
        by_name.setdefault(row["document_id"], []).append(row)
    return by_name


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""
