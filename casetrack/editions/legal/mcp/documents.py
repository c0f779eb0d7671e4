"""Tools for documents of a case: list, get, delete, search, find entities."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.collection.map import Map
from casetrack.api.operation import DELETES, operation_of
from casetrack.base.errors import EntityNotFound, ReferenceNotFound, UsageError
from casetrack.base.records import Document, RowList
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import View
from casetrack.editions.legal.authorities import table_of_authorities
from casetrack.editions.legal.briefs import authorities
from casetrack.editions.legal.cases import case_title
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.mcp.words import CaseName, locate_case, of_case
from casetrack.editions.legal.operation import EVERY, READS, Arg, operation
from casetrack.editions.legal.paper.authorities import as_text
from casetrack.editions.legal.records.authorities import Authority, CitingPlace, TableOfAuthorities
from casetrack.editions.legal.records.check import CiteCheck, Finding
from casetrack.faces.mcp.concise import read_formatter
from casetrack.faces.mcp.operation_tools import ask, takes
from casetrack.faces.mcp.results import answer, bounded_source
from casetrack.faces.mcp.search_page import MOST_RESULTS, ResultPage
from casetrack.faces.mcp.session import Session, SessionTools, in_thread
from casetrack.faces.mcp.specs import Offset, ResponseFormat, tool
from casetrack.faces.mcp.structures import ENTRIES, HEADS
from casetrack.faces.mcp.tools.collections import lower
from casetrack.faces.mcp.tools.documents import DocumentTools
from casetrack.search.question.citations import citations_of

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_Order = Literal["name", "date", "pages", "type"]
_SORTED = Arg(note="Sort order", mcp_type=Annotated[_Order, BeforeValidator(lower)])


@operation("documents", READS, tool="list_documents", sets=("core", "search", "legal"), most=EVERY)
def list_documents(
    case: "Collection", /, *, sort_by: Annotated[_Order, _SORTED] = "date"
) -> RowList[Document]:
    """Return the documents of a case."""
    return case.documents(sort_by=sort_by)


@operation("document", READS, tool="get_document", sets=("search", "legal"))
def get_document(
    case: "Collection",
    name: Annotated[str, Arg(mcp="document_name", note="Document name or ID")],
    /,
) -> Document:
    """Return a document of a case."""
    return case.document(name)


class CaseDocumentTools:
    """Tools of this module for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._any = DocumentTools(session)

    @tool(
        "Delete document",
        DELETES,
        description="Remove a document and all its chunks, embeddings, and index entries from the "
        "active case.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("legal",),
    )
    async def delete_document(
        self,
        document_name: Annotated[str, Field(description="Document name or ID to delete")],
        confirm: Annotated[bool, Field(description="Must be true to confirm deletion")] = False,
        case: CaseName = None,
    ) -> CallToolResult:
        """Delete a document after confirmation."""
        collection: Collection = await locate_case(self._session, case)
        gone = await self._any.delete_document(document_name, confirm, collection.info.id)
        return of_case(gone, collection.info)


# The tool that finds people, courts and authorities in the documents of a case.

Kind = Literal["person", "court", "statute", "case_citation", "organization", "any"]
_MENTIONS, _CITATIONS = operation_of(Map.find_entity), operation_of(Map.reference_citations)
_AUTHORITIES = ("statute", "case_citation")


class CaseEntityTools:
    """The tool of this module for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Find entity",
        READS,
        description="Find all mentions of a legal entity (person, court, statute, case citation) "
        "across documents. Pro tier only.",
        feature="entity_search",
        sets=("map", "legal"),
        of=("entity",),
    )
    async def find_entity(
        self,
        entity: Annotated[
            str,
            Field(
                description="Entity to find (e.g., 'Judge Smith', '42 USC 1983', 'Miranda v. "
                "Arizona')"
            ),
        ],
        entity_type: Annotated[
            Kind, BeforeValidator(lower), Field(description="Type of entity to search for")
        ] = "any",
        top_k: Annotated[int, Field(ge=1, le=100, description="How many")] = 20,
        case: CaseName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> CallToolResult:
        """Find an entity or an authority."""
        collection: Collection = await locate_case(self._session, case)
        await in_thread(lambda: self._session.library.entitlements.require("entity_search"))

        named = {"name": entity, "limit": top_k}
        mentioned, cited = (_MENTIONS, named | {"kind": entity_type}), (_CITATIONS, named)
        ways = [cited] if entity_type in _AUTHORITIES else [mentioned]
        if entity_type == "any":
            ways = [cited, mentioned] if citations_of(entity) else [mentioned, cited]
        missing: list[UsageError] = []
        for asked, given in ways:
            try:
                result = await ask(asked, collection, given, offset, response_format)
                return of_case(result, collection.info)
            except (EntityNotFound, ReferenceNotFound) as error:
                missing.append(error)
        raise missing[0]


# The tool that searches a case, in the required result format.


class CaseSearchTools(SessionTools):
    """The tool of this module for one session."""

    @tool(
        "Search case",
        READS,
        description="Search across all documents in the active case using semantic and keyword "
        "search. Returns results with full source citations (document, page, paragraph, line).",
        sets=("core", "search", "legal"),
        page="search",
        of=("search",),
    )
    async def search_case(
        self,
        query: Annotated[
            str,
            Field(
                description="Natural language search query (e.g., 'What are the termination "
                "provisions?')"
            ),
        ],
        top_k: Annotated[int, Field(ge=1, le=50, description="Number of results to return")] = 10,
        document_filter: Annotated[
            str | None,
            Field(description="Optional: restrict search to a specific document name or ID"),
        ] = None,
        case: CaseName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> CallToolResult:
        """Search a case."""
        collection: Collection = await locate_case(self._session, case)
        k = min(offset + top_k, MOST_RESULTS)

        def work() -> CallToolResult:
            results = collection.search(query, limit=k, documents=document_filter or None)
            page = ResultPage(
                replace(results, collection=case_title(collection.info)),
                collection.info.id,
                read_formatter(response_format, collection),
                noun="Case",
            )
            reply = of_case(page.answer(offset, k), collection.info)
            if response_format == "detailed":
                for result in (reply.structured_content or {}).get("results", ()):
                    result.setdefault("legal_citations", [])
            return reply

        return await in_thread(work)


# Tools for citations: table of authorities, cite check, citator.

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
