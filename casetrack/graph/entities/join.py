"""Merges groups of different keys over the whole collection.

- Persons whose full names differ only in a middle name or initial, in word order, or in a nickname
  with a rare surname, if no other person fits.
- An organisation with and without its legal form if the collection knows only one form; public
  bodies with their acronyms ("SEC").
- A name with settling evidence in one document keeps that kind in all documents; without evidence,
  fewer than three mentions of another kind follow at least three times as many.

Surnames alone, initials and short names are not merged here, because they may mean another entity
in another document (:mod:`casetrack.graph.entities.reach`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.entities import organizations, persons
from casetrack.graph.entities.lexicon import FREQUENT_SURNAMES, GIVEN_NAMES, is_nickname
from casetrack.graph.entities.locations import PUBLIC_INITIALS, is_known_place
from casetrack.graph.entities.people import group_read, read_alike

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.persons import PersonForm
    from casetrack.ingest.steps.join import JoinRules

_NAMES = ("person", "organization", "location")
_MAX_MISTAKEN = 3
_MIN_RATIO = 3


def join_groups(
    groups: Sequence[Group], rules: JoinRules, /, *, defined_initials: Collection[str] = ()
) -> NDArray[np.int64]:
    """Return the root group of each group; *defined_initials* have a separate entity."""
    roots = np.arange(len(groups), dtype=np.int64)
    if rules.middle_names:
        takes = is_rare if rules.nicknames else lambda _: False
        for i, root in join_persons(groups, near=False, takes_nicknames=takes).items():
            roots[i] = root
    if rules.legal_forms:
        _join_organizations(groups, roots)
    if rules.defined_names:
        _join_public(groups, roots, defined_initials)
    return roots


def is_rare(surname: str, /) -> bool:
    """Return whether two people with this surname and one given name are probably the same."""
    return surname not in FREQUENT_SURNAMES


def join_persons(
    groups: Sequence[Group], /, *, near: bool, takes_nicknames: Callable[[str], bool]
) -> dict[int, int]:
    """Return for each full name of a person with a fuller variant the number of the fullest.

    See :func:`casetrack.graph.entities.people.read_alike` for *near* and *takes_nicknames*.
    """
    forms: list[PersonForm] = []
    numbers: list[int] = []
    for i, group in enumerate(groups):
        if group.kind != "person" or "-" not in group.key:
            continue
        form = persons.form_of_key(group.key, gender=group.gender, by_second=near)
        if form is not None:
            forms.append(form)
            numbers.append(i)
    read = read_alike(forms, near=near, takes_nicknames=takes_nicknames)
    shared = Counter((f.surname, f.given[0]) for f in read)
    chosen = [i for i, f in enumerate(read) if shared[f.surname, f.given[0]] > 1]
    members: dict[int, list[int]] = {}
    for i, person in zip(chosen, group_read([read[i] for i in chosen]), strict=True):
        members.setdefault(person, []).append(i)
    roots = {}
    for same in members.values():
        first = fullest(groups, {numbers[i]: forms[i] for i in same})
        roots.update({numbers[i]: first for i in same if numbers[i] != first})
    return roots


def fullest(groups: Sequence[Group], forms: Mapping[int, PersonForm], /) -> int:
    """Return the most complete name of one person; *forms* by the number of their group."""
    return max(forms, key=lambda i: _completeness(forms[i], groups[i]))


def _completeness(form: PersonForm, group: Group) -> tuple[object, ...]:
    written = sum(len(g) > 1 for g in form.given)
    is_formal = not is_nickname(form.given[0])
    in_order = form.given[0] in GIVEN_NAMES or form.surname not in GIVEN_NAMES
    return (form.is_full, len(form.given), written, is_formal, in_order, group.gender, group.key)


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
        # "Acme" may be short for "Acme plc" or for "Acme Foods".
        if len(base) == 1 and base[0] in starts:
            continue
        roots[known[""]] = known[max(known)]


def _join_public(
    groups: Sequence[Group], roots: NDArray[np.int64], defined_initials: Collection[str]
) -> None:
    """Merge the spellings of public bodies with each other and with their initials."""
    bodies: dict[str, dict[int, str]] = {}
    for i, group in enumerate(groups):
        if group.kind != "organization" or roots[i] != i:
            continue
        form = organizations.form_of_key(group.key)
        key = group.key.removesuffix(f"-{form.family}") if form.family else group.key
        initials = PUBLIC_INITIALS.get(key)
        if initials is not None and not (initials == key and key in defined_initials):
            bodies.setdefault(initials, {})[i] = form.family
    for families in bodies.values():
        # The plc and the LLC of one group are two firms, and the bare name may be either.
        is_one = len({family for family in families.values() if family}) < 2
        same = [i for i, family in families.items() if is_one or not family]
        if len(same) < 2:
            continue
        best = max(same, key=lambda i: (len(groups[i].key.split("-")) > 2, groups[i].mentions, -i))
        for i in same:
            _move(roots, i, best)


def _move(roots: NDArray[np.int64], old: int, new: int) -> None:
    """Move a group and all groups merged with it to another root."""
    roots[roots == roots[old]] = roots[new]


def join_kinds(groups: Sequence[Group], roots: NDArray[np.int64], /) -> None:
    """Merge groups of a mistaken kind with the group that other documents confirm."""
    totals: Counter[int] = Counter()
    keyed: dict[str, list[int]] = {}
    words: set[str] = set()
    for i, group in enumerate(groups):
        if group.kind not in _NAMES:
            continue
        totals[int(roots[i])] += group.mentions
        keyed.setdefault(group.key, []).append(i)
        if group.kind == "person" and "-" in group.key:
            words.update(group.key.split("-"))
    for same in keyed.values():
        if len(same) < 2 or any(groups[i].is_apart for i in same):
            continue
        proven = [i for i in same if groups[i].proven and _names_fully(groups[i])]
        if len(proven) == 1:
            for i in same:
                if i != proven[0] and roots[i] == i and _may_be_mistaken(groups[i], words):
                    roots[i] = roots[proven[0]]
            continue
        best = max(same, key=lambda i: (totals[int(roots[i])], -_NAMES.index(groups[i].kind)))
        most = totals[int(roots[best])]
        for i in same:
            few = totals[int(roots[i])]
            alone = roots[i] == i
            if i != best and alone and few < _MAX_MISTAKEN and most >= _MIN_RATIO * max(few, 1):
                roots[i] = roots[best]
    # A group that was merged with a group that has since moved follows it.
    while not np.array_equal(roots, roots[roots]):
        roots[:] = roots[roots]


def _names_fully(group: Group) -> bool:
    """Return whether a name is specific enough to apply one document's evidence to others."""
    return group.kind != "person" or "-" in group.key


def _may_be_mistaken(group: Group, words: Collection[str]) -> bool:
    """Return whether the kind may be wrong; known surnames, given names and countries keep it."""
    if group.kind == "person":
        return not group.gender and group.key not in words and group.key not in GIVEN_NAMES
    return group.kind != "location" or not is_known_place(group.key)
