"""The user's edits of entities in words: "You joined Bob Smith with it"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records.marks import ENTITY_EDITS

if TYPE_CHECKING:
    from casetrack.base.records.graph import Entity
    from casetrack.graph.graph import ContextGraph


def edits_of(graph: ContextGraph, entity: Entity, /) -> tuple[str, ...]:
    """Return the edits that made an entity what it is, in sentences, the first one first."""
    if not entity.edited_by_user:
        return ()
    return tuple(
        f"{placed.mark.sentence(entity.entity_id)} ({placed.mark_id})."
        for placed in graph.marks
        if placed.state == "in force"
        and entity.entity_id in {placed.mark.entity_id, placed.mark.other_id}
        and placed.mark.kind in ENTITY_EDITS
    )
