"""The user's edits of entities, applied last in the merge.

Edits are applied in order, so a later one overrides an earlier one. An edit finds its entity by the
key of the original name, or by the name itself if no entity has the key any more. An edit without a
match is idle until the entity appears again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.entities.groups import Group
from casetrack.graph.entities.lexicon import PLACED
from casetrack.graph.entities.text import same_spelling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.marks import Mark

EDITABLE = ("person", "organization", "location", "concept")
"""Kinds of entities with names; dates and amounts are defined by their values."""
NAMED = EDITABLE[:3]
"""Kinds that the user can assign."""
_TITLES = {"m": "mr-", "f": "ms-"}
Roots = tuple[int, int | None]


@dataclass(slots=True, eq=False)
class Edited:
    """The rows of the merge after the user's edits."""

    # The input, followed by rows that were split off and groups that the user created.
    rows: pa.Table
    groups: list[Group]
    # int64 [rows], as in the merge; a root of -1 means that the row is left out.
    row_groups: NDArray[np.int64]
    row_roots: NDArray[np.int64]
    names: dict[int, str] = field(default_factory=dict)  # Names that the user gave, by root
    touched: set[int] = field(default_factory=set)  # Roots of entities with an edit
    # The source row and the spelling of each row that was split off.
    split_off: list[tuple[int, str]] = field(default_factory=list)
    # For each edit that is not idle, the roots of its entity (-1 for a hidden one) and of the
    # entity that got a spelling.
    outcomes: dict[str, Roots] = field(default_factory=dict)


def apply(
    rows: pa.Table,
    groups: Sequence[Group],
    row_groups: NDArray[np.int64],
    row_roots: NDArray[np.int64],
    edits: Sequence[Mark],
    /,
) -> Edited:
    """Apply edits to the result of the merge.

    *edits* are the marks in force that change entities, in the order of creation; see
    :class:`Edited` for the other arguments.
    """
    edited = Edited(rows, list(groups), row_groups.copy(), row_roots.copy())
    _Editor(edited).run(edits)
    return edited


class _Editor:
    """Applies edits to *edited* in place."""

    def __init__(self, edited: Edited) -> None:
        self._edited = edited
        self._of_id: dict[str, list[int]] = {}
        for number, group in enumerate(edited.groups):
            title = _TITLES[group.gender] if group.is_apart else ""
            self._of_id.setdefault(f"{group.kind}:{title}{group.key}", []).append(number)
        self._created: dict[str, int] = {}
        self._kinds: dict[int, str] = {}
        self._hidden: set[int] = set()

    def run(self, edits: Sequence[Mark]) -> None:
        """Apply all edits, then those that concern whole entities."""
        edited = self._edited
        for edit in edits:
            root = self._root(edit.entity_id, edit.entity_name)
            if root is not None and (roots := self._apply(edit, root)) is not None:
                edited.outcomes[edit.mark_id] = roots
        for root, kind in self._kinds.items():
            self._apply_kind(root, kind)
        for root in self._hidden:
            edited.row_roots[edited.row_roots == root] = -1
            self._rename_roots(root, -1)

    def _apply(self, edit: Mark, root: int) -> Roots | None:
        """Apply an edit to the entity of *root*; return its roots, ``None`` if it is idle."""
        edited = self._edited
        if edit.kind == "merge":
            other = self._root(edit.other_id, edit.other_name)
            if other is None:
                return None
            self._merge(root, other)
        elif edit.kind == "split":
            new = self._split(edit, root)
            return None if new is None else (root, new)
        elif edit.kind == "kind":
            self._set_kind(root, edit.value)
        elif edit.kind == "role":
            if not self._set_role(edit, root):
                return None
        elif edit.kind == "rename":
            edited.names[root] = edit.value
        else:
            self._hidden.add(root)
        edited.touched.add(root)
        return root, None

    # --- lookup of entities -------------------------------------------------------------------

    def _root(self, entity_id: str | None, name: str | None) -> int | None:
        """Return the root of the entity with an id or, if none has it, with a name."""
        edited = self._edited
        if entity_id in self._created:
            root = self._created[entity_id]
            return root if (edited.row_roots == root).any() else None
        numbers = self._of_id.get(entity_id or "", [])
        chosen = np.isin(edited.row_groups, numbers) & (edited.row_roots >= 0)
        if not chosen.any():
            chosen = self._rows_named(entity_id or "", name or "")
        if not chosen.any():
            return None
        roots, inverse = np.unique(edited.row_roots[chosen], return_inverse=True)
        own = [n for n in numbers if n in roots]
        if own:
            return own[0]
        counts = np.asarray(edited.rows["mention_count"].to_numpy())[chosen]
        return int(roots[int(np.argmax(np.bincount(inverse, counts)))])

    def _rows_named(self, entity_id: str, name: str) -> NDArray[np.bool_]:
        """Return the rows that have an entity's kind and name."""
        edited = self._edited
        kind = entity_id.partition(":")[0]
        matches = pc.and_(pc.equal(edited.rows["kind"], kind), pc.equal(edited.rows["name"], name))
        return np.asarray(matches).astype(bool) & (edited.row_roots >= 0)

    def _move(self, old: int, new: int) -> None:
        """Merge one entity into another."""
        edited = self._edited
        edited.row_roots[edited.row_roots == old] = new
        self._created = {i: new if root == old else root for i, root in self._created.items()}
        self._rename_roots(old, new)
        edited.names.pop(old, None)
        self._kinds.pop(old, None)
        self._hidden.discard(old)
        edited.touched.discard(old)

    def _rename_roots(self, old: int, new: int) -> None:
        """Replace a root in the outcomes of all previous edits."""
        pairs = self._edited.outcomes.items()
        self._edited.outcomes = {
            mark_id: (new if one == old else one, new if other == old else other)
            for mark_id, (one, other) in pairs
        }

    # --- edits --------------------------------------------------------------------------------

    def _merge(self, root: int, other: int) -> None:
        if root != other:
            self._move(other, root)

    def _set_kind(self, root: int, kind: str) -> None:
        """Change the kind of an entity; one of this kind with the same key is merged into it."""
        edited = self._edited
        self._kinds[root] = kind
        key = edited.groups[root].key
        same = self._root_of_key(f"{kind}:{key}")
        if same is not None and self._kinds.get(same, kind) == kind:
            self._merge(root, same)
        self._created[f"{kind}:{key}"] = root

    def _root_of_key(self, entity_id: str) -> int | None:
        """Return the root that is itself the group of an id."""
        live = self._edited.row_roots
        return next((n for n in self._of_id.get(entity_id, []) if (live == n).any()), None)

    def _rows_of(self, edit: Mark, root: int) -> list[int]:
        """Return the rows of an entity, in the document of an edit if it has one."""
        edited = self._edited
        chosen = edited.row_roots == root
        if edit.document_id is not None:
            at = pc.equal(edited.rows["document_id"], edit.document_id)
            chosen &= np.asarray(at).astype(bool)
        return [int(row) for row in np.flatnonzero(chosen)]

    def _set_role(self, edit: Mark, root: int) -> bool:
        """Replace the roles of an entity; return whether one changed.

        Places of terms for the replaced roles no longer belong to it.
        """
        changed = False
        for row in self._rows_of(edit, root):
            roles = self._edited.rows["roles"][row].as_py()
            kept = [r for r in roles if r["role"] == PLACED]
            old = [r["role"] for r in roles if r not in kept]
            if old == [edit.value] * bool(edit.value):
                continue
            changed = True
            for each in old:
                if same_spelling(each) != same_spelling(edit.value):
                    self._split_spelling(row, each, -1)
            count = sum(r["count"] for r in roles if r not in kept) or 1
            kept += [{"role": edit.value, "count": count}] if edit.value else []
            self._replace(row, {"roles": kept})
        return changed

    def _replace(self, row: int, values: Mapping[str, object], *added: dict[str, object]) -> None:
        """Replace values of a row, and append rows."""
        rows = self._edited.rows
        whole = rows.slice(row, 1).to_pylist()[0] | values
        layout = rows.schema
        self._edited.rows = pa.concat_tables(
            [
                rows.slice(0, row),
                pa.Table.from_pylist([whole], schema=layout),
                rows.slice(row + 1),
                pa.Table.from_pylist(list(added), schema=layout),
            ]
        ).combine_chunks()

    def _split(self, edit: Mark, root: int) -> int | None:
        edited = self._edited
        wanted = same_spelling(edit.value)
        own, part = [], []
        for row in self._rows_of(edit, root):
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
        moved = [self._split_spelling(row, edit.value, new) for row in part]
        if not own and not any(moved):
            return None
        edited.touched |= {root, new}
        return new

    def _new(self, edit: Mark, root: int) -> int:
        """Create the group of a split-off entity; its key contains part of the mark's id."""
        edited = self._edited
        called = edit.other_name or edit.value
        key = same_spelling(called).replace(" ", "-")
        kind = self._kinds.get(root, edited.groups[root].kind)
        group = Group(kind, f"{key}-{edit.mark_id[-4:]}", "", False, 0, 0)
        edited.groups.append(group)
        number = len(edited.groups) - 1
        self._created[f"{kind}:{group.key}"] = number
        if edit.other_name:
            edited.names[number] = edit.other_name
        return number

    def _words(self, row: int) -> list[str]:
        """Return the spellings of a row, and the terms that its document defines for it."""
        rows = self._edited.rows
        words = [each["text"] for each in rows["spellings"][row].as_py()]
        words += [each["role"] for each in rows["roles"][row].as_py()]
        return [*words, *rows["defined"][row].as_py()]

    def _split_spelling(self, row: int, spelling: str, root: int) -> int:
        """Split one spelling, or a term such as "Landlord", from a document's entity.

        Return its number of places. A *root* of -1 leaves them out.
        """
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
        rest = {
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
        self._replace(row, rest, cut)
        edited.row_groups = np.append(edited.row_groups, root)
        edited.row_roots = np.append(edited.row_roots, root)
        edited.split_off.append((row, wanted))
        return int(count)

    def _apply_kind(self, root: int, kind: str) -> None:
        """Move an entity to a new group of the user's kind."""
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


# --- result tables ---------------------------------------------------------------------------

MOVED = pa.schema([("local", pa.int32()), ("text", pa.string()), ("entity", pa.int32())])
"""Places of a local entity that belong to another one: its row, spelling, row of ``entities``."""
OUTCOMES = pa.schema([(n, pa.string()) for n in ("mark_id", "entity_id", "other_id")])
"""Outcome of each edit: its current entity (null if hidden), the entity that got a spelling."""


def moved_places(edited: Edited, codes: NDArray[np.int32], order: NDArray[np.int64], /) -> pa.Table:
    """Return the places of split-off spellings as ``MOVED``.

    *codes* is int32 [rows], the row of ``entities`` of each row; *order* is int64 [locals], the
    local entity of each of the first rows.
    """
    local = [int(order[row]) for row, _ in edited.split_off]
    texts = [text for _, text in edited.split_off]
    return pa.table([local, texts, codes[len(order) :]], schema=MOVED)


def edit_outcomes(edited: Edited, ids: Mapping[int, str], /) -> pa.Table:
    """Return the outcome of each edit as ``OUTCOMES``; *ids* has the entity id of each root."""
    pairs = edited.outcomes.values()
    one = [ids.get(root) for root, _ in pairs]
    other = [None if root is None else ids.get(root) for _, root in pairs]
    return pa.table([list(edited.outcomes), one, other], schema=OUTCOMES)
