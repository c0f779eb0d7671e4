"""The user's word on names: the last stage of the merge, after all that the texts say.

Edits are applied one after the other, so that of two that differ the later one counts. Whom an edit
means is told by the key of the name it was made for, or by that name itself where documents have
changed so much that nobody has the key. An edit that finds nobody is idle until they come back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.entities.groups import Group
from casetrack.graph.entities.text import same_spelling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.marks import Mark

EDITABLE = ("person", "organization", "location", "concept")
"""Kinds of entities that have names; dates and amounts are what they say."""
NAMED = EDITABLE[:3]
"""Kinds that the user may call something."""
_TITLES = {"m": "mr-", "f": "ms-"}
Roots = tuple[int, int | None]


@dataclass(slots=True, eq=False)
class Edited:
    """The rows of the merge as the user has them.

    Attributes
    ----------
    rows
        The rows that came in, then those that were split off of some of them.
    groups
        All groups, then those that the user made.
    row_groups, row_roots
        int64 [rows], as in the merge; a root is -1 where the row is left out.
    names
        What the user calls an entity, by its root.
    touched
        Roots of entities that the user has a word in.
    split_off
        For each row that was split off: the row that it came from, and the spelling.
    found
        For each edit that is not idle the roots of whom it is about (-1 for somebody hidden), and
        of whom a spelling was given to.
    """

    rows: pa.Table
    groups: list[Group]
    row_groups: NDArray[np.int64]
    row_roots: NDArray[np.int64]
    names: dict[int, str] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    split_off: list[tuple[int, str]] = field(default_factory=list)
    found: dict[str, Roots] = field(default_factory=dict)


def apply(
    rows: pa.Table,
    groups: Sequence[Group],
    row_groups: NDArray[np.int64],
    row_roots: NDArray[np.int64],
    edits: Sequence[Mark],
    /,
) -> Edited:
    """Apply edits to what the merge has found.

    Parameters
    ----------
    rows
        What each document calls an entity.
    groups, row_groups, row_roots
        See :class:`Edited`.
    edits
        Marks of the kinds ``merge``, ``split``, ``kind``, ``rename``, ``hide`` that are in force,
        in the order in which they were made.
    """
    edited = Edited(rows, list(groups), row_groups.copy(), row_roots.copy())
    _Editor(edited).run(edits)
    return edited


class _Editor:
    """Applies edits to *edited*, whose arrays it changes."""

    def __init__(self, edited: Edited) -> None:
        self._edited = edited
        self._of_id: dict[str, list[int]] = {}
        for number, group in enumerate(edited.groups):
            title = _TITLES[group.gender] if group.is_apart else ""
            self._of_id.setdefault(f"{group.kind}:{title}{group.key}", []).append(number)
        self._born: dict[str, int] = {}
        self._kinds: dict[int, str] = {}
        self._hidden: set[int] = set()

    def run(self, edits: Sequence[Mark]) -> None:
        """Apply all, then what concerns whole entities."""
        edited = self._edited
        for edit in edits:
            root = self._root(edit.entity_id, edit.entity_name)
            if root is not None and (found := self._one(edit, root)) is not None:
                edited.found[edit.mark_id] = found
        for root, kind in self._kinds.items():
            self._call(root, kind)
        for root in self._hidden:
            edited.row_roots[edited.row_roots == root] = -1
            self._rename_roots(root, -1)

    def _one(self, edit: Mark, root: int) -> Roots | None:
        """Apply an edit to the entity of *root*; return whom it found, ``None`` if it is idle."""
        edited = self._edited
        if edit.kind == "merge":
            other = self._root(edit.other_id, edit.other_name)
            if other is None:
                return None
            self._join(root, other)
        elif edit.kind == "split":
            new = self._split(edit, root)
            return None if new is None else (root, new)
        elif edit.kind == "kind":
            self._set_kind(root, edit.value)
        elif edit.kind == "rename":
            edited.names[root] = edit.value
        else:
            self._hidden.add(root)
        edited.touched.add(root)
        return root, None

    # --- who is meant -------------------------------------------------------------------------

    def _root(self, entity_id: str | None, name: str | None) -> int | None:
        """Return the root of the entity that has a key or, where nobody has it, a name."""
        edited = self._edited
        if entity_id in self._born:
            root = self._born[entity_id]
            return root if (edited.row_roots == root).any() else None
        numbers = self._of_id.get(entity_id or "", [])
        chosen = np.isin(edited.row_groups, numbers) & (edited.row_roots >= 0)
        if not chosen.any():
            chosen = self._called(entity_id or "", name or "")
        if not chosen.any():
            return None
        roots, inverse = np.unique(edited.row_roots[chosen], return_inverse=True)
        own = [n for n in numbers if n in roots]
        if own:
            return own[0]
        counts = np.asarray(edited.rows["mention_count"].to_numpy())[chosen]
        return int(roots[int(np.argmax(np.bincount(inverse, counts)))])

    def _called(self, entity_id: str, name: str) -> NDArray[np.bool_]:
        """Return which rows of the kind of an entity have its name."""
        edited = self._edited
        kind = entity_id.partition(":")[0]
        found = pc.and_(pc.equal(edited.rows["kind"], kind), pc.equal(edited.rows["name"], name))
        return np.asarray(found).astype(bool) & (edited.row_roots >= 0)

    def _move(self, old: int, new: int) -> None:
        """Let all that was one entity be part of another one."""
        edited = self._edited
        edited.row_roots[edited.row_roots == old] = new
        self._born = {i: new if root == old else root for i, root in self._born.items()}
        self._rename_roots(old, new)
        edited.names.pop(old, None)
        self._kinds.pop(old, None)
        self._hidden.discard(old)
        edited.touched.discard(old)

    def _rename_roots(self, old: int, new: int) -> None:
        """Say of all edits so far that whom they found is known by another root now."""
        pairs = self._edited.found.items()
        self._edited.found = {
            mark_id: (new if one == old else one, new if other == old else other)
            for mark_id, (one, other) in pairs
        }

    # --- edits --------------------------------------------------------------------------------

    def _join(self, root: int, other: int) -> None:
        if root != other:
            self._move(other, root)

    def _set_kind(self, root: int, kind: str) -> None:
        """Call an entity another kind; what has this kind and the same key is one with it."""
        edited = self._edited
        self._kinds[root] = kind
        key = edited.groups[root].key
        same = self._root_of_key(f"{kind}:{key}")
        if same is not None and self._kinds.get(same, kind) == kind:
            self._join(root, same)
        self._born[f"{kind}:{key}"] = root

    def _root_of_key(self, entity_id: str) -> int | None:
        """Return the root that is itself the group of an id."""
        live = self._edited.row_roots
        return next((n for n in self._of_id.get(entity_id, []) if (live == n).any()), None)

    def _split(self, edit: Mark, root: int) -> int | None:
        edited = self._edited
        chosen = edited.row_roots == root
        if edit.document_id is not None:
            at = pc.equal(edited.rows["document_id"], edit.document_id)
            chosen &= np.asarray(at).astype(bool)
        wanted = same_spelling(edit.value)
        own, part = [], []
        for row in np.flatnonzero(chosen).tolist():
            if same_spelling(edited.rows["name"][row].as_py()) == wanted:
                own.append(row)
            elif any(same_spelling(word) == wanted for word in self._words(row)):
                part.append(row)
        if not own and not part:
            return None
        new = self._root(edit.other_id, edit.other_name) if edit.other_id else None
        if new is None or new == root:
            new = self._new(edit, root)
            edited.row_groups[own] = new
        edited.row_roots[own] = new
        for row in part:
            self._cut(row, edit.value, new)
        edited.touched |= {root, new}
        return new

    def _new(self, edit: Mark, root: int) -> int:
        """Make the group of an entity that is split off; its key holds that of the mark."""
        edited = self._edited
        called = edit.other_name or edit.value
        key = same_spelling(called).replace(" ", "-")
        kind = self._kinds.get(root, edited.groups[root].kind)
        group = Group(kind, f"{key}-{edit.mark_id[-4:]}", "", False, 0, 0)
        edited.groups.append(group)
        number = len(edited.groups) - 1
        self._born[f"{kind}:{group.key}"] = number
        if edit.other_name:
            edited.names[number] = edit.other_name
        return number

    def _words(self, row: int) -> list[str]:
        """Return the spellings of a row, and the terms that its document defines for it."""
        rows = self._edited.rows
        words = [each["text"] for each in rows["spellings"][row].as_py()]
        words += [each["role"] for each in rows["roles"][row].as_py()]
        return [*words, *rows["defined"][row].as_py()]

    def _cut(self, row: int, spelling: str, root: int) -> None:
        """Split one spelling, or a term such as "Landlord", off of a document's entity."""
        edited = self._edited
        wanted = same_spelling(spelling)
        whole = edited.rows.slice(row, 1).to_pylist()[0]
        off = [s for s in whole["spellings"] if same_spelling(s["text"]) == wanted]
        if not off:
            # Terms are mentions without a spelling; a role also counts names next to it.
            unspelled = whole["mention_count"] - sum(s["count"] for s in whole["spellings"])
            counts = [r["count"] for r in whole["roles"] if same_spelling(r["role"]) == wanted]
            off = [{"text": spelling, "count": min([unspelled, *counts])}]
        count = sum(s["count"] for s in off)
        rest = whole | {
            "spellings": [s for s in whole["spellings"] if s not in off],
            "mention_count": whole["mention_count"] - count,
            "roles": [r for r in whole["roles"] if same_spelling(r["role"]) != wanted],
            "defined": [term for term in whole["defined"] if same_spelling(term) != wanted],
        }
        cut = whole | {
            "name": off[0]["text"],
            "spellings": off,
            "mention_count": count,
            **{column: [] for column in ("roles", "evidence", "addresses", "defined")},
        }
        layout = edited.rows.schema
        edited.rows = pa.concat_tables(
            [
                edited.rows.slice(0, row),
                pa.Table.from_pylist([rest], schema=layout),
                edited.rows.slice(row + 1),
                pa.Table.from_pylist([cut], schema=layout),
            ]
        ).combine_chunks()
        edited.row_groups = np.append(edited.row_groups, root)
        edited.row_roots = np.append(edited.row_roots, root)
        edited.split_off.append((row, wanted))

    def _call(self, root: int, kind: str) -> None:
        """Give an entity the kind that the user says: it stands on a group of its own."""
        edited = self._edited
        edited.groups.append(replace(edited.groups[root], kind=kind, gender="", is_apart=False))
        new = len(edited.groups) - 1
        own = (edited.row_groups == root) & (edited.row_roots == root)
        edited.row_groups[own] = new
        edited.row_roots[edited.row_roots == root] = new
        edited.names |= {new: edited.names.pop(root)} if root in edited.names else {}
        edited.touched = {new if r == root else r for r in edited.touched}
        self._rename_roots(root, new)
        if root in self._hidden:
            self._hidden = {new if r == root else r for r in self._hidden}


# --- the tables afterwards -------------------------------------------------------------------

MOVED = pa.schema([("local", pa.int32()), ("text", pa.string()), ("entity", pa.int32())])
"""Places of a local entity that belong to another one than the rest of it: the row of the local
entity, the spelling (see :func:`same_spelling`), the row of ``entities``."""
FOUND = pa.schema([(n, pa.string()) for n in ("mark_id", "entity_id", "other_id")])
"""What became of each edit that is not idle: the entity as it is now, null for one that is hidden,
and the one that a spelling was given to."""


def moved_places(edited: Edited, codes: NDArray[np.int32], order: NDArray[np.int64], /) -> pa.Table:
    """Return the places of spellings that were split off, as ``MOVED``.

    Parameters
    ----------
    codes
        int32 [rows], row of ``entities`` of each row of *edited*.
    order
        int64 [locals], which local entity each of the first rows was.
    """
    local = [int(order[row]) for row, _ in edited.split_off]
    texts = [text for _, text in edited.split_off]
    return pa.table([local, texts, codes[len(order) :]], schema=MOVED)


def found_edits(edited: Edited, ids: Mapping[int, str], /) -> pa.Table:
    """Return what became of each edit, as ``FOUND``; *ids*: the id of the entity of each root."""
    found = edited.found.values()
    one = [ids.get(root) for root, _ in found]
    other = [None if root is None else ids.get(root) for _, root in found]
    return pa.table([list(edited.found), one, other], schema=FOUND)
