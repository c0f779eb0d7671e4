"""Which entities of different documents are one, beyond those with one key.

- Persons whose full names differ in a middle name or initial only, where nobody else fits.
- An organisation with its legal form and one without, where the collection knows one form only.
- The same name as one kind in a document and as another one elsewhere, where the second is a slip:
  fewer than three mentions against three times as many or more.

Surnames alone, initials and shortened names are not joined everywhere: who "Smith" is in one
document says little of another (:mod:`casetrack.graph.entities.reach`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.entities import organizations, persons
from casetrack.graph.entities.people import group_persons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.persons import PersonForm
    from casetrack.steps.join import JoinRules

_NAMES = ("person", "organization", "location")
_SLIPS = 3
_TIMES = 3


def join_groups(groups: Sequence[Group], rules: JoinRules, /) -> NDArray[np.int64]:
    """Return for each group the group that stands for its entity, its own number for most."""
    roots = np.arange(len(groups), dtype=np.int64)
    if rules.middle_names:
        _join_persons(groups, roots)
    if rules.legal_forms:
        _join_organizations(groups, roots)
    if rules.mistaken_kinds:
        _join_kinds(groups, roots)
    return roots


def _join_persons(groups: Sequence[Group], roots: NDArray[np.int64]) -> None:
    forms: list[PersonForm] = []
    numbers: list[int] = []
    for i, group in enumerate(groups):
        if group.kind != "person" or "-" not in group.key:
            continue
        form = persons.form_of_key(group.key, gender=group.gender)
        if form is not None:
            forms.append(form)
            numbers.append(i)
    shared = Counter((f.surname, f.given[0]) for f in forms)
    near = [i for i, f in enumerate(forms) if shared[f.surname, f.given[0]] > 1]
    members: dict[int, list[int]] = {}
    for i, person in zip(near, group_persons([forms[i] for i in near]), strict=True):
        members.setdefault(person, []).append(i)
    for same in members.values():
        fullest = max(same, key=lambda i: _says(forms[i], groups[numbers[i]]))
        for i in same:
            roots[numbers[i]] = numbers[fullest]


def _says(form: PersonForm, group: Group) -> tuple[object, ...]:
    written = sum(len(g) > 1 for g in form.given)
    return (len(form.given), written, group.gender, group.key)


def _join_organizations(groups: Sequence[Group], roots: NDArray[np.int64]) -> None:
    families: dict[tuple[str, ...], dict[str, int]] = {}
    for i, group in enumerate(groups):
        if group.kind == "organization":
            form = organizations.form_of_key(group.key)
            families.setdefault(form.base, {})[form.family] = i
    starts = {base[0] for base in families if len(base) > 1}
    for base, known in families.items():
        if len(known) != 2 or "" not in known:
            continue
        # "Acme" beside "Acme plc" and "Acme Foods" may be short for either.
        if len(base) == 1 and base[0] in starts:
            continue
        roots[known[""]] = known[max(known)]


def _join_kinds(groups: Sequence[Group], roots: NDArray[np.int64]) -> None:
    totals: Counter[int] = Counter()
    keyed: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        if group.kind in _NAMES:
            totals[int(roots[i])] += group.mentions
            keyed.setdefault(group.key, []).append(i)
    for same in keyed.values():
        if len(same) < 2 or any(groups[i].is_apart for i in same):
            continue
        best = max(same, key=lambda i: (totals[int(roots[i])], -_NAMES.index(groups[i].kind)))
        most = totals[int(roots[best])]
        for i in same:
            few = totals[int(roots[i])]
            alone = roots[i] == i
            if i != best and alone and few < _SLIPS and most >= _TIMES * max(few, 1):
                roots[i] = roots[best]
    # Whoever was joined to one that has since joined another goes with it.
    while not np.array_equal(roots, roots[roots]):
        roots[:] = roots[roots]
