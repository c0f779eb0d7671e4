"""Numbers in digits: where they end, and what their points and commas mean.

A numeral with a point and a comma, or with several of one kind, shows which of them is the decimal
sign. One with a single sign and three digits after it ("1.234") does not: it is read as the rest of
the text writes its numbers, and failing that as English does; the other reading makes it less sure.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

NUMERAL = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+){0,12}")
SPACED = re.compile(r"\d{1,3} \d{3}(?!\d)|\d+\s\d{1,2}[/⁄]\d")
"""What may be one number although a space is in it."""
_GROUPED_BY_SPACE = re.compile(r"\d{1,3}(?: \d{3}){1,4}(?! ?\d)(?:[.,]\d{1,4})?(?![.,]?\d)")
_PLAIN_GROUP = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}")
_SIGN_GROUP = re.compile(r"\d{1,3}(?:['’\u00a0\u202f]\d{3})+")
_MIXED = re.compile(
    r"(?P<whole>\d+)(?:(?:\s{1,2}|-)(?P<a>\d{1,2})[/⁄](?P<b>\d{1,3})|\s?(?P<g>[¼½¾⅐-⅞]))(?![/\d])"
)
_FRACTION = re.compile(r"(?P<a>\d{1,4})[/⁄](?P<b>\d{1,4})(?![/\d]|\.\d)")
_EXPONENT = re.compile(
    r"(?:\s?[x×*]\s?10\^?|e)(?P<power>[+\-−]?\d{1,2}|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})(?!\w)"
)
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "+-0123456789-")
GLYPHS = {
    glyph: top / bottom
    for glyph, top, bottom in (
        ("¼", 1, 4), ("½", 1, 2), ("¾", 3, 4), ("⅐", 1, 7), ("⅑", 1, 9), ("⅒", 1, 10),
        ("⅓", 1, 3), ("⅔", 2, 3), ("⅕", 1, 5), ("⅖", 2, 5), ("⅗", 3, 5), ("⅘", 4, 5),
        ("⅙", 1, 6), ("⅚", 5, 6), ("⅛", 1, 8), ("⅜", 3, 8), ("⅝", 5, 8), ("⅞", 7, 8),
    )
}  # fmt: skip
_MOST_DIGITS = 30
_COMMA_DECIMAL = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})*,\d{1,2}(?![\d,.]\d|\d)")
_POINT_DECIMAL = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})*\.\d{1,2}(?![\d,.]\d|\d)|\d,\d{3}\.\d")
_COMMA_GROUPS = re.compile(r"(?<![\d.,])\d{1,3},\d{3},\d{3}(?!\d)|\d,\d{3}\.\d")
_POINT_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}\.\d{3}\.\d{3}(?!\d)|\d\.\d{3},\d")
_COMMA_THREE = re.compile(r"(?<![\d.,])\d{1,3},\d{3}(?![\d,]|\.\d{3}(?!\d))")
_BOTH_SIGNS = re.compile(r"\d\.\d{3},\d")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was read.

    Attributes
    ----------
    end
        Where it ends.
    value
        What it is.
    other
        What it would be with the other decimal sign, where the text leaves that open.
    plain
        Whether it is digits alone, without sign, fraction or word.
    words
        Whether it is written in words alone.
    scaled
        Whether a word such as "million" is in it.
    """

    end: int
    value: float
    other: float | None = None
    plain: bool = False
    words: bool = False
    scaled: bool = False

    def times(self, scale: float, /) -> float:
        """Return the value on a scale, without the dust of binary fractions.

        Parameters
        ----------
        scale
            1e6 for "million".
        """
        return round(self.value * scale, 6) if scale > 1 else self.value * scale


class Habit:
    """How a text writes its decimals; looked up once, when first asked for.

    Parameters
    ----------
    text
        The whole text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def comma(self) -> bool | None:
        """True: "1.234,56". False: "1,234.56". ``None``: the text does not tell."""
        text = self._text
        comma = bool(_POINT_GROUPS.search(text)) or bool(_COMMA_DECIMAL.search(text))
        point = bool(_COMMA_GROUPS.search(text)) or bool(_POINT_DECIMAL.search(text))
        if comma and not _BOTH_SIGNS.search(text) and _COMMA_THREE.search(text):
            # "Fair Value 1,2" are footnotes, and "12,13" sections, where "1,257" is written, too.
            return None
        return comma if comma != point else None


def read_value(digits: str, habit: Habit, /) -> tuple[float, float | None] | None:
    """Return the value of a numeral and its other reading, ``None`` where it is not one number.

    Parameters
    ----------
    digits
        Digits with the signs between them.
    habit
        How the text writes its numbers.
    """
    if len(digits) > _MOST_DIGITS:
        return None
    if digits.isdecimal():
        return float(digits), None
    whole, sign, part = digits, "", ""
    point, comma = digits.rfind("."), digits.rfind(",")
    last = max(point, comma)
    if last >= 0 and (digits.count(digits[last]) == 1):
        whole, sign, part = digits[:last], digits[last], digits[last + 1 :]
    if not whole.isdecimal() and not _is_grouped(whole, sign):
        return None
    if sign and not part.isdecimal():
        # An apostrophe or a space parts thousands, and no decimals: "1,234'567".
        return None
    number = _joined(whole)
    if not sign:
        return number, None
    decimal = float(f"{int(number)}.{part}")
    if len(part) != 3 or not whole.isdecimal() or len(whole) > 3 or whole[0] == "0":
        return decimal, None
    return _either(sign, decimal, float(whole + part), habit)


def _either(sign: str, decimal: float, grouped: float, habit: Habit) -> tuple[float, float | None]:
    comma = habit.comma
    if comma is None:
        return (grouped, None) if sign == "," else (decimal, grouped)
    as_decimal = (sign == ",") == comma
    return (decimal, None) if as_decimal else (grouped, None)


def _is_grouped(whole: str, sign: str) -> bool:
    if sign and sign in whole:
        return False
    return bool(_PLAIN_GROUP.fullmatch(whole) or _SIGN_GROUP.fullmatch(whole))


def _joined(whole: str) -> float:
    return float("".join(filter(str.isdecimal, whole)))


def read_digits(text: str, start: int, habit: Habit, /, *, spaces: bool) -> Number | None:
    """Read the number that begins with the digit at a place.

    Parameters
    ----------
    text
        The text.
    start
        Where a digit stands.
    habit
        How the text writes its numbers.
    spaces
        Whether a space may part thousands ("1 234 €").
    """
    found = NUMERAL.match(text, start)
    if found is None:
        return None
    if found[0].isdecimal() and found.end() < len(text) and found.end() - start <= 4:
        number = _with_fraction(text, start, found.end())
        if number is not None:
            return number
        joined = _GROUPED_BY_SPACE.match(text, start) if spaces else None
        if joined is not None:
            whole, _, part = joined[0].replace(",", ".").partition(".")
            return Number(joined.end(), float(f"{whole.replace(' ', '')}.{part or 0}"))
    read = read_value(found[0], habit)
    if read is None:
        return None
    power = _EXPONENT.match(text, found.end())
    if power is not None:
        value = read[0] * 10.0 ** int(power["power"].translate(_RAISED))
        return Number(power.end(), value) if math.isfinite(value) else None
    return Number(found.end(), *read, plain=found[0].isdecimal())


def _with_fraction(text: str, start: int, end: int) -> Number | None:
    after = text[end]
    if after in "/⁄":
        found = _FRACTION.match(text, start)
        if found is None or not int(found["b"]):
            return None
        return Number(found.end(), int(found["a"]) / int(found["b"]))
    if after not in " -\u00a0\u202f\t\n" and after not in GLYPHS:
        return None
    found = _MIXED.match(text, start)
    if found is None:
        return None
    if found["g"]:
        return Number(found.end(), int(found["whole"]) + GLYPHS[found["g"]])
    top, bottom = int(found["a"]), int(found["b"])
    if not 0 < top < bottom:
        return None
    return Number(found.end(), int(found["whole"]) + top / bottom)
