"""References to parts of a document or set: sections, clauses, articles, schedules, exhibits.

"Section 8.2", "clause 8.2" and "§ 8.2" are one place: ``section:8-2``. Articles, paragraphs and
recitals have their own: ``section:article-4``. Exhibits keep their word: ``exhibit:schedule-2``. A
part of another named document has that name in its key. The heading of a part is not a reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from casetrack.base.numerals import roman_value
from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_month
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

# Numbers of parts of a document ("8.2(a)", "IV", "B-1") and lists and ranges of them.

_LISTS = WordLists(__file__)
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
EXHIBIT = _LISTS.pattern("exhibit")
EXHIBIT_IN_LIST = _LISTS.pattern("exhibit_in_list")
SUBPARAGRAPH = re.compile(r"\([a-zA-Z0-9]{1,4}\)(?:\([a-zA-Z0-9]{1,4}\))*")
"""Abbreviated member of a list: "8.2(a) and (b)"."""

_RANGE = re.compile(r"\s?(?:[-–—]|to|through|thru|bis)\s?(?=[\dA-Z(])|\s(?:to|through|bis)\s")
_SEPARATOR = _LISTS.pattern("separator")
_UNITS = re.compile(
    r"\s?(?:%|per\s?cent|[Bb]usiness|[Cc]alendar|[Ww]orking|days?\b|weeks?\b|months?\b|years?\b|hours?\b|Stat\."
    r"|minutes?\b|USD|EUR|GBP|dollars|euros|pounds|Tage|Monate|Wochen|Jahre|Uhr|[ap]\.?m\b|(?:thousand|million)\b"
    rf"|(?:{any_month()})\b)"
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """One number of a list; *number* is complete ("8.2(b)" for the text "(b)")."""

    start: int
    end: int
    number: str


def read_numbers(
    text: str, start: int, item: re.Pattern[str], /, *, many: bool
) -> tuple[Numbered, ...]:
    """Read the number, list or range of numbers at *start*; empty without a number.

    *item* is the pattern of a number. *many* is true after a plural; after a singular only numbers
    continue that are not plain ("Section 8.2 or 8.3", but not "Section 8 and 30"). A range gives
    both ends.
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
        match = item.match(text, gap.end())
        part = None if match else SUBPARAGRAPH.match(text, gap.end())
        if part and "(" in last.number:
            stem = _stem(last.number, part[0])
            numbers.append(Numbered(part.start(), part.end(), stem + part[0]))
            continue
        if not match or _UNITS.match(text, match.end()) or not (many or _is_same_form(last, match)):
            break
        numbers.append(Numbered(match.start(), match.end(), match[0]))
    return tuple(numbers)


def _is_same_form(last: Numbered, match: re.Match[str]) -> bool:
    return ("." in last.number or "(" in last.number) and ("." in match[0] or "(" in match[0])


def _stem(number: str, part: str) -> str:
    """Return the levels of *number* that *part* does not replace."""
    levels = re.findall(r"\([^)]*\)", number)
    keep = max(0, len(levels) - part.count("("))
    head = number.split("(", 1)[0].rstrip()
    return head + "".join(levels[:keep])


# Whether a place is the heading of the part that it names, and so no reference to it.

_LINE_START = re.compile(r"(?:^|\n)[ \t\u00a0#*_>|]{0,40}$")
_CONTINUED = re.compile(r"[a-z,;(&\-–]\s?$|\b(?:Section|Clause|Article|Exhibit|Schedule)\s?$")
_AFTER = _LISTS.pattern("after")
_ALONE = re.compile(r"[ \t\u00a0*_.:]*(?:$|\n)")
_VERB = re.compile(r"[.:\-–—|)\s*_]*(?:of|to|shall|is|are|and|or|hereof|above|below|applies)\b")


def starts_line(text: str, start: int, /) -> bool:
    """Return whether only heading marks precede *start* on its line."""
    return bool(_LINE_START.search(text, max(0, start - 42), start))


def is_heading(text: str, start: int, end: int, /) -> bool:
    """Return whether ``text[start:end]`` opens a line as its heading ("Section 8.2 Termination.").

    A line that continues a sentence is not a heading.
    """
    if not starts_line(text, start) or _VERB.match(text, end):
        return False
    line = text.rfind("\n", max(0, start - 42), start)
    if line > 0 and not text[max(0, line - 1) : line].isspace():
        before = text[max(0, line - 12) : line]
        if _CONTINUED.search(before):
            return False
    return bool(_AFTER.match(text, end))


def is_alone(text: str, start: int, end: int, /) -> bool:
    """Return whether ``text[start:end]`` is a whole line, such as a title."""
    return starts_line(text, start) and bool(_ALONE.match(text, end))


# Each pattern begins with the set of its first letters, which the engine finds fast; a lookbehind
# after it requires the start of a word.
_SECTION_WORD = _LISTS.pattern("section_word")
_EXHIBIT_WORD = _LISTS.pattern("exhibit_word")
_WORDS = tuple(_LISTS.pairs("words").items())
_PLURAL = _LISTS.pattern("plural")
_NOT_PLURAL = re.compile(r"(?:cl|s|annex)\.?\s*$", re.IGNORECASE)
_ROMAN_NUMBER = re.compile(r"[IVXLC]+")
_GERMAN_PARTS = _LISTS.pattern("german_parts")

Word = Literal["section", "article", "paragraph", "recital", "exhibit", "schedule", "annex"]


@dataclass(frozen=True, slots=True)
class PartList:
    """A word for a part of a document with its numbers: "clauses 6.3 and 6.4"."""

    start: int  # start of the word
    word: str  # kind of part; "§" counts as `section`
    written: str  # the word as written
    numbers: tuple[Numbered, ...]  # at least one

    @property
    def end(self) -> int:
        """End of the last number."""
        return self.numbers[-1].end

    def places(self) -> Iterator[tuple[int, int, str]]:
        """Start, end and number of each reference; the first includes the word."""
        for i, numbered in enumerate(self.numbers):
            yield (self.start if i == 0 else numbered.start), numbered.end, numbered.number


def read_parts(text: str, /) -> Iterator[PartList]:
    """Yield the parts by word and number in *text*, headings included, ordered by kind."""
    for match in _SECTION_WORD.finditer(text):
        word = _word(match[0])
        sign = match[0].rstrip()
        plural = sign == "§§" if sign[0] == "§" else _is_plural(match[0])
        numbers: tuple[Numbered, ...] = ()
        if not plural:
            numbers = read_numbers(text, match.end(), SECTION_WITH_DASH, many=False)
        numbers = numbers or read_numbers(text, match.end(), SECTION, many=plural)
        if numbers and _is_plausible(match[0], word, numbers[0]):
            yield PartList(match.start(), word, match[0].strip(), numbers)
    for match in _EXHIBIT_WORD.finditer(text):
        plural = _is_plural(match[0])
        item = EXHIBIT_IN_LIST if plural else EXHIBIT
        numbers = read_numbers(text, match.end(), item, many=plural)
        contents = len(numbers) == 1 and match[0].endswith(("s  ", "es  "))
        if numbers and not contents and _is_exhibit(match[0], numbers[0]):
            yield PartList(match.start(), _word(match[0]), match[0].strip(), numbers)


def _word(written: str) -> str:
    lower = written[:3].lower()
    return next((word for start, word in _WORDS if start == lower), "section")


def _is_plural(word: str) -> bool:
    return bool(_PLURAL.search(word)) and not _NOT_PLURAL.fullmatch(word.strip().removeprefix("A"))


def _is_plausible(written: str, word: str, first: Numbered) -> bool:
    number = first.number
    if number[0].isdigit():
        return True
    if word == "recital":
        return True
    if _ROMAN_NUMBER.fullmatch(number.split(".")[0]):
        # "section I" is as often a sentence about oneself, and "C" a letter.
        return word == "article" or (len(number) > 1 and written[0].isupper())
    return any(sign.isdigit() for sign in number)


def _is_exhibit(written: str, first: Numbered) -> bool:
    number = first.number
    if number[0].isdigit():
        return True
    # "schedule A meeting", "exhibit I saw": a lone letter counts after a capital only.
    if written[0].islower() and number in {"A", "I"}:
        return False
    return len(number) < 3 or any(sign.isdigit() for sign in number) or not written.isupper()


def find_sections(
    text: str, parts: list[PartList], /, *, owner_after: dict[int, str], keep_headings: bool
) -> Iterator[ReferenceMatch]:
    """Yield the references to sections and exhibits.

    Parameters
    ----------
    parts
        Result of :func:`read_parts` without the parts of laws.
    owner_after
        Slug of the document named after a part, by the part's end: "clause 3 of the Supply
        Agreement".
    keep_headings
        Whether headings count too.
    """
    for part in parts:
        if not keep_headings and is_heading(text, part.start, part.end):
            continue
        owner = owner_after.get(part.end, "")
        for start, end, number in part.places():
            if part.word in {"section", "article", "paragraph", "recital"}:
                yield _section(part, start, end, number, owner)
            else:
                key = "exhibit:" + slug(owner, part.word, number)
                name = one_line(f"{part.word.capitalize()} {number}")
                yield ReferenceMatch(start, end, "exhibit", key, name, 0.95)


def _section(part: PartList, start: int, end: int, number: str, owner: str) -> ReferenceMatch:
    word = part.word
    shown = "§ " + number if part.written.startswith("§") else f"{word.capitalize()} {number}"
    if word == "section" and part.written[:1] in {"c", "C"}:
        shown = f"Clause {number}"
    confidence = 0.95 if any(sign in number for sign in ".(") else 0.9
    key = "section:" + slug(owner, "" if word == "section" else word, part_number(word, number))
    return ReferenceMatch(start, end, "section", key, one_line(shown), confidence)


def part_number(word: str, number: str, /) -> str:
    """Return *number* for a key: articles in Arabic digits, no words between levels."""
    head, dot, rest = number.partition(".")
    if word == "article" and (value := roman_value(head)):
        number = f"{value}{dot}{rest}"
    return _GERMAN_PARTS.sub(" ", number)
