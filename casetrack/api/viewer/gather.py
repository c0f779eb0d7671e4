"""Selects the cited places and pictures of the graph page and the timeline page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.api.viewer.pictures import quote_pictures
from casetrack.api.viewer.quotes import Place, Span, place_of, spread_over_documents
from casetrack.graph.answers.entities import entity_mentions
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Edge, EntityGraph, Quote
    from casetrack.store.workspace import State

MAX_PICTURES = 36
"""Maximum number of pictures on a page."""
_MENTIONS = 200
_QUOTES_PER_NAME = 6
_PASSAGES_PER_LINK = 3


@dataclass(frozen=True, slots=True)
class Cited:
    """A place in a passage that proves a link, with the spans of its names in the chunk's text."""

    quote: Quote
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphQuotes:
    """Cited places for each node (*names*) and each edge (*links*) of a graph, in their order."""

    names: tuple[tuple[Quote, ...], ...]
    links: tuple[tuple[Cited, ...], ...]


def evidence_only(graph: EntityGraph, /) -> GraphQuotes:
    """Return the quotes of the graph itself."""
    return graph_quotes(graph, {})


def mentioned(state: State, graph: EntityGraph, /) -> dict[str, tuple[Quote, ...]]:
    """Return places that mention each node, by the node's id."""
    quotes_of = {}
    for node in graph.nodes:
        places = entity_mentions(graph_of(state), node.entity_id, limit=_MENTIONS)
        if places.entity.entity_id == node.entity_id:
            quotes_of[node.entity_id] = tuple(m.quote for m in places.mentions)
    return quotes_of


def graph_quotes(graph: EntityGraph, mentions: Mapping[str, Sequence[Quote]], /) -> GraphQuotes:
    """Choose the cited places of each node and edge.

    *mentions* maps ids of nodes to places that mention them; a node without an entry gets the
    places of its edges.
    """
    links = tuple(_of_link(edge, mentions) for edge in graph.edges)
    names = []
    for node in graph.nodes:
        own: Sequence[Quote] = mentions.get(node.entity_id, ())
        if not own:
            near = [
                cited.quote
                for edge, shown in zip(graph.edges, links, strict=True)
                if node.entity_id in (edge.source, edge.target)
                for cited in shown
            ]
            own = tuple({place_of(q): q for q in near}.values())
        names.append(spread_over_documents(own, _QUOTES_PER_NAME))
    return GraphQuotes(tuple(names), links)


def _of_link(edge: Edge, mentions: Mapping[str, Sequence[Quote]]) -> tuple[Cited, ...]:
    proofs: list[Cited] = []
    for chunk_id in edge.evidence[:_PASSAGES_PER_LINK]:
        ends = [
            [q for q in mentions.get(end, ()) if q.chunk_id == chunk_id]
            for end in (edge.source, edge.target)
        ]
        joint = edge.quote
        if joint is not None and joint.chunk_id == chunk_id:
            inside = [(q.char_start, q.char_end) for group in ends for q in group]
            low, high = joint.char_start, joint.char_end
            proofs.append(Cited(joint, tuple(s for s in inside if low <= s[0] and s[1] <= high)))
        elif all(ends):
            pairs = [(a, b) for a in ends[0] for b in ends[1]]
            nearest = min(pairs, key=lambda ab: abs(ab[0].char_start - ab[1].char_start))
            proofs += [Cited(q) for q in sorted(nearest, key=lambda q: q.char_start)]
    return tuple({place_of(cited.quote): cited for cited in proofs}.values())


def picture_order(quotes: GraphQuotes, /) -> list[Quote]:
    """Sort quotes with a layout: the first of each name, then of each link, and so on."""
    names = [[q for q in group if q.provenance.line_boxes] for group in quotes.names]
    links = [[c.quote for c in g if c.quote.provenance.line_boxes] for g in quotes.links]
    return [
        group[turn]
        for turn in range(_QUOTES_PER_NAME)
        for group in (*names, *links)
        if len(group) > turn
    ]


def draw(state: State, quotes: Iterable[Quote], /) -> dict[Place, Picture]:
    """Return pictures of the first places that have one."""
    workspace = state.workspace
    return quote_pictures(workspace.folder, workspace.settings, list(quotes), limit=MAX_PICTURES)
