"""Words of phrases: which words a phrase may contain or end with, and their normal forms."""

from __future__ import annotations

import functools
import re
from typing import Final

from casetrack.base.words import WordLists
from casetrack.base.words.lists import month_numbers, title_words
from casetrack.graph.entities.text import fold

# Words that no phrase contains: function words of some languages, English verbs and fillers.

_LISTS = WordLists(__file__)

_ENGLISH_MONTHS: Final = frozenset(month_numbers("en", "en_short"))
FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    code: frozenset(_LISTS.words(code)) | (month_numbers(code).keys() - _ENGLISH_MONTHS)
    for code in ("de", "fr", "es", "it", "nl", "pt")
} | {"en": _ENGLISH_MONTHS.union(_LISTS.words("en"), title_words("address"))}
"""Words, in lower case, that end a phrase, by ISO 639-1 code."""

_VERBS = _LISTS.words("verbs")
_NOUNS_TOO = frozenset(_LISTS.words("nouns_too"))


def _inflected() -> frozenset[str]:
    forms: set[str] = set()
    for verb in _VERBS:
        stem = verb.removesuffix("e")
        plural = f"{verb[:-1]}ies" if _ends_in_y(verb) else f"{verb}s"
        past = f"{verb[:-1]}ied" if _ends_in_y(verb) else f"{stem}ed"
        forms |= {verb, plural, past, f"{stem}ing", f"{stem}{verb[-1]}ing", f"{stem}{verb[-1]}ed"}
        if verb.endswith(("s", "x", "h")):
            forms.add(f"{verb}es")
    return frozenset(forms - _NOUNS_TOO)


def _ends_in_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2] not in "aeiou"


VERBS: Final = _inflected()
"""English verbs in all their forms, except those that are also nouns."""

LY_NOUNS: Final = frozenset(_LISTS.words("ly_nouns"))
"""Words in -ly that are no adverbs."""

NO_LAST: Final = frozenset(_LISTS.words("no_last"))
"""Words that a phrase may contain but not end with."""

GENERIC: Final = frozenset(_LISTS.words("generic"))
"""Words that are too general to be an entry alone, singular and folded."""


TOKEN: Final = re.compile(r"([^\W_]+(?:[-'’][^\W_]+)*)")
"""Splits a text into alternating gaps and words."""
Word = tuple[str, str, int]
"""Normal form, normal form as the last word of a phrase, and its effect on a phrase."""
PieceWord = tuple[int, int, str, str, bool]
"""Start and end in the piece, the two normal forms, whether it links; no word ends a phrase."""
Piece = tuple[bool, bool, tuple[PieceWord, ...]] | tuple[()]
"""Whether the first word continues a previous piece, whether the next piece may continue it, words;
empty without words."""
END, INNER, CONTENT, LINK = range(4)
"""Effects of a word: ends the phrase, is only inside it, may end it, links two phrases."""

_MOST_KNOWN = 65536
_LONGEST_KNOWN = 40

_VOWELS = frozenset("aeiouy")
_ADJECTIVES = {7: ("able", "ible", "less", "ical"), 6: ("ous", "ful"), 4: ("ed", "ly")}
"""Endings of adjectives by the minimum length of such a word."""
_NOUNS = frozenset(
    "table cable variable vegetable timetable deliverable receivable payable seed feed need speed "
    "breed shed weed bed deed proceed creed periodical chemical".split()
)
_AS_THEY_ARE = frozenset(_LISTS.words("as_they_are"))
_IRREGULAR = _LISTS.pairs("irregular")


class Words(dict[str, Word]):
    """The words of a language (ISO 639-1) and their effect on a phrase, each read once."""

    def __init__(self, code: str, /) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, word: str) -> Word:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        entry = self[word] = read_word(self._code, word)
        return entry


class Pieces(dict[str, Piece]):
    """The pieces of a text between spaces or line ends, each parsed once."""

    def __init__(self, code: str, /) -> None:
        super().__init__()
        self._words = words_of(code)

    def __missing__(self, text: str) -> Piece:
        piece = self._read(text)
        if len(text) <= _LONGEST_KNOWN:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[text] = piece
        return piece

    def _read(self, text: str) -> Piece:
        if text.isalpha():
            norm, last, kind = self._words[text]
            word = (0, len(text), norm, last, kind == LINK)
            return (True, True, (word,)) if kind != END else ()
        return self._take_apart(TOKEN.split(text))

    def _take_apart(self, parts: list[str]) -> Piece:
        at = 0
        leads = trails = False
        words: list[PieceWord] = []
        for gap, word in zip(parts[::2], parts[1::2], strict=False):
            at += len(gap)
            norm, last, kind = self._words[word]
            trails = kind != END
            if trails:
                leads = leads or at == 0
                words.append((at, at + len(word), norm, last, kind == LINK))
            at += len(word)
        # "reasonable attorneys' fees"
        is_open = "".join(parts[-2:]).endswith(("s'", "s’")) or not parts[-1]
        return (leads, trails and is_open, tuple(words)) if words else ()


words_of = functools.cache(Words)
"""The words of a language that has a list of function words."""
pieces_of = functools.cache(Pieces)
"""The pieces of texts in a language that has a list of function words."""


def read_word(code: str, word: str) -> Word:
    """Return a word's normal form, its form as a last word, and its effect on a phrase."""
    low = word.lower().replace("’", "'")
    if low in {"of", "for"} and code == "en":
        return low, "", LINK
    is_word = 2 < len(low) <= 32 and (low.isalpha() or low.replace("-", "").isalpha())
    if not is_word or low in FUNCTION_WORDS[code]:
        return low, "", END
    if code == "de":
        return _german(word)
    norm = fold(low)
    if code != "en":
        return norm, norm, CONTENT
    # Function words of other languages in an English text are part of names and titles.
    if low in VERBS or (low.endswith("ly") and low not in LY_NOUNS) or _VOWELS.isdisjoint(norm):
        return norm, "", END
    last = _singular(norm)
    if low in NO_LAST or (_is_adjective(norm) and norm not in _NOUNS):
        return norm, "", INNER
    return norm, last, CONTENT


def _german(word: str) -> Word:
    norm = fold(word)
    if word[0].isupper():
        return norm, norm, CONTENT
    for ending in ("en", "em", "er", "es", "e"):
        if norm.endswith(ending) and len(norm) > len(ending) + 4:
            # An adjective, without its ending; verbs in -en are recognised by the next word.
            return norm[: -len(ending)], "", INNER
    return norm, "", END


def _is_adjective(norm: str) -> bool:
    return norm.isalpha() and any(
        len(norm) >= size and norm.endswith(endings) for size, endings in _ADJECTIVES.items()
    )


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
