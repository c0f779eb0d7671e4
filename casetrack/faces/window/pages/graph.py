"""Who belongs together, and what the documents refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.map import Map
from casetrack.api.operation import choices
from casetrack.api.viewer.graph_figure import GraphLinks
from casetrack.base.records.graph.changes import REFERENCE_TYPES
from casetrack.faces.window.drawings import drawn_graph, graph_legend
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.base.records.graph import Edge, Entity, EntityGraph
    from casetrack.faces.window.visit import Visit

_NAMES = (12, 20, 40, 80)
_DEPTHS = (1, 2, 3, 4)
_LINKS = 60
_PASSAGES = 20


def graph(visit: Visit, /) -> Response:
    """Show the names that belong together, around one of them or as a whole."""
    collection, name = visit.collection, visit.asked("name")
    depth = visit.asked_number("depth", 2, high=_DEPTHS[-1])
    limit = visit.asked_number("limit", 20, high=_NAMES[-1])
    found = collection.map.graph(name or None, depth=depth, limit=limit)
    between = visit.asked_all("between")[:5]

    def here(**changed: object) -> str:
        given = {"name": name, "depth": visit.asked("depth"), "limit": visit.asked("limit")}
        return address("c", collection.name, "graph", **(given | changed))

    def of_name(_number: int, node: Entity) -> str:
        return here(name=node.entity_id)

    def of_line(_number: int, edge: Edge) -> str:
        return here(between=[edge.source, edge.target]) + "#between"

    together = collection.map.encounters(between, limit=_PASSAGES) if len(between) > 1 else None
    return visit.page(
        "graph.html",
        collection=collection,
        graph=found,
        drawings=drawn_graph(visit.texts, found, GraphLinks(of_name, of_line)),
        legend=graph_legend(visit.texts, found),
        edges=_named_edges(found)[:_LINKS],
        together=together,
        name=name,
        depth=depth,
        limit=limit,
        depths=_DEPTHS,
        limits=_NAMES,
        at=here,
    )


def _named_edges(found: EntityGraph) -> list[tuple[Edge, Entity, Entity]]:
    """Return the lines with their ends; around a name those that lead to it come first."""
    nodes = {n.entity_id: n for n in found.nodes}
    center = found.center.entity_id if found.center else None
    named = [
        (e, nodes[e.source], nodes[e.target])
        for e in found.edges
        if e.source in nodes and e.target in nodes
    ]
    return sorted(named, key=lambda each: center not in {each[0].source, each[0].target})


_GRAPH_PAGES = (
    Page("graph", "/c/{collection}/graph", graph, needs_map=True, of=("graph", "together")),
)


# What the documents refer to, what of it is there, and where it is cited.

_PER_SHEET = 200
_PLACES = 50
_MOST = 1000
_THERE = {"there": True, "missing": False}


def references(visit: Visit, /) -> Response:
    """List what the documents refer to."""
    there = visit.asked("there")
    kind = visit.asked_word("kind", choices(Map.references, "type"), "all")
    order = visit.asked_word("order", choices(Map.references, "sort_by"), "citations")
    sheet = visit.asked_number("sheet", 1)
    found = visit.collection.map.references(
        type=kind,
        sort_by=order,
        named=visit.asked("name") or None,
        there=_THERE.get(there),
        skip=(sheet - 1) * _PER_SHEET,
        limit=_PER_SHEET,
    )
    if not found and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "references.html",
        collection=visit.collection,
        references=found,
        total=found.total,
        kind=kind,
        kinds=("all", *REFERENCE_TYPES),
        order=order,
        name=visit.asked("name"),
        there=there if there in _THERE else "",
        sheet=sheet,
        sheets=max(1, -(-found.total // _PER_SHEET)),
    )


def reference(visit: Visit, /) -> Response:
    """Show where something is referred to."""
    limit = visit.asked_number("limit", _PLACES, high=_MOST)
    name = visit.request.path_params["reference"]
    found = visit.collection.map.reference_citations(name, limit=limit)
    return visit.page(
        "reference.html", collection=visit.collection, found=found, limit=limit, most=_MOST
    )


PAGES = (
    *_GRAPH_PAGES,
    Page(
        "references", "/c/{collection}/references", references, needs_map=True, of=("references",)
    ),
    Page("reference", "/c/{collection}/references/{reference:path}", reference, needs_map=True),
)
