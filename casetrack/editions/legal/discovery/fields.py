"""What the fields of load files are called, whoever made them, and what stands in them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from casetrack.base.words import WordLists
from casetrack.base.words.months import month_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LISTS = WordLists(__file__)

Role = Literal[
    "control",
    "begin",
    "end",
    "begin_family",
    "end_family",
    "family_range",
    "parent",
    "children",
    "group",
    "native",
    "text",
    "custodian",
    "hash",
    "author",
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "title",
    "file_name",
    "sent",
    "sent_time",
    "created",
    "modified",
    "type",
    "pages",
]
"""What a field says of its document."""

_ROLES = {
    name: cast("Role", role) for role, names in _LISTS.groups("names").items() for name in names
}
_LISTED = re.compile(r"[;\u00ae\n\r|]+")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_PLAIN = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?!\d)")
_NAMED = re.compile(
    r"(?<!\d)(\d{1,2})[-\s.]+([A-Za-z]{3,9})\.?[-\s,]+(\d{4}|\d\d)(?!\d)"
    r"|([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})"
)
_CLOCK = re.compile(
    r"(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*([AaPp]\.?[Mm])?\s*(Z\b|UTC\b|GMT\b)?"
)
_MONTHS = month_numbers("en_short")
_NOTHING = frozenset({"", "0", "00/00/0000", "0000-00-00", "00000000", "n/a", "none"})


def roles_of(columns: Iterable[str], /) -> dict[Role, str]:
    """Return which column says what; of several that say the same the first.

    Examples
    --------
    >>> roles_of(["Beg Bates", "END_BATES", "Custodian"])["begin"]
    'Beg Bates'
    """
    found: dict[Role, str] = {}
    for column in columns:
        role = _ROLES.get(re.sub(r"[^A-Z0-9]", "", column.upper()))
        if role is not None:
            found.setdefault(role, column)
    return found


def listed(value: str, /) -> tuple[str, ...]:
    """Return the parts of a field that holds several."""
    return tuple(part.strip() for part in _LISTED.split(value) if part.strip())


def day_first(values: Iterable[str], /) -> bool | None:
    """Tell how the dates of a column are written; ``None`` where both readings fit all of them."""
    found: set[bool] = set()
    for value in values:
        for match in _SLASHED.finditer(value):
            if int(match[1]) > 12:
                found.add(True)
            elif int(match[3]) > 12:
                found.add(False)
            elif match[2] == ".":
                found.add(True)
    return found.pop() if len(found) == 1 else None


def read_moment(value: str, time: str = "", /, *, days_first: bool = False) -> datetime | None:
    """Return the date, with its time where it tells one, that a field holds.

    Read are ISO 8601, ``20010514``, ``05/14/2001``, ``14.05.2001``, ``14-May-01``, ``May 14,
    2001``. What names no zone is taken for UTC, as productions are made.

    Parameters
    ----------
    value, time
        The field, and that of the time where it is a field of its own.
    days_first
        Whether the day stands before the month in numbers.

    Returns
    -------
    datetime or None
        In UTC; ``None`` for no date.
    """
    if value.strip().lower() in _NOTHING:
        return None
    day = _day(value, days_first=days_first)
    if day is None:
        return None
    rest = value[day[1] :]
    clock = _CLOCK.search(time) or _CLOCK.search(rest)
    hour = minute = second = 0
    if clock is not None:
        hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
        if clock[4]:
            hour = hour % 12 + (12 if clock[4][0] in "Pp" else 0)
    try:
        return datetime(*day[0], hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _day(value: str, *, days_first: bool) -> tuple[tuple[int, int, int], int] | None:
    if found := _ISO.search(value):
        return (int(found[1]), int(found[2]), int(found[3])), found.end()
    if found := _SLASHED.search(value):
        first, second = int(found[1]), int(found[3])
        turned = first > 12 or (days_first and second <= 12)
        month, day = (second, first) if turned else (first, second)
        return (_year(found[4]), month, day), found.end()
    if found := _NAMED.search(value):
        name = (found[2] or found[4])[:3].lower()
        if name in _MONTHS:
            month = _MONTHS[name]
            year = _year(found[3] or found[6])
            return (year, month, int(found[1] or found[5])), found.end()
    if found := _PLAIN.search(value):
        return (int(found[1]), int(found[2]), int(found[3])), found.end()
    return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 1900 + int(text) if int(text) > 69 else 2000 + int(text)


def told(fields: Mapping[str, str], roles: Mapping[Role, str], role: Role, /) -> str:
    """Return what a row says in a role, stripped; empty where it says nothing."""
    return fields.get(roles.get(role, ""), "").strip()
