"""Words that no phrase holds: function words of some languages, English verbs and fillers."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists
from casetrack.base.words.months import month_numbers
from casetrack.base.words.titles import title_words

_LISTS = WordLists(__file__)

_ENGLISH_MONTHS: Final = frozenset(month_numbers("en", "en_short"))
FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    code: frozenset(_LISTS.words(code)) | (month_numbers(code).keys() - _ENGLISH_MONTHS)
    for code in ("de", "fr", "es", "it", "nl", "pt")
} | {"en": _ENGLISH_MONTHS.union(_LISTS.words("en"), title_words("address"))}
"""Words, in lower case, that end a phrase, by ISO 639-1 code."""

_VERBS = _LISTS.words("verbs")
_NOUNS_TOO = frozenset(_LISTS.words("nouns_too"))


def _inflected() -> frozenset[str]:
    found: set[str] = set()
    for verb in _VERBS:
        stem = verb.removesuffix("e")
        plural = f"{verb[:-1]}ies" if _ends_in_y(verb) else f"{verb}s"
        past = f"{verb[:-1]}ied" if _ends_in_y(verb) else f"{stem}ed"
        found |= {verb, plural, past, f"{stem}ing", f"{stem}{verb[-1]}ing", f"{stem}{verb[-1]}ed"}
        if verb.endswith(("s", "x", "h")):
            found.add(f"{verb}es")
    return frozenset(found - _NOUNS_TOO)


def _ends_in_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2] not in "aeiou"


VERBS: Final = _inflected()
"""English verbs in all their forms, without those that are nouns as well."""

LY_NOUNS: Final = frozenset(_LISTS.words("ly_nouns"))
"""Words in -ly that are no adverbs."""

NO_LAST: Final = frozenset(_LISTS.words("no_last"))
"""Words that a phrase may hold, and not end with."""

GENERIC: Final = frozenset(_LISTS.words("generic"))
"""Words that alone say too little to be an entry of their own, singular and folded."""
