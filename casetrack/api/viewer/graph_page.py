"""The graph of a collection as one page of HTML: names, their links, and the evidence."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw, evidence_only, graph_quotes, mentioned, picture_order
from casetrack.api.viewer.graph_figure import ANCHORS, TALL, WIDE, graph_svg, legend, spread
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import figure_style, sheet
from casetrack.api.viewer.symbols import KIND_WORDS, shortened
from casetrack.api.viewer.templating import rendered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.api.viewer.gather import GraphQuotes
    from casetrack.api.viewer.quotes import Place
    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Edge, EntityGraph
    from casetrack.store.workspace import State

_NO_PICTURES: Mapping[Place, Picture] = MappingProxyType({})
_DRAWN_IN_NOTEBOOKS = 20


def entity_graph_page(state: State, graph: EntityGraph, /) -> str:
    """Return a graph of *state*'s collection as a page with cited places and some pictures."""
    quotes = graph_quotes(graph, mentioned(state, graph))
    return entity_graph_html(graph, quotes, draw(state, picture_order(quotes)))


def entity_graph_html(
    graph: EntityGraph,
    quotes: GraphQuotes | None = None,
    pictures: Mapping[Place, Picture] = _NO_PICTURES,
    /,
) -> str:
    """Return a graph as a page of HTML without external resources.

    Without *quotes* it shows the evidence of the graph itself. *pictures* are found by chunk id,
    start and end in the chunk's text.
    """
    numbers = {n.entity_id: i for i, n in enumerate(graph.nodes)}
    ends = [_ends(edge, numbers) for edge in graph.edges]
    # Links by the number of each name, strongest first, as (number of the link, other name).
    links: list[list[tuple[int, int]]] = [[] for _ in graph.nodes]
    for number, pair in enumerate(ends):
        if pair is not None:
            links[pair[0]].append((number, pair[1]))
            links[pair[1]].append((number, pair[0]))
    body = rendered(
        "graph.html",
        graph=graph,
        quotes=quotes or evidence_only(graph),
        cards=Cards(graph.collection, pictures),
        ends=ends,
        links=links,
        legend=legend(graph),
        drawing=lambda width: graph_svg(graph, width=width, links=ANCHORS),
        wide=WIDE,
        tall=TALL,
        kinds=KIND_WORDS,
        spread=spread,
    )
    center = graph.center
    what = f"around {shortened(center.name, 80)}" if center else "names and links"
    return sheet("graph", f"{graph.collection}: {what}", [body])


def _ends(edge: Edge, numbers: Mapping[str, int]) -> tuple[int, int] | None:
    a, b = numbers.get(edge.source), numbers.get(edge.target)
    return None if a is None or b is None or a == b else (a, b)


# --- in a notebook -------------------------------------------------------------------------


def entity_graph_figure(graph: EntityGraph, /) -> str:
    """Return a graph for a notebook: up to twenty names, the strongest links, their sources."""
    from dataclasses import replace

    small = replace(
        graph,
        nodes=graph.nodes[:_DRAWN_IN_NOTEBOOKS],
        distances=graph.distances[:_DRAWN_IN_NOTEBOOKS],
    )
    known = {n.entity_id: n for n in small.nodes}
    edges = tuple(e for e in graph.edges if e.source in known and e.target in known)
    small = replace(small, edges=edges)
    return rendered(
        "graph_figure.html",
        graph=graph,
        known=known,
        edges=edges,
        style=figure_style(),
        drawing=graph_svg(small) if known else "",
        legend=legend(small),
    )
