"""Draws names and what connects them as SVG, for pages and for notebooks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.api.viewer.force import place_nodes
from casetrack.api.viewer.symbols import LABEL_SIZE, label_lines, radius_of, text_width
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.viewer.words import Words
    from casetrack.base.records.graph import Edge, Entity, EntityGraph

WIDE, TALL = 760.0, 350.0
"""Widths of the two drawings of a page, in pixels: for screens, and for telephones."""
_GAP = 4.0


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
    most = max((n.mention_count for n in graph.nodes), default=1)
    radii = [radius_of(n, most) for n in graph.nodes]
    labels = [label_lines(n.name) for n in graph.nodes]
    boxes = [_box(r, rows) for r, rows in zip(radii, labels, strict=True)]
    numbers = {n.entity_id: i for i, n in enumerate(graph.nodes)}
    edges = [
        (number, edge, numbers[edge.source], numbers[edge.target])
        for number, edge in enumerate(graph.edges)
        if edge.source in numbers and edge.target in numbers and edge.source != edge.target
    ]
    springs = [(a, b, max(edge.weight, 1e-3)) for _, edge, a, b in edges]
    low = 0.55 * width if len(boxes) > 4 else 0.3 * width
    layout = place_nodes(boxes, springs, width=width, least_height=low)
    return rendered(
        "graph_svg.html",
        graph=graph,
        links=links,
        words=words,
        layout=layout,
        radii=radii,
        labels=labels,
        edges=edges,
        strongest=max((w for *_, w in springs), default=1.0),
        faint=_faint(len(springs)),
        # The middles of the shapes: the label stands below, in the same box.
        middles=[
            (x, y - box[1] / 2 + r)
            for (x, y), box, r in zip(layout.points.tolist(), boxes, radii, strict=True)
        ],
        spread=spread,
        gap=_GAP,
        size=LABEL_SIZE,
    )


def _faint(edges: int) -> float:
    """Return how opaque lines are: the more there are, the fainter, or they cover the names."""
    return 0.22 * min(1.0, math.sqrt(100 / max(edges, 1)))


def _box(radius: float, rows: tuple[str, ...]) -> tuple[float, float]:
    wide = max(2 * radius, *(text_width(row) for row in rows))
    return wide, 2 * radius + _GAP + LABEL_SIZE * 1.2 * len(rows)


def spread(node: Entity, words: Words = ENGLISH, /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return words.spread.format(
        mentions=words.counted("mention", node.mention_count),
        documents=words.counted("document", node.document_count),
    )


def legend(graph: EntityGraph, words: Words = ENGLISH, /) -> str:
    """Return the kinds that the drawing shows, each with its sign."""
    return rendered("legend.html", words=words, shown={n.kind for n in graph.nodes})


__all__ = ["ANCHORS", "TALL", "WIDE", "GraphLinks", "graph_svg", "legend", "spread"]
