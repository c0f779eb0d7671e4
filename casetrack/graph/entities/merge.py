"""Merges the entities of all documents of a collection.

Local entities with one key are one entity. Others are merged only if the collection leaves no
doubt: everywhere (:mod:`casetrack.graph.entities.join`), or in related documents
(:mod:`casetrack.graph.entities.reach`). A wrong merge is worse than two entries for one entity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base import schema
from casetrack.graph.entities.edits import MOVED, OUTCOMES, apply, edit_outcomes, moved_places
from casetrack.graph.entities.groups import coded, groups_of, join_addresses
from casetrack.graph.entities.join import join_groups, join_kinds
from casetrack.graph.entities.lexicon import PLACED
from casetrack.graph.entities.organizations import form_of_key
from casetrack.graph.entities.people import is_turned
from casetrack.graph.entities.reach import join_within_reach
from casetrack.graph.entities.shortened import NOTHING_DEFINED, defined_names, join_defined
from casetrack.ingest.steps.join import ALL_JOINS, JoinRules
from casetrack.store.index.arrays import with_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.marks import Mark
    from casetrack.graph.entities.edits import Edited
    from casetrack.graph.entities.groups import Group

# Selection of phrases as concepts of the collection.

_FEW = 20
_LEAST_PLACES = 2
_MANY_DOCUMENTS = 10
_SEVERAL_DOCUMENTS = 5
_EVERYWHERE = 0.6


def choose_concepts(groups: Sequence[Group], documents: int, most: int, /) -> list[int]:
    """Return the positions of at most *most* phrases that are kept as concepts.

    The score is the C-value of places that are in no longer phrase, weighted by the number of
    documents: ``log2(words + 1) * places * (1 + log2(documents))``. Phrases with one place are kept
    only if there are few others; names and phrases of nearly every document are left out.
    """
    named = {g.key for g in groups if g.kind in {"person", "organization", "location"}}
    named |= {"-".join(form_of_key(g.key).base) for g in groups if g.kind == "organization"}
    named |= {key.removesuffix("s") for key in named}
    limit = _EVERYWHERE * documents if documents >= _MANY_DOCUMENTS else math.inf
    scored = []
    for i, group in enumerate(groups):
        if group.kind != "concept" or group.documents > limit:
            continue
        if group.key.replace(" ", "-") in named:
            continue
        words = group.key.count(" ") + 1
        # A single word in one document is more often its style than its subject.
        if words == 1 and group.documents == 1 and documents >= _SEVERAL_DOCUMENTS:
            continue
        weight = math.log2(words + 1) if words > 1 else 0.58
        score = weight * group.mentions * (1 + math.log2(max(group.documents, 1)))
        scored.append((group.mentions >= _LEAST_PLACES, words > 1, score, group.key, i))
    scored.sort(key=lambda s: (-s[2], s[3]))
    kept = [s for s in scored if s[0]][:most]
    few = min(_FEW, most)
    if len(kept) < few:
        kept += [s for s in scored if not s[0] and s[1]][: few - len(kept)]
    return [s[4] for s in kept]


_GENERAL = (
    *("author", "copied in", "recipient", "sender"),
    *("company", "corporation", "party", "party a", "party b", "party c"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """The entities of a collection."""

    entities: pa.Table  # As the table ``entities`` is declared; most mentioned first
    # int32, row of *entities* for each local entity; -1 for one that is left out.
    codes: NDArray[np.int32]
    # Places of split-off spellings, see :data:`casetrack.graph.entities.edits.MOVED`.
    moved: pa.Table
    # Outcomes of the user's edits, see :data:`casetrack.graph.entities.edits.OUTCOMES`.
    outcomes: pa.Table


def merge(locals_: pa.Table, rules: JoinRules = ALL_JOINS, edits: Sequence[Mark] = (), /) -> Merged:
    """Merge the entities of all documents; the result does not depend on the order of rows.

    *locals_* has a row for each entity of each document: ``document_id``, ``document_rank`` (int32,
    order of the documents by name), ``kind``, ``key``, ``name``, ``spellings`` (list<struct<text,
    count>>), ``mention_count``, ``chunk_count``, ``roles`` (list<struct<role, count>>),
    ``first_chunk_id``, ``evidence`` (list<struct<kind, count>>), ``addresses`` and ``defined``
    (list<string>). The user's *edits* in force are applied last.
    """
    if locals_.num_rows == 0:
        nobody = schema.table("entities").arrow().empty_table()
        return Merged(nobody, np.empty(0, np.int32), MOVED.empty_table(), OUTCOMES.empty_table())
    order = pc.sort_indices(
        locals_,
        sort_keys=[
            (n, "ascending") for n in ("document_rank", "document_id", "kind", "key", "name")
        ],
    )
    rows = locals_.take(order).combine_chunks()
    documents, _ = coded(rows["document_id"])
    groups, row_groups = groups_of(rows, documents)
    defined = defined_names(rows, groups, row_groups) if rules.defined_names else NOTHING_DEFINED
    roots = join_groups(groups, rules, defined_initials=defined.initials)
    join_defined(groups, roots, defined)
    meant = np.full(rows.num_rows, -1, dtype=np.int64)
    if rules.addresses:
        meant = join_addresses(rows, groups, row_groups, roots)
    if rules.mistaken_kinds:
        join_kinds(groups, roots)
    kept = np.array([g.kind != "concept" for g in groups])
    kept[choose_concepts(groups, int(documents.max()) + 1, rules.max_concepts)] = True
    row_roots = roots[row_groups]
    if rules.shortened:
        row_roots = join_within_reach(rows, groups, row_groups, roots, documents, rules, defined)
    row_roots = np.where(meant >= 0, roots[meant], row_roots)
    row_roots = np.where(kept[row_groups], row_roots, -1)
    edited = apply(rows, groups, row_groups, row_roots, edits)
    builder = _EntityTable(edited, rules.max_aliases)
    entities, codes = builder.build()
    own = order.to_numpy()
    local_codes = np.empty(len(own), dtype=np.int32)
    local_codes[own] = codes[: len(own)]
    moved = moved_places(edited, codes, own)
    return Merged(entities, local_codes, moved, edit_outcomes(edited, builder.ids_of_roots))


def with_chunk_counts(
    entities: pa.Table, places: NDArray[np.int32], chunks: NDArray[np.int32], /
) -> pa.Table:
    """Return the entities with the number of their chunks.

    The chunk counts of several names cannot be added, because they may share chunks. *places* and
    *chunks* are the entity row and the chunk number of each place.
    """
    size = np.int64(int(chunks.max()) + 1 if len(chunks) else 1)
    pairs = np.unique(places.astype(np.int64) * size + chunks)
    counts = np.bincount(pairs // size, minlength=entities.num_rows)
    return with_column(entities, "chunk_count", counts)


class _EntityTable:
    """Builds the table of entities from the rows of each entity."""

    def __init__(self, edited: Edited, max_aliases: int) -> None:
        self._edited = edited
        self._groups = edited.groups
        self._max_aliases = max_aliases
        live = edited.row_roots >= 0
        self._live = live
        self._rows = edited.rows.filter(pa.array(live))
        self._roots, self._codes = np.unique(edited.row_roots[live], return_inverse=True)
        self._own = edited.row_groups[live] == edited.row_roots[live]

    def build(self) -> tuple[pa.Table, NDArray[np.int32]]:
        """Return the table, and its row for each local entity."""
        rows, codes, size = self._rows, self._codes, len(self._roots)
        ids = list(self.ids_of_roots.values())
        counts = {
            n: np.bincount(codes, rows[n].to_numpy(), size).astype(np.int32)
            for n in ("mention_count", "chunk_count")
        }
        documents, _ = coded(rows["document_id"])
        counted = rows["mention_count"].to_numpy() > 0
        pairs = np.unique((codes * np.int64(len(documents)) + documents)[counted])
        names = self._names()
        in_order = np.lexsort([rows["document_rank"].to_numpy(), codes])
        firsts = pa.array(in_order[np.searchsorted(codes[in_order], np.arange(size))])
        kinds = [self._groups[r].kind for r in self._roots.tolist()]
        table = pa.table(
            {
                "entity_id": pa.array(ids, pa.string()),
                "kind": pa.array(kinds, pa.string()),
                "name": names,
                "aliases": self._aliases(size, names),
                **{n: pa.array(c) for n, c in counts.items()},
                "document_count": pa.array(
                    np.bincount(pairs // len(documents), minlength=size).astype(np.int32)
                ),
                "role": self._roles(size),
                "first_document_id": rows["document_id"].take(firsts),
                "first_chunk_id": rows["first_chunk_id"].take(firsts),
                "edited_by_user": pa.array(
                    [root in self._edited.touched for root in self._roots.tolist()], pa.bool_()
                ),
            }
        )
        order = pc.sort_indices(
            table.select(["mention_count", "entity_id"]),
            sort_keys=[("mention_count", "descending"), ("entity_id", "ascending")],
        )
        place = np.empty(size, dtype=np.int32)
        place[order.to_numpy()] = np.arange(size, dtype=np.int32)
        row_of_local = np.full(len(self._live), -1, dtype=np.int32)
        row_of_local[self._live] = place[codes]
        declared = schema.table("entities").arrow()
        ordered = table.take(order).combine_chunks()
        return pa.table({f.name: ordered[f.name] for f in declared}, schema=declared), row_of_local

    @cached_property
    def ids_of_roots(self) -> dict[int, str]:
        """The entity id of each root."""
        ids: dict[int, str] = {}
        taken: set[str] = set()
        plain = {f"{g.kind}:{g.key}" for g in self._groups}
        for root in self._roots.tolist():
            group = self._groups[root]
            title = {"m": "mr-", "f": "ms-"}[group.gender] if group.is_apart else ""
            wanted = f"{group.kind}:{title}{group.key}"
            entity_id, count = wanted, 1
            while entity_id in taken or (title and entity_id in plain):
                count += 1
                entity_id = f"{wanted}-{count}"
            taken.add(entity_id)
            ids[root] = entity_id
        return ids

    def _names(self) -> pa.Array:
        """Return the name of each entity.

        A name with the given name first is preferred to its reverse, then names with the same key,
        not in capitals, and frequent.
        """
        codes, texts = coded(self._rows["name"])
        lengths = pc.utf8_length(texts).to_numpy()
        capitals = pc.and_(pc.utf8_is_upper(texts), pc.greater(pc.utf8_length(texts), 5))
        capitals = capitals.to_numpy(zero_copy_only=False).astype(bool)
        weights = self._rows["mention_count"].to_numpy() + 0.5
        pairs, inverse = np.unique(self._codes * np.int64(len(texts)) + codes, return_inverse=True)
        totals = np.bincount(inverse, weights)
        own = np.bincount(inverse, self._own) > 0
        entity, text = pairs // len(texts), pairs % len(texts)
        spelled = dict.fromkeys(texts.to_pylist())
        turned = np.array([is_turned(t) and " ".join(t.split()[::-1]) in spelled for t in spelled])
        ranks = [text, -lengths[text], -totals, capitals[text], ~own, turned[text], entity]
        order = np.lexsort(ranks)
        first = order[np.unique(entity[order], return_index=True)[1]]
        names = texts.take(pa.array(text[first]))
        users = self._edited.names
        if not users:
            return names
        pairs = zip(self._roots.tolist(), names.to_pylist(), strict=True)
        return pa.array([users.get(root, name) for root, name in pairs], pa.string())

    def _aliases(self, size: int, names: pa.Array) -> pa.Array:
        """Return the other spellings of each entity, the most frequent first."""
        entity, texts = self._counted("spellings", "text")
        other = pc.not_equal(texts, names.take(pa.array(entity)))
        keep = other.to_numpy(zero_copy_only=False).astype(bool)
        entity, texts = entity[keep], texts.filter(pa.array(keep))
        starts = np.searchsorted(entity, np.arange(size))
        near = np.arange(len(entity)) - starts[entity] < self._max_aliases
        entity, texts = entity[near], texts.filter(pa.array(near))
        offsets = np.searchsorted(entity, np.arange(size + 1)).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), texts)

    def _roles(self, size: int) -> pa.Array:
        entity, texts = self._counted("roles", "role")
        are_roles = pc.not_equal(texts, PLACED).to_numpy(zero_copy_only=False).astype(bool)
        entity, texts = entity[are_roles], texts.filter(pa.array(are_roles))
        # Sender and recipient change with every letter, and "company" states little; an office is
        # a role.
        general = pc.is_in(texts, value_set=pa.array(_GENERAL)).to_numpy(zero_copy_only=False)
        order = np.lexsort([general, entity])
        entity, texts = entity[order], texts.take(pa.array(order))
        first = np.searchsorted(entity, np.arange(size))
        known = np.searchsorted(entity, np.arange(size), side="right") > first
        return texts.take(pa.array(np.where(known, first, 0), mask=~known))

    def _counted(self, column: str, field: str) -> tuple[NDArray[np.int64], pa.Array]:
        """Return the counted texts of a column by entity, by descending count, then by text."""
        lists = self._rows[column].combine_chunks()
        entity = self._codes[pc.list_parent_indices(lists).to_numpy()]
        flat = pc.list_flatten(lists)
        codes, texts = coded(pc.struct_field(flat, field))
        counts = pc.struct_field(flat, "count").to_numpy()
        size = max(len(texts), 1)
        pairs, inverse = np.unique(entity * np.int64(size) + codes, return_inverse=True)
        totals = np.bincount(inverse, counts, len(pairs))
        entity, text = pairs // size, pairs % size
        order = np.lexsort([text, -totals, entity])
        return entity[order], texts.take(pa.array(text[order]))
