"""The docket of a case: its entries, and the documents with their numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from casetrack.base.errors import UsageError
from casetrack.editions.legal.operation import READS, Arg, operation
from casetrack.editions.legal.records.dockets import Docket, DocketLine
from casetrack.extract.papers.docket_sheet import read_entries
from casetrack.graph.paper_sources import by_entry
from casetrack.store.passages import whole_text

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


@operation("docket", READS)
def read_docket(
    collection: Collection,
    name: Annotated[str, Arg("The docket among the documents.", "DOCUMENT")],
    /,
) -> Docket:
    """Return the entries of a court's docket, each with its documents; *name* is the docket."""
    document = collection.document(name)
    if document.legal_detail != "docket":
        raise UsageError(
            f'"{document.name}" is not a docket of a court.',
            hint="A docket is the list of filings in a court's system: save it as HTML or PDF, "
            "ingest it, and name it in this command.",
        )
    snapshot = collection.workspace.state().snapshot
    entries = read_entries(whole_text(snapshot, document.document_id))
    papers = by_entry(collection.documents(), document.case_number)
    names = {number: tuple(d.name for d in held) for number, held in papers.items()}
    lines = (DocketLine(**asdict(e), papers=names.get(e.number or "", ())) for e in entries)
    return Docket(document, tuple(lines))
