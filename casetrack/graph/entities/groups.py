"""What the documents of a collection call by one key: the groups that entities are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.words.titles import any_title

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
