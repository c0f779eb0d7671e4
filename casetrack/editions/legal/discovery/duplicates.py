"""Documents that are the same, by content or as mails, and documents that are nearly the same."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.editions.legal.discovery.chosen import control_number, is_row, metadata
from casetrack.editions.legal.discovery.families import family_trees
from casetrack.editions.legal.discovery.likeness import Likeness
from casetrack.editions.legal.records.families import Duplicate, DuplicateGroup, Duplicates
from casetrack.graph.graph import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.editions.legal.discovery.families import FamilyTree
    from casetrack.editions.legal.records.families import DuplicateKind
    from casetrack.store.workspace import State

LIKE = 0.8
"""Share of the runs of five words that near duplicates have in common, if nothing else is said."""


def duplicates(
    collection: Collection, /, *, near: bool = True, least: float = LIKE, limit: int | None = None
) -> Duplicates:
    """Return which documents are the same, and which nearly.

    The same are documents of the same bytes, those whose load file gives the same hash, and mails
    of the same sender, recipients, subject, minute, words and attachments, whatever their headers
    say of folders and servers.

    Parameters
    ----------
    near
        Whether texts are compared, too.
    least
        Share of the runs of five words in common (Jaccard's index) from which texts are nearly the
        same, 0.5 to 1. Heads of mails are not compared.
    limit
        At most so many groups.

    Raises
    ------
    UsageError
        *least* is out of range.
    """
    if not 0.5 <= least <= 1:
        raise UsageError(
            f"{least} is no share of words from which texts are nearly the same.",
            hint="Use a number from 0.5 to 1; 0.8 finds drafts and forwarded copies.",
        )
    return collection.workspace.ask(
        lambda state: _told(state, collection.name, near=near, least=least, limit=limit)
    )


def _told(state: State, name: str, *, near: bool, least: float, limit: int | None) -> Duplicates:
    documents = sorted(state.snapshot.documents.values(), key=_age)
    groups = _exact(state, documents)
    found: list[tuple[DuplicateKind, list[tuple[Document, float]]]] = [
        (kind, [(document, 1.0) for document in group]) for kind, group in groups
    ]
    notes = []
    near_count = None
    if near:
        behind = {d.document_id for _, group in groups for d in group[1:]}
        first = [
            d
            for d in documents
            if d.document_id not in behind and metadata(d).get("read_from") != "row"
        ]
        like = Likeness(state, least)
        alike = like.groups(first)
        near_count = sum(len(group) - 1 for group in alike)
        found += [("near", group) for group in alike]
        if like.short:
            notes.append(
                f"{like.short:,} documents have too few words to be compared by their text."
            )
    return Duplicates(
        name,
        document_count=len(documents),
        exact_count=sum(len(group) - 1 for _, group in groups),
        near_count=near_count,
        groups=tuple(
            _group(number, kind, group)
            for number, (kind, group) in enumerate(found[:limit], start=1)
        ),
        notes=tuple(notes),
    )


def _age(document: Document) -> tuple[object, ...]:
    told = metadata(document).get("row") or {}
    moment = document.content_created_at or document.source_updated_at
    known = (moment or document.file_modified_at).timestamp()
    return moment is None, known, told.get("line", 0), document.path


def _exact(
    state: State, documents: Sequence[Document]
) -> list[tuple[DuplicateKind, list[Document]]]:
    """Return the groups of documents that are the same, and what makes them so."""
    place = {document.document_id: i for i, document in enumerate(documents)}
    above = list(range(len(documents)))

    def root(i: int) -> int:
        while above[i] != i:
            above[i] = above[above[i]]
            i = above[i]
        return i

    content: dict[str, int] = {}
    for i, document in enumerate(documents):
        for mark in _marks(document):
            low, high = sorted((root(content.setdefault(mark, i)), root(i)))
            above[high] = low
    by_content = [root(i) for i in range(len(documents))]
    for first, other in _same_mails(state, place):
        low, high = sorted((root(first), root(other)))
        above[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for i in range(len(documents)):
        groups[root(i)].append(i)
    return [
        (
            "content" if len({by_content[i] for i in group}) == 1 else "message",
            [documents[i] for i in group],
        )
        for group in groups.values()
        if len(group) > 1
    ]


def _marks(document: Document) -> list[str]:
    """Return what documents of the same content have in common."""
    told = metadata(document) if is_row(document) else {}
    way = told.get("read_from", "native")
    marks = [f"hash:{told['hash']}"] if told.get("hash") else []
    if way == "native" or (way != "row" and not marks):
        marks.append(f"sha256:{document.file_hash}")
    return marks


def _same_mails(state: State, place: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Yield mails that are the same, each with the first of them."""
    graph = graph_of(state)
    trees = family_trees(state)
    known: dict[str, int] = {}
    for message in graph.mails.messages:
        document = graph.documents[message.document]
        if document.format == "mbox" or not message.digest:
            continue
        attached = _attached(document, trees[document.document_id])
        # Blind copies are left out: only the sender's own copy names them.
        told = "\n".join((message.digest, *sorted(message.open_readers), *attached))
        mark = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()
        i = place[document.document_id]
        yield known.setdefault(mark, i), i


def _attached(document: Document, tree: FamilyTree) -> list[str]:
    """Return what stands for the attachments of a mail: their names, as the mail has them."""
    named = dict(document.properties).get("attachments", "")
    if named or not is_row(document):
        return sorted(named.split("; "))
    return sorted(m.file_hash for m in tree.members if tree.parent_of(m) == document.document_id)


def _group(
    number: int, kind: DuplicateKind, group: Sequence[tuple[Document, float]]
) -> DuplicateGroup:
    custodians = dict.fromkeys(
        str(metadata(document)["custodian"])
        for document, _ in group
        if metadata(document).get("custodian")
    )
    return DuplicateGroup(
        number,
        kind,
        document_count=len(group),
        custodians=tuple(custodians),
        documents=tuple(
            Duplicate(
                document.document_id,
                document.name,
                document.path,
                control_number(document),
                metadata(document).get("custodian"),
                round(share, 4),
            )
            for document, share in group
        ),
    )
