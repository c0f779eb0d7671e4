"""Sentence ends in running text, for chunk boundaries and quoted sentences."""

from __future__ import annotations

import re

from casetrack.base.words.lists import month_numbers, title_words

# A rule of thumb, made for cutting: a missed end costs nothing but a later cut, a false one would
# tear a sentence apart. So ends after abbreviations, initials and ordinals are left out.

_END = re.compile(
    r"""
    (?: [.!?\u2026] ["'\u2019\u201d\u00bb)\]]* (?=\s+ ["'\u2018\u201c\u00ab(\[\u2022]* [^\W_a-z] )
      | [\u3002\uff01\uff1f] [\u300d\u300f\u201d\uff09]*
    )""",
    re.VERBOSE,
)
_ABBREVIATIONS = frozenset(
    "st sr jr vs etc no nos inc ltd co corp llc plc art sec para pp fig cf al "
    "approx dept est ext hon rev vol ed eds sept "
    "abs bzw ca evtl ggf nr str tel usw vgl".split()
) | (title_words("address", "academic") | month_numbers("en_short").keys()) - {"may"}
_SHORT = re.compile(r"[A-Z][a-z]{0,3}")
_GOES_ON = re.compile(r"\.\s+(?:\d|§|[A-Z]\w+\s+§|[A-Z][a-z]{1,3}\.)")
"""Behind a short word that is an abbreviation: "56 Fed. Reg. 1991", "Cal. Lab. Code"."""
_LAST_WORD = re.compile(r"(\w+(?:\.\w+)*)$")


def sentence_ends(text: str, start: int, end: int, /) -> list[int]:
    """Return the offsets in ``text[start:end]`` right after a sentence's closing punctuation.

    Offsets are code points into *text*, ascending, and lie in ``(start, end]``.
    """
    ends = []
    for match in _END.finditer(text, start, end):
        if text[match.start()] == "." and _is_abbreviation(text, start, match.start()):
            continue
        ends.append(match.end())
    return ends


def _is_abbreviation(text: str, start: int, dot: int) -> bool:
    found = _LAST_WORD.search(text, max(start, dot - 24), dot)
    if found is None:
        return False
    word = found.group(1)
    if _SHORT.fullmatch(word) and _GOES_ON.match(text, dot):
        return True
    # "J. Smith", "U.S. Code", "8.2. Term": one letter, inner dots, or a bare number.
    return len(word) == 1 or "." in word or word.isdigit() or word.lower() in _ABBREVIATIONS
