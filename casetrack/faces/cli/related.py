"""``casetrack related`` and ``similar``: what belongs to a document or a passage."""

from typing import Annotated, Literal

import typer

from casetrack.base.records.graph import RelationType
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import line, one_line, write_json
from casetrack.faces.cli.quotes import show_quote
from casetrack.faces.cli.state import State

RELATION_NAMES = {
    "shared_entities": "Shared names",
    "shared_references": "Shared references",
    "semantic": "Similar content",
    "explicit": "Refers to it",
    "version": "Version",
    "response_to": "Reply",
    "amends": "Amendment",
    "attachment": "Attachment",
    "restates": "Restatement",
    "supplements": "Supplement",
    "schedule_of": "Schedule",
    "exhibit_of": "Exhibit",
    "made_under": "Made under it",
    "bills": "Invoice",
    "interim_of": "Quarterly report",
    "forward_of": "Forward",
    "same_thread": "Same thread",
    "copy": "Copy",
}
_REVERSED = {
    "explicit": "Referred to by it",
    "response_to": "Replied to by it",
    "amends": "Amended by it",
    "attachment": "Holds it as an attachment",
    "restates": "Restated by it",
    "supplements": "Supplemented by it",
    "schedule_of": "Has it as a schedule",
    "exhibit_of": "Has it as an exhibit",
    "made_under": "Its contract",
    "bills": "Charged for by it",
    "interim_of": "Annual report of its year",
    "forward_of": "Forwarded by it",
    "copy": "The mail that counts",
}
_QUOTES = 2


def related(
    ctx: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="Name, path or ID of the document.")
    ],
    collection: CollectionOption = None,
    relation: Annotated[
        Literal["all", RelationType],
        typer.Option(
            "--relation",
            metavar="HOW",
            help="Only documents related in this way; a wrong one lists all ways.",
        ),
    ] = "all",
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, max=50, help="How many documents at most."
        ),
    ] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find the documents that belong to another one, and say why, with the exact source."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.related_documents(document, relation=relation, limit=limit)
    if as_json:
        write_json([r.as_dict() for r in found])
        return
    if not found:
        line("No other document is related to it in this way.")
    for number, each in enumerate(found):
        if number:
            line()
        line((each.document.name, "bold cyan"), (f"  strength {each.weight:.2f}", "dim"))
        quoted: set[tuple[str, str]] = set()  # one place may speak for several relations
        for why in each.relations:
            line(
                (f"{_name(why.type, why.outgoing)}: ", "bold"), one_line(why.description), indent=2
            )
            for quote in why.quotes[:_QUOTES]:
                if (place := (quote.citation, quote.snippet)) not in quoted:
                    quoted.add(place)
                    show_quote(quote, indent=4)


def _name(kind: str, outgoing: bool | None) -> str:
    """Return what a relation is called, seen from the other document where it has a direction."""
    name = RELATION_NAMES.get(kind, kind.replace("_", " ").capitalize())
    return name if outgoing is not False else _REVERSED.get(kind, name)


def similar(
    ctx: typer.Context,
    chunk_id: Annotated[
        str, typer.Argument(metavar="ID", help="A chunk's id, as search results give it.")
    ],
    collection: CollectionOption = None,
    same: Annotated[
        bool, typer.Option("--same", help="Look in the chunk's own document as well.")
    ] = False,
    least: Annotated[
        float,
        typer.Option(
            "--least", metavar="X", min=0.0, max=1.0, help="How similar at least, 0 to 1."
        ),
    ] = 0.6,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, max=50, help="How many passages at most."
        ),
    ] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find passages in other documents that mean nearly the same as one of them."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.similar_chunks(
        chunk_id, exclude_same_document=not same, min_similarity=least, limit=limit
    )
    if as_json:
        write_json([s.as_dict() for s in found])
        return
    from casetrack.faces.cli.passages import show_passage

    if not found:
        line(f"No passage is as similar as {least:g}; try a lower --least.")
    for number, each in enumerate(found):
        if number:
            line()
        line((f"--- similarity {each.similarity:.2f} ---", "dim"))
        show_passage(each.chunk)
