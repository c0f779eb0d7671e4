"""Years and quarters that a question names, in their many spellings.

``FY2018``, ``FY18``, ``fiscal 2018``, ``the year ended December 31, 2018`` are the year 2018;
``Q2 2023``, ``2Q23``, ``second quarter of fiscal 2023`` are one quarter. Text says them in other
words than the question, so each is looked up in all of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.records.reading import Period
from casetrack.search.question.words import part

if TYPE_CHECKING:
    from collections.abc import Iterator

_FULL = r"(?:19[5-9]\d|20[0-4]\d)"
_SHORT = r"['\u2019]?\d\d"
_YEAR = rf"(?:{_FULL}|{_SHORT})"
_FISCAL = r"(?:f\.?y\.?e?|fiscal|financial)(?:[ -]?(?:year|period))?[ -]?"
_ORDINALS = ("first|1st", "second|2nd", "third|3rd", "fourth|4th")
_ORDINAL = "|".join(rf"(?P<o{n}>{words})" for n, words in enumerate(_ORDINALS, start=1))
_QUARTER = rf"(?:q(?P<q>[1-4])|(?P<r>[1-4])q|(?:{_ORDINAL})[ -](?:fiscal[ -])?quarter)"
_BETWEEN = r"(?:,? ?(?:of|in|for)? ?(?:the )?)"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.,$\u20ac\u00a3])(?:{pattern})(?![\w%]|[.,]\d)", re.IGNORECASE)
    for pattern in (
        rf"{_QUARTER}{_BETWEEN}(?:{_FISCAL})?(?P<year>{_YEAR})",
        rf"(?:{_FISCAL})?(?P<year>{_FULL})(?:['\u2019]s)?[ ,/-]*{_QUARTER}",
        rf"{_FISCAL}(?P<year>{_YEAR})",
        rf"(?P<year>{_FULL})",
    )
)
_WORDS = ("first quarter", "second quarter", "third quarter", "fourth quarter")


def periods_of(query: str, /) -> tuple[Period, ...]:
    """Return the years and quarters of a question, in the order in which they stand there."""
    found: list[Period] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(query):
            if any(p.part.start < match.end() and match.start() < p.part.end for p in found):
                continue
            said = part(query, match.start(), match.end())
            found.append(Period(said, _year(match["year"]), _quarter(match)))
    return tuple(sorted(found, key=lambda period: period.part.start))


def spellings(period: Period, /) -> Iterator[str]:
    """Yield how a period may be written, the usual way first."""
    year = str(period.year)
    yield year
    if period.quarter is None:
        yield f"FY{year}"
        yield f"FY{year[2:]}"
        return
    yield _WORDS[period.quarter - 1]
    yield f"Q{period.quarter}"
    yield f"{period.quarter}Q{year[2:]}"


def _year(said: str) -> int:
    digits = said.strip("'\u2019")
    if len(digits) == 4:
        return int(digits)
    return (2000 if int(digits) < 60 else 1900) + int(digits)


def _quarter(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if said := groups.get("q") or groups.get("r"):
        return int(said)
    return next((n for n in range(1, 5) if groups.get(f"o{n}")), None)
