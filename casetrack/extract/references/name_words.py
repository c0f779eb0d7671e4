"""Words of case names, and the start of the first side.

Abbreviations of case names are those of The Bluebook, table T6, 21st edition.
"""

from __future__ import annotations

import re

from casetrack.base.words import WordLists
from casetrack.base.words.lists import title_words

_LISTS = WordLists(__file__)
_LEGAL_ROLES = frozenset(_LISTS.words("legal_roles"))
_PARTICLES = frozenset(_LISTS.words("particles"))

SMALL = frozenset(_LISTS.words("small"))
SMALL_WITHIN = frozenset(
    "on behalf in by through as to from with its their his her re parte".split()
)
"""Small words that only a phrase makes part of a name."""
_NO_NAME = frozenset(_LISTS.words("no_name"))
_ALSO_NAMES = frozenset(("in", "the", "a", "an", "of", "court"))
FORMS = re.compile(_LISTS.text("forms"), re.VERBOSE)
_ABBREVIATIONS = title_words("address").union(_LISTS.words("abbreviations"))
WORD = re.compile(r"\S+")
_YEAR = re.compile(r"(?:18|19|20)\d\d")
COUNTED = frozenset(
    "no nos local loc dist district unit post lodge doe roe one two region ward route of".split()
)
_CLOSING = re.compile(r'^(?![“"«]).*[”"»]$')
_STREETS = frozenset("St Ave Street Avenue Blvd Rd Road Place Pl Broadway Realty Owners".split())
NUMBER = re.compile(r"[#$]?\d[\d,.\-–/]*(?:st|nd|rd|th|d)?,?$")
_CAPITAL = "".join(
    sign
    for first, last in ((0x41, 0x250), (0x370, 0x530), (0x1E00, 0x2000))
    for sign in map(chr, range(first, last))
    if sign.isupper()
)
"""Large letters of Latin, Greek and Cyrillic, those with marks (Ō, Š) included."""
NAME_WORD = re.compile(
    rf"['‘’`ʻ\"“(\[]*(?:[^\W\d_]['‘’`ʻ]?)?[{_CAPITAL}0-9$#][^;:?]*$|[a-z]{{1,3}}[A-Z]\S*$"
    rf"|[dl]['’][{_CAPITAL}]\S*$|\((?:[a-z]{{1,2}}|[A-Z][\w.]*)\)[,.]?$"
)
_OKINA = re.compile(r"[‘’'`](?=[AEIOUĀĒĪŌŪaeiouāēīōū])")
_HAWAIIAN = re.compile(r"[āēīōūĀĒĪŌŪ]|\w[‘`ʻ]\w")
_MARK_CLOSES = re.compile(r"[’'](?!\w)")


def is_legal_role(word: str) -> bool:
    """Return whether a small word states the role of a party, which is part of the name."""
    return word in _LEGAL_ROLES


def first_side(region: str, end: int) -> int | None:
    """Return the start of the side that ends at *end*, or ``None`` without a name."""
    words = [(m.start(), m[0]) for m in WORD.finditer(region, 0, end)]
    taken = len(words)
    joined = False
    stopped_at = ""
    while taken:
        word = words[taken - 1][1]
        if _CLOSING.search(word):
            # Behind the end of a quotation nothing goes on.
            break
        right = words[taken][1] if taken < len(words) else ""
        if not _goes_on(words, taken - 1, right, joined=joined):
            stopped_at = word
            break
        joined = joined or word in {"&", "and"}
        taken -= 1
        if word.rstrip(",").isdigit() and not _is_numbered(words, taken):
            break
        if (
            word[0] in '"“‘['
            and not (word[0] == "‘" and len(word) < 4)
            and not _begins_with_okina(region, words[taken][0], word)
        ):
            break
    while taken < len(words) and _is_no_start(words, taken):
        stopped_at = words[taken][1]
        taken += 1
    if taken == len(words):
        return None
    if stopped_at.lower() in {"in", "at", "under", "for", "since", "by", "as"}:
        # "In California, Johnson & Johnson v. ...": the place before the comma is no party.
        for place in range(taken, len(words) - 1):
            if words[place][1].endswith(",") and not FORMS.match(words[place + 1][1]):
                taken = place + 1
                break
    start, first = words[taken]
    if _begins_with_okina(region, start, first):
        return start
    return start + len(first) - len(first.lstrip('"“‘[('))


def _begins_with_okina(region: str, start: int, word: str) -> bool:
    """Return whether the mark before a word is a Hawaiian letter (‘Ōlelo), not a quotation mark.

    It precedes a vowel and is not closed; a macron or another such letter in the word proves it.
    """
    if not _OKINA.match(word):
        return False
    return bool(_HAWAIIAN.search(word) or not _MARK_CLOSES.search(region, start + len(word)))


def _is_numbered(words: list[tuple[int, str]], place: int) -> bool:
    before = words[place - 1][1].lower().rstrip(".") if place else ""
    return before in COUNTED


def _goes_on(words: list[tuple[int, str]], place: int, right: str, *, joined: bool) -> bool:
    """Return whether the word at *place* belongs to the name whose next word is *right*."""
    word = words[place][1]
    plain = word.strip('(),[]"“”')
    small = plain.lower()
    if word[-1] in ";:?!" and right and not (word[-1] == "!" and word[0].isupper()):
        return False
    if small in SMALL or small.rstrip(".,") in {"rel", "al"}:
        return bool(right) or small.startswith("al")
    if small in SMALL_WITHIN:
        before = words[place - 1][1].lower() if place else ""
        after = right.lower()
        phrase = f"{before} {small} {after}"
        if small in {"re", "parte"}:
            return before in {"in", "ex"}
        return bool(
            re.search(
                r"on behalf|behalf of|by and|and through|through (?:his|her|its|their)|in (?:his"
                r"|her|their|its) |by (?:his|her|its|their) ",
                phrase,
            )
            or (
                small == "to"
                and before.startswith(("comm", "campaign", "council", "citizens", "right"))
            )
        )
    if small == "in" or (word == "In" and right.lower() in {"re", "re:"}):
        return True
    if is_legal_role(small):
        return bool(right)
    if NUMBER.match(word):
        # "On March 4, 2024 Smith v. Jones was filed"; "One 1958 Plymouth Sedan".
        before = words[place - 1][1].lower() if place else ""
        dated = _YEAR.fullmatch(plain) and before not in {"one", "two", "a", "the", "certain"}
        return not dated and not word.endswith(".") and (bool(right) or place > 0)
    if not NAME_WORD.match(word):
        return False
    if small.rstrip(".,") in _NO_NAME and small.rstrip(".,") not in _ALSO_NAMES:
        closes = not word.endswith(".") or not right
        return closes and word[0].isupper() and _is_inner(words, place, right)
    if word.endswith((".", ".)")) and right and not is_abbreviation(plain, right):
        return False
    if word.rstrip(".,;").endswith(")") and ("(" not in word or re.search(r"\d", word)):
        return False
    if word.endswith((",", ",”", ',"')) and right:
        return _comma_within(plain, right, joined=joined)
    return True


def _is_inner(words: list[tuple[int, str]], place: int, right: str) -> bool:
    """Return whether a word that begins sentences is within a name ("First Nat'l", "Court of")."""
    word = words[place][1].rstrip(".,").lower()
    if word in {"first", "second", "third", "section", "rule", "art", "judge", "cases", "chief"}:
        return bool(right) and right[:1].isupper() and word in {"first", "second", "third", "art"}
    return False


def is_abbreviation(plain: str, right: str) -> bool:
    """Return whether the point of *plain* marks an abbreviation; *right* is the next word."""
    stem = plain.rstrip(".,)")
    small = stem.lower()
    if "." in stem or len(stem) <= 2 or small in _ABBREVIATIONS:
        return True
    if "'" in stem or "’" in stem:
        return small.replace("’", "'") in _ABBREVIATIONS or not re.search(r"['’]s$", stem)
    return (
        right[:1] in {"&", ","} or right.lower() in {"v.", "vs.", "of"} or bool(FORMS.match(right))
    )


def _comma_within(plain: str, right: str, *, joined: bool) -> bool:
    stem = plain.rstrip(",")
    if FORMS.match(right):
        return True
    if stem.lower() in _NO_NAME or stem.isdigit():
        return False
    if stem.endswith("."):
        return stem.rstrip(".").lower() not in {"e.g", "cf", "id", "ibid"}
    return joined


def _is_no_start(words: list[tuple[int, str]], place: int) -> bool:
    word = words[place][1]
    plain = word.strip("(),[]\"“”'‘’")
    small = plain.lower().rstrip(".,")
    after = words[place + 1][1].lower() if place + 1 < len(words) else ""
    if not plain:
        return True
    if small == "in":
        return after not in {"re", "re:"} and not (
            after == "the"
            and place + 2 < len(words)
            and words[place + 2][1].lower() in {"matter", "interest"}
        )
    if small in _PARTICLES:
        return word[0].islower() and small in {"the", "a", "an"}
    if small in SMALL or small in SMALL_WITHIN or is_legal_role(small):
        return word[0].islower() or word == "&"
    if small in _NO_NAME and small not in _ALSO_NAMES:
        return not _is_inner(words, place, after.title())
    # The mark of a footnote is no part of a name; the number of a house is.
    if re.fullmatch(r"\d{1,2}", small) is None:
        return False
    return not any(other.strip(".,") in _STREETS for _, other in words[place + 1 :])
