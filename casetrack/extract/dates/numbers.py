"""Numbers in words and digits: days of the month, years, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.years import YEARS
from casetrack.extract.dates import vocabulary as words

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import TokenStream

Read = tuple[int, int]
"""A number and the index after it."""

_WINDOW = 50
"""Two-digit years below are 20xx, the others 19xx, as spreadsheets and Windows read them."""


def full_year(short: int) -> int:
    """Return the year that two digits mean: 00 to 49 are 20xx, 50 to 99 are 19xx."""
    return 2000 + short if short < _WINDOW else 1900 + short


def below_hundred(stream: TokenStream, index: int) -> Read | None:
    """Read a cardinal number below a hundred in words."""
    low = stream.low(index)
    if low in words.TENS:
        after = index + 1
        joined = after + 1 if stream.low(after) == "-" and stream.glued(after) else after
        unit = words.CARDINALS.get(stream.low(joined), 0)
        if 1 <= unit <= 9:
            return words.TENS[low] + unit, joined + 1
        return words.TENS[low], after
    if low in words.CARDINALS:
        return words.CARDINALS[low], index + 1
    return None


def ordinal_word(stream: TokenStream, index: int) -> Read | None:
    """Read an ordinal number up to 39 in words."""
    low = stream.low(index)
    if low in words.ORDINALS:
        return words.ORDINALS[low], index + 1
    if low in {"twenty", "thirty"}:
        after = index + 1
        if stream.low(after) == "-" and stream.glued(after):
            after += 1
        unit = words.ORDINALS.get(stream.low(after), 0)
        if 1 <= unit <= 9:
            return words.TENS[low] + unit, after + 1
    return None


def ordinal(stream: TokenStream, index: int) -> Read | None:
    """Read an ordinal number in words, or in digits with a suffix."""
    number = stream.number(index)
    if number is not None and stream.low(index + 1) in words.SUFFIXES:
        return (number, index + 2) if not _counts(stream, index) else None
    return ordinal_word(stream, index)


def day_of_month(stream: TokenStream, index: int, *, spelled: bool = True) -> Read | None:
    """Read a day of the month: digits, an ordinal number, or (*spelled*) a cardinal one."""
    read = ordinal(stream, index)
    if read is None:
        number = stream.number(index)
        if number is not None and not _counts(stream, index):
            read = number, index + 1
        elif spelled:
            read = below_hundred(stream, index)
    return read if read and 1 <= read[0] <= 31 else None


def _counts(stream: TokenStream, index: int) -> bool:
    """Return whether digits are part of a longer number, of a sum or of a code."""
    before = stream.text(index - 1)
    if stream.tokens[index].gap or index == 0:
        return before in {"$", "€", "£", "¥"}
    if before in {"$", "€", "£", "¥", "#", "_"}:
        return True
    if before == "," and len(stream.low(index)) != 3:
        return False
    return (
        before in {".", ",", ":", "·"}
        and stream.glued(index - 1)
        and stream.low(index - 2).isdigit()
    )


def decimal_follows(stream: TokenStream, index: int) -> bool:
    """Return whether a point, a comma or a percent sign continues the number before *index*."""
    sign = stream.low(index)
    if sign == "%":
        return True
    glued = stream.glued(index) and stream.glued(index + 1)
    figures = stream.low(index + 1)
    if not glued or not figures[:1].isdigit():
        return False
    return sign == "." or (sign == "," and len(figures) == 3)


def year_figures(stream: TokenStream, index: int) -> Read | None:
    """Read a year of four digits."""
    number = stream.number(index, 4)
    if number is None or number not in YEARS or _counts(stream, index):
        return None
    after = index + 1
    if decimal_follows(stream, after) or stream.low(after) in words.COUNTED:
        return None
    letters = stream.glued(after) and stream.low(after).isalpha() and stream.low(after) != "s"
    return None if letters else (number, after)


def year(stream: TokenStream, index: int, *, short: bool = False) -> Read | None:
    """Read a year: four digits, two after an apostrophe or (*short*) without, or words."""
    read = year_figures(stream, index)
    if read is not None:
        return read
    if stream.low(index) in {"'", "’", "‘"} and stream.glued(index + 1):
        number = stream.number(index + 1)
        if number is not None and len(stream.low(index + 1)) == 2:
            return full_year(number), index + 2
    number = stream.number(index)
    if short and number is not None and len(stream.low(index)) == 2:
        after = index + 1
        if not decimal_follows(stream, after) and not _joined(stream, after):
            return full_year(number), after
    return year_words(stream, index)


def _joined(stream: TokenStream, index: int) -> bool:
    return stream.glued(index) and (
        stream.low(index)[:1].isalpha()
        or (stream.low(index) in {"/", "-", ":"} and stream.low(index + 1)[:1].isdigit())
    )


def year_words(stream: TokenStream, index: int) -> Read | None:
    """Read a year in words: "two thousand and eighteen", "nineteen ninety six"."""
    head = below_hundred(stream, index)
    if head is None or head[0] == 0:
        return None
    number, after = head
    if stream.low(after) == "thousand":
        return _hundreds(stream, after + 1, number * 1000)
    if stream.low(after) == "hundred" and 10 <= number <= 21:
        return _rest(stream, after + 1, number * 100)
    if 10 <= number <= 21:
        after = after + 1 if stream.low(after) == "-" else after
        if stream.low(after) in {"zero", "oh"}:
            unit = below_hundred(stream, after + 1)
            return (number * 100 + unit[0], unit[1]) if unit and unit[0] < 10 else None
        tail = below_hundred(stream, after)
        if tail and 10 <= tail[0] <= 99:
            return number * 100 + tail[0], tail[1]
    return None


def old_year_words(stream: TokenStream, index: int) -> Read | None:
    """Read a year in words after the word year: "two hundred and sixty seven" as well."""
    read = year_words(stream, index)
    if read is not None:
        return read
    head = below_hundred(stream, index)
    if head and 1 <= head[0] <= 9 and stream.low(head[1]) == "hundred":
        return _rest(stream, head[1] + 1, head[0] * 100)
    return None


def _hundreds(stream: TokenStream, index: int, thousands: int) -> Read | None:
    if thousands not in {1000, 2000}:
        return None
    head = below_hundred(stream, index)
    if head and 1 <= head[0] <= 9 and stream.low(head[1]) == "hundred":
        return _rest(stream, head[1] + 1, thousands + head[0] * 100)
    return _rest(stream, index, thousands)


def _rest(stream: TokenStream, index: int, number: int) -> Read:
    tail = below_hundred(stream, stream.skip(index, "and"))
    return (number + tail[0], tail[1]) if tail else (number, index)


def count(stream: TokenStream, index: int) -> tuple[int, int] | None:
    """Read how many units: digits, words, "a", "few", "a couple of", "three (3)"."""
    low = stream.low(index)
    number = stream.number(index, 4)
    if number is not None:
        return (number, index + 1) if not _counts(stream, index) else None
    if low in {"a", "an", "a couple"}:
        if stream.low(index + 1) == "few":
            return 3, index + 2
        if stream.low(index + 1) == "couple":
            return 2, stream.skip(index + 2, "of")
        return 1, index + 1
    if low in {"few", "several", "some"}:
        return 3, index + 1
    if low == "couple":
        return 2, stream.skip(index + 1, "of")
    read = below_hundred(stream, index)
    if read is None or read[0] == 0:
        return None
    figures = stream.number(read[1] + 1, 4)
    if stream.low(read[1]) == "(" and figures == read[0] and stream.low(read[1] + 2) == ")":
        return read[0], read[1] + 3
    return read
