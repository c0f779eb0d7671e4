"""The tool that searches a case: the requirement's own result format."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.editions.legal.mcp.locating import CaseName, locate_case
from casetrack.editions.legal.mcp.told import case_form, of_case
from casetrack.editions.legal.mcp.words import case_title
from casetrack.faces.mcp.concise import telling_of
from casetrack.faces.mcp.search_page import MOST_RESULTS, ResultPage, SearchOutput, ShortSearch
from casetrack.faces.mcp.session import SessionTools, in_thread
from casetrack.faces.mcp.specs import READS, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


class CaseSearchTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "Search case",
        READS,
        description="Search across all documents in the active case using semantic and keyword "
        "search. Returns results with full source citations (document, page, paragraph, line).",
        sets=("core", "search", "legal"),
        page="search",
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
        top_k: Annotated[int, Field(ge=1, le=50, description="Number of results to return")] = 5,
        document_filter: Annotated[
            str | None,
            Field(description="Optional: restrict search to a specific document name or ID"),
        ] = None,
        case: CaseName = None,
        offset: Offset = 0,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, case_form(SearchOutput), case_form(ShortSearch)]:
        """Search a case."""
        found: Collection = await locate_case(self._session, case)
        k = min(offset + top_k, MOST_RESULTS)

        def work() -> CallToolResult:
            results = found.search(query, limit=k, documents=document_filter or None)
            page = ResultPage(
                replace(results, collection=case_title(found.info)),
                found.info.id,
                telling_of(response_format, found),
                noun="Case",
            )
            told = of_case(page.answer(offset, k), found.info)
            if response_format == "detailed":
                for result in (told.structured_content or {}).get("results", ()):
                    result.setdefault("legal_citations", [])
            return told

        return await in_thread(work)
