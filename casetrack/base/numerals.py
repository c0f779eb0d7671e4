"""Roman numerals."""

from __future__ import annotations

import re
from itertools import pairwise

_SIGNS = "m cm d cd c xc l xl x ix v iv i".split()
_SIZES = dict(zip(_SIGNS, (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), strict=True))
_NUMERAL = re.compile(r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")


def roman(value: int, /) -> str:
    """Return a number from 1 to 3999 in lower-case Roman numerals."""
    text = ""
    for sign, size in _SIZES.items():
        count, value = divmod(value, size)
        text += sign * count
    return text


def roman_value(text: str, /) -> int | None:
    """Return the value of a numeral up to 399 in any letter case, and ``None`` for other texts."""
    low = text.lower()
    if not _NUMERAL.fullmatch(low):
        return None
    return sum(-a if a < b else a for a, b in pairwise([*(_SIZES[c] for c in low), 0]))
