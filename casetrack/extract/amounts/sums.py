"""Sums of money: a number with a sign, code or name of a currency before or after it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass
from casetrack.extract.amounts import money
from casetrack.extract.amounts.context import CLOSE, GAP, LONE_END, RANGE, START, Context
from casetrack.extract.amounts.money import is_numbered, minor_of, names_street, same_money
from casetrack.extract.amounts.numerals import SCALES, Number, read_digits, read_scaled
from casetrack.extract.amounts.suffixes import percent_after, unit_after

if TYPE_CHECKING:
    from casetrack.extract.spans import AmountKind

_CENTS_LINK = re.compile(r"(?:,?\s{1,2}and\s{1,2}|,?\s{1,2})")
_IN_YEAR = re.compile(r"(?<!\w)in\s$")
_MARK_AGAIN = re.compile(r"[A-Za-z.]{0,4}\s?[^\w\s]\s?")
_SIGN_LAST = re.compile(r"(?:[ \u00a0]\d[\d.,]{0,20}[ \u00a0]?[$£¥]){1,9}(?![ \u00a0]?\d)")
_CELL_END = re.compile(r"[ \u00a0]?\|")
_ENDS_IN_NUMBER = re.compile(r"[\d—–-]\)?[ \u00a0|]*$")
"""If the last number of a row has no sign after it, signs belong to the following numbers."""
_IN_ROW = re.compile(r"\|[ \u00a0]?[(-]?$")
"""The last cell of a row: the words below it are the label of the next row."""
_CODE_TAIL = re.compile(r"-[A-Z](?![A-Za-z-])")
_CODE_DIGITS = 4
_RUNNING_WORD = re.compile(r"(?<![^\W_])(?!in\b)[a-z]{2,}[ \u00a0]{1,2}[(\"\u201c]?$")
_WORD_REACH = 24
_SUM_DIGITS = 7
_SCALE_WORDS = tuple(SCALES)
_POINT_GROUPS = frozenset(("EUR", "CHF", "DKK", "BRL", "PLN"))
"""Currencies of countries that part thousands with a point: "1.234 €" is no small change."""


@dataclass(frozen=True, slots=True)
class AmountMatch:
    """An amount while it is put together; ``begin`` includes sign and currency."""

    begin: int
    end: int
    kind: AmountKind
    value: float
    high: float | None
    unit: str | None
    confidence: float


class Sums(Context):
    """Reads the sums of money of one text."""

    def _belongs(self, mark: money.Mark, at: int, number: Number) -> bool:
        if mark.doubtful and not self._money_like(at, number):
            return False
        if number.words and self._low.startswith(_SCALE_WORDS, at):  # "($ million)"
            return False
        long = number.plain and number.end - at >= _CODE_DIGITS
        if long and _CODE_TAIL.match(self._text, number.end) is not None:
            return False
        return "\n" not in self._text[mark.place : at] or self._runs_on(mark, at, number)

    def _runs_on(self, mark: money.Mark, at: int, number: Number) -> bool:
        """Return whether a line break is within a sum of running text.

        The alternative is the end of a column's header.
        Columns have headers such as "RM", "Price (EUR)" or "Amounts in EUR", and the row below may
        begin with the number of an article.
        """
        before = self._text[max(0, mark.place - _WORD_REACH) : mark.place]
        is_code = number.plain and number.end - at > _SUM_DIGITS
        is_next = self._text.count("\n", mark.place, at) == 1
        return is_next and not is_code and _RUNNING_WORD.search(before) is not None

    def _money_with_mark(self, mark: money.Mark, at: int, number: Number) -> AmountMatch:
        text = self._text
        begin, sign = self._sign_before(mark.place)
        between = text[mark.place : at]
        if between.rstrip(" ")[-1:] in {"-", "−", "–"}:
            sign = -1.0
        end, value = self._scaled_money(number)
        if "(" in between:
            closed = CLOSE.match(text, end)
            if closed is None:
                begin, sign = mark.place, 1.0
            else:
                sign, end = -1.0, closed.end()
                if value == 1.0 and not number.scaled:  # "$(352) million"
                    end, value = money.scale_after(self._low, end) or (end, value)
        elif self._alone_in_brackets(begin, end):
            begin, end, sign = begin - 1, end + 1, -1.0
        value = self._value(number, value, mark.unit)
        high: float | None = None
        if sign > 0:
            ranged = self._money_range(mark, number, value, end)
            if ranged is not None:
                end, value, high = ranged
        unit = mark.unit
        repeated = money.code_after(text, end)
        if repeated is not None and same_money(unit, repeated[1]):
            end, unit = repeated
        end = money.closing(text, end)
        if sign > 0 and high is None and mark.scale == 1:
            end, cents = self._cents(end, unit, alone=False)
            value = round(value + cents, 6)
        factor = sign * mark.scale
        return AmountMatch(
            begin, end, "money", value * factor, None if high is None else high * factor, unit,
            mark.confidence * self._sureness(number, mark.unit),
        )  # fmt: skip

    def _scaled_money(self, number: Number) -> tuple[int, float]:
        scale = None if number.scaled else money.scale_after(self._low, number.end)
        if scale is None:
            return number.end, 1.0
        return scale[0], scale[1]

    def _value(self, number: Number, scale: float, unit: str) -> float:
        if number.other is not None and not number.words and unit in _POINT_GROUPS and scale == 1:
            return number.other
        return number.times(scale)

    def _sureness(self, number: Number, unit: str | None) -> float:
        if number.other is None:
            return 1.0
        return 0.7 if unit in _POINT_GROUPS else 0.75

    def _money_range(
        self, mark: money.Mark, number: Number, value: float, end: int
    ) -> tuple[int, float, float] | None:
        link = RANGE.match(self._low, end)
        if link is None or ("and" in link[0] and not self._after_word("between", mark.place)):
            return None
        at = link.end()
        again = _MARK_AGAIN.match(self._text, at)
        repeated = False
        if again is not None and again.end() < len(self._text):
            second = money.before(self._text, again.end(), at)
            repeated = second is not None and second.place == at
            if second is not None and repeated and not same_money(second.unit, mark.unit):
                return None
            at = again.end() if repeated else at
        if repeated and "to" in link[0] and self._after_word("from", mark.place):
            return None
        if at >= len(self._text) or not self._text[at].isdigit():
            return None
        upper = read_digits(self._text, at, self._habit, spaces=False)
        if upper is None or self._text[upper.end : upper.end + 2].startswith(("-", "/", "%")):
            return None
        if not repeated and " " in link[0] and self._measures(upper):
            return None
        joined = self._joined_range(number, value, end, upper)
        if joined is None or repeated or self._text[joined[0] : joined[0] + 1] != " ":
            return joined
        other = money.after(self._text, self._low, joined[0] + 1)
        # "from € 5 to 12 million won" has two amounts.
        is_other = other is not None and not same_money(other.unit, mark.unit)
        return None if is_other else joined

    def _measures(self, number: Number) -> bool:
        gap = GAP.match(self._low, number.end)
        to = gap.end() if gap is not None else number.end
        between = self._low[number.end : to]
        return (
            percent_after(self._low, to) is not None
            or unit_after(self._text, self._low, to, number, between) is not None
        )

    def _joined_range(
        self, number: Number, value: float, end: int, upper: Number
    ) -> tuple[int, float, float] | None:
        read = read_scaled(self._low, upper.end, upper.value)
        short = money.scale_after(self._low, upper.end)
        stop, high, scale = upper.end, upper.value, 1.0
        if read is not None:
            stop, high, scale = read[0], read[1], read[1] / (upper.value or 1.0)
        elif short is not None:
            stop, high, scale = short[0], upper.value * short[1], short[1]
        if scale > 1 and end == number.end and not number.scaled and value < upper.value:
            value *= scale
        return (stop, value, high) if high > value else None

    def _money_after(
        self, begin: int, at: int, number: Number, sign: float, to: int, between: str
    ) -> AmountMatch | None:
        text, low = self._text, self._low
        if self._text[to : to + 1] == "(":
            return None
        scale, place = 1.0, to
        mark = money.after(text, low, to)
        if mark is None and not number.scaled:
            short = money.scale_after(low, number.end)
            if short is None or text[number.end : number.end + 1] == "\n":
                return None
            place = short[0] + (text[short[0] : short[0] + 1] in {" ", "\u00a0"})
            mark, scale = money.after(text, low, place), short[1]
        if mark is None or not self._mark_fits(mark, place, at, number, between):
            return None
        end, value = mark.place, number.value
        if scale == 1 and (self._weighs(low[place:end], number)):
            return None
        if scale == 1 and number.other is not None:
            value = self._value(number, 1.0, mark.unit)
        if not number.scaled and scale == 1 and not between.startswith("\n"):
            over = money.scale_after(low, end) if low[end : end + 2].strip().isalpha() else None
            if over is not None and len(low[end : over[0]].strip()) > 3:
                end, scale = over
        end, cents = self._cents(end, mark.unit)
        sure = mark.confidence * self._sureness(number, mark.unit)
        if self._low[place : mark.place].rstrip("s") == "pound":
            sure *= 0.8
        value = round(value * scale * mark.scale, 6) if scale * mark.scale > 1 else value
        total = sign * round(value + cents, 6)
        begin, end, total = self._accounting(begin, end, total)
        return AmountMatch(begin, end, "money", total, None, mark.unit, sure)

    def _mark_fits(
        self, mark: money.Mark, place: int, at: int, number: Number, between: str
    ) -> bool:
        text = self._text
        if number.plain and (
            is_numbered(text, at)
            or (text[place].isalpha() and names_street(text, place, mark.place))
        ):
            return False
        if (
            mark.doubtful
            and not self._money_like(at, number)
            and not ("-" in between and number.words)
        ):
            return False
        following = text[mark.place : mark.place + 1]
        if following.isalnum() or following == "_":
            return False
        if "\n" in between and (mark.place - place < 4 or _IN_ROW.search(text, 0, at)):
            return False
        if (
            number.plain
            and 1900 <= number.value <= 2100
            and _IN_YEAR.search(self._low[max(0, at - 4) : at])
        ):
            return False
        if text[place] not in money.SYMBOLS or mark.place - place > 1:
            return True
        return not self._begins_the_next(mark.place, text[place], spaced=bool(between))

    def _begins_the_next(self, end: int, symbol: str, *, spaced: bool) -> bool:
        """Return whether a sign after a number belongs to the next one ("100 $ 200")."""
        text = self._text
        if not spaced:
            return False
        if symbol != "€" and _CELL_END.match(text, end):
            stop = text.find("\n", end)
            return _ENDS_IN_NUMBER.search(text[end : stop if stop >= 0 else len(text)]) is not None
        if text[end : end + 1].isdigit() or text[end : end + 2] in {"(1", "-1"}:
            return True
        if text[end : end + 1] not in {" ", "\u00a0"} or not text[end + 1 : end + 2].isdigit():
            return False
        return symbol != "€" and _SIGN_LAST.match(text, end) is None

    def _weighs(self, word: str, number: Number) -> bool:
        if word.rstrip("s") not in {"pound", "dram", "drachma"}:
            return False
        return not number.scaled and not self._speaks_of_pounds

    def _cents(self, end: int, unit: str, *, alone: bool = True) -> tuple[int, float]:
        """Read "and forty-five cents", "fifty" after dollars; return the end and their part."""
        low = self._low
        minor = minor_of(unit)
        link = _CENTS_LINK.match(low, end)
        if minor is None or link is None:
            return end, 0.0
        start = START.match(low, link.end())
        number = None if start is None else self._number(link.end(), spaces=False)
        if number is None or not 0 < number.value < 100 or number.value % 1:
            return end, 0.0
        gap = GAP.match(low, number.end)
        coin = money.after(self._text, low, gap.end()) if gap else None
        if coin is not None and coin.unit.endswith(minor):
            part = 10 if minor == "jiao" else 100
            stop, rest = self._cents(coin.place, minor) if minor == "jiao" else (coin.place, 0.0)
            return stop, number.value / part + rest / 10
        lone = alone and (number.value >= 10 if unit != "jiao" else number.value < 10)
        if "and" in link[0] or "," in link[0] or coin is not None or not lone:
            return end, 0.0
        if LONE_END.match(low, number.end) is None:
            return end, 0.0
        return number.end, number.value / (10 if unit == "jiao" else 100)

    def _accounting(self, begin: int, end: int, value: float) -> tuple[int, int, float]:
        if not self._alone_in_brackets(begin, end):
            return begin, end, value
        return begin - 1, end + 1, -value
