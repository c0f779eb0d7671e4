"""Two documents side by side as a structured result that stays within its budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from casetrack.api.quoting import Words, part_of
from casetrack.base.records.documents import NAMED
from casetrack.faces.mcp import results
from casetrack.faces.mcp.graph_results import SHOWN_NAMES, entity_name, quote, reference
from casetrack.faces.mcp.outputs import POINTER, QUOTED, Facts
from casetrack.faces.mcp.results import (
    NAME_CHARS,
    bounded_chunk,
    few,
    first,
    list_budget,
    more_of,
    passage,
)
from casetrack.faces.mcp.steps import See, if_offered
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk, CollectionInfo, Document
    from casetrack.base.records.graph import Change, Changes, Comparison
    from casetrack.faces.mcp.concise import ResponseFormatter

_SIDE, _FURTHER, _NAMES, _REFERENCES = 4_800, 800, 600, 800
"""Tokens of the parts of a comparison; the changes get the rest."""
_END = 20


_Op = Literal["same", "removed", "added"]
Scored = tuple["Chunk", float]


def comparison(
    result: Comparison, collection: CollectionInfo, formatter: ResponseFormatter, /
) -> tuple[Comparison, Facts]:
    """Return as much of two documents side by side as fits, and its facts."""
    words, concise = Words(result.topic), formatter.concise

    def scored(item: Scored) -> Any:
        chunk = bounded_chunk(item[0])
        if concise:
            chunk = part_of(chunk, topic_part(chunk, words))
        return formatter.entry({**passage(chunk, collection.id), "score": round(item[1], 6)})

    def side(document: Document, passages: Sequence[Scored]) -> Any:
        shown, after = results.page_of(passages, scored, budget=_SIDE)
        rest = passages[after:] if after is not None else ()
        further = first(rest, lambda item: formatter.entry(POINTER.of(item[0])), budget=_FURTHER)
        return {**NAMED.of(document), "passages": shown, "further": further}

    named = SHOWN_NAMES // 3 if concise else SHOWN_NAMES
    facts: Facts = {
        "collection": collection.name,
        "notice": QUOTED,
        "topic": cut(result.topic, NAME_CHARS),
        "document_a": side(result.document_a, result.passages_a),
        "document_b": side(result.document_b, result.passages_b),
        "shared_entities": first(result.shared_entities, entity_name, budget=_NAMES, most=named),
        "only_a": first(result.only_a, entity_name, budget=_NAMES, most=named),
        "only_b": first(result.only_b, entity_name, budget=_NAMES, most=named),
        "shared_references": first(
            result.shared_references,
            lambda each: reference(each).as_dict(),
            budget=_REFERENCES,
            most=named,
        ),
        "similarity": None if result.similarity is None else round(result.similarity, 4),
        "changes": None,
        "notes": few(result.notes),
        "more": None,
    }
    if result.changes is not None:
        facts["changes"] = changes(result.changes, list_budget(facts, formatter), formatter)
    facts["more"] = _more(result, facts)
    sides = (len(facts[side]["passages"]) for side in ("document_a", "document_b"))
    changed = result.changes
    if changed is not None:
        count = len(facts["changes"]["changes"])
        changed = replace(changed, changes=changed.changes[:count])
    shown_a, shown_b = sides
    shown = replace(
        result,
        passages_a=result.passages_a[:shown_a],
        passages_b=result.passages_b[:shown_b],
        changes=changed,
    )
    return shown, facts


def topic_part(chunk: Chunk, words: Words, /) -> tuple[int, int]:
    """Return the part of a passage with the most words of the topic."""
    return words.best_part(chunk.text, rows=chunk.provenance.sheet_name is not None)


def changes(result: Changes, budget: int, formatter: ResponseFormatter, /) -> Facts:
    """Return the first changes, as many as fit in *budget*, and their total."""

    def shape(item: Change) -> Facts:
        return change(item, formatter)

    entries = first(result.changes, shape, budget=budget)
    if results.tokens(entries) > budget:
        # One paragraph changed so much that its two versions alone would not fit.
        entries = []
    return {
        "before": formatter.entry(NAMED.of(result.before)),
        "after": formatter.entry(NAMED.of(result.after)),
        "unchanged_paragraphs": result.unchanged,
        "total": len(result.changes),
        "changes": entries,
    }


def change(item: Change, /, formatter: ResponseFormatter) -> Facts:
    """Return a change; the concise form shortens its unchanged words."""
    concise = formatter.concise
    shown = replace(
        item,
        before=item.before and quote(item.before, concise=concise),
        after=item.after and quote(item.after, concise=concise),
        words=tuple(map(_shorter, item.words)) if concise else item.words,
    )
    return formatter.entry(shown.as_dict())


def _shorter(word: tuple[_Op, str]) -> tuple[_Op, str]:
    """Return words; long unchanged ones are shortened to their ends."""
    op, text = word
    if op != "same" or len(text) <= 3 * _END:
        return word
    return op, f"{text[:_END]} \u2026 {text[-_END:]}"


def _more(result: Comparison, facts: Facts) -> str | None:
    ways = []
    sides = ((result.passages_a, "document_a"), (result.passages_b, "document_b"))
    if any(len(p) > len(facts[s]["passages"]) + len(facts[s]["further"]) for p, s in sides):
        way = f"{See('search')} with document_filter finds them"
        ways.append(more_of("Not all passages are listed", if_offered(way)))
    changed = facts["changes"]
    if changed is not None and len(changed["changes"]) < changed["total"]:
        ways.append("Not all changes are shown: compare on a narrower topic.")
    return " ".join(ways) or None
