"""The tool that checks the citations and quotations of a brief."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.shape import View
from casetrack.base.records.types import Spread
from casetrack.editions.legal.check import check_draft
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.mcp.locating import CaseName, locate_case
from casetrack.editions.legal.mcp.told import quoting
from casetrack.editions.legal.records.check import TITLES, CiteCheck, Finding, in_marks
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.render.pieces import counted, one_line
from casetrack.faces.mcp.results import bounded_source, portion
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import READS, Offset, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings


_CHECKED = View("brief=draft_name", "pages", "citations", "quotations", "counts", "notes")


class CheckOutput(outputs.Quoting, outputs.Paged):
    """A brief's citations and quotations compared with the case, differences first."""

    checked: Annotated[CiteCheck, _CHECKED, Spread()]
    total: int
    findings: list[Finding]


class CheckTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Check a brief",
        READS,
        description="Check every citation and every quotation of a brief against the case: "
        "found verbatim, found with differences, not found by CaseTrack in the cited source or at "
        "the cited page, another name, year or volume as CaseTrack reads it, source not found. "
        "Brackets, ellipses and omitted citations are allowed. A finding is no proof of an error: "
        "relay what was looked for and found, with both places.",
        sets=("core", "legal"),
    )
    async def check_brief(
        self,
        brief: Annotated[str, Field(description="Path of a file, or a document of the case")],
        show: Annotated[
            Literal["problems", "all"],
            Field(description="Only differences and open questions, or every finding"),
        ] = "problems",
        offset: Offset = 0,
        case: CaseName = None,
    ) -> Annotated[CallToolResult, CheckOutput]:
        """Check a brief against the case."""
        found = await locate_case(self._session, case)
        settings = self._session.library.settings
        return await in_thread(partial(_answer, found, settings, brief, show, offset))


def _answer(
    case: "Collection", settings: "Settings", brief: str, show: str, offset: int
) -> CallToolResult:
    checked = check_draft(case, read_draft(brief, settings=settings, collection=case))
    every = show == "all"
    findings = [f for f in checked.worst_first if every or f.weight in {"wrong", "look"}]
    shown = portion(findings, _entry, _block, offset=offset)
    listed = {"total": len(findings), "findings": shown.entries, "offset": offset}
    sources = [quote.provenance for finding in shown.items for quote in finding.sources]
    facts = _CHECKED.of(checked) | listed
    return quoting(case, _head(checked), shown, checked.notes, sources, facts)


def _head(checked: CiteCheck) -> str:
    found = checked.counts
    counts = [f"{found[v]} {title}" for v, title in TITLES.items() if v in found]
    held = f"{counted(checked.citations, 'citation')}, {counted(checked.quotations, 'quotation')}"
    return f"{one_line(checked.draft_name)}: {held}\n{'; '.join(counts) or 'Nothing to check.'}"


def _entry(finding: Finding) -> dict[str, Any]:
    sources = tuple(
        replace(quote, provenance=bounded_source(quote.provenance)) for quote in finding.sources
    )
    return replace(finding, sources=sources).as_dict()


def _block(finding: Finding, _entry: Any) -> str:
    words = one_line(finding.text)
    if finding.verdict == "altered":
        words = "".join(text for _, text in in_marks(finding.edits))
    lines = [
        f"{finding.number}. {finding.place.citation}: {finding.title}",
        f'"{words}" {one_line(finding.cited)}' if finding.what == "quotation" else words,
        one_line(finding.said),
        *map(one_line, finding.notes),
    ]
    return "\n".join(lines)
