"""Groups of local entities with one key, from which the entities are built."""

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
_SETTLING = (
    *("party clause", "definition", "title block", "letterhead", "signature", "mail head"),
    *("caption", "invoice head", "legal form"),
)
"""Kinds of evidence that settle the kind of a name."""
_ACRONYM = r"^[A-Z][A-Z.&-]{1,9}$"


@dataclass(frozen=True, slots=True)
class Group:
    """The local entities of a collection with one key."""

    kind: str
    key: str
    gender: str  # ``m`` or ``f`` if titles state it, else empty
    is_apart: bool  # Whether a person of the other gender has the same key
    mentions: int
    documents: int
    proven: int = 0  # Number of mentions with evidence for this kind
    # Whether a document writes it as consecutive letters ("IBM", "I.B.M.").
    is_acronym: bool = False


def coded(column: pa.ChunkedArray | pa.Array, /) -> tuple[NDArray[np.int64], pa.Array]:
    """Return the number of each text, and the sorted texts."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    codes = array.dictionary_encode()
    ranks = pc.sort_indices(codes.dictionary).to_numpy()
    place = np.empty(len(ranks), dtype=np.int64)
    place[ranks] = np.arange(len(ranks))
    return place[codes.indices.to_numpy().astype(np.int64)], codes.dictionary.take(pa.array(ranks))


def groups_of(
    rows: pa.Table, documents: NDArray[np.int64], /
) -> tuple[list[Group], NDArray[np.int64]]:
    """Group the rows with one kind and key; persons of two genders are separate groups.

    *documents* is int64 [rows], the number of each row's document from 0. Return the groups in key
    order, and int64 [rows], the group of each row.
    """
    keys = pc.binary_join_element_wise(rows["kind"], rows["key"], ":")
    codes, texts = coded(keys)
    genders = _genders(rows)
    mixed = np.zeros(len(texts), dtype=bool)
    mixed[np.intersect1d(codes[genders == 1], codes[genders == 2])] = True
    # A key of two people has a group for each of them, and one for mentions without a title.
    split = np.where(mixed[codes], genders, 0)
    of_key, row_groups = np.unique(codes * 3 + split, return_inverse=True)
    mentions = np.bincount(row_groups, rows["mention_count"].to_numpy(), len(of_key))
    counted = rows["mention_count"].to_numpy() > 0
    pairs = np.unique((row_groups * np.int64(rows.num_rows) + documents)[counted])
    spread = np.bincount(pairs // rows.num_rows, minlength=len(of_key))
    stated = np.zeros(len(of_key), dtype=np.int64)
    np.maximum.at(stated, row_groups, genders)
    proven = np.bincount(row_groups, _settled_counts(rows), len(of_key)).astype(np.int64)
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
            proven.tolist(),
            is_acronym.tolist(),
            strict=True,
        )
    ]
    return groups, row_groups


def _genders(rows: pa.Table) -> NDArray[np.int64]:
    """Return the gender that each row's titles state: 0 none, 1 m, 2 f."""
    genders = np.zeros(rows.num_rows, dtype=np.int64)
    persons = _of_kind(rows, "person")
    spellings = rows["spellings"].take(pa.array(persons)).combine_chunks()
    parents = persons[pc.list_parent_indices(spellings).to_numpy()]
    texts = pc.struct_field(pc.list_flatten(spellings), "text")
    for number, gender in enumerate(("m", "f"), 1):
        titled = pc.match_substring_regex(texts, _TITLES[gender]).to_numpy(zero_copy_only=False)
        genders[parents[titled.astype(bool)]] = number
    return genders


def _of_kind(rows: pa.Table, kind: str) -> NDArray[np.int64]:
    return np.flatnonzero(pc.equal(rows["kind"], kind).to_numpy(zero_copy_only=False))


def _settled_counts(rows: pa.Table) -> NDArray[np.int64]:
    """Return for each row the number of mentions with settling evidence."""
    totals = np.zeros(rows.num_rows, dtype=np.int64)
    evidence = rows["evidence"].combine_chunks()
    flat = pc.list_flatten(evidence)
    if len(flat):
        settles = pc.is_in(pc.struct_field(flat, "kind"), value_set=pa.array(_SETTLING))
        counts = np.where(
            settles.to_numpy(zero_copy_only=False), pc.struct_field(flat, "count").to_numpy(), 0
        )
        np.add.at(totals, pc.list_parent_indices(evidence).to_numpy(), counts)
    return totals


def _acronyms(rows: pa.Table) -> NDArray[np.bool_]:
    """Return for each row whether it is an organisation that is written as an acronym."""
    is_acronym = np.zeros(rows.num_rows, dtype=bool)
    firms = _of_kind(rows, "organization")
    written = pc.match_substring_regex(rows["name"].take(pa.array(firms)), _ACRONYM)
    is_acronym[firms] = written.to_numpy(zero_copy_only=False)
    return is_acronym


# Persons with the same mail address are one person with several names. An address of several people
# (an office, a couple) is recognised by its names: if two have nothing in common, it is ignored.

_OFFICES = frozenset(
    "accounting accounts admin administrator billing board buero claims contact desk dispatch "
    "donotreply enquiries enquiry feedback finance help helpdesk hr info information inquiries "
    "invoice invoices it jobs kontakt legal mail mailbox marketing media newsletter noreply office "
    "orders payroll post postmaster press purchasing reception recruiting reply sales secretary "
    "security service services shop staff subscriptions support team webmaster".split()
)
"""Words in addresses that do not belong to a single person."""
_PARTS = re.compile(r"[^\W\d_]+")


def join_addresses(
    rows: pa.Table,
    groups: Sequence[Group],
    row_groups: NDArray[np.int64],
    roots: NDArray[np.int64],
    /,
) -> NDArray[np.int64]:
    """Merge the full names of one address (in *roots*), and resolve its short names.

    Return int64 [rows]: for a row with a short name the group of its entity, else -1. *row_groups*
    is int64 [rows], the group of each row; *roots* is int64 [groups], changed in place.
    """
    meant = np.full(len(row_groups), -1, dtype=np.int64)
    lists = rows["addresses"].combine_chunks()
    flat = pc.list_flatten(lists)
    if not len(flat):
        return meant
    rows_of_address: dict[str, list[int]] = {}
    places = pc.list_parent_indices(lists).to_numpy().tolist()
    for row, address in zip(places, flat.to_pylist(), strict=True):
        if groups[row_groups[row]].kind == "person":
            rows_of_address.setdefault(address, []).append(row)
    owners: dict[str, int] = {}
    for address, having in sorted(rows_of_address.items()):
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
        for row in rows_of_address[address]:
            group = groups[row_groups[row]]
            short = parts_of_key(group.key, gender=group.gender)
            is_full = short is None or form_of_key(group.key) is not None
            if not is_full and form is not None and short is not None and _fits(short, form):
                meant[row] = owner
    return meant


def _full_names(groups: Sequence[Group], numbers: set[int]) -> dict[int, PersonForm]:
    forms = {}
    for i in sorted(numbers):
        form = form_of_key(groups[i].key, gender=groups[i].gender)
        if form is not None and not groups[i].is_apart:
            forms[i] = form
    return forms


def _may_be_one(a: PersonForm, b: PersonForm, local: str) -> bool:
    """Return whether two full names with one address may be one person's."""
    if a.suffix != b.suffix or (a.gender and b.gender and a.gender != b.gender):
        return False
    if may_be_one_name(a.given[0], b.given[0]) or a.given[0] == b.surname:
        # Names change by marriage; the address stays.
        return True
    if a.surname != b.surname or all(_is_written_out(f) for f in (a, b)):
        return False
    # "Buzz Hale" with "rhale@" or "robert.hale@": a nickname that is in no list.
    return any(f.given[0] in local or local.startswith(f.given[0][0] + f.surname) for f in (a, b))


def _is_written_out(form: PersonForm) -> bool:
    first = form.given[0]
    return first in GIVEN_NAMES or first in FORMAL_NAMES.get(first, ())


def _fits(short: PersonForm, full: PersonForm) -> bool:
    """Return whether a surname, a given name or initials fit a full name."""
    if short.given:
        return short.surname == full.surname and short.given[0][0] == full.given[0][0]
    word = short.surname
    return (
        word == full.surname
        or may_be_one_name(word, full.given[0])
        or word in {full.given[0][0] + full.surname, full.given[0] + full.surname}
    )
