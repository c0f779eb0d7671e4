"""The citator of a case file."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.types import Spread
from casetrack.editions.legal.citator import citator
from casetrack.editions.legal.mcp.locating import CaseName, locate_case
from casetrack.editions.legal.mcp.told import quoting
from casetrack.editions.legal.records.citator import Citator, CitingPlace
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.render.pieces import counted, one_line
from casetrack.faces.mcp.results import bounded_source, portion
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import READS, Offset, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


class CitatorOutput(outputs.Quoting, outputs.Paged):
    """An authority and the places that cite it, those that speak against it first."""

    found: Annotated[Citator, Spread()]


class CitatorTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Citator",
        READS,
        description="Who in the case file cites an authority: each place with its signal (see, but "
        "see, cf.), what is said of it (overruled by, distinguished), the sentence and the exact "
        "source. It knows the documents of this case only.",
        sets=("search", "map", "legal"),
    )
    async def citator(
        self,
        authority: Annotated[
            str,
            Field(
                description="Case name or short name, reporter, statute, rule or docket entry "
                "(e.g., 'Daubert', '509 U.S. 579', '42 U.S.C. 1983')"
            ),
        ],
        offset: Offset = 0,
        case: CaseName = None,
    ) -> Annotated[CallToolResult, CitatorOutput]:
        """Look up who cites an authority."""
        found = await locate_case(self._session, case)
        return await in_thread(partial(_answer, found, authority, offset))


def _answer(case: "Collection", authority: str, offset: int) -> CallToolResult:
    found = citator(case, authority)
    shown = portion(found.places, _entry, _block, offset=offset)
    facts = found.as_dict() | {"places": shown.entries}
    sources = [place.quote.provenance for place in shown.items]
    return quoting(case, _head(found), shown, found.notes, sources, facts | {"offset": offset})


def _head(found: Citator) -> str:
    said = {**found.treatments, **found.signals}
    places = f"{counted(found.total, 'citation')} in {counted(found.document_count, 'document')}"
    lines = [
        f"{one_line(found.name)} ({found.kind}): {places}",
        *(["Said of it: " + ", ".join(f"{n} ({c})" for n, c in said.items())] if said else []),
        *([f"In the file: {one_line(found.source_document)}"] if found.source_document else []),
    ]
    return "\n".join(lines)


def _entry(place: CitingPlace) -> dict[str, Any]:
    source = bounded_source(place.quote.provenance)
    return replace(place, quote=replace(place.quote, provenance=source)).as_dict()


def _block(place: CitingPlace, _entry: Any) -> str:
    marks = ", ".join(said for said in (place.treatment, place.signal) if said)
    pin = f" at {one_line(place.pin)}" if place.pin else ""
    note = f"\n{one_line(place.note)}" if place.note else ""
    return (
        f'{one_line(place.citation)}{f" [{marks}]" if marks else ""}{pin}\n"{place.sentence}"{note}'
    )
