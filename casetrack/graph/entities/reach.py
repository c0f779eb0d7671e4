"""Shortened names of one document that mean what another document names in full.

Such a name joins the only person or organisation of the collection that it fits
(:mod:`casetrack.graph.entities.shortened`) in documents that are within reach of one with the full
name: both mention another organisation or person by its full name, for organisations also a place.
What more than half of many documents mention brings two of them together only with a second such
name. So do shortened names themselves where three of them, and no frequent surnames, fit names that
one document has in full. What is joined here brings nothing else into reach.
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
"""Shortened names of a document that point at one circle, and where there are too many to tell."""
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
    """Return for each row the group that stands for its entity.

    Parameters
    ----------
    rows
        What each document calls an entity; ``spellings``, ``roles`` and ``mention_count`` are read.
    groups
        All groups.
    row_groups
        int64 [rows], number of the group of each row.
    roots
        int64 [groups], the group that stands for the entity of each.
    documents
        int64 [rows], number of the document of each row, from 0.
    rules
        What the pipeline says.
    defined
        What documents state of organisations.
    """
    row_roots = roots[row_groups]
    short = shortened_names(groups, roots, rules, defined)
    words = _called_so(rows, row_roots, short.words, groups)
    wanted = _through(short.targets | words)
    if not wanted:
        return row_roots
    moved = np.full(len(groups), -1, dtype=np.int64)
    moved[list(wanted)] = list(wanted.values())
    # Whole entities: what was joined to a shortened name before goes with it.
    candidates = np.flatnonzero(moved[row_roots] >= 0)
    candidates = candidates[~_placed(rows, candidates)]
    view = _View(groups, row_groups, row_roots, documents, short.full)
    reach = view.reach_of(sorted(set(wanted.values())))
    together = _Together(groups, reach)
    for row in candidates.tolist():
        together.add(int(documents[row]), wanted[int(row_roots[row])])
    found = row_roots.copy()
    for row in candidates.tolist():
        root, document = int(row_roots[row]), int(documents[row])
        target = wanted[root]
        # Of a name in full beside it, the document itself knew best, but for what it took for
        # something else, and for what another one states.
        itself = root in words or root in short.stated
        if reach[target].holds(document, itself=itself) or together.hold(document, target):
            found[row] = target
    return found


def _through(wanted: dict[int, int]) -> dict[int, int]:
    """Return for each name the last one that it leads to."""
    found = {}
    for name, first in wanted.items():
        seen, last = {name}, first
        while last in wanted and last not in seen:
            seen.add(last)
            last = wanted[last]
        if last not in seen:
            found[name] = last
    return found


def _called_so(
    rows: pa.Table, row_roots: NDArray[np.int64], words: dict[int, int], groups: Sequence[Group]
) -> dict[int, int]:
    """Return those of the words by which some document calls the organisation.

    That a place is the first word of a firm's name does not make the place the firm.
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
    said = {
        # "Cargill" is all that "Cargill, Incorporated" has but its legal form.
        i: groups[i].key in known
        or (t, groups[i].key) in spelled
        or form_of_key(groups[t].key).base == (groups[i].key,)
        for i, t in words.items()
    }
    return {i: t for i, t in words.items() if said[i] and shares[i] <= _EVERYWHERE}


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
    return [sum(r["count"] for r in found if r["role"] == PLACED) for found in roles]


def _placed(rows: pa.Table, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows stand as towns do more often than not."""
    counts = np.array(_counts_placed(rows, chosen), dtype=np.int64)
    mentions: NDArray[np.int32] = rows["mention_count"].take(pa.array(chosen)).to_numpy()
    return np.greater(2 * counts, mentions)


class _View:
    """What each document names in full."""

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
        tells = np.array([_tells(g, i in full) for i, g in enumerate(groups)], dtype=bool)
        self._is_place = np.array([g.kind == "location" for g in groups], dtype=bool)
        self._full, self._row_groups = np.isin(row_groups, list(full)), row_groups
        self._roots, self._documents = row_roots, documents
        size, rows = np.int64(len(groups)), np.flatnonzero(tells[row_roots])
        pairs = np.unique(documents[rows] * size + row_roots[rows])
        self._names = pairs % size
        count = int(documents.max()) + 1
        self._starts = np.searchsorted(pairs // size, np.arange(count + 1))
        spread = np.bincount(self._names, minlength=len(groups))
        self.is_everywhere = (spread > _EVERYWHERE * count) & (count > _MANY_DOCUMENTS)

    def reach_of(self, targets: Sequence[int], /) -> dict[int, _Reach]:
        """Return for each target the reach of the documents that name it in full."""
        # A name that is stated to be another one's need not look like one in full.
        named = self._full | np.isin(self._row_groups, targets)
        rows = np.flatnonzero(named & np.isin(self._roots, targets))
        pairs = sorted(zip(self._roots[rows].tolist(), self._documents[rows].tolist(), strict=True))
        documents: dict[int, set[int]] = {target: set() for target in targets}
        for target, document in pairs:
            documents[target].add(document)
        return {t: _Reach(self, t, sorted(found)) for t, found in documents.items()}

    def names_of(self, document: int, /) -> NDArray[np.int64]:
        """Return what a document names that may bring others into its reach."""
        return self._names[self._starts[document] : self._starts[document + 1]]

    def counts_for(self, target: int, names: NDArray[np.int64], /) -> NDArray[np.int64]:
        """Return those of *names* that may bring *target* into reach."""
        if self._groups[target].kind == "person":
            names = names[~self._is_place[names]]
        return names[~np.isin(names, self._own(target))]

    def _own(self, target: int) -> list[int]:
        """Return what says nothing of who *target* is: itself, and what is called like it."""
        group = self._groups[target]
        if group.kind == "person":
            form = parts_of_key(group.key)
            keys: Sequence[str] = (*form.given, form.surname.replace(" ", "-")) if form else ()
        else:
            base = form_of_key(group.key).base
            keys = ["-".join(base[: size + 1]) for size in range(len(base))]
        return [target, *(self._numbers.get((k, key), target) for key in keys for k in NAMES)]


def _tells(group: Group, is_full: bool) -> bool:
    """Return whether two documents that mention it have something to do with each other."""
    if group.kind == "person":
        return is_full
    if group.kind == "location":
        return not is_known_place(group.key)
    if group.kind != "organization" or is_public_body(group.key):
        return False
    return names_alone(form_of_key(group.key), ())


class _Reach:
    """Says which documents are within reach of those that name *target* in full.

    Attributes
    ----------
    documents
        Those.
    """

    def __init__(self, view: _View, target: int, documents: Sequence[int], /) -> None:
        self._view = view
        self.documents = frozenset(documents)
        names = [view.names_of(document) for document in documents]
        every = view.counts_for(target, np.unique(np.concatenate(names)))
        self._near = every[~view.is_everywhere[every]]
        self._common = every[view.is_everywhere[every]]
        held = np.array([np.isin(self._common, n) for n in names], dtype=np.int64)
        self._held = np.unique(held, axis=0) if held.size else held

    def holds(self, document: int, /, *, itself: bool) -> bool:
        """Return whether a document is; *itself*: what is said of those with the full name."""
        if document in self.documents:
            return itself
        names = self._view.names_of(document)
        if np.isin(names, self._near).any():
            return True
        shared = np.isin(self._common, names).astype(np.int64)
        return bool(self._held.size) and int((self._held @ shared).max()) > 1


class _Together:
    """The shortened names of each document: several of one circle of people are that circle's."""

    def __init__(self, groups: Sequence[Group], reach: dict[int, _Reach], /) -> None:
        self._reach = reach
        self._targets: dict[int, set[int]] = {}
        self._telling = {
            target
            for target, near in reach.items()
            if len(near.documents) <= _FEW_DOCUMENTS and _is_rare(groups[target])
        }

    def add(self, document: int, target: int, /) -> None:
        """Say that a document has a shortened name that fits *target* alone."""
        if target in self._telling:
            self._targets.setdefault(document, set()).add(target)

    def hold(self, document: int, target: int, /) -> bool:
        """Return whether two other shortened names fit names that stand beside *target*."""
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
