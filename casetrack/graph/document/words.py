"""Words of phrases: which may stand in one, which may end it, and what form counts."""

from __future__ import annotations

import functools
import re
from typing import Final

from casetrack.graph.document.function_words import FUNCTION_WORDS, LY_NOUNS, NO_LAST, VERBS
from casetrack.graph.entities.text import fold

TOKEN: Final = re.compile(r"([^\W_]+(?:[-'’][^\W_]+)*)")
"""Splits a text into gaps and words, by turns."""
Word = tuple[str, str, int]
"""Normal form, normal form as the last word of a phrase, and what it does to one."""
END, INNER, CONTENT, LINK = range(4)
"""What a word does: ends the phrase, stands in it only, may be its last one, links two."""

_ADJECTIVE = re.compile(r"(?:[^\W\d_]{3,}(?:able|ible|ous|ful|less|ical)|[^\W\d_]{2,}(?:ed|ly))$")
_NOUNS = frozenset(
    "table cable variable vegetable timetable deliverable receivable payable seed feed need speed "
    "breed shed weed bed deed proceed creed periodical chemical".split()
)
_AS_THEY_ARE = frozenset(
    "premises goods damages works proceeds news series means proceedings earnings savings "
    "headquarters species customs arrears minutes gas bus lens bias basis analysis crisis thesis "
    "axis chassis synopsis diagnosis hypothesis emphasis parenthesis physics mathematics "
    "economics logistics electronics statistics politics ethics graphics plus process access "
    "business address loss".split()
)
_IRREGULAR = {
    "analyses": "analysis",
    "bases": "basis",
    "crises": "crisis",
    "criteria": "criterion",
    "indices": "index",
    "children": "child",
    "women": "woman",
    "men": "man",
    "people": "people",
    "lives": "life",
    "knives": "knife",
    "shelves": "shelf",
    "halves": "half",
    "leaves": "leave",
    "diagnoses": "diagnosis",
    "appendices": "appendix",
    "matrices": "matrix",
}


@functools.lru_cache(maxsize=65536)
def read_word(code: str, word: str) -> Word:
    """Return a word's normal form, the same as a last word, and what it does to a phrase."""
    low = word.lower().replace("’", "'")
    if low in {"of", "for"} and code == "en":
        return low, "", LINK
    bare = low.replace("-", "").replace("'", "")
    if low in FUNCTION_WORDS[code] or not bare.isalpha() or not 2 < len(low) <= 32 or "'" in low:
        return low, "", END
    if code == "de":
        return _german(word)
    norm = fold(low)
    if code != "en":
        return norm, norm, CONTENT
    # Function words of other languages in an English text are part of names and titles.
    if low in VERBS or (low.endswith("ly") and low not in LY_NOUNS) or not _has_vowel(norm):
        return norm, "", END
    last = _singular(norm)
    if low in NO_LAST or (_ADJECTIVE.match(norm) and norm not in _NOUNS):
        return norm, "", INNER
    return norm, last, CONTENT


def _german(word: str) -> Word:
    norm = fold(word)
    if word[0].isupper():
        return norm, norm, CONTENT
    for ending in ("en", "em", "er", "es", "e"):
        if norm.endswith(ending) and len(norm) > len(ending) + 4:
            # An adjective, without its ending; verbs in -en are told apart by what follows.
            return norm[: -len(ending)], "", INNER
    return norm, "", END


def _has_vowel(norm: str) -> bool:
    return any(v in norm for v in "aeiouy")


def _singular(norm: str) -> str:
    if norm in _IRREGULAR:
        return _IRREGULAR[norm]
    if norm in _AS_THEY_ARE or len(norm) < 4 or norm.endswith(("ss", "us", "is", "ous")):
        return norm
    if norm.endswith("ies"):
        return norm[:-3] + "y" if len(norm) > 4 else norm[:-1]
    if norm.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return norm[:-2]
    return norm.removesuffix("s")
