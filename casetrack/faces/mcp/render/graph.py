"""Text for people: who and what documents mention, and what they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render import counted, passage, phrase, told
from casetrack.faces.mcp.results import NAME_CHARS, bounded_chunk, cut
from casetrack.faces.mcp.steps import See

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Comparison, Encounter, Encounters, Entity, EntityGraph
    from casetrack.faces.mcp.outputs import Facts

EDGE_NAMES = {"co_occurrence": "mentioned together"}


# --- small pieces ---------------------------------------------------------------------------


def inline(text: str, /) -> str:
    """Return words of a document on one line: no line of theirs can pass for one of ours."""
    return " ".join(text.split())


def passages(count: int, /) -> str:
    """Return a number of passages."""
    return counted(count, "passage")


def spread(mentions: int, documents: int, noun: str = "mention", /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return f"{counted(mentions, noun)} in {counted(documents, 'document')}"


def evidence(item: Facts | None, indent: int, /) -> str:
    """Return the line below an entry that quotes its source; nothing where there is none."""
    if item is None:
        return ""
    pad = "\n" + " " * indent
    return f"{pad}{source_of(item)}{pad}{phrase(item['snippet'])}"


def source_of(item: Facts, /) -> str:
    """Return the citation of a quote, the id that get_chunk takes, and a doubt about its text."""
    source = item["source"]
    # A concise answer has these members beside the words.
    place = source if isinstance(source, dict) else item
    doubt = f" | {place['ocr_warning']}" if place.get("ocr_warning") else ""
    return f"{inline(item['citation'])} | chunk {place['chunk_id']}{doubt}"


def joined(blocks: Iterable[str], more: str | None, /) -> str:
    """Return the blocks of an answer that quotes documents."""
    return "\n\n".join([*blocks, *([more] if more else []), QUOTED])


def entity_line(item: Facts, /) -> str:
    """Return an entity on one line: ``Acme Corp (buyer) -- 892 mentions in 45 documents``."""
    role = f" ({inline(item['role'])})" if item.get("role") else ""
    count = spread(item["mention_count"], item["document_count"])
    return f"{inline(item['name'])}{role} -- {count}"


def reference_line(item: Facts, /) -> str:
    """Return a reference on one line, with the document of the collection that is meant."""
    count = spread(item["citation_count"], item["document_count"], "citation")
    target = item.get("target_document")
    meant = f"; in the collection as {inline(target)}" if target else ""
    return f"{inline(item['name'])} ({item['type']}) -- {count}{meant}"


# --- entities -------------------------------------------------------------------------------


NOT_TOGETHER = f"Nothing is mentioned together here. {See('entities')} shows what there is."
NEVER_TOGETHER = (
    f"They are never mentioned in the same passage. {See('graph')} shows what connects them. "
    f"{See('entity')} shows each one alone."
)


def encounter(each: Encounter, asked: Sequence[Entity], entry: Facts | None = None, /) -> str:
    """Return a passage below the names that it mentions; *entry* is its concise form."""
    names = {e.entity_id: inline(cut(e.name, NAME_CHARS)) for e in asked}
    head = f"--- {', '.join(names.get(i, inline(i)) for i in each.entities)} ---"
    return passage(head, bounded_chunk(each.chunk)) if entry is None else told(head, entry)


def encounters(found: Encounters, blocks: Sequence[str], more: str | None, /) -> str:
    """Return the answer of search_entity_relationships."""
    names = " + ".join(inline(cut(e.name, NAME_CHARS)) for e in found.entities)
    head = f"{names}: {passages(found.total)} with two or more of them"
    return joined([head, *blocks], more)


def entity_graph(
    graph: EntityGraph,
    nodes: Sequence[Facts],
    edges: Sequence[Facts],
    more: str | None,
    /,
    *,
    depth: int,
) -> str:
    """Return the answer of get_entity_graph: the entities, then what connects them."""
    amount = f"{counted(len(graph.nodes), 'entity').replace('entitys', 'entities')}, "
    amount += counted(len(graph.edges), "connection")
    if graph.center is None:
        head = f"Best connected entities of {graph.collection}: {amount}"
    else:
        center = phrase(cut(graph.center.name, NAME_CHARS))
        head = f"Around {center}, up to {counted(depth, 'step')} away: {amount}"
    if not nodes:
        return "\n\n".join([head, *([more] if more else [])])
    lines = [f"  - {_away(n)}{entity_line(n)}, {n['kind']}" for n in nodes]
    blocks = [head, "\n".join(["ENTITIES:", *lines])]
    if edges:
        blocks.append("CONNECTIONS:\n" + "\n".join(_edge_line(each) for each in edges))
    return joined(blocks, more)


def _away(node: Facts) -> str:
    return "" if node.get("distance") is None else f"[{node['distance']}] "


def _edge_line(each: Facts) -> str:
    kind = EDGE_NAMES.get(each["type"], each["type"].replace("_", " "))
    shown = evidence(each.get("evidence"), 4)
    return (
        f"  - {inline(each['source_name'])} -- {inline(each['target_name'])}: {kind} in "
        f"{passages(each['count'])} (weight {each['weight']:.2f}){shown}"
    )


# --- references -----------------------------------------------------------------------------


# Text for people: what connects documents, and what two of them say.


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
