"""Which full name a shortened one can stand for in a collection, where it is only one.

"Mr Whitlock" and "J. Whitlock" can be Julian Whitlock if nobody else of the collection can be
meant; "Bob Smith" can be Robert Smith; "Tidewell" can be Tidewell Systems Limited if no other
organisation begins so, "HMIC" the only one with these initials. Whether a document means them is
another question (:mod:`casetrack.graph.entities.reach`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.entities import organizations, persons
from casetrack.graph.entities.defined import near_targets
from casetrack.graph.entities.join import join_persons
from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.locations import is_known_place
from casetrack.graph.entities.people import agree
from casetrack.graph.entities.public import is_public_body
from casetrack.graph.entities.units import names_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.graph.entities.defined import Defined
    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.persons import PersonForm
    from casetrack.ingest.steps.join import JoinRules

_LEAST_LETTERS = 4
"""Fewer letters are anybody's initials in another document that does not state them."""
_CROWD = 24
"""Forms with one surname; where there are more, none is joined."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """The shortened names of a collection.

    Attributes
    ----------
    full
        Numbers of the groups that name a person or an organisation in full.
    targets
        For the number of a group that is a shortened name: the number of the group that stands for
        the only entity that it fits.
    stated
        Those of the targets' names that a text states: they hold beside the full name too.
    words
        For groups of one word that were taken for a person or a place and begin the name of an
        organisation: the same.
    """

    full: frozenset[int]
    targets: dict[int, int]
    stated: frozenset[int]
    words: dict[int, int]


def shortened_names(
    groups: Sequence[Group], roots: NDArray[np.int64], rules: JoinRules, defined: Defined, /
) -> Shortened:
    """Find the shortened names and what each fits.

    Parameters
    ----------
    groups
        All groups.
    roots
        int64 [groups], the group that stands for the entity of each.
    rules
        What the pipeline says.
    defined
        What documents state of organisations.
    """
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
    return Shortened(full, targets, frozenset(stated), firms.words())


def _same_persons(
    groups: Sequence[Group], roots: Sequence[int], rules: JoinRules
) -> dict[int, int]:
    """Return the full names of persons that near one another are one, and the fullest of each."""
    if not (rules.middle_names and rules.nicknames):
        return {}
    found = join_persons(groups, near=True, takes_nicknames=bool)
    pairs = {roots[i]: roots[j] for i, j in found.items() if roots[i] != roots[j]}
    # Who is somebody else's fullest name already stays that.
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
        """Return the person whom each shortened name fits, where there is only one."""
        found = {}
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
                    found[i] = fitting[0]
        return found


def _person(group: Group) -> PersonForm | None:
    return persons.parts_of_key(group.key, gender=group.gender)


def _fits(form: PersonForm, person: Sequence[PersonForm]) -> bool:
    return all(agree(form, known) for known in person)


def _is_alone(form: PersonForm, person: Sequence[PersonForm], short: Sequence[PersonForm]) -> bool:
    """Return whether no other shortened name speaks of somebody else whom *form* may mean."""
    same = [other for other in short if _fits(other, person)]
    # A Mr and a Ms who both fit somebody of unknown gender are not both this person.
    if not all(agree(a, b) for a, b in itertools.combinations(same, 2)):
        return False
    return not any(agree(form, other) for other in short if not _fits(other, person))


class _Organizations:
    """The organisations of a collection by the words with which they begin."""

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
        self._begun: dict[tuple[str, ...], set[int]] = {}
        self._parted: set[tuple[str, ...]] = set()
        for i in self.full:
            base = self._forms[i].base
            for size in range(1, len(base) + 1):
                begin = base[:size]
                if begin in asked:
                    self._begun.setdefault(begin, set()).add(roots[i])
                    if begin not in self._parted and names_unit(base[size:]):
                        self._parted.add(begin)

    def _only(self, base: tuple[str, ...]) -> int | None:
        """Return the only organisation that begins with these words."""
        begun = self._begun.get(base, set())
        return min(begun) if len(begun) == 1 and base not in self._parted else None

    def targets(self) -> dict[int, int]:
        """Return the organisation that each shortened name begins, where there is only one."""
        found = {}
        for i, form in self._forms.items():
            if i in self.full or self._roots[i] != i:
                continue
            target = self._only(form.base)
            if target is not None and organizations.names_alone(form, self._taken):
                found[i] = target
        return found

    def initials(self) -> dict[int, int]:
        """Return the only organisation whose initials somebody writes, but for public bodies."""
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
        found = {}
        for i, form in self._forms.items():
            letters = form.base[0]
            if len(owners.get(letters, ())) != 1 or form.family or len(form.base) > 1:
                continue
            is_own = self._roots[i] == i and form.base not in self._begun
            if is_own and len(letters) >= _LEAST_LETTERS and not is_public_body(letters):
                found[i] = min(owners[letters])
        return found

    def words(self) -> dict[int, int]:
        """Return the same for single words that were taken for a person or a place."""
        found = {}
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
                found[i] = target
        return found
