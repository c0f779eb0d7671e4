"""Names of investment funds and trusts, read backward from the word that they end in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.graph.document.sure.companies import walk_left

if TYPE_CHECKING:
    from collections.abc import Iterator

_FUND: Final = re.compile(
    r"(?<=[a-z)] )(?:Fund|Master Trust|Issuance Trust|Income Trust|Growth Trust|Equity Trust|"
    r"Municipal Trust|Receivables Trust|Mortgage Trust)"
    r"(?: (?:\d{1,2}|[IVX]{1,4}))?(?![\w’'-]|[ ][A-Z][a-z]|, (?:Inc|L))"
)
"""What names of investment funds end in; they have two words more before it, or three."""
_PAIR: Final = re.compile(r"([A-Z][\w-]+) (?:and|&) \Z")
_WORDS_OF_FUND = 3
_REACH = 140


def find_funds(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the place of each investment fund that has a name of its own, in order.

    Examples
    --------
    >>> text = "the Oakham Global Income and Growth Fund 2 (Global Income), and the Fund"
    >>> [text[a:b] for a, b in find_funds(text)]
    ['Oakham Global Income and Growth Fund 2']
    """
    last = 0
    for match in _FUND.finditer(text):
        low = max(last, match.start() - _REACH)
        start = walk_left(text, low, match.start())
        joined = _PAIR.search(text, low, start) if start is not None else None
        if joined:
            start = walk_left(text, low, joined.end(1))
        if start is None or len(text[start : match.start()].split()) < _WORDS_OF_FUND:
            continue
        last = match.end()
        yield start, match.end()
