"""What changed from one version of a document to another, paragraph by paragraph."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.records.graph import Change, Changes
from casetrack.graph.answers.aligning import aligned, word_changes
from casetrack.graph.answers.sentence import paragraph_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph

# The paragraphs of a document, put together from its chunks, each with its place in one.

_BLANKS = re.compile(r"\s+")
_SAME_SIGNS = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00ad": ""}
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, list item or table row.

    Attributes
    ----------
    text
        All of it, also where two chunks hold parts of it.
    form
        The text with plain quotation marks and dashes and single blanks, for comparison.
    chunk_id, start, end
        Where it stands; the larger part, where no chunk holds all of it.
    """

    text: str
    form: str
    chunk_id: str
    start: int
    end: int


def paragraphs(chunks: Sequence[Chunk], /) -> list[Paragraph]:
    """Return the paragraphs of a document in reading order, each once.

    Parameters
    ----------
    chunks
        All chunks of the document in order; neighbours on a page may overlap.
    """
    pages: dict[int, list[Chunk]] = {}
    for chunk in sorted(chunks, key=lambda c: c.provenance.chunk_index):
        pages.setdefault(chunk.provenance.page, []).append(chunk)
    return [found for page in pages.values() for found in _of_page(page)]


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
    found = []
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
        found.append(Paragraph(own, form, chunk.chunk_id, low, high))
    return found


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
    """Return what changed from one document to another, in reading order, both sides quoted.

    A paragraph that only moved, or differs only in blanks, quotation marks and dashes, did not
    change.

    Parameters
    ----------
    before, after
        The documents.
    before_chunks, after_chunks
        All of their chunks.
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
    """Leave out what was removed in one place and added in another, and count it."""
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
