"""Comparison of two documents on a topic."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import numpy as np

from casetrack.base.arguments import shown
from casetrack.base.errors import UsageError
from casetrack.base.records.graph import Change, Changes, Comparison
from casetrack.graph.answers.rows import ask, entity_of, reference_of
from casetrack.graph.answers.sentence import paragraph_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Entity, Quote
    from casetrack.graph.graph import ContextGraph


# Alignment of the paragraphs of two versions: the same, changed, or only in one of them.

Word = tuple[Literal["same", "removed", "added"], str]
Pair = tuple[int | None, int | None]
# A number with its separators is one word: 750,000 and 1,200,000 share no part.
_WORD = re.compile(r"\d+(?:[.,'’]\d+)+|\w+|\s+|[^\w\s]")
_LEAST_ALIKE = 0.5
_BLOCK = 400
_REPEATED = 100
_EXACT_AT_MOST = 6000
_LONGEST_WORDS = 4000


def aligned(before: Sequence[str], after: Sequence[str], /) -> list[Pair]:
    """Align two sequences of paragraphs as pairs of positions, in reading order.

    Equal paragraphs in the same order are paired; between them, paragraphs that share at least half
    of their words. ``None`` means that there is no counterpart.
    """
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while (
        tail < min(len(before), len(after)) - head
        and before[len(before) - 1 - tail] == after[len(after) - 1 - tail]
    ):
        tail += 1
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    # Long tables repeat many rows; frequent rows are no anchors there.
    most_common = max(Counter(b).values(), default=0)
    repeated = max(len(a), len(b)) > _EXACT_AT_MOST or most_common > _REPEATED
    pairs: list[Pair] = [(i, i) for i in range(head)]
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=repeated)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            pairs += [(head + i1 + k, head + j1 + k) for k in range(i2 - i1)]
        else:
            pairs += [
                (None if i is None else head + i1 + i, None if j is None else head + j1 + j)
                for i, j in _paired(a[i1:i2], b[j1:j2])
            ]
    rest = range(tail, 0, -1)
    return pairs + [(len(before) - k, len(after) - k) for k in rest]


def _paired(a: Sequence[str], b: Sequence[str]) -> Iterator[Pair]:
    """Pair similar paragraphs of two sections in order; long sections are processed in blocks."""
    if not a or not b:
        yield from ((i, None) for i in range(len(a)))
        yield from ((None, j) for j in range(len(b)))
        return
    pieces = -(-max(len(a), len(b)) // _BLOCK)
    cuts_a = [round(k * len(a) / pieces) for k in range(pieces + 1)]
    cuts_b = [round(k * len(b) / pieces) for k in range(pieces + 1)]
    for k in range(pieces):
        i0, j0 = cuts_a[k], cuts_b[k]
        for i, j in _in_order(_alike(a[i0 : cuts_a[k + 1]], b[j0 : cuts_b[k + 1]])):
            yield None if i is None else i0 + i, None if j is None else j0 + j


def _alike(a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of words that each pair has in common (Dice), float64 [a, b]."""
    words: dict[str, int] = {}
    bags = [[_bag(text, words) for text in texts] for texts in (a, b)]
    rows = [np.zeros((len(bag), len(words)), dtype=np.float32) for bag in bags]
    for matrix, bag in zip(rows, bags, strict=True):
        for i, held in enumerate(bag):
            matrix[i, held] = 1
    sizes = rows[0].sum(axis=1)[:, None] + rows[1].sum(axis=1)[None, :]
    shared: NDArray[np.float64] = 2 * (rows[0] @ rows[1].T) / np.maximum(sizes, 1)
    return shared


def _bag(text: str, words: dict[str, int]) -> list[int]:
    distinct = {w for w in _WORD.findall(text.casefold()) if not w.isspace()}
    return [words.setdefault(word, len(words)) for word in sorted(distinct)]


def _in_order(alike: NDArray[np.float64]) -> list[Pair]:
    """Return the pairs with the greatest total similarity that keep the order on both sides."""
    n, m = alike.shape
    worth = np.where(alike >= _LEAST_ALIKE, alike, -1.0)
    best = np.zeros((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        paired = worth[i] + best[i + 1, 1:]
        row = np.maximum(best[i + 1, :m], paired)
        best[i, :m] = np.maximum.accumulate(row[::-1])[::-1]
    pairs: list[Pair] = []
    i = j = 0
    while i < n and j < m:
        if worth[i, j] > 0 and best[i, j] == worth[i, j] + best[i + 1, j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return [*pairs, *((k, None) for k in range(i, n)), *((None, k) for k in range(j, m))]


def word_changes(before: str, after: str, /) -> tuple[Word, ...]:
    """Return the words of two versions of a paragraph in order: same, removed, added.

    The same and removed words form the earlier text, the same and added words the later one.
    """
    a, b = _WORD.findall(before), _WORD.findall(after)
    if len(a) + len(b) > _LONGEST_WORDS:
        return (("removed", before), ("added", after))
    parts: list[tuple[str, str, bool]] = []
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        old, new = "".join(a[i1:i2]), "".join(b[j1:j2])
        parts.append((old, new, kind == "equal"))
    # A blank between two changed words belongs to the change.
    joined = [
        (old, new, same and not (old.isspace() and 0 < i < len(parts) - 1))
        for i, (old, new, same) in enumerate(parts)
    ]
    words: list[Word] = []
    for same, group in groupby(joined, key=lambda p: p[2]):
        pieces = list(group)
        old, new = "".join(p[0] for p in pieces), "".join(p[1] for p in pieces)
        if same:
            words.append(("same", old))
            continue
        words += [("removed", old)] if old else []
        words += [("added", new)] if new else []
    return tuple(words)


# The paragraphs of a document, assembled from its chunks, each with its place in one chunk.

_BLANKS = re.compile(r"\s+")
_SAME_SIGNS = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00ad": ""}
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, list item or table row."""

    text: str  # The full text, even if it spans two chunks
    form: str  # The text for comparison: plain quotation marks and dashes, single blanks
    # Its place; the larger part if no chunk contains all of it.
    chunk_id: str
    start: int
    end: int


def paragraphs(chunks: Sequence[Chunk], /) -> list[Paragraph]:
    """Return the paragraphs of a document in reading order, each once, from all its *chunks*."""
    pages: dict[int, list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda c: c.provenance.chunk_index):
        pages.setdefault(chunk.provenance.page, []).append(chunk)
    return [paragraph for page in pages.values() for paragraph in _of_page(page)]


def _of_page(chunks: Sequence[Chunk]) -> list[Paragraph]:
    text = ""
    spans: list[tuple[int, Chunk]] = []
    offset = 0
    for i, chunk in enumerate(chunks):
        place = chunk.provenance
        if i == 0:
            offset = place.char_start
        end = offset + len(text)
        if i and place.char_start > end:
            same = chunks[i - 1].provenance.paragraph_end == place.paragraph_start
            text += ("\n" if same else "\n\n").ljust(place.char_start - end)
        spans.append((place.char_start - offset, chunk))
        text += chunk.text[len(text) - (place.char_start - offset) :]
    result = []
    first = 0
    for start, end in paragraph_spans(text):
        while first + 1 < len(spans) and _end(spans[first]) <= start:
            first += 1
        begin, chunk = max(
            spans[first : first + 3], key=lambda s: min(_end(s), end) - max(s[0], start)
        )
        low, high = max(start, begin) - begin, min(end, begin + len(chunk.text)) - begin
        own = text[start:end]
        form = _BLANKS.sub(" ", own.translate(_SAME_SIGNS)).strip()
        result.append(Paragraph(own, form, chunk.chunk_id, low, high))
    return result


def _end(span: tuple[int, Chunk]) -> int:
    return span[0] + len(span[1].text)


_Difference = tuple[Literal["added", "removed", "changed"], Paragraph | None, Paragraph | None]


def changes(
    source: ContextGraph,
    before: Document,
    after: Document,
    before_chunks: Sequence[Chunk],
    after_chunks: Sequence[Chunk],
    /,
) -> Changes:
    """Return the changes from one document to another in reading order, with quotes of both.

    A paragraph that only moved, or differs only in blanks, quotation marks and dashes, is
    unchanged.
    """
    old, new = paragraphs(before_chunks), paragraphs(after_chunks)
    pairs = aligned([p.form for p in old], [p.form for p in new])
    differences: list[_Difference] = []
    unchanged = 0
    for i, j in pairs:
        a, b = (None if i is None else old[i]), (None if j is None else new[j])
        if a is not None and b is not None:
            if a.form == b.form:
                unchanged += 1
            else:
                differences.append(("changed", a, b))
        elif a is not None:
            differences.append(("removed", a, None))
        else:
            differences.append(("added", None, b))
    kept, moved = _without_moved(differences)
    return Changes(before, after, unchanged + moved, _quoted(source, kept))


def _without_moved(differences: Sequence[_Difference]) -> tuple[list[_Difference], int]:
    """Remove and count differences that are a removal and an addition of the same text."""
    removed = Counter(a.form for kind, a, _ in differences if kind == "removed" and a)
    added = Counter(b.form for kind, _, b in differences if kind == "added" and b)
    moved = removed & added
    left = {"removed": Counter(moved), "added": Counter(moved)}
    kept: list[_Difference] = []
    for kind, a, b in differences:
        paragraph = a or b
        if kind != "changed" and paragraph is not None and left[kind][paragraph.form] > 0:
            left[kind][paragraph.form] -= 1
        else:
            kept.append((kind, a, b))
    return kept, moved.total()


def _quoted(source: ContextGraph, differences: Sequence[_Difference]) -> tuple[Change, ...]:
    places = [
        (p.chunk_id, p.start, p.end) for _, a, b in differences for p in (a, b) if p is not None
    ]
    quotes = iter(source.quotes(places)) if places else iter(())

    def quote(paragraph: Paragraph | None) -> Quote | None:
        return None if paragraph is None else next(quotes)

    return tuple(
        Change(kind, quote(a), quote(b), word_changes(a.text, b.text) if a and b else ())
        for kind, a, b in differences
    )


Passages = tuple[tuple["Chunk", float], ...]


def comparison(
    graph: ContextGraph,
    document_a: Document,
    document_b: Document,
    topic: str,
    /,
    *,
    passages_a: Passages,
    passages_b: Passages,
    chunks_of: Callable[[Document], Sequence[Chunk]],
) -> Comparison:
    """Compare two documents on a topic; errors as in ``Collection.map.compare``.

    The passages of each document on the topic come best first, with their scores. *chunks_of*
    returns all chunks of a document; it is called only if one document is a version of the other.
    """
    if not topic.strip():
        raise UsageError("The topic is empty.", hint='Name a topic to compare, such as "payment".')
    if document_a.document_id == document_b.document_id:
        raise UsageError(f'Both are "{document_a.name}".', hint="Name two different documents.")
    asked, passages = _asked(document_a, document_b), (*passages_a, *passages_b)
    entities = _entities(graph, asked, passages)
    references = ask(graph, "compare-references", **asked).to_pylist()
    notes = tuple(
        f'{document.name} has no passage on "{shown(topic)}".'
        for document, passages in ((document_a, passages_a), (document_b, passages_b))
        if not passages
    )
    return Comparison(
        document_a=document_a,
        document_b=document_b,
        topic=topic,
        passages_a=passages_a,
        passages_b=passages_b,
        shared_entities=entities["both"],
        only_a=entities["a"],
        only_b=entities["b"],
        shared_references=tuple(map(reference_of, references)),
        similarity=_similarity(graph, document_a, document_b),
        changes=_changes(graph, document_a, document_b, passages, chunks_of),
        notes=notes,
    )


def _entities(
    graph: ContextGraph, asked: Mapping[str, str], passages: Passages
) -> dict[str, tuple[Entity, ...]]:
    """Return the entities in the passages: in ``both`` documents, only in ``a``, only in ``b``."""
    ids = sorted({chunk.chunk_id for chunk, _ in passages})
    rows = ask(graph, "compare-entities", **asked, chunk_ids=ids).to_pylist()
    return {
        held_by: tuple(entity_of(row) for row in rows if row["held_by"] == held_by)
        for held_by in ("both", "a", "b")
    }


def _similarity(graph: ContextGraph, a: Document, b: Document) -> float | None:
    ranks = {document.document_id: rank for rank, document in enumerate(graph.documents)}
    vectors = graph.document_vectors()
    one, other = (vectors[ranks[d.document_id]] for d in (a, b))
    if not one.any() or not other.any():
        return None
    return min(1.0, float(one @ other))


def _changes(
    graph: ContextGraph,
    a: Document,
    b: Document,
    passages: Passages,
    chunks_of: Callable[[Document], Sequence[Chunk]],
) -> Changes | None:
    """Return the changes in these passages if one document is a version of the other."""
    versions = ask(graph, "compare-versions", **_asked(a, b)).to_pylist()
    if not versions:
        return None
    before, after = (a, b) if versions[0]["earlier"] == a.document_id else (b, a)
    all_changes = changes(graph, before, after, chunks_of(before), chunks_of(after))
    on_topic = {chunk.chunk_id for chunk, _ in passages}
    kept = tuple(
        change
        for change in all_changes.changes
        if any(q.chunk_id in on_topic for q in (change.before, change.after) if q is not None)
    )
    return type(all_changes)(all_changes.before, all_changes.after, all_changes.unchanged, kept)


def _asked(a: Document, b: Document) -> dict[str, str]:
    return {"document_a": a.document_id, "document_b": b.document_id}
