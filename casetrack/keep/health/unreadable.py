"""Data files of ``chunks`` that cannot be decoded: what lies in them.

A bit that flips in a text is noticed by its checksum. One that flips where Lance keeps lengths and
offsets makes a whole file unreadable, and every reading that passes over it. So each file is read
by itself; what the others do not hold of a document is in those that cannot be read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionDamaged
from casetrack.store.damage import reading

if TYPE_CHECKING:
    from casetrack.store.datasets import Snapshot


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What cannot be read of the passages of a collection.

    Attributes
    ----------
    files, others
        Numbers of the data files that cannot be decoded, and of those that can.
    documents
        Ids of the documents of which passages lie in the former.
    """

    files: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    documents: frozenset[str] = frozenset()


def find_unreadable(snapshot: Snapshot, /) -> Unreadable:
    """Read every data file by itself."""
    found: Counter[str] = Counter()
    files, others = list[int](), list[int]()
    for file in snapshot.chunks.get_fragments():
        here: Counter[str] = Counter()
        try:
            with reading(snapshot.chunks.uri):
                for batch in snapshot.chunks.scanner(fragments=[file]).to_batches():
                    here.update(batch["revision"].to_pylist())
        except CollectionDamaged:
            files.append(file.fragment_id)
        else:
            others.append(file.fragment_id)
            found += here
    counts = snapshot.documents.chunk_counts
    gone = {r for r, count in counts.items() if found[r] != count} if files else set[str]()
    documents = frozenset(snapshot.revisions[revision] for revision in gone)
    return Unreadable(tuple(files), tuple(others), documents)
