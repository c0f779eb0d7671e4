"""Rules for the ends of names and for words that are never names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from casetrack.extract.names.words import (
    ABBREVIATED,
    ALNUM,
    BODIES,
    COMPANY_ENDS,
    FLAGS,
    FROM_FORM,
    GAP,
    GENERIC_FORMS,
    LEGAL_FORMS,
    LETTER,
    MIXED,
    NEVER,
    NO_NAMES,
    PAPERS,
    PEOPLES,
    PLACES,
    SHAPE,
    STATUTES,
    STOPS,
    TITLE,
    UPPER,
    Place,
    Words,
)

# Signers are persons. An uncased encoder has little evidence between "Signed for Acme plc:" and ",
# Operations Director", but signature blocks have a common layout: the organisation, the person, the
# office.

_REACH = 200
"""Characters of context before and after a name."""
_NOT_OF_PEOPLE = BODIES | GENERIC_FORMS | LEGAL_FORMS | PAPERS | PLACES
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[’'-])*\.?")
_LAST_NAMES = frozenset("de la le van von der den di da del bin al el".split())

_FOR_WHOM = re.compile(
    r"(?:\b(?:signed|executed|accepted|agreed)\b[^:\n]{0,80}\b(?:for|of|by)\b[^:\n]{1,100}"
    r"|\bon behalf of\b[^:\n]{1,100})\s?:\s{0,2}(?:/s/\s?)?$",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"/s/\s?$", re.IGNORECASE)
_NAME = re.compile(r"\bname\s?:\s{0,2}$", re.IGNORECASE)
_POST = re.compile(r".{0,80}?\b(?:title|position|capacity|office)\s?:", re.IGNORECASE | re.DOTALL)
_AS_WHAT = re.compile(
    r"(?:,[ ]|[ ]?\n\s{0,3})(?:[A-Z][\w&’'-]*[ ](?:(?:of|and|the|&)[ ])?){0,4}"
    r"(?i:director|officer|president|manager|secretary|treasurer|chair(?:man|woman|person)?|partner"
    r"|counsel|solicitor|attorney|trustee|executive|signatory)[ ]?(?=\n|[.;|]|$)"
)


def signs(text: str, start: int, end: int, /) -> bool:
    """Return whether a name (code points *start* to *end*) is in the position of a signer.

    That is after "Signed for ORGANISATION:", after the "/s/" of a signature, after "Name:" before a
    "Title:", or before only an office ("..., Operations Director"). A name with a word of
    companies, bodies or papers is never a person's.
    """
    if not _could_be_a_person(text[start:end]):
        return False
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - _REACH) : start]
    after = text[end : end + _REACH]
    return bool(
        _FOR_WHOM.search(before)
        or _SIGNATURE.search(before)
        or (_NAME.search(before) and _POST.match(after))
        or _AS_WHAT.match(after)
    )


def _could_be_a_person(name: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 4 and all(
        word in _LAST_NAMES
        or (
            _WORD.fullmatch(word) is not None
            and word[0].isupper()
            and word.rstrip(".").lower() not in _NOT_OF_PEOPLE
        )
        for word in words
    )


_CAPITALISED = frozenset({TITLE, UPPER, MIXED, LETTER, ALNUM})
_JOINS = frozenset({"&", "-", "."})
_LONGEST = 7
_DOTTED = tuple(tuple(form) for form in ("l.l.c", "l.l.p", "n.a", "l.p", "s.a", "n.v", "b.v"))
_SURE = -0.1
_WHOLE = ("national", "association")


def shaped(words: Words, place: Place, /) -> Place | None:
    """Return a name with corrected ends and kind, or ``None`` if it is not a name.

    A legal form belongs to a name ("Akamai Technologies, Inc."), but "a Delaware corporation" names
    only Delaware. Words of the paper ("Agreement", "Section 3", "Effective Date") and days are no
    names.
    """
    texts, first, after, kind = words.texts, place.first, place.after, place.kind
    if kind == "organization":
        after = next((i for i in range(first + 1, after) if _ends_before(words, i)), after)
        if first and texts[first - 1].lower() in {"a", "an"} and after - first <= 4:
            end = after
            while end > first and texts[end - 1].lower() in GENERIC_FORMS:
                end -= 1
            if first < end < after:
                after, kind = end, "location"
    first, after = _unbroken(words, first, after)
    while first < after and not texts[first][0].isalnum():
        first += 1
    while (
        after > first and not texts[after - 1][0].isalnum() and texts[after - 1] not in {".", ")"}
    ):
        after -= 1
    inner = [w.lower() for w in texts[first:after] if w[0].isalnum()]
    if all(w in NO_NAMES | COMPANY_ENDS or w.isdigit() for w in inner):
        return None  # "Quarters Ended March 31, Inc." is the head of a column
    if kind == "organization" and len(inner) == 1 and inner[0] in PEOPLES:
        return None  # "Irish lenders"
    if kind == "organization":
        while (longer := _with_form(words, after)) > after:
            after = longer
    if texts[after - 1].lower() in ABBREVIATED and _is_dot(words, after):
        after += 1
    return Place(first, after, kind, place.sure)


def joined(words: Words, places: Iterable[Place], /) -> list[Place]:
    """Join names that the full stop of an initial separated ("Adam D. Portnoy")."""
    names: list[Place] = []
    for place in places:
        before = names[-1] if names else place
        is_torn = (
            place.first == before.after + 1
            and place.kind == before.kind == "person"
            and _is_dot(words, before.after)
            and words.features[before.after - 1, SHAPE] == LETTER
        )
        if is_torn:
            names[-1] = Place(before.first, place.after, place.kind, min(before.sure, place.sure))
        else:
            names.append(place)
    return names


def with_companies(words: Words, places: Iterable[Place], /) -> list[Place]:
    """Add companies by their legal form, and extend partial ones."""
    names = list(places)
    for first, after in _companies(words):
        near = [p for p in names if p.first < after and p.after > first]
        if any(p.first <= first and p.after >= after for p in near):
            continue
        people = [p.after for p in near if p.kind == "person" and _is_whole(words, p, after)]
        begin = max([first, *people])  # "Nora Whitfield Orchard Optics, Inc." on a line of a list
        near = [p for p in near if p.after > begin]
        start = min([begin, *(p.first for p in near)])
        end = max([after, *(p.after for p in near)])
        sure = max([FROM_FORM, *(p.sure for p in near if p.kind == "organization")])
        names = [p for p in names if p not in near]
        names.append(Place(start, end, "organization", sure))
    return sorted(names, key=lambda p: p.first)


def _is_whole(words: Words, person: Place, after: int) -> bool:
    """Return whether a person before a company is certain, and the company has its own name."""
    rest = [w for w in words.texts[person.after : after] if w[0].isupper()]
    names = [w for w in rest if w.lower() not in NEVER | LEGAL_FORMS]
    if not names:
        return False  # the person may end the text
    is_apart = words.texts[person.after][0].isalnum() or words.features[person.after, GAP] >= 2
    return bool(is_apart and person.after - person.first > 1 and person.sure > _SURE)


def _companies(words: Words) -> list[tuple[int, int]]:
    firms = []
    for i in np.flatnonzero(words.features[:, FLAGS] & 1).tolist():
        form = words.texts[i]
        if form.lower() not in COMPANY_ENDS or not _is_form(form) or i == 0:
            continue
        after = i + 2 if form.lower() in ABBREVIATED and _is_dot(words, i + 1) else i + 1
        begin = i - 1 if words.texts[i - 1] == "," else i
        first = _run_start(words, begin)
        if first and words.texts[first - 1].lower() in {"a", "an"}:
            continue  # "a Nevada Corporation"
        behind = words.texts[after] if after < len(words.texts) else ""
        if behind.lower() in STATUTES and behind[0].isupper():
            continue  # "General Corporation Law"
        names = [w for w in words.texts[first:begin] if w.lower() not in NO_NAMES | LEGAL_FORMS]
        if any(len(w) > 1 and not w.isdigit() for w in names):
            firms.append((first, after))
    return firms


def _run_start(words: Words, begin: int) -> int:
    features, texts = words.features, words.texts
    first = begin
    for i in range(begin - 1, max(-1, begin - _LONGEST), -1):
        if _is_break(words, i + 1) or features[i + 1, GAP] > 1 or texts[i].lower() in STOPS:
            break
        if features[i, SHAPE] in _CAPITALISED and texts[i].lower() not in COMPANY_ENDS:
            first = i
        elif texts[i] not in _JOINS or (texts[i] == "." and features[i - 1, SHAPE] != LETTER):
            break
    while first < begin and texts[first].lower() in NEVER:
        first += 1
    return first


def _is_form(word: str) -> bool:
    return word[0].isupper() or word == "plc"


def _ends_before(words: Words, at: int) -> bool:
    """Return whether a company's name ends before a word inside its scored range."""
    if words.texts[at] in {"a", "an"}:
        return True
    before = words.texts[at - 2 if words.texts[at - 1] == "." else at - 1].lower()
    return bool(before in COMPANY_ENDS and words.features[at, GAP] >= 2)


def _is_break(words: Words, at: int) -> bool:
    return bool(words.features[at, GAP] == 3 or words.starts[at] - words.ends[at - 1] > 2)


def _unbroken(words: Words, first: int, after: int) -> tuple[int, int]:
    cuts = [i for i in range(first + 1, after) if _is_break(words, i)]
    edges = [first, *cuts, after]
    return max(pairwise(edges), key=lambda p: p[1] - p[0])


def _with_form(words: Words, after: int) -> int:
    at = after
    if at < len(words.texts) and words.texts[at] == ",":
        at += 1
    if at >= len(words.texts) or words.starts[at] - words.ends[at - 1] > 1:
        return after
    low = tuple(w.lower() for w in words.texts[at : at + 5])
    for form in _DOTTED:
        if low[: len(form)] == form and words.texts[at][0].isupper():
            end = at + len(form)
            return end + 1 if _is_dot(words, end) else end
    if low[:2] == _WHOLE and words.texts[at][0].isupper():
        return at + 2
    if low[0] == "(" and len(low) > 3 and low[2] == ")" and low[3] in COMPANY_ENDS:
        return at + 4  # "Orchard Trust Company (Cayman) Limited"
    if low[0] in LEGAL_FORMS and _is_form(words.texts[at]) and len(low[0]) > 1:
        return at + 2 if low[0] in ABBREVIATED and _is_dot(words, at + 1) else at + 1
    return after


def _is_dot(words: Words, at: int) -> bool:
    if at >= len(words.texts) or words.texts[at] != ".":
        return False
    return bool(words.starts[at] == words.ends[at - 1])
