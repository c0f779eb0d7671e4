"""Numbers in digits: their ends, and the meaning of points and commas.

A numeral with point and comma, or with several of one, shows its decimal sign. One with a single
sign and three digits ("1.234") is read like the other numbers of the text, else as English; the
other reading lowers the confidence.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from typing import NamedTuple

from casetrack.base.dataclass import dataclass

# Numbers in English words: "one hundred and twenty-five", "half a million", "two thirds".

UNITS = {
    word: value
    for value, word in enumerate("zero one two three four five six seven eight nine".split())
}
_TEENS = {
    word: value
    for value, word in enumerate(
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(),
        start=10,
    )
}
_TENS = {
    word: value
    for value, word in zip(
        range(20, 100, 10),
        "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        strict=True,
    )
} | {"fourty": 40}
SCALES = {
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "quadrillion": 1e15,
    "lakh": 1e5,
    "lac": 1e5,
    "crore": 1e7,
    "milliard": 1e9,
}
SCALES |= {f"{word}s": value for word, value in SCALES.items()}
_HUNDREDS = frozenset(("hundred", "hundreds"))
_DOZENS = frozenset(("dozen", "dozens", "doz", "dozs"))
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
        "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(),
        start=3,
    )
} | {"half": 2, "halve": 2, "quarter": 4, "hundredth": 100, "thousandth": 1000, "millionth": 1e6}
_ORDINALS |= {"billionth": 1e9, "trillionth": 1e12}
_ORDINALS |= {word[:-1] + "ieth": value for word, value in _TENS.items()}
_PARTS = _ORDINALS | {f"{word}s": value for word, value in _ORDINALS.items()}
_NEXT = re.compile(r"(?:\s{1,3}|\s?-\s?)([a-z]+|\d{1,3}(?![\d.,/]))")
_FIRST = re.compile(r"[a-z]+")
_POINT = re.compile(r"(?:\s{1,3}[a-z]+(?:-[a-z]+)?){1,12}")
_PART = re.compile(
    r"(an?|"
    + "|".join((*UNITS, *_TEENS, *_TENS))
    + r"|\d{1,2})(?:[\s-]("
    + "|".join(UNITS)
    + r"))?(?:\s{1,2}|\s?-\s?)("
    + "|".join(sorted(_TENS))
    + r")?-?("
    + "|".join(sorted(_PARTS, key=len, reverse=True))
    + r")(?![a-z])"
)
_WHOLE_PARTS = frozenset(("half", "quarter"))
_NOUN = re.compile(
    r"\s{1,2}(?!of\b|per\b|an?\b|to\b|in\b|(?:percent|thousand|million|billion|trillion)\b)[a-z]{3}"
)
_AND = re.compile(r"\s{1,3}and\s{1,3}")
_OF_A = re.compile(r"(?:\s{1,2}of)?\s{1,2}an?(?=\s)")
_SMALL_FIRST = UNITS | _TEENS | _TENS
_MOST_WORDS = 24
FIRST_WORDS = (
    *UNITS, *_TEENS, *_TENS, "hundred", "thousand", "million", "billion", "trillion", "half",
    "quarter", "dozen", "nought", "naught", "lakh", "crore",
)  # fmt: skip
"""First words of numbers (except "a" and "an")."""


class _State(NamedTuple):
    total: float
    group: float
    slot: str
    scale: float
    end: int


def read_words(low: str, start: int, /) -> tuple[int, float, bool] | None:
    """Read the number in words that begins at *start* ("a" of "a hundred" excluded).

    Returns its end, its value, and whether it has a word such as "million".
    """
    first = _FIRST.match(low, start)
    if first is None:
        return None
    word = first[0]
    if word in {"half", "quarter"}:
        return _scaled_part(low, first.end(), 0.5 if word == "half" else 0.25)
    part = _part(low, start)
    if part is not None:
        return _scaled_part(low, part[0], part[1])
    if word in {"nought", "naught"}:
        return _tail(low, _State(0, 0, "unit", 0, first.end()))
    state = _step(_State(0, 0, "start", 1e30, start), word, first.end())
    return None if state is None else _tail(low, state)


def read_scaled(low: str, end: int, value: float, /) -> tuple[int, float, bool] | None:
    """Read words after a number in digits ("4 thousand 3 hundred", "3 million and a half").

    *end* and *value* are those of the digits. Returns the end, the value, and True; or ``None``.
    """
    match = _NEXT.match(low, end)
    if match is None or (
        match[1] not in SCALES and match[1] not in _HUNDREDS and match[1] not in _DOZENS
    ):
        return None
    state = _step(_State(0, value, "digits", 1e30, end), match[1], match.end())
    if state is None:
        return None
    stop, total, scaled = _tail(low, state)
    return stop, round(total, 6), scaled


def read_part_after(low: str, end: int, /) -> tuple[int, float] | None:
    """Read "and a half", "and three quarters" after a number; return end and value."""
    match = _AND.match(low, end)
    return None if match is None else _part(low, match.end())


def _part(low: str, start: int) -> tuple[int, float] | None:
    match = _PART.match(low, start)
    if match is None:
        return None
    top = 1.0 if match[1] in {"a", "an"} else float(_SMALL_FIRST.get(match[1], 0) or 0)
    if match[1].isdecimal():
        top = float(match[1])
    if match[2]:
        if match[1] not in _TENS:
            return None
        top += UNITS[match[2]]
    bottom = (_TENS[match[3]] if match[3] else 0) + _PARTS[match[4]]
    singular = match[4] in _ORDINALS
    if match[1] in {"a", "an"} and match[4] not in _WHOLE_PARTS and _NOUN.match(low, match.end()):
        return None  # "and a fourth quarter charge", "and a third party"
    if not top or (singular and top != 1) or (match[3] and not 3 <= _PARTS[match[4]] <= 9):
        return None
    return match.end(), top / bottom


def _scaled_part(low: str, end: int, value: float) -> tuple[int, float, bool]:
    of = _OF_A.match(low, end)
    match = _NEXT.match(low, of.end() if of else end)
    if match is not None and match[1] in SCALES:
        return match.end(), value * SCALES[match[1]], True
    if match is not None and match[1] in {"dozen", "hundred"}:
        return match.end(), value * (12 if match[1] == "dozen" else 100), False
    return end, value, False


def _step(state: _State, word: str, end: int) -> _State | None:
    total, group, slot, scale, _ = state
    fresh = slot in {"start", "hundred", "scale", "and"}
    if word in UNITS:
        open_ten = slot == "ten" and UNITS[word] > 0
        return _State(total, group + UNITS[word], "unit", scale, end) if fresh or open_ten else None
    if word in _TEENS or word in _TENS:
        value, name = (_TENS[word], "ten") if word in _TENS else (_TEENS[word], "teen")
        return _State(total, group + value, name, scale, end) if fresh else None
    if word.isdecimal():
        return _State(total, group + int(word), "digits", scale, end) if fresh else None
    if word in _HUNDREDS:
        if slot == "start" or (0 < group < 100 and slot in {"unit", "teen", "digits"}):
            return _State(total, (group or 1) * 100, "hundred", scale, end)
        return None
    if word in SCALES:
        by = SCALES[word]
        if slot == "scale":
            return _State(total * by, 0, "scale", by, end) if by >= scale else None
        if by < scale and (group or slot == "start"):
            return _State(total + (group or 1) * by, 0, "scale", by, end)
        return None
    if word in _DOZENS and slot != "and" and not total:
        return _State((group or 1) * 12, 0, "dozen", 0, end)
    return None


def _tail(low: str, state: _State) -> tuple[int, float, bool]:
    for _ in range(_MOST_WORDS):
        match = _NEXT.match(low, state.end)
        if match is None:
            break
        word = match[1]
        if word in {"and", "point"}:
            return _after_and(low, state) if word == "and" else _decimals(low, state, match.end())
        if word.isdecimal() and not _scaled_next(low, match.end()):
            break
        following = _step(state, word, match.end())
        if following is None:
            break
        state = following
    return _closed(state)


def _scaled_next(low: str, end: int) -> bool:
    match = _NEXT.match(low, end)
    return match is not None and (match[1] in SCALES or match[1] in _HUNDREDS)


def _closed(state: _State) -> tuple[int, float, bool]:
    return state.end, float(state.total + state.group), state.total > 0 and state.slot != "dozen"


def _after_and(low: str, state: _State) -> tuple[int, float, bool]:
    match = _AND.match(low, state.end)
    if match is None:
        return _closed(state)
    part = _part(low, match.end())
    if part is not None:
        end, value, scaled = _scaled_part(low, *part)
        whole = state.total + state.group
        if scaled and not state.total and part[1] < 1:
            return end, round(value + whole * value / part[1], 6), True
        if state.slot == "scale" and not scaled and part[1] < 1 and not state.group:
            value *= state.scale
        return end, whole + value, scaled or state.total > 0
    word = _NEXT.match(low, match.end() - 1)
    if word is None or state.slot not in {"hundred", "scale"}:
        return _closed(state)
    following = _step(state._replace(slot="and"), word[1], word.end())
    return _closed(state) if following is None else _tail(low, following)


def _decimals(low: str, state: _State, end: int) -> tuple[int, float, bool]:
    hit = _POINT.match(low, end)
    digits, stop = "", end
    for match in _FIRST.finditer(low, end, hit.end() if hit else end):
        digit = 0 if match[0] in {"nought", "naught", "oh"} else _SMALL_FIRST.get(match[0])
        if digit is None:
            break
        if digits and digit < 10 and digits[-1] == "0" and len(digits) > 1 and digits[-2] != "0":
            digits = digits[:-1]
        digits += str(digit)
        stop = match.end()
    if not digits:
        return _closed(state)
    value = state.total + state.group + float("0." + digits)
    scaled = _NEXT.match(low, stop)
    if scaled is not None and scaled[1] in SCALES:
        return scaled.end(), value * SCALES[scaled[1]], True
    return stop, value, state.total > 0


NUMERAL = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+){0,12}")
SPACED = re.compile(r"\d{1,3} \d{3}(?!\d)|\d+\s\d{1,2}[/⁄]\d")
"""Possible numbers with a space."""
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
    """A number that was read."""

    end: int
    value: float
    other: float | None = None  # value with the other decimal sign, if the text allows both
    plain: bool = False  # whether it has digits only, without sign, fraction or word
    words: bool = False  # whether it has words only
    scaled: bool = False  # whether it has a word such as "million"

    def times(self, scale: float, /) -> float:
        """Return the value times *scale* (1e6 for "million"), without binary rounding errors."""
        return round(self.value * scale, 6) if scale > 1 else self.value * scale


class Habit:
    """Decimal style of a text, determined on first use."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def comma(self) -> bool | None:
        """True: "1.234,56". False: "1,234.56". ``None``: unknown."""
        text = self._text
        comma = bool(_POINT_GROUPS.search(text)) or bool(_COMMA_DECIMAL.search(text))
        point = bool(_COMMA_GROUPS.search(text)) or bool(_POINT_DECIMAL.search(text))
        if comma and not _BOTH_SIGNS.search(text) and _COMMA_THREE.search(text):
            # "Fair Value 1,2" are footnotes, and "12,13" sections, where "1,257" is written, too.
            return None
        return comma if comma != point else None


def read_value(digits: str, habit: Habit, /) -> tuple[float, float | None] | None:
    """Return the value of a numeral and its other reading, or ``None`` if it is not one number."""
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
    number = float("".join(filter(str.isdecimal, whole)))
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


def read_digits(text: str, start: int, habit: Habit, /, *, spaces: bool) -> Number | None:
    """Read the number whose first digit is at *start*; *spaces* allows "1 234 €"."""
    match = NUMERAL.match(text, start)
    if match is None:
        return None
    if match[0].isdecimal() and match.end() < len(text) and match.end() - start <= 4:
        number = _with_fraction(text, start, match.end())
        if number is not None:
            return number
        joined = _GROUPED_BY_SPACE.match(text, start) if spaces else None
        if joined is not None:
            whole, _, part = joined[0].replace(",", ".").partition(".")
            return Number(joined.end(), float(f"{whole.replace(' ', '')}.{part or 0}"))
    read = read_value(match[0], habit)
    if read is None:
        return None
    power = _EXPONENT.match(text, match.end())
    if power is not None:
        value = read[0] * 10.0 ** int(power["power"].translate(_RAISED))
        return Number(power.end(), value) if math.isfinite(value) else None
    return Number(match.end(), *read, plain=match[0].isdecimal())


def _with_fraction(text: str, start: int, end: int) -> Number | None:
    after = text[end]
    if after in "/⁄":
        match = _FRACTION.match(text, start)
        if match is None or not int(match["b"]):
            return None
        return Number(match.end(), int(match["a"]) / int(match["b"]))
    if after not in " -\u00a0\u202f\t\n" and after not in GLYPHS:
        return None
    match = _MIXED.match(text, start)
    if match is None:
        return None
    if match["g"]:
        return Number(match.end(), int(match["whole"]) + GLYPHS[match["g"]])
    top, bottom = int(match["a"]), int(match["b"])
    if not 0 < top < bottom:
        return None
    return Number(match.end(), int(match["whole"]) + top / bottom)
