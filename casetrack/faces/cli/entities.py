"""``casetrack entities``, ``entity``, ``together``, ``references`` and ``graph``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casetrack.api.collection.map import Map
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import asks
from casetrack.faces.cli.marks import one_of_edits, said
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import Field, counted, line, one_line, record_table, write_json
from casetrack.faces.cli.quotes import (
    entity_parts,
    reference_parts,
    show_doubtful_match,
    show_others,
    show_place,
    show_quote,
    show_rest,
)
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from casetrack.api.collection import Collection
    from casetrack.base.records import Rows
    from casetrack.base.records.graph import (
        Edge,
        Encounters,
        Entity,
        EntityGraph,
        Quote,
        Reference,
        ReferenceCitations,
    )

OneKind = Literal["any", "person", "organization", "location", "date", "amount", "concept", "court"]
NamedKind = Literal["person", "organization", "location"]
LimitOption = Annotated[
    int, typer.Option("--limit", "-k", metavar="N", min=1, help="How many at most.")
]
_ALIASES = 3


_FIELDS = (
    Field("Name", of="name"),
    Field("Kind", whole=True, of="kind"),
    Field("Mentions", of="mention_count"),
    Field("Documents", of="document_count"),
    Field("What it is", extra=True, of=lambda e: e.office),
    Field("Also written", extra=True, of=lambda e: "; ".join(e.aliases[:_ALIASES])),
    Field("Yours", extra=True, of=lambda e: "yes" if e.edited_by_user else ""),
)
_ALSO = 8
_A_KIND = {"person": "a person", "organization": "an organization", "location": "a location"}
_DOCUMENTS = 10


@asks(Map.entities)
def entities(found: "Rows[Entity]", given: dict[str, Any]) -> None:
    """List the people, organizations, places, dates and amounts that the documents mention."""
    if not found:
        name = given["collection"].info.name
        line(f'Nothing of this kind is mentioned in "{name}".')
        return
    from casetrack.base.records.graph import Entity

    record_table(Entity, _FIELDS, found)
    if len(found) == given["limit"]:
        line((f"The first {len(found):,}; see more with --limit, or one kind with --kind.", "dim"))


def entity(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A person, firm, place, date or amount.")
    ],
    collection: CollectionOption = None,
    kind: Annotated[
        OneKind, typer.Option("--kind", help="Its kind, where a name means several.")
    ] = "any",
    set_kind: Annotated[
        NamedKind | None,
        typer.Option("--set-kind", help="Change its kind: person, organization or location."),
    ] = None,
    limit: LimitOption = 20,
    merge: Annotated[
        str | None,
        typer.Option("--merge", metavar="OTHER", help="Say that OTHER is the same as NAME."),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split", metavar="SPELLING", help="Say that this spelling is somebody else."
        ),
    ] = None,
    as_name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="With --split: who it is.")
    ] = None,
    document: Annotated[
        str | None,
        typer.Option("--in", metavar="DOCUMENT", help="With --split: only in this document."),
    ] = None,
    rename: Annotated[
        str | None, typer.Option("--rename", metavar="NEW", help="Give it another name.")
    ] = None,
    hide: Annotated[bool, typer.Option("--hide", help="Leave it out of all answers.")] = False,
    unhide: Annotated[bool, typer.Option("--unhide", help="Show it again.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back what you said of it last.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where somebody or something is mentioned, each place with its exact source.

    The name may be spelled a little differently from the documents. You have the last word on who
    is who: changes with --merge, --split, --set-kind, --rename and --hide stay when documents are
    read again, and are shown as yours.
    """
    target = ctx.ensure_object(State).collection(collection)
    one_of_edits([merge, split, set_kind, rename, hide, unhide, undo])
    if split is None and (as_name or document):
        raise UsageError(
            "--as and --in say more of --split.",
            hint='Such as: casetrack entity "John Smith" --split Smith --in Lease.pdf',
        )
    marks = target.marks
    if kind != "any" and any([merge, split, set_kind, rename, hide]):
        name = marks.id_of(name, kind=kind)
    if merge is not None:
        placed = marks.merge(name, merge)
        told = f"Merged {placed.mark.other_name} into {placed.mark.entity_name}."
    elif split is not None:
        placed = marks.split(name, split, as_name=as_name, document=document)
        where = f" in {placed.mark.document_name}" if placed.mark.document_name else ""
        who = placed.mark.other_name or placed.mark.value
        told = (
            f'Split "{placed.mark.value}"{where} from {placed.mark.entity_name}: '
            f"it belongs to {who} ({placed.mark.other_id})."
        )
    elif rename is not None:
        placed = marks.rename(name, rename)
        told = f"Renamed {placed.mark.entity_name} to {placed.mark.value}."
    elif hide:
        placed = marks.hide(name)
        told = f"Hid {placed.mark.entity_name} from all answers."
    elif unhide or undo:
        placed, told = marks.unhide(name) if unhide else marks.undo_edit(name), ""
    elif set_kind is not None:
        placed = marks.set_kind(name, set_kind)
        told = f"Changed {placed.mark.entity_name} to {_A_KIND[set_kind]}."
    else:
        _show(target, name, kind, limit, as_json=as_json)
        return
    said(placed, told, as_json=as_json)


def _show(target: "Collection", name: str, kind: OneKind, limit: int, *, as_json: bool) -> None:
    found = target.map.entity_mentions(name, kind=kind, limit=limit)
    if as_json:
        write_json(found.as_dict())
        return
    e = found.entity
    line(*entity_parts(e))
    if (copied := found.total - e.mention_count) > 0:
        line((f"and {counted(copied, 'mention')} in copies of these mails", "dim"), indent=2)
    show_doubtful_match(name, found.score)
    if e.aliases:
        line(("Also written: ", "bold"), "; ".join(one_line(a) for a in e.aliases[:_ALSO]))
    for edit in found.edits:
        line((one_line(edit), "green"))
    for _, document, count in found.documents[:_DOCUMENTS]:
        line(f"{document}  ", (counted(count, "mention"), "dim"), indent=2)
    rest = len(found.documents) - _DOCUMENTS
    if rest > 0:
        line((f"and {counted(rest, 'more document', 'more documents')}", "dim"), indent=2)
    if others := found.matches[1:]:
        names = {d.document_id: d.name for d in target.documents()}
        show_others(
            (f"{m.name} ({m.kind})", names.get(m.first_document_id, ""), m.entity_id)
            for m in others
        )
    for number, mention in enumerate(found.mentions, 1):
        line()
        show_quote(mention.quote, label=f"{number}. ")
    show_rest(len(found.mentions), found.total, "mentions", "ask with a higher --limit.")


@asks(Map.encounters)
def together(found: "Encounters", _given: dict[str, Any]) -> None:
    """Find the passages that mention several people, firms or things together."""
    for each in found.entities:
        line(*entity_parts(each))
    line(f"{counted(found.total, 'passage mentions', 'passages mention')} two or more of them.")
    called = {e.entity_id: one_line(e.name) for e in found.entities}
    for number, met in enumerate(found.encounters, 1):
        line()
        who = " + ".join(called.get(i, i) for i in met.entities)
        line(f"{number}. ", (who, "bold"), (f"  {counted(met.mention_count, 'place')}", "dim"))
        for quote in _different(met.quotes):
            show_quote(quote, indent=3, with_id=False)
        show_place(met.chunk.provenance, indent=3)
    show_rest(len(found.encounters), found.total, "passages", "ask with a higher --limit.")


def _different(quotes: "Iterable[Quote]") -> "list[Quote]":
    """Return the quotes of a passage, those once that show the same words of the same place."""
    return list({(q.citation, q.snippet): q for q in quotes}.values())


# ``casetrack references``: what the documents refer to, and where they do.

_FIELDS_OF_REFERENCES = (
    Field("Reference", of="name"),
    Field("Kind", whole=True, of="type"),
    Field("Citations", of="citation_count"),
    Field("Documents", of="document_count"),
    Field("Is the document", extra=True, of="target_document"),
)


def references(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One of them, to see where it is cited.")
    ] = None,
    collection: CollectionOption = None,
    kind: Annotated[
        Literal[
            "all",
            "document",
            "report",
            "standard",
            "regulation",
            "rule",
            "constitution",
            "case",
            "record",
            "section",
            "exhibit",
            "link",
        ],
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only document, report, standard, regulation, rule, constitution, case, record "
            "or link; sections and exhibits "
            "of the documents themselves are listed on request: section, exhibit.",
        ),
    ] = "all",
    sort: Annotated[
        Literal["citations", "documents", "name"],
        typer.Option("--sort", help="What to sort by; the most first, names by the alphabet."),
    ] = "citations",
    limit: LimitOption = 30,
    as_json: JsonOption = False,
) -> None:
    """List the laws, standards, cases and documents that are cited, or where one of them is."""
    target = ctx.ensure_object(State).collection(collection)
    if name is not None:
        cited = target.map.reference_citations(name, limit=limit)
        if as_json:
            write_json(cited.as_dict())
        else:
            _show_citations(cited, {d.document_id: d.name for d in target.documents()})
        return
    found = target.map.references(type=kind, sort_by=sort, limit=limit)
    if as_json:
        write_json([r.as_dict() for r in found])
        return
    if not found:
        line(f'Nothing of this kind is cited in "{target.info.name}".')
        return
    from casetrack.base.records.graph import Reference

    record_table(Reference, _FIELDS_OF_REFERENCES, found)
    if len(found) == limit:
        line((f"The first {limit:,}; see more with --limit, or one kind with --kind.", "dim"))


def _show_citations(found: "ReferenceCitations", names: "Mapping[str, str]") -> None:
    line(*reference_parts(found.reference))
    if own := _own_document(found.reference, names):
        line(("In: ", "bold"), own)
    show_doubtful_match(found.query, found.score)
    show_others(
        (f"{m.name} ({m.type})", _own_document(m, names), m.reference_id) for m in found.matches[1:]
    )
    for number, each in enumerate(found.citations, 1):
        line()
        note = each.relationship.replace("_", " ")
        show_quote(each.quote, label=f"{number}. ", note=f"({note})" if note else "")
    show_rest(len(found.citations), found.total, "citations", "ask with a higher --limit.")


def _own_document(reference: "Reference", names: "Mapping[str, str]") -> str:
    """Return the document that a section or exhibit belongs to; its id ends with that of it."""
    return names.get(reference.reference_id.rpartition("@")[2], "")


# ``casetrack graph``: who and what belongs together.

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
