"""A text with its citations: what stands beside a place, and where its sentences end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words.months import any_month
from casetrack.base.words.titles import any_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.papers.spans import LegalCitation

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
