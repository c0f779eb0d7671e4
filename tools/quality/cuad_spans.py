"""Comparison of extracted values in contracts with spans annotated by lawyers.

Positions count characters without white space, so that line breaks and spaces of a reader do not
matter. Rules of this module alone derive the expected value of a span from its words.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from quality.cuad_words import MONTHS, PLACES, ROLE_WORDS, SMALL_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PartyKind = Literal["full name", "short name", "role word", "clause", "blank"]
_ENDS = "\"'“”‘’`()[]{}.,;:? \n\t™®"
_BLANK = re.compile(r"[X_\W\d]*")
_DAY = r"(?P<day>\d{1,2}|first)\s*(?:s\s*t|n\s*d|r\s*d|t\s*h)?"
_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = (
    re.compile(rf"\b{_DAY}\s*(?:day\s+of\s+)?{_MONTH}\s*,?\s*{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s*{_DAY}\s*,?\s*{_YEAR}\b", re.IGNORECASE),
)
_NUMERIC = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2((?:19|20)?\d\d)\b")
_CENTURY_TURN = 50


class Squeezed:
    """A text without its white space, with the way from one to the other."""

    def __init__(self, text: str, /) -> None:
        self.text = "".join(text.split())
        self._before = list(accumulate((not sign.isspace() for sign in text), initial=0))

    def span(self, start: int, end: int, /) -> tuple[int, int]:
        """Return a place of the text in signs that are not white space."""
        return self._before[start], self._before[end]


@dataclass(frozen=True, slots=True)
class Found:
    """An extracted value and its position in the squeezed text of the whole file.

    ``kind`` is ``person``, ``organization``, ``location`` or ``date``; ``values`` are the readings
    of a date.
    """

    start: int
    end: int
    kind: str
    values: tuple[str, ...] = ()


def places_of_chunks(text: Squeezed, chunks: Sequence[str], /) -> list[int]:
    """Return the start of each chunk in the squeezed text, in reading order.

    Raises
    ------
    ValueError
        The text does not contain a chunk.
    """
    starts, after = [], 0
    for number, chunk in enumerate(chunks):
        start = text.text.find("".join(chunk.split()), after)
        if start < 0:
            raise ValueError(f"chunk {number} does not stand in the text: {chunk[:80]!r}")
        starts.append(start)
        after = start + 1
    return starts


def covers(values: Iterable[Found], span: tuple[int, int], kinds: frozenset[str], /) -> bool:
    """Return whether one of those kinds touches half of the span's signs or more."""
    start, end = span
    least = max(1, (end - start + 1) // 2)
    return any(f.kind in kinds and min(f.end, end) - max(f.start, start) >= least for f in values)


# --- parties --------------------------------------------------------------------------------------


def party_kind(text: str, /) -> PartyKind:
    """Return the class of an annotated party.

    ``blank``: empty form field. ``role word``: the name of a role ("Distributor", "Party A").
    ``clause``: a sentence about the parties. ``short name``: one word.

    >>> [party_kind(t) for t in ("XXXX", '"Company', "Party A", "IBM", "The Quantum Group Inc.")]
    ['blank', 'role word', 'role word', 'short name', 'full name']
    """
    if _BLANK.fullmatch(text):
        return "blank"
    words = re.findall(r"[^\W\d_]+", text.casefold())
    own = [word for word in words if word not in SMALL_WORDS]
    if all(word in ROLE_WORDS for word in own):
        return "role word"
    if len(words) > 10 or {"party", "parties", "collectively", "hereinafter"} & set(words):
        return "clause"
    return "short name" if len(text.strip(_ENDS).split()) == 1 else "full name"


def trimmed(text: str, start: int, /) -> tuple[int, int]:
    """Return the place of a span without signs at its ends."""
    left = len(text) - len(text.lstrip(_ENDS))
    return start + left, start + len(text.rstrip(_ENDS))


def same_words(text: Squeezed, span: tuple[int, int], /) -> Iterator[tuple[int, int]]:
    """Yield every position of the same words, the given one first."""
    yield span
    words = text.text[span[0] : span[1]]
    at = text.text.find(words)
    while at >= 0:
        yield at, at + len(words)
        at = text.text.find(words, at + 1)


# --- dates ----------------------------------------------------------------------------------------


def written_dates(text: str, /) -> list[frozenset[str]]:
    """Return the full dates (day, month, year) of a text, each with its readings.

    >>> [sorted(d) for d in written_dates("1st  day of JUNE , 2006 and 05/06/98")]
    [['2006-06-01'], ['1998-05-06', '1998-06-05']]
    """
    dates: dict[int, frozenset[str]] = {}
    for pattern in _DATES:
        for match in pattern.finditer(text):
            day = 1 if match["day"].casefold() == "first" else int(match["day"])
            value = _iso(int(match["year"]), MONTHS[match["month"].casefold()], day)
            if value:
                dates[match.start()] = frozenset([value])
    for match in _NUMERIC.finditer(text):
        year = int(match[4])
        year += 0 if year > 99 else 1900 if year >= _CENTURY_TURN else 2000
        one, other = int(match[1]), int(match[3])
        values = frozenset(v for v in (_iso(year, one, other), _iso(year, other, one)) if v)
        if values:
            dates[match.start()] = values
    return [dates[place] for place in sorted(dates)]


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        return None


def has_date(values: Iterable[Found], span: tuple[int, int], readings: frozenset[str], /) -> bool:
    """Return whether a date in the span has this value, or all these readings."""
    start, end = span
    dates = [f for f in values if f.kind == "date" and f.start < end and start < f.end]
    return any(set(f.values) <= readings or readings <= set(f.values) for f in dates if f.values)


# --- places ---------------------------------------------------------------------------------------


def named_places(text: str, /) -> list[tuple[int, int]]:
    """Return the positions of names of states and countries, the longest name at each position.

    >>> text = "laws of the STATE OF NEW   YORK, US"
    >>> [text[a:b] for a, b in named_places(text)]
    ['NEW   YORK']
    """
    return [match.span() for match in PLACES.finditer(text)]


# --- scores ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Count:
    """Number of spans of one kind and of those with a match; *missed* lists the others."""

    total: int = 0
    right: int = 0
    anywhere: int = 0
    missed: tuple[str, ...] = ()

    def add(self, note: str, *, right: bool, anywhere: bool | None = None) -> None:
        """Count one span; *anywhere* is a match at another position of the same words."""
        self.total += 1
        self.right += right
        self.anywhere += right if anywhere is None else anywhere
        if not (right or anywhere):
            self.missed += (note,)

    @property
    def share(self) -> float:
        """Right ones among all; 1 where there are none."""
        return self.right / self.total if self.total else 1.0


NOTHING_ASKED = ("role word", "clause", "blank", "none written, or a blank", "that name none")
"""Ends of the names of counts whose spans ask for nothing."""
PARTIES = frozenset({"person", "organization"})
LOCATIONS = frozenset({"location"})


def score_contract(
    text: str,
    clauses: Iterable[Mapping[str, Any]],
    values: Sequence[Found],
    counts: dict[str, Count],
    /,
) -> None:
    """Add one contract to the counts by category and kind of span.

    Parameters
    ----------
    clauses
        Annotations: ``category``, ``start``, ``end`` (code points) and ``text``.
    counts
        By name; missing ones are created.
    """
    squeezed = Squeezed(text)
    for clause in clauses:
        start, words = clause["start"], clause["text"]
        span = squeezed.span(start, clause["end"])
        if clause["category"] == "Parties":
            place = squeezed.span(*trimmed(words, start))
            name = f"Parties, {party_kind(words)}"
            counts.setdefault(name, Count()).add(
                repr(words),
                right=covers(values, place, PARTIES),
                anywhere=any(covers(values, p, PARTIES) for p in same_words(squeezed, place)),
            )
        elif clause["category"] in {"Agreement Date", "Effective Date"}:
            dates = written_dates(words)
            name = f"{clause['category']}, {'written' if dates else 'none written, or a blank'}"
            right = all(has_date(values, span, readings) for readings in dates)
            counts.setdefault(name, Count()).add(repr(words), right=bool(dates) and right)
        elif clause["category"] == "Governing Law":
            _score_law(squeezed, start, words, values, counts)


def _score_law(
    text: Squeezed, start: int, words: str, values: Sequence[Found], counts: dict[str, Count]
) -> None:
    places = [text.span(start + a, start + b) for a, b in named_places(words)]
    seen = [covers(values, place, LOCATIONS) for place in places]
    kind = "clauses that name a state or country" if places else "clauses that name none"
    counts.setdefault(f"Governing Law, {kind}", Count()).add(repr(words[:160]), right=any(seen))
    for (a, b), right in zip(named_places(words), seen, strict=True):
        note = f"{words[a:b]!r} in {words[max(0, a - 60) : b + 20]!r}"
        counts.setdefault("Governing Law, places named", Count()).add(note, right=right)
