"""``casetrack graph``: who and what belongs together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import counted, line, one_line, write_json
from casetrack.faces.cli.quotes import entity_parts, show_quote
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records.graph import Edge, Entity, EntityGraph

_LINKS = 5


def graph(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Whom to put in the middle; else the best connected ones."
        ),
    ] = None,
    collection: CollectionOption = None,
    depth: Annotated[
        int,
        typer.Option(
            "--depth", metavar="N", min=1, max=4, help="How many steps away from the middle."
        ),
    ] = 2,
    limit: Annotated[
        int,
        typer.Option("--limit", "-k", metavar="N", min=1, max=100, help="How many names at most."),
    ] = 20,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write it as a drawing with its passages to this .html file.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who and what the documents mention together, each link with its best source."""
    target = ctx.ensure_object(State).collection(collection)
    if html is not None:
        from casetrack.api.viewer import entity_graph_page, sheet_path, write_sheet

        sheet_path(html, "graph")
    found = target.map.graph(name, depth=depth, limit=limit)
    if html is not None:
        path = write_sheet(html, "graph", entity_graph_page(target.workspace.state(), found))
        if as_json:
            write_json({"file": str(path)})
        else:
            line(("Wrote ", "bold"), str(path))
        return
    if as_json:
        write_json(found.as_dict())
        return
    show_graph(found)


def show_graph(found: "EntityGraph", /) -> None:
    """Write a graph as text: every name once, below it its links to the names that follow."""
    if not found.nodes:
        line(f'Nobody and nothing is mentioned together in "{found.collection}".')
        return
    line(
        (found.collection, "bold cyan"),
        f"  {counted(len(found.nodes), 'name')}, {counted(len(found.edges), 'link')}",
    )
    told: set[int] = set()
    quoted: set[str] = set()
    called = {node.entity_id: node for node in found.nodes}
    for place, node in enumerate(found.nodes):
        line()
        away = found.distances[place] if found.distances else 0
        steps = f"  {counted(away, 'step')} away" if away > 0 else ""
        line(*entity_parts(node), (steps, "dim"))
        links = [
            (number, edge)
            for number, edge in enumerate(found.edges)
            if number not in told and node.entity_id in (edge.source, edge.target)
        ]
        told.update(number for number, _ in links)
        for _, edge in links[:_LINKS]:
            other = edge.target if edge.source == node.entity_id else edge.source
            _show_edge(edge, called.get(other), other, quoted)
        if len(links) > _LINKS:
            weaker = counted(len(links) - _LINKS, "weaker link")
            line((f"and {weaker}; --json has all", "dim"), indent=2)


def _show_edge(edge: "Edge", other: "Entity | None", key: str, quoted: set[str]) -> None:
    name = one_line(other.name) if other is not None else key
    together = counted(edge.count, "passage")
    line("with ", (name, "bold"), (f"  {together}, strength {edge.weight:.2f}", "dim"), indent=2)
    if edge.quote is None:
        return
    place = f"{edge.quote.chunk_id} {edge.quote.char_start} {edge.quote.char_end}"
    if place in quoted:
        line((edge.quote.citation, "cyan"), ("  as above", "dim"), indent=4)
        return
    quoted.add(place)
    show_quote(edge.quote, indent=4)
