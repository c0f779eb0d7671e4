"""Identical documents and mails, and near duplicates."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import numpy as np

from casetrack.base.arguments import within
from casetrack.base.groups import Groups
from casetrack.editions.legal.discovery.families import (
    control_number,
    family_trees,
    is_row,
    metadata,
)
from casetrack.editions.legal.operation import READS, Arg, operation
from casetrack.editions.legal.records.families import Duplicate, DuplicateGroup, Duplicates
from casetrack.graph.identity.mails import FORMATS as MAIL_FORMATS
from casetrack.graph.opened import graph_of
from casetrack.store.passages import text_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.editions.legal.discovery.families import FamilyTree
    from casetrack.editions.legal.records.families import DuplicateKind
    from casetrack.store.workspace import State

# Common words of documents: MinHash finds candidate pairs, which are compared exactly.

RUN = 5
"""Words of a shingle."""
_LEAST_RUNS = 12
_BANDS, _ROWS = 42, 3
"""Two texts with half of their runs in common share a band with probability 0.996."""
_WORD = re.compile(r"\w+")
_READ_TOGETHER = 200
_BLOCK = 1 << 14
_SEED = 20


class Likeness:
    """Compares the texts of documents by shingles of five words.

    Source: Broder, "On the resemblance and containment of documents" (1997).
    """

    def __init__(self, state: State, least: float, /) -> None:
        self._state = state
        self._least = least
        self.short = 0
        chance = np.random.default_rng(_SEED)
        self._factors = chance.integers(1, 1 << 63, _BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
        self._shifts = chance.integers(0, 1 << 63, _BANDS * _ROWS, dtype=np.uint64)

    def groups(self, documents: Sequence[Document], /) -> list[list[tuple[Document, float]]]:
        """Return groups of near duplicates of the first document of each group.

        The order of *documents* decides which is the first.
        """
        buckets: list[dict[bytes, list[int]]] = [defaultdict(list) for _ in range(_BANDS)]
        runs: dict[int, NDArray[np.uint64]] = {}
        members: dict[int, list[tuple[int, float]]] = {}
        for i, own in self._runs(documents):
            if len(own) < _LEAST_RUNS:
                self.short += 1
                continue
            bands = self._bands(own)
            near = {j for band, mark in enumerate(bands) for j in buckets[band].get(mark, ())}
            shares = [(_share(own, runs[j]), -j) for j in sorted(near)]
            best, first = max(shares, default=(0.0, 0))
            if best >= self._least:
                members.setdefault(-first, []).append((i, best))
                continue
            runs[i] = own
            for band, mark in enumerate(bands):
                buckets[band][mark].append(i)
        return [
            [(documents[i], 1.0), *((documents[j], share) for j, share in others)]
            for i, others in sorted(members.items())
        ]

    def _runs(self, documents: Sequence[Document]) -> Iterator[tuple[int, NDArray[np.uint64]]]:
        """Yield the unique, sorted hashes of the word runs of each document."""
        for start in range(0, len(documents), _READ_TOGETHER):
            some = documents[start : start + _READ_TOGETHER]
            texts = self._texts(some)
            for i, document in enumerate(some, start=start):
                text = texts.get(document.revision, "")
                if document.format in MAIL_FORMATS:
                    text = text.partition("\n\n")[2]
                yield i, run_hashes(text)

    def _texts(self, documents: Sequence[Document]) -> dict[str, str]:
        columns = ["revision", "chunk_index", "page", "char_start", "text"]
        batches = self._state.snapshot.scan(columns, revisions=[d.revision for d in documents])
        rows = sorted(batches.to_pylist(), key=lambda row: (row["revision"], row["chunk_index"]))
        return {
            revision: text_of_rows(own).text
            for revision, own in groupby(rows, lambda row: row["revision"])
        }

    def _bands(self, own: NDArray[np.uint64]) -> list[bytes]:
        least = np.full(len(self._factors), np.iinfo(np.uint64).max, dtype=np.uint64)
        for start in range(0, len(own), _BLOCK):
            part = own[start : start + _BLOCK]
            mixed = self._factors[:, None] * part[None, :] + self._shifts[:, None]
            least = np.minimum(least, (mixed >> np.uint64(16)).min(axis=1))
        return [row.tobytes() for row in least.reshape(_BANDS, _ROWS)]


def run_hashes(text: str, /) -> NDArray[np.uint64]:
    """Return the unique, sorted hashes of a text's runs of five words, ignoring letter case."""
    words = np.array(
        [zlib.crc32(word.encode()) for word in _WORD.findall(text.casefold())], dtype=np.uint64
    )
    if len(words) < RUN:
        return np.zeros(0, dtype=np.uint64)
    mixed = np.zeros(len(words) - RUN + 1, dtype=np.uint64)
    for k in range(RUN):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + words[k : len(words) - RUN + 1 + k]
        mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed)


def _share(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> float:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)


LIKE = 0.8
"""Default for the share of five-word runs that near duplicates have in common."""


@operation("discovery duplicates", READS, tool="find_duplicates", most=1000, concise=False)
def duplicates(
    collection: Collection,
    /,
    *,
    near: Annotated[bool, Arg(cli="--near/--exact")] = True,
    least: Annotated[float, Arg(cli="--least 0.5-1")] = LIKE,
    limit: Annotated[int | None, Arg(cli="--limit -k N", ge=1)] = None,
) -> Duplicates:
    """Return identical documents, mails in several folders, and near duplicates.

    Identical are documents with equal bytes or an equal hash in the load file, and mails with equal
    sender, recipients, subject, minute, words and attachments; other headers may differ.

    Parameters
    ----------
    near
        Also find near duplicates, or only exact ones.
    least
        Minimum share of common five-word runs (Jaccard index) of near duplicates, 0.5 to 1.
    limit
        Maximum number of groups.

    Raises
    ------
    UsageError
        *least* is out of range.
    """
    within("least", least, 0.5, 1)

    def duplicates_of(state: State) -> Duplicates:
        documents = sorted(state.snapshot.documents.values(), key=_sort_key)
        groups = _exact(state, documents)
        all_groups: list[tuple[DuplicateKind, list[tuple[Document, float]]]] = [
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
            all_groups += [("near", group) for group in alike]
            if like.short:
                notes.append(
                    f"{like.short:,} documents have too few words for a comparison of texts."
                )
        return Duplicates(
            collection.name,
            document_count=len(documents),
            exact_count=sum(len(group) - 1 for _, group in groups),
            near_count=near_count,
            groups=tuple(
                _group(number, kind, group)
                for number, (kind, group) in enumerate(all_groups[:limit], start=1)
            ),
            notes=tuple(notes),
        )

    return collection.workspace.ask(duplicates_of)


def _sort_key(document: Document) -> tuple[object, ...]:
    fields = metadata(document).get("row") or {}
    moment = document.content_created_at or document.source_updated_at
    known = (moment or document.file_modified_at).timestamp()
    return moment is None, known, fields.get("line", 0), document.path


def _exact(
    state: State, documents: Sequence[Document]
) -> list[tuple[DuplicateKind, list[Document]]]:
    """Return the groups of identical documents, with the reason."""
    place = {document.document_id: i for i, document in enumerate(documents)}
    joined = Groups(len(documents))
    content: dict[str, int] = {}
    for i, document in enumerate(documents):
        for mark in _content_keys(document):
            joined.join(content.setdefault(mark, i), i)
    by_content = [joined.root(i) for i in range(len(documents))]
    for first, other in _same_mails(state, place):
        joined.join(first, other)
    return [
        (
            "content" if len({by_content[i] for i in group}) == 1 else "message",
            [documents[i] for i in group],
        )
        for group in joined.all()
        if len(group) > 1
    ]


def _content_keys(document: Document) -> list[str]:
    """Return the keys that identical documents share."""
    fields = metadata(document) if is_row(document) else {}
    way = fields.get("read_from", "native")
    marks = [f"hash:{fields['hash']}"] if fields.get("hash") else []
    if way == "native" or (way != "row" and not marks):
        marks.append(f"sha256:{document.file_hash}")
    return marks


def _same_mails(state: State, place: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of identical mails: the first one and another."""
    graph = graph_of(state)
    trees = family_trees(state)
    known: dict[str, int] = {}
    for message in graph.mails.messages:
        document = graph.documents[message.document]
        if not message.digest:
            continue
        attached = _attached(document, trees[document.document_id])
        # Blind copies are ignored: only the sender's copy has them.
        identity = "\n".join((message.digest, *sorted(message.open_readers), *attached))
        mark = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()
        i = place[document.document_id]
        yield known.setdefault(mark, i), i


def _attached(document: Document, tree: FamilyTree) -> list[str]:
    """Return the names of the attachments of a mail, as written in the mail."""
    named = dict(document.properties).get("attachments", "")
    if named or not is_row(document):
        return sorted(named.split("; "))
    return sorted(m.file_hash for m in tree.members if tree.parent_of(m) == document.document_id)


def _group(
    number: int, kind: DuplicateKind, group: Sequence[tuple[Document, float]]
) -> DuplicateGroup:
    custodians = (metadata(document).get("custodian") for document, _ in group)
    return DuplicateGroup(
        number,
        kind,
        document_count=len(group),
        custodians=tuple(dict.fromkeys(filter(None, custodians))),
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
