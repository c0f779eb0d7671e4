"""Tells a text layer that reads as words from one whose fonts do not say which letters they show.

Such fonts give U+FFFD, private-use code points, control characters, or letters that stand for
other letters (often all shifted by one number).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LOST = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\x7f-\x9f]")
_LOST_SHARE = 0.3
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_VOWELS = re.compile(
    r"[aeiouyAEIOUY\u00c0-\u00c6\u00c8-\u00cf\u00d2-\u00d6\u00d9-\u00e6\u00e8-\u00f6]"
)
_TOKEN = re.compile(r"[^\W\d_]+")
_MIN_LETTERS, _MIN_TOKENS, _SAMPLE_CHARS = 60, 20, 3000
_LEAST_VOWELS, _FEW_VOWELS, _MANY_VOWELS = 0.15, 0.28, 0.6
# Short words of languages in Latin letters: hardly a page of prose has none of them.
_COMMON = frozenset(
    (
        "the of and to in is for that by or be as on with this at are from not it any shall "
        "der die das und den von zu mit ist des im dem nicht eine auf für le la les de et des en "
        "un une du est pour que dans par sur el los las del y se con para una por il di che e per "
        "non della o do da os em um não het een van dat op te niet och att det som på av i "
        "w na z do się nie jest a og til er på ja on ei että az egy és hogy"
    ).split()
)


_NO_LETTER = re.compile(r"[\ufffd\x00-\x08\x0e-\x1f\x7f-\x9f]")
_LEAST_LOST = 2


def is_lost(line: str, /) -> bool:
    """Tell a line whose fonts do not say which letters they show: most signs stand for none.

    Private-use code points do not tell: bullets, arrows and stars have them too.
    """
    lost = len(_NO_LETTER.findall(line))
    return lost >= _LEAST_LOST and 2 * lost > len(line) - line.count(" ")


def reads_as_words(texts: Iterable[str], /) -> bool:
    """Tell whether a page's text is what a person sees.

    Other scripts, formulas and tables of numbers do; only clear signs speak against a text.
    """
    text = " ".join(_until(texts, _SAMPLE_CHARS))
    solid = len(text) - text.count(" ")
    if len(_LOST.findall(text)) > _LOST_SHARE * solid:
        return False
    words = text.lower().split()
    if _has_common(words):
        return True
    letters = len(_LATIN.findall(text))
    if letters < max(_MIN_LETTERS, 0.4 * solid) or len(words) < _MIN_TOKENS:
        # Too little, another script, or mostly numbers: nothing to judge by.
        return True
    vowels = len(_VOWELS.findall(text)) / letters
    if vowels < _LEAST_VOWELS and letters > 0.6 * solid:
        return False
    return _FEW_VOWELS < vowels < _MANY_VOWELS or not _is_shifted(text)


def _until(texts: Iterable[str], limit: int) -> Iterator[str]:
    for text in texts:
        yield text
        limit -= len(text)
        if limit < 0:
            return


def _has_common(words: list[str]) -> bool:
    hits = [word for word in words if word in _COMMON]
    return len(hits) >= max(2.0, 0.04 * len(words)) and len(set(hits)) > 1


def _is_shifted(text: str) -> bool:
    """Tell letters that all stand a fixed number of places from those shown."""
    for by in (n for near in range(1, 64) for n in (near, -near)):
        table = {c: c + by if 31 < c + by < 127 else 32 for c in range(1, 127)}
        words = _TOKEN.findall(text.translate(table | {32: 32}).lower())
        hits = [word for word in words if len(word) > 2 and word in _COMMON]
        if len(set(hits)) > 2 and len(hits) > 0.06 * len(words):
            return True
    return False
