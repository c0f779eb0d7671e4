"""Persons whom documents give the same mail address: they are one, under all of their names.

An address that several people use (an office, a couple) is told by their names: where two of them
have nothing in common, it says nothing of anybody.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.entities.join import fullest
from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.nicknames import FORMAL_NAMES, may_be_one_name
from casetrack.graph.entities.persons import form_of_key, parts_of_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.persons import PersonForm

_OFFICES = frozenset(
    "accounting accounts admin administrator billing board buero claims contact desk dispatch "
    "donotreply enquiries enquiry feedback finance help helpdesk hr info information inquiries "
    "invoice invoices it jobs kontakt legal mail mailbox marketing media newsletter noreply office "
    "orders payroll post postmaster press purchasing reception recruiting reply sales secretary "
    "security service services shop staff subscriptions support team webmaster".split()
)
"""Words that the addresses of no single person are made of."""
_PARTS = re.compile(r"[^\W\d_]+")


def join_addresses(
    rows: pa.Table,
    groups: Sequence[Group],
    row_groups: NDArray[np.int64],
    roots: NDArray[np.int64],
    /,
) -> NDArray[np.int64]:
    """Join the full names of one address, everywhere, and say who is meant by its short names.

    Parameters
    ----------
    rows
        What each document calls an entity; ``addresses`` is read.
    groups
        All groups.
    row_groups
        int64 [rows], number of the group of each row.
    roots
        int64 [groups], the group that stands for the entity of each; changed in place.

    Returns
    -------
    ndarray
        int64 [rows], the group whose entity a row with a short name is, -1 for all others.
    """
    meant = np.full(len(row_groups), -1, dtype=np.int64)
    lists = rows["addresses"].combine_chunks()
    flat = pc.list_flatten(lists)
    if not len(flat):
        return meant
    found: dict[str, list[int]] = {}
    places = pc.list_parent_indices(lists).to_numpy().tolist()
    for row, address in zip(places, flat.to_pylist(), strict=True):
        if groups[row_groups[row]].kind == "person":
            found.setdefault(address, []).append(row)
    owners: dict[str, int] = {}
    for address, having in sorted(found.items()):
        local = address.partition("@")[0]
        parts = _PARTS.findall(local)
        if not parts or not _OFFICES.isdisjoint(parts):
            continue
        full = _full_names(groups, {int(row_groups[row]) for row in having})
        pairs = itertools.combinations(full.values(), 2)
        if not full or not all(_may_be_one(a, b, local) for a, b in pairs):
            continue
        first = fullest(groups, full)
        owners[address] = first
        for i in full:
            if roots[i] != roots[first]:
                roots[roots == roots[i]] = roots[first]
    for address, owner in owners.items():
        form = form_of_key(groups[owner].key)
        for row in found[address]:
            group = groups[row_groups[row]]
            short = parts_of_key(group.key, gender=group.gender)
            is_full = short is None or form_of_key(group.key) is not None
            if not is_full and form is not None and short is not None and _means(short, form):
                meant[row] = owner
    return meant


def _full_names(groups: Sequence[Group], numbers: set[int]) -> dict[int, PersonForm]:
    found = {}
    for i in sorted(numbers):
        form = form_of_key(groups[i].key, gender=groups[i].gender)
        if form is not None and not groups[i].is_apart:
            found[i] = form
    return found


def _may_be_one(a: PersonForm, b: PersonForm, local: str) -> bool:
    """Return whether two full names with one address are one person's."""
    if a.suffix != b.suffix or (a.gender and b.gender and a.gender != b.gender):
        return False
    if may_be_one_name(a.given[0], b.given[0]) or a.given[0] == b.surname:
        # Names change by marriage; the address stays.
        return True
    if a.surname != b.surname or all(_is_written_out(f) for f in (a, b)):
        return False
    # "Buzz Hale" in "rhale@" or "robert.hale@": a nickname that no list has.
    return any(f.given[0] in local or local.startswith(f.given[0][0] + f.surname) for f in (a, b))


def _is_written_out(form: PersonForm) -> bool:
    first = form.given[0]
    return first in GIVEN_NAMES or first in FORMAL_NAMES.get(first, ())


def _means(short: PersonForm, full: PersonForm) -> bool:
    """Return whether a surname, a given name or initials are those of a full name."""
    if short.given:
        return short.surname == full.surname and short.given[0][0] == full.given[0][0]
    word = short.surname
    return (
        word == full.surname
        or may_be_one_name(word, full.given[0])
        or word in {full.given[0][0] + full.surname, full.given[0] + full.surname}
    )
