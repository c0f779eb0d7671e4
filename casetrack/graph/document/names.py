"""Groups the names of one document that are the same person, organisation or place."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.extract.papers.courts import court_called
from casetrack.graph.document.anchored_names.facts import Where, without_form
from casetrack.graph.document.learn import KINDS, kinds_of
from casetrack.graph.document.titles import is_part
from casetrack.graph.entities.lexicon import GIVEN_NAMES, HONORIFICS, SUFFIXES, is_nickname
from casetrack.graph.entities.locations import location_key
from casetrack.graph.entities.organizations import (
    OrganizationForm,
    group_organizations,
    read_organization,
)
from casetrack.graph.entities.people import group_persons, scanned_variants
from casetrack.graph.entities.persons import PersonForm, better_display, read_person
from casetrack.graph.entities.text import clean, fold, is_all_caps, surface

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import NameKind, NameSpan
    from casetrack.graph.document.facts import ChunkFacts
    from casetrack.graph.document.learn import Learned

_TITLE_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{2,12})\.?\s{1,2}$")
_PLACE = re.compile(
    r"(?i)(?:^|[|\n\t]) ?(?:city|town|country|county|state|province|region|stadt|ort|land"
    r"|ville|pays|ciudad|país|città|paese|plaats) ?: ?$"
)
"""The label of a field that has a place."""
_TITLE_ENDINGS = frozenset(title[-2:] for title, gender in HONORIFICS.items() if gender)
_SUFFIX_BEHIND = re.compile(r",?\s{1,2}(Jr|Sr|JR|SR|Jnr|Snr|II|III|IV)\b\.?")


@dataclass(frozen=True, slots=True)
class Place:
    """A grouped name at its place."""

    chunk: int
    span: NameSpan
    group: int  # Number of its entity among the document's named entities; -1 if it is no name
    spelling: str  # The name as written, on one line, with the preceding title
    found_by: FoundBy


@dataclass(frozen=True, slots=True)
class Named:
    """The named entities of a document."""

    places: tuple[Place, ...]  # All names, in order
    # For each entity: its kind, its key within the kind, the fullest name.
    kinds: tuple[NameKind, ...]
    keys: tuple[str, ...]
    names: tuple[str, ...]
    surfaces: Mapping[str, int]  # Number of the entity that each surface form names


_PARTY = frozenset(("party clause", "title block", "letterhead", "caption"))
"""Evidence that a name is a party of the document, so that short names mean it."""
_Context = tuple[str, str, str]
"""Surface form of a name, gender of the preceding title, following suffix."""


@dataclass(slots=True)
class _Reading:
    """The spellings of a document, each read once."""

    surfaces: dict[str, str]
    lines: dict[str, str]
    kinds: dict[str, NameKind]
    contexts: list[tuple[int, NameSpan, _Context, str]]
    spellings: dict[_Context, Counter[str]]


def group_names(learned: Learned, /) -> Named:
    """Group the names of a document."""
    reading = _read(learned)
    by_kind: dict[NameKind, list[_Context]] = {kind: [] for kind in KINDS}
    for context in reading.spellings:
        if context[0] in reading.kinds:
            by_kind[reading.kinds[context[0]]].append(context)
    groups: dict[_Context, int] = {}
    kinds: list[NameKind] = []
    keys: list[str] = []
    names: list[str] = []
    is_mail = any("mail head" in sure for sure in learned.known.evidence.values())
    persons = _persons(by_kind["person"], reading, is_mail=is_mail)
    words = {w for p in persons.values() for w in (*p.form.given, p.form.surname, p.form.bare)}
    parties = {grouped for grouped, sure in learned.known.evidence.items() if sure.keys() & _PARTY}
    grouped: tuple[tuple[NameKind, dict[_Context, tuple[str, str]]], ...] = (
        ("person", {c: (p.key, p.name) for c, p in persons.items()}),
        ("organization", _organizations(by_kind["organization"], reading, words, parties)),
        ("location", _locations(by_kind["location"], reading)),
    )
    for kind, members in grouped:
        numbers: dict[str, int] = {}
        for context, (key, name) in members.items():
            if key not in numbers:
                numbers[key] = len(keys)
                kinds.append(kind)
                keys.append(key)
                names.append(name)
            groups[context] = numbers[key]
    counts = Counter(context[0] for _, _, context, _ in reading.contexts)
    misread = scanned_variants(counts, words=learned.small)
    surfaces = _merge_defined(groups, misread | learned.known.same)
    for context in _joined(groups, surfaces, parties):
        groups[context] = -1
        surfaces.pop(context[0], None)
    at: Counter[int] = Counter()
    places = []
    for chunk, span, context, spelling in reading.contexts:
        how = learned.found_by[chunk][at[chunk]]
        at[chunk] += 1
        places.append(Place(chunk, span, groups.get(context, -1), spelling, how))
    return Named(tuple(places), tuple(kinds), tuple(keys), tuple(names), surfaces)


def _merge_defined(groups: dict[_Context, int], same: Mapping[str, str]) -> dict[str, int]:
    """Assign each short name to the entity that the document defines it for.

    Return the number of the entity of each surface form, the first of several.
    """
    surfaces: dict[str, int] = {}
    for context, number in groups.items():
        surfaces[context[0]] = min(number, surfaces.get(context[0], number))
    for short, owner in same.items():
        # The definition leaves out an article that the name has elsewhere.
        whole = owner if owner in surfaces else f"the {owner}"
        if whole in surfaces:
            surfaces[short] = surfaces[whole]
    for context in groups:
        if context[0] in same:
            groups[context] = surfaces[context[0]]
    return surfaces


def _joined(
    groups: Iterable[_Context], surfaces: Mapping[str, int], parties: Iterable[str]
) -> list[_Context]:
    """Return the names that consist of the names of two parties: those of two columns."""
    sides: dict[str, int] = {}
    for party in parties:
        name = party.removeprefix("the ")
        number = surfaces.get(party, surfaces.get(f"the {name}", -1))
        sides[surface(without_form(name))] = number
    joined = []
    for context in groups:
        words = surface(without_form(context[0])).split()
        halves = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words))]
        if any(a in sides and b in sides and sides[a] != sides[b] for a, b in halves):
            joined.append(context)
    return joined


def _read(learned: Learned) -> _Reading:
    reading = _Reading({}, {}, {}, [], {})
    weights: dict[str, dict[str, float]] = {}
    marked: Counter[str] = Counter()
    for number, chunk in enumerate(learned.chunks):
        for span in chunk.names:
            if _is_label(chunk, span):
                reading.contexts.append((number, span, ("", "", ""), ""))
                continue
            text = learned.called.get(Where(number, span.start, span.end), span.text)
            form = reading.surfaces.get(text)
            if form is None:
                form = reading.surfaces[text] = surface(text)
                reading.lines[text] = clean(text)
            kind = weights.setdefault(form, {})
            is_place = _PLACE.search(chunk.text, max(0, span.start - 40), span.start)
            own, sure = ("location", 1.0) if is_place else (span.kind, span.confidence)
            kind[own] = kind.get(own, 0.0) + sure
            gender, suffix, spelling = "", "", reading.lines[text]
            if span.kind == "person":
                title = _title_before(chunk.text, span.start)
                if title:
                    gender, spelling = HONORIFICS[fold(title)], f"{title} {spelling}"
                suffix = _suffix_behind(chunk.text, span.end)
            marked[form] += 1 if chunk.text[span.end : span.end + 1] in {"®", "™"} else -1
            context = (form, gender, suffix)
            reading.contexts.append((number, span, context, spelling))
            reading.spellings.setdefault(context, Counter())[text] += 1
    titled = {form for form, gender, _ in reading.spellings if gender}
    reading.kinds.update(kinds_of(weights, learned, titled))
    for form, more in marked.items():
        # A product has its mark at most places, a firm at few.
        if more >= 0 and form not in learned.known.evidence:
            reading.kinds.pop(form, None)
    return reading


def _is_label(chunk: ChunkFacts, span: NameSpan) -> bool:
    """Return whether a name in a table is the label of a value, or in several rows."""
    is_split = "\n" in span.text
    if not (is_split or chunk.text.startswith(":", span.end)):
        return False
    start, end = chunk.char_start + span.start, chunk.char_start + span.end
    if not any(first <= start and end <= last for first, last in chunk.tables):
        return False
    before = chunk.text[: span.start].rstrip(" ")
    return is_split or not before or before[-1] in "|\n"


def _title_before(text: str, start: int) -> str:
    before = text[max(0, start - 16) : start].rstrip().rstrip(".")
    if before[-2:].lower() not in _TITLE_ENDINGS:
        return ""
    match = _TITLE_BEFORE.search(text, max(0, start - 16), start)
    return match[1] if match and HONORIFICS.get(fold(match[1])) else ""


def _suffix_behind(text: str, end: int) -> str:
    match = _SUFFIX_BEHIND.match(text, end)
    return SUFFIXES[match[1].lower()] if match else ""


@dataclass(frozen=True, slots=True)
class _Person:
    form: PersonForm
    key: str
    name: str


def _persons(
    contexts: Sequence[_Context], reading: _Reading, *, is_mail: bool
) -> dict[_Context, _Person]:
    forms: list[PersonForm] = []
    read: list[_Context] = []
    for context in contexts:
        form = _person_form(context, reading)
        # "The Supplier" is another party in every document, so it is no name.
        if form is not None and form.key and not is_part(context[0]):
            forms.append(form)
            read.append(context)
    members: dict[int, list[int]] = {}
    for i, number in enumerate(group_persons(forms)):
        members.setdefault(number, []).append(i)
    fullest = {n: max((forms[i] for i in group), key=_person_rank) for n, group in members.items()}
    if is_mail:  # a given name or nickname alone may be anybody's
        alone = {n for n, f in fullest.items() if f.bare in GIVEN_NAMES or f.display.islower()}
        fullest = {n: f for n, f in fullest.items() if n not in alone or f.gender}
        members = {n: group for n, group in members.items() if n in fullest}
    keys = _distinct_keys(
        [(n, [forms[i] for i in group], fullest[n]) for n, group in members.items()]
    )
    persons: dict[_Context, _Person] = {}
    for number, group in members.items():
        name = _person_name([forms[i] for i in group], fullest[number])
        for i in group:
            persons[read[i]] = _Person(forms[i], keys[number], name)
    return {context: persons[context] for context in contexts if context in persons}


def _person_form(context: _Context, reading: _Reading) -> PersonForm | None:
    name_surface, gender, suffix = context
    # Capitals hide the parts of a name; the other spellings are the same name.
    spelling = max(reading.spellings[context], key=lambda t: (not is_all_caps(t), "\n" not in t, t))
    form = read_person(spelling, gender=gender, suffix=suffix)
    if form is None and name_surface:
        form = read_person(name_surface, gender=gender, suffix=suffix)
    return form


def _person_rank(form: PersonForm) -> tuple[object, ...]:
    written = sum(len(g) > 1 for g in form.given)
    display = form.display
    return (
        bool(form.surname),
        written,
        len(form.given),
        form.suffix,
        bool(form.given) and not is_nickname(form.given[0]),
        not is_all_caps(display),
        form.key,
    )


def _person_name(forms: Sequence[PersonForm], fullest: PersonForm) -> str:
    same = [f.display for f in forms if (f.given, f.surname) == (fullest.given, fullest.surname)]
    name = same[0]
    for other in same[1:]:
        name = better_display(name, other)
    if not fullest.given and not fullest.bare:
        title = {"m": "Mr ", "f": "Ms "}.get(fullest.gender, "")
        return title + name
    return name


def _distinct_keys(persons: Iterable[tuple[int, list[PersonForm], PersonForm]]) -> dict[int, str]:
    """Assign a key to each person; equal keys are distinguished by title."""
    wanted: dict[str, list[tuple[str, int]]] = {}
    for number, forms, fullest in persons:
        gender = max((f.gender for f in forms), default="")
        wanted.setdefault(fullest.key, []).append((gender, number))
    keys: dict[int, str] = {}
    taken = {key for key, sharing in wanted.items() if len(sharing) == 1}
    for key in sorted(wanted):
        sharing = sorted(wanted[key])
        for gender, number in sharing:
            mine, count = key, 1
            if len(sharing) > 1 and gender and not key.startswith(("mr-", "ms-")):
                mine = f"{'mr' if gender == 'm' else 'ms'}-{key}"
            base = mine
            while mine in taken:
                if len(sharing) == 1:
                    break
                count += 1
                mine = f"{base}-{count}"
            taken.add(mine)
            keys[number] = mine
    return keys


def _organizations(
    contexts: Sequence[_Context], reading: _Reading, persons: set[str], parties: set[str]
) -> dict[_Context, tuple[str, str]]:
    forms: list[OrganizationForm] = []
    read: list[_Context] = []
    spelled: list[str] = []
    for context in contexts:
        spelling = _fullest_spelling(reading.spellings[context])
        spelling = court_called(spelling) or spelling
        form = read_organization(spelling)
        if form is not None and not is_part(context[0]):
            forms.append(form)
            read.append(context)
            spelled.append(spelling)
    numbers = group_organizations(
        forms, taken=persons, parties={i for i, context in enumerate(read) if context[0] in parties}
    )
    members: dict[int, list[int]] = {}
    for i, number in enumerate(numbers):
        members.setdefault(number, []).append(i)
    organizations: dict[_Context, tuple[str, str]] = {}
    for group in members.values():
        fullest = max((forms[i] for i in group), key=_form_rank)
        name = max((spelled[i] for i in group if forms[i] == fullest), key=_name_rank)
        for i in group:
            organizations[read[i]] = (fullest.key, name)
    return {context: organizations[context] for context in contexts if context in organizations}


def _form_rank(form: OrganizationForm) -> tuple[object, ...]:
    return (bool(form.family), len(form.base), not form.is_capitals, form.key)


def _name_rank(name: str) -> tuple[object, ...]:
    bare = name.removeprefix("The ")
    return (not is_all_caps(bare), len(bare), (bare == name) == bare.isupper(), name)


def _locations(contexts: Sequence[_Context], reading: _Reading) -> dict[_Context, tuple[str, str]]:
    keyed: dict[str, list[_Context]] = {}
    for context in contexts:
        spelling = _fullest_spelling(reading.spellings[context])
        key = location_key(clean(spelling))
        if key:
            keyed.setdefault(key, []).append(context)
    locations: dict[_Context, tuple[str, str]] = {}
    for key, group in keyed.items():
        names = [clean(_fullest_spelling(reading.spellings[c])) for c in group]
        for context in group:
            locations[context] = (key, max(names, key=_name_rank))
    return {context: locations[context] for context in contexts if context in locations}


def _fullest_spelling(spellings: Counter[str]) -> str:
    lines = {clean(text): n for text, n in sorted(spellings.items())}
    return max(lines, key=lambda t: (not is_all_caps(t), lines[t], t))
