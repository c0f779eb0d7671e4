"""Resolves short names of one document to full names of another.

A short name joins the only person or organisation of the collection that it fits
(:mod:`casetrack.graph.entities.shortened`) if its document is within reach of a document with the
full name: both mention another organisation or person by its full name, or for organisations a
place. Entities that more than half of many documents mention connect two documents only in pairs.
Three short names without frequent surnames also connect a document to one that has their full
names. Names resolved here do not extend the reach.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack.graph.entities.lexicon import FREQUENT_SURNAMES, PLACED
from casetrack.graph.entities.locations import is_known_place, is_public_body
from casetrack.graph.entities.organizations import form_of_key, names_alone
from casetrack.graph.entities.persons import parts_of_key
from casetrack.graph.entities.shortened import shortened_names
from casetrack.graph.entities.text import surface

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.shortened import Defined
    from casetrack.ingest.steps.join import JoinRules

NAMES = ("person", "organization", "location")
_MANY_DOCUMENTS = 20
_EVERYWHERE = 0.5
_CIRCLE, _CROWD = 3, 60
"""Minimum number of short names that identify one group of people, and the maximum for a check."""
_FEW_DOCUMENTS = 200


def join_within_reach(
    rows: pa.Table,
    groups: Sequence[Group],
    row_groups: NDArray[np.int64],
    roots: NDArray[np.int64],
    documents: NDArray[np.int64],
    rules: JoinRules,
    defined: Defined,
    /,
) -> NDArray[np.int64]:
    """Return for each row the root group of its entity.

    *row_groups* is int64 [rows], the group of each row; *roots* is int64 [groups], the root of each
    group; *documents* is int64 [rows], the number of each row's document from 0.
    """
    row_roots = roots[row_groups]
    short = shortened_names(groups, roots, rules, defined)
    words = _used_names(rows, row_roots, short.words, groups)
    wanted = _final_targets(short.targets | words)
    if not wanted:
        return row_roots
    moved = np.full(len(groups), -1, dtype=np.int64)
    moved[list(wanted)] = list(wanted.values())
    # Whole entities: names merged with a short name move with it.
    candidates = np.flatnonzero(moved[row_roots] >= 0)
    candidates = candidates[~_placed(rows, candidates)]
    view = _FullNames(groups, row_groups, row_roots, documents, short.full)
    reach = view.reach_of(sorted(set(wanted.values())))
    name_groups = _NameGroups(groups, reach)
    for row in candidates.tolist():
        name_groups.add(int(documents[row]), wanted[int(row_roots[row])])
    resolved = row_roots.copy()
    for row in candidates.tolist():
        root, document = int(row_roots[row]), int(documents[row])
        target = wanted[root]
        # If the document has the full name, its own grouping wins, except for mistaken kinds and
        # names defined in another document.
        itself = root in words or root in short.stated
        if reach[target].holds(document, itself=itself) or name_groups.contains(document, target):
            resolved[row] = target
    return resolved


def _final_targets(wanted: dict[int, int]) -> dict[int, int]:
    """Follow chains of names to their last target."""
    final = {}
    for name, first in wanted.items():
        seen, last = {name}, first
        while last in wanted and last not in seen:
            seen.add(last)
            last = wanted[last]
        if last not in seen:
            final[name] = last
    return final


def _used_names(
    rows: pa.Table, row_roots: NDArray[np.int64], words: dict[int, int], groups: Sequence[Group]
) -> dict[int, int]:
    """Return the words that some document uses as the organisation's name.

    A place that is the first word of a firm's name is not the firm.
    """
    if not words:
        return {}
    known = {g.key for g in groups if g.kind == "organization" and "-" not in g.key}
    targets = np.isin(row_roots, list(set(words.values())))
    spelled: set[tuple[int, str]] = set()
    chosen = rows["spellings"].filter(pa.array(targets)).to_pylist()
    for root, spellings in zip(row_roots[targets].tolist(), chosen, strict=True):
        spelled.update((root, surface(s["text"])) for s in spellings)
    shares = _share_placed(rows, row_roots, list(words))
    confirmed = {
        # "Cargill" is all of "Cargill, Incorporated" except the legal form.
        i: groups[i].key in known
        or (t, groups[i].key) in spelled
        or form_of_key(groups[t].key).base == (groups[i].key,)
        for i, t in words.items()
    }
    return {i: t for i, t in words.items() if confirmed[i] and shares[i] <= _EVERYWHERE}


def _share_placed(
    rows: pa.Table, row_roots: NDArray[np.int64], numbers: list[int]
) -> dict[int, float]:
    chosen = np.flatnonzero(np.isin(row_roots, numbers))
    placed, total = dict.fromkeys(numbers, 0), dict.fromkeys(numbers, 0)
    mentions = rows["mention_count"].take(pa.array(chosen)).to_pylist()
    counts = _counts_placed(rows, chosen)
    for root, count, many in zip(row_roots[chosen].tolist(), counts, mentions, strict=True):
        placed[root] += count
        total[root] += many
    return {i: placed[i] / max(total[i], 1) for i in numbers}


def _counts_placed(rows: pa.Table, chosen: NDArray[np.int64]) -> list[int]:
    roles = rows["roles"].take(pa.array(chosen)).to_pylist()
    return [sum(r["count"] for r in own_roles if r["role"] == PLACED) for own_roles in roles]


def _placed(rows: pa.Table, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each row whether it usually appears in the position of a town."""
    counts = np.array(_counts_placed(rows, chosen), dtype=np.int64)
    mentions: NDArray[np.int32] = rows["mention_count"].take(pa.array(chosen)).to_numpy()
    return np.greater(2 * counts, mentions)


class _FullNames:
    """The full names in each document."""

    def __init__(
        self,
        groups: Sequence[Group],
        row_groups: NDArray[np.int64],
        row_roots: NDArray[np.int64],
        documents: NDArray[np.int64],
        full: frozenset[int],
    ) -> None:
        self._groups = groups
        self._numbers = {(g.kind, g.key): i for i, g in enumerate(groups)}
        links = np.array([_links(g, i in full) for i, g in enumerate(groups)], dtype=bool)
        self._is_place = np.array([g.kind == "location" for g in groups], dtype=bool)
        self._full, self._row_groups = np.isin(row_groups, list(full)), row_groups
        self._roots, self._documents = row_roots, documents
        size, rows = np.int64(len(groups)), np.flatnonzero(links[row_roots])
        pairs = np.unique(documents[rows] * size + row_roots[rows])
        self._names = pairs % size
        count = int(documents.max()) + 1
        self._starts = np.searchsorted(pairs // size, np.arange(count + 1))
        spread = np.bincount(self._names, minlength=len(groups))
        self.is_everywhere = (spread > _EVERYWHERE * count) & (count > _MANY_DOCUMENTS)

    def reach_of(self, targets: Sequence[int], /) -> dict[int, _Reach]:
        """Return for each target the reach of the documents with its full name."""
        # A defined alternative name need not look like a full name.
        named = self._full | np.isin(self._row_groups, targets)
        rows = np.flatnonzero(named & np.isin(self._roots, targets))
        pairs = sorted(zip(self._roots[rows].tolist(), self._documents[rows].tolist(), strict=True))
        documents: dict[int, set[int]] = {target: set() for target in targets}
        for target, document in pairs:
            documents[target].add(document)
        return {t: _Reach(self, t, sorted(matching)) for t, matching in documents.items()}

    def names_of(self, document: int, /) -> NDArray[np.int64]:
        """Return the names in a document that can connect it to other documents."""
        return self._names[self._starts[document] : self._starts[document + 1]]

    def counts_for(self, target: int, names: NDArray[np.int64], /) -> NDArray[np.int64]:
        """Return the *names* that can connect documents for *target*."""
        if self._groups[target].kind == "person":
            names = names[~self._is_place[names]]
        return names[~np.isin(names, self._own(target))]

    def _own(self, target: int) -> list[int]:
        """Return groups that give no evidence for *target*: itself and similar names."""
        group = self._groups[target]
        if group.kind == "person":
            form = parts_of_key(group.key)
            keys: Sequence[str] = (*form.given, form.surname.replace(" ", "-")) if form else ()
        else:
            base = form_of_key(group.key).base
            keys = ["-".join(base[: size + 1]) for size in range(len(base))]
        return [target, *(self._numbers.get((k, key), target) for key in keys for k in NAMES)]


def _links(group: Group, is_full: bool) -> bool:
    """Return whether two documents that mention the group are related."""
    if group.kind == "person":
        return is_full
    if group.kind == "location":
        return not is_known_place(group.key)
    if group.kind != "organization" or is_public_body(group.key):
        return False
    return names_alone(form_of_key(group.key), ())


class _Reach:
    """The documents within reach of those (*documents*) that have the full name of *target*."""

    def __init__(self, view: _FullNames, target: int, documents: Sequence[int], /) -> None:
        self._view = view
        self.documents = frozenset(documents)
        names = [view.names_of(document) for document in documents]
        every = view.counts_for(target, np.unique(np.concatenate(names)))
        self._near = every[~view.is_everywhere[every]]
        self._common = every[view.is_everywhere[every]]
        held = np.array([np.isin(self._common, n) for n in names], dtype=np.int64)
        self._held = np.unique(held, axis=0) if held.size else held

    def holds(self, document: int, /, *, itself: bool) -> bool:
        """Return whether a document is within reach; *itself* if it has the full name."""
        if document in self.documents:
            return itself
        names = self._view.names_of(document)
        if np.isin(names, self._near).any():
            return True
        shared = np.isin(self._common, names).astype(np.int64)
        return bool(self._held.size) and int((self._held @ shared).max()) > 1


class _NameGroups:
    """The short names of each document, which together can identify a group of people."""

    def __init__(self, groups: Sequence[Group], reach: dict[int, _Reach], /) -> None:
        self._reach = reach
        self._targets: dict[int, set[int]] = {}
        self._usable = {
            target
            for target, near in reach.items()
            if len(near.documents) <= _FEW_DOCUMENTS and _is_rare(groups[target])
        }

    def add(self, document: int, target: int, /) -> None:
        """Record that a document has a short name that only fits *target*."""
        if target in self._usable:
            self._targets.setdefault(document, set()).add(target)

    def contains(self, document: int, target: int, /) -> bool:
        """Return whether two other short names fit full names in a document with *target*."""
        others = self._targets.get(document, set())
        if target not in others or not _CIRCLE <= len(others) <= _CROWD:
            return False
        mine, counts = self._reach[target].documents, Counter[int]()
        if document in mine:
            return False
        for other in others - {target}:
            counts.update(mine & self._reach[other].documents)
        return max(counts.values(), default=0) >= _CIRCLE - 1


def _is_rare(group: Group) -> bool:
    if group.kind != "person":
        return True
    form = parts_of_key(group.key)
    return form is not None and form.surname not in FREQUENT_SURNAMES
