"""Words of titles before a place, and dates after it."""

from __future__ import annotations

import re

from casetrack.base.words import WordLists
from casetrack.base.words.months import any_month, month_numbers

_LISTS = WordLists(__file__)

_WORD = re.compile(r"[\w'’&.,/\-]+")
_SMALL = frozenset("of and for on & etc. in to und für des der".split())
_NEVER = frozenset(_LISTS.words("never"))
_ABBREVIATION = re.compile(
    r"(?:[A-Z]\.)+|(?:Inc|Co|Corp|Ltd|St|Mr|Ms|Dr|No|U\.S|Dept|Int|Nat|Bros)\.|etc\."
)
_WINDOW = 110
_MONTHS = month_numbers("en", "en_short", "de", "de_short") | {"sept": 9}
_MONTH = rf"(?:{any_month('en_de_pattern')})\.?"
DATE = (
    rf"(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:day\sof\s|of\s)?(?P<m1>{_MONTH}),?\s(?P<y1>\d{{4}})"
    rf"|(?P<m2>{_MONTH})\s{{1,3}}(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}(?P<y2>\d{{4}})"
    rf"|(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<dots>\d{{1,2}}\.\d{{1,2}}\.\d{{4}})|(?P<slashes>\d{{1,2}}/\d{{1,2}}/\d{{2,4}})"
    rf"|(?P<m3>{_MONTH}),?\s(?P<y3>\d{{4}}))"
)
"""Regular expression of a date; use it once in a pattern, for its groups are named."""


def iso_date(match: re.Match[str], /) -> str:
    """Return the date that :data:`DATE` matched in *match*, as far as it can be told."""
    if match["iso"]:
        return match["iso"]
    if match["dots"]:
        day, month, year = match["dots"].split(".")
        return f"{year}-{int(month):02}-{int(day):02}"
    if match["slashes"]:
        # Day and month cannot be told apart: the key keeps what is written.
        return match["slashes"]
    for i in "12":
        if match["m" + i]:
            return f"{match['y' + i]}-{_month(match['m' + i]):02}-{int(match['d' + i]):02}"
    return f"{match['y3']}-{_month(match['m3']):02}"


def _month(name: str) -> int:
    return _MONTHS[name.rstrip(".").lower()]


def title_start(text: str, end: int, /, *, words: int = 8, commas: bool = False) -> int:
    """Where the run of words with capitals (and small words between them) before *end* begins.

    Parameters
    ----------
    text, end
        The run ends at *end*, the start of the word that it belongs to.
    words
        The most words to go back.
    commas
        Whether the run may hold commas ("Food, Drug, and Cosmetic Act").

    Returns
    -------
    int
        *end* where no such word stands before.
    """
    left = max(0, end - _WINDOW)
    window = text[left:end]
    best = at = len(window)
    for _ in range(words):
        gap = at - len(window[:at].rstrip(" \u00a0\n\t"))
        if not gap or window[at - gap : at].count("\n") > 1:
            break
        stop = at - gap
        if not stop:
            break
        word = window[:stop].rsplit(None, 1)[-1].lstrip('"“”„‘([')
        at = stop - len(word)
        if not _WORD.fullmatch(word) or (at == 0 and left > 0):
            break
        plain = word.strip("'’.,/-").lower()
        if word[-1] == "." and not _ABBREVIATION.fullmatch(word):
            break
        if word[-1] in ",/-" and not commas:
            break
        if word.lower() in _SMALL or plain in _SMALL:
            if at + len(word) + gap == len(window):
                # "Statement of Work to Agreement": the noun itself stands after a small word.
                break
            continue
        if not (word[0].isupper() or word[0].isdigit()) or plain in _NEVER:
            break
        if word[0].isdigit():
            # A year may begin a title ("2023 Annual Report"); before a small word it ends another.
            if re.fullmatch(r"(?:19|20)\d\d", word) and best == at + len(word) + gap:
                best = at
            break
        best = at
    return left + best
