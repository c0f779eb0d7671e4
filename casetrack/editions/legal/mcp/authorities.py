"""Tools on citations: tables of authorities, the check of a brief, the citator."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import READS
from casetrack.api.text import lines_of
from casetrack.base.records.shape import View
from casetrack.editions.legal.authorities import USUAL_PASSIM, table_of_authorities
from casetrack.editions.legal.check import check_draft
from casetrack.editions.legal.citator import citator
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.mcp.words import CaseName, locate_case, quoting
from casetrack.editions.legal.paper.authorities import as_text
from casetrack.editions.legal.records.authorities import Authority, CitingPlace, TableOfAuthorities
from casetrack.editions.legal.records.check import Finding
from casetrack.faces.mcp.asking import plain
from casetrack.faces.mcp.results import answer, bounded_source, portion
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import Offset, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings

_LISTED = View("section", "name", "listed", "pages", "is_complete")
_PLACE = View("page", "printed", "line", "char_start", "char_end")
_UNCOUNTED = View("text", "page=place.page", "line=place.line", "reason")


class AuthoritiesTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Table of authorities",
        READS,
        description="Make the table of authorities of a brief: cases, constitutional provisions, "
        "statutes, rules, regulations, other, sorted as courts ask, with pages as printed. Short "
        "forms, Id. and supra are counted; what is not settled is told.",
        sets=("core", "legal"),
    )
    async def table_of_authorities(
        self,
        brief: Annotated[str, Field(description="Path of a file, or a document of the case")],
        passim: Annotated[
            int, Field(ge=0, description="Passim from so many pages on; 0 for never")
        ] = USUAL_PASSIM,
        compare: Annotated[
            bool, Field(description="Say where the table in the brief itself differs")
        ] = False,
        case: CaseName = None,
    ) -> CallToolResult:
        """Make a table of authorities."""
        is_file = case is None and Path(brief).expanduser().is_file()
        found = None if is_file else await locate_case(self._session, case)
        settings = self._session.library.settings
        draft = await in_thread(partial(read_draft, brief, settings=settings, collection=found))
        table = await in_thread(
            partial(table_of_authorities, draft, passim=passim, compare=compare)
        )
        return answer(as_text(table), _facts(table))


def _facts(table: TableOfAuthorities) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "brief": table.draft_name,
        "page_numbers": table.page_numbers,
        "authorities": [_entry(authority) for authority in table.authorities],
        "uncounted": list(map(_UNCOUNTED.of, table.uncounted)),
        "notes": list(table.notes),
    }
    if table.differences is not None:
        facts["differences"] = [d.said for d in table.differences]
    return facts


def _entry(authority: Authority) -> dict[str, Any]:
    return _LISTED.of(authority) | {"places": list(map(_PLACE.of, authority.places))}


# The tool that checks the citations and quotations of a brief.

_CHECKED = View("brief=draft_name", "pages", "citations", "quotations", "counts", "notes")


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
    ) -> CallToolResult:
        """Check a brief against the case."""
        found = await locate_case(self._session, case)
        settings = self._session.library.settings
        return await in_thread(partial(_answer, found, settings, brief, show, offset))


def _answer(
    case: "Collection", settings: "Settings", brief: str, show: str, offset: int
) -> CallToolResult:
    checked = check_draft(case, read_draft(brief, settings=settings, collection=case))
    findings = checked.worst_first if show == "all" else checked.problems
    shown = portion(findings, _finding, lambda each, _: plain(lines_of(each)), offset=offset)
    listed = {"total": len(findings), "findings": shown.entries, "offset": offset}
    sources = [quote.provenance for finding in shown.items for quote in finding.sources]
    facts = _CHECKED.of(checked) | listed
    return quoting(case, checked, shown, sources, facts)


def _finding(finding: Finding) -> dict[str, Any]:
    sources = tuple(
        replace(quote, provenance=bounded_source(quote.provenance)) for quote in finding.sources
    )
    return replace(finding, sources=sources).as_dict()


# The citator of a case file.


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
    ) -> CallToolResult:
        """Look up who cites an authority."""
        found = await locate_case(self._session, case)
        return await in_thread(partial(_citing, found, authority, offset))


def _citing(case: "Collection", authority: str, offset: int) -> CallToolResult:
    found = citator(case, authority, limit=None)
    shown = portion(
        found.places, _citing_entry, lambda each, _: plain(lines_of(each)), offset=offset
    )
    facts = found.as_dict() | {"places": shown.entries, "offset": offset}
    sources = [place.quote.provenance for place in shown.items]
    return quoting(case, found, shown, sources, facts)


def _citing_entry(place: CitingPlace) -> dict[str, Any]:
    source = bounded_source(place.quote.provenance)
    return replace(place, quote=replace(place.quote, provenance=source)).as_dict()
