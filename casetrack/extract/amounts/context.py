"""The numbers of a text, their signs and their surroundings."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

from casetrack.extract.amounts import money, numerals
from casetrack.extract.amounts.suffixes import percent_after

START = re.compile(
    r"\d|[" + "".join(numerals.GLYPHS) + r"]|(?<![^\W_])(?:"
    + "|".join(sorted(numerals.FIRST_WORDS, key=len, reverse=True))
    + r")(?![^\W_])"
)  # fmt: skip
_ARTICLE = re.compile(r"(?<![\w.'’-])an?\s{1,2}$")
_AFTER_ARTICLE = ("hundred", "thousand", "million", "billion", "trillion", "dozen", "half",
                  "quarter", "lakh", "crore")  # fmt: skip
_SCALE_ALONE = re.compile(
    r"000(?![\d.,]*\d)|(?:thousand|million|billion|lakh|crore)s?\s(?!\d)[^|:)\n.;]{1,20}(?=\s*(?:[|:)\n]|$))"
)
_YEAR_WITH_UNIT = re.compile(
    r"(?:19|20)\d\d(?P<unit>\s\(?[^|:\n\d]{0,15}[^|:\n\d\s](?:\s?['’]?0{3}\w{0,8}\)?)?)(?=\s*(?:[:|\n]|$))"
)
_SIGN_WORD = re.compile(r"(?<!\w)(?:minus|negative)\s{1,2}$")
OPEN = re.compile(r"\s{0,3}\(\s?")
CLOSE = re.compile(r"\s?\)")
_CENTS_OVER = re.compile(r"\s{1,2}(?:and|&)\s{1,2}(?P<cents>\d\d|no|xx)/(?:100|xx)(?!\d)")
_CELL_BEFORE = re.compile(r"(?:^|[|\t\n;])\s*$|:\s*$|[|\t]\s*$")
_CELL_AFTER = re.compile(r"\s*(?:$|[|\t\n;])")
_LABEL = re.compile(
    r"(?:section|sections|sec|exhibit|article|annex|appendix|schedule|room|class|figure|fig|table|"
    r"page|no|item|clause|paragraph|para|phase|type|version|suite|floor|building|block|gate|"
    r"flight|route|highway|form|rule|chapter|part|level|series|unit|apt|line|lot|art|§|nr)\.?\s?$"
)
_URL = re.compile(r"://|^www\.|@")
_MONEY_TEXT = re.compile(r"£|\bgbp\b|sterling|pence")
_MONEY_LIKE = re.compile(r"[.,'’ ]\d{2,3}\D*$")
_URL_REACH = 300
_ENDS = frozenset(".,;:|)")
_DASHES = frozenset("-–—")
_LOOK_BACK = 16
GAP = re.compile(r"[ \u00a0\u202f\t\n]{1,4}|[-‑]|\s-\s?|")
RANGE = re.compile(r"\s?[-–—]\s?|\s{1,2}to\s{1,2}|\s{1,2}and\s{1,2}")
LONE_END = re.compile(
    r"(?=\s*(?:$|[.,;:!?)\n|])|\s+(?:more|less|each|per|for|a|an|and|or|but|extra|only)\b)"
)
_SECTION_NUMBER = re.compile(r"\d{1,3}\.\d{1,3}\s{1,4}")


class Context:
    """Reads the numbers of one text; *numbers* includes numbers without a unit."""

    def __init__(self, text: str, *, numbers: bool) -> None:
        self._text = text
        low = text.lower()
        self._low = low if len(low) == len(text) else text.replace("İ", "i").lower()
        self._numbers = numbers
        self._habit = numerals.Habit(text)

    @cached_property
    def _speaks_of_pounds(self) -> bool:
        return _MONEY_TEXT.search(self._low) is not None

    def _worth_reading(self, at: int) -> bool:
        if self._numbers:
            return True
        text = self._text
        end = numerals.NUMERAL.match(text, at).end()  # type: ignore[union-attr]
        ahead = text[end : end + 5]
        close = ahead.lstrip()[:1]
        if close.isdigit():
            if numerals.SPACED.match(text, at):
                return True
        elif ahead[:1] in _ENDS:
            if ahead[1:2] in _DASHES:
                return True
        elif close and close not in _ENDS:
            return True
        return at > 0 and self._money_may_precede(at)

    def _heads_column(self, at: int) -> bool:
        """Return whether a number is part of a column's name: "2024 EUR m", "000 tonnes"."""
        low = self._low
        before = low[low.rfind("\n", 0, at) + 1 : at]
        cell = before.rpartition("|")[2]
        begins = not cell.strip(" (£$€₹¥")
        if _SCALE_ALONE.match(low, at):
            return low[at] == "0" or cell.endswith("(") or not cell.strip(" 0123456789")
        match = _YEAR_WITH_UNIT.match(low, at)
        if match is None or not begins:
            return False
        line = low[at - len(before) : at] + low[match.end() :].partition("\n")[0]
        unit = re.escape(match["unit"])
        # A row that repeats the names of its columns, or another year in the same unit.
        is_named = f"{match[0]}:" in low
        return is_named or re.search(rf"(?:19|20)\d\d{unit}\s*(?:\||$)", line) is not None

    def _money_may_precede(self, at: int) -> bool:
        text = self._text
        last = at - 1
        while last >= 0 and at - last <= 3 and text[last] in " \u00a0\u202f-−–(\n":
            last -= 1
        char = text[last] if last >= 0 else ""
        return char in money.SYMBOLS or char.isalpha() or char in {".", "/", ","}

    def _beyond(self, at: int, end: int) -> int:
        match = numerals.NUMERAL.match(self._text, at)
        if match is None:
            return end
        digits = end
        while digits < match.end() and self._text[digits].isdigit():
            digits += 1
        return digits if self._numbers else match.end()

    def _leads(self, at: int) -> bool:
        text = self._text
        end = numerals.NUMERAL.match(text, at)
        return (
            at > 0
            and text[at - 1] == "."
            and not (at > 1 and (text[at - 2].isalnum() or text[at - 2] in ".)"))
            and end is not None
            and end[0].isdecimal()
            and len(end[0]) < 12
        )

    def _number(self, at: int, *, spaces: bool) -> numerals.Number | None:
        text, low = self._text, self._low
        if text[at] in numerals.GLYPHS:
            return numerals.Number(at + 1, numerals.GLYPHS[text[at]])
        if not text[at].isdigit():
            words = numerals.read_words(low, at)
            return (
                None if words is None else numerals.Number(*words[:2], words=True, scaled=words[2])
            )
        number = numerals.read_digits(text, at, self._habit, spaces=spaces)
        if number is None:
            return None
        scaled = numerals.read_scaled(low, number.end, number.value)
        if scaled is not None:
            return numerals.Number(scaled[0], scaled[1], scaled=scaled[2])
        part = numerals.read_part_after(low, number.end) if number.plain else None
        return number if part is None else numerals.Number(part[0], number.value + part[1])

    def _repeated(self, number: numerals.Number) -> tuple[numerals.Number, bool]:
        """Read "thirty (30)" and "one hundred and 00/100" as one number."""
        low = self._low
        cents = _CENTS_OVER.match(low, number.end) if number.words else None
        if cents is not None:
            part = float(cents["cents"]) / 100 if cents["cents"].isdigit() else 0.0
            number = replace(number, end=cents.end(), value=number.value + part)
        opened = OPEN.match(low, number.end)
        if opened is None or START.match(low, opened.end()) is None:
            return number, False
        inner = self._number(opened.end(), spaces=False)
        if inner is None or not (inner.value == number.value or (number.words and inner.plain)):
            return number, False
        closed = CLOSE.match(low, inner.end)
        if inner.value != number.value:
            if closed is None:
                return number, False
            return replace(number, end=closed.end(), other=inner.value), True
        if closed is None:
            sign = percent_after(low, inner.end + (low[inner.end : inner.end + 1] == " "))
            closed = CLOSE.match(low, sign.end) if sign is not None else None
            if sign is None or closed is None or not self._percent_follows(closed.end()):
                return number, False
        return replace(number, end=closed.end(), words=False), True

    def _percent_follows(self, end: int) -> bool:
        return percent_after(self._low, end + (self._low[end : end + 1] == " ")) is not None

    def _begin(self, at: int, number: numerals.Number, bound: int) -> tuple[int, float] | None:
        """Return where the number begins with sign and article; ``None`` inside something else."""
        text, low = self._text, self._low
        if number.words or number.scaled:
            article = _ARTICLE.search(low[max(bound, at - 6) : at])
            if article is not None and low.startswith(_AFTER_ARTICLE, at):
                at = max(bound, at - 6) + article.start()
        if at == bound:
            return (at, 1.0) if at == 0 or not text[at - 1].isdigit() else None
        last, before = text[at - 1], text[at - 2 : at - 1] if at > 1 else ""
        if last == "." and before.isdigit():
            return None
        if last.isalnum() or last == "_":
            return None
        if last in "/:,.'’–—\u2044" and before.isdigit():
            return None
        if last in "=%&#":
            return (at, 1.0) if last == "=" and not before.isdigit() else None
        if last in "-−–":
            free = not before or before in " \t\n(|:=~<>±" or before in money.SYMBOLS
            if not free:
                return (at, 1.0) if at - 1 == bound else None
            return (at - 1, -1.0) if text[at].isdigit() and at - 1 >= bound else (at, 1.0)
        return self._sign_before(at, bound)

    def _sign_before(self, at: int, bound: int = 0) -> tuple[int, float]:
        text = self._text
        if at and text[at - 1] in "-−" and at - 1 >= bound:
            free = at == 1 or text[at - 2] in " \t\n(|:="
            return (at - 1, -1.0) if free else (at, 1.0)
        base = max(bound, at - 11)
        if text[at - 1 : at] == " ":
            word = _SIGN_WORD.search(self._low[base:at])
            if word is not None:
                return base + word.start(), -1.0
        return at, 1.0

    def _after_word(self, word: str, at: int) -> bool:
        return self._low[max(0, at - len(word) - 2) : at].rstrip().endswith(word)

    def _labelled(self, begin: int) -> bool:
        return _LABEL.search(self._low[max(0, begin - 12) : begin]) is not None

    def _in_address(self, begin: int, end: int) -> bool:
        ahead = self._text[max(0, begin - _URL_REACH) : begin]
        return bool(_URL.search(re.split(r"\s", ahead)[-1] + self._text[begin:end]))

    def _alone_in_brackets(self, begin: int, end: int) -> bool:
        text = self._text
        if text[begin - 1 : begin] != "(" or text[end : end + 1] != ")" or not begin:
            return False
        before = text[max(0, begin - _LOOK_BACK) : begin - 1]
        return bool(_CELL_BEFORE.search(before) and _CELL_AFTER.match(text, end + 1))

    def _heads_a_section(self, begin: int, number: numerals.Number, to: int) -> bool:
        """Return whether this is a numbered heading ("3.3 Minutes of Meetings")."""
        text = self._text
        if not text[to : to + 1].isupper() or not text[to + 1 : to + 2].islower():
            return False
        if number.plain or _SECTION_NUMBER.fullmatch(text, begin, to) is None:
            return False
        ahead = text[max(0, begin - 3) : begin]
        return not ahead.strip(" ") or "\n" in ahead or ahead.strip()[-1:] == "."

    def _money_like(self, at: int, number: numerals.Number) -> bool:
        piece = self._text[at : number.end]
        return (
            number.scaled
            or bool(_MONEY_LIKE.search(piece))
            or (number.plain and number.value >= 10_000)
        )

    def _opens_amount(self, piece: str) -> bool:
        return len(piece) <= 8 and "\n" not in piece
