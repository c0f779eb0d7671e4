"""Text for people: what connects documents, and what two of them say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.mcp.render import counted, document_line, quoted, source_line
from casetrack.mcp.render.graph import cited, evidence, further, inline, joined, reference_line
from casetrack.provenance import iso_utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.mcp import outputs
    from casetrack.records import Chunk, Document
    from casetrack.records.graph import (
        Change,
        Comparison,
        Entity,
        Quote,
        RelatedDocument,
        Relation,
        SimilarChunk,
    )

RELATION_NAMES = {
    "shared_entities": "shared names",
    "shared_references": "shared references",
    "semantic": "similar content",
    "explicit": "one refers to the other",
    "version": "versions of one another",
    "response_to": "reply",
    "amends": "amendment",
    "attachment": "attachment",
}
_NAMED = 12


def _rest(names: Sequence[outputs.DocumentName]) -> list[str]:
    return [f"Then: {', '.join(d['document'] for d in names)}"] if names else []


def related(
    document: Document,
    shown: Sequence[RelatedDocument],
    rest: Sequence[outputs.DocumentName],
    more: str | None,
    /,
    *,
    relations: int | None = None,
) -> str:
    """Return the answer of find_related_documents and, in short, of get_related_documents."""
    head = f"Documents related to {document.name}: {len(shown) + len(rest):,}"
    if not shown:
        return f"{head}\n\n{more}" if more else head
    blocks = [_related(n, each, relations) for n, each in enumerate(shown, 1)]
    return joined([head, *blocks, *_rest(rest)], more)


def _related(number: int, each: RelatedDocument, relations: int | None) -> str:
    d = each.document
    head = f"{number}. {d.name} (ID: {d.document_id}), weight {each.weight:.2f}"
    lines = [_relation(r) for r in each.relations[:relations]]
    return "\n".join([head, *lines])


def _relation(each: Relation) -> str:
    name = RELATION_NAMES.get(each.type, each.type.replace("_", " "))
    shown = evidence(each.quotes[0] if each.quotes else None, 5)
    return f"   - {name} ({each.weight:.2f}): {inline(each.description)}{shown}"


def documents_of_type(
    kind: str,
    total: int,
    shown: Sequence[Document],
    rest: Sequence[outputs.DocumentName],
    more: str | None,
    /,
) -> str:
    """Return the answer of list_documents_by_type."""
    head = f"Documents of type {kind}: {total:,}"
    lines = [f"{document_line(d)} | ingested {iso_utc(d.ingested_at)}" for d in shown]
    return "\n".join([head, *lines, *_rest(rest), *([f"\n{more}"] if more else [])])


def similar(
    chunk: Chunk,
    shown: Sequence[SimilarChunk],
    pointers: Sequence[outputs.Pointer],
    more: str | None,
    /,
) -> str:
    """Return the answer of search_similar_chunks."""
    head = f"Passages similar to {cited(chunk)}: {len(shown) + len(pointers):,}"
    blocks = [
        f"--- {n} (similarity: {each.similarity:.2f}) ---\n{each.chunk.citation}\n\n"
        f"{quoted(each.chunk.text)}\n\n{source_line(each.chunk.provenance)}"
        for n, each in enumerate(shown, 1)
    ]
    return joined([head, *blocks, *further(pointers)], more)


# --- side by side ---------------------------------------------------------------------------


def comparison(found: Comparison, facts: outputs.ComparisonOutput, /) -> str:
    """Return the answer of compare_documents: each side, then what they share."""
    a, b = found.document_a, found.document_b
    alike = "" if found.similarity is None else f"\nSimilarity as a whole: {found.similarity:.2f}"
    head = f'Compared on "{inline(found.topic)}": A = {a.name}, B = {b.name}{alike}'
    notes = "".join(f"\nNote: {note}" for note in found.notes)
    blocks = [head + notes]
    sides = (
        ("A", a, found.passages_a, facts["document_a"]),
        ("B", b, found.passages_b, facts["document_b"]),
    )
    for mark, document, passages, side in sides:
        blocks.append(f"=== {mark}: {document.name} ===")
        blocks += [_passage(mark, n, c) for n, (c, _) in enumerate(passages, 1)][
            : len(side["passages"])
        ] or ["Nothing on this topic found."]
        blocks += further(side["further"])
    shared = [
        _names("In both", found.shared_entities),
        _names("Only in A", found.only_a),
        _names("Only in B", found.only_b),
    ]
    if found.shared_references:
        lines = [f"  - {reference_line(r)}" for r in found.shared_references[:_NAMED]]
        shared.append("Both refer to:\n" + "\n".join(lines))
    blocks += [block for block in shared if block]
    if found.changes is not None and facts["changes"] is not None:
        shown = found.changes.changes[: len(facts["changes"]["changes"])]
        title = f"Changes from {found.changes.before.name} to {found.changes.after.name} on it: "
        title += counted(len(found.changes.changes), "paragraph")
        blocks.append("\n".join([title, *(change(c) for c in shown)]))
    return joined(blocks, facts["more"])


def _passage(mark: str, number: int, chunk: Chunk) -> str:
    return (
        f"{mark}{number}. {chunk.citation}\n\n{quoted(chunk.text)}\n\n"
        f"{source_line(chunk.provenance)}"
    )


def _names(title: str, found: Sequence[Entity]) -> str:
    names = [inline(e.name) for e in found[:_NAMED]]
    rest = len(found) - len(names)
    return f"{title}: {', '.join([*names, *([f'{rest} more'] if rest else [])])}" if names else ""


def change(each: Change, /) -> str:
    """Return a change: the words taken out as [-...-], the words put in as {+...+}."""
    place: Quote | None = each.after or each.before
    where = cited(place) if place is not None else ""
    if each.words:
        marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
        words = "".join(marks[op].format(_flat(text)) for op, text in each.words)
    else:
        words = inline(place.text) if place is not None else ""
    return f'  - {each.kind}: {where}\n    "{words}"'


def _flat(text: str) -> str:
    """Return a piece of a text on one line; a blank at either end stays one."""
    lead = " " if text[:1].isspace() else ""
    trail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{lead}{inline(text)}{trail}"
