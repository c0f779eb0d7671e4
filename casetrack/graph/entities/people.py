"""Groups names that can only be the same person.

Two forms are grouped if they do not contradict each other and no other person fits. An ambiguous
form stays separate: a missing link is easier to notice than a wrong one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.entities.lexicon import (
    FORMAL_NAMES,
    FREQUENT_SURNAMES,
    GIVEN_NAMES,
    LEGAL_FORMS,
    may_be_one_name,
    name_classes,
)
from casetrack.graph.entities.persons import AMBIVALENT, SURNAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from casetrack.graph.entities.persons import PersonForm

# Names of one document that differ only in typical OCR confusions: rn and m, cl and d, vv and w; 1,
# l and I; 0 and O. A misread name is rare compared with the right spelling. Only one document is
# compared: "Horner" and "Homer" in two documents are two people. Words that are both names are
# never merged.

_LISTS = WordLists(__file__)

_STROKES = re.compile(r"[il1|]")
_ROMAN = re.compile(r"[il]{1,3}")
_LEAST_LETTERS = 4
_FEW, _TIMES = 3, 3
_BOTH_ARE_NAMES = frozenset(_LISTS.words("both_are_names"))


def scanned_variants(
    counts: Mapping[str, int], /, *, words: Collection[str] = ()
) -> dict[str, str]:
    """Map misread names to the right spelling.

    *counts* are lower-case names with their numbers of places; *words* are lower-case words of the
    document, which are never misread names.

    >>> scanned_variants({"bamstead holdings ltd": 1, "barnstead holdings ltd": 4})
    {'bamstead holdings ltd': 'barnstead holdings ltd'}
    >>> scanned_variants({"jo homer": 1, "jo horner": 4})
    {}
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in counts:
        alike[_skeleton(name)].append(name)
    corrections: dict[str, str] = {}
    for same in alike.values():
        if len(same) < 2:
            continue
        right, *others = sorted(same, key=lambda n: (_has_odd_digit(n), -counts[n], n))
        for other in others:
            if _is_slip(other, right, counts, words):
                corrections[other] = right
    return corrections


def _skeleton(name: str) -> str:
    strokes = _STROKES.sub("l", name.replace("0", "o"))
    return strokes.replace("rn", "m").replace("cl", "d").replace("vv", "w")


def _has_odd_digit(name: str) -> bool:
    """Return whether a word of the name consists of letters and at least one digit."""
    return any(_is_odd(word) for word in name.split())


def _is_odd(word: str) -> bool:
    return _is_word(word) and any(c.isdigit() for c in word)


def _is_word(word: str) -> bool:
    """Return whether a word has more letters than digits."""
    return sum(c.isalpha() for c in word) > max(2, sum(c.isdigit() for c in word))


def _is_slip(name: str, right: str, counts: Mapping[str, int], words: Collection[str]) -> bool:
    pairs = list(zip(name.split(), right.split(), strict=False))
    if len(name.split()) != len(right.split()):
        return False
    differing = [(a, b) for a, b in pairs if a != b]
    if not all(_may_be_misread(a, b, words) for a, b in differing):
        return False
    if all(_is_odd(a) for a, _ in differing):
        return counts[name] <= counts[right]
    return counts[name] <= _FEW and counts[name] * _TIMES <= counts[right]


def _may_be_misread(word: str, right: str, words: Collection[str]) -> bool:
    if _ROMAN.fullmatch(word) and _ROMAN.fullmatch(right):
        # "Kestrel ll LP" is Kestrel II; another number of strokes is another fund.
        return len(word) == len(right)
    bare, other = word.strip(".,'’-"), right.strip(".,'’-")
    if min(len(bare), len(other)) < _LEAST_LETTERS or not (_is_word(bare) and _is_word(other)):
        return False
    if bare in words or (bare,) in LEGAL_FORMS or {bare, other} <= _BOTH_ARE_NAMES:
        return False
    return not (bare in GIVEN_NAMES or bare in FORMAL_NAMES or bare in FREQUENT_SURNAMES)


# Other spellings of a person's name: "Bob Hale" and "Robert Hale", "Hale Robert", "D. Michael
# Wilson" and "Michael Wilson". Before grouping, such a name is replaced by the only name that it
# can mean.


def read_alike(
    forms: Sequence[PersonForm],
    /,
    *,
    near: bool = True,
    takes_nicknames: Callable[[str], bool] = bool,
) -> list[PersonForm]:
    """Return the forms, with each spelling of another name replaced by that name.

    *near* means that the forms are in one document, where two words in both orders are one name
    even if no list contains the given name. *takes_nicknames* returns whether a surname's nicknames
    are used.
    """
    read = _in_one_order(_divided(forms), near=near)
    by_surname: dict[str, list[int]] = defaultdict(list)
    for i, form in enumerate(read):
        if form.given:
            by_surname[form.surname].append(i)
    for surname, same in by_surname.items():
        if len({read[i].given for i in same}) < 2:
            continue
        if near:
            _without_initial(read, same)
        if takes_nicknames(surname):
            _without_nicknames(read, same)
    return read


def _is_given(word: str) -> bool:
    return word in GIVEN_NAMES or word in FORMAL_NAMES


def _divided(forms: Sequence[PersonForm]) -> list[PersonForm]:
    """Read "Rosa Vega Luna" as "Vega Luna, Rosa" if that form also occurs."""
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
    # If no list contains the given name, any order works that does not depend on the texts.
    if not (known[1] or (not known[0] and surname < given)):
        return form
    words = form.display.split()
    display = " ".join(reversed(words)) if known[1] and len(words) == 2 else form.display
    return replace(form, given=(surname,), surname=given, display=display)


def is_turned(name: str, /) -> bool:
    """Return whether the given name is the second of two words: "Dasovich Jeff"."""
    words = name.lower().split()
    return len(words) == 2 and _is_given(words[1]) and not _is_given(words[0])


def _without_initial(forms: list[PersonForm], same: Iterable[int]) -> None:
    """Read "D. Michael Wilson" as "Michael Wilson" if he occurs and no other D. Wilson does.

    "S. Wilson" is the only "William S. Wilson" in the same way.
    """
    firsts = {forms[i].given[0] for i in same if len(forms[i].given[0]) > 1}
    whole = {forms[i].given for i in same if len(forms[i].given) > 1 and len(forms[i].given[0]) > 1}
    for i in same:
        given = forms[i].given
        middle = [w for w in whole if w[1][0] == given[0]]
        if len(given) == len(middle) == 1 and not any(first[0] == given[0] for first in firsts):
            forms[i] = replace(forms[i], given=middle[0])
            continue
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
            # "B. Hale" is Bob, who is also called Robert.
            fitting = letters.get(first, set())
            one = next(iter(fitting)) if len(fitting) == 1 else first
            read = one if one in classes.values() and one[0] != first else first
        if read != first:
            forms[i] = replace(forms[i], given=(read, *others))


_CROWD = 24
"""Above this number of forms with one surname and first name or initial, none is grouped."""


def group_persons(forms: Sequence[PersonForm], /) -> list[int]:
    """Group the forms of each person in one document; return the group number of each form.

    A form joins the forms that it agrees with if these agree with each other; nicknames and word
    order do not separate people. A surname alone, or a single word, joins the only person that it
    fits. The result does not depend on the order of *forms*.
    """
    return group_read(read_alike(forms), forms)


def group_read(
    forms: Sequence[PersonForm], written: Sequence[PersonForm] | None = None, /
) -> list[int]:
    """Group forms that :func:`read_alike` read from *written*; see :func:`group_persons`."""
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
    """Order forms: with given names, then surnames with a title, without one, single words."""
    level = 3 if form.bare else 0 if form.given else 1 if form.gender else 2
    return (level, form.surname, form.given, form.bare, form.suffix, form.gender)


def agree(a: PersonForm, b: PersonForm, /) -> bool:
    """Return whether two forms with one surname may be the same person."""
    if a.suffix != b.suffix:
        # "John Smith" next to "John Smith Jr." is the father; "J. Smith" may be either.
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
    """Group the forms with one surname and compatible first names."""
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
    """The genders and suffixes of all forms of one person."""

    genders: set[str]
    suffixes: set[str]


def _settle_parts(
    forms: Sequence[PersonForm], words: Sequence[Iterable[str]], numbers: list[int]
) -> None:
    """Group surnames alone and single words with the only person that fits."""
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
    values = list(numbers)
    return values[0] if len(values) == 1 else None


def _by_surname(
    form: PersonForm,
    numbers: Iterable[int],
    persons: dict[int, _Known],
    stated: dict[str, set[str]],
) -> int | None:
    """Return the only person with this surname that fits title and suffix."""
    # If both a Mr and a Ms have the surname, a person of unknown gender may be either.
    both = len(stated.get(form.surname, ())) > 1
    match = None
    for number in numbers:
        known = persons[number]
        genders = known.genders - {""}
        if form.gender and genders and form.gender not in genders:
            continue
        if form.suffix and form.suffix not in known.suffixes:
            continue
        if match is not None or (both and form.gender and not genders):
            return None
        match = number
    return match
