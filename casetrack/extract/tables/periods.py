"""The heads of a table's columns: which name a period or a day, and which days those are."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from casetrack.base.words.lists import MONTHS, any_month


class Column(NamedTuple):
    """The period in the header of a column."""

    # Its words, those of a group of columns first: "Three Months Ended June 30, 2022"; empty
    # without a period ("% Change").
    period: str
    # first, last: its days, if they are certain.
    first: dt.date | None = None
    last: dt.date | None = None


_MONTHS = MONTHS.words("en")
_NUMBERS = {
    name: value
    for value, name in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen".split(), start=1
    )
}
_MONTH = rf"(?:{any_month('en_pattern')})\.?"
_YEAR = r"(?:19|20)\d\d"
_LEAF = re.compile(
    rf"""(?<![\w/.,-])(?:
      (?P<day>{_MONTH}\s\d{{1,2}},?\s{_YEAR}|\d{{1,2}}\.?\s{_MONTH},?\s{_YEAR}
        |\d{{1,2}}/\d{{1,2}}/(?:{_YEAR}|\d\d)|\d{{1,2}}\.\d{{1,2}}\.{_YEAR}|{_YEAR}-\d\d-\d\d)
      |(?P<quarter>(?:[1-4]Q|Q[1-4])\s?['’]?(?:{_YEAR}|\d\d)|[1-4]Q\s?FY\s?\d\d
        |(?:first|second|third|fourth|1st|2nd|3rd|4th)\squarter(?:\sof)?(?:\sfiscal)?,?\s{_YEAR})
      |(?P<other>{_YEAR}\s?(?:[-–/]|vs?\.?|to)\s?{_YEAR}|(?:(?:%|\$|percent(?:age)?)\s)?(?:change|variance|increase|growth|difference)s?\b
        |%|\d\d/\d\d)
      |(?P<open>{_MONTH}\s\d{{1,2}},?)(?=\s*(?:$|\||[A-Z]))
      |(?P<year>(?:(?:fiscal|FY|FYE|CY)\s?(?:year\s)?['’]?)?(?:{_YEAR}(?:\s?[-–/]\s?\d\d)?(?!\s?[-–/]\s?\d)|(?<=FY)\d\d|(?<=FY\s)\d\d))
    )(?![\w%])(?:\s?\((?:[a-z]|\d)\))?""",
    re.VERBOSE | re.IGNORECASE,
)
_GROUP = re.compile(
    rf"""(?P<span>(?:(?P<number>\d{{1,2}}|{"|".join(_NUMBERS)})[\s-](?P<of>months?|weeks?|quarters?)
        |(?:(?:fiscal|calendar|financial)\s)?(?P<whole>years?|quarters?|periods?))\s(?P<ended>ended|ending)
        (?:\s(?:on\s)?(?P<until>{_MONTH}\s\d{{1,2}}(?:,(?!\s{_YEAR})|(?=\s*(?:$|\||,?\s?\()))))?)
      |(?P<at>(?:as\s(?:of|at)|at|balances?,?(?:\sat|\sas\sof)?)\s(?P<on>{_MONTH}\s\d{{1,2}}(?:,(?!\s{_YEAR})|(?=\s*(?:$|\|)))))
      |(?P<fiscal>(?:fiscal|financial)\syears?(?:\sended)?)(?=\s*(?:$|\||:))
      |(?P<named>(?:first|second|third|fourth)\squarter|(?:six|nine|twelve)\smonths)(?=\s*(?:$|\|))""",
    re.VERBOSE | re.IGNORECASE,
)
_NUMERIC = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})")
_TWO_DIGITS = 100
_CACHED = 1024
_MAY_BE_HEAD = re.compile(
    r"\d|[Ee]nd(?:ed|ing)|END(?:ED|ING)|[Ff]iscal|FISCAL|[Mm]onths|MONTHS|[Qq]uarter|QUARTER"
)
_HEAD_WORDS = re.compile(
    rf"\b(?:as|of|at|on|the|for|from|to|ended|ending|(?:fiscal|financial)|years?|months?|quarters?|weeks?"
    rf"|periods?|first|second|third|fourth|{'|'.join(_NUMBERS)}|balances?|unaudited|audited|restated"
    rf"|pro|forma|actual|estimated?|budget|forecast|plan|in|millions|thousands|stand|zum|per)\b",
    re.IGNORECASE,
)
_OTHER_WORD = re.compile(r"[^\W\d_]{2}")


def has_head(line: str, /) -> bool:
    """Return whether a line names a period, a day, or a group of periods."""
    if _MAY_BE_HEAD.search(line) is None:
        return False
    if _GROUP.search(line):
        return True
    return any(leaf["other"] is None for leaf in _LEAF.finditer(line))


def is_leaves(line: str, /) -> bool:
    """Return whether a line ends with headers of columns: years, days or quarters."""
    return any(leaf["day"] or leaf["year"] or leaf["quarter"] for leaf in _LEAF.finditer(line))


def read_columns(lines: Sequence[str], /) -> tuple[Column, ...]:
    """Return the columns in the header lines of a table, from the top; empty if uncertain.

    Examples
    --------
    >>> [c.period for c in read_columns(["Year Ended December 31,", "| 2022 | 2021 | % Change"])]
    ['Year Ended December 31, 2022', 'Year Ended December 31, 2021', '']
    >>> read_columns(["Three months ended March 31, 2024"])[0].first
    datetime.date(2024, 1, 1)
    """
    at = next((i for i in range(len(lines) - 1, -1, -1) if is_leaves(lines[i])), None)
    if at is None:
        return ()
    leaves = _leaves(lines[at]) if _heads_alone(lines[at]) else []
    if not leaves:
        return ()
    above = list(lines[:at])
    years = [leaf for leaf in leaves if leaf is not None]
    if all(leaf["year"] for leaf in years) and above and not _GROUP.search(above[-1]):
        days = [leaf for leaf in _LEAF.finditer(above[-1]) if leaf["open"]]
        days = days * len(years) if len(days) == 1 else days
        if len(days) == len(years):
            words = [
                f"{d['open'].rstrip(',')}, {y['year']}" for d, y in zip(days, years, strict=True)
            ]
            return _grouped(
                words, [leaf is not None for leaf in leaves], _groups([*above[:-1]], "")
            )
    words = [_words(leaf) for leaf in years]
    first = years[0]
    if first["day"] and len(years) > 1 and all(leaf["year"] for leaf in years[1:]):
        # "For the years ended June 30, 2023 2022 2021" has the day once.
        words[1:] = [re.sub(rf"{_YEAR}$", word, words[0]) for word in words[1:]]
    return _grouped(
        words, [leaf is not None for leaf in leaves], _groups(above, lines[at][: first.start()])
    )


@lru_cache(_CACHED)
def read_column(name: str, /) -> Column | None:
    """Return the column of a name of one or several levels, or ``None`` without a period.

    Examples
    --------
    >>> read_column("Year ended June 30, / 2024").last
    datetime.date(2024, 6, 30)
    """
    columns = read_columns([f"| {level}" for level in name.split(" / ")])
    return columns[0] if len(columns) == 1 and columns[0].period else None


def _heads_alone(line: str) -> bool:
    """Return whether no cell has words around a day: "order of 3 May 2031 | 7" has."""
    cells = line.split("|")[1:]
    for cell in cells:
        leaf = _LEAF.search(cell)
        if leaf is not None and _OTHER_WORD.search(_HEAD_WORDS.sub("", cell[: leaf.start()])):
            return False
    return True


def _leaves(line: str) -> list[re.Match[str] | None]:
    cells: list[re.Match[str] | None] = []
    seen = False
    last = 0
    for leaf in _LEAF.finditer(line):
        if leaf["open"]:
            continue
        if seen and _is_column(line[last : leaf.start()]):
            cells.append(None)
        last = leaf.end()
        if leaf["other"]:
            if seen:
                cells.append(None)
            continue
        seen = True
        cells.append(leaf)
    if seen and _is_column(line[last:]):
        cells.append(None)
    return cells


def _is_column(between: str) -> bool:
    return bool(re.search(r"[^\W\d_]{3,}", re.sub(r"\([^)]*\)", "", between)))


def _words(leaf: re.Match[str]) -> str:
    words = leaf["day"] or leaf["quarter"] or leaf["year"]
    return " ".join(words.split())


def _groups(above: Sequence[str], before: str) -> list[re.Match[str]]:
    """Return the groups of columns: of the line itself, else of the nearest line that has some."""
    own = list(_GROUP.finditer(before))
    if own:
        return own
    for line in reversed(above):
        match = list(_GROUP.finditer(line))
        if match:
            return match
    return []


def _grouped(
    words: list[str], named: list[bool], groups: list[re.Match[str]]
) -> tuple[Column, ...]:
    count = len(words)
    if not groups or count % len(groups):
        made = [_column(word, None) for word in words]
    else:
        each = count // len(groups)
        made = [_column(word, groups[i // each]) for i, word in enumerate(words)]
    made = [_since_the_year_before(column, made) for column in made]
    rest = iter(made)
    return tuple(next(rest) if is_named else Column("") for is_named in named)


def _column(word: str, group: re.Match[str] | None) -> Column:
    day = _day(word)
    if group is None:
        return Column(word, None, day)
    phrase = " ".join(group[0].split())
    until = group["until"] or group["on"]
    if until and day is None and re.fullmatch(_YEAR, word):
        day = _day(f"{until.rstrip(',')}, {word}")
    if until and not re.fullmatch(_YEAR, word):
        # The heads have the day as well: "Three months ended June 30," over "June 30, 2022".
        phrase, until = phrase[: phrase.rindex(until.split()[0])].strip(), None
    text = f"{phrase.rstrip(',')}, {word}" if until else f"{phrase} {word}"
    if day is None:
        return Column(text)
    if group["at"]:
        return Column(text, day, day)
    return Column(text, _first(group, day), day)


def _first(group: re.Match[str], last: dt.date) -> dt.date | None:
    number = _number(group["number"])
    of = (group["of"] or group["whole"] or "").lower().rstrip("s")
    if group["fiscal"]:
        number, of = 1, "year"
    if of == "week" and number:
        return last - dt.timedelta(days=7 * number - 1)
    months = {"month": number or 0, "quarter": 3 * (number or 1), "year": 12}.get(of, 0)
    if not months or last.day != calendar.monthrange(last.year, last.month)[1]:
        return None
    after = last + dt.timedelta(days=1)
    first = after.year * 12 + after.month - 1 - months
    return dt.date(first // 12, first % 12 + 1, 1)


def _since_the_year_before(column: Column, all_columns: list[Column]) -> Column:
    """Start a year of 52 or 53 weeks after the end of another column's year."""
    if (
        column.first
        or column.last is None
        or not re.match(r"(?:fiscal )?years? ended", column.period, re.IGNORECASE)
    ):
        return column
    ends = [c.last for c in all_columns if c.last and 355 < (column.last - c.last).days < 375]
    return column._replace(first=ends[0] + dt.timedelta(days=1)) if ends else column


def _number(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if written.isdecimal() else _NUMBERS[written.lower()]


def _day(word: str) -> dt.date | None:
    try:
        if numeric := _NUMERIC.fullmatch(word):
            month, day, year = map(int, numeric.groups())
            return dt.date(year + (2000 if year < _TWO_DIGITS else 0), month, day)
        if re.fullmatch(rf"{_YEAR}-\d\d-\d\d", word):
            return dt.date.fromisoformat(word)
        if pointed := re.fullmatch(rf"(\d{{1,2}})\.(\d{{1,2}})\.({_YEAR})", word):
            return dt.date(int(pointed[3]), int(pointed[2]), int(pointed[1]))
        pieces = re.findall(r"\d+|[A-Za-z]+", word)
        name = next((p for p in pieces if p.isalpha()), "")
        figures = [int(p) for p in pieces if p.isdecimal()]
        month = next(
            (i for i, m in enumerate(_MONTHS, 1) if m.lower().startswith(name[:3].lower())), 0
        )
        if not name or not month or len(figures) != 2:
            return None
        year = max(figures)
        return dt.date(year, month, min(figures))
    except ValueError:
        return None
