"""Reads what stored documents cite and quote, and keeps it by revision."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from casetrack.editions.legal.extract.cited_text import beside_citations
from casetrack.editions.legal.graph import segment as segments
from casetrack.graph.segment_tables import save
from casetrack.ingest.steps.chunking import sentence_ends
from casetrack.store.index.segment_files import SegmentFolder, read_groups
from casetrack.store.passages import ROWS, text_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from casetrack.editions.legal.graph.segment import LegalSegment
    from casetrack.extract.papers.spans import LegalCitation
    from casetrack.extract.papers.text import WholeText
    from casetrack.store.datasets import Snapshot

LARGEST = 65_536
"""Segments of half this many citations are merged no more."""
_READ_TOGETHER = 4096
_COLUMNS = ("revision", "chunk_id", "char_end", *ROWS)
_SENTENCE_REACH = 1200
"""Characters before and behind a citation in which its sentence begins and ends, at most."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_SENTENCES = 4
_CITING_WORDS = frozenset(
    "see also but cf accord contra compare with generally and or in at of the by citing quoting "
    "cited quoted overruled overruling abrogated abrogating superseded statute reversed vacated "
    "affirmed aff rev cert denied granted sub nom other grounds on part grounds id ibid supra "
    "hereinafter both".split()
)
"""A sentence that has no other words beside its citations says nothing: the one before it does."""


def legal_folder(home: Path, snapshot: Snapshot, /) -> SegmentFolder[LegalSegment]:
    """Return what keeps the segments in *home*."""

    def build(revisions: Iterable[str]) -> Iterator[LegalSegment]:
        for rows in read_groups(snapshot, revisions, _COLUMNS, _READ_TOGETHER, blank=True):
            found = rows.select([c for c in _COLUMNS if c in rows.column_names]).to_pylist()
            yield read_rows(found)

    return SegmentFolder(home, segments.FORMAT, LARGEST, segments.load, save, build, segments.merge)


def read_rows(rows: list[dict[str, Any]], /) -> LegalSegment:
    """Read documents from all of their stored rows."""
    rows.sort(key=lambda row: (row["revision"], row["chunk_index"]))
    return segments.segment_of(
        {
            revision: _read(list(found))
            for revision, found in groupby(rows, lambda row: row["revision"])
        }
    )


def _read(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    from casetrack.editions.legal.extract.citations import read_citations
    from casetrack.editions.legal.extract.quotations import read_quotations

    whole = text_of_rows(rows)
    citations = read_citations(whole)
    placed = _Chunks(rows, whole)
    cites = []
    for number, one in enumerate(citations):
        own = asdict(one)
        kept = {n: own[n] for n in segments.LAYOUT["cites"] if n in own and n != "text"}
        kept["pins"] = [
            {field.name: pin[field.name] for field in segments.PIN} for pin in own["pins"]
        ]
        said = _sentence(whole.text, citations, number)
        cites.append(kept | placed.at(one.start, one.end) | {"sentence": said})
    quotes = [
        placed.at(one.start, one.end)
        | {
            "words": one.text,
            "is_block": one.is_block,
            "cite": -1 if one.citation is None else one.citation,
            "confidence": one.confidence,
        }
        for one in read_quotations(whole, citations)
    ]
    return {"cites": cites, "quotes": quotes}


class _Chunks:
    """Tells in which chunk a place of the whole text stands."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], whole: WholeText) -> None:
        self._whole = whole
        self._by_page: dict[int, list[Mapping[str, Any]]] = {}
        for row in rows:
            self._by_page.setdefault(row["page"], []).append(row)

    def at(self, start: int, end: int) -> dict[str, Any]:
        """Return the chunk that holds a place, and where in it.

        What goes on over the end of a page, or of the last chunk that holds its beginning, is shown
        up to there.
        """
        page, first, last = self._whole.parts(start, end)[0]
        chunks = self._by_page[page.number]
        holding = [c for c in chunks if c["char_start"] <= first < c["char_end"]]
        row = next((c for c in holding if last <= c["char_end"]), holding[-1])
        offset = row["char_start"]
        low, high = first - offset, min(last, row["char_end"]) - offset
        return {
            "chunk_id": row["chunk_id"],
            "chunk_index": row["chunk_index"],
            "page": row["page"],
            "char_start": low,
            "char_end": high,
            "text": row["text"][low:high],
        }


def _sentence(text: str, citations: Sequence[LegalCitation], number: int) -> str:
    """Return the sentence that cites, on one line; the one before too where it only cites.

    A point within a citation ends no sentence, and neither does the one after a signal.
    """
    here = citations[number]
    low, high = max(0, here.start - _SENTENCE_REACH), min(len(text), here.end + _SENTENCE_REACH)
    for found in _PARAGRAPH.finditer(text, low, high):
        if found.end() <= here.start:
            low = found.end()
        elif found.start() >= here.end:
            high = found.start()
            break
    ends = [e for e in sentence_ends(text, low, high) if not _inside(citations, e)]
    ends = [e for e in ends if not _SIGNAL_BEFORE.search(text, max(low, e - 12), e)]
    ends = sorted({*ends, *_ends_of_citations(text, citations, low, high)})
    before = [low, *(e for e in ends if e <= here.start)]
    after = next((e for e in ends if e >= here.end), high)
    at = len(before) - 1
    while at > max(0, len(before) - _MOST_SENTENCES) and _only_cites(
        text, citations, before[at], before[at + 1] if at + 1 < len(before) else after
    ):
        at -= 1
    first = before[at]
    return " ".join(text[first:after].split())


_SIGNAL_BEFORE = re.compile(r"(?:\b(?:e\.g|[Cc]f|[Ii]d|i\.e|v|No|Inc|Corp|Co|Ltd)\.)\s*$")


def _ends_of_citations(
    text: str, citations: Sequence[LegalCitation], low: int, high: int
) -> Iterator[int]:
    """Yield where a sentence ends with a citation: behind "Id." and "Compl. ¶ 4." as well."""
    for one in citations[bisect_left(citations, low, key=lambda c: c.start) :]:
        if one.start >= high:
            return
        point = one.end if text[one.end - 1 : one.end] == "." else one.end + 1
        if text[point - 1 : point] == "." and _SENTENCE_AFTER.match(text, point):
            yield point


_SENTENCE_AFTER = re.compile(r"\s+[\[(\"\u201c\u2018]*[A-Z\u00a7]|\s*$")


def _inside(citations: Sequence[LegalCitation], offset: int) -> bool:
    at = bisect_left(citations, offset, key=lambda c: c.start) - 1
    # The point right behind a citation ends its sentence.
    return at >= 0 and citations[at].start < offset < citations[at].end


def _only_cites(text: str, citations: Sequence[LegalCitation], start: int, end: int) -> bool:
    first, last = (bisect_left(citations, at, key=lambda c: c.start) for at in (start, end))
    rest = beside_citations(text, citations[first:last], start, end)
    words = _WORD.findall(_PARENTHESES.sub(" ", rest).lower())
    return first < last and _CITING_WORDS.issuperset(words)


_PARENTHESES = re.compile(r"\([^()]*\)")
