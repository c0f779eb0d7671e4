"""Combines the evidence for a document's names: kinds, aliases and written forms."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from casetrack.graph.document.anchored_names.companies import is_body
from casetrack.graph.document.anchored_names.definitions import is_thing
from casetrack.graph.document.anchored_names.facts import Form, without_form
from casetrack.graph.document.anchored_names.signatures import is_given
from casetrack.graph.document.titles import is_part
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES, HONORIFICS
from casetrack.graph.entities.locations import is_known_place, location_key
from casetrack.graph.entities.organizations import is_company, read_organization
from casetrack.graph.entities.persons import read_person
from casetrack.graph.entities.text import clean, fold, surface

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from casetrack.extract.spans import NameKind, NameSpan
    from casetrack.graph.document.anchored_names.facts import Anchor, Anchors, Term, Where

_INITIAL: Final = re.compile(r"^[\w'’-]+ (?:[A-Z]\. ?){1,2}[A-Z]")
_PERSONAL = frozenset(
    "employee executive consultant celebrity talent athlete artist author director officer "
    "individual arbeitnehmer".split()
)
_PARTS_OF_FIRMS = frozenset(
    "directors committee committees management guarantors subsidiaries affiliates entities parties "
    "officers shareholders stockholders update".split()
)
FIRMS = frozenset(
    "associates bank brothers capital companies company consulting energy enterprise enterprises "
    "entertainment foundation fund games group holdings industries international labs "
    "management media partners pharmaceuticals productions properties resources services solutions "
    "studios systems technologies trust ventures works".split()
)
"""Last words of organisation names, folded."""
_NO_PERSON = frozenset(("company", "corporation", "bank", "partnership", "agency"))
"""Roles that no person has."""
_STRONG = frozenset(
    ("party clause", "title block", "invoice head", "caption", "mail head", "legal form")
)
_PARTY = frozenset(("party clause", "title block", "caption"))
_SHORTEST = 4
_LONG, _NEARLY = 16, 0.93
_MANY, _ALIKE, _CERTAIN = 3, 0.9, 0.85
"""Minimum number of places, share of one kind, and mean confidence of a reliable tagged name."""


@dataclass(frozen=True, slots=True)
class Known:
    """The combined evidence of a document."""

    kinds: dict[str, NameKind]  # Kind of each surface with evidence
    same: dict[str, str]  # Surface of the full name of each alias surface
    terms: tuple[tuple[Term, str], ...]  # Accepted terms, each with the surface of its owner
    forms: tuple[Form, ...]  # Written forms of the names
    # Kinds of evidence for each surface, with their number of places.
    evidence: dict[str, Counter[str]]
    roles: dict[str, str]  # Role in the case or in the contract, by surface
    addresses: dict[str, set[str]]  # Mail addresses of each surface
    dropped: frozenset[Where]  # Places that turned out to be no names


def know(
    anchors: Anchors, tagged: Sequence[Sequence[NameSpan]], common: Collection[str], /
) -> Known:
    """Combine the evidence of a document; *common* are the words that occur in lower case."""
    weights = _weights(tagged)
    owners = {t.owner for t in anchors.terms}
    personal = {t.owner for t in anchors.terms if t.role.rpartition(" ")[2] in _PERSONAL}
    kinds, dropped = _kinds(anchors.names, weights, owners, personal, common)
    texts: dict[str, Counter[str]] = {}
    evidence: dict[str, Counter[str]] = {}
    addresses: dict[str, set[str]] = {}
    roles: dict[str, str] = {}
    of_place: dict[Where, str] = {}
    for name in anchors.names:
        text = name.called or name.text
        form = surface(text)
        if form not in kinds or name.where in dropped:
            continue
        texts.setdefault(form, Counter())[" ".join(text.split())] += 1
        if not name.is_repeat:
            evidence.setdefault(form, Counter())[name.evidence] += 1
        of_place[name.where] = form
        if name.role:
            roles.setdefault(form, name.role)
        if name.address:
            addresses.setdefault(form, set()).add(name.address)
    terms = tuple(
        (t, of_place[t.owner])
        for t in anchors.terms
        if t.owner in of_place
        and not (t.role in _NO_PERSON and kinds[of_place[t.owner]] == "person")
    )
    same, terms = _aliases(terms, kinds, common, evidence)
    for _, owner in terms:
        evidence.setdefault(owner, Counter())["definition"] += 1
    learned = _learned(weights, kinds, common)
    forms = _forms(texts, kinds, terms, learned, common, weights)
    for text, kind in learned:
        evidence.setdefault(surface(text), Counter())["tagger"] += 1
        kinds.setdefault(surface(text), kind)
    for short, owner in same.items():
        kinds[short] = kinds[owner]
    return Known(kinds, same, terms, forms, evidence, roles, addresses, frozenset(dropped))


_Weights = dict[str, tuple[Counter[str], Counter[str], Counter[str]]]
"""By surface: places by kind, their confidences, and spellings."""


def _weights(tagged: Sequence[Sequence[NameSpan]]) -> _Weights:
    weights: _Weights = {}
    for spans in tagged:
        for span in spans:
            entry = weights.setdefault(surface(span.text), (Counter(), Counter(), Counter()))
            entry[0][span.kind] += 1
            entry[1][span.kind] += round(span.confidence, 6)  # type: ignore[assignment]
            entry[2][" ".join(span.text.split())] += 1
    return weights


def _kinds(
    names: Sequence[Anchor],
    weights: _Weights,
    owners: Collection[Where],
    personal: Collection[Where],
    common: Collection[str],
) -> tuple[dict[str, NameKind], set[Where]]:
    """Return the kind of each surface with evidence, and the places that are no names."""
    dropped: set[Where] = set()
    stated: dict[str, Counter[str]] = {}
    doubtful: dict[str, list[Anchor]] = {}
    for name in names:
        form = surface(name.called or name.text)
        if is_company(name.text):
            stated.setdefault(form, Counter())["organization"] += 100
        elif _is_no_name(name):
            dropped.add(name.where)
        elif name.kind is not None:
            stated.setdefault(form, Counter())[name.kind] += 1
        else:
            doubtful.setdefault(form, []).append(name)
    kinds: dict[str, NameKind] = {
        form: "organization" if kind["organization"] >= kind["person"] else "person"
        for form, kind in stated.items()
        if form
    }
    for form, places in doubtful.items():
        if not form or form in kinds:
            continue
        kind = _likely(form, places, weights, owners, personal, common)
        if kind is None:
            dropped.update(p.where for p in places)
        else:
            kinds[form] = kind
    return kinds, dropped


def _is_no_name(name: Anchor) -> bool:
    """Return whether a name is a word such as "the Fund", or a defined place."""
    word = fold(name.text).removeprefix("the ")
    is_word = " " not in word and (is_body(word) or is_part(word)) and not name.called
    is_place = name.evidence == "definition" and is_known_place(location_key(name.text))
    return is_word or is_place


def _likely(
    form: str,
    places: Sequence[Anchor],
    weights: _Weights,
    owners: Collection[Where],
    personal: Collection[Where],
    common: Collection[str],
) -> NameKind | None:
    """Return the kind of a name without a legal form; ``None`` without evidence."""
    text = " ".join(places[0].text.split())
    basis = {p.evidence for p in places}
    last = _last_word(text)
    if is_known_place(location_key(text)) or last in _PARTS_OF_FIRMS or is_thing(text):
        return None
    first = fold(text.split()[0].rstrip("."))
    if " " in text and text[:2].istitle() and (HONORIFICS.get(first) or first in {"dr", "prof"}):
        return "person"
    if any(p.where in personal for p in places) or is_given(text) or _INITIAL.match(text):
        return "person" if len(text.split()) > 1 else None
    if last in FIRMS and basis & _STRONG:
        return "organization"
    counted = weights[form][1] if form in weights else Counter[str]()
    if counted:
        # One word in the position of a party may be a person or a firm.
        best = max(("organization", "person"), key=lambda k: (counted[k], k))
        if counted[best] and (counted["location"] <= counted[best] or basis & _STRONG):
            is_firm = best == "organization" or (
                not basis.isdisjoint(_STRONG) and not _may_be_person(text, common)
            )
            return "organization" if is_firm else "person"
    is_owner = any(p.where in owners for p in places)
    if "title block" in basis or (is_owner and basis & {"party clause", "caption"}):
        return "organization"
    if "caption" in basis and _reads_as_person(text):
        return "person"
    names_body = is_body(last) and len(text.split()) > 1
    if {"party clause", "signature"} <= basis or (
        names_body and basis & {"party clause", "signature"}
    ):
        return "organization"
    return "organization" if "invoice head" in basis and len(text.split()) > 1 else None


def _last_word(text: str) -> str:
    words = [fold(w) for w in text.split() if any(c.isalpha() for c in w)]
    return words[-1].strip(".,") if words else ""


def _may_be_person(text: str, common: Collection[str]) -> bool:
    """Return whether a name has the length of a person's name and no common word."""
    words = text.split()
    return 1 < len(words) < 5 and not any(fold(w) in common for w in words)


def _reads_as_person(text: str) -> bool:
    words = text.split()
    return 1 < len(words) < 5 and (fold(words[0]) in GIVEN_NAMES or bool(_INITIAL.match(text)))


def _aliases(
    terms: Sequence[tuple[Term, str]],
    kinds: Mapping[str, NameKind],
    common: Collection[str],
    evidence: Mapping[str, Counter[str]],
) -> tuple[dict[str, str], tuple[tuple[Term, str], ...]]:
    """Return the owner of each short name, and the terms with exactly one owner."""
    owners: dict[str, dict[str, str]] = {}
    # A definition in quotation marks overrides initials that another firm uses in passing.
    defined = {surface(t.text) for t, _ in terms if t.quoted}
    terms = [(t, o) for t, o in terms if t.quoted or t.role or surface(t.text) not in defined]
    for term, owner in terms:
        key = surface(term.text)
        owners.setdefault(key, {}).setdefault(_identity(owner, kinds), owner)
    for key, owned in owners.items():
        # Among several owners the party counts: an exhibit may define the word for another entity.
        parties = {i: o for i, o in owned.items() if evidence[o].keys() & _PARTY}
        if len(parties) == 1:
            owners[key] = parties
        elif len(owned) > 1:
            owners[key] = _merged_owners(owned, kinds, has_party=bool(parties))
    terms = [
        (t, owners[surface(t.text)][i])
        for t, o in terms
        if (i := _identity(o, kinds)) in owners[surface(t.text)]
    ]
    alone = {key for key, owned in owners.items() if len(set(owned.values())) == 1}
    same: dict[str, str] = {}
    for owned in owners.values():
        # If the owner is spelled in several ways in the definition, all its spellings are one
        # party.
        for identity, owner in owned.items():
            if identity != _identity(owner, kinds):
                same.update({o: owner for o in kinds if _identity(o, kinds) == identity})
    for term, owner in terms:
        key = surface(term.text)
        if key in alone and key != owner and _is_name(term, common):
            same[key] = next(iter(owners[key].values()))
    # Chains of short names lead to the last name.
    for key in list(same):
        seen = {key}
        while same[key] in same and same[key] not in seen:
            seen.add(same[key])
            same[key] = same[same[key]]
        if same[key] == key:
            del same[key]
    kept = [
        (term, owner)
        for term, owner in terms
        if surface(term.text) in alone or _is_name(term, common)
    ]
    return same, tuple(kept)


def _merged_owners(
    owners: Mapping[str, str], kinds: Mapping[str, NameKind], *, has_party: bool
) -> dict[str, str]:
    """Return the owners by identity, one for nearly equal spellings, the first of a series."""
    series = {identity.rpartition("-")[0] for identity in owners}
    if not has_party and len(series) == 1 and "" not in series:
        # "Kestrel Fund V", and a glossary from Kestrel Fund IV
        return dict([next(iter(owners.items()))])
    kept: dict[str, str] = {}
    for identity, owner in owners.items():
        if kinds.get(owner) == "organization":
            alike = next((k for k in kept if _are_alike(identity, k)), None)
            kept[identity] = owner if alike is None else kept[alike]
        else:
            kept[identity] = owner
    return kept


def _are_alike(a: str, b: str) -> bool:
    """Return whether two names with the same short name differ only by a typing error."""
    numbers = {*a.rpartition("-")[2], *b.rpartition("-")[2]}
    if max(len(a), len(b)) < _LONG or numbers <= {*"0123456789ivx"}:
        return False
    return a.endswith(b) or b.endswith(a) or SequenceMatcher(None, a, b).ratio() > _NEARLY


def _is_name(term: Term, common: Collection[str]) -> bool:
    """Return whether a term is a name that the document does not also have in lower case."""
    if not term.is_name:
        return False
    word = term.text
    return " " in word or word.isupper() or fold(word) not in common


def _identity(owner: str, kinds: Mapping[str, NameKind]) -> str:
    """Return a key that is equal for spellings of one owner."""
    if kinds.get(owner) == "person":
        person = read_person(owner)
        return person.key if person else owner
    form = read_organization(owner)
    return "-".join(form.base) if form else owner


def _learned(
    weights: _Weights, kinds: Mapping[str, NameKind], common: Collection[str]
) -> list[tuple[str, NameKind]]:
    """Return the names that the tagger reliably found at many places, as written."""
    names: list[tuple[str, NameKind]] = []
    for key, (places, confidences, spellings) in weights.items():
        total = sum(places.values())
        if key in kinds or total < _MANY or len(key) < 3:
            continue
        kind, count = max(places.items(), key=lambda p: (p[1], p[0]))
        if kind == "location" or count < _ALIKE * total or confidences[kind] < _CERTAIN * count:
            continue
        text = clean(max(spellings, key=lambda t: (spellings[t], t)))
        words = text.split()
        if is_part(text) or all(fold(w) in common or fold(w) in COMMON_FIRST_WORDS for w in words):
            continue
        if kind == "person":
            if len(words) > 1:
                names.append((text, "person"))
        else:
            names.append((text, "organization"))
    return sorted(names)


def _forms(
    texts: Mapping[str, Counter[str]],
    kinds: Mapping[str, NameKind],
    terms: Iterable[tuple[Term, str]],
    learned: Sequence[tuple[str, NameKind]],
    common: Collection[str],
    weights: _Weights,
) -> tuple[Form, ...]:
    forms: dict[tuple[str, str], Form] = {}

    def add(form: Form) -> None:
        forms.setdefault((form.text, form.owner), form)

    bases: dict[str, set[str]] = {}
    terms = list(terms)
    shortened = {surface(t.text) for t, owner in terms if surface(t.text) != owner}
    for name_surface, spelled in sorted(texts.items()):
        kind = kinds[name_surface]
        text = clean(max(spelled, key=lambda t: (spelled[t], t)))
        if len(text) < 2 or (len(text.split()) == 1 and kind == "person"):
            continue
        if name_surface in shortened:
            continue
        add(Form(text, name_surface, kind, "full"))
        if kind == "organization":
            bases.setdefault(surface(without_form(text)), set()).add(name_surface)
    for term, owner in terms:
        is_name = _is_name(term, common)
        if is_name and kinds[owner] == "person" and len(term.text.split()) > 1:
            add(Form(term.text, owner, kinds[owner], "full"))
        else:
            add(Form(term.text, owner, kinds[owner], "short" if is_name else "term", term.role))
    defined = {surface(f.text) for f in forms.values()}
    for base, owners in sorted(bases.items()):
        if base in defined or len({_family(o) for o in owners}) > 1:
            continue
        owner = min(owners)
        text = without_form(max(texts[owner], key=lambda t: (not t.isupper(), texts[owner][t], t)))
        words = [fold(w) for w in text.split()]
        places = weights[base][0] if base in weights else Counter[str]()
        is_place = is_known_place(base) or places["location"] > places["organization"]
        is_plain = all(w in common or w in COMMON_FIRST_WORDS or w in GIVEN_NAMES for w in words)
        if len(base) > 2 and not (is_plain or is_place or is_part(text)):
            add(Form(text, owner, "organization", "learned"))
    for text, kind in learned:
        add(Form(text, surface(text), kind, "learned"))
    for surname, owner in _surnames(forms.values(), weights, common):
        add(Form(surname, owner, "person", "learned"))
    named = (f for f in forms.values() if any(map(str.isalpha, f.text)))
    # A place is no surname: "Walmart U.S.".
    return tuple(f for f in named if f.kind != "person" or not is_known_place(location_key(f.text)))


def _surnames(
    forms: Iterable[Form], weights: _Weights, common: Collection[str]
) -> list[tuple[str, str]]:
    """Return the surnames that only one person of the document has, and no other name contains."""
    bearers: dict[str, dict[str, str]] = {}
    taken: set[str] = set()
    for form in forms:
        if form.kind != "person" or " " not in form.text.strip():
            taken.update(fold(w.strip(".,")) for w in form.text.split())
            continue
        person = read_person(form.text)
        if person is not None and person.surname and person.given:
            taken.update(person.given)
            bearers.setdefault(person.surname, {})[person.given[0][0]] = form.owner
    unique = []
    for surname, persons in bearers.items():
        places = weights[surname][0] if surname in weights else Counter[str]()
        is_other = places["location"] + places["organization"] > places["person"]
        if len(persons) > 1 or len(surname) < _SHORTEST or surname in taken or is_other:
            continue
        if surname in common or surname in GIVEN_NAMES or is_known_place(surname):
            continue
        owner = next(iter(persons.values()))
        unique.append((" ".join(w.capitalize() for w in surname.split()), owner))
    return sorted(unique)


def _family(owner: str) -> str:
    form = read_organization(owner)
    return form.family if form else ""
