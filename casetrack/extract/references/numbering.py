"""Numbers of parts of a document ("8.2(a)", "IV", "B-1") and lists and ranges of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from casetrack.base.words.months import any_month

_PARENTHESES = r"(?:\s?\((?:[a-zA-Z]{1,3}|[ivx]{1,5}|\d{1,3}|[a-z]-\d)\))"
_GERMAN = (
    r"(?:,?\s(?:Abs(?:atz|\.)|Satz|S\.|Nr\.|Nummer|lit\.|Buchst(?:abe|\.)|Alt\.|Unterabs(?:atz|\.))"
    r"\s?(?:\d{1,3}[a-z]?|[a-z]{1,2})(?!\w))"
)
_DECIMAL = rf"\d{{1,5}}[A-Za-z]{{0,2}}(?:\.\d{{1,4}}[A-Za-z]?)*(?!\w|[.,]\d){_PARENTHESES}*"
_ROMAN = r"[IVXLC]{1,7}(?![\w'’])(?:\.\d{1,3})*"
_LETTER_DECIMAL = rf"[A-Z]{{1,2}}[.-]?\d{{1,3}}(?:[.-]\d{{1,3}})*(?!\w){_PARENTHESES}*"
_DASHED = r"\d{1,4}[A-Za-z]?(?:[-–]\d{1,4}[A-Za-z]?){1,3}(?!\w|[.,]\d)(?:\([\w]{1,4}\))*"

SECTION = re.compile(rf"(?:{_DECIMAL}{_GERMAN}*|{_LETTER_DECIMAL}|[A-Z]\.(?=\s[a-z])|{_ROMAN})")
"""A number of a section, clause, article or paragraph."""
SECTION_WITH_DASH = re.compile(
    rf"(?:{_DASHED}|[\w]{{1,4}}(?:\.[\w]{{1,4}}){{1,3}}-[\w]{{1,4}}(?:\(\w{{1,4}}\))*)"
)
"""A number with a hyphen, as laws have it ("2-207", "240.10b-5"); ranges look the same."""
EXHIBIT = re.compile(
    r"(?:[A-Z]{1,3}(?:[-.]?\d{1,3})*(?![\w'’])|\d{1,3}(?:\.\d{1,3})*[A-Z]?(?:-[A-Z\d]{1,3})*(?!\w|[.,]\d))"
    r"(?:\([\da-zA-Z]{1,3}\))*"
)
"""A number or letter of an exhibit, schedule or annex."""
EXHIBIT_IN_LIST = re.compile(
    r"(?:[A-Z]{1,3}(?:[-.]?\d{1,3})*(?![\w'’])|\d{1,3}(?:\.\d{1,3})*[A-Z]?(?!\w|[.,]\d))(?:\([\da-zA-Z]{1,3}\))*"
)
"""The same after a plural, where a hyphen between figures makes a range."""
SUBPARAGRAPH = re.compile(r"\([a-zA-Z0-9]{1,4}\)(?:\([a-zA-Z0-9]{1,4}\))*")
"""What stands for a whole number in a list: "8.2(a) and (b)"."""

_RANGE = re.compile(r"\s?(?:[-–—]|to|through|thru|bis)\s?(?=[\dA-Z(])|\s(?:to|through|bis)\s")
_SEPARATOR = re.compile(
    r"\s?,?\s?(?:\band/or\b|\band\b|\bor\b|&|\bund\b|\boder\b|\bsowie\b)\s|\s?,\s?|\s(?:and|or|und)\s"
)
_UNITS = re.compile(
    r"\s?(?:%|per\s?cent|[Bb]usiness|[Cc]alendar|[Ww]orking|days?\b|weeks?\b|months?\b|years?\b|hours?\b"
    r"|minutes?\b|USD|EUR|GBP|dollars|euros|pounds|Tage|Monate|Wochen|Jahre|Uhr|[ap]\.?m\b|(?:thousand|million)\b"
    rf"|(?:{any_month()})\b)"
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """One number of a list.

    Attributes
    ----------
    start, end
        Where it stands.
    number
        The whole number, also where the text has only its end ("8.2(b)" for "(b)").
    """

    start: int
    end: int
    number: str


def read_numbers(
    text: str, start: int, item: re.Pattern[str], /, *, many: bool
) -> tuple[Numbered, ...]:
    """Read a number, or a list or range of numbers, that begins at *start*.

    Parameters
    ----------
    text, start
        Where to read.
    item
        What a number looks like.
    many
        Whether the word before is a plural. After a singular only what cannot be a plain number
        goes on ("Section 8.2 or 8.3", but not "Section 8 and 30").

    Returns
    -------
    tuple of Numbered
        Both ends of a range, each member of a list; empty where no number stands there.
    """
    first = item.match(text, start)
    if not first or _UNITS.match(text, first.end()):
        return ()
    numbers = [Numbered(first.start(), first.end(), first[0])]
    while len(numbers) < 40:
        last = numbers[-1]
        gap = _RANGE.match(text, last.end) or _SEPARATOR.match(text, last.end)
        if not gap:
            break
        found = item.match(text, gap.end())
        part = None if found else SUBPARAGRAPH.match(text, gap.end())
        if part and "(" in last.number:
            stem = _stem(last.number, part[0])
            numbers.append(Numbered(part.start(), part.end(), stem + part[0]))
            continue
        if not found or _UNITS.match(text, found.end()) or not (many or _is_same_form(last, found)):
            break
        numbers.append(Numbered(found.start(), found.end(), found[0]))
    return tuple(numbers)


def _is_same_form(last: Numbered, found: re.Match[str]) -> bool:
    return ("." in last.number or "(" in last.number) and ("." in found[0] or "(" in found[0])


def _stem(number: str, part: str) -> str:
    """Return the levels of *number* that *part* does not replace."""
    levels = re.findall(r"\([^)]*\)", number)
    keep = max(0, len(levels) - part.count("("))
    head = number.split("(", 1)[0].rstrip()
    return head + "".join(levels[:keep])
