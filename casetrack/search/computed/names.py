"""Sets of people, organisations and places, also by a stated role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.search.computed.asked import ENTITIES
from casetrack.search.computed.parts import SHOWN, counted, spot
from casetrack.search.question.wanted import query_terms as stems

if TYPE_CHECKING:
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.asked import AskedSet
    from casetrack.search.computed.parts import Source

_HEADS = frozenset({"sender", "recipient", "copied in", "author"})
"""Roles of a mail's head, which are no answers."""
_CALLED = {"person": ("person", "people"), "organization": ("organization",)}


def names_answer(source: Source, asked: AskedSet, /) -> ComputedAnswer | None:
    """Return the entities of a kind, or those with a role, by number of places; or ``None``."""
    if asked.form != "list" or asked.rest or source.only is not None:
        return None
    table = source.graph.table("mentions")
    table = table.filter(pc.invert(table["repeated"]))
    if len(asked.words) == 1 and (kind := ENTITIES.get(asked.words[0])):
        sure = pc.and_(pc.equal(table["kind"], kind), pc.equal(table["found_by"], "defined"))
        return None if kind == "location" else _of_kind(source, table.filter(sure), kind)
    return _of_role(source, table.filter(pc.is_valid(table["role"])), asked.name)


def _of_kind(source: Source, table: pa.Table, kind: str) -> ComputedAnswer | None:
    """Return the entities of a kind by number of defining places, each with the first."""
    counts = table["entity_id"].value_counts().to_pylist()
    counts.sort(key=lambda row: (-row["counts"], row["values"]))
    shown = pa.array([row["values"] for row in counts[:SHOWN]], pa.string())
    firsts = pc.index_in(shown, value_set=table["entity_id"].combine_chunks())
    parts = [(row["name"], None, spot(row)) for row in table.take(firsts).to_pylist()]
    if not parts:
        return None
    how = "names that a party clause, signature, letterhead or mail head defines"
    return source.answer(counted(len(counts), *_CALLED[kind]), how, parts, total=len(counts))


def _of_role(source: Source, table: pa.Table, name: str) -> ComputedAnswer | None:
    """Return the people and organisations for which a place states a role with these words."""
    wanted = stems(name)
    columns = ["entity_id", "name", "kind", "role", "chunk_id", "char_start", "char_end"]
    by_entity: dict[str, list[dict[str, Any]]] = {}
    for row in table.select(columns).to_pylist():
        is_name = row["kind"] in {"person", "organization"} and row["role"] not in _HEADS
        if is_name and wanted and wanted <= stems(row["role"]):
            by_entity.setdefault(row["entity_id"], []).append(row)
    ordered = sorted(by_entity.values(), key=lambda rows: (-len(rows), rows[0]["name"]))
    if not ordered:
        return None
    parts = [(first["name"], first["role"], spot(first)) for first, *_ in ordered]
    how = f'people and organizations whose role is stated with "{name}"'
    return source.answer(counted(len(parts), "name"), how, parts)
