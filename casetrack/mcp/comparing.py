"""Two documents side by side as a structured result that stays within its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.mcp import budget
from casetrack.mcp.graph_results import (
    NAMED,
    document_name,
    entity_name,
    pointer,
    quote,
    reference,
)
from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.quoting import best_part, query_terms
from casetrack.mcp.results import bounded_chunk, cut, passage, short_passage
from casetrack.mcp.shorter import NAME_CHARS, few, first, room_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.mcp import outputs
    from casetrack.records import Chunk, CollectionInfo, Document
    from casetrack.records.graph import Change, Changes, Comparison

_SIDE, _FURTHER, _NAMES, _REFERENCES = 4_800, 800, 600, 800
"""Tokens of the parts of a comparison; what changed has the rest."""
_END = 20

Scored = tuple["Chunk", float]


def comparison(
    found: Comparison, collection: CollectionInfo, /, *, concise: bool = False
) -> outputs.ComparisonOutput:
    """Return two documents side by side: passages, names and references, then changes."""
    terms = query_terms(found.topic)

    def scored(item: Scored) -> Any:
        chunk, score = bounded_chunk(item[0]), round(item[1], 6)
        if not concise:
            return {**passage(chunk, collection.id), "score": score}
        return {**short_passage(chunk, topic_part(chunk, terms), collection.id), "score": score}

    def side(document: Document, passages: Sequence[Scored]) -> Any:
        shown, after = budget.page_of(passages, scored, room=_SIDE)
        rest = passages[after:] if after is not None else ()
        further = first(rest, lambda item: pointer(item[0]), room=_FURTHER)
        return {**document_name(document), "passages": shown, "further": further}

    named = NAMED // 3 if concise else NAMED
    facts: outputs.ComparisonOutput = {
        "collection": collection.name,
        "notice": QUOTED,
        "topic": cut(found.topic, NAME_CHARS),
        "document_a": side(found.document_a, found.passages_a),
        "document_b": side(found.document_b, found.passages_b),
        "shared_entities": first(found.shared_entities, entity_name, room=_NAMES, most=named),
        "only_a": first(found.only_a, entity_name, room=_NAMES, most=named),
        "only_b": first(found.only_b, entity_name, room=_NAMES, most=named),
        "shared_references": first(
            found.shared_references, reference, room=_REFERENCES, most=named
        ),
        "similarity": None if found.similarity is None else round(found.similarity, 4),
        "changes": None,
        "notes": few(found.notes),
        "more": None,
    }
    if found.changes is not None:
        facts["changes"] = changes(found.changes, room_beside(facts), concise=concise)
    facts["more"] = _more(found, facts)
    return facts


def topic_part(chunk: Chunk, terms: frozenset[str], /) -> tuple[int, int]:
    """Return the part of a passage that says most on a topic."""
    return best_part(chunk.text, terms, rows=chunk.provenance.sheet_name is not None)


def changes(found: Changes, room: int, /, *, concise: bool = False) -> outputs.Changes:
    """Return the first changes, as many as fit in *room*, and how many there are."""

    def shape(item: Change) -> outputs.Change:
        return change(item, concise=concise)

    entries = first(found.changes, shape, room=room)
    if budget.tokens(entries) > room:
        # One paragraph changed so much that its two versions alone would not fit.
        entries = []
    return {
        "before": document_name(found.before),
        "after": document_name(found.after),
        "unchanged_paragraphs": found.unchanged,
        "total": len(found.changes),
        "changes": entries,
    }


def change(item: Change, /, *, concise: bool = False) -> outputs.Change:
    """Return a change; what stayed the same in it is cut where *concise*."""
    facts: outputs.Change = item.as_dict()  # type: ignore[assignment]
    facts["before"] = quote(item.before, concise=concise) if item.before else None
    facts["after"] = quote(item.after, concise=concise) if item.after else None
    if concise:
        facts["words"] = [word | {"text": _ends(word)} for word in facts["words"]]
    return facts


def _ends(word: outputs.Word) -> str:
    """Return words, and of long ones that stayed the same only the ends."""
    text = word["text"]
    if word["op"] != "same" or len(text) <= 3 * _END:
        return text
    return f"{text[:_END]} \u2026 {text[-_END:]}"


def _more(found: Comparison, facts: outputs.ComparisonOutput) -> str | None:
    ways = []
    sides = ((found.passages_a, "document_a"), (found.passages_b, "document_b"))
    if any(len(p) > len(facts[s]["passages"]) + len(facts[s]["further"]) for p, s in sides):  # type: ignore[literal-required]
        ways.append("Not all passages are named: search_documents with document_filter finds them.")
    changed = facts["changes"]
    if changed is not None and len(changed["changes"]) < changed["total"]:
        ways.append("Not all changes are shown: compare on a narrower topic.")
    return " ".join(ways) or None
