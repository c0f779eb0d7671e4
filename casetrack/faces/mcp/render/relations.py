"""Text for people: what connects documents, and what two of them say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.provenance import iso_utc
from casetrack.faces.mcp.render import counted, document_line, passage, phrase, told
from casetrack.faces.mcp.render.graph import evidence, inline, joined, reference_line, source_of
from casetrack.faces.mcp.results import bounded_chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Changes, Comparison
    from casetrack.faces.mcp.outputs import Facts

RELATION_NAMES = {
    "shared_entities": "shared names",
    "shared_references": "shared references",
    "semantic": "similar content",
    "explicit": "one refers to the other",
    "version": "versions of one another",
    "response_to": "reply",
    "amends": "amendment",
    "attachment": "attachment",
    "restates": "restatement",
    "supplements": "supplement",
    "schedule_of": "schedule",
    "exhibit_of": "exhibit",
    "made_under": "made under a contract",
    "bills": "invoice",
    "interim_of": "quarter of a year",
    "forward_of": "forward",
    "same_thread": "same thread",
    "copy": "copy of one mail",
}


def related(
    document: Document, shown: Sequence[Facts], more: str | None, /, *, offset: int = 0
) -> str:
    """Return the answer of find_related_documents and get_related_documents."""
    amount = f"{len(shown):,} shown" + (f" from offset {offset:,}" if offset else "")
    head = f"Documents related to {inline(document.name)}: {amount}"
    if not shown:
        return f"{head}\n\n{more}" if more else head
    return joined([head, *(_related(n, each) for n, each in enumerate(shown, offset + 1))], more)


def _related(number: int, each: Facts) -> str:
    name = inline(each["document"])
    head = f"{number}. {name} (ID: {each['document_id']}), weight {each['weight']:.2f}"
    return "\n".join([head, *map(_relation, each.get("relations", ()))])


def _relation(each: Facts) -> str:
    name = RELATION_NAMES.get(each["type"], each["type"].replace("_", " "))
    quotes = each.get("evidence")
    shown = evidence(quotes[0] if quotes else None, 5)
    return f"   - {name} ({each['weight']:.2f}): {inline(each['description'])}{shown}"


def documents_of_type(kind: str, total: int, lines: Sequence[str], more: str | None, /) -> str:
    """Return the answer of list_documents_by_type."""
    head = f"Documents of type {kind}: {total:,}"
    return "\n".join([head, *lines, *([f"\n{more}"] if more else [])])


def dated_line(document: Document, entry: Facts, /, *, concise: bool = False) -> str:
    """Return one line of a list of documents, with the time of ingestion unless *concise*."""
    line = document_line(document, entry)
    return line if concise else f"{line} | ingested {iso_utc(document.ingested_at)}"


# --- side by side ---------------------------------------------------------------------------


def comparison(found: Comparison, facts: Facts, /) -> str:
    """Return the answer of compare_documents: each side, then what they share."""
    names = [inline(d.name) for d in (found.document_a, found.document_b)]
    alike = "" if found.similarity is None else f"\nSimilarity as a whole: {found.similarity:.2f}"
    head = f"Compared on {phrase(facts['topic'])}: A = {names[0]}, B = {names[1]}{alike}"
    notes = "".join(f"\nNote: {inline(note)}" for note in facts["notes"])
    blocks = [head + notes]
    sides = (
        ("A", names[0], found.passages_a, facts["document_a"]),
        ("B", names[1], found.passages_b, facts["document_b"]),
    )
    for mark, name, passages, side in sides:
        shown = list(zip(passages, side.get("passages", ()), strict=False))
        blocks.append(f"=== {mark}: {name} ===")
        blocks += [_passage(f"{mark}{n}", c, entry) for n, ((c, _), entry) in enumerate(shown, 1)]
        blocks += _further(side.get("further", ()))
        blocks += [] if shown else ["Nothing on this topic found."]
    shared = [
        _names("In both", facts["shared_entities"], len(found.shared_entities)),
        _names("Only in A", facts["only_a"], len(found.only_a)),
        _names("Only in B", facts["only_b"], len(found.only_b)),
    ]
    if facts["shared_references"]:
        lines = [f"  - {reference_line(r)}" for r in facts["shared_references"]]
        shared.append("\n".join(["Both refer to:", *lines]))
    blocks += [block for block in shared if block]
    if facts.get("changes") is not None:
        blocks.append(_changes(facts["changes"]))
    return joined(blocks, facts.get("more"))


def _passage(mark: str, chunk: Chunk, entry: Facts) -> str:
    head = f"--- {mark} ---"
    return told(head, entry) if "chars" in entry else passage(head, bounded_chunk(chunk))


def _further(pointers: Sequence[Facts]) -> list[str]:
    """Return the passages that did not fit: get_chunk has them."""
    lines = [f"  - {inline(p['citation'])} | chunk {p['chunk_id']}" for p in pointers]
    return ["\n".join(["Also in (see get_chunk):", *lines])] if lines else []


def _names(title: str, shown: Sequence[Facts], total: int) -> str:
    names = [inline(e["name"]) for e in shown]
    rest = [f"{total - len(names)} more"] if total > len(names) else []
    return f"{title}: {', '.join([*names, *rest])}" if names else ""


def versions(found: Changes, shown: Sequence[Facts], more: str | None, /) -> str:
    """Return the answer of compare_versions."""
    return joined([inline(found.summary), *map(change, shown)], more)


def _changes(found: Facts) -> str:
    before, after = inline(found["before"]["document"]), inline(found["after"]["document"])
    title = f"Changes from {before} to {after} on it: {counted(found['total'], 'paragraph')}"
    return "\n".join([title, *map(change, found["changes"])])


def change(each: Facts, /) -> str:
    """Return a change: the words taken out as [-...-], the words put in as {+...+}."""
    place = each.get("after") or each.get("before")
    where = source_of(place) if place is not None else ""
    if each.get("words"):
        marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
        words = "".join(marks[word["op"]].format(word["text"]) for word in each["words"])
    else:
        words = place.get("text", place["snippet"]) if place is not None else ""
    return f"  - {each['kind']}: {where}\n    {phrase(words)}"
