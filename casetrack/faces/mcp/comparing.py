"""Two documents side by side as a structured result that stays within its budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from casetrack.api.quoting import Words, part_of
from casetrack.base.records.documents import NAMED
from casetrack.faces.mcp import results
from casetrack.faces.mcp.graph_results import SHOWN_NAMES, entity_name, quote, reference
from casetrack.faces.mcp.outputs import POINTER, QUOTED
from casetrack.faces.mcp.results import (
    NAME_CHARS,
    bounded_chunk,
    few,
    first,
    more_of,
    passage,
    room_beside,
)
from casetrack.faces.mcp.steps import See, here
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk, CollectionInfo, Document
    from casetrack.base.records.graph import Change, Changes, Comparison
    from casetrack.faces.mcp.concise import Telling
    from casetrack.faces.mcp.outputs import Facts

_SIDE, _FURTHER, _NAMES, _REFERENCES = 4_800, 800, 600, 800
"""Tokens of the parts of a comparison; what changed has the rest."""
_END = 20


_Op = Literal["same", "removed", "added"]
Scored = tuple["Chunk", float]


def comparison(
    found: Comparison, collection: CollectionInfo, told: Telling, /
) -> tuple[Comparison, Facts]:
    """Return as much of two documents side by side as fits, and its facts."""
    words, concise = Words(found.topic), told.concise

    def scored(item: Scored) -> Any:
        chunk = bounded_chunk(item[0])
        if concise:
            chunk = part_of(chunk, topic_part(chunk, words))
        return told.entry({**passage(chunk, collection.id), "score": round(item[1], 6)})

    def side(document: Document, passages: Sequence[Scored]) -> Any:
        shown, after = results.page_of(passages, scored, room=_SIDE)
        rest = passages[after:] if after is not None else ()
        further = first(rest, lambda item: told.entry(POINTER.of(item[0])), room=_FURTHER)
        return {**NAMED.of(document), "passages": shown, "further": further}

    named = SHOWN_NAMES // 3 if concise else SHOWN_NAMES
    facts: Facts = {
        "collection": collection.name,
        "notice": QUOTED,
        "topic": cut(found.topic, NAME_CHARS),
        "document_a": side(found.document_a, found.passages_a),
        "document_b": side(found.document_b, found.passages_b),
        "shared_entities": first(found.shared_entities, entity_name, room=_NAMES, most=named),
        "only_a": first(found.only_a, entity_name, room=_NAMES, most=named),
        "only_b": first(found.only_b, entity_name, room=_NAMES, most=named),
        "shared_references": first(
            found.shared_references,
            lambda each: reference(each).as_dict(),
            room=_REFERENCES,
            most=named,
        ),
        "similarity": None if found.similarity is None else round(found.similarity, 4),
        "changes": None,
        "notes": few(found.notes),
        "more": None,
    }
    if found.changes is not None:
        facts["changes"] = changes(found.changes, room_beside(facts, told), told)
    facts["more"] = _more(found, facts)
    sides = (len(facts[side]["passages"]) for side in ("document_a", "document_b"))
    changed = found.changes
    if changed is not None:
        count = len(facts["changes"]["changes"])
        changed = replace(changed, changes=changed.changes[:count])
    shown_a, shown_b = sides
    shown = replace(
        found,
        passages_a=found.passages_a[:shown_a],
        passages_b=found.passages_b[:shown_b],
        changes=changed,
    )
    return shown, facts


def topic_part(chunk: Chunk, words: Words, /) -> tuple[int, int]:
    """Return the part of a passage that says most on a topic."""
    return words.best_part(chunk.text, rows=chunk.provenance.sheet_name is not None)


def changes(found: Changes, room: int, told: Telling, /) -> Facts:
    """Return the first changes, as many as fit in *room*, and how many there are."""

    def shape(item: Change) -> Facts:
        return change(item, told)

    entries = first(found.changes, shape, room=room)
    if results.tokens(entries) > room:
        # One paragraph changed so much that its two versions alone would not fit.
        entries = []
    return {
        "before": told.entry(NAMED.of(found.before)),
        "after": told.entry(NAMED.of(found.after)),
        "unchanged_paragraphs": found.unchanged,
        "total": len(found.changes),
        "changes": entries,
    }


def change(item: Change, /, told: Telling) -> Facts:
    """Return a change; what stayed the same in it is cut where it is told concisely."""
    concise = told.concise
    shown = replace(
        item,
        before=item.before and quote(item.before, concise=concise),
        after=item.after and quote(item.after, concise=concise),
        words=tuple(map(_shorter, item.words)) if concise else item.words,
    )
    return told.entry(shown.as_dict())


def _shorter(word: tuple[_Op, str]) -> tuple[_Op, str]:
    """Return words, and of long ones that stayed the same only the ends."""
    op, text = word
    if op != "same" or len(text) <= 3 * _END:
        return word
    return op, f"{text[:_END]} \u2026 {text[-_END:]}"


def _more(found: Comparison, facts: Facts) -> str | None:
    ways = []
    sides = ((found.passages_a, "document_a"), (found.passages_b, "document_b"))
    if any(len(p) > len(facts[s]["passages"]) + len(facts[s]["further"]) for p, s in sides):
        way = f"{See('search')} with document_filter finds them"
        ways.append(more_of("Not all passages are named", here(way)))
    changed = facts["changes"]
    if changed is not None and len(changed["changes"]) < changed["total"]:
        ways.append("Not all changes are shown: compare on a narrower topic.")
    return " ".join(ways) or None
