"""A source document, and the search for the words of a quotation in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.words import WordLists
from casetrack.editions.legal.check.alignment import LIGHT
from casetrack.editions.legal.extract.cited_text import text_outside_citations
from casetrack.extract.papers.text import TextPage, WholeText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.editions.legal.check.alignment import Unit

_BETWEEN = re.compile(r"([\W_]+)")
_MOST, _BEST, _BIN, _ROOM = 40, 4, 24, 60
_SKIPPED, _FAR = 1500, 12_000


@dataclass(frozen=True, eq=False)
class SourceText:
    """The text of one document, indexed by words."""

    whole: WholeText

    @property
    def text(self) -> str:
        """The text of all pages."""
        return self.whole.text

    @cached_property
    def _words(self) -> tuple[list[str], NDArray[np.int64]]:
        """Words in lower case and their starts; the last start is the end of the text."""
        lowered = self.text.lower()
        if len(lowered) != len(self.text):
            lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in self.text)
        parts = _BETWEEN.split(lowered)
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        starts = np.cumsum(lengths) - lengths
        return parts[::2], np.append(starts[::2], len(lowered))

    @cached_property
    def _joined(self) -> tuple[str, NDArray[np.int64]]:
        """All words joined by blanks, and the start of each."""
        words, _ = self._words
        lengths = np.fromiter(map(len, words), np.int64, len(words)) + 1
        return f" {' '.join(words)} ", np.cumsum(lengths) - lengths + 1

    @cached_property
    def _ids(self) -> tuple[dict[str, int], NDArray[np.int32]]:
        words, _ = self._words
        known: dict[str, int] = {}
        ids = [known.setdefault(word, len(known)) for word in words]
        return known, np.array(ids, np.int32)

    def exact(self, units: Sequence[Unit], /) -> list[tuple[int, int]]:
        """Return the spans in :attr:`text` with exactly these words, at most 40."""
        if any(u.kind in ("ellipsis", "bracket", "bracketed") for u in units):
            return []
        wanted = " ".join(_coarse(units))
        if not wanted:
            return []
        joined, begins = self._joined
        words, starts = self._words
        spans: list[tuple[int, int]] = []
        at = joined.find(f" {wanted} ")
        while at >= 0 and len(spans) < _MOST:
            first = int(np.searchsorted(begins, at + 1))
            last = first + wanted.count(" ")
            spans.append((int(starts[first]), int(starts[last]) + len(words[last])))
            at = joined.find(f" {wanted} ", at + 1)
        return spans

    def likely(self, units: Sequence[Unit], /, *, far: bool = False) -> list[tuple[int, int]]:
        """Return the parts of the text that share most of the words, in their order.

        *far* allows an ellipsis to skip long parts.
        """
        words = _coarse(units)
        known, ids = self._ids
        if not words or not len(ids):
            return []
        votes = np.zeros((len(ids) + len(words)) // _BIN + 3)
        for n, word in enumerate(words):
            number = known.get(word)
            if number is None:
                continue
            places = np.flatnonzero(ids == number)
            value = LIGHT.get(word, 1.0) / np.sqrt(len(places))
            np.add.at(votes, (places - n + len(words)) // _BIN, value)
        both = votes[:-1] + votes[1:]
        room = _ROOM + len(words) // 2
        opened = any(u.kind in ("ellipsis", "bracket") for u in units)
        extra = (_FAR if far else _SKIPPED) if opened else 0
        spans: list[tuple[int, int]] = []
        for bin_ in np.argsort(-both, kind="stable")[:_BEST]:
            if both[bin_] <= 0:
                break
            first = int(bin_) * _BIN - len(words)
            span = (first - room - extra, first + 2 * _BIN + len(words) + room + extra)
            if not any(s <= span[0] + room and span[1] - room <= e for s, e in spans):
                spans.append(span)
        return [self._chars(*span) for span in spans]

    def _chars(self, first: int, last: int) -> tuple[int, int]:
        """Return the character span of a range of words."""
        words, starts = self._words
        first, last = max(0, first), min(len(words) - 1, last)
        return int(starts[first]), int(starts[last]) + len(words[last])


def _coarse(units: Sequence[Unit]) -> list[str]:
    """Return the words of a quotation, split as in the text."""
    norms = (u.norm for u in units if u.kind in ("word", "bracketed", "bracket"))
    return [word for norm in norms for word in _BETWEEN.split(norm)[::2] if word]


# Text that a quotation may omit without an ellipsis: citations, note marks, page heads.

CITATION, NOTE, PAGE, LINE = ("citation omitted", "note mark", "end of a page", "line number")
_NOTE_MARK = re.compile(r"[\[(]?\s*(?:\d{1,3}|[*†‡§]{1,3})\s*[\])]?")
_STAR = re.compile(r"\*{1,2}\d+")
_LISTS = WordLists(__file__)

_LEFT = re.compile(_LISTS.text("left"), re.VERBOSE | re.IGNORECASE)
_MAY_CITE = re.compile(r"\d\s+[A-Z]|\b[Ii]d\.|§|\bsupra\b")
_REMARK = re.compile(r"(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\))*[.;]?")
_PAREN = re.compile(r"\([^()]*\)")
_FOOTNOTE = re.compile(r"(?:_{3,}|[-—]{5,})?\s*(?:\[?\d{1,3}\]?[.\s]|[*†‡§])")


def omission_rule(source: SourceText, start: int, end: int, /) -> str:
    """Return the reason why ``text[start:end]`` may be omitted; empty if it may not."""
    text = source.text
    run = text[start:end]
    if _NOTE_MARK.fullmatch(_STAR.sub("", run).strip()) and _is_raised(text, start, end):
        return NOTE
    if run.strip().isdigit() and len(run.strip()) <= 2 and text[:start].endswith("\n"):
        return LINE
    if _is_page_end(source, start, end):
        return PAGE
    if _cites(run):
        return CITATION
    return ""


def citation_units(text: str, units: Sequence[Unit], /) -> list[int]:
    """Return the indices of source units in citations and their remarks."""
    start, end = units[0].start, units[-1].end
    if not _MAY_CITE.search(text, start, end):
        return []
    from casetrack.editions.legal.extract.citations import read_citations

    spans = []
    for citation in read_citations(WholeText((TextPage(1, text[start:end]),))):
        remark = _REMARK.match(text, start + citation.end, end)
        spans.append((start + citation.start, remark.end() if remark else start + citation.end))
    return [n for n, u in enumerate(units) if any(s <= u.start and u.end <= e for s, e in spans)]


def _is_raised(text: str, start: int, end: int) -> bool:
    """Return whether a number is a note mark: directly after a word, or in brackets."""
    if "[" in text[max(0, start - 1) : end + 1]:
        return True
    return start > 0 and not text[start - 1].isspace() and not text[start - 1].isdigit()


def _is_page_end(source: SourceText, start: int, end: int) -> bool:
    """Return whether a run is the text between two pages: footer, notes, number, header."""
    breaks = [b - 1 for b in source.whole.starts[1:]]
    if not any(start - 1 <= b <= end for b in breaks):
        return False
    text = source.text
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].strip() or "\n" not in text[end : end + 2] + text[start:end]:
        return False
    run = text[start:end].strip()
    return len(run.split()) <= 12 or _FOOTNOTE.match(run) is not None


def _cites(run: str) -> bool:
    """Return whether a run contains only citations."""
    refers = re.search(r"\b(?:[Ii]d\.|supra|omitted)", run)
    if not refers and not any(c.isdigit() for c in run):
        return False
    from casetrack.editions.legal.extract.citations import read_citations

    text = run.strip(" ,;.")
    citations = read_citations(WholeText((TextPage(1, text),)))
    left = _PAREN.sub(" ", text_outside_citations(text, citations))
    return bool(refers or citations) and not re.search(r"[^\W\d_]", _LEFT.sub(" ", left))
