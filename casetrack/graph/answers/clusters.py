"""Groups of related documents: by meaning, shared entities, shared references or type."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.arguments import one_of, within
from casetrack.base.records.graph import Cluster, Clusters
from casetrack.graph.answers.rows import ask, quotes_of
from casetrack.graph.answers.statistics import typical_quotes
from casetrack.graph.topics.build import (
    TermNames,
    average_linkage,
    cut,
    distinct_labels,
    distinctive_terms,
    phrase_rows,
    phrases_of,
    spherical_kmeans,
    unit_rows,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph
    from casetrack.graph.topics.build import Passage

# Documents as vectors of the entities or references in them.


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The entities or references of documents as matrices."""

    ids: tuple[str, ...]
    table: pa.Table  # Rows of ``cluster-features.sql``
    held: NDArray[np.float32]  # float32 [documents, ids], number of places
    # float32 [documents, ids], weight of each id in a document divided by the norm of all weights
    # of the document. The norm includes ids of only one document, so products of rows are cosines.
    units: NDArray[np.float32]
    # float32 [ids], mean over the documents that contain the id: 3 for a party, less for a place.
    role_weight: NDArray[np.float32]

    def rows(self, ids: Collection[str], /) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of *ids*, by id."""
        own = self.table.filter(pc.is_in(self.table["id"], value_set=pa.array(ids, pa.string())))
        by_id: dict[str, list[dict[str, Any]]] = {}
        for row in own.to_pylist():
            by_id.setdefault(row["id"], []).append(row)
        return by_id


def features(graph: ContextGraph, by: str, /) -> Features:
    """Return the features that occur in several documents; *by* is ``entity`` or ``reference``."""
    table = ask(graph, "cluster-features", by=by)
    ids = table["id"].unique()
    documents = pa.array([document.document_id for document in graph.documents], pa.string())
    row = np.asarray(pc.index_in(table["document_id"], value_set=documents))
    column = np.asarray(pc.index_in(table["id"], value_set=ids))
    held = np.zeros((len(documents), len(ids)), dtype=np.float32)
    held[row, column] = table["places"].to_numpy()
    length = np.maximum(table["length"].to_numpy(), 1e-9)
    units = np.zeros_like(held)
    units[row, column] = table["weight"].to_numpy() / length
    role_weight = np.zeros_like(held)
    role_weight[row, column] = table["standing"].to_numpy()
    mean = role_weight.sum(axis=0) / np.maximum((held > 0).sum(axis=0), 1)
    return Features(tuple(ids.to_pylist()), table, held, units, mean.astype(np.float32))


def shared_by(features: Features, members: Sequence[int], /, *, most: int) -> list[int]:
    """Return the columns that most members share and fewer other documents have, best first."""
    inside = (features.held[list(members)] > 0).mean(axis=0)
    everywhere = (features.held > 0).mean(axis=0)
    score = inside * np.log1p(inside / np.maximum(everywhere, 1e-9)) * features.role_weight
    several = (features.held[list(members)] > 0).sum(axis=0) >= min(2, len(members))
    order = sorted(
        np.flatnonzero(several & (inside >= 0.5)).tolist() or np.flatnonzero(several).tolist(),
        key=lambda i: (-round(float(score[i]), 6), features.ids[i]),
    )
    return order[:most]


STRATEGIES = ("topical", "entity", "reference", "document_type")
_MOST = 20
_LINKED_AT_MOST = 2000
_LAST_CUTS = 40
_FEW = 8
"""With fewer documents, the mean describes each document more than their common content."""
_LEAST_ALIKE = 0.08
_LEAST_ALIKE_WHOLE = 0.75
_ANYTHING = 0.01
"""Cosine of documents that have more in common than two random ones."""
_LABELLED_CHUNKS = 4000
_SHOWN, _JOINING = 4, 24
_QUOTES = 2


def clusters(graph: ContextGraph, strategy: str = "topical", /, *, limit: int = 10) -> Clusters:
    """Group documents by their shared content; see ``Collection.map.clusters``."""
    one_of("strategy", strategy, STRATEGIES)
    within("limit", limit, 1, _MOST)
    made = graph.once(_made)
    if (strategy, limit) not in made:
        made[strategy, limit] = _clusters(graph, strategy, limit)
    return made[strategy, limit]


def _made(_: ContextGraph) -> dict[tuple[str, int], Clusters]:
    """Return the groups of a state, filled on request."""
    return {}


def _clusters(graph: ContextGraph, strategy: str, limit: int) -> Clusters:
    if strategy == "document_type":
        groups, records = _by_type(graph, limit)
    elif strategy == "topical":
        groups, records = _topical(graph, grouped(*_meaning(graph), most=limit))
    else:
        held = features(graph, strategy)
        groups = grouped(held.units, _LEAST_ALIKE, most=limit)
        records = _sharing(graph, held, groups)
    inside = {i for group in groups for i in group}
    if strategy != "document_type":
        inside |= set(graph.copies.tolist())
    rest = tuple(d for i, d in enumerate(graph.documents) if i not in inside)
    return Clusters(graph.info.name, strategy, tuple(records), rest)


def grouped(units: NDArray[np.float32], least: float, /, *, most: int) -> list[list[int]]:
    """Group unit rows; zero rows and rows below *least* similarity to all others are left out.

    Up to 2,000 rows: average linkage, cut where groups are most distinct (silhouette). More rows:
    k-means. Each group lists its most typical row first; the largest group is first.
    """
    some = np.flatnonzero(units.any(axis=1))
    if len(some) < 2:
        return []
    rows = units[some]
    if len(rows) <= _LINKED_AT_MOST:
        labels = _linked(rows, least, most)
    else:
        labels = (rows @ spherical_kmeans(rows, most).T).argmax(axis=1)
    groups = [np.flatnonzero(labels == g) for g in range(int(labels.max()) + 1)]
    groups = _joined(rows, [g for g in groups if len(g) > 1], least)
    groups = sorted(groups, key=lambda g: (-len(g), int(g[0])))[:most]
    ordered = []
    for group in groups:
        # Rounded, so that equal values keep the order of the documents.
        near = np.round(rows[group] @ rows[group].mean(axis=0), 5)
        ordered.append([int(some[i]) for i in group[np.argsort(-near, kind="stable")]])
    return ordered


def _joined(
    rows: NDArray[np.float32], groups: Sequence[NDArray[np.int64]], least: float
) -> list[NDArray[np.int64]]:
    """Add each ungrouped row to its most similar group if the similarity is at least *least*."""
    if not groups:
        return []
    means = np.stack([rows[g].mean(axis=0) for g in groups])
    loners = np.setdiff1d(np.arange(len(rows)), np.concatenate(groups))
    near = rows[loners] @ means.T
    best = near.argmax(axis=1)
    fits = near.max(axis=1) >= least
    return [
        np.sort(np.concatenate([group, loners[fits & (best == g)]]))
        for g, group in enumerate(groups)
    ]


def _linked(rows: NDArray[np.float32], least: float, most: int) -> NDArray[np.int64]:
    """Return the group of each row at the cut where groups are most distinct.

    Only cuts with at most *most* groups and few single rows are considered: first those that join
    rows with at least *least* similarity, then those that join rows with any similarity. If none
    fits, the groups are all rows with at least *least* similarity.
    """
    similarity = rows @ rows.T
    merges = average_linkage(similarity)
    heights = sorted({m[2] for m in merges}, reverse=True)
    near = [h for h in heights if h >= least]
    for cuts in (near, [h for h in heights if _ANYTHING <= h < least]):
        best = _most_distinct(similarity, merges, cuts, most)
        if best is not None:
            return best
    return next(cut(merges, len(rows), near[-1:]), np.arange(len(rows)))


def _most_distinct(
    similarity: NDArray[np.float32],
    merges: Sequence[tuple[int, int, float]],
    cuts: Sequence[float],
    most: int,
) -> NDArray[np.int64] | None:
    count = len(similarity)
    best, best_score = None, -np.inf
    # The last merges build the large groups; only a sample of the many small ones before is tried.
    tried = [*cuts[: -_LAST_CUTS : max(1, len(cuts) // _LAST_CUTS)], *cuts[-_LAST_CUTS:]]
    for labels in cut(merges, count, tried):
        sizes = np.bincount(labels)
        several = int((sizes > 1).sum())
        if not 1 <= several <= most or len(sizes) > max(4 * most, count // 2 + most):
            continue
        score = _silhouette(similarity, labels)
        if score > best_score + 1e-9:
            best, best_score = labels, score
    return best


def _silhouette(similarity: NDArray[np.float32], labels: NDArray[np.int64]) -> float:
    """Return how much closer rows are to their own group than to the next; single rows count 0."""
    count = int(labels.max()) + 1
    member = np.zeros((count, len(labels)), dtype=np.float32)
    member[labels, np.arange(len(labels))] = 1
    sizes = member.sum(axis=1)
    sums = similarity @ member.T
    rows = np.arange(len(labels))
    own_size = sizes[labels]
    own = (sums[rows, labels] - np.diag(similarity)) / np.maximum(own_size - 1, 1)
    if count == 1:
        return float(own.mean()) * 0.5
    means = sums / sizes
    means[rows, labels] = -np.inf
    other = means.max(axis=1)
    near = np.where(own_size > 1, (own - other) / np.maximum(1 - np.minimum(own, other), 1e-6), 0)
    return float(np.clip(near, -1, 1).mean())


def _meaning(graph: ContextGraph) -> tuple[NDArray[np.float32], float]:
    """Return document vectors without their common part, or phrase vectors without a model.

    Copies of a mail have none. The second value is the minimum cosine of two similar documents.
    """
    vectors = graph.document_vectors()
    some = np.asarray(vectors.any(axis=1))
    if some.sum() < 2:
        return _phrase_vectors(graph), _LEAST_ALIKE
    if some.sum() < _FEW:
        return vectors, _LEAST_ALIKE_WHOLE
    # Content that all documents share does not separate groups.
    moved = np.where(some[:, None], vectors - vectors[some].mean(axis=0), 0)
    return unit_rows(moved.astype(np.float32)), _LEAST_ALIKE


def _phrase_vectors(graph: ContextGraph) -> NDArray[np.float32]:
    texts = _texts(graph, [[i] for i in range(len(graph.documents))])
    return phrase_rows([{p for _, passage in own for p in passage} for own in texts], 1024)


def _texts(graph: ContextGraph, groups: Sequence[Sequence[int]]) -> list[list[Passage]]:
    """Return for each group the phrases of a sample of its chunks, equally many per document."""
    vectors = graph.chunk_vectors()
    starts = np.searchsorted(vectors.documents, np.arange(len(graph.documents) + 1))
    count = sum(len(group) for group in groups)
    each = max(2, _LABELLED_CHUNKS // max(count, 1))
    chosen = []
    for group in groups:
        ids: list[tuple[int, str]] = []
        for document in group:
            low, high = int(starts[document]), int(starts[document + 1])
            step = max(1, -(-(high - low) // each))
            ids += [(document, vectors.ids[i]) for i in range(low, high, step)]
        chosen.append(ids)
    phrases = phrases_of(graph, [i for ids in chosen for _, i in ids])
    return [[(document, phrases[i]) for document, i in ids] for ids in chosen]


def _topical(
    graph: ContextGraph, groups: Sequence[Sequence[int]]
) -> tuple[list[list[int]], list[Cluster]]:
    """Return the groups with the terms that several of their documents contain.

    Documents without any of the first of these terms leave their group.
    """
    names, kept = TermNames(graph), list[tuple[list[int], list[str]]]()
    texts = _texts(graph, groups)
    for group, own, phrases in zip(groups, texts, distinctive_terms(texts), strict=True):
        held: dict[str, set[int]] = defaultdict(set)
        for document, each in own:
            for phrase in each:
                held[phrase].add(document)
        shared = [p for p in phrases if len(held[p]) > 1]
        terms, _ = names.chosen(shared, own)
        inside = [d for d in group if any(d in held[p] for p in shared[:_JOINING])]
        if inside or not held:  # without phrases, the language is unknown
            kept.append((inside or list(group), terms))
    labels = distinct_labels([names.label(terms) for _, terms in kept], "Other documents")
    vectors = graph.own_vectors()
    starts = np.searchsorted(vectors.documents, np.arange(len(graph.documents) + 1))
    typical = [
        [vectors.ids[_central(graph, int(starts[d]), int(starts[d + 1]))] for d in g[:_QUOTES]]
        for g, _ in kept
    ]
    shown = [tuple(map(names.name, terms)) for _, terms in kept]
    quotes = typical_quotes(graph, list(zip(typical, shown, strict=True)))
    parts = zip(labels, shown, kept, quotes, strict=True)
    return [group for group, _ in kept], [
        _cluster(graph, number, label, terms, group, own)
        for number, (label, terms, (group, _), own) in enumerate(parts, start=1)
    ]


def _central(graph: ContextGraph, low: int, high: int) -> int:
    """Return the chunk of a document that is most similar to the whole document."""
    vectors = graph.own_vectors()
    scale = vectors.scales[low:high]
    codes = vectors.codes[low:high].astype(np.float32)
    return low + int((codes @ (scale @ codes) * scale).argmax()) if high > low else low


def _sharing(graph: ContextGraph, held: Features, groups: Sequence[Sequence[int]]) -> list[Cluster]:
    """Return the groups with quotes where their first documents name the shared content."""
    shared = [[held.ids[i] for i in shared_by(held, g, most=_SHOWN + 2)] for g in groups]
    rows = held.rows(sorted({i for ids in shared for i in ids}))
    terms = [tuple(rows[i][0]["name"] for i in ids) for ids in shared]
    labels = distinct_labels([_listed(t[:_SHOWN]) for t in terms], "Other documents")
    chosen = []
    for group, ids in zip(groups, shared, strict=True):
        first = {row["document_id"]: row for i in ids[:1] for row in rows[i] if row["chunk_id"]}
        named = [graph.documents[document].document_id for document in group[:_QUOTES]]
        chosen.append([first[document] for document in named if document in first])
    quotes = iter(quotes_of(graph, [place for places in chosen for place in places]))
    return [
        _cluster(graph, number, label, own, group, tuple(next(quotes) for _ in places))
        for number, (label, own, group, places) in enumerate(
            zip(labels, terms, groups, chosen, strict=True), start=1
        )
    ]


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _by_type(graph: ContextGraph, most: int) -> tuple[list[list[int]], list[Cluster]]:
    ranks = {document.document_id: rank for rank, document in enumerate(graph.documents)}
    rows = ask(graph, "documents-by-type").to_pylist()
    rows = sorted(rows, key=lambda row: (-row["documents"], row["type"]))[:most]
    groups = [[ranks[i] for i in row["document_ids"]] for row in rows]
    records = [
        _cluster(graph, number, kind.capitalize(), (kind,), group, ())
        for number, (kind, group) in enumerate(
            zip((row["type"] for row in rows), groups, strict=True), start=1
        )
    ]
    return groups, records


def _cluster(
    graph: ContextGraph,
    number: int,
    label: str,
    shared: Sequence[str],
    group: Sequence[int],
    quotes: Sequence[Quote],
) -> Cluster:
    documents: tuple[Document, ...] = tuple(graph.documents[i] for i in group)
    return Cluster(f"cluster-{number}", label, tuple(shared), documents, tuple(quotes))
