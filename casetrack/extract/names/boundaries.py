"""Ends of names with small words: "Securities and Exchange Commission", "D. Michael Wilson".

The scores see two words on each side, but names are longer. These rules follow the grammar of
names: initials and "Jr.", subjects and countries of public bodies, partners of a firm, saints in
place names; and they remove titles of laws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from casetrack.base.words.lists import title_words
from casetrack.extract.names.words import (
    BODIES,
    DATES,
    FELLOWS,
    FROM_FORM,
    GAP,
    GENERIC_FORMS,
    LEGAL_FORMS,
    LETTER,
    MIXED,
    NO_NAMES,
    NUMBERED,
    OFFICES,
    PAPERS,
    PEOPLES,
    PUBLIC_BODIES,
    SHAPE,
    STATUTES,
    SUBJECTS,
    TITLE,
    TITLES,
    UPPER,
    Place,
    Words,
)

_CAPITALISED = frozenset({TITLE, UPPER, MIXED})
_GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})
_COURTS = frozenset({"district", "supreme", "superior", "circuit", "high", "bankruptcy", "federal"})
_SURE_BODIES = frozenset({"commission", "administration", "agency"})
_STATES = tuple(tuple(s.split()) for s in ("U . S .", "U . K .", "United States", "US", "UK", "EU"))
_JUDGES = frozenset({"court", "courts", "appeals", "claims", "tribunal"})
_REALMS = frozenset({"state", "commonwealth", "republic", "kingdom", "province", "city"})
_TRADE = frozenset({"stock", "mercantile", "metal", "securities"})
_HEADS = frozenset(
    form for word in {*_SURE_BODIES, "court", "exchange"} for form in (word.title(), word.upper())
)
_ADDRESSED = title_words("address") | {"miss"}
_SAINTS = frozenset({"st", "mt", "ft"})
_LONGEST = 8
"""Maximum words added to a name on one side."""


def completed(words: Words, places: Sequence[Place], /) -> list[Place]:
    """Return the names with corrected ends; a name absorbs others inside it."""
    names: list[Place] = []
    left = list(places)
    while left:
        place = left.pop(0)
        before = names[-1] if names else None
        for rule in _RULES.get(place.kind, ()):
            after = left[0] if left else None
            place = rule(words, place, before, after)
            if place.first == place.after:
                break
        if place.first == place.after:
            continue
        while names and names[-1].after > place.first:
            names.pop()
        while left and left[0].first < place.after:
            taken = left.pop(0)
            if taken.after > place.after and _is_capital(words, place.after):
                left.insert(0, replace(taken, first=place.after))
        names.append(place)
    return names


def with_bodies(words: Words, places: Sequence[Place], /) -> list[Place]:
    """Add public bodies by their words: "Food and Drug Administration".

    A subject before "Commission", "Administration" or "Agency", a court "of" or "for" something, or
    a stock exchange with its place. :func:`completed` finds their ends.
    """
    texts, new = words.texts, []
    taken = {i for p in places for i in range(p.first, p.after)}
    for i in [i for i, word in enumerate(texts) if word in _HEADS]:
        if i in taken or i - 1 in taken or not i:
            continue
        low, before = texts[i].lower(), texts[i - 1].lower()
        if not (_is_capital(words, i - 1) and _on_line(words, i)):
            continue
        if low == "exchange" and before in _TRADE:
            new.append(_exchange(words, i, places))
            continue
        is_court = low == "court" and before in _COURTS and _of(words, i + 1, None) > i + 1
        if is_court or (low in _SURE_BODIES and before in SUBJECTS):
            new.append(Place(i - 1, i + 1, "organization", FROM_FORM))
    kept = [p for p in places if not any(n.first <= p.first < n.after for n in new)]
    return sorted([*kept, *new], key=lambda p: p.first)


def _exchange(words: Words, at: int, places: Sequence[Place]) -> Place:
    """Return "New York Stock Exchange", which takes in the place before."""
    first = at - 1
    touching = [p for p in places if p.after == first and p.kind != "person"]
    if touching and _on_line(words, first):
        first = touching[0].first
    return Place(first, at + 1, "organization", FROM_FORM)


def _person(words: Words, place: Place, before: Place | None, _after: Place | None) -> Place:
    """Remove a title, and add preceding initials and suffixes such as "Jr."."""
    texts, first, end = words.texts, place.first, place.after
    while end - first > 1 and texts[first].lower() in TITLES:
        first += 2 if texts[first + 1] == "." else 1
    while texts[end - 1].islower() and not texts[first].islower() and texts[end - 2].isalpha():
        end -= 1  # "Jo Novak a", "Daniel macht"
    if first >= end:
        return replace(place, first=place.after)
    if first == place.first:
        stop = before.after if before else 0
        while first - 2 >= stop and _is_initial(words, first - 2) and not _opens(words, first - 2):
            first -= 2
    at = end + 1 if _is(words, end, ",") else end
    if at < len(texts) and texts[at].lower() in _GENERATIONS and _on_line(words, at):
        end = at + 2 if _is(words, at + 1, ".") else at + 1
    return replace(place, first=first, after=end)


def _is_initial(words: Words, at: int) -> bool:
    return bool(
        words.features[at, SHAPE] == LETTER
        and words.texts[at].isupper()
        and words.texts[at + 1] == "."
        and words.starts[at + 1] == words.ends[at]
        and at + 2 < len(words.texts)
        and words.starts[at + 2] - words.ends[at + 1] <= 1
        and words.features[at + 2, GAP] < 2
    )


def _opens(words: Words, at: int) -> bool:
    """Return whether a letter numbers a paragraph or belongs to a word, as in "Exhibit A."."""
    if at == 0:
        return True
    before = words.texts[at - 1]
    return bool(
        words.features[at, GAP] >= 2
        or before[0].isdigit()
        or before in {"(", "."}
        or before.lower() in PAPERS
    )


def _body(words: Words, place: Place, before: Place | None, after: Place | None) -> Place:
    """Extend a public body by its country, its subjects and the words after "of"."""
    texts = words.texts
    first, end = place.first, place.after
    low = {w.lower() for w in texts[first:end]}
    if low & PUBLIC_BODIES:
        first += texts[first] in {"The", "the", "THE"} and end - first > 1
        joins = first >= 2 and texts[first - 1].lower() in {"and", "&"}
        if joins and texts[first - 2].lower() in SUBJECTS and _is_capital(words, first - 2):
            first = _back(words, first - 2, before.after if before else 0)
        first -= _state_before(words, first)
    if texts[end - 1].lower() in OFFICES | _JUDGES or low & _JUDGES:
        while (longer := _of(words, end, after)) > end:
            end = longer
    if texts[end - 1].lower() in SUBJECTS | PUBLIC_BODIES and low & PUBLIC_BODIES:
        end = _subjects(words, end, after)
    return replace(place, first=first, after=end)


def _state_before(words: Words, first: int) -> int:
    """Return how many words before a body's name are those of its state."""
    for state in _STATES:
        count = len(state)
        if tuple(words.texts[max(0, first - count) : first]) == state and _on_line(words, first):
            return count
    return 0


def _back(words: Words, at: int, stop: int) -> int:
    while at - 1 >= stop and _is_capital(words, at - 1) and words.features[at, GAP] < 2:
        if words.texts[at - 1].lower() not in SUBJECTS | {"federal", "national", "state"}:
            break
        at -= 1
    return at


def _of(words: Words, end: int, after: Place | None) -> int:
    """Return the end of "of (the) Virginia", "for the Ninth Circuit" after an office."""
    texts = words.texts
    joins = {"of", "for"} if texts[end - 1].lower() in _JUDGES else {"of"}
    if end + 1 >= len(texts) or texts[end].lower() not in joins or not _on_line(words, end):
        return end
    at = end + 2 if texts[end + 1].lower() == "the" else end + 1
    if after and after.first == at:
        return after.after if after.kind == "location" else end
    return _run(words, at, end)


def _subjects(words: Words, end: int, after: Place | None) -> int:
    """Return the end of ", Tobacco and Firearms" after a body's first subject."""
    texts, best = words.texts, end
    at = end
    while at + 1 < len(texts) and at - end < _LONGEST:
        step = 2 if texts[at] == "," and texts[at + 1].lower() == "and" else 1
        joins = texts[at].lower() in {"and", "&", ","} and at + step < len(texts)
        if not joins or texts[at + step].lower() not in SUBJECTS or not _on_line(words, at + step):
            break
        if after and after.first <= at + step and after.kind != "organization":
            break
        ended = _run(words, at + step, at)
        if ended == at:
            break
        if texts[at] != "," or step == 2:
            best = ended
        at = ended
    return best


def _run(words: Words, at: int, otherwise: int) -> int:
    end = at
    while end < len(words.texts) and _is_capital(words, end) and _on_line(words, end):
        if words.texts[end].lower() in NO_NAMES or end - at > _LONGEST:
            break
        end += 1
    return end if end > at else otherwise


def _firm(words: Words, place: Place, before: Place | None, _after: Place | None) -> Place:
    """Extend "Kestrel and Partners", "Hall & Sons", whatever their kind."""
    texts, first, end, kind = words.texts, place.first, place.after, place.kind
    if end + 1 < len(texts) and texts[end].lower() in {"and", "&"}:
        fellow = texts[end + 1]
        if fellow.lower() in FELLOWS and fellow[0].isupper() and _on_line(words, end + 1):
            end, kind = end + 2, "organization"
            if _is(words, end, ".") and fellow.lower() in {"co", "bros"}:
                end += 1
    joins = first >= 2 and texts[first - 1].lower() in {"and", "&"}
    if joins and kind == "organization" and texts[first].lower() in FELLOWS:
        at = first - 2
        stop = before.after if before else 0
        if before and before.after == first - 1 and before.kind in {"person", "organization"}:
            first = before.first
        elif at >= stop and _is_capital(words, at):
            first = at
    return replace(place, first=first, after=end, kind=kind)


def _no_law(words: Words, place: Place, _before: Place | None, _after: Place | None) -> Place:
    """Remove titles of laws and plans, and boards of any organisation."""
    texts, end = words.texts, place.after
    low = [w.lower() for w in texts[place.first : end]]
    at = end
    while at < len(texts) and texts[at].lower() in GENERIC_FORMS and _on_line(words, at):
        at += 1
    behind = texts[at] if at < len(texts) and _on_line(words, at) else ""
    mark = texts[place.first - 1].lower() if place.first else ""
    if mark in NUMBERED and end - place.first == 1 and len(low[0]) <= 3:
        return replace(place, first=end)
    is_law = low[-1] in STATUTES or (behind.lower() in STATUTES and behind[0].isupper())
    if is_law or (low[0] == "board" and low[-1] in {"directors", "trustees", "managers"}):
        return replace(place, first=place.after)
    return place


def _no_date(words: Words, place: Place, _before: Place | None, _after: Place | None) -> Place:
    """Remove a date before a firm: "11 November 2024 Oakham Mills plc"."""
    low = [w.lower() for w in words.texts[place.first : place.after]]
    size = next((i for i, w in enumerate(low) if w not in DATES and not w.isdigit()), len(low))
    is_date = any(w in DATES for w in low[:size]) and any(w.isdigit() for w in low[:size])
    return replace(place, first=place.first + size) if is_date else place


def _titled(words: Words, place: Place, _before: Place | None, _after: Place | None) -> Place:
    """Make one or two words after a title a person: "Ms Okafor", "Ms Jo Okafor, Operations"."""
    texts, first = words.texts, place.first
    end = next((i for i in range(first, place.after) if texts[i] == ","), place.after)
    low = {w.lower() for w in texts[first : place.after]}
    title = first - 2 if first > 1 and texts[first - 1] == "." else first - 1
    is_person = (
        title >= 0
        and texts[title].lower() in _ADDRESSED
        and texts[title][0].isupper()
        and _on_line(words, first)
        and 0 < end - first <= 2
        and not low & (LEGAL_FORMS | BODIES)
    )
    return replace(place, after=end, kind="person") if is_person else place


def _where(words: Words, place: Place, before: Place | None, _after: Place | None) -> Place:
    """Include "St.", "State of" and the last full stop; "non-U.S." and "German" are no places."""
    texts, first, end = words.texts, place.first, place.after
    shapes = words.features[:, SHAPE]
    if end - first > 2 and shapes[end - 1] == shapes[end - 3] == LETTER and _is(words, end, "."):
        place = replace(place, after=end + 1)
    name = [w.lower() for w in texts[first : end + 2]]
    if name == ["united", "states", "of", "america"] and _is_capital(words, end + 1):
        place = replace(place, after=end + 2)
    if first >= 2 and texts[first - 1] == "-" and texts[first - 2].lower() == "non":
        return replace(place, first=place.after)
    if texts[end - 1].lower() in PEOPLES or texts[first:end] == ["us"]:
        return replace(place, first=place.after)
    stop = before.after if before else 0
    is_realm = first - 2 >= stop and texts[first - 1].lower() == "of" and _on_line(words, first)
    if is_realm and texts[first - 2].lower() in _REALMS and _is_capital(words, first - 2):
        of_people = [w.lower() for w in texts[max(0, first - 5) : first - 2]]
        more = 3 if of_people in (["people", "’", "s"], ["people", "'", "s"]) else 0
        return replace(place, first=first - 2 - more)
    is_saint = first - 2 >= stop and texts[first - 1] == "." and _on_line(words, first)
    if is_saint and texts[first - 2].lower() in _SAINTS and texts[first - 2][0].isupper():
        return replace(place, first=first - 2)
    if texts[place.after - 1].lower() in _SAINTS and _is(words, place.after, "."):
        at = place.after + 1
        if place.after - first == 1 and at < len(texts) and _is_capital(words, at):
            return replace(place, after=at + 1) if _on_line(words, at) else place
    return place


def _heading(words: Words, place: Place, _before: Place | None, _after: Place | None) -> Place:
    """Remove the end of a heading in capitals before the name of a company."""
    first, shapes = place.first, words.features[:, SHAPE]
    at = first
    while at < place.after and shapes[at] == UPPER:
        at += 1
    is_heading = first and shapes[first - 1] == UPPER and words.features[first, GAP] < 2
    if is_heading and at > first and (shapes[at : place.after] == TITLE).sum() >= 2:
        return replace(place, first=at)
    return place


def _is_capital(words: Words, at: int) -> bool:
    return int(words.features[at, SHAPE]) in _CAPITALISED


def _is(words: Words, at: int, mark: str) -> bool:
    return bool(
        0 < at < len(words.texts)
        and words.texts[at] == mark
        and words.starts[at] == words.ends[at - 1]
    )


def _on_line(words: Words, at: int) -> bool:
    return bool(words.features[at, GAP] <= 2 and words.starts[at] - words.ends[at - 1] <= 1)


_RULES: dict[str, tuple[Callable[[Words, Place, Place | None, Place | None], Place], ...]] = {
    "person": (_person, _firm),
    "organization": (_no_date, _titled, _no_law, _heading, _body, _firm),
    "location": (_where,),
}
