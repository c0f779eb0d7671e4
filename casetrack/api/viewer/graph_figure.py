"""Draws names and their links as SVG, for pages and for notebooks."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from casetrack.api.viewer.gather import draw, evidence_only, graph_quotes, mentioned, picture_order
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import figure_style, sheet
from casetrack.api.viewer.symbols import (
    ENGLISH,
    KIND_WORDS,
    LABEL_SIZE,
    Words,
    counted,
    label_lines,
    radius_of,
    shortened,
    text_width,
)
from casetrack.api.viewer.templating import rendered
from casetrack.base.records.graph import ENTITY_KINDS, MAIL, NAME_KINDS, Edge, Entity, EntityGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.api.viewer.gather import GraphQuotes
    from casetrack.api.viewer.quotes import Place
    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Correspondence
    from casetrack.store.workspace import State

    Floats = NDArray[np.float64]

# Places the nodes of a graph: connected ones near each other, no label on top of another.
#
# A spring model after Fruchterman and Reingold (1991) on a frame of fixed width, then boxes that
# still overlap are pushed apart. The same graph always gives the same picture.

_ROUNDS = 240
_PUSHES = 200
_PADDING = 7.0
_HAIR = 1e-6
_EVEN = 0.7
"""Weight of the ranks in the coordinates of nodes, 0 to 1."""
_ROOM = 2.6
"""Area of the frame as a multiple of the area of all boxes."""
_GOLDEN = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Middle of each box, float64 [nodes, 2] in pixels from the top left, and the frame's size."""

    points: Floats
    width: float
    height: float


def place_nodes(
    boxes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int, float]],
    /,
    *,
    width: float,
    least_height: float = 0.0,
) -> Layout:
    """Place nodes in a frame so that no two boxes overlap, unless one is wider than the frame.

    *boxes* are widths and heights of the nodes with their labels, in pixels; the first node starts
    in the middle. *edges* are two node numbers and the strength of their link, greater than 0. The
    frame is at least *least_height* high, and higher if the boxes need it.
    """
    sizes = np.asarray(boxes, dtype=np.float64).reshape(-1, 2)
    count = len(sizes)
    if count == 0:
        return Layout(np.zeros((0, 2)), width, least_height)
    area = float(((sizes[:, 0] + _PADDING) * (sizes[:, 1] + _PADDING)).sum())
    frame = np.array([width, max(least_height, area * _ROOM / width)])
    points = _springs(count, edges, frame)
    points = _apart(points * frame, sizes + _PADDING, width)
    top = float((points[:, 1] - sizes[:, 1] / 2).min()) - _PADDING
    points[:, 1] -= top
    bottom = float((points[:, 1] + sizes[:, 1] / 2).max()) + _PADDING
    if bottom < least_height:
        points[:, 1] += (least_height - bottom) / 2
    return Layout(points, width, max(bottom, least_height))


def _springs(count: int, edges: Sequence[tuple[int, int, float]], frame: Floats) -> Floats:
    """Return points in the unit square."""
    number = np.arange(count)
    radius = 0.45 * np.sqrt(number / max(count - 1, 1))
    turn = number * _GOLDEN
    points = 0.5 + np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    pull = np.zeros((count, count))
    strongest = max((weight for *_, weight in edges), default=1.0)
    for a, b, weight in edges:
        pull[a, b] = pull[b, a] = 0.25 + 0.75 * weight / strongest
    np.fill_diagonal(pull, 0.0)
    # Distances are measured as seen in the frame, where one side may be longer.
    shape = frame / np.sqrt(frame.prod())
    ideal = 0.8 / np.sqrt(count)
    for step in range(_ROUNDS):
        apart = (points[:, None] - points[None]) * shape
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-3)
        force = ideal**2 / distance**2 - pull * distance / ideal
        moved = (apart * force[..., None]).sum(axis=1) - 2.5 * (points - 0.5) * shape * ideal
        length = np.maximum(np.sqrt((moved**2).sum(axis=1, keepdims=True)), 1e-9)
        heat = 0.1 * (1 - step / _ROUNDS) ** 1.5 + 1e-4
        points = points + moved / length * np.minimum(length, heat) / shape
    return _spread(points)


def _spread(points: Floats) -> Floats:
    """Use the whole frame: spread crowded nodes, and move distant nodes nearer.

    Coordinates are mixed with their ranks, which keeps the order of the nodes on each axis.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    if (size < _HAIR).any():
        return np.asarray(0.5 + 0.9 * (points - (low + high) / 2) / np.maximum(size.max(), _HAIR))
    ranks = points.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    mixed = (1 - _EVEN) * (points - low) / size + _EVEN * ranks / (len(points) - 1)
    return np.asarray(0.05 + 0.9 * mixed)


def _apart(points: Floats, sizes: Floats, width: float) -> Floats:
    """Push boxes apart until none overlaps: sideways within the frame, vertically without limit."""
    half = np.minimum(sizes[:, 0] / 2, width / 2)
    need = (sizes[:, None] + sizes[None]) / 2
    # The later of two nodes in one place goes below.
    side = np.sign(np.arange(len(sizes))[:, None] - np.arange(len(sizes))[None])
    for _ in range(_PUSHES):
        points[:, 0] = points[:, 0].clip(half, width - half)
        gap = points[:, None] - points[None]
        over = need - np.abs(gap)
        hits = (over > _HAIR).all(axis=2) & (side != 0)
        if not hits.any():
            return points
        direction = np.where(gap == 0, side[..., None], np.sign(gap))
        sideways = over[..., 0] < over[..., 1]
        move = np.where(hits, 0.26, 0.0)
        points[:, 0] += (move * sideways * over[..., 0] * direction[..., 0]).sum(axis=1)
        points[:, 1] += (move * ~sideways * over[..., 1] * direction[..., 1]).sum(axis=1)
    points[:, 0] = points[:, 0].clip(half, width - half)
    return _downwards(points, need)


def _downwards(points: Floats, need: Floats) -> Floats:
    """From top to bottom, move each box below those that it overlaps."""
    placed: list[int] = []
    for node in np.argsort(points[:, 1], kind="stable").tolist():
        while blocks := [
            points[other, 1] + need[node, other, 1]
            for other in placed
            if (need[node, other] - np.abs(points[node] - points[other]) > _HAIR).all()
        ]:
            points[node, 1] = max(blocks)
        placed.append(node)
    return points


WIDE, TALL = 760.0, 350.0
"""Widths of the two drawings of a page, in pixels: for screens and phones."""
_GAP = 4.0


@dataclass(frozen=True, slots=True)
class GraphLinks:
    """Functions from the number (from 0) of a name or a line in the graph to its address."""

    name: Callable[[int, Entity], str]
    line: Callable[[int, Edge], str]


ANCHORS = GraphLinks(lambda number, _: f"#name-{number}", lambda number, _: f"#link-{number}")
"""Links to entries of the same page."""


def graph_svg(
    graph: EntityGraph,
    /,
    *,
    width: float = WIDE,
    links: GraphLinks | None = None,
    words: Words = ENGLISH,
) -> str:
    """Draw a graph as an ``svg`` element that ``figure.css`` styles; *width* is in pixels.

    The height follows from the number of nodes. Without *links*, nodes and edges have no link.
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
        faint=0.22 * min(1.0, math.sqrt(100 / max(len(springs), 1))),
        # Only the middles of the shapes: the label is below the shape, in the same box.
        middles=[
            (x, y - box[1] / 2 + r)
            for (x, y), box, r in zip(layout.points.tolist(), boxes, radii, strict=True)
        ],
        spread=spread,
        wedge=_wedge,
        gap=_GAP,
        size=LABEL_SIZE,
    )


def _wedge(start: tuple[float, float], end: tuple[float, float], width: float) -> str:
    """Return the corners of a wedge as SVG, *width* pixels wide at its start."""
    (x, y), (to_x, to_y) = start, end
    half = width / 2 / max(math.hypot(to_x - x, to_y - y), _HAIR)
    aside, up = half * (y - to_y), half * (to_x - x)
    return f"{x + aside:.1f},{y + up:.1f} {x - aside:.1f},{y - up:.1f} {to_x:.1f},{to_y:.1f}"


def _box(radius: float, rows: tuple[str, ...]) -> tuple[float, float]:
    wide = max(2 * radius, *(text_width(row) for row in rows))
    return wide, 2 * radius + _GAP + LABEL_SIZE * 1.2 * len(rows)


def spread(node: Entity, words: Words = ENGLISH, /) -> str:
    """Return counts of mentions and documents: ``892 mentions in 45 documents``."""
    mentions = counted(node.mention_count, "mention", words=words)
    documents = counted(node.document_count, "document", words=words)
    return words.phrase("{count} in {documents}").format(count=mentions, documents=documents)


def legend(graph: EntityGraph, words: Words = ENGLISH, /) -> str:
    """Return the kinds that the drawing shows, each with its sign."""
    return rendered("legend.html", words=words, shown={n.kind for n in graph.nodes})


__all__ = ["ANCHORS", "TALL", "WIDE", "GraphLinks", "graph_svg", "legend", "spread"]


# The graph of a collection as one page of HTML: names, their links, and the evidence.

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


# Draws who sent mails to whom: a graph of wedges, and a table with the days of each pair.

_DRAWN = 24  # Pairs in the drawing; the table has all
_WIDE = 620.0


def mail_figure(
    exchanges: Sequence[Correspondence],
    /,
    *,
    link: Callable[[str], str] | None = None,
    is_drawn: bool = True,
    words: Words = ENGLISH,
) -> str:
    """Return a drawing and a table as HTML; *link* returns the address of an entity.

    The table has a row for each pair, most mails first.
    """
    days = [date.fromisoformat(d) for e in exchanges for d in (e.since, e.until) if d]
    graph = _graph(exchanges[:_DRAWN])
    links = link and GraphLinks(lambda _, node: link(node.entity_id), lambda n, _: f"#mails-{n}")
    return rendered(
        "mails.html",
        exchanges=exchanges,
        drawings=[
            (name, graph_svg(graph, width=width, links=links, words=words))
            for name, width in (("wide", _WIDE), ("tall", TALL))
            if is_drawn and graph.edges
        ],
        first=min(days, default=None),
        last=max(days, default=None),
        day=date.fromisoformat,
        link=link,
        words=words,
    )


def _graph(exchanges: Sequence[Correspondence]) -> EntityGraph:
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for each in exchanges:
        names |= {each.sender_id: each.sender, each.recipient_id: each.recipient}
        counts.update({each.sender_id: each.mails, each.recipient_id: each.mails})
    most = max((e.mails for e in exchanges), default=1)
    return EntityGraph(
        collection="",
        center=None,
        nodes=tuple(
            Entity(end, kind, names[end], (), count, 0, 0, None, "", "")
            for end, count in counts.most_common()
            for kind in [next((k for k in NAME_KINDS if end.startswith(f"{k}:")), ENTITY_KINDS[-1])]
        ),
        distances=(),
        edges=tuple(
            Edge(e.sender_id, e.recipient_id, MAIL, e.mails / most, e.mails, ()) for e in exchanges
        ),
    )
