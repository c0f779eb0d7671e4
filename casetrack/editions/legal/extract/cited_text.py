"""A text with its citations: neighbours of a place, and ends of sentences."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words.lists import any_month, any_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.papers.text import LegalCitation

# Spans between quotation marks: English, German and French, also nested.

LONGEST = 6000
"""Maximum characters of a quotation in marks; in longer ones a mark is missing."""
_CLOSERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", "‹": "›", "「": "」"}
_MARK = re.compile(r"[“”„«»\"‘’‚‹›「」]|``|''|\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class QuotedSpan:
    """A quotation ``text[start:end]`` in marks; the outer span includes the marks."""

    outer_start: int
    start: int
    end: int
    outer_end: int


def quoted_spans(text: str, /) -> list[QuotedSpan]:
    """Return the outer spans between quotation marks.

    A quotation of several paragraphs opens with a mark in each paragraph and closes once. A
    mark without a close match is ignored.

    Examples
    --------
    >>> text = 'The court said “it is ‘so’ here” and left.'
    >>> [text[m.start : m.end] for m in quoted_spans(text)]
    ['it is ‘so’ here']
    """
    marks = list(_MARK.finditer(text))
    spans: list[QuotedSpan] = []
    n = 0
    while n < len(marks):
        end = _closed(text, marks, n)
        if end is None:
            n += 1
            continue
        opened, closed = marks[n], marks[end]
        if text[opened.end() : closed.start()].strip():
            spans.append(QuotedSpan(opened.start(), opened.end(), closed.start(), closed.end()))
        n = end + 1
    return spans


def _closed(text: str, marks: list[re.Match[str]], n: int) -> int | None:
    """Return the index of the closing mark of mark *n*; ``None`` if it opens nothing."""
    sign = marks[n][0]
    begin = marks[n].start()
    if sign.isspace() or not _opens(text, marks[n]):
        return None
    closers = {'"': '"', "``": "''"}.get(sign) or _CLOSERS.get(sign)
    if closers is None:
        return None
    depth = 1
    broken = False
    for m in range(n + 1, len(marks)):
        mark = marks[m]
        if mark.start() - begin > LONGEST:
            return None
        if broken:
            # The quotation continues only if the next paragraph opens with the mark.
            if mark[0] != sign or text[marks[m - 1].end() : mark.start()].strip():
                return None
            broken = False
        elif mark[0].isspace():
            broken = True
        else:
            depth += _step(text, sign, closers, mark)
            if depth == 0:
                return m
    return None


def _step(text: str, sign: str, closers: str, mark: re.Match[str]) -> int:
    """Return the change of depth by a mark inside a quotation opened by *sign*: 1, 0 or -1."""
    if mark[0] in closers:
        if sign == '"':
            return -1 if _closes(text, mark) else 0
        if sign in "‘‚":
            return 0 if _is_apostrophe(text, mark) else -1
        return -1
    return 1 if mark[0] == sign and sign not in "‘‚" else 0


def _opens(text: str, mark: re.Match[str]) -> bool:
    """Return whether a mark is at the start of words."""
    before = text[mark.start() - 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    if mark[0] in ("”", "’", "›", "」", "''") or not after or after.isspace():
        # French print has a space within its marks.
        return mark[0] == "«" and bool(after) and after != "\n"
    if mark[0] == "»":
        return after.isalpha() and (not before or before.isspace() or before == "(")
    if mark[0] in '"‘':
        return not before or before.isspace() or before in '([{—–-/“”"‘’*_'
    return True


def _closes(text: str, mark: re.Match[str]) -> bool:
    """Return whether a straight mark is at the end of words."""
    before = text[mark.start() - 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    return bool(before) and (not before.isspace() or not after or not after.isalnum())


def _is_apostrophe(text: str, mark: re.Match[str]) -> bool:
    after = text[mark.end() : mark.end() + 1]
    return after.isalnum()


SURE, LIKELY, LOOSE, GUESSED, NAMED = 1.0, 0.9, 0.6, 0.4, 0.1
"""Confidence of a quotation's citation: adjacent; in the same sentence; of a block recognised by
its shape; in the previous sentence; words that are a name.
"""
NEAR = 400
"""Maximum characters between a quotation and its citation."""
_SIGNALS = (
    r"see|also|e\.g|but|cf|accord|compare|contra|with|generally|in|under|from|by|per|as|of|the"
    r"|at|and|id|citing|quoting|cited|quoted|cert|court|states?|provides?|held|explained|siehe|so"
    r"|vgl|voir"
)
_NOTE_NUMBER = r"\[?\d{1,3}\]?"
BETWEEN = re.compile(
    rf"[\s.,;:!?…)\]\"”’»'—–-]*(?:{_NOTE_NUMBER}(?=\s))?\s*(?:(?:{_SIGNALS})\b[.,]*\s*)*[(\[]?\s*",
    re.IGNORECASE,
)
"""Text allowed between words and their citation: marks, a note number, a signal."""
_SENTENCE_END = re.compile(r"[.!?][\"”’'»)\]]*(?:\[?\d{1,3}\]?)?\s+(?=[\"“‘«„(\[]*[A-Z\d§¶])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|vs?|Inc|Co|Corp|Ltd|Dr|Nos?|Id|id|cf|Cf|e\.g|i\.e|al|Cir|Dist|Ct|App|Supp|Civ"
    r"|Crim|Fed|Rev|Stat|Comm|Dep|Dkt|Ex|Exs|Tr|Compl|Decl|Br|Mot|Opp|Ann|Art|art|Sec|sec|pp?|n"
    r"|ch|Jr|Sr|St|Gen|Gov|Bd|Ass|Ed|Educ|Mfg|Bros|Hon|J|JJ|Nat|Int|Univ|Def|Pl|Defs|Pls"
    rf"|{any_month('cited')}|{any_title('address')}|See|U\.S|U\.S\.C|C\.F\.R|F)|[A-Z]\.[A-Z])$"
)
PARAGRAPH = re.compile(r"\n[ \t]*\n")
AFTER_CITATION = re.compile(
    r"(?:[\s,;]*(?:at\s)?[\d¶§*:–-]+(?:\s?n\.?\s?\d+)?)*\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)*"
)
"""Text after a citation that belongs to it: pages, notes, remarks."""


def text_outside_citations(
    text: str, citations: Iterable[LegalCitation], start: int = 0, end: int | None = None, /
) -> str:
    """Return ``text[start:end]`` without its citations, joined by blanks."""
    rest = []
    for citation in citations:
        rest.append(text[start : citation.start])
        start = max(start, citation.end)
    return " ".join([*rest, text[start:end]])


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text with its citations."""

    text: str
    citations: tuple[LegalCitation, ...]
    starts: tuple[int, ...]
    notes: dict[str, list[int]]

    def after(self, at: int) -> int | None:
        """Return the first citation that begins at or after *at*."""
        index = bisect_left(self.starts, at)
        return index if index < len(self.starts) else None

    def before(self, at: int) -> int | None:
        """Return the last citation that ends at or before *at*."""
        index = bisect_right(self.starts, at) - 1
        while index >= 0 and self.citations[index].end > at:
            index -= 1
        return index if index >= 0 else None

    def ends_sentence(self, start: int, end: int) -> list[int]:
        """Return the starts of sentences between two places, except inside citations."""
        ends = []
        for match in _SENTENCE_END.finditer(self.text, start, min(end + 1, len(self.text))):
            inside = self.before(match.end())
            within = bisect_right(self.starts, match.start()) - 1
            if within >= 0 and within != inside and self.citations[within].end > match.start():
                continue
            if self.text[match.start()] == "." and _ABBREVIATED.search(
                self.text, max(0, match.start() - 12), match.start()
            ):
                continue
            ends.append(match.end())
        ends += [m.end() for m in PARAGRAPH.finditer(self.text, start, end)]
        return sorted(set(ends))


def only_cites(at: CitedText, citation: int, /) -> bool:
    """Return whether the sentence that begins with a citation has only citations."""
    cited = at.citations[citation]
    after = AFTER_CITATION.match(at.text, cited.end)
    end = after.end() if after else cited.end
    rest = at.text[end : end + 2].lstrip(" ")
    return not rest or rest[0] in ".;)]\n" or (rest[0] in ",&" and citation + 1 < len(at.citations)
        and at.citations[citation + 1].start - end < 40)  # fmt: skip
