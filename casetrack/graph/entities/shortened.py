"""Finds the only full name in a collection that a short name can stand for.

"Mr Whitlock" and "J. Whitlock" can be Julian Whitlock if no other person fits; "Bob Smith" can be
Robert Smith; "Tidewell" can be Tidewell Systems Limited if no other organisation has this start,
"HMIC" the only one with these initials. Whether a document means them is decided in
:mod:`casetrack.graph.entities.reach`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.entities import organizations, persons
from casetrack.graph.entities.join import join_persons
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES
from casetrack.graph.entities.locations import is_known_place, is_public_body, names_unit
from casetrack.graph.entities.organizations import abbreviates, form_of_key, read_organization
from casetrack.graph.entities.people import agree
from casetrack.graph.entities.text import clean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.organizations import OrganizationForm
    from casetrack.graph.entities.persons import PersonForm
    from casetrack.ingest.steps.join import JoinRules

# Alternative names that a document defines, and their use in other documents: "Brightwater Cleaning
# LLC, d/b/a Sparkle House", "Norvane plc, formerly Norvane Paints plc", "Halden Marine Insurance
# Company ("HMIC")". A full name applies everywhere; initials and short names only within reach of a
# document with the full name (:mod:`casetrack.graph.entities.reach`). A name defined for two
# entities is ignored.

_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Defined:
    """Names that documents define for organisations."""

    owners: Mapping[str, frozenset[int]]  # The groups that each defined key is another name of
    full: frozenset[str]  # The keys that are full names
    initials: frozenset[str]  # The keys that consist of initials or letters of the owner


NOTHING_DEFINED = Defined({}, frozenset(), frozenset())


def defined_names(
    rows: pa.Table, groups: Sequence[Group], row_groups: NDArray[np.int64], /
) -> Defined:
    """Read the names that documents define for organisations; *row_groups* is int64 [rows]."""
    lists = rows["defined"].combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    stating = np.flatnonzero(lengths > 0)
    if not len(stating):
        return NOTHING_DEFINED
    owners: dict[str, set[int]] = {}
    full, initials = set[str](), set[str]()
    numbers = row_groups[stating].tolist()
    for number, names in zip(numbers, lists.take(pa.array(stating)).to_pylist(), strict=True):
        group = groups[number]
        if group.kind != "organization":
            continue
        owner = form_of_key(group.key)
        for name in names:
            form = read_organization(clean(name))
            if form is None or form.base == owner.base:
                continue
            if form.is_capitals and not form.family and len(form.base[0]) >= _LEAST_LETTERS:
                if abbreviates(form.base[0], owner.base, owner.family):
                    initials.add(form.key)
            elif _is_full(form) and form.base != owner.base[: len(form.base)]:
                full.add(form.key)
            owners.setdefault(form.key, set()).add(number)
    # Initials of one owner are not the full name of another.
    return Defined(
        {key: frozenset(groups_of_key) for key, groups_of_key in owners.items()},
        frozenset(full - initials),
        frozenset(initials),
    )


def _is_full(form: OrganizationForm) -> bool:
    """Return whether a name is specific enough to identify an organisation."""
    if form.family:
        return True
    return sum(w not in COMMON_FIRST_WORDS and len(w) > 2 for w in form.base) > 1


def join_defined(groups: Sequence[Group], roots: NDArray[np.int64], defined: Defined, /) -> None:
    """Merge alternative full names with their only owner, everywhere."""
    for i, owner in _targets(groups, roots.tolist(), defined, defined.full).items():
        if roots[i] != roots[owner]:
            roots[roots == roots[i]] = roots[owner]


def near_targets(
    groups: Sequence[Group], roots: Sequence[int], defined: Defined, /
) -> dict[int, int]:
    """Return the only owner of each defined short name or initials.

    They apply within reach of a document with the full name. "IBM Corporation" joins the
    corporation whose initials are defined as IBM.
    """
    return _targets(groups, roots, defined, defined.owners.keys() - defined.full)


def _targets(
    groups: Sequence[Group], roots: Sequence[int], defined: Defined, keys: Collection[str]
) -> dict[int, int]:
    if not keys:
        return {}
    wanted: dict[tuple[str, ...], str] = {form_of_key(key).base: key for key in sorted(keys)}
    firsts = {base[0] for base in wanted}
    begun: dict[tuple[str, ...], set[int]] = {base: set() for base in wanted}
    called: dict[tuple[str, ...], list[tuple[int, str]]] = {base: [] for base in wanted}
    for i, group in enumerate(groups):
        if group.kind != "organization":
            continue
        form = form_of_key(group.key)
        if form.base[0] not in firsts:
            continue
        for size in range(1, len(form.base) + 1):
            start = form.base[:size]
            is_unit = size < len(form.base) and wanted.get(start) in defined.initials
            if start in begun and (form.family or not is_unit):
                begun[start].add(roots[i])
        if form.base in called and roots[i] == i:
            called[form.base].append((i, form.family))
    targets = {}
    for base, key in wanted.items():
        owners = {roots[o] for o in defined.owners[key]}
        if len(owners) != 1:
            continue
        owner = owners.pop()
        families = {"", form_of_key(key).family}
        if key in defined.initials:
            families.add(form_of_key(groups[owner].key).family)
        fitting = [i for i, family in called[base] if family in families and i != owner]
        # Any other organisation with this start may be meant: the brand, not the firm behind it.
        if not begun[base] - {owner, *fitting}:
            targets.update(dict.fromkeys(fitting, owner))
    return targets


_LEAST_OF_SHORT = 4
"""Fewer letters are too ambiguous in a document that does not define them."""
_CROWD = 24
"""Above this number of forms with one surname, none is resolved."""


@dataclass(frozen=True, slots=True)
class ShortNames:
    """The short names of a collection."""

    full: frozenset[int]  # Groups that are full names of a person or an organisation
    targets: dict[int, int]  # For each short name's group, the root of the only entity that it fits
    # Groups in *targets* that a text defines: they apply even in a document with the full name.
    stated: frozenset[int]
    # Like *targets*, for single words read as a person or a place that start an organisation's
    # name.
    words: dict[int, int]


def shortened_names(
    groups: Sequence[Group], roots: NDArray[np.int64], rules: JoinRules, defined: Defined, /
) -> ShortNames:
    """Find the short names and their targets; *roots* is int64 [groups], the root of each."""
    numbers = roots.tolist()
    people = _People(groups, numbers)
    firms = _Organizations(groups, numbers, people.words)
    targets = firms.targets()
    stated: dict[int, int] = {}
    if rules.defined_names:
        stated = near_targets(groups, numbers, defined)
        targets |= firms.initials() | stated
    targets |= _same_persons(groups, numbers, rules)
    for short, target in people.targets().items():
        key = groups[short].key
        # "Carrow" is Hugo Carrow or Carrow Linden LLP.
        if "-" in key or key not in firms.starting:
            targets[short] = target
    full = frozenset(people.full | firms.full)
    return ShortNames(full, targets, frozenset(stated), firms.words())


def _same_persons(
    groups: Sequence[Group], roots: Sequence[int], rules: JoinRules
) -> dict[int, int]:
    """Return full names that are variants within one document, with the fullest of each."""
    if not (rules.middle_names and rules.nicknames):
        return {}
    variants = join_persons(groups, near=True, takes_nicknames=bool)
    pairs = {roots[i]: roots[j] for i, j in variants.items() if roots[i] != roots[j]}
    # A name that is the fullest of another person stays.
    return {i: j for i, j in pairs.items() if j not in pairs}


class _People:
    """The persons of a collection by surname."""

    def __init__(self, groups: Sequence[Group], roots: Sequence[int]) -> None:
        self.full: set[int] = set()
        self.words: set[str] = set()
        self._groups = groups
        self._known: dict[str, dict[int, list[PersonForm]]] = {}
        self._short: dict[str, list[tuple[int, PersonForm]]] = {}
        self._given: set[str] = set()
        for i, group in enumerate(groups):
            form = _person(group) if group.kind == "person" else None
            if form is None:
                continue
            if form.is_full:
                self.full.add(i)
                same = self._known.setdefault(form.surname, {})
                same.setdefault(roots[i], []).append(form)
                self._given.add(form.given[0])
            elif roots[i] == i:
                self._short.setdefault(form.surname, []).append((i, form))
            if form.given or form.gender:
                self.words.update((*form.given, form.surname))

    def targets(self) -> dict[int, int]:
        """Return the only person that each short name fits."""
        targets = {}
        for surname, short in self._short.items():
            known = self._known.get(surname)
            if known is None or len(short) > _CROWD:
                continue
            for i, form in short:
                word = self._groups[i].key
                if word in GIVEN_NAMES or word in self._given:
                    continue
                fitting = [r for r, forms in known.items() if _fits(form, forms)]
                if len(fitting) == 1 and _is_alone(form, known[fitting[0]], [f for _, f in short]):
                    targets[i] = fitting[0]
        return targets


def _person(group: Group) -> PersonForm | None:
    return persons.parts_of_key(group.key, gender=group.gender)


def _fits(form: PersonForm, person: Sequence[PersonForm]) -> bool:
    return all(agree(form, known) for known in person)


def _is_alone(form: PersonForm, person: Sequence[PersonForm], short: Sequence[PersonForm]) -> bool:
    """Return whether no other short name means another person that *form* may mean."""
    same = [other for other in short if _fits(other, person)]
    # A Mr and a Ms that both fit a person of unknown gender are not both this person.
    if not all(agree(a, b) for a, b in itertools.combinations(same, 2)):
        return False
    return not any(agree(form, other) for other in short if not _fits(other, person))


class _Organizations:
    """The organisations of a collection by their first words."""

    def __init__(
        self, groups: Sequence[Group], roots: Sequence[int], persons_words: set[str]
    ) -> None:
        self._groups = groups
        self._roots = roots
        self._taken = persons_words
        self._forms = {
            i: organizations.form_of_key(g.key)
            for i, g in enumerate(groups)
            if g.kind == "organization"
        }
        bases = {form.base for form in self._forms.values()}
        beginnings = {base[:size] for base in bases for size in range(1, len(base))}
        self.full = {
            i
            for i, form in self._forms.items()
            if form.family or (len(form.base) > 1 and form.base not in beginnings)
        }
        self.starting = {self._forms[i].base[0] for i in self.full}
        asked = {form.base for i, form in self._forms.items() if i not in self.full}
        asked |= {(word,) for word in self.starting}
        acronyms = {form.base for i, form in self._forms.items() if groups[i].is_acronym}
        self._begun: dict[tuple[str, ...], set[int]] = {}
        self._parted: set[tuple[str, ...]] = set()
        for i in self.full:
            base = self._forms[i].base
            for size in range(1, len(base) + 1):
                begin = base[:size]
                is_unit = begin in acronyms and not self._forms[i].family
                if begin in asked and not is_unit:
                    self._begun.setdefault(begin, set()).add(roots[i])
                    if begin not in self._parted and names_unit(base[size:]):
                        self._parted.add(begin)

    def _only(self, base: tuple[str, ...]) -> int | None:
        """Return the only organisation that starts with these words."""
        begun = self._begun.get(base, set())
        return min(begun) if len(begun) == 1 and base not in self._parted else None

    def targets(self) -> dict[int, int]:
        """Return the only organisation that starts with each short name."""
        targets = {}
        for i, form in self._forms.items():
            if i in self.full or self._roots[i] != i:
                continue
            target = self._only(form.base)
            if target is not None and organizations.names_alone(form, self._taken):
                targets[i] = target
        return targets

    def initials(self) -> dict[int, int]:
        """Return the only organisation for each acronym in a document, except public bodies."""
        owners: dict[str, set[int]] = {
            form.base[0]: set()
            for i, form in self._forms.items()
            if self._groups[i].is_acronym and not form.family and len(form.base) == 1
        }
        firsts = {letters[0] for letters in owners}
        for i in self.full:
            form = self._forms[i]
            if len(form.base) > 1 and form.base[0][0] in firsts:
                for made in organizations.initials(form):
                    if made in owners:
                        owners[made].add(self._roots[i])
        targets = {}
        for i, form in self._forms.items():
            letters = form.base[0]
            if len(owners.get(letters, ())) != 1 or form.family or len(form.base) > 1:
                continue
            is_own = self._roots[i] == i and form.base not in self._begun
            if is_own and len(letters) >= _LEAST_OF_SHORT and not is_public_body(letters):
                targets[i] = min(owners[letters])
        return targets

    def words(self) -> dict[int, int]:
        """Return the same for single words that were read as a person or a place."""
        targets = {}
        for i, group in enumerate(self._groups):
            if group.kind not in {"person", "location"} or group.key not in self.starting:
                continue
            target = self._only((group.key,))
            form = organizations.form_of_key(group.key)
            if (
                target is not None
                and self._roots[i] == i
                and group.key not in GIVEN_NAMES
                and not is_known_place(group.key)
                and organizations.names_alone(form, self._taken)
            ):
                targets[i] = target
        return targets
