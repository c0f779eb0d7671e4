"""What the documents of a collection call by one key: the groups that entities are made of."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.words.lists import any_title
from casetrack.graph.entities.join import fullest
from casetrack.graph.entities.lexicon import FORMAL_NAMES, GIVEN_NAMES, may_be_one_name
from casetrack.graph.entities.persons import form_of_key, parts_of_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.persons import PersonForm

_TITLES = {
    "m": rf"^(?i:{any_title('men_pattern')})\b",
    "f": rf"^(?i:{any_title('women_pattern')})\b",
}
_SURE = (
    *("party clause", "definition", "title block", "letterhead", "signature", "mail head"),
    *("caption", "invoice head", "legal form"),
)
"""Evidence of a document that settles what a name names."""
_ACRONYM = r"^[A-Z][A-Z.&-]{1,9}$"


@dataclass(frozen=True, slots=True)
class Group:
    """What the documents of a collection call by one key.

    Attributes
    ----------
    gender
        ``m`` or ``f`` where titles of persons state it, else empty.
    is_apart
        Whether somebody of the other gender has the same key.
    mentions, documents
        Places, and documents with one.
    sure
        Places where a document makes sure that it is of this kind.
    is_acronym
        Whether some document writes it as letters in a row are ("IBM", "I.B.M.").
    """

    kind: str
    key: str
    gender: str
    is_apart: bool
    mentions: int
    documents: int
    sure: int = 0
    is_acronym: bool = False


def coded(column: pa.ChunkedArray | pa.Array, /) -> tuple[NDArray[np.int64], pa.Array]:
    """Return the number of each text, and the texts, in their order."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    found = array.dictionary_encode()
    ranks = pc.sort_indices(found.dictionary).to_numpy()
    place = np.empty(len(ranks), dtype=np.int64)
    place[ranks] = np.arange(len(ranks))
    return place[found.indices.to_numpy().astype(np.int64)], found.dictionary.take(pa.array(ranks))


def groups_of(
    rows: pa.Table, documents: NDArray[np.int64], /
) -> tuple[list[Group], NDArray[np.int64]]:
    """Put together the rows with one kind and key, persons of two genders apart.

    Parameters
    ----------
    rows
        What each document calls an entity, see :func:`casetrack.graph.entities.merge.merge`.
    documents
        int64 [rows], number of the document of each row, from 0.

    Returns
    -------
    tuple
        The groups in the order of their keys, and int64 [rows], the group of each row.
    """
    keys = pc.binary_join_element_wise(rows["kind"], rows["key"], ":")
    codes, texts = coded(keys)
    genders = _genders(rows)
    mixed = np.zeros(len(texts), dtype=bool)
    mixed[np.intersect1d(codes[genders == 1], codes[genders == 2])] = True
    # A key that stands for two people has one group for each of them, and one for "either".
    split = np.where(mixed[codes], genders, 0)
    of_key, row_groups = np.unique(codes * 3 + split, return_inverse=True)
    mentions = np.bincount(row_groups, rows["mention_count"].to_numpy(), len(of_key))
    pairs = np.unique(row_groups * np.int64(rows.num_rows) + documents)
    spread = np.bincount(pairs // rows.num_rows, minlength=len(of_key))
    stated = np.zeros(len(of_key), dtype=np.int64)
    np.maximum.at(stated, row_groups, genders)
    sure = np.bincount(row_groups, _sure(rows), len(of_key)).astype(np.int64)
    is_acronym = np.bincount(row_groups, _acronyms(rows), len(of_key)) > 0
    names = texts.take(pa.array(of_key // 3)).to_pylist()
    groups = [
        Group(
            name.partition(":")[0], name.partition(":")[2], ("", "m", "f")[gender], apart, *counts
        )
        for name, gender, apart, *counts in zip(
            names,
            stated.tolist(),
            (mixed[of_key // 3] & (of_key % 3 > 0)).tolist(),
            mentions.astype(np.int64).tolist(),
            spread.tolist(),
            sure.tolist(),
            is_acronym.tolist(),
            strict=True,
        )
    ]
    return groups, row_groups


def _genders(rows: pa.Table) -> NDArray[np.int64]:
    """Return the gender that each row's titles state: 0 none, 1 m, 2 f."""
    found = np.zeros(rows.num_rows, dtype=np.int64)
    persons = _of_kind(rows, "person")
    spellings = rows["spellings"].take(pa.array(persons)).combine_chunks()
    parents = persons[pc.list_parent_indices(spellings).to_numpy()]
    texts = pc.struct_field(pc.list_flatten(spellings), "text")
    for number, gender in enumerate(("m", "f"), 1):
        titled = pc.match_substring_regex(texts, _TITLES[gender]).to_numpy(zero_copy_only=False)
        found[parents[titled.astype(bool)]] = number
    return found


def _of_kind(rows: pa.Table, kind: str) -> NDArray[np.int64]:
    return np.flatnonzero(pc.equal(rows["kind"], kind).to_numpy(zero_copy_only=False))


def _sure(rows: pa.Table) -> NDArray[np.int64]:
    """Return for each row the number of its places that make its kind sure."""
    found = np.zeros(rows.num_rows, dtype=np.int64)
    evidence = rows["evidence"].combine_chunks()
    flat = pc.list_flatten(evidence)
    if len(flat):
        settles = pc.is_in(pc.struct_field(flat, "kind"), value_set=pa.array(_SURE))
        counts = np.where(
            settles.to_numpy(zero_copy_only=False), pc.struct_field(flat, "count").to_numpy(), 0
        )
        np.add.at(found, pc.list_parent_indices(evidence).to_numpy(), counts)
    return found


def _acronyms(rows: pa.Table) -> NDArray[np.bool_]:
    """Return which rows are organisations that go by letters in a row."""
    found = np.zeros(rows.num_rows, dtype=bool)
    firms = _of_kind(rows, "organization")
    written = pc.match_substring_regex(rows["name"].take(pa.array(firms)), _ACRONYM)
    found[firms] = written.to_numpy(zero_copy_only=False)
    return found


# Persons whom documents give the same mail address: they are one, under all of their names.
#
# An address that several people use (an office, a couple) is told by their names: where two of them
# have nothing in common, it says nothing of anybody.

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
