"""Tells whether a passage holds the words of an answer."""

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
