"""Numbers that name contracts, orders and invoices: "Contract No. 4711-B", "PO: 2024-113"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = WordLists(__file__)

_LABELS = tuple(_LISTS.pairs("labels").items())
_LABEL = "|".join(rf"(?P<{name}>{words})" for name, words in _LABELS)
_ID = r"(?P<id>(?:[A-Z]{1,6} )?(?=[\w./-]*\d)[A-Za-z0-9]+(?:[-/._][A-Za-z0-9]+)*)"
_NUMBER = re.compile(
    rf"(?<![\w-])(?i:{_LABEL})\s{{0,3}}-?\s?(?:(?i:No|Nr|Num|Ref)\b\.?|(?i:Number|Numero|Nummer|nummer|Reference|ID)\b|n°|N°|\#|№|:)"
    rf"(?:\s?(?:\(s\)|[:.\#]))*[ \t]*\n?[ \t]*{_ID}(?![\w])"
)
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|(?:19|20)\d\d")
_LEAST = 3


def numbers_in(text: str, start: int, end: int, /) -> Iterator[tuple[int, str]]:
    """Yield the numbers in a stretch of text: where each begins, and what it is.

    Examples
    --------
    >>> list(numbers_in("Contract No. FA-2023/17", 0, 23))
    [(0, 'contract:fa-2023-17')]
    """
    for match in _NUMBER.finditer(text, start, end):
        number = number_key(match["id"])
        if number:
            yield match.start(), f"{_kind(match)}:{number}"


def number_key(written: str, /) -> str:
    """Return a number as two are compared; empty for a date, or one too short to tell."""
    number = re.sub(r"[^\w]+", "-", written.strip().casefold()).strip("-")
    if _DATE.fullmatch(written.strip()) or len(number.replace("-", "")) < _LEAST:
        return ""
    return number


def _kind(match: re.Match[str]) -> str:
    return next(name for name, _ in _LABELS if match[name])
