"""The user's edits of entities in words: "You joined Bob Smith with it"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.base.records.graph import Entity
    from casetrack.base.records.marks import Mark
    from casetrack.graph.graph import ContextGraph


def edits_of(graph: ContextGraph, entity: Entity, /) -> tuple[str, ...]:
    """Return the edits that made an entity what it is, in sentences, the first one first."""
    if not entity.edited_by_user:
        return ()
    return tuple(
        f"{sentence(placed.mark, entity.entity_id)} ({placed.mark_id})."
        for placed in graph.marks
        if placed.state == "in force"
        and entity.entity_id in {placed.mark.entity_id, placed.mark.other_id}
        and placed.mark.kind in _WORDS
    )


_WORDS = {
    "merge": "You joined “{other}” with it",
    "split": "You said that “{value}”{where} is somebody else{as_other}",
    "kind": "You said that it is {value}",
    "rename": "You gave it the name “{value}”",
    "hide": "You hid it",
}
_KINDS = {"person": "a person", "organization": "an organization", "location": "a location"}


def sentence(mark: Mark, entity_id: str | None = None, /) -> str:
    """Return an edit in words, without its end.

    Parameters
    ----------
    mark
        A mark of an entity.
    entity_id
        Whose entry it is told in; the one that a spelling was split off for is told so.
    """
    where = f" in {mark.document_name}" if mark.document_name else ""
    if mark.kind == "split" and entity_id is not None and entity_id == mark.other_id:
        return f"You split it off from “{mark.entity_name}”{where}"
    return _WORDS[mark.kind].format(
        other=mark.other_name,
        value=_KINDS.get(mark.value, mark.value),
        where=where,
        as_other=f", {mark.other_name}" if mark.other_name else "",
    )
