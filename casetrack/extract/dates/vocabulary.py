"""Words that dates are written with, English and German, with the commonest months of others."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists
from casetrack.base.words import months as lists
from casetrack.base.words.months import month_numbers
from casetrack.base.words.titles import title_words

_LISTS = WordLists(__file__)

MONTHS: Final = month_numbers("en", "en_short", "de", "de_short", "de_sheet", "es", "fr") | {
    word: int(number) for word, number in lists.MONTHS.pairs("spellings").items()
}
"""Month by lower-case word."""

SHORT_MONTHS: Final = frozenset((*month_numbers("en_short", "de_short", "de_sheet"), "sept")) - {
    "may",
    "mai",
}
"""Abbreviations, which may end in a full stop and are too short to stand alone."""

NAMELIKE_MONTHS: Final = frozenset(lists.MONTHS.words("namelike"))
"""Months that are also names of people or other words."""

FORMS_OF_ADDRESS: Final = title_words(
    "address", "academic", "knights", "peers", "german", "french", "spanish"
).union(_LISTS.words("forms_of_address"))
"""Words behind which the name of a month is the name of a person."""

WEEKDAYS: Final = {
    word: number
    for number, words in enumerate(
        (
            "monday mon mondays montag",
            "tuesday tue tues tuesdays dienstag",
            "wednesday wed weds wednesdays mittwoch",
            "thursday thu thur thurs thursdays donnerstag",
            "friday fri fridays freitag",
            "saturday sat saturdays samstag sonnabend",
            "sunday sun sundays sonntag",
        )
    )
    for word in words.split()
}
"""Day of the week by lower-case word, Monday 0."""

WEEKDAY_PLURALS: Final = frozenset(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays".split()
)
SHORT_WEEKDAYS: Final = frozenset("mon tue tues wed weds thu thur thurs fri sat sun".split())

_CARDINALS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
CARDINALS: Final = {word: number for number, word in enumerate(_CARDINALS)} | {
    word: number
    for words, number in (
        ("oh", 0),
        ("ein eine einem einen einer", 1),
        ("zwei", 2),
        ("drei", 3),
        ("vier", 4),
        ("fünf", 5),
        ("sechs", 6),
        ("sieben", 7),
        ("acht", 8),
        ("neun", 9),
        ("zehn", 10),
        ("zwölf", 12),
    )
    for word in words.split()
}
TENS: Final = {
    word: 10 * number
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
ORDINALS: Final = {
    word: number
    for number, words in enumerate(
        (
            "first erste ersten erstes erster",
            "second zweite zweiten zweites zweiter",
            "third dritte dritten drittes dritter",
            "fourth vierte vierten viertes vierter",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ),
        start=1,
    )
    for word in words.split()
} | {"thirtieth": 30}
SUFFIXES: Final = frozenset(("st", "nd", "rd", "th"))
"""What follows the figures of an ordinal number."""

UNITS: Final = {
    word: unit
    for unit, words in {
        "day": "day days tag tage tagen tages",
        "week": "week weeks woche wochen",
        "weekend": "weekend weekends wochenende",
        "fortnight": "fortnight fortnights",
        "month": "month months monat monate monaten monats",
        "quarter": "quarter quarters quartal quartale quartals",
        "half": "half halbjahr halbjahres halbjahrs",
        "year": "year years jahr jahre jahren jahres",
        "decade": "decade decades jahrzehnt jahrzehnte jahrzehnten",
        "century": "century centuries jahrhundert",
    }.items()
    for word in words.split()
}
STEPS: Final = {
    word: step
    for step, words in {
        0: "this current dieses diese dieser diesem diesen",
        1: "next coming upcoming following nächste nächsten nächster nächstes nächstem kommende "
        "kommenden kommender kommendes",
        -1: "last past previous prior preceding letzte letzten letzter letztes letztem vergangene "
        "vergangenen vergangener vergangenes vorige vorigen voriger voriges",
    }.items()
    for word in words.split()
}
"""Words that count periods from the document's date: 0 this, 1 the next, -1 the last."""

DAY_WORDS: Final = {
    "today": 0,
    "tonight": 0,
    "tonite": 0,
    "heute": 0,
    "yesterday": -1,
    "gestern": -1,
    "vorgestern": -2,
    "tomorrow": 1,
    "übermorgen": 2,
}
NOW: Final = frozenset(("now", "present", "date", "heute", "today"))
DAY_PARTS: Final = frozenset(("morning", "afternoon", "evening", "night"))

EDGES: Final = {
    word: edge
    for edge, words in {
        "start": "beginning start early anfang",
        "middle": "mid middle mitte",
        "end": "end late ende",
        "earlier": "earlier",
        "later": "later",
    }.items()
    for word in words.split()
}
SEASONS: Final = frozenset(
    "spring summer autumn fall winter frühjahr frühling sommer herbst".split()
)
CLEAR_SEASONS: Final = SEASONS - {"spring", "fall"}

EVIDENCE: Final = frozenset(_LISTS.words("evidence"))
"""Words that make a bare month, year or day behind them a date."""
DAY_EVIDENCE: Final = frozenset("on from since until till by dated am vom zum ab bis".split())
RECURRING: Final = frozenset("each every any per such alternate jeder jede jedes jeden".split())
"""Words that make a period recur, or leave open which one is meant."""
COUNTED: Final = frozenset(_LISTS.words("counted"))
"""What may follow a number that is then no year."""
NUMBERED: Final = frozenset(_LISTS.words("numbered"))
"""Words after which figures with dots or hyphens number something."""
IRREGULAR_PLURALS: Final = frozenset("people men women children staff".split())
NO_PLURALS: Final = frozenset(_LISTS.words("no_plurals"))
"""Words on s that are no plurals of nouns, as they may follow a day of May."""
NO_ADJECTIVES: Final = frozenset(_LISTS.words("no_adjectives"))
"""Small words that part a day of May from a noun behind it."""

SENT: Final = frozenset(
    "sent date gesendet datum envoyé enviado inviato verzonden data skickat fecha".split()
)
"""Labels of the moment in the head of a quoted mail."""
WROTE: Final = frozenset("wrote writes schrieb écrit escribió scritto schreef skrev".split())
"""Verbs that end the line which introduces a quoted mail."""
