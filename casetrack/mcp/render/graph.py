"""Text for people: who and what documents mention, and what they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.mcp.outputs import QUOTED
from casetrack.mcp.render import counted, quoted, source_line
from casetrack.records.graph import ENTITY_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.mcp import outputs
    from casetrack.records import Chunk
    from casetrack.records.graph import (
        Encounters,
        Entity,
        EntityGraph,
        EntityMentions,
        Quote,
        Reference,
        ReferenceCitations,
    )

KIND_NAMES = {
    "person": "People",
    "organization": "Organizations",
    "location": "Places",
    "date": "Dates",
    "amount": "Amounts",
    "concept": "Concepts",
}
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


def cited(item: Quote | Chunk, /) -> str:
    """Return a citation, the id that get_chunk takes, and a doubt about recognised text."""
    p = item.provenance
    doubt = f" | {p.ocr_note()}" if p.is_doubtful else ""
    return f"{p.cite()} | chunk {p.chunk_id}{doubt}"


def numbered(quotes: Iterable[tuple[Quote, str]], /) -> list[str]:
    """Return places as a numbered list: the source, what else is known, the words."""
    return [
        f'  {n}. {cited(q)}{note}\n     "{inline(q.snippet)}"'
        for n, (q, note) in enumerate(quotes, 1)
    ]


def evidence(item: Quote | None, indent: int, /) -> str:
    """Return the line below an entry that quotes its source; nothing where there is none."""
    if item is None:
        return ""
    pad = "\n" + " " * indent
    return f'{pad}{cited(item)}{pad}"{inline(item.snippet)}"'


def further(pointers: Sequence[outputs.Pointer], /) -> list[str]:
    """Return the passages that did not fit: get_chunk has them."""
    if not pointers:
        return []
    lines = [f"  - {p['citation']} | chunk {p['chunk_id']}" for p in pointers]
    return ["Also in (see get_chunk):\n" + "\n".join(lines)]


def joined(blocks: Iterable[str], more: str | None, /) -> str:
    """Return the blocks of an answer that quotes documents."""
    return "\n\n".join([*blocks, *([more] if more else []), QUOTED])


def entity_line(item: Entity, /) -> str:
    """Return an entity on one line: ``Acme Corp (buyer) -- 892 mentions in 45 documents``."""
    role = f" ({inline(item.role)})" if item.role else ""
    count = spread(item.mention_count, item.document_count)
    return f"{inline(item.name)}{role} -- {count}"


def reference_line(item: Reference, /) -> str:
    """Return a reference on one line, with the document of the collection that is meant."""
    count = spread(item.citation_count, item.document_count, "citation")
    meant = f"; in the collection as {item.target_document}" if item.target_document else ""
    return f"{inline(item.name)} ({item.type}) -- {count}{meant}"


def _also(names: Sequence[str]) -> list[str]:
    return [f"The name may also mean: {'; '.join(names)}"] if names else []


# --- entities -------------------------------------------------------------------------------


def entities(
    name: str,
    shown: Sequence[Entity],
    rest: Sequence[Entity],
    counts: dict[str, int],
    more: str | None,
    /,
) -> str:
    """Return the answer of list_entities: by kind, and in short what did not fit."""
    total = ", ".join(f"{counts[k]:,} {KIND_NAMES[k].lower()}" for k in ENTITY_KINDS if k in counts)
    blocks = [f"Entities in {name}: {total or 'none'}"]
    for kind in ENTITY_KINDS:
        lines = [f"  {entity_line(e)} [{e.entity_id}]" for e in shown if e.kind == kind]
        if lines:
            blocks.append("\n".join([f"{KIND_NAMES[kind]}:", *lines]))
    if rest:
        names = "; ".join(f"{inline(e.name)} ({e.mention_count:,})" for e in rest)
        blocks.append(f"Then, with their mentions: {names}")
    if not shown:
        blocks.append("Look for words with search_documents instead.")
    return "\n\n".join([*blocks, *([more] if more else [])])


def mentions(
    found: EntityMentions,
    shown: int,
    pointers: Sequence[outputs.Pointer],
    more: str | None,
    /,
    *,
    documents: int = 0,
) -> str:
    """Return the answer of get_entity_mentions, and with *documents* > 0 that of find_entity."""
    e = found.entity
    head = f'Mentions of "{inline(e.name)}" ({e.kind}) -- {found.total:,} total'
    if shown + len(pointers) < found.total:
        head += f", showing {shown + len(pointers)}"
    facts = [f"Role: {inline(e.role)}"] if e.role else []
    if e.aliases:
        facts.append(f"Also written: {'; '.join(inline(a) for a in e.aliases[:8])}")
    if found.score < 1:
        facts.append(f'Nearest match for "{inline(found.query)}" (score {found.score:.2f})')
    facts += _also([f"{inline(m.name)} ({m.kind})" for m in found.matches[1:]])
    blocks = ["\n".join([head, *facts])]
    if documents:
        lines = [f"  - {name}: {counted(n, 'mention')}" for _, name, n in found.documents]
        if len(lines) > documents:
            lines[documents:] = [f"  ... {len(lines) - documents} more documents"]
        blocks.append("\n".join(["Documents:", *lines]))
    blocks += ["\n\n".join(numbered((m.quote, "") for m in found.mentions[:shown]))]
    return joined([*blocks, *further(pointers)], more)


def encounters(
    found: Encounters, shown: int, pointers: Sequence[outputs.Pointer], more: str | None, /
) -> str:
    """Return the answer of search_entity_relationships."""
    names = {e.entity_id: inline(e.name) for e in found.entities}
    head = f"{' + '.join(names.values())}: {passages(found.total)} with two or more of them"
    if not found.encounters:
        head += (
            ".\nThey are never mentioned in the same passage. get_entity_graph shows what connects "
            "them; get_entity_mentions shows each one alone."
        )
    blocks = [
        f"--- {n}. {', '.join(names.get(i, i) for i in each.entities)} ---\n{each.chunk.citation}"
        f"\n\n{quoted(each.chunk.text)}\n\n{source_line(each.chunk.provenance)}"
        for n, each in enumerate(found.encounters[:shown], 1)
    ]
    return joined([head, *blocks, *further(pointers)], more)


def entity_graph(
    graph: EntityGraph, edges: Sequence[outputs.Edge], more: str | None, /, *, depth: int
) -> str:
    """Return the answer of get_entity_graph: the entities, then what connects them."""
    amount = f"{counted(len(graph.nodes), 'entity').replace('entitys', 'entities')}, "
    amount += counted(len(graph.edges), "connection")
    if graph.center is None:
        head = f"Best connected entities of {graph.collection}: {amount}"
    else:
        steps = counted(depth, "step")
        head = f'Around "{inline(graph.center.name)}", up to {steps} away: {amount}'
    if not graph.nodes:
        return f"{head}\n\nNothing is mentioned together here. list_entities shows what there is."
    steps_away = graph.distances or (None,) * len(graph.nodes)
    nodes = [
        f"  - {f'[{away}] ' if away is not None else ''}{entity_line(node)}, {node.kind}"
        for node, away in zip(graph.nodes, steps_away, strict=True)
    ]
    blocks = [head, "\n".join(["ENTITIES:", *nodes])]
    if edges:
        blocks.append("CONNECTIONS:\n" + "\n".join(_edge_line(each) for each in edges))
    return joined(blocks, more)


def _edge_line(each: outputs.Edge) -> str:
    kind = EDGE_NAMES.get(each["type"], each["type"].replace("_", " "))
    text = (
        f"  - {inline(each['source_name'])} -- {inline(each['target_name'])}: {kind} in "
        f"{passages(each['count'])} (weight {each['weight']:.2f})"
    )
    shown = each["evidence"]
    if shown is None:
        return text
    where = f"{shown['citation']} | chunk {shown['source']['chunk_id']}"
    return f'{text}\n    {where}\n    "{inline(shown["snippet"])}"'


# --- references -----------------------------------------------------------------------------


def references(
    name: str, shown: Sequence[Reference], counts: dict[str, int], more: str | None, /
) -> str:
    """Return the answer of list_references."""
    total = ", ".join(f"{n:,} {kind}" for kind, n in counts.items())
    head = f"References in {name}: {total or 'none'}"
    lines = [f"  {n}. {reference_line(r)}" for n, r in enumerate(shown, 1)]
    lines = lines or ["Look for words with search_documents instead."]
    return "\n\n".join([head, "\n".join(lines), *([more] if more else [])])


def citations(
    found: ReferenceCitations, shown: int, pointers: Sequence[outputs.Pointer], more: str | None, /
) -> str:
    """Return the answer of get_reference_citations."""
    r = found.reference
    head = f'Citations of "{inline(r.name)}" ({r.type}) -- {found.total:,} total'
    if shown + len(pointers) < found.total:
        head += f", showing {shown + len(pointers)}"
    facts = [f"In the collection as: {r.target_document}"] if r.target_document else []
    if found.score < 1:
        facts.append(f'Nearest match for "{inline(found.query)}" (score {found.score:.2f})')
    facts += _also([f"{inline(m.name)} ({m.type})" for m in found.matches[1:]])
    places = [
        (c.quote, f" | {c.relationship.replace('_', ' ')}" if c.relationship else "")
        for c in found.citations[:shown]
    ]
    blocks = ["\n".join([head, *facts]), "\n\n".join(numbered(places))]
    return joined([*blocks, *further(pointers)], more)


def reading(head: str, chunks: Sequence[Chunk], more: str | None, /) -> str:
    """Return chunks in full, one after the other: browse_pages and traverse_chunks."""
    blocks = [
        f"--- {c.provenance.chunk_index + 1} of {c.chunk_count} ---\n{c.citation}\n\n"
        f"{quoted(c.text)}\n\n{source_line(c.provenance)}"
        for c in chunks
    ]
    return joined([head, *blocks], more)
