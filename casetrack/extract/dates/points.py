"""Which kinds of date can begin with a word, and the longest one that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from casetrack.extract.dates import (
    calendars,
    compound,
    named,
    numeric,
    offsets,
    periods,
    relative,
    weekdays,
)
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.ranges import OPENINGS, starting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from casetrack.extract.dates.nodes import Node
    from casetrack.extract.dates.tokens import TokenStream

    Read = Callable[[TokenStream, int], tuple[Node, int] | None]

_FIGURES: Final[tuple[Read, ...]] = (
    numeric.parse,
    named.day_first,
    named.year_first,
    periods.part,
    periods.part_after_year,
    periods.decade,
    periods.century,
    periods.bare_year,
    compound.nth,
    named.bare_day,
    relative.counted,
    relative.step_unit,
    weekdays.counted,
    offsets.ahead,
)
_YEAR_FIGURES: Final[tuple[Read, ...]] = (
    offsets.year_first,
    numeric.parse,
    named.year_first,
    periods.part_after_year,
    periods.decade,
    periods.bare_year,
    relative.counted,
)
_NUMBER_WORD: Final[tuple[Read, ...]] = (
    named.day_first,
    compound.nth,
    named.bare_day,
    periods.part,
    periods.part_after_year,
    periods.century,
    periods.bare_year,
    relative.counted,
    relative.step_unit,
    weekdays.counted,
)
_THE: Final[tuple[Read, ...]] = (
    named.month_of,
    periods.part,
    periods.decade,
    periods.century,
    compound.nth,
    compound.week_of,
    compound.weekend,
    named.bare_day,
    named.the_day,
    relative.day_word,
    relative.step_decade,
    relative.unit_after_next,
)
_STEP: Final[tuple[Read, ...]] = (
    relative.day_word,
    relative.step_unit,
    relative.step_month,
    relative.holiday,
    weekdays.weekday,
    compound.nth,
    periods.season,
    periods.part,
    periods.part_after_year,
    compound.weekend,
)


def _starters() -> dict[str, tuple[Read, ...]]:
    table: dict[str, tuple[Read, ...]] = {}

    def add(heads: Iterable[str], *reads: Read) -> None:
        for head in heads:
            known = table.get(head, ())
            table[head] = (*known, *(read for read in reads if read not in known))

    add(words.MONTHS, named.month_first, compound.month_of_year)
    add(words.WEEKDAYS, weekdays.weekday)
    add(words.DAY_WORDS, relative.day_word)
    add((*words.CARDINALS, *words.TENS, *words.ORDINALS), *_NUMBER_WORD)
    add(("a", "an", "few", "several", "couple", "in", "vor"), relative.counted, weekdays.counted)
    add(words.STEPS, *_STEP)
    add(words.EDGES, compound.edge)
    add(words.SEASONS, periods.season)
    add(calendars.FIRST_WORDS, relative.holiday, compound.holiday_weekend)
    add(("the",), *_THE)
    add(("same", "that"), relative.same_unit)
    add(("rest", "remainder", "remaining"), compound.rest)
    add(("q", "h"), periods.part)
    add(("'", "’", "‘"), periods.decade)
    add(
        "fiscal financial tax school academic calendar fy cy geschäftsjahr".split(),
        *(periods.year_word, offsets.years, periods.part_after_year),
    )
    add(offsets.NAMES, offsets.part)
    add(("within",), offsets.within)
    add(("more", "less"), offsets.bounded)
    add(("for",), starting)
    add(("a", "an", *words.CARDINALS, *words.TENS), offsets.ahead)
    add(("day",), relative.day_word, offsets.day_beside)
    add(("the",), offsets.day_beside)
    add(words.STEPS, numeric.stepped)
    add(("year", "jahr", "kalenderjahr"), periods.year_word)
    add(("week", "kw", "kalenderwoche", "woche", "calendar"), periods.week)
    add(("week", "w", "wc"), compound.week_of)
    add(("week", "month", "year", "weekend"), relative.unit_after_next, compound.to_date)
    add(("month", "monat"), named.month_of)
    add(("weekend", "my", "am"), compound.weekend)
    add(("final",), compound.nth)
    return table


_STARTERS: Final = _starters()
_RANGE_STARTERS: Final = OPENINGS


_UNITS_AND_NUMBERS: Final = (
    frozenset(words.UNITS)
    | frozenset(words.CARDINALS)
    | frozenset(words.TENS)
    | frozenset("few couple several full calendar business working".split())
)
_AFTER_NUMBER: Final = (
    frozenset(words.MONTHS)
    | frozenset(words.UNITS)
    | frozenset(words.SUFFIXES)
    | frozenset(words.WEEKDAYS)
    | frozenset(words.STEPS)
    | frozenset(
        "q h s er ' ’ / - – — ~ . of to and und until till through bis full calendar consecutive "
        "business working de den the (".split()
    )
)
_AFTER_NUMBER_WORD: Final = (
    _AFTER_NUMBER
    | frozenset(words.CARDINALS)
    | frozenset(words.TENS)
    | frozenset(words.ORDINALS)
    | frozenset("hundred thousand".split())
)
_DASHES: Final = frozenset("-–—~‐‑−")
_AFTER_YEAR: Final = (
    _DASHES
    | frozenset(words.MONTHS)
    | frozenset(words.ORDINALS)
    | frozenset(words.UNITS)
    | frozenset("/ . ' ’ s q h w er the to until till through thru bis".split())
    | offsets.NAMES
)
_BEFORE_YEAR: Final = (
    words.EVIDENCE | frozenset(words.EDGES) | _DASHES | frozenset(", ( and or und & bis".split())
)
_AFTER_STEP: Final = (
    _UNITS_AND_NUMBERS
    | frozenset(words.MONTHS)
    | frozenset(words.WEEKDAYS)
    | frozenset(words.STEPS)
    | words.DAY_PARTS
    | words.SEASONS
    | frozenset(calendars.FIRST_WORDS)
    | frozenset("fiscal financial school".split())
)
_AFTER_THE: Final = (
    frozenset(words.ORDINALS)
    | frozenset(words.TENS)
    | frozenset(words.CARDINALS)
    | frozenset(words.STEPS)
    | frozenset(words.UNITS)
    | frozenset(f"{ten[:-1]}ies" for ten in words.TENS)
    | frozenset("noughties final ' ’ ‘ w".split())
)
_SECOND_WORDS: Final = (
    dict.fromkeys((*words.CARDINALS, *words.TENS, *words.ORDINALS), _AFTER_NUMBER_WORD)
    | dict.fromkeys(words.STEPS, _AFTER_STEP)
    | dict.fromkeys(("a", "an"), _UNITS_AND_NUMBERS | frozenset(words.WEEKDAYS))
    | dict.fromkeys(("in", "vor"), _UNITS_AND_NUMBERS | {"a", "an"})
    | dict.fromkeys(("same", "that", "my", "am"), frozenset(words.UNITS))
    | {"the": _AFTER_THE, "day": frozenset(("after", "before"))}
    | dict.fromkeys(("more", "less"), frozenset(("than",)))
    | dict.fromkeys(
        ("for", "within"), _UNITS_AND_NUMBERS | {"the", "a", "an"} | frozenset(words.STEPS)
    )
)
"""Of the frequent words that may begin a date, which words can follow them."""


def may_start(stream: TokenStream, index: int) -> bool:
    """Return whether a date or range may begin with a token, judged by it and the next one."""
    token = stream.tokens[index]
    following = stream.low(index + 1)
    if token.value >= 0:
        if stream.alone:
            return True
        if len(token.low) == 4:
            return (
                following in _AFTER_YEAR
                or stream.low(index - 1) in _BEFORE_YEAR
                or following[:1].isdigit()
                or (following == "," and stream.low(index + 2) in words.MONTHS)
            )
        if following == ".":
            return _goes_on(stream, index + 2) or stream.low(index - 1) in words.WEEKDAYS
        if following in _AFTER_NUMBER:
            return True
        return stream.low(index - 1) in {"on", "for", "the"} or following in words.MONTHS
    second = _SECOND_WORDS.get(token.low)
    if second is None:
        return token.low in _STARTERS or token.low in _RANGE_STARTERS
    if following in second or stream.alone:
        return True
    return following[:1].isdigit() or (
        token.low in words.ORDINALS and stream.low(index - 1) == "the"
    )


def _goes_on(stream: TokenStream, index: int) -> bool:
    """Return whether a date can continue after a number and a point: by a month or digits."""
    low = stream.low(index)
    if stream.number(index) is not None:
        return stream.low(index + 1) == "." or stream.low(index - 3) in {"on", "for"}
    return low in words.MONTHS or low in words.UNITS or low in {"-", "–", "of", "de", ""}


def read_point(stream: TokenStream, index: int) -> tuple[Node, int] | None:
    """Read the longest single date that begins at a token; of equally long ones the first."""
    if not may_start(stream, index):
        return None
    token = stream.tokens[index]
    reads = _FIGURES if token.value >= 0 else _STARTERS.get(token.low, ())
    if len(token.low) == 4 and token.value >= 0:
        reads = _YEAR_FIGURES
    best: tuple[Node, int] | None = None
    for read in reads:
        result = read(stream, index)
        if result is not None and (best is None or result[1] > best[1]):
            best = result
    if best is not None and best[0].precision == "day" and best[0].month and not best[0].year:
        return _of_year(stream, best)
    return best


def _of_year(stream: TokenStream, read: tuple[Node, int]) -> tuple[Node, int]:
    """Add "last year" after a day and a month."""
    end = stream.skip(read[1], "of", "in")
    step = words.STEPS.get(stream.low(end))
    if step is None or stream.low(end + 1) not in {"year", "jahr", "jahres"}:
        return read
    return compound.with_step_year(stream, read[0], step), end + 2
