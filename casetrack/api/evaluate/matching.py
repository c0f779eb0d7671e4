"""Tells whether a passage holds the words of an answer, and whether two values are the same."""

from __future__ import annotations

import functools
import re
from typing import Literal

Match = Literal["exact", "most"]
MATCHES: tuple[Match, ...] = ("exact", "most")
MOST = 0.8
"""Share of an answer's words that a passage must have, in their order, where *most* is enough."""
SHORT = 8
"""Answers of up to so many words must be there whole: few words in order stand anywhere."""
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SCALES = {
    **dict.fromkeys(("thousand", "k"), "thousand"),
    **dict.fromkeys(("million", "millions", "m", "mn"), "million"),
    **dict.fromkeys(("billion", "billions", "bn"), "billion"),
    **dict.fromkeys(("percent", "%"), "%"),
}
_SIGNS = "$€£¥₽₹%"


def holds(text: str, wanted: str, match: Match, /) -> bool:
    r"""Return whether *text* holds *wanted*.

    Parameters
    ----------
    text
        A passage or a page.
    wanted
        The words of the answer.
    match
        ``exact``: whole, letter case and white space aside. ``most``: at least :data:`MOST` of its
        words in their order, whatever stands between them; signs do not count. It is meant for
        scans, hyphenation and notes that fall into the midst of a sentence.

    Examples
    --------
    >>> holds("The tenant  pays\nmonthly.", "tenant pays Monthly", "exact")
    True
    """
    needle = _words(wanted)
    if match == "exact" or not needle:
        return squeezed(wanted) in squeezed(text)
    words = _words(text)
    if len(needle) <= SHORT:
        return f" {' '.join(needle)} " in f" {' '.join(words)} "
    least = MOST * len(needle)
    known = set(words)
    return sum(w in known for w in needle) >= least and _in_order(needle, words) >= least


def same_value(found: str, wanted: str, /) -> bool:
    """Return whether two dates, names, numbers or amounts are the same.

    That is so where they have the same words, in whatever order, or the same single number; signs
    of currency and words of scale (million, %) may be missing on one side, but must not differ.

    Examples
    --------
    >>> same_value("June 24, 2026", "24 June 2026"), same_value("£158m", "158")
    (True, True)
    >>> same_value("$5 million", "€5 million"), same_value("Mr. Jan Smit", "Jan Smit")
    (False, True)
    """
    first, second = _NUMBER.findall(found), _NUMBER.findall(wanted)
    words = [_words(text.replace(".", " ").replace(",", "")) for text in (found, wanted)]
    if sorted(words[0]) == sorted(words[1]):
        return _agree(found, wanted)
    if not first and not second:  # a name, with its title or without
        return len(words[1]) > 1 and set(words[1]) < set(words[0]) and len(words[0]) < 6
    if len(first) != 1 or len(second) != 1:
        return False
    return _plain(first[0]) == _plain(second[0]) and _agree(found, wanted)


def _agree(first: str, second: str) -> bool:
    """Return whether what tells currency and scale does not differ where both have it."""
    for read in (_currency, _scale):
        one, other = read(first), read(second)
        if one and other and one != other:
            return False
    return True


def _currency(text: str) -> set[str]:
    return set(text) & set(_SIGNS[:-1])


def _scale(text: str) -> set[str]:
    words = re.findall(r"[a-z]+|%", text.casefold().replace("per cent", "%"))
    return {_SCALES[word] for word in words if word in _SCALES}


def _plain(number: str) -> str:
    """Return a number without signs between thousands and without zeros at the end."""
    whole = re.sub(r"[,.](?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


@functools.lru_cache(maxsize=4096)
def squeezed(text: str, /) -> str:
    """Return *text* in small letters, with runs of white space as one space."""
    return " ".join(text.split()).casefold()


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _in_order(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Return the length of the longest common subsequence, bit by bit (Hyyrö 2004)."""
    where: dict[str, int] = {}
    for place, word in enumerate(first):
        where[word] = where.get(word, 0) | 1 << place
    full = (1 << len(first)) - 1
    row = full
    for word in second:
        hit = row & where.get(word, 0)
        row = ((row + hit) | (row - hit)) & full
    return len(first) - row.bit_count()
