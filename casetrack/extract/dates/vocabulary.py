"""Words that dates are written with, English and German, with the commonest months of others."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists, lists
from casetrack.base.words.lists import month_numbers, title_words

_LISTS = WordLists(__file__)


def _numbers(name: str) -> dict[str, int]:
    return {word: int(key) for key, words in _LISTS.groups(name).items() for word in words}


MONTHS: Final = month_numbers("en", "en_short", "de", "de_short", "de_sheet", "es", "fr") | {
    word: int(number) for word, number in lists.MONTHS.pairs("spellings").items()
}
"""Month by lower-case word."""

SHORT_MONTHS: Final = frozenset((*month_numbers("en_short", "de_short", "de_sheet"), "sept")) - {
    "may",
    "mai",
}
"""Abbreviations, which may end with a full stop and are too short alone."""

NAMELIKE_MONTHS: Final = frozenset(lists.MONTHS.words("namelike"))
"""Months that are also names of people or other words."""

FORMS_OF_ADDRESS: Final = title_words(
    "address", "academic", "knights", "peers", "german", "french", "spanish"
).union(_LISTS.words("forms_of_address"))
"""Words after which the name of a month is the name of a person."""

WEEKDAYS: Final = _numbers("weekdays")
"""Day of the week by lower-case word, Monday 0."""

WEEKDAY_PLURALS: Final = frozenset(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays".split()
)
SHORT_WEEKDAYS: Final = frozenset("mon tue tues wed weds thu thur thurs fri sat sun".split())

CARDINALS: Final = _numbers("cardinals")
TENS: Final = {
    word: 10 * number
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
ORDINALS: Final = _numbers("ordinals")
SUFFIXES: Final = frozenset(("st", "nd", "rd", "th"))
"""Suffixes of ordinal numbers in digits."""

UNITS: Final = {word: unit for unit, words in _LISTS.groups("units").items() for word in words}
STEPS: Final = _numbers("steps")
"""Words that count periods from the document's date: 0 this, 1 the next, -1 the last."""

DAY_WORDS: Final = _numbers("day_words")
NOW: Final = frozenset(("now", "present", "date", "heute", "today"))
DAY_PARTS: Final = frozenset(("morning", "afternoon", "evening", "night"))

EDGES: Final = {word: edge for edge, words in _LISTS.groups("edges").items() for word in words}
SEASONS: Final = frozenset(
    "spring summer autumn fall winter frühjahr frühling sommer herbst".split()
)
CLEAR_SEASONS: Final = SEASONS - {"spring", "fall"}

EVIDENCE: Final = frozenset(_LISTS.words("evidence"))
"""Words that make a bare month, year or day after them a date."""
DAY_EVIDENCE: Final = frozenset("on from since until till by dated am vom zum ab bis".split())
RECURRING: Final = frozenset("each every any per such alternate jeder jede jedes jeden".split())
"""Words that make a period recurring or indefinite."""
COUNTED: Final = frozenset(_LISTS.words("counted"))
"""Words after a number that exclude a year."""
NUMBERED: Final = frozenset(_LISTS.words("numbered"))
"""Words after which digits with dots or hyphens are the number of a thing."""
IRREGULAR_PLURALS: Final = frozenset("people men women children staff".split())
NO_PLURALS: Final = frozenset(_LISTS.words("no_plurals"))
"""Words on s that are no plurals of nouns, as they may follow a day of May."""
NO_ADJECTIVES: Final = frozenset(_LISTS.words("no_adjectives"))
"""Small words that separate a day of May from a noun after it."""

SENT: Final = frozenset(
    "sent date gesendet datum envoyé enviado inviato verzonden data skickat fecha".split()
)
"""Labels of the time in the header of a quoted mail."""
WROTE: Final = frozenset("wrote writes schrieb écrit escribió scritto schreef skrev".split())
"""Verbs that end the line which introduces a quoted mail."""
