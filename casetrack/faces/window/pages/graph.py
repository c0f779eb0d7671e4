"""Related entities, and references in the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.collection.map import Map
from casetrack.api.viewer.graph_figure import GraphLinks
from casetrack.base.records.graph.changes import REFERENCE_TYPES
from casetrack.faces.window.asking import answered, wanted
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
    collection, given = visit.collection, wanted(visit, Map.graph)
    entity_graph = answered(visit, Map.graph, given)
    between = visit.asked_all("between")[:5]

    def here(**changed: object) -> str:
        asked = {each: visit.asked(each) for each in given}
        return address("c", collection.name, "graph", **(asked | changed))

    def of_name(_number: int, node: Entity) -> str:
        return here(name=node.entity_id)

    def of_line(_number: int, edge: Edge) -> str:
        return here(between=[edge.source, edge.target]) + "#between"

    together = collection.map.encounters(between, limit=_PASSAGES) if len(between) > 1 else None
    return visit.page(
        "graph.html",
        graph=entity_graph,
        drawings=drawn_graph(visit.texts, entity_graph, GraphLinks(of_name, of_line)),
        legend=graph_legend(visit.texts, entity_graph),
        edges=_named_edges(entity_graph)[:_LINKS],
        together=together,
        **given,
        depths=_DEPTHS,
        limits=_NAMES,
        at=here,
    )


def _named_edges(entity_graph: EntityGraph) -> list[tuple[Edge, Entity, Entity]]:
    """Return the edges with both entities; edges of the center come first."""
    nodes = {n.entity_id: n for n in entity_graph.nodes}
    center = entity_graph.center.entity_id if entity_graph.center else None
    named = [
        (e, nodes[e.source], nodes[e.target])
        for e in entity_graph.edges
        if e.source in nodes and e.target in nodes
    ]
    return sorted(named, key=lambda each: center not in {each[0].source, each[0].target})


# References in the documents, whether their target is in the collection, and their places.

_PER_SHEET = 200
_PLACES = 50
_MOST = 1000
_THERE = {"there": True, "missing": False}


def references(visit: Visit, /) -> Response:
    """List the references in the documents."""
    presence, sheet = visit.asked("there"), visit.asked_number("sheet", 1)
    given = wanted(visit, Map.references, {"type": "kind", "sort_by": "order"})
    given |= {"named": visit.asked("name") or None, "there": _THERE.get(presence)}
    part = {"skip": (sheet - 1) * _PER_SHEET, "limit": _PER_SHEET}
    result = answered(visit, Map.references, given | part)
    if not result and sheet > 1:
        return visit.see(visit.address_without("sheet"))
    return visit.page(
        "references.html",
        references=result,
        total=result.total,
        kind=given["type"],
        kinds=("all", *REFERENCE_TYPES),
        order=given["sort_by"],
        name=visit.asked("name"),
        there=presence if presence in _THERE else "",
        **visit.sheets(result.total, _PER_SHEET),
    )


def reference(visit: Visit, /) -> Response:
    """Show the places of a reference."""
    given = wanted(visit, Map.reference_citations, limit=_PLACES)
    given["name"] = visit.request.path_params["reference"]
    result = answered(visit, Map.reference_citations, given)
    return visit.page("reference.html", result=result, most=_MOST, **given)


PAGES = (
    Page("graph", "graph", graph, needs_map=True, of=("graph",)),
    Page("references", "references", references, needs_map=True, of=("references",)),
    Page("reference", "references/{reference:path}", reference, needs_map=True),
)
