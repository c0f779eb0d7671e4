"""Topics of a collection: groups of similar passages, named by their terms."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.base.records.graph import NAME_KINDS
from casetrack.graph.spelling import normalised

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from casetrack.graph.passages import Vectors
    from casetrack.graph.state_tables import StateTables

# Groups of similar vectors: spherical k-means for many, average linkage for few. Deterministic.

_ROUNDS = 15
_STARTS = 2
_BLOCK = 8192


def unit_rows(vectors: NDArray[np.float32], /) -> NDArray[np.float32]:
    """Return rows of length 1; zero rows stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: NDArray[np.float32] = np.divide(
        vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0
    )
    return units


def spherical_kmeans(rows: NDArray[np.float32], count: int, /) -> NDArray[np.float32]:
    """Return unit centres float32 [count or fewer, dimension] of unit rows [n, dimension].

    k-means with the cosine, initialised with k-means++ (Arthur and Vassilvitskii 2007) and a fixed
    seed; the better of two starts.
    """
    count = min(count, len(rows))
    best, best_score = rows[:count], -np.inf
    for start in range(_STARTS if count > 1 else 1):
        centres = _far_apart(rows, count, np.random.default_rng(start))
        count = len(centres)
        labels = np.full(len(rows), -1)
        for _ in range(_ROUNDS):
            similar = rows @ centres.T
            assigned = similar.argmax(axis=1)
            if np.array_equal(assigned, labels):
                break
            labels = assigned
            member = np.zeros((count, len(rows)), dtype=np.float32)
            member[labels, np.arange(len(rows))] = 1
            sums = member @ rows
            empty = ~member.any(axis=1)
            sums[empty] = centres[empty]
            centres = unit_rows(sums)
        score = float((rows @ centres.T).max(axis=1).sum())
        if score > best_score + 1e-6:
            best, best_score = centres, score
    return best


def _far_apart(
    rows: NDArray[np.float32], count: int, random: np.random.Generator
) -> NDArray[np.float32]:
    chosen = [int(random.integers(len(rows)))]
    distance = np.full(len(rows), np.inf)
    while len(chosen) < count:
        distance = np.minimum(distance, np.clip(1 - rows @ rows[chosen[-1]], 0, None))
        total = distance.sum()
        if total <= 0:
            break
        chosen.append(int(np.searchsorted(np.cumsum(distance), random.random() * total)))
    return rows[np.minimum(chosen, len(rows) - 1)]


def nearest(
    codes: NDArray[np.int8],
    scales: NDArray[np.float32],
    mean: NDArray[np.float32],
    centres: NDArray[np.float32],
    /,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the nearest centre of each quantised row and its cosine; -1 for a row without vector.

    Rows are shifted by *mean* and normalised first, like the rows of the *centres*.
    """
    labels = np.full(len(codes), -1, dtype=np.int64)
    cosines = np.zeros(len(codes), dtype=np.float32)
    offsets = centres @ mean
    for low in range(0, len(codes), _BLOCK):
        scale = scales[low : low + _BLOCK, None]
        block = codes[low : low + _BLOCK].astype(np.float32)
        # |s·c - m|^2 without a second copy of the block
        squares = (
            (scale[:, 0] ** 2) * np.einsum("ij,ij->i", block, block)
            - 2 * scale[:, 0] * (block @ mean)
            + mean @ mean
        )
        similar = (block @ centres.T) * scale - offsets
        similar /= np.sqrt(np.maximum(squares, 1e-12))[:, None]
        best = similar.argmax(axis=1)
        present = scale[:, 0] > 0
        labels[low : low + _BLOCK] = np.where(present, best, -1)
        cosines[low : low + _BLOCK] = np.where(present, similar[np.arange(len(best)), best], 0)
    return labels, cosines


def average_linkage(similarity: NDArray[np.float32], /) -> list[tuple[int, int, float]]:
    """Return the merges of average linkage over a similarity matrix [n, n], most similar first.

    Each merge is (row of one group, row of the other, mean similarity); any row can identify a
    group. Computed with nearest-neighbour chains (Murtagh 1983) in n² time.
    """
    count = len(similarity)
    links = similarity.astype(np.float64, copy=True)
    np.fill_diagonal(links, -np.inf)
    sizes = np.ones(count)
    alive = np.ones(count, dtype=bool)
    merges: list[tuple[int, int, float]] = []
    chain: list[int] = []
    for _ in range(count - 1):
        if not chain:
            chain.append(int(np.flatnonzero(alive)[0]))
        while True:
            tip = chain[-1]
            near = int(links[tip].argmax())
            if len(chain) > 1 and links[tip, chain[-2]] >= links[tip, near]:
                near = chain[-2]
                break
            chain.append(near)
        a, b = sorted((chain.pop(), chain.pop()))
        merges.append((a, b, float(links[a, b])))
        joined = (sizes[a] * links[a] + sizes[b] * links[b]) / (sizes[a] + sizes[b])
        links[a, :] = links[:, a] = joined
        links[a, a] = -np.inf
        links[b, :] = links[:, b] = -np.inf
        sizes[a] += sizes[b]
        alive[b] = False
    return sorted(merges, key=lambda m: (-m[2], m[0], m[1]))


def cut(
    merges: Sequence[tuple[int, int, float]], count: int, heights: Iterable[float], /
) -> Iterator[NDArray[np.int64]]:
    """Yield for each height the group of each of *count* rows, numbered by their first rows.

    *merges* come from :func:`average_linkage`; *heights* are falling similarities: merges with at
    least this similarity join their rows.
    """
    parent = list(range(count))

    def first(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    done = 0
    for least in heights:
        while done < len(merges) and merges[done][2] >= least:
            low, high = sorted(map(first, merges[done][:2]))
            parent[high] = low
            done += 1
        firsts = np.array(parent, dtype=np.int64)
        while not np.array_equal(further := firsts[firsts], firsts):
            firsts = further
        yield np.unique(firsts, return_inverse=True)[1].astype(np.int64)


# Names for groups of passages: their distinctive phrases.

_LABEL_TERMS = 3
_TERMS = 8
_NAMED = 0.35
"""Share of the passages of a topic that contain one of its terms, at least."""
_SPECIFIC = 10
"""Minimum number of letters of a word that names a topic by itself."""
_LENGTHS = {1: 1.0, 2: 1.25, 3: 1.15}
"""Factors by number of words: two are more specific than one; long phrases are rarely names."""
_LEAST_SHARE = 0.05
_MANY = 20
_CONCEPT = "concept:"
MANY_DOCUMENTS = 10
"""From this number of documents, phrases in more than a third of them are not distinctive."""


Passage = tuple[int, Sequence[str]]
"""A passage for labels: the number of its document, and its phrases."""


def distinctive_terms(groups: Sequence[Sequence[Passage]], /) -> list[list[str]]:
    """Return for each group its distinctive phrases, the most distinctive first.

    Class-based tf-idf: the geometric mean of a phrase's shares of the group's passages and
    documents, times its rarity among the groups, each group with equal weight. So a phrase that one
    of many documents repeats names no group. Passages with the same phrases, such as copies of a
    mail, count once. A phrase must be in at least two passages, a twentieth of the documents and
    two of three or more documents; if none is, any phrase counts in a group of fewer than twenty.
    """
    repeated_in: list[set[str]] = []
    shares: list[dict[str, float]] = []
    for group in groups:
        passages = {tuple(phrases): document for document, phrases in group if phrases}
        documents: dict[str, set[int]] = {}
        count: Counter[str] = Counter()
        for phrases, document in passages.items():
            for phrase in set(phrases):
                count[phrase] += 1
                documents.setdefault(phrase, set()).add(document)
        size, spread = max(len(passages), 1), max(len(set(passages.values())), 1)
        least = max(math.ceil(_LEAST_SHARE * spread), min(2, spread - 1))
        several = {p for p, n in count.items() if n > 1 and len(documents[p]) >= least}
        repeated_in.append(several)
        shares.append(
            {p: math.sqrt(n / size * len(documents[p]) / spread) for p, n in count.items()}
        )
    overall: Counter[str] = Counter()
    for share in shares:
        overall.update(share)
    average = sum(overall.values()) / max(len(groups), 1)
    terms = []
    for group, several, share in zip(groups, repeated_in, shares, strict=True):
        scores = {
            p: share[p]
            * math.log1p(average / overall[p])
            * (share[p] / overall[p])
            * _LENGTHS.get(len(p.replace("-", " ").split()), 0.7)
            for p in share
        }
        repeated = {p: s for p, s in scores.items() if p in several}
        if not repeated and len({document for document, _ in group}) < _MANY:
            repeated = scores
        terms.append(sorted(repeated, key=lambda p: (-repeated[p], p)))
    return terms


class TermNames:
    """Display forms of phrases, and which phrases are only names."""

    def __init__(self, source: StateTables, /) -> None:
        entities = source.table("entities")
        concepts = entities.filter(pc.equal(entities["kind"], "concept"))
        self._names = dict(
            zip(concepts["entity_id"].to_pylist(), concepts["name"].to_pylist(), strict=True)
        )
        total = len(source.documents)
        spread = pc.greater(concepts["document_count"], total / 3)
        self._common = (
            frozenset(concepts.filter(spread)["entity_id"].to_pylist())
            if total >= MANY_DOCUMENTS
            else frozenset()
        )
        is_name = pc.is_in(entities["kind"], value_set=pa.array(NAME_KINDS))
        names = entities.filter(is_name)["name"]
        words = pc.split_pattern(normalised(names), " ") if len(names) else None
        self._words = set(pc.list_flatten(words).to_pylist()) if words is not None else set()

    def name(self, phrase: str, /) -> str:
        """Return the most frequent written form of a phrase."""
        return str(self._names.get(_CONCEPT + phrase, phrase.replace("-", " ")))

    def is_name(self, phrase: str, /) -> bool:
        """Return whether every word of the phrase occurs in a name (person, firm or place)."""
        words = phrase.replace("-", " ").split()
        return all(word in self._words for word in words)

    def chosen(
        self, phrases: Sequence[str], texts: Sequence[Passage], /
    ) -> tuple[list[str], float]:
        """Return the terms of a group, and the share of its texts that contain one of them.

        *phrases* are ordered by relevance. Terms that repeat a previous one, are only names, or are
        in more than a third of ten or more documents are left out while there are others. If no two
        documents share one, those of the main document are used. The first term is the one of most
        texts, the next that of most other texts.
        """
        # The key of a phrase has no accents; a phrase that is an entity has a written form.
        known = [p for p in phrases if _CONCEPT + p in self._names] or list(phrases)
        known = [p for p in known if _CONCEPT + p not in self._common] or known
        plain = [p for p in known if not self.is_name(p)] or known
        plain = list(_of_one_document(plain, texts))
        terms: list[str] = []
        words: list[set[str]] = []
        for phrase in plain:
            own = set(phrase.replace("-", " ").split())
            if any(own <= other or other <= own for other in words):
                continue
            terms.append(phrase)
            words.append(own)
            if len(terms) == _TERMS:
                break
        ordered, left = list[str](), [set(held) for _, held in texts]
        while terms:
            best = max(terms, key=lambda t: (sum(t in held for held in left), -terms.index(t)))
            left = [held for held in left if best not in held]
            terms.remove(best)
            ordered.append(best)
        if len(ordered) == 1 and len(words[0]) == 1 and len(ordered[0]) < _SPECIFIC:
            return [], 0.0
        ordered.sort(key=lambda phrase: "-" not in phrase and " " not in phrase)
        return ordered, 1 - len(left) / max(len(texts), 1)

    def label(self, terms: Sequence[str], /) -> str:
        """Return the first terms of a group as its label."""
        label = ", ".join(map(self.name, terms[:_LABEL_TERMS]))
        return label[:1].upper() + label[1:]


def _of_one_document(phrases: Sequence[str], texts: Sequence[Passage]) -> Sequence[str]:
    """Return the phrases; if the first ones are in one document each, those of the main one."""
    first = set(phrases[:_TERMS])
    homes = {(phrase, document) for document, held in texts for phrase in first & {*held}}
    if not homes or len(homes) > len({phrase for phrase, _ in homes}):
        return phrases
    main = Counter(d for d, held in texts if not first.isdisjoint(held)).most_common(1)[0][0]
    own = {phrase for document, held in texts if document == main for phrase in held}
    return [phrase for phrase in phrases if phrase in own]


def distinct_labels(labels: Sequence[str], fallback: str, /) -> list[str]:
    """Return distinct labels: *fallback* for an empty one, and numbers for equal ones."""
    seen: dict[str, int] = {}
    texts = []
    for label in labels:
        text = label or fallback
        seen[text] = seen.get(text, 0) + 1
        texts.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return texts


def phrases_of(source: StateTables, chunk_ids: Sequence[str], /) -> Mapping[str, list[str]]:
    """Return the phrases of each chunk, each once, by chunk id."""
    phrases = source.phrases(chunk_ids)
    return {i: list(dict.fromkeys(p)) for i, p in zip(chunk_ids, phrases, strict=True)}


_SAMPLE = 4000
_FEWEST, _MOST = 3, 15
_CHUNKS_PER_TOPIC = 3
_SMALLEST_SHARE = 0.01
_SMALL = 30
_ALIKE = 0.85
_TYPICAL = 5
_FEATURES = 512
_PER_DOCUMENT = 2
_SAME_TERMS = 0.6
"""Share of common terms above which two groups are one topic."""


def topics(source: StateTables, /, *, most: int = _MOST) -> pa.Table:
    """Return the table ``topics`` of a collection; at most *most* rows, the largest first.

    Spherical k-means over the chunks' vectors minus their mean, on at most 4,000 chunks chosen by a
    hash of their ids; all others join the nearest group. A collection without vectors is grouped by
    the phrases of its chunks. The result depends only on the documents, not on their order.
    """
    import pyarrow as pa

    vectors = source.own_vectors()
    layout = schema.table("topics").arrow()
    if not vectors.ids:
        return layout.empty_table()
    if (vectors.scales > 0).any():
        groups, worth, phrases = _by_meaning(source, vectors, most)
    else:
        groups, worth, phrases = _by_words(source, vectors, most)
    rows = _rows(source, vectors, groups, worth, phrases)
    return pa.Table.from_pylist(rows, schema=layout)


def sampled(vectors: Vectors, usable: NDArray[np.bool_], most: int, /) -> NDArray[np.int64]:
    """Return at most *most* positions of usable chunks, chosen by a hash of their ids.

    Each document has an equal share, so that the rows of one table are not most of the sample.
    """
    positions = np.flatnonzero(usable)
    sizes = Counter(vectors.documents[positions].tolist())
    share = max(most // max(len(sizes), 1), 1)
    if len(positions) <= most and max(sizes.values(), default=0) <= share:
        return positions
    taken: Counter[int] = Counter()
    kept: list[int] = []
    for i in sorted(positions.tolist(), key=lambda i: zlib.crc32(vectors.ids[i].encode())):
        document = int(vectors.documents[i])
        taken[document] += 1
        if taken[document] <= share:
            kept.append(i)
    return np.sort(np.array(kept[:most], dtype=np.int64))


def _count(chunks: int, most: int) -> int:
    wanted = round((chunks / _CHUNKS_PER_TOPIC) ** 0.5)
    return max(1, min(max(int(wanted), _FEWEST), most, chunks // 2 or 1))


def _by_meaning(
    source: StateTables, vectors: Vectors, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], Mapping[str, list[str]]]:
    """Return the group of each chunk, its similarity to the group, and the phrases of a sample."""
    sample = sampled(vectors, np.asarray(vectors.scales > 0), _SAMPLE)
    rows = vectors.codes[sample].astype(np.float32) * vectors.scales[sample, None]
    mean = rows.mean(axis=0) if len(rows) > 1 else np.zeros(rows.shape[1], np.float32)
    units = unit_rows(rows - mean)
    centres = _apart(units, spherical_kmeans(units, _count(len(vectors.ids), most)))
    labels, cosines = nearest(vectors.codes, vectors.scales, mean, centres)
    return labels, cosines, phrases_of(source, [vectors.ids[i] for i in sample])


def _by_words(
    source: StateTables, vectors: Vectors, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float32], Mapping[str, list[str]]]:
    """Group chunks by the phrases that several of them contain, weighted by rarity."""
    phrases = phrases_of(source, vectors.ids)
    units = phrase_rows([phrases[chunk_id] for chunk_id in vectors.ids], _FEATURES)
    some = np.asarray(units.any(axis=1))
    if not some.any():
        return np.full(len(units), -1), np.zeros(len(units), np.float32), phrases
    sample = sampled(vectors, some, _SAMPLE)
    centres = spherical_kmeans(units[sample], _count(int(some.sum()), most))
    centres = _apart(units[sample], centres)
    similar = units @ centres.T
    labels = np.where(some, similar.argmax(axis=1), -1)
    return labels, similar.max(axis=1), phrases


def phrase_rows(texts: Sequence[Collection[str]], most: int, /) -> NDArray[np.float32]:
    """Return unit rows float32 [texts, phrases] of the shared phrases, weighted by rarity."""
    held = Counter(p for phrases in texts for p in set(phrases))
    shared = sorted((p for p in held if held[p] > 1), key=lambda p: (-held[p], p))[:most]
    columns = {p: i for i, p in enumerate(shared)}
    rows = np.zeros((len(texts), max(len(columns), 1)), dtype=np.float32)
    for row, phrases in enumerate(texts):
        for phrase in columns.keys() & phrases:
            rows[row, columns[phrase]] = np.log1p(len(texts) / held[phrase])
    return unit_rows(rows)


def _apart(rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the centres without near duplicates and those with very few rows."""
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
    chosen = [names.chosen(*each) for each in zip(distinctive_terms(texts), texts, strict=True)]
    # Without words that a good part of its passages contains, a group is no topic.
    every = [n for n, (terms, _) in enumerate(chosen) if terms] or range(len(chosen))
    named = [n for n in every if chosen[n][1] >= _NAMED] or every
    chosen = [chosen[n] for n in named]
    members = [
        np.array([i for i in members[n] if _contains(phrases.get(vectors.ids[i]), terms)])
        for n, (terms, _) in zip(named, chosen, strict=True)
    ]
    joined = _joined([terms for terms, _ in chosen], members)
    labels = distinct_labels([names.label(terms) for terms, _ in joined], "Other passages")
    rows = []
    for number, ((terms, own), label) in enumerate(zip(joined, labels, strict=True), start=1):
        documents = Counter(vectors.documents[own].tolist())
        ranked = sorted(documents, key=lambda d: (-documents[d], d))
        rows.append(
            {
                "topic_id": f"topic-{number}",
                "label": label,
                "terms": list(map(names.name, terms)),
                "chunk_count": len(own),
                "document_count": len(ranked),
                "document_ids": [source.documents[d].document_id for d in ranked],
                "chunk_ids": _typical(vectors, own, worth),
            }
        )
    return rows


def _joined(
    terms: Sequence[list[str]], members: Sequence[NDArray[np.int64]]
) -> list[tuple[list[str], NDArray[np.int64]]]:
    """Join groups with mostly the same terms, as those of one large table; the largest first."""
    joined: list[tuple[list[str], NDArray[np.int64]]] = []
    for own, rows in zip(terms, members, strict=True):
        sizes = ((i, len({*own} & {*known}), min(len(own), len(known)))
                 for i, (known, _) in enumerate(joined))  # fmt: skip
        same = next((i for i, n, size in sizes if n > 1 and n >= _SAME_TERMS * size), None)
        if same is None:
            joined.append((own, rows))
        else:
            joined[same] = joined[same][0], np.union1d(joined[same][1], rows)
    return sorted(joined, key=lambda group: -len(group[1]))


def _contains(phrases: Sequence[str] | None, terms: Sequence[str]) -> bool:
    """Return whether a passage outside the sample, or with one of the terms, is of a topic."""
    return phrases is None or not terms or not set(terms).isdisjoint(phrases)


def _typical(vectors: Vectors, own: NDArray[np.int64], worth: NDArray[np.float32]) -> list[str]:
    """Return the chunks nearest to the centre, at most two per document if there are others."""
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
