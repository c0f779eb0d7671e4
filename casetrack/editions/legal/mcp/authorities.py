"""The tool that makes tables of authorities."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.shape import View
from casetrack.base.records.types import Spread
from casetrack.editions.legal.authorities import USUAL_PASSIM, table_of_authorities
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.mcp.locating import CaseName, locate_case
from casetrack.editions.legal.paper.authorities import as_text
from casetrack.editions.legal.records.authorities import Authority, TableOfAuthorities, Uncounted
from casetrack.editions.legal.records.check import DraftPlace
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import READS, tool

_LISTED = View("section", "name", "listed", "pages", "is_complete")
_PLACE = View("page", "printed", "line", "char_start", "char_end")
_UNCOUNTED = View("text", "page=place.page", "line=place.line", "reason")


class ListedAuthority(TypedDict):
    """An authority and its pages; *listed* is what the table says, places are all that count."""

    authority: Annotated[Authority, _LISTED, Spread()]
    places: list[Annotated[DraftPlace, _PLACE]]


class TableOfAuthoritiesOutput(TypedDict):
    """The table of a brief, in the order of the table."""

    brief: str
    page_numbers: str
    authorities: list[ListedAuthority]
    uncounted: list[Annotated[Uncounted, _UNCOUNTED]]
    differences: NotRequired[list[str]]
    notes: list[str]


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
    ) -> Annotated[CallToolResult, TableOfAuthoritiesOutput]:
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
