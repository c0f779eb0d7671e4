"""The paragraphs of a document, put together from its chunks, each with its place in one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.answers.sentence import paragraph_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk

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
