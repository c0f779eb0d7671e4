"""The graph of a collection as one page of HTML: names, what connects them, and the proof."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw, evidence_only, graph_quotes, mentioned, picture_order
from casetrack.api.viewer.graph_figure import (
    ANCHORS,
    TALL,
    WIDE,
    counted,
    graph_svg,
    legend,
    spread,
)
from casetrack.api.viewer.markup import LEFT, esc, span
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import figure_style, sheet
from casetrack.api.viewer.symbols import KIND_WORDS, shortened, sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.api.viewer.gather import Cited, GraphQuotes
    from casetrack.api.viewer.quotes import Place
    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Edge, Entity, EntityGraph
    from casetrack.store.workspace import State

_NO_PICTURES: Mapping[Place, Picture] = MappingProxyType({})
_NAME_CHARS = 200
_ALIASES = 12
_FIND_CHARS = 600
_ROWS = 10
_DRAWN_IN_NOTEBOOKS = 20


def entity_graph_page(state: State, graph: EntityGraph, /) -> str:
    """Return a graph as a page with places that mention its names, and pictures of some of them.

    Parameters
    ----------
    state
        The collection that the graph is of.
    """
    quotes = graph_quotes(graph, mentioned(state, graph))
    return entity_graph_html(graph, quotes, draw(state, picture_order(quotes)))


def entity_graph_html(
    graph: EntityGraph,
    quotes: GraphQuotes | None = None,
    pictures: Mapping[Place, Picture] = _NO_PICTURES,
    /,
) -> str:
    """Return a graph as a page of HTML that loads nothing.

    Parameters
    ----------
    quotes
        What is cited for each node and edge; without it, the evidence that the graph holds.
    pictures
        Pictures of cited places, by chunk id, start and end in its text.
    """
    return _Page(graph, quotes or evidence_only(graph), pictures).html()


class _Page:
    def __init__(
        self, graph: EntityGraph, quotes: GraphQuotes, pictures: Mapping[Place, Picture]
    ) -> None:
        self._graph, self._quotes = graph, quotes
        self._cards = Cards(graph.collection, pictures)
        self._numbers = {n.entity_id: i for i, n in enumerate(graph.nodes)}
        # Links by the number of each name, strongest first, as (number of the link, other name).
        self._links: dict[int, list[tuple[int, int]]] = {}
        for number, edge in enumerate(graph.edges):
            ends = self._ends(edge)
            if ends is not None:
                self._links.setdefault(ends[0], []).append((number, ends[1]))
                self._links.setdefault(ends[1], []).append((number, ends[0]))

    def html(self) -> str:
        center = self._graph.center
        what = f"around {shortened(center.name, 80)}" if center else "who and what belong together"
        return sheet("graph", f"{self._graph.collection}: {what}", self._body())

    def _ends(self, edge: Edge) -> tuple[int, int] | None:
        a, b = self._numbers.get(edge.source), self._numbers.get(edge.target)
        return None if a is None or b is None or a == b else (a, b)

    def _body(self) -> Iterator[str]:
        graph = self._graph
        yield f'<header>\n<p class="eyebrow">Collection {span(graph.collection)}</p>\n'
        if graph.center:
            yield f"<h1>Around {span(shortened(graph.center.name, _NAME_CHARS))}</h1>\n"
        else:
            yield "<h1>Who and what belong together</h1>\n"
        links = sum(self._ends(e) is not None for e in graph.edges)
        names = counted(len(graph.nodes), "name")
        yield f'<p class="citation">{names}, {counted(links, "link")}</p>\n</header>\n'
        if not graph.nodes:
            yield (
                '<p class="note" role="note">Nobody and nothing is mentioned together in this '
                "collection yet.</p>\n"
            )
            return
        yield '<main class="explore">\n'
        yield from self._drawing()
        yield from self._panel()
        yield "</main>\n"
        yield self._cards.definitions()

    def _drawing(self) -> Iterator[str]:
        yield '<section class="drawing" aria-label="Drawing">\n'
        yield (
            '<p class="find"><label for="find">Find a name</label> '
            '<input id="find" type="search" autocomplete="off" spellcheck="false"> '
            '<span id="found" role="status"></span></p>\n'
        )
        yield f'<div class="wide-only">{graph_svg(self._graph, width=WIDE, links=ANCHORS)}</div>\n'
        yield f'<div class="tall-only">{graph_svg(self._graph, width=TALL, links=ANCHORS)}</div>\n'
        yield legend(self._graph)
        yield (
            '<p class="hint">The larger a sign, the more often the name is mentioned; the thicker '
            "a line, the more it says that both stand together. Choose a sign or a line to read "
            "the passages behind it.</p>\n</section>\n"
        )

    def _panel(self) -> Iterator[str]:
        yield '<div class="panel">\n<nav class="names" id="names" aria-label="Names">\n'
        yield "<h2>Names</h2>\n<ol>\n"
        for number, node in enumerate(self._graph.nodes):
            yield (
                f'<li data-find="{esc(_findable(node))}" data-name="{number}">'
                f'<a href="#name-{number}">{sign(node.kind)} {_name(node)}</a> '
                f"<small>{counted(node.mention_count, 'mention')}</small></li>\n"
            )
        yield "</ol>\n</nav>\n"
        for number, node in enumerate(self._graph.nodes):
            yield from self._name_entry(number, node)
        for number, edge in enumerate(self._graph.edges):
            yield from self._link_entry(number, edge)
        yield "</div>\n"

    def _name_entry(self, number: int, node: Entity) -> Iterator[str]:
        yield f'<section class="entry" id="name-{number}" tabindex="-1">\n{_BACK}'
        yield f'<p class="kind">{sign(node.kind)} {KIND_WORDS.get(node.kind, esc(node.kind))}</p>\n'
        yield f"<h2>{_name(node)}</h2>\n<dl>\n"
        if role := node.office:
            yield f"<dt>Role</dt><dd>{span(shortened(role, _NAME_CHARS))}</dd>\n"
        if node.aliases:
            shown = [span(shortened(a, _NAME_CHARS)) for a in node.aliases[:_ALIASES]]
            rest = len(node.aliases) - len(shown)
            more = f" and {rest:,} more" if rest else ""
            yield f"<dt>Also written</dt><dd>{', '.join(shown)}{more}</dd>\n"
        in_passages = f"{spread(node)}, {counted(node.chunk_count, 'passage')}"
        yield f"<dt>Mentioned</dt><dd>{in_passages}</dd>\n"
        if self._graph.distances:
            steps = self._graph.distances[number]
            away = f"{counted(steps, 'step')} from the middle" if steps else "In the middle"
            yield f"<dt>Place</dt><dd>{away}</dd>\n"
        yield "</dl>\n"
        yield from self._connected(number)
        cards = "".join(map(self._cards.card, self._quotes.names[number]))
        if cards:
            yield f"<h3>Passages</h3>\n{cards}"
        yield "</section>\n"

    def _connected(self, number: int) -> Iterator[str]:
        links = self._links.get(number, [])
        if not links:
            return
        yield '<h3>Mentioned together with</h3>\n<ul class="links">\n'
        for link, other in links:
            node, edge = self._graph.nodes[other], self._graph.edges[link]
            yield (
                f'<li><a href="#link-{link}">{sign(node.kind)} {_name(node)}</a> '
                f"<small>{_strength(edge)}</small></li>\n"
            )
        yield "</ul>\n"

    def _link_entry(self, number: int, edge: Edge) -> Iterator[str]:
        ends = self._ends(edge)
        if ends is None:
            return
        links = [
            f'<a href="#name-{i}">{sign(node.kind)} {_name(node)}</a>'
            for i, node in ((i, self._graph.nodes[i]) for i in ends)
        ]
        yield f'<section class="entry" id="link-{number}" tabindex="-1">\n{_BACK}'
        yield '<p class="kind">Mentioned together</p>\n'
        yield f'<h2 class="pair">{links[0]} <span class="and">and</span> {links[1]}</h2>\n'
        yield f'<p class="counts">{_strength(edge)}</p>\n'
        cards = "".join(map(self._proof, self._quotes.links[number]))
        if cards:
            yield f"<h3>Passages</h3>\n{cards}"
        yield "</section>\n"

    def _proof(self, cited: Cited) -> str:
        return self._cards.card(cited.quote, cited.spans)


_BACK = '<p class="back"><a href="#names">All names</a></p>\n'


def _name(node: Entity) -> str:
    return span(shortened(node.name, _NAME_CHARS))


def _strength(edge: Edge) -> str:
    return f"{counted(edge.count, 'passage')}, strength {edge.weight:.2f}"


def _findable(node: Entity) -> str:
    return " ".join([node.name, node.office, *node.aliases])[:_FIND_CHARS]


# --- in a notebook -------------------------------------------------------------------------


def entity_graph_figure(graph: EntityGraph, /) -> str:
    """Return a graph for a notebook: the drawing, and its strongest links with their sources.

    Of many names the first twenty are drawn.
    """
    from dataclasses import replace

    small = replace(
        graph,
        nodes=graph.nodes[:_DRAWN_IN_NOTEBOOKS],
        distances=graph.distances[:_DRAWN_IN_NOTEBOOKS],
    )
    known = {n.entity_id: n for n in small.nodes}
    edges = tuple(e for e in graph.edges if e.source in known and e.target in known)
    small = replace(small, edges=edges)
    of = "" if len(known) == len(graph.nodes) else f" of {len(graph.nodes):,}"
    head = (
        f"<p><b>{esc(graph.collection)}</b>: {counted(len(known), 'name')}{of}, "
        f"{counted(len(edges), 'link')}</p>"
    )
    if not known:
        return f"<p><b>{esc(graph.collection)}</b>: nobody and nothing is mentioned together.</p>"
    rows = [_figure_row(e, known) for e in edges[:_ROWS]]
    return f"<div>{figure_style()}{head}{graph_svg(small)}{legend(small)}{_table(rows)}</div>"


def _figure_row(edge: Edge, known: Mapping[str, Entity]) -> str:
    pair = " \u2013 ".join(span(shortened(known[i].name, 60)) for i in (edge.source, edge.target))
    cited = edge.quote.citation if edge.quote else ""
    return (
        f"<tr><td {LEFT}>{pair}</td><td>{edge.count:,}</td>"
        f"<td>{edge.weight:.2f}</td><td {LEFT}>{esc(cited)}</td></tr>"
    )


def _table(rows: list[str]) -> str:
    if not rows:
        return ""
    return (
        f"<table><tr><th {LEFT}>together</th><th>passages</th><th>strength</th>"
        f"<th {LEFT}>for instance</th></tr>{''.join(rows)}</table>"
    )
