"""Places of the draft and of the sources, as findings carry them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.editions.legal.records.check import DraftPlace
from casetrack.extract.papers.places import printed_words
from casetrack.graph.graph import graph_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote
    from casetrack.extract.papers.text import WholeText


def draft_place(whole: WholeText, start: int, end: int, /) -> DraftPlace:
    """Return where ``whole.text[start:end]`` stands: page, characters, line, printed page."""
    page, first = whole.place(start)
    last_page, last = whole.place(end)
    lines = [line for line in page.text[:first].split("\n")[:-1] if line.strip()]
    printed = [p for p in page.printed if p.kind in ("page", "line")]
    stop = last if last_page is page else len(page.text)
    return DraftPlace(
        start=start,
        end=end,
        page=page.number,
        char_start=first,
        char_end=last,
        line=len(lines) + 1,
        printed=(printed_words(printed, first, stop) or "").removeprefix("printed p. "),
    )


def source_quotes(
    collection: Collection, chunks: Sequence[Chunk], whole: WholeText, start: int, end: int, /
) -> tuple[Quote, ...]:
    """Return the words ``whole.text[start:end]`` of a document, one quote for each passage.

    Parameters
    ----------
    chunks, whole
        Of the document; the pages of *whole* are those of the chunks.
    """
    places = [
        place
        for page, first, last in whole.parts(start, end)
        for place in _in_chunks(
            [c for c in chunks if c.provenance.page == page.number], first, last
        )
    ]
    return tuple(collection.workspace.ask(lambda state: graph_of(state).quotes(places)))


def _in_chunks(chunks: list[Chunk], start: int, end: int) -> list[tuple[str, int, int]]:
    """Return the chunks that hold a stretch of their page, as few as there can be, in order."""
    found = []
    while start < end:
        holding = [c for c in chunks if c.provenance.char_start <= start < c.provenance.char_end]
        if not holding:
            later = [c.provenance.char_start for c in chunks if c.provenance.char_start > start]
            start = min(later, default=end)
            continue
        best = max(holding, key=lambda c: c.provenance.char_end)
        offset = best.provenance.char_start
        stop = min(end, best.provenance.char_end)
        found.append((best.chunk_id, start - offset, stop - offset))
        start = stop
    return found
