"""Labels of lists and forms: bullets, numbers, boxes, blanks to fill in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from casetrack.base.groups import spans_of
from casetrack.base.numerals import roman
from casetrack.base.words import WordLists
from casetrack.base.words.lists import title_words

# Bullets and numbers before list items.

_LISTS = WordLists(__file__)
BULLET = "\u2022"


def number_text(value: int, form: str, /) -> str:
    """Format a number as in a list: decimal, letters, Roman numerals, ordinals."""
    if form in {"lowerLetter", "upperLetter"} and value > 0:
        letter = chr(97 + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in {"lowerRoman", "upperRoman"} and 0 < value < 4000:
        text = roman(value)
        return text.upper() if form == "upperRoman" else text
    if form == "decimalZero":
        return f"{value:02d}"
    if form == "ordinal":
        ending = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
        return f"{value}{'th' if value % 100 in {11, 12, 13} else ending}"
    if form == "none":
        return ""
    return str(value)


def symbol_font(name: str, /) -> dict[int, str]:
    """Return the characters of a symbol font by their code in the font."""
    return {int(code, 16): sign for code, sign in _LISTS.pairs(name).items()}


# Numbers spelled out.


def number_list(numbers: Sequence[int], /, *, most: int | None = None) -> str:
    """Format ascending numbers as ranges: ``1-3, 7``; *most* are named, the others counted."""
    more = len(numbers) - len(numbers[:most])
    listed = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans_of(numbers[:most]))
    return f"{listed} and {more} others" if more else listed


# Distinguishes form lines from headings: boxes to tick, blanks to fill in, labels of fields. Forms
# are set in bold, in large type and often in a heading style, so neither the look of a line nor its
# style is evidence.

# Boxes and circles to tick, or brackets in their place; blanks and leaders. A square right before
# the first word is a bullet, as headings in Japanese have it.
_BOX = r"[\u25a0-\u25a2\u25fb\u25fc\u274f-\u2752]"
_TO_FILL = re.compile(
    rf"[\u2610-\u2612\U0001f5f5-\U0001f5f9]|\S\s*{_BOX}|[\u25a1\u25a2\u25fb\u274f-\u2752](?=\s|$)"
    r"|[\u25cb\u25ef\u2b58]\s*\w.*[\u25cb\u25ef\u2b58]"
    r"|(?<!\w)\[[ xX\u2713\u2714\u00a0]?\](?!\()|(?<!\w)\([ \u00a0]+\)"
    r"|_{3,}|\.{5,}|\u2026{2,}"
)
_LABELS = re.compile(r"(?:[^\W_][^:]{0,40}:\s*){2,}")
_ASKS = re.compile(
    r"\b(?:please|bitte|veuillez|por favor)\b.*\b(?:tick|check|mark|circle|print|complete|fill|type"
    r"|ankreuzen|ausf\u00fcllen|cocher|remplir|marcar|marque|rellenar)\b"
    r"|\b(?:tick|check|circle|mark) (?:one|all|any|the|where|if|as)\b|\bzutreffendes\b"
    r"|\bcheck all that\b",
    re.IGNORECASE,
)
_CHOICES = frozenset(
    "yes no male female single married ja nein oui non s\u00ed n a".split()
) | title_words("address")
_CHOICE = re.compile(r"\s*/\s*")
_LABEL = re.compile(r"([^:]{1,40}):(?:\s|$)")
_WORD = re.compile(r"[^\W\d_]+")
# The fields that forms ask for, and the words that go with them.
_FIELDS = frozenset(_LISTS.words("fields"))
_WITH_FIELDS = frozenset(_LISTS.words("with_fields"))


def is_form_line(text: str, /) -> bool:
    """Return whether a line belongs to a form: boxes, blanks, choices, or only field labels."""
    text = text.strip(" \t#")
    if _TO_FILL.search(text) or _ASKS.search(text) or _LABELS.fullmatch(text):
        return True
    label = _LABEL.match(text)
    if label is not None and _names_field(label[1]):
        return True
    choices = _CHOICE.split(text.casefold())
    return len(choices) > 1 and _CHOICES.issuperset(choices)


def _names_field(label: str) -> bool:
    words = _WORD.findall(label.casefold())
    return not _FIELDS.isdisjoint(words) and all(
        word in _FIELDS or word in _WITH_FIELDS for word in words
    )
