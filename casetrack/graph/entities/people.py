"""Which names of persons can only be the same person.

Two forms are put together where nothing in them differs and nobody else fits. What could be two
people stays with neither: a reader can see past a missing join, but not past a wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.spelled_alike import read_alike

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.graph.entities.persons import PersonForm

_CROWD = 24
"""Forms that share surname and first name or initial; where there are more, none is joined."""


def group_persons(forms: Sequence[PersonForm], /) -> list[int]:
    """Put the forms of each person of one document together.

    A form joins the forms that it agrees with if these agree with one another; nicknames and the
    order of names tell nobody apart. A surname alone, or a single word, joins the only person that
    it fits.

    Returns
    -------
    list of int
        Number of the person for each form. The grouping does not depend on the order of *forms*.
    """
    return group_read(read_alike(forms), forms)


def group_read(
    forms: Sequence[PersonForm], written: Sequence[PersonForm] | None = None, /
) -> list[int]:
    """Put forms together as :func:`group_persons` does.

    Parameters
    ----------
    forms
        Forms within reach of one another, as :func:`read_alike` reads them.
    written
        The same as they are written.
    """
    by_identity: dict[tuple[object, ...], int] = {}
    distinct: list[PersonForm] = []
    words: list[set[str]] = []
    order = sorted(range(len(forms)), key=lambda i: _rank(forms[i]))
    position = [0] * len(forms)
    for i in order:
        identity = _rank(forms[i])
        if identity not in by_identity:
            by_identity[identity] = len(distinct)
            distinct.append(forms[i])
            words.append(set())
        position[i] = by_identity[identity]
        if forms[i].is_full:
            words[position[i]] |= {f[i].given[0] for f in (forms, written or forms)}
    numbers = list(range(len(distinct)))
    blocks: dict[tuple[str, str], list[int]] = {}
    for i, form in enumerate(distinct):
        if form.given:
            blocks.setdefault((form.surname, form.given[0][0]), []).append(i)
    for block in blocks.values():
        if len(block) > 1:
            _settle(distinct, block, numbers)
    _settle_parts(distinct, words, numbers)
    return [numbers[p] for p in position]


def _rank(form: PersonForm) -> tuple[object, ...]:
    """Order forms: given names first, then surnames with a title, without one, single words."""
    level = 3 if form.bare else 0 if form.given else 1 if form.gender else 2
    return (level, form.surname, form.given, form.bare, form.suffix, form.gender)


def agree(a: PersonForm, b: PersonForm, /) -> bool:
    """Return whether nothing in two forms with one surname tells two people apart."""
    if a.suffix != b.suffix:
        # "John Smith" beside "John Smith Jr." is his father; "J. Smith" may be either.
        plain = b if a.suffix else a
        if plain.suffix or plain.is_full:
            return False
    mine, theirs = _gender(a), _gender(b)
    if mine and theirs and mine != theirs:
        return False
    return all(
        x == y or (1 in {len(x), len(y)} and x[0] == y[0])
        for x, y in zip(a.given, b.given, strict=False)
    )


def _gender(form: PersonForm) -> str:
    return form.gender or (GIVEN_NAMES.get(form.given[0], "") if form.given else "")


def _settle(forms: Sequence[PersonForm], block: list[int], numbers: list[int]) -> None:
    """Join the forms with one surname whose first names begin alike."""
    by_first: dict[str, list[int]] = {}
    for i in block:
        by_first.setdefault(forms[i].given[0], []).append(i)
    initials = by_first.get(forms[block[0]].given[0][0], [])
    if len(initials) > _CROWD or (initials and len(block) > _CROWD):
        initials = []
    near: dict[int, list[int]] = {i: [] for i in initials}
    for first, same in by_first.items():
        if len(first) == 1 or len(same) > _CROWD:
            continue
        for i in same:
            near[i] = [j for j in (*same, *initials) if j != i and agree(forms[i], forms[j])]
            for j in near[i]:
                if j in near and len(forms[j].given[0]) == 1:
                    near[j].append(i)
    for i in initials:
        near[i] += [j for j in initials if j != i and agree(forms[i], forms[j])]
    certain = {i for i, others in near.items() if _all_agree(forms, others)}
    for i in sorted(certain):
        numbers[i] = min([i, *(j for j in near[i] if j in certain)])


def _all_agree(forms: Sequence[PersonForm], numbers: list[int]) -> bool:
    firsts = {forms[i].given[0] for i in numbers}
    if sum(len(f) > 1 for f in firsts) > 1:
        return False
    return all(agree(forms[i], forms[j]) for at, i in enumerate(numbers) for j in numbers[at + 1 :])


@dataclass(slots=True)
class _Known:
    """What all forms of one person say together."""

    genders: set[str]
    suffixes: set[str]


def _settle_parts(
    forms: Sequence[PersonForm], words: Sequence[Iterable[str]], numbers: list[int]
) -> None:
    """Join surnames alone and single words, the *words* of given names, to whom they fit alone."""
    persons: dict[int, _Known] = {}
    by_surname: dict[str, set[int]] = {}
    by_word: dict[str, set[int]] = {}
    stated: dict[str, set[str]] = {}
    for form in forms:
        if form.gender:
            stated.setdefault(form.surname, set()).add(form.gender)
    for i, form in enumerate(forms):
        if not form.given:
            fits = (
                _single(by_word.get(form.bare, ()))
                if form.bare
                else _by_surname(form, by_surname.get(form.surname, ()), persons, stated)
            )
            numbers[i] = i if fits is None else fits
        person = numbers[i]
        known = persons.setdefault(person, _Known(set(), set()))
        known.genders.add(_gender(form))
        known.suffixes.add(form.suffix)
        if not form.bare:
            by_surname.setdefault(form.surname, set()).add(person)
            by_word.setdefault(form.surname, set()).add(person)
        for word in words[i]:
            by_word.setdefault(word, set()).add(person)


def _single(numbers: Iterable[int]) -> int | None:
    found = list(numbers)
    return found[0] if len(found) == 1 else None


def _by_surname(
    form: PersonForm,
    numbers: Iterable[int],
    persons: dict[int, _Known],
    stated: dict[str, set[str]],
) -> int | None:
    """Return the only person with this surname that the title and the suffix leave."""
    # Where both a Mr and a Ms bear the surname, somebody of unknown gender may be either.
    both = len(stated.get(form.surname, ())) > 1
    found = None
    for number in numbers:
        known = persons[number]
        genders = known.genders - {""}
        if form.gender and genders and form.gender not in genders:
            continue
        if form.suffix and form.suffix not in known.suffixes:
            continue
        if found is not None or (both and form.gender and not genders):
            return None
        found = number
    return found
