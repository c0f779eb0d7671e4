"""Tools for citations: table of authorities, cite check, citator."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mcp.types import CallToolResult

from casetrack.api.operation import READS
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import View
from casetrack.editions.legal.authorities import table_of_authorities
from casetrack.editions.legal.briefs import authorities
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.mcp.words import locate_case
from casetrack.editions.legal.paper.authorities import as_text
from casetrack.editions.legal.records.authorities import Authority, CitingPlace, TableOfAuthorities
from casetrack.editions.legal.records.check import CiteCheck, Finding
from casetrack.faces.mcp.operation_tools import takes
from casetrack.faces.mcp.results import answer, bounded_source
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import tool
from casetrack.faces.mcp.structures import ENTRIES, HEADS

_LISTED = View("section", "name", "listed", "pages", "is_complete")
_PLACE = View("page", "printed", "line", "char_start", "char_end")
_UNCOUNTED = View("text", "page=place.page", "line=place.line", "reason")


class AuthoritiesTools(SessionTools):
    """Tools of this module for one session."""

    @tool(
        "Table of authorities",
        READS,
        description="Create the table of authorities of a brief: cases, constitutional provisions, "
        "statutes, rules, regulations, other, in the order of courts, with printed page numbers. "
        "Short forms, Id. and supra are counted; unresolved citations are listed.",
        sets=("core", "legal"),
    )
    @takes(authorities, noun="case", paged=False, formed=False)
    async def table_of_authorities(
        self, given: dict[str, Any], *, case: str | None
    ) -> CallToolResult:
        """Create a table of authorities."""
        brief = given.pop("brief")
        is_file = case is None and Path(brief).expanduser().is_file()
        opened = None if is_file else await locate_case(self._session, case)
        settings = self._session.library.settings
        draft = await in_thread(partial(read_draft, brief, settings=settings, collection=opened))
        table = await in_thread(partial(table_of_authorities, draft, **given))
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


# Answers of derived tools for briefs and authorities.

_CHECKED = View("brief=draft_name", "pages", "citations", "quotations", "counts", "notes")


def _finding(finding: Finding) -> dict[str, Any]:
    return replace(finding, sources=tuple(map(_bounded, finding.sources))).as_dict()


def _citing(place: CitingPlace) -> dict[str, Any]:
    return replace(place, quote=_bounded(place.quote)).as_dict()


def _bounded(quote: Quote) -> Quote:
    return replace(quote, provenance=bounded_source(quote.provenance))


HEADS[CiteCheck] = lambda found: _CHECKED.of(found) | {"total": len(found.shown)}
ENTRIES[Finding] = _finding, lambda finding: [quote.provenance for quote in finding.sources]
ENTRIES[CitingPlace] = _citing, lambda place: [place.quote.provenance]
