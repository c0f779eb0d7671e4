"""Texts on their way to a service: how long they are, windows of long ones, and batches."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SURROGATES = re.compile("[\ud800-\udfff]")
_REACH = 0.1
"""How far from its place a cut may move to fall between two words, as a share of a window."""


def sendable(text: str, /) -> str:
    """Return the text in a form that UTF-8 has; lone surrogates become U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def estimated_tokens(text: str, /) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    The tokenizers of the services are not here. Byte-level ones make a token of about 4 characters
    of English and of about 1 character of Chinese (3 bytes): 3 bytes per token is near both. What
    comes out too low the service refuses, and the text is cut then.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def windows(text: str, tokens: int, /) -> list[str]:
    """Cut a text into the fewest windows of about equal length that fit.

    Parameters
    ----------
    text
        What is cut, preferably between words; nothing of it is left out but windows of mere white
        space.
    tokens
        Longest window in estimated tokens.

    Returns
    -------
    list of str
        At least one, unless the text is mere white space.
    """
    count = max(1, -(-estimated_tokens(text) // max(1, tokens)))
    return cut(text, count)


def cut(text: str, count: int, /) -> list[str]:
    """Cut into at most *count* windows of about equal length, without those of white space."""
    places = [0]
    for number in range(1, count):
        place = _between_words(text, len(text) * number // count, len(text) / count)
        places.append(max(place, places[-1]))
    places.append(len(text))
    found = [text[a:b] for a, b in pairwise(places)]
    return [window for window in found if window.strip()]


def _between_words(text: str, place: int, width: float) -> int:
    """Return the place itself, or the nearest one close by where a word may begin."""
    for step in range(int(width * _REACH) + 1):
        for candidate in (place - step, place + step):
            if 0 < candidate < len(text) and text[candidate - 1].isspace():
                return candidate
    return place


def batches(texts: Iterable[str], most: int, tokens: int, /) -> Iterator[list[str]]:
    """Group texts, in their order, by number and by estimated tokens.

    Parameters
    ----------
    texts
        Read no further than the group in the making.
    most
        Texts per group.
    tokens
        Estimated tokens per group; a text that is longer alone is a group alone.

    Raises
    ------
    ValueError
        A text is empty or mere white space; it comes after the group before that text.
    """
    group: list[str] = []
    size = 0
    for text in texts:
        blank = not text.strip()
        length = estimated_tokens(text)
        if group and (blank or len(group) == most or size + length > tokens):
            yield group
            group, size = [], 0
        if blank:
            raise ValueError("cannot encode a text without tokens (empty or only white space)")
        group.append(text)
        size += length
    if group:
        yield group
