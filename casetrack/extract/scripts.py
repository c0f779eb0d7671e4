"""Which scripts a text is written in, by the Unicode names of its letters.

A script is told for certain where a language is only guessed, also for a question of three words.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter, defaultdict

from casetrack.base.words import WordLists

_LISTS = WordLists(__file__)

_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = _LISTS.pairs("scripts")
_WIDTHS = ("FULLWIDTH ", "HALFWIDTH ")
_SIGNS_PER_WORD = {"Han": 2, "Kana": 2, "Hangul": 3, "Thai": 4, "Lao": 4, "Khmer": 4, "Myanmar": 4}
"""Letters that stand for about one word, where words are not parted by spaces or are very short."""


def script_shares(text: str, /) -> dict[str, float]:
    """Return the share of a text's words that each script has, the largest first.

    Where words are not parted by spaces, a few letters count as a word. A text without letters has
    no script.

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
    """Return the script of most of a text's words, such as ``Latin``; ``None`` without letters.

    Kana beside Han is ``Kana``: such a text is Japanese, however few they are.
    """
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
