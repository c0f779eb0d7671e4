"""Names of persons that are written in another way and are the same name.

"Bob Hale" beside "Robert Hale", "Hale Robert", "D. Michael Wilson" beside "Michael Wilson": before
persons are put together, such a name is read as the other one where only one other is there that it
can be. Whether both are one person is then settled as for any two (:mod:`people`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.name_order import AMBIVALENT, SURNAMES
from casetrack.graph.entities.nicknames import FORMAL_NAMES, may_be_one_name, name_classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.graph.entities.persons import PersonForm


def read_alike(
    forms: Sequence[PersonForm],
    /,
    *,
    near: bool = True,
    takes_nicknames: Callable[[str], bool] = bool,
) -> list[PersonForm]:
    """Return forms with every name that is another one's spelling read as that one.

    Parameters
    ----------
    forms
        Forms within reach of one another.
    near
        Whether they stand in one document: there two words in both orders are one name, also where
        no list knows which of them is the given one.
    takes_nicknames
        Says of a surname whether its nicknames are looked at.
    """
    found = _in_one_order(_divided(forms), near=near)
    by_surname: dict[str, list[int]] = defaultdict(list)
    for i, form in enumerate(found):
        if form.given:
            by_surname[form.surname].append(i)
    for surname, same in by_surname.items():
        if len({found[i].given for i in same}) < 2:
            continue
        if near:
            _without_initial(found, same)
        if takes_nicknames(surname):
            _without_nicknames(found, same)
    return found


def _is_given(word: str) -> bool:
    return word in GIVEN_NAMES or word in FORMAL_NAMES


def _divided(forms: Sequence[PersonForm]) -> list[PersonForm]:
    """Read "Rosa Vega Luna" as "Vega Luna, Rosa" where that stands somewhere, too."""
    known = {f.key: f for f in forms if " " in f.surname and f.given}
    return [
        replace(f, given=known[f.key].given, surname=known[f.key].surname)
        if f.given and f.key in known
        else f
        for f in forms
    ]


def _in_one_order(forms: Sequence[PersonForm], *, near: bool) -> list[PersonForm]:
    pairs = {(f.given[0], f.surname) for f in forms if f.is_full and len(f.given) == 1}
    return [_turned(form, pairs, near=near) for form in forms]


def _turned(form: PersonForm, pairs: set[tuple[str, str]], *, near: bool) -> PersonForm:
    if not form.is_full or len(form.given) != 1 or (form.surname, form.given[0]) not in pairs:
        return form
    given, surname = form.given[0], form.surname
    if not AMBIVALENT.isdisjoint((given, surname)) or {given, surname} <= SURNAMES:
        return form
    known = _is_given(given), _is_given(surname)
    if all(known) or not (any(known) or near):
        return form
    # Where no list knows the given name, any order will do that does not depend on the texts'.
    is_turned = known[1] or (not known[0] and surname < given)
    return replace(form, given=(surname,), surname=given) if is_turned else form


def _without_initial(forms: list[PersonForm], same: Iterable[int]) -> None:
    """Read "D. Michael Wilson" as "Michael Wilson" where he stands, and no other D. Wilson does."""
    firsts = {forms[i].given[0] for i in same if len(forms[i].given[0]) > 1}
    for i in same:
        given = forms[i].given
        if len(given) < 2 or len(given[0]) > 1 or len(given[1]) < 2:
            continue
        is_called = any(may_be_one_name(given[1], first) for first in firsts)
        if is_called and not any(first[0] == given[0] for first in firsts):
            forms[i] = replace(forms[i], given=given[1:])


def _without_nicknames(forms: list[PersonForm], same: Sequence[int]) -> None:
    firsts = {forms[i].given[0] for i in same if len(forms[i].given[0]) > 1}
    classes = name_classes(firsts)
    if not classes:
        return
    letters: dict[str, set[str]] = defaultdict(set)
    for first in firsts:
        letters[first[0]].add(classes.get(first, first))
    for i in same:
        first, *others = forms[i].given
        if len(first) > 1:
            read = classes.get(first, first)
        else:
            # "B. Hale" is Bob, whom others call Robert.
            fitting = letters.get(first, set())
            one = next(iter(fitting)) if len(fitting) == 1 else first
            read = one if one in classes.values() and one[0] != first else first
        if read != first:
            forms[i] = replace(forms[i], given=(read, *others))
