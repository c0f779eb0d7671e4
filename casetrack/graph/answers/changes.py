"""What changed from one version of a document to another, paragraph by paragraph."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from casetrack.base.records.graph import Change, Changes
from casetrack.graph.answers.aligning import aligned, word_changes
from casetrack.graph.answers.paragraphs import Paragraph, paragraphs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph

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
