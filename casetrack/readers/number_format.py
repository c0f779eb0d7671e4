"""Shows numbers, dates and texts as a spreadsheet program does, by the cell's number format.

The format language is that of ECMA-376 part 1, 18.8.31: up to four sections parted by semicolons
(positive, negative, zero, text), each may carry a condition. What depends on the program's own
locale is shown as in English (US): point for decimals, comma for thousands, built-in format 14 as
month/day/year. Runs of padding become one space, and nothing is padded at the ends.

A number that its format cannot show (a date before the calendar begins; a program fills such
cells with ``#``) is shown in the format General.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.readers.number_dates import show_date
from casetrack.readers.number_digits import NumberSection, general
from casetrack.readers.number_tokens import split_sections, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.readers.number_tokens import Token

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}

BUILTIN: dict[int, str] = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "m/d/yyyy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yyyy h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
"""Formats that files name by number only; those of East Asian programs follow below."""
BUILTIN |= dict.fromkeys((*range(27, 32), 36, *range(50, 55), 57, 58), "yyyy/m/d")
BUILTIN |= dict.fromkeys((32, 34, 55), "h:mm") | dict.fromkeys((33, 35, 56), "h:mm:ss")


@dataclass(frozen=True, slots=True)
class Condition:
    """A section's condition such as ``[<100]``."""

    compare: str
    limit: float

    def holds(self, value: float, /) -> bool:
        """Tell whether *value* meets the condition."""
        return _COMPARE[self.compare](value, self.limit)

    @property
    def only_negative(self) -> bool:
        """Whether no positive number and no zero meets it; then the minus sign is not shown."""
        if self.compare == "<":
            return self.limit <= 0
        return self.compare in {"<=", "="} and self.limit < 0


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its tokens, and what kind of value it shows."""

    tokens: tuple[Token, ...]
    condition: Condition | None
    language: int
    is_date: bool
    is_general: bool
    number: NumberSection | None

    def show(self, value: float, *, date_1904: bool) -> str | None:
        """Show a number's magnitude or a date; ``None`` where the section cannot."""
        if self.is_date:
            return show_date(self.tokens, value, self.language, date_1904=date_1904)
        if self.number is None:
            return "".join(general(value) if t.kind == "general" else t.shown for t in self.tokens)
        return self.number.show(value)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A parsed number format; make one with :func:`parse`."""

    code: str
    sections: tuple[Section, ...]
    text_section: tuple[Token, ...] | None
    hides_all: bool

    @property
    def is_date(self) -> bool:
        """Whether it shows numbers as dates or times."""
        return bool(self.sections) and self.sections[0].is_date

    def show(self, value: float, /, *, date_1904: bool = False) -> str:
        """Show a number.

        Parameters
        ----------
        value
            The cell's value; days since the epoch for dates.
        date_1904
            Whether the workbook counts days from 1904.
        """
        found = self._section(value)
        if found is None or self.hides_all:
            return general(value)
        section, drops_minus = found
        negative = value < 0
        magnitude = value if section.is_date else abs(value)
        shown = section.show(magnitude, date_1904=date_1904)
        if shown is None:
            return general(value)
        if negative and not drops_minus and not section.is_date and shown:
            shown = "-" + shown
        return _squeeze(shown)

    def show_text(self, text: str, /) -> str:
        """Show a text; formats without a section for text, and those that hide it, keep it."""
        if self.text_section is None:
            return text
        shown = "".join(text if t.kind == "text" else t.shown for t in self.text_section)
        return _squeeze(shown) if shown.strip() else text

    def _section(self, value: float) -> tuple[Section, bool] | None:
        """Return the section for *value* and whether it implies the minus sign."""
        sections = self.sections
        if not sections:
            return None
        first = sections[0]
        if len(sections) == 1:
            if first.condition and not first.condition.holds(value):
                return None
            return first, bool(first.condition and first.condition.only_negative)
        second = sections[1]
        if first.condition is None and second.condition is None:
            if value > 0 or (value == 0 and len(sections) == 2):
                return first, False
            return (second, True) if value < 0 else (sections[2], False)
        if first.condition.holds(value) if first.condition else value > 0:
            return first, bool(first.condition and first.condition.only_negative)
        implied = second.condition is None and len(sections) > 2
        if second.condition.holds(value) if second.condition else (not implied or value < 0):
            return second, self._second_is_negative()
        return (sections[2], False) if len(sections) > 2 else None

    def _second_is_negative(self) -> bool:
        first, second = self.sections[0].condition, self.sections[1].condition
        if second is not None:
            return second.only_negative
        if len(self.sections) > 2 or first is None:
            return True
        return (first.compare == ">=" and first.limit <= 0) or (
            first.compare == ">" and first.limit < 0
        )


def _squeeze(text: str) -> str:
    text = text.strip(" ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


@functools.lru_cache(maxsize=4096)
def parse(code: str, /) -> NumberFormat:
    """Parse a format code; what is no format at all is shown as General."""
    parts = [tokenize(part) for part in split_sections(code)][:4]
    text_section: tuple[Token, ...] | None = None
    if any(t.kind == "text" for t in parts[-1]) or len(parts) == 4:
        text_section = tuple(parts.pop())
    hides_all = len(code) >= 3 and not code.strip("; ")
    return NumberFormat(code, tuple(_section(p) for p in parts), text_section, hides_all)


def _section(tokens: list[Token]) -> Section:
    condition, language, kept = None, 0, []
    for token in tokens:
        if token.kind == "condition":
            condition = condition or Condition(token.text, token.number)
        elif token.kind == "language":
            language = int(token.number)
        else:
            kept.append(token)
    kinds = {t.kind for t in kept}
    is_date = not kinds.isdisjoint({"date", "elapsed"})
    is_general = "general" in kinds
    is_number = not is_date and not is_general
    return Section(
        tuple(kept),
        condition,
        language,
        is_date,
        is_general,
        NumberSection.build(kept) if is_number else None,
    )
