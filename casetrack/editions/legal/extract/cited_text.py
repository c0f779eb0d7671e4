"""A text with its citations: what stands beside a place, and where its sentences end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words.lists import any_month, any_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.papers.text import LegalCitation

# What stands between quotation marks: English, German and French, marks within marks.

LONGEST = 6000
"""Longer than this no quotation in marks is read; a mark is missing then."""
_CLOSERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‘": "’", "‚": "‘’", "‹": "›", "「": "」"}
_MARK = re.compile(r"[“”„«»\"‘’‚‹›「」]|``|''|\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Marked:
    """Words in marks: ``text[start:end]`` between them, the marks included in the outer ones."""

    outer_start: int
    start: int
    end: int
    outer_end: int


def marked(text: str, /) -> list[Marked]:
    """Find what stands between quotation marks, without what stands in marks within them.

    A quotation of several paragraphs is one where each paragraph opens with a mark and only the
    last one closes. A mark that is never closed, or only far behind its paragraph, opens nothing.

    Examples
    --------
    >>> text = 'The court said “it is ‘so’ here” and left.'
    >>> [text[m.start : m.end] for m in marked(text)]
    ['it is ‘so’ here']
    """
    marks = list(_MARK.finditer(text))
    found: list[Marked] = []
    n = 0
    while n < len(marks):
        end = _closed(text, marks, n)
        if end is None:
            n += 1
            continue
        opened, closed = marks[n], marks[end]
        if text[opened.end() : closed.start()].strip():
            found.append(Marked(opened.start(), opened.end(), closed.start(), closed.end()))
        n = end + 1
    return found


def _closed(text: str, marks: list[re.Match[str]], n: int) -> int | None:
    """Return which mark closes the one at *n*; ``None`` where it opens nothing."""
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
        here = marks[m]
        if here.start() - begin > LONGEST:
            return None
        if broken:
            # Only where the next paragraph opens with the mark again does it go on.
            if here[0] != sign or text[marks[m - 1].end() : here.start()].strip():
                return None
            broken = False
        elif here[0].isspace():
            broken = True
        else:
            depth += _step(text, sign, closers, here)
            if depth == 0:
                return m
    return None


def _step(text: str, sign: str, closers: str, here: re.Match[str]) -> int:
    """Return how much deeper a mark leads within words that *sign* has opened: 1, 0 or -1."""
    if here[0] in closers:
        if sign == '"':
            return -1 if _closes(text, here) else 0
        if sign in "‘‚":
            return 0 if _is_apostrophe(text, here) else -1
        return -1
    return 1 if here[0] == sign and sign not in "‘‚" else 0


def _opens(text: str, mark: re.Match[str]) -> bool:
    """Whether a mark stands where words begin."""
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
    """Whether a straight mark stands where words end."""
    before = text[mark.start() - 1 : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    return bool(before) and (not before.isspace() or not after or not after.isalnum())


def _is_apostrophe(text: str, mark: re.Match[str]) -> bool:
    after = text[mark.end() : mark.end() + 1]
    return after.isalnum()


SURE, LIKELY, LOOSE, GUESSED, NAMED = 1.0, 0.9, 0.6, 0.4, 0.1
"""Right beside its citation; in its sentence; of a block told by its shape; of a sentence before;
words that name something."""
NEAR = 400
"""Characters within which a citation is that of a quotation."""
_SIGNALS = (
    r"see|also|e\.g|but|cf|accord|compare|contra|with|generally|in|under|from|by|per|as|of|the"
    r"|at|and|id|citing|quoting|cited|quoted|cert|court|states?|provides?|held|explained|siehe|so"
    r"|vgl|voir"
)
_NOTE_NUMBER = r"\[?\d{1,3}\]?"
BESIDE = re.compile(
    rf"[\s.,;:!?…)\]\"”’»'—–-]*(?:{_NOTE_NUMBER}(?=\s))?\s*(?:(?:{_SIGNALS})\b[.,]*\s*)*[(\[]?\s*",
    re.IGNORECASE,
)
"""What may stand between words and the citation beside them: marks, a note's number, a signal."""
_SENTENCE_END = re.compile(r"[.!?][\"”’'»)\]]*(?:\[?\d{1,3}\]?)?\s+(?=[\"“‘«„(\[]*[A-Z\d§¶])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|vs?|Inc|Co|Corp|Ltd|Dr|Nos?|Id|id|cf|Cf|e\.g|i\.e|al|Cir|Dist|Ct|App"
    r"|Supp|Civ|Crim|Fed|Rev|Stat|Comm|Dep|Dkt|Ex|Exs|Tr|Compl|Decl|Br|Mot|Opp|Ann|Art|art|Sec|sec"
    r"|pp?|n|ch|Jr|Sr|St|Gen|Gov|Bd|Ass|Ed|Educ|Mfg|Bros|Hon|J|JJ|Nat|Int|Univ|Def|Pl|Defs|Pls"
    rf"|{any_month('cited')}|{any_title('address')}"
    r"|See|U\.S|U\.S\.C|C\.F\.R|F)|[A-Z]\.[A-Z])$"
)
PARAGRAPH = re.compile(r"\n[ \t]*\n")
AFTER_CITATION = re.compile(
    r"(?:[\s,;]*(?:at\s)?[\d¶§*:–-]+(?:\s?n\.?\s?\d+)?)*\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)*"
)
"""What belongs to a citation behind it: pages, notes, remarks."""


def beside_citations(
    text: str, citations: Iterable[LegalCitation], start: int = 0, end: int | None = None, /
) -> str:
    """Return what ``text[start:end]`` has beside its citations, joined by blanks."""
    rest = []
    for citation in citations:
        rest.append(text[start : citation.start])
        start = max(start, citation.end)
    return " ".join([*rest, text[start:end]])


@dataclass(frozen=True, slots=True)
class CitedText:
    """A text with its citations, to look up what stands beside a place."""

    text: str
    citations: tuple[LegalCitation, ...]
    starts: tuple[int, ...]
    notes: dict[str, list[int]]

    def after(self, at: int) -> int | None:
        """Return the first citation that begins at *at* or behind it."""
        found = bisect_left(self.starts, at)
        return found if found < len(self.starts) else None

    def before(self, at: int) -> int | None:
        """Return the last citation that ends at *at* or before it."""
        found = bisect_right(self.starts, at) - 1
        while found >= 0 and self.citations[found].end > at:
            found -= 1
        return found if found >= 0 else None

    def ends_sentence(self, start: int, end: int) -> list[int]:
        """Return where sentences begin between two places, apart from those in citations."""
        ends = []
        for found in _SENTENCE_END.finditer(self.text, start, min(end + 1, len(self.text))):
            inside = self.before(found.end())
            within = bisect_right(self.starts, found.start()) - 1
            if within >= 0 and within != inside and self.citations[within].end > found.start():
                continue
            if self.text[found.start()] == "." and _ABBREVIATED.search(
                self.text, max(0, found.start() - 12), found.start()
            ):
                continue
            ends.append(found.end())
        ends += [m.end() for m in PARAGRAPH.finditer(self.text, start, end)]
        return sorted(set(ends))


def only_cites(at: CitedText, citation: int, /) -> bool:
    """Whether the sentence that begins with a citation has nothing but citations."""
    cited = at.citations[citation]
    after = AFTER_CITATION.match(at.text, cited.end)
    end = after.end() if after else cited.end
    rest = at.text[end : end + 2].lstrip(" ")
    return not rest or rest[0] in ".;)]\n" or (rest[0] in ",&" and citation + 1 < len(at.citations)
        and at.citations[citation + 1].start - end < 40)  # fmt: skip
