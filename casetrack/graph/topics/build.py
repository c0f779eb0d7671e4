"""What the passages of a collection are about: groups of similar ones, named by their terms."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base import schema
from casetrack.graph.topics.grouping import nearest, spherical_kmeans, unit_rows
from casetrack.graph.topics.labels import TermNames, distinct_labels, phrases_of, telling_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.graph.passages import Vectors
    from casetrack.graph.state_tables import StateTables

_SAMPLE = 4000
_FEWEST, _MOST = 3, 15
_CHUNKS_PER_TOPIC = 3
_SMALLEST_SHARE = 0.01
_SMALL = 30
_ALIKE = 0.85
_TYPICAL = 5
_FEATURES = 512
_PER_DOCUMENT = 2


def topics(source: StateTables, /, *, most: int = _MOST) -> pa.Table:
    """Return the table ``topics`` of a collection; at most *most* rows, the largest first.

    Spherical k-means over the chunks' vectors, moved by their mean, of at most 4,000 chunks that a
    hash of their ids chooses; all others join the nearest group. A collection without vectors is
    grouped by the phrases of its chunks. The same documents give the same topics, in whatever
    order they came.
    """
    import pyarrow as pa

    vectors = source.chunk_vectors()
    layout = schema.table("topics").arrow()
    if not vectors.ids:
        return layout.empty_table()
    if (vectors.scales > 0).any():
        groups, worth, phrases = _by_meaning(source, vectors, most)
    else:
        groups, worth, phrases = _by_words(source, vectors, most)
    rows = _rows(source, vectors, groups, worth, phrases)
    return pa.Table.from_pylist(rows, schema=layout)


def sampled(ids: Sequence[str], usable: NDArray[np.bool_], most: int, /) -> NDArray[np.int64]:
    """Return at most *most* positions of usable chunks, chosen by a hash of their ids."""
    found = np.flatnonzero(usable)
    if len(found) <= most:
        return found
    hashes = np.array([zlib.crc32(ids[int(i)].encode()) for i in found])
    return np.sort(found[np.argsort(hashes, kind="stable")[:most]])


def _count(chunks: int, most: int) -> int:
    wanted = round((chunks / _CHUNKS_PER_TOPIC) ** 0.5)
    return max(1, min(max(int(wanted), _FEWEST), most, chunks // 2 or 1))


def _by_meaning(
    source: StateTables, vectors: Vectors, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], Mapping[str, list[str]]]:
    """Return the group of each chunk, its nearness to the group, and phrases of a sample."""
    sample = sampled(vectors.ids, np.asarray(vectors.scales > 0), _SAMPLE)
    rows = vectors.codes[sample].astype(np.float32) * vectors.scales[sample, None]
    mean = rows.mean(axis=0) if len(rows) > 1 else np.zeros(rows.shape[1], np.float32)
    units = unit_rows(rows - mean)
    centres = _apart(units, spherical_kmeans(units, _count(len(vectors.ids), most)))
    labels, cosines = nearest(vectors.codes, vectors.scales, mean, centres)
    return labels, cosines, phrases_of(source, [vectors.ids[i] for i in sample])


def _by_words(
    source: StateTables, vectors: Vectors, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], Mapping[str, list[str]]]:
    """Group chunks by the phrases that several of them hold, weighted by their rarity."""
    phrases = phrases_of(source, vectors.ids)
    held = Counter(p for found in phrases.values() for p in found)
    shared = sorted((p for p in held if held[p] > 1), key=lambda p: (-held[p], p))[:_FEATURES]
    columns = {p: i for i, p in enumerate(shared)}
    rows = np.zeros((len(vectors.ids), max(len(columns), 1)), dtype=np.float32)
    for row, chunk_id in enumerate(vectors.ids):
        for phrase in phrases[chunk_id]:
            if phrase in columns:
                rows[row, columns[phrase]] = np.log1p(len(phrases) / held[phrase])
    some = np.asarray(rows.any(axis=1))
    if not some.any():
        return np.full(len(rows), -1), np.zeros(len(rows), np.float32), phrases
    units = unit_rows(rows)
    sample = sampled(vectors.ids, some, _SAMPLE)
    centres = spherical_kmeans(units[sample], _count(int(some.sum()), most))
    centres = _apart(units[sample], centres)
    similar = units @ centres.T
    labels = np.where(some, similar.argmax(axis=1), -1)
    return labels, similar.max(axis=1), phrases


def _apart(rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the centres without those that nearly coincide or have hardly any rows."""
    sizes = np.bincount((rows @ centres.T).argmax(axis=1), minlength=len(centres))
    least = max(2 if len(rows) < _SMALL else 3, round(_SMALLEST_SHARE * len(rows)))
    kept: list[int] = []
    for i in sorted(range(len(centres)), key=lambda i: (-sizes[i], i)):
        alike = any(float(centres[i] @ centres[j]) > _ALIKE for j in kept)
        if not kept or (sizes[i] >= least and not alike):
            kept.append(i)
    return centres[kept]


def _rows(
    source: StateTables,
    vectors: Vectors,
    groups: NDArray[np.int64],
    worth: NDArray[np.float32],
    phrases: Mapping[str, list[str]],
) -> list[dict[str, Any]]:
    sizes = np.bincount(groups[groups >= 0], minlength=int(groups.max(initial=-1)) + 1)
    first = [int(np.flatnonzero(groups == g)[0]) if sizes[g] else 0 for g in range(len(sizes))]
    order = sorted(np.flatnonzero(sizes), key=lambda g: (-sizes[g], first[g]))
    members = [np.flatnonzero(groups == g) for g in order]
    texts = [
        [
            (int(vectors.documents[i]), phrases[vectors.ids[i]])
            for i in m
            if vectors.ids[i] in phrases
        ]
        for m in members
    ]
    names = TermNames(source)
    chosen = [names.chosen(found) for found in telling_terms(texts)]
    labels = distinct_labels([label for label, _ in chosen], "Other passages")
    rows = []
    for number, (own, (_, terms), label) in enumerate(
        zip(members, chosen, labels, strict=True), start=1
    ):
        documents = Counter(vectors.documents[own].tolist())
        ranked = sorted(documents, key=lambda d: (-documents[d], d))
        rows.append(
            {
                "topic_id": f"topic-{number}",
                "label": label,
                "terms": list(terms),
                "chunk_count": len(own),
                "document_count": len(ranked),
                "document_ids": [source.documents[d].document_id for d in ranked],
                "chunk_ids": _typical(vectors, own, worth),
            }
        )
    return rows


def _typical(vectors: Vectors, own: NDArray[np.int64], worth: NDArray[np.float32]) -> list[str]:
    """Return the chunks nearest to the centre, at most two of a document where others are left."""
    order = own[np.argsort(-worth[own], kind="stable")]
    taken: Counter[int] = Counter()
    first: list[int] = []
    later: list[int] = []
    for i in order.tolist():
        document = int(vectors.documents[i])
        taken[document] += 1
        (first if taken[document] <= _PER_DOCUMENT else later).append(i)
        if len(first) == _TYPICAL:
            break
    return [vectors.ids[i] for i in (first + later)[:_TYPICAL]]
