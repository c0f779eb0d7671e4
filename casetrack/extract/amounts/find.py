"""Finds the amounts of a text in one pass over its numbers."""

from __future__ import annotations

import re
from dataclasses import replace

from casetrack.extract.amounts import money
from casetrack.extract.amounts.context import CLOSE, GAP, LONE_END, OPEN, RANGE, START
from casetrack.extract.amounts.money import is_numbered, names_street, same_money
from casetrack.extract.amounts.numerals import NUMERAL, Number, read_digits
from casetrack.extract.amounts.suffixes import feet_and_inches, percent_after, unit_after
from casetrack.extract.amounts.sums import AmountMatch, Sums
from casetrack.extract.spans import AmountSpan

_OF_A = re.compile(r"(?:\s{1,2}of)?\s{1,2}(?:an?|one)(?=\s)")
_OF_ONE = re.compile(r"\s{1,2}of\s{1,2}(?:one|1|a)\s{1,2}(?=per|%)")
_INCH_LINK = re.compile(r"(?:\s{1,2}and)?\s{0,2}-?")
_PERCENT_OF = re.compile(r"(?:^|[|\t\n:;,.])\s*(?P<label>(?:per ?cents?|percentages?|pct) of:? )$")
_WEEKS_OF_YEAR = re.compile(r"5[23]/5[23](?!\d)")
"""Years of "52/53 weeks" are no fractions."""
_SCALE_STEP = 1000.0
_AHEAD = 24


class Scan(Sums):
    """Reads the amounts of one text."""

    def run(self) -> tuple[AmountSpan, ...]:
        """Return the amounts in order of their place."""
        spans: list[AmountSpan] = []
        bound = position = 0
        last: AmountMatch | None = None
        search = START.search
        low = self._low
        while (start := search(low, position)) is not None:
            at = start.start()
            if start[0].isdigit() and not self._worth_reading(at):
                position = NUMERAL.match(low, at).end()  # type: ignore[union-attr]
                continue
            one = None if self._heads_column(at) else self._amount(at, bound)
            if one is None:
                position = self._beyond(at, start.end())
                continue
            bound = position = one.end
            if last is not None and (joined := self._joined(last, one)) is not None:
                spans.pop()
                one = joined
            last = one
            spans.append(self._span(one))
        return tuple(spans)

    def _span(self, one: AmountMatch) -> AmountSpan:
        return AmountSpan(
            start=one.begin,
            end=one.end,
            text=self._text[one.begin : one.end],
            kind=one.kind,
            value=one.value,
            high=one.high,
            unit=one.unit,
            confidence=round(min(one.confidence, 1.0), 3),
        )

    def _amount(self, at: int, bound: int) -> AmountMatch | None:
        text = self._text
        mark = money.before(text, at, bound)
        number = self._number(at, spaces=mark is None or mark.unit not in {"dollar", "GBP", "USD"})
        if number is None:
            return None
        if self._leads(at):
            at -= 1
            number = replace(number, value=number.value / 10.0 ** (number.end - at - 1))
            mark = money.before(text, at, bound)
        one: AmountMatch | None = None
        if mark is not None and self._belongs(mark, at, number):
            one = self._money_with_mark(mark, at, number)
        one = one or self._with_suffix(at, number, bound)
        if one is None:
            return self._bare(at, number, bound) if self._numbers else None
        if "//" in text and self._in_address(one.begin, one.end):
            return None
        return self._written_twice(one)

    def _with_suffix(self, at: int, number: Number, bound: int) -> AmountMatch | None:
        signed = self._begin(at, number, bound)
        if signed is None:
            return None
        begin, sign = signed
        feet = feet_and_inches(self._text, at) if number.plain else None
        if feet is not None:
            return AmountMatch(begin, feet[0], "quantity", feet[1], None, "ft", 0.8)
        number, repeated = self._repeated(number)
        one = self._suffixed(begin, at, number, sign)
        if one is not None or repeated:
            return one or self._percent_label(begin, number, bound)
        return self._range(begin, number, sign) or self._percent_label(begin, number, bound)

    def _suffixed(self, begin: int, at: int, number: Number, sign: float) -> AmountMatch | None:
        low = self._low
        end = number.end
        of_one = None
        if not number.plain:
            of_one = (_OF_A if number.words and number.value < 1 else _OF_ONE).match(low, end)
        if of_one is not None:
            number = replace(number, end=of_one.end())
            end = number.end
        end = money.closing(self._text, end)
        gap = GAP.match(low, end)
        to = gap.end() if gap is not None else end
        between = low[end:to]
        suffix = percent_after(low, to)
        if suffix is not None and not ("\n" in between and low[to] == "%"):
            sure = suffix.confidence * (0.75 if number.other is not None else 1)
            return AmountMatch(
                begin, suffix.end, "percent", sign * number.value, None, suffix.unit, sure
            )
        coin = self._money_after(begin, at, number, sign, to, between)
        if coin is not None:
            return coin
        return self._quantity(begin, number, sign, to, between)

    def _quantity(
        self, begin: int, number: Number, sign: float, to: int, between: str
    ) -> AmountMatch | None:
        if number.value < 0 or _WEEKS_OF_YEAR.match(self._text, begin):
            return None
        unit = unit_after(self._text, self._low, to, number, between)
        if unit is None or (unit.short and self._labelled(begin)):
            return None
        if not unit.short and self._heads_a_section(begin, number, to):
            return None
        if number.plain and (
            names_street(self._text, to, unit.end)
            or (unit.short and is_numbered(self._text, begin))
        ):
            return None
        value, end = number.value, unit.end
        if unit.unit == "ft":
            value, end = self._inches(value, end)
        sure = unit.confidence * (0.75 if number.other is not None else 1)
        if number.words and number.value == 1:
            sure *= 0.7
        return AmountMatch(begin, end, "quantity", sign * value, None, unit.unit, sure)

    def _inches(self, feet: float, end: int) -> tuple[float, int]:
        link = _INCH_LINK.match(self._low, end)
        at = link.end() if link is not None else end
        if at >= len(self._low) or not self._low[at].isdigit():
            return feet, end
        inches = read_digits(self._text, at, self._habit, spaces=False)
        if inches is None or inches.value >= 12:
            return feet, end
        gap = 1 if self._low[inches.end : inches.end + 1] == " " else 0
        unit = unit_after(self._text, self._low, inches.end + gap, inches, " " * gap)
        if unit is None or unit.unit != "in":
            return feet, end
        return feet + inches.value / 12, unit.end

    def _range(self, begin: int, number: Number, sign: float) -> AmountMatch | None:
        """Read "5 to 7 percent", "10-15 kg", "between two and three million dollars"."""
        low = self._low
        link = RANGE.match(low, number.end)
        if link is None or sign < 0 or link.end() >= len(low):
            return None
        if "and" in link[0] and not self._after_word("between", begin):
            return None
        if START.match(low, link.end()) is None:
            return None
        upper = self._number(link.end(), spaces=False)
        if upper is None or (upper.value <= number.value and not upper.scaled):
            return None
        upper, _ = self._repeated(upper)
        one = self._suffixed(link.end(), link.end(), upper, 1.0)
        if one is None or one.value < 0 or one.begin != link.end():
            return None
        value = self._lower_end(number, upper, one)
        if value >= one.value:
            return None
        return replace(
            one, begin=begin, value=value, high=one.value, confidence=one.confidence * 0.95
        )

    def _joined(self, lower: AmountMatch, upper: AmountMatch) -> AmountMatch | None:
        """Join "5 % to 7 %" to one range; "from 5 % to 7 %" is a change and stays two."""
        if upper.begin - lower.end > 6 or lower.kind != upper.kind or lower.unit != upper.unit:
            return None
        between = self._low[lower.end : upper.begin]
        link = RANGE.fullmatch(between)
        if link is None or lower.high is not None or upper.high is not None:
            return None
        if not 0 <= lower.value < upper.value or lower.kind == "number":
            return None
        if "and" in between and not self._after_word("between", lower.begin):
            return None
        if "to" in between and self._after_word("from", lower.begin):
            return None
        return replace(upper, begin=lower.begin, value=lower.value, high=upper.value)

    def _lower_end(self, number: Number, upper: Number, one: AmountMatch) -> float:
        factor = one.value / upper.value if one.kind == "money" and upper.value else 1.0
        if factor not in {1e3, 1e5, 1e6, 1e7, 1e9, 1e12}:
            factor = 1.0
        if upper.scaled and not number.scaled:
            step = _SCALE_STEP
            while step * _SCALE_STEP <= upper.value:
                step *= _SCALE_STEP
            factor = step if number.value * step < upper.value else 1.0
        return number.value * factor

    def _written_twice(self, one: AmountMatch) -> AmountMatch:
        """Add "Dollars ($25,000)" after "Twenty-Five Thousand" to the amount."""
        low = self._low
        opened = OPEN.match(low, one.end)
        if opened is None:
            return one
        start = START.search(low, opened.end(), opened.end() + _AHEAD)
        if start is None or not self._opens_amount(low[opened.end() : start.start()]):
            return one
        number = self._number(start.start(), spaces=True)
        if number is None:
            return one
        mark = money.before(self._text, start.start(), opened.end())
        if mark is not None:
            inner: AmountMatch | None = self._money_with_mark(mark, start.start(), number)
        else:
            inner = self._with_suffix(start.start(), number, opened.end())
        if inner is None and one.value == number.value:
            inner = replace(one, begin=opened.end(), end=number.end)
        closed = CLOSE.match(low, inner.end) if inner is not None else None
        if inner is None or closed is None or not self._same(one, inner):
            return one
        unit = inner.unit if one.kind == "money" and (inner.unit or "").isupper() else one.unit
        sure = max(one.confidence, inner.confidence)
        return replace(one, end=closed.end(), unit=unit, confidence=sure)

    def _same(self, one: AmountMatch, inner: AmountMatch) -> bool:
        if one.kind != inner.kind or inner.value != one.value or inner.high != one.high:
            return False
        if one.kind == "money":
            return same_money(one.unit or "", inner.unit or "")
        return one.unit == inner.unit

    def _percent_label(self, begin: int, number: Number, bound: int) -> AmountMatch | None:
        """Read "Percent of: 10" if it fills a cell."""
        base = max(bound, begin - 20)
        label = _PERCENT_OF.search(self._low[base:begin])
        if label is None or not LONE_END.match(self._low, number.end):
            return None
        if base and base + label.start() == base and base != bound:
            return None
        return AmountMatch(
            base + label.start("label"), number.end, "percent", number.value, None, "percent", 0.5
        )

    def _bare(self, at: int, number: Number, bound: int) -> AmountMatch | None:
        begin = self._begin(at, number, bound)
        if begin is None and self._text[at - 1] in ",-/":
            begin = at, 1.0
        if begin is None:
            return None
        end, value = number.end, number.value
        scale = None if number.scaled else money.scale_after(self._low, end)
        if scale is not None and not self._text[end : scale[0]].endswith(("m", "cr", "mm")):
            end, value = scale[0], value * scale[1]
        if self._text[end : end + 1].isalnum():
            return None
        return AmountMatch(begin[0], end, "number", begin[1] * value, None, None, 0.9)


def find_amounts(text: str, /, *, numbers: bool = False) -> tuple[AmountSpan, ...]:
    """Find money, percentages and quantities with units in a text, in order and without overlap.

    *numbers* includes bare numbers (kind ``number``), for measurements.

    Notes
    -----
    - A sum in words and in digits ("Twenty-Five Thousand Dollars ($25,000)", "thirty (30) days") is
      one amount. If the two differ, they stay separate to show the contradiction; "sixty (30) days"
      has one unit, and the value of its words with lower confidence.
    - "1.234 kg" is read like the other numbers of the text, else as English with lower confidence;
      with a currency of that style ("1.234 €") it is thousands.
    - "pounds" are money if the number or the text is about money, else a weight.
    - Coins keep their unit ("75 cents" is 75.0 ``cent``), because their currency is uncertain;
    after
      their currency they are part of it ("five dollars and ten cents" is 5.1).
    """
    return Scan(text, numbers=numbers).run()
