"""References to parts of a document or set: sections, clauses, articles, schedules, exhibits.

"Section 8.2", "clause 8.2" and "§ 8.2" are one place: ``section:8-2``. Articles, paragraphs and
recitals are counted for themselves: ``section:article-4``. Exhibits keep their word:
``exhibit:schedule-2``. A part of another document that is named has the document's name in its key.
The heading of a part is no reference to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.words import WordLists
from casetrack.extract.references.headings import is_heading
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug
from casetrack.extract.references.numbering import (
    EXHIBIT,
    EXHIBIT_IN_LIST,
    SECTION,
    SECTION_WITH_DASH,
    Numbered,
    read_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = WordLists(__file__)

# Each begins with the set of its first letters, which the engine looks for fastest; the look back
# after it says that a word begins there.
_SECTION_WORD = re.compile(
    r"[SsCcAaPpRZK](?<![\w-].)(?:ub-?[Ss]ections?|ub-?[Cc]lauses?|ections?|ECTIONS?|lauses?|LAUSES?|ecs?\.|ECS?\.|(?<=s)s?\.|(?<=[Cc])l\."
    r"|iff(?:ern?|er|\.)|lauseln?|bschnitte?n?|rticles?|RTICLES?|rts?\.|rtikeln?|aragraphs?|aras?\.?|ARAGRAPHS?|ecitals?)"
    r"\s{1,3}(?=[\dA-Z])|§{1,2}\s?(?=[\dA-Z])"
)
_EXHIBIT_WORD = re.compile(
    r"[EeSsAa](?<![\w-].)(?:xhibits?|XHIBITS?|chedules?|CHEDULES?|nnex(?:es|e)?|NNEX(?:ES)?|nlagen?|ppendix|ppendices|PPENDIX"
    r"|PPENDICES|nhang|nhänge|ttachments?|TTACHMENTS?|nclosures?)"
    r"\s{1,3}(?:(?:No|Nr|no)\.\s?)?[\"“”]?(?=[\dA-Z])"
)
_WORDS = tuple(_LISTS.pairs("words").items())
_PLURAL = re.compile(
    r"(?:s|es|ices|§§|ss\.|secs\.|arts\.|ern|n|nhänge)\.?\s*(?:N[or]\.\s?)?[\"“”]?$", re.IGNORECASE
)
_NOT_PLURAL = re.compile(r"(?:cl|s|annex)\.?\s*$", re.IGNORECASE)
_ROMAN = re.compile(r"[IVXLC]+")
_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_GERMAN_PARTS = re.compile(
    r"\b(?:Abs(?:atz|\.)|Satz|S\.|Nr\.|Nummer|lit\.|Buchst(?:abe|\.)|Alt\.)", re.IGNORECASE
)

Word = Literal["section", "article", "paragraph", "recital", "exhibit", "schedule", "annex"]


@dataclass(frozen=True, slots=True)
class PartList:
    """A word for a part of a document with its numbers: "clauses 6.3 and 6.4".

    Attributes
    ----------
    start
        Where the word begins.
    word
        What kind of part; "§" counts as ``section``.
    written
        The word as written.
    numbers
        Its numbers, at least one.
    """

    start: int
    word: str
    written: str
    numbers: tuple[Numbered, ...]

    @property
    def end(self) -> int:
        """End of the last number."""
        return self.numbers[-1].end

    def places(self) -> Iterator[tuple[int, int, str]]:
        """Start, end and number of each reference; the first one begins with the word."""
        for i, numbered in enumerate(self.numbers):
            yield (self.start if i == 0 else numbered.start), numbered.end, numbered.number


def read_parts(text: str, /) -> Iterator[PartList]:
    """Yield what in *text* names a part by word and number, headings included, in order of kind."""
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
    if _ROMAN.fullmatch(number.split(".")[0]):
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
    text
        The text.
    parts
        What :func:`read_parts` gave for it, without what belongs to laws.
    owner_after
        The slug of the document named after a part, by the part's end: "clause 3 of the Supply
        Agreement".
    keep_headings
        Whether headings count too.

    Yields
    ------
    ReferenceMatch
        Places of type ``section`` or ``exhibit``.
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
    if word == "article" and _ROMAN.fullmatch(head):
        number = f"{_arabic(head)}{dot}{rest}"
    return _GERMAN_PARTS.sub(" ", number)


def _arabic(roman: str) -> int:
    values = [_DIGITS[sign] for sign in roman]
    return sum(
        -value if i + 1 < len(values) and value < values[i + 1] else value
        for i, value in enumerate(values)
    )
