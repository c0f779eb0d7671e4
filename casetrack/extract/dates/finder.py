"""Find every date of a text, the longest first from the left."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from casetrack.base.years import FIRST_COMMON, UNSET_DAYS, YEARS
from casetrack.extract.dates import offsets, points, ranges
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, days_of, outcome
from casetrack.extract.dates.tokens import TokenStream, tokenize, windows
from casetrack.extract.spans import DateSpan

# Confidence of candidates from their context.

_LAWS: Final = frozenset(
    "act acts law laws code rules regulations ordinance statute reform order treaty convention "
    "directive amendments bankruptcy tax".split()
)
_YEARS_AS_USUAL: Final = range(1850, 2151)
_CLEAR: Final = frozenset(
    ("in", "since", "during", "until", "till", "before", "after", "im", "seit")
)
_DAYS_BEHIND: Final = words.EVIDENCE | {"or", "and", "sometime", "this", "back"}
_ANY_DAY: Final = frozenset("a an no than excluding except eines".split())
_MONTHS_BEHIND: Final = frozenset("in since until last next".split())
"""Words after which "march" or "august" in lower case are months."""
_FIGURES_BEHIND: Final = frozenset("in before after for through between about".split())
_SENTENCE_ENDS: Final = frozenset(("", ".", "!", "?", ":", ";", ")", "\n", "•"))
_LIST: Final = frozenset((",", "and", "or", "und", "&"))
_ERAS: Final = frozenset("ad ce anno domini circa ca year years jahr jahre".split())
_NEAR: Final = 40
"""Tokens on each side in which a historical word counts."""
_HISTORY: Final = frozenset(
    "century centuries medieval ancient king kings queen emperor empire pope bishop archbishop "
    "duke earl saint dynasty reign reigned crusade crusades crowned conquest conquered abbey "
    "monastery renaissance magna norman viking jahrhundert jahrhunderts mittelalter könig kaiser "
    "papst".split()
)
_HEAD: Final = 6
"""Maximum tokens between a date in a mail header and its label or its time of day."""
_TIME: Final = frozenset("h hr hrs hour hours z utc gmt uhr local".split())
_NO_YEAR: Final = re.compile(r"00\d\d|0\d[6-9]\d|9999")
"""Figures that are neither a year nor a time of day, such as 0800 hours."""


def confidence(
    stream: TokenStream, place: tuple[int, int], node: Node, *, listed: bool
) -> float | None:
    """Return the confidence of a date in its context, or ``None`` if it is not one.

    *listed* means that a year precedes it, so another one may follow in the list.
    """
    index, end = place
    if _continues(stream, index) or not _bounded(stream, end) or _recurs(stream, index, end, node):
        return None
    if not _is_plausible(stream, place, node):
        return None
    if stream.low(index) in words.MONTHS and (
        _is_surname(stream, index, node) or _is_verb(stream, index, end, node)
    ):
        return None
    if stream.alone or not node.bare:
        title = _capital(stream, index) and _capital(stream, end) and end == index + 1
        return 0.4 if title and stream.low(index) in words.DAY_WORDS else node.confidence
    if node.bare == "year":
        return _year(stream, index, end, node, listed=listed)
    return _CHECKS[node.bare](stream, index, end, node)


def _is_plausible(stream: TokenStream, place: tuple[int, int], node: Node) -> bool:
    index, end = place
    parts = (node, *(node.ends or ()), *(node.choices or ()))
    years = [part.year for part in parts if part.year is not None]
    if not years:
        behind = end + (stream.low(end) in {",", "-", "/", "."})
        return not (
            node.month is not None
            and _NO_YEAR.fullmatch(stream.low(behind))
            and stream.low(behind + 1) not in _TIME
        )
    day = stream.low(index - 1) if node.precision == "month" else ""
    if max(years) >= YEARS.stop or (day.isdecimal() and (_has_clock(stream, end) or not int(day))):
        return False
    if _has_clock(stream, end) and _is_unset(node):
        return False
    if min(years) >= FIRST_COMMON:
        return True
    if _is_mail_head(stream, index, end):
        return False
    tokens = stream.tokens[index:end]
    months = [t for t in tokens if t.low in words.MONTHS]
    short = [t for t in months if t.low in words.SHORT_MONTHS]
    if node.day is None and not node.ends and any(t.text.isupper() for t in short):
        return False
    is_written = bool(months) and not short and not any(t.text.isupper() for t in months)
    if stream.alone or is_written or not any(t.value >= min(years) for t in tokens):
        return True
    beside = {stream.low(n) for n in (index - 2, index - 1, end, end + 1)}
    near = stream.tokens[max(0, index - _NEAR) : end + _NEAR]
    return not beside.isdisjoint(_ERAS) or any(t.low in _HISTORY for t in near)


def _is_unset(node: Node) -> bool:
    days = days_of(node) if node.precision == "day" and not node.relative else None
    return days is not None and days[0] in UNSET_DAYS


def _has_clock(stream: TokenStream, end: int) -> bool:
    """Return whether a time of day follows directly."""
    at = next((n for n in range(end, end + 3) if stream.low(n).isdigit()), end)
    return stream.low(at).isdigit() and stream.low(at + 1) == ":" and stream.glued(at + 1)


def _is_mail_head(stream: TokenStream, index: int, end: int) -> bool:
    """Whether a date and a time of day head a quoted mail: "Sent: ...", "On ..., Ada wrote:"."""
    behind = [stream.low(n) for n in range(end, end + _NEAR)]
    clock = next((n for n, sign in enumerate(behind[:_HEAD]) if sign in {":", "."}), None)
    if not clock or not (behind[clock - 1].isdigit() and behind[clock + 1].isdigit()):
        return False
    before = [stream.low(n) for n in range(index - _HEAD, index)]
    labelled = any(pair[0] in words.SENT and pair[1] == ":" for pair in itertools.pairwise(before))
    return labelled or (":" in behind[clock + 1 :] and not words.WROTE.isdisjoint(behind))


def _is_surname(stream: TokenStream, index: int, node: Node) -> bool:
    """Return whether a month names a person: "Frau März", "Dr. May"; "Ms May 3, 2024" does not."""
    if not _capital(stream, index) or (node.year is not None and node.day is not None):
        return False
    forename = bool(node.bare) and _capital(stream, index - 1)
    return _is_address(stream, index - 1) or (forename and _is_address(stream, index - 2))


def _is_address(stream: TokenStream, index: int) -> bool:
    if stream.low(index) == "." and stream.glued(index):
        index -= 1
    return stream.low(index) in words.FORMS_OF_ADDRESS


def _is_verb(stream: TokenStream, index: int, end: int, node: Node) -> bool:
    """Return whether "may" is a verb before a number: "may 3 persons", "May 2 or more parties"."""
    if stream.low(index) != "may" or node.year is not None or stream.number(end - 1) is None:
        return False
    before = stream.low(index - 1)
    if stream.text(index) == "may":
        return before not in words.EVIDENCE and _counts(stream, end, adjective=True)
    return before in _SENTENCE_ENDS and _counts(stream, end, adjective=False)


def _counts(stream: TokenStream, index: int, *, adjective: bool) -> bool:
    """Return whether the words after a number, possibly with an *adjective*, make it a count."""
    word = stream.text(index)
    if word in {"or", "and", "to"}:
        if stream.low(index + 1) in {"more", "fewer", "less"}:
            return True
        return stream.number(index + 1) is not None and _counts(
            stream, index + 2, adjective=adjective
        )
    if not (word.isalpha() and word.islower()) or stream.glued(index):
        return False
    if _is_plural(word):
        return True
    return adjective and word not in words.NO_ADJECTIVES and _is_plural(stream.text(index + 1))


def _is_plural(word: str) -> bool:
    if word in words.IRREGULAR_PLURALS:
        return True
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return ends and word.isalpha() and word.islower() and word not in words.NO_PLURALS


def _continues(stream: TokenStream, index: int) -> bool:
    """Return whether the first token continues earlier digits, as in a telephone number."""
    return (
        stream.glued(index)
        and stream.low(index - 1) in {"-", "–", "~", "/"}
        and stream.glued(index - 1)
        and stream.low(index - 2).isdigit()
    )


def _bounded(stream: TokenStream, end: int) -> bool:
    if not stream.glued(end):
        return True
    behind = stream.low(end)
    last = stream.low(end - 1)
    if last[-1:].isdigit() and behind[0].isalpha():
        return behind == "t" and stream.low(end + 1)[:1].isdigit()
    if last[-1:].isdigit() and behind in {"/", "-", ".", ",", ":", "_"}:
        return not (stream.glued(end + 1) and stream.low(end + 1)[:1].isdigit())
    return not (last[-1:].isdigit() and behind in {"%", "_"})


def _recurs(stream: TokenStream, index: int, end: int, node: Node) -> bool:
    """Return whether a date recurs: every Monday, 31 December of each year."""
    open_ended = node.relative or node.year is None
    before = index - 2 if stream.low(index - 1) in {"other", "second"} else index - 1
    if open_ended and stream.low(before) in words.RECURRING and not node.ends:
        return True
    if stream.low(end) in {f"{part}s" for part in words.DAY_PARTS}:
        return True
    behind = stream.skip(end, ",")
    behind = stream.skip(stream.skip(behind, "day"), "of", "in")
    return open_ended and stream.low(behind) in words.RECURRING


def _capital(stream: TokenStream, index: int) -> bool:
    text = stream.text(index)
    return text[:1].isupper() and text.isalpha()


def _month(stream: TokenStream, index: int, end: int, _node: Node) -> float | None:
    word, text, before = stream.low(index), stream.text(index), stream.low(index - 1)
    evident = before in words.EVIDENCE or before in words.STEPS or before in {"the", "this"}
    named_after = _capital(stream, end) and stream.tokens[end].gap
    if word in words.SHORT_MONTHS:
        return 0.6 if evident and not named_after and not text.isupper() else None
    if word in words.NAMELIKE_MONTHS:
        if (
            text.islower()
            and before not in _MONTHS_BEHIND
            and not (before == "the" and word in {"april", "june"})
        ):
            return None
        return 0.65 if evident and not named_after else None
    return 0.8 if not named_after or evident else 0.5


def _year(stream: TokenStream, index: int, end: int, node: Node, *, listed: bool) -> float | None:
    before, year = stream.low(index - 1), node.year or 0
    spelled = not stream.low(index).isdigit()
    if listed and before in _LIST and not spelled:
        return 0.7
    if before == "(" and stream.low(end) == ")" and 1900 <= year < 2050:
        return 0.5
    if before == "the":
        return None
    if before == "of" and stream.low(index - 2) in _LAWS:
        return None
    if before in _CLEAR:
        return 0.85 if year in _YEARS_AS_USUAL and not spelled else 0.6
    if spelled or before not in words.EVIDENCE or year not in _YEARS_AS_USUAL:
        return None
    return 0.65 if before in {"by", "of", "from", "through", "ab", "bis", "year"} else 0.5


def _weekday(stream: TokenStream, index: int, end: int, node: Node) -> float | None:
    before = stream.low(index - 1)
    evident = before in _DAYS_BEHIND
    named_after = _capital(stream, end) and stream.tokens[end].gap
    if _generic(stream, index):
        return None
    if end - index == 1 and stream.low(index) in words.SHORT_WEEKDAYS:
        wordlike = stream.low(index) in {"sun", "sat", "mon", "wed", "thu", "fri"}
        if (wordlike and not _capital(stream, index)) or named_after:
            return None
        return 0.5 if evident else None
    return node.confidence if evident and not named_after else 0.45


def _generic(stream: TokenStream, index: int) -> bool:
    """Return whether a weekday is any such day ("a Saturday, Sunday or public holiday")."""
    pos = index - 1
    while index - pos < 8 and (stream.low(pos) in _LIST or stream.low(pos) in words.WEEKDAYS):
        pos -= 1
    return stream.low(pos) in words.RECURRING or stream.low(pos) in _ANY_DAY


def _season(stream: TokenStream, index: int, end: int, _node: Node) -> float | None:
    word, before = stream.low(index), stream.low(index - 1)
    if _capital(stream, end) or (_capital(stream, index) and before not in words.EVIDENCE):
        return None
    if word in words.CLEAR_SEASONS:
        return 0.4
    return (
        0.35
        if before in {"in", "the", "since", "until"} and not stream.low(end).isalpha()
        else None
    )


def _part(stream: TokenStream, index: int, _end: int, node: Node) -> float | None:
    if node.precision != "quarter":
        return None
    before = stream.low(index - 1)
    evident = before in words.EVIDENCE or before in {"the", "during"}
    return 0.5 if evident or stream.low(index) == "the" else None


def _numeric(stream: TokenStream, index: int, end: int, node: Node) -> float | None:
    before = stream.low(index - 1)
    if before in words.DAY_EVIDENCE or before in words.WEEKDAYS:
        return node.confidence
    slashed = any(stream.low(place) == "/" for place in range(index, end))
    if not slashed:
        return 0.4 if before in {"in", "before", "after"} else None
    if before in _FIGURES_BEHIND:
        return 0.45
    second = stream.number(index + 2) or 0
    if node.choices or (second in {16, 32} and not node.ends):
        return None
    return 0.35


_CHECKS: Final = {
    "month": _month,
    "weekday": _weekday,
    "season": _season,
    "part": _part,
    "numeric": _numeric,
}


_LONGEST_EXPRESSION: Final = 200
"""Characters of a text that is one date and nothing else."""

_FIGURES: Final = re.compile(
    r"(?<![0-9])([0-9]{1,2})([/.-])([0-9]{1,2})\2(?:[0-9]{4}|[0-9]{2})(?![0-9])"
)


def find_dates(
    text: str, /, *, anchor: dt.date | None = None, day_first: bool | None = None
) -> tuple[DateSpan, ...]:
    """Find the dates and date ranges of a text, in order and without overlap.

    Durations, times of day and recurring dates are excluded; a date with a time is found without
    it. Below 0.5 the confidence comes from the form alone. Two-digit years up to 49 are 20xx,
    others 19xx, with at most 0.7. A financial year has a value but no days, a season has neither.
    Without a year a quarter is ``--Q3``, a week ``--W32``, a month ``--03``.

    Parameters
    ----------
    anchor
        The document's date, for relative and partial dates. They get a value if one reading is
        natural, and readings if both the last and the next one are.
    day_first
        Order of "03/04/2024": ``True`` 3 April, ``False`` March 4th, ``None`` unknown. Dates that
        fit only one order are read in that order.
    """
    spans: list[DateSpan] = []
    for start, stop in windows(text):
        stream = TokenStream(
            tokenize(text, start, stop), anchor, day_first, alone=False, reader=points.read_point
        )
        spans += _in_window(text, stream)
    return tuple(spans)


def _in_window(text: str, stream: TokenStream) -> list[DateSpan]:
    spans: list[DateSpan] = []
    index, count = 0, len(stream.tokens)
    year_end = fiscal_end = -1
    while index < count:
        read = _longest(stream, index) if points.may_start(stream, index) else None
        if read is None:
            index += 1
            continue
        node, end = read
        if node.bare == "year" and offsets.goes_on(stream, fiscal_end, index):
            node = replace(node, fiscal=True)
        node = offsets.as_fiscal(node)
        sure = confidence(stream, (index, end), node, listed=year_end == index - 1)
        if sure is None:
            index += 1
            continue
        spans.append(_span(text, stream, (index, end), node, sure))
        year_end = end if len(stream.low(end - 1)) == 4 and node.precision != "range" else -1
        fiscal_end = end if node.fiscal and node.precision == "year" else -1
        index = end
    return spans


def _longest(stream: TokenStream, index: int) -> tuple[Node, int] | None:
    point = stream.point(index)
    ranged = ranges.parse(stream, index)
    return ranged if ranged and (point is None or ranged[1] > point[1]) else point


def _span(
    text: str, stream: TokenStream, place: tuple[int, int], node: Node, sure: float
) -> DateSpan:
    start, end = stream.tokens[place[0]].start, stream.tokens[place[1] - 1].end
    read = outcome(node, stream.anchor)
    return DateSpan(
        start=start,
        end=end,
        text=text[start:end],
        kind=read.kind,
        value=read.value,
        first=read.first,
        last=read.last,
        precision=read.precision,
        readings=read.readings,
        confidence=round(min(sure, node.confidence), 2),
    )


def read_date(
    text: str, /, *, anchor: dt.date | None = None, day_first: bool | None = None
) -> DateSpan | None:
    """Read a text that is exactly one date, or return ``None``; offsets are into *text*.

    It gives a value to a stored relative, partial or ambiguous date once the document's date or
    order is known. *anchor* and *day_first* as for :func:`find_dates`.
    """
    if len(text) > _LONGEST_EXPRESSION:
        return None
    tokens = tokenize(text, 0, len(text))
    stream = TokenStream(tokens, anchor, day_first, alone=True, reader=points.read_point)
    read = _longest(stream, 0) if tokens else None
    if read is None or read[1] != len(tokens):
        return None
    read = offsets.as_fiscal(read[0]), read[1]
    sure = confidence(stream, (0, read[1]), read[0], listed=False)
    return None if sure is None else _span(text, stream, (0, read[1]), read[0], sure)


def day_order(spans: Iterable[DateSpan], /) -> bool | None:
    """Return whether the numeric dates of a document have the day first.

    ``True`` if some fit only day first (25/04/2024) and none only month first, ``False`` the other
    way round, else ``None``.
    """
    orders: set[bool] = set()
    for span in spans:
        if span.kind != "absolute":
            # A date that the calendar does not have may be wrong in its order as well.
            continue
        for match in _FIGURES.finditer(span.text):
            one, two = int(match[1]), int(match[3])
            if 12 < one <= 31 and 1 <= two <= 12:
                orders.add(True)
            elif 12 < two <= 31 and 1 <= one <= 12:
                orders.add(False)
    return orders.pop() if len(orders) == 1 else None
