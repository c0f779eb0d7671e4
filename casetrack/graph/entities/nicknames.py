"""Short and pet forms of given names: which two can be the same person's."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = WordLists(__file__)


def _read() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for formal, short in _LISTS.groups("forms").items():
        for name in (formal, *short):
            found.setdefault(name, set()).add(formal)
    return {name: frozenset(formal) for name, formal in found.items()}


FORMAL_NAMES = _read()
"""For each given name of the list, folded, the written-out names that it can stand for.

Written for this program: English first, then what letters and contracts from Germany, France and
Spain have. A name that is written out stands for itself too.
"""


def is_nickname(given: str, /) -> bool:
    """Return whether a folded given name is short for another one and is not written out itself.

    Examples
    --------
    >>> is_nickname("bob"), is_nickname("robert"), is_nickname("adaeze")
    (True, False, False)
    """
    formal = FORMAL_NAMES.get(given)
    return formal is not None and given not in formal


@functools.lru_cache(maxsize=4096)
def may_be_one_name(a: str, b: str, /) -> bool:
    """Return whether two folded given names can be the same person's.

    Examples
    --------
    >>> may_be_one_name("bob", "robert"), may_be_one_name("ted", "edward")
    (True, True)
    >>> may_be_one_name("robert", "albert"), may_be_one_name("john", "jon")
    (False, False)
    """
    if a == b:
        return True
    mine, theirs = FORMAL_NAMES.get(a), FORMAL_NAMES.get(b)
    if mine is None or theirs is None:
        return False
    # Two written-out names are two names, whatever short form they share.
    if a in mine and b in theirs:
        return b in mine or a in theirs
    return not mine.isdisjoint(theirs)


def name_classes(given: Iterable[str], /) -> dict[str, str]:
    """Return for given names that can only be one name the one that stands for them.

    Where a short form fits two of the names ("Ted" beside Edward and Theodore), nobody is sure, and
    none of those it fits is put together with it.

    Parameters
    ----------
    given
        The folded first names of all persons with one surname.

    Returns
    -------
    dict of str to str
        Names that stand for others or are stood for; those that are alone are left out.
    """
    names = sorted(n for n in set(given) if n in FORMAL_NAMES)
    near = {n: [m for m in names if m != n and may_be_one_name(n, m)] for n in names}
    found: dict[str, str] = {}
    for name, others in near.items():
        group = {name, *others}
        if others and all(group == {n, *near[n]} for n in group):
            found[name] = min(group, key=lambda n: (is_nickname(n), n))
    return found
