"""``casetrack references``: what the documents refer to, and where they do."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from casetrack.faces.cli.entities import LimitOption
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import Field, line, record_table, write_json
from casetrack.faces.cli.quotes import (
    reference_parts,
    show_doubtful_match,
    show_others,
    show_quote,
    show_rest,
)
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records.graph import Reference, ReferenceCitations

_FIELDS = (
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

    record_table(Reference, _FIELDS, found)
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
