"""The language of a question.

A question is too short for statistics of letters, and the library that tells the language of
documents takes two seconds to wake up. Where one language alone is written in a script, that is
the language; in Latin and Cyrillic letters the words that only hold a sentence together tell it,
and where they do not, nobody does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTS = WordLists(__file__)

_BY_SCRIPT = _LISTS.pairs("by_script")
# Words of these languages that hold sentences together, those that ask first. A word that is
# common in two of them says nothing.
_COMMON = _LISTS.pairs("common")
_CALLED = _LISTS.pairs("called")
_OWN_LETTERS = {"de": "\u00e4\u00df", "ru": "\u0451\u044b\u044d", "uk": "\u0456\u0457\u0454\u0491"}
"""Letters that no other of these languages has; a word with one counts half."""
_CAPITALISES_NOUNS = frozenset({"de", "lb"})
_MOST_CAPITALS = 0.6
"""Of words that carry meaning; if more have capitals, the question is written like a heading."""
_WORD = re.compile(r"[^\W\d_]+")


def _lookup() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


_LANGUAGES = _lookup()
_ALSO = frozenset(_LISTS.words("also"))


def is_structural(word: str, /) -> bool:
    """Say whether a word only holds sentences together or asks, and names nothing itself."""
    lower = word.lower()
    return lower in _LANGUAGES or lower in _ALSO


def capitals_mark_names(words: Sequence[str], language: str | None, /) -> bool:
    """Return whether capitals tell names from other words in a question with these words."""
    carrying = [word for word in words if not is_structural(word)]
    capitals = sum(word[0].isupper() for word in carrying)
    is_heading = capitals > 2 and capitals > _MOST_CAPITALS * len(carrying)
    is_shouted = all(word.isupper() for word in words if word.isalpha())
    return language not in _CAPITALISES_NOUNS and not is_heading and not is_shouted


def called(language: str, /) -> str:
    """Return what English calls a language, or its code where this does not know it."""
    return _CALLED.get(language, language)


def language_of(text: str, script: str | None, /) -> str | None:
    """Return the ISO 639-1 code of the language, where its script or its words tell it."""
    if script in _BY_SCRIPT:
        return _BY_SCRIPT[script]
    points: dict[str, float] = {}
    for word in _WORD.findall(text.lower()):
        languages = _LANGUAGES.get(word, ())
        for language in languages:
            points[language] = points.get(language, 0.0) + 1 / len(languages)
        for language, letters in _OWN_LETTERS.items():
            if not set(word).isdisjoint(letters):
                points[language] = points.get(language, 0.0) + 0.5
    best = sorted(points, key=lambda language: -points[language])
    if not best or (len(best) > 1 and points[best[0]] == points[best[1]]):
        return None
    return best[0]
