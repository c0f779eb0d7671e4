"""Language of a question, and ends of sentences.

A question is too short for letter statistics, and the language library of documents takes two
seconds to load. A script of a single language decides; in Latin and Cyrillic script the function
words decide, or the language stays unknown.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence

from casetrack.base.words import WordLists
from casetrack.base.words.lists import month_numbers, title_words

# Scripts of a text, by the Unicode names of its letters. Unlike a language, a script is certain
# even for three words.

_LISTS = WordLists(__file__)

_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = _LISTS.pairs("scripts")
_WIDTHS = ("FULLWIDTH ", "HALFWIDTH ")
_SIGNS_PER_WORD = {"Han": 2, "Kana": 2, "Hangul": 3, "Thai": 4, "Lao": 4, "Khmer": 4, "Myanmar": 4}
"""Letters that count as one word in scripts without spaces, or with very short words."""


def script_shares(text: str, /) -> dict[str, float]:
    """Return the share of a text's words in each script, largest first; empty without letters.

    Examples
    --------
    >>> script_shares("Was kostet ein Кран?")
    {'Latin': 0.75, 'Cyrillic': 0.25}
    """
    words: defaultdict[str, float] = defaultdict(float)
    for run in _WORD.findall(text):
        letters = Counter(script for letter in run if (script := _script_of_letter(letter)))
        if not letters:
            continue
        main, _ = letters.most_common(1)[0]
        for script, count in letters.items():
            if script in _SIGNS_PER_WORD:
                words[script] += count / _SIGNS_PER_WORD[script]
            elif script == main:
                words[script] += 1.0
    total = sum(words.values())
    ordered = sorted(words.items(), key=lambda item: -item[1])
    return {script: count / total for script, count in ordered}


def script_of(text: str, /) -> str | None:
    """Return the script of most words (``Latin``), or ``None``; Kana with Han is ``Kana``."""
    if text.isascii():
        return "Latin" if any(c.isalpha() for c in text) else None
    shares = script_shares(text)
    if "Kana" in shares and shares["Kana"] + shares.get("Han", 0.0) >= 0.5:
        return "Kana"
    return next(iter(shares), None)


@functools.lru_cache(maxsize=16384)
def _script_of_letter(letter: str) -> str:
    name = unicodedata.name(letter, "")
    for width in _WIDTHS:
        name = name.removeprefix(width)
    first = name.split(" ", 1)[0]
    return _SCRIPTS.get(first, first.capitalize())


_BY_SCRIPT = _LISTS.pairs("by_script")
# Function words of these languages, question words first. A word that is common in two of them is
# not evidence.
_COMMON = _LISTS.pairs("common")
_CALLED = _LISTS.pairs("called")
_OWN_LETTERS = {"de": "\u00e4\u00df", "ru": "\u0451\u044b\u044d", "uk": "\u0456\u0457\u0454\u0491"}
"""Letters that no other of these languages has; a word with one counts half."""
_CAPITALISES_NOUNS = frozenset({"de", "lb"})
_MOST_CAPITALS = 0.6
"""Of words that carry meaning; if more have capitals, the question is written like a heading."""


def _lookup() -> dict[str, tuple[str, ...]]:
    lookup: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON.items():
        for word in words.split():
            lookup[word] = (*lookup.get(word, ()), language)
    return lookup


_LANGUAGES = _lookup()
_ALSO = frozenset(_LISTS.words("also"))


def is_structural(word: str, /) -> bool:
    """Return whether a word is a function or question word."""
    lower = word.lower()
    return lower in _LANGUAGES or lower in _ALSO


def capitals_mark_names(words: Sequence[str], language: str | None, /) -> bool:
    """Return whether capitals mark names in a question with these words."""
    carrying = [word for word in words if not is_structural(word)]
    capitals = sum(word[0].isupper() for word in carrying)
    is_heading = capitals > 2 and capitals > _MOST_CAPITALS * len(carrying)
    is_shouted = all(word.isupper() for word in words if word.isalpha())
    return language not in _CAPITALISES_NOUNS and not is_heading and not is_shouted


def called(language: str, /) -> str:
    """Return the English name of a language, or its code if unknown."""
    return _CALLED.get(language, language)


def language_of(text: str, script: str | None, /) -> str | None:
    """Return the ISO 639-1 code of the language by script or words, or ``None``."""
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


# Languages of source files by extension.


_EXTENSIONS = _LISTS.pairs("extensions")
LANGUAGES = {
    extension: language
    for language, extensions in _EXTENSIONS.items()
    for extension in extensions.split()
}
"""Name of the language of each extension, with dot."""
PROSE = frozenset({".adoc", ".asciidoc", ".ltx", ".rest", ".rst", ".tex"})
"""Extensions of texts for people."""


# Where sentences end, for the boundaries of chunks and of quotations.
#
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
    """Return the offsets after the closing punctuation of sentences in ``text[start:end]``.

    Offsets are code points into *text*, ascending, in ``(start, end]``.
    """
    ends = []
    for match in _END.finditer(text, start, end):
        if text[match.start()] == "." and _is_abbreviation(text, start, match.start()):
            continue
        ends.append(match.end())
    return ends


def _is_abbreviation(text: str, start: int, dot: int) -> bool:
    match = _LAST_WORD.search(text, max(start, dot - 24), dot)
    if match is None:
        return False
    word = match.group(1)
    if _SHORT.fullmatch(word) and _GOES_ON.match(text, dot):
        return True
    # "J. Smith", "U.S. Code", "8.2. Term": one letter, inner dots, or a bare number.
    return len(word) == 1 or "." in word or word.isdigit() or word.lower() in _ABBREVIATIONS
