"""Draws names and what connects them as SVG, for pages and for notebooks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.api.viewer.force import place_nodes
from casetrack.api.viewer.markup import esc
from casetrack.api.viewer.symbols import (
    LABEL_SIZE,
    label_lines,
    radius_of,
    shortened,
    sign,
    symbol,
    text_lines,
    text_width,
)
from casetrack.api.viewer.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.viewer.words import Words
    from casetrack.base.records.graph import Edge, Entity, EntityGraph

WIDE, TALL = 760.0, 350.0
"""Widths of the two drawings of a page, in pixels: for screens, and for telephones."""
_GAP = 4.0
_HIT = 13.0


def counted(count: int, one: str, many: str | None = None, /) -> str:
    """Return a count with its noun: ``1 page``, ``1,051 pages``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


@dataclass(frozen=True, slots=True)
class GraphLinks:
    """Where the names and the lines of a drawn graph lead.

    Attributes
    ----------
    name, line
        Return an address, by the number from 0 as in the graph.
    """

    name: Callable[[int, Entity], str]
    line: Callable[[int, Edge], str]


ANCHORS = GraphLinks(lambda number, _: f"#name-{number}", lambda number, _: f"#link-{number}")
"""To entries of the same page."""


def graph_svg(
    graph: EntityGraph,
    /,
    *,
    width: float = WIDE,
    links: GraphLinks | None = None,
    words: Words = ENGLISH,
) -> str:
    """Draw a graph.

    Parameters
    ----------
    width
        Pixels across; the height follows from the number of nodes.
    links
        Where nodes and edges lead; without it nowhere.
    words
        What the drawing says.

    Returns
    -------
    str
        An ``svg`` element that is styled by ``figure.css``, without styles of its own.
    """
    return "".join(_graph_svg(graph, width, links, words))


def _graph_svg(
    graph: EntityGraph, width: float, links: GraphLinks | None, words: Words
) -> Iterator[str]:
    most = max((n.mention_count for n in graph.nodes), default=1)
    radii = [radius_of(n, most) for n in graph.nodes]
    labels = [label_lines(n.name) for n in graph.nodes]
    boxes = [_box(r, rows) for r, rows in zip(radii, labels, strict=True)]
    numbers = {n.entity_id: i for i, n in enumerate(graph.nodes)}
    ends = [(numbers.get(e.source, -1), numbers.get(e.target, -1)) for e in graph.edges]
    springs = [
        (a, b, max(e.weight, 1e-3))
        for (a, b), e in zip(ends, graph.edges, strict=True)
        if a >= 0 and b >= 0 and a != b
    ]
    low = 0.55 * width if len(boxes) > 4 else 0.3 * width
    layout = place_nodes(boxes, springs, width=width, least_height=low)
    role = "img" if links is None else "group"
    title = f"{words.counted('name', len(graph.nodes))}, {words.counted('link', len(springs))}"
    yield (
        f'<svg class="ct-figure graph" viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'width="{layout.width * 1.3:.0f}" role="{role}" aria-label="{esc(title)}">\n'
        f'<g stroke-opacity="{_faint(len(springs)):.3f}">\n'
    )
    # The middles of the shapes: the label stands below, in the same box.
    middles = [
        (x, y - box[1] / 2 + r)
        for (x, y), box, r in zip(layout.points.tolist(), boxes, radii, strict=True)
    ]
    strongest = max((w for *_, w in springs), default=1.0)
    for number, (pair, edge) in reversed(list(enumerate(zip(ends, graph.edges, strict=True)))):
        if min(pair) >= 0 and pair[0] != pair[1]:
            line = _line(middles[pair[0]], middles[pair[1]])
            to = None if links is None else links.line(number, edge)
            yield _edge(edge, pair, line, strongest, graph, to, words)
    yield "</g>\n"
    center = graph.center.entity_id if graph.center else None
    for number, node in enumerate(graph.nodes):
        shape = symbol(node.kind, *middles[number], radii[number])
        foot = middles[number][1] + radii[number] + _GAP + LABEL_SIZE * 0.8
        text = text_lines(labels[number], middles[number][0], foot)
        to = None if links is None else links.name(number, node)
        title = f"<title>{esc(told(node, words))}</title>"
        css = "node middle" if node.entity_id == center else "node"
        if to is None:
            yield f'<g class="{css}">{title}{shape}{text}</g>\n'
        else:
            drawn = f"{title}{shape}{text}"
            yield f'<a class="{css}" href="{esc(to)}" data-node="{number}">{drawn}</a>\n'
    yield "</svg>\n"


def _faint(edges: int) -> float:
    """Return how opaque lines are: the more there are, the fainter, or they cover the names."""
    return 0.22 * min(1.0, math.sqrt(100 / max(edges, 1)))


def _box(radius: float, rows: tuple[str, ...]) -> tuple[float, float]:
    wide = max(2 * radius, *(text_width(row) for row in rows))
    return wide, 2 * radius + _GAP + LABEL_SIZE * 1.2 * len(rows)


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'


def _edge(
    edge: Edge,
    pair: tuple[int, int],
    line: str,
    strongest: float,
    graph: EntityGraph,
    to: str | None,
    words: Words,
) -> str:
    thick = 1.0 + 5.0 * max(edge.weight, 0.0) / max(strongest, 1e-9)
    a, b = (graph.nodes[i].name for i in pair)
    said = f"{_cut(a)} \u2013 {_cut(b)}: {words.counted('passage', edge.count)}"
    drawn = f'<title>{esc(said)}</title><line class="wire" {line} stroke-width="{thick:.1f}"/>'
    if to is None:
        return f"<g>{drawn}</g>\n"
    # By keyboard the links of a name are reached from its own entry.
    return (
        f'<a class="edge" href="{esc(to)}" data-ends="{pair[0]} {pair[1]}" tabindex="-1">'
        f'{drawn}<line class="hit" {line} stroke-width="{_HIT:.0f}"/></a>\n'
    )


def told(node: Entity, words: Words = ENGLISH, /) -> str:
    """Return a name with what it is and how often it is mentioned."""
    kind = words.kinds.get(node.kind, node.kind)
    return f"{_cut(node.name)} ({kind}), {spread(node, words)}"


def spread(node: Entity, words: Words = ENGLISH, /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return words.spread.format(
        mentions=words.counted("mention", node.mention_count),
        documents=words.counted("document", node.document_count),
    )


def legend(graph: EntityGraph, words: Words = ENGLISH, /) -> str:
    """Return the kinds that the drawing shows, each with its sign."""
    shown = {n.kind for n in graph.nodes}
    items = "".join(
        f"<li>{sign(kind)} {esc(word)}</li>" for kind, word in words.kinds.items() if kind in shown
    )
    return f'<ul class="legend" aria-label="{esc(words.signs)}">{items}</ul>\n'


def _cut(name: str) -> str:
    return shortened(name, 120)


__all__ = [
    "ANCHORS",
    "TALL",
    "WIDE",
    "GraphLinks",
    "counted",
    "graph_svg",
    "legend",
    "spread",
    "told",
]
