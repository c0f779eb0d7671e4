"""The tool that finds who, which court and what authority the documents of a case mention."""

from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.base.errors import EntityNotFound, ReferenceNotFound, UsageError
from casetrack.editions.legal.mcp.locating import CaseName, locate_case
from casetrack.editions.legal.mcp.told import case_form, of_case
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.specs import READS, Offset, ResponseFormat, tool
from casetrack.faces.mcp.tools.collections import lower
from casetrack.faces.mcp.tools.entities import MentionsOutput, find_in
from casetrack.faces.mcp.tools.references import CitationsOutput, ReferenceTools
from casetrack.search.question.citations import citations_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from casetrack.api.collection import Collection

Kind = Literal["person", "court", "statute", "case_citation", "organization", "any"]
_AUTHORITIES = ("statute", "case_citation")


class CaseEntityTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._references = ReferenceTools(session)

    @tool(
        "Find entity",
        READS,
        description="Find all mentions of a legal entity (person, court, statute, case citation) "
        "across documents. Pro tier only.",
        feature="entity_search",
        sets=("map", "legal"),
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
    ) -> Annotated[CallToolResult, case_form(MentionsOutput) | case_form(CitationsOutput)]:
        """Find an entity or an authority."""
        found: Collection = await locate_case(self._session, case)
        await in_thread(lambda: self._session.library.entitlements.require("entity_search"))
        key = found.info.id

        async def mentioned() -> CallToolResult:
            return await find_in(found, entity, entity_type, top_k, offset, response_format)

        async def cited() -> CallToolResult:
            return await self._references.get_reference_citations(
                entity, top_k, offset, response_format, key
            )

        ways: Sequence[Callable[[], Awaitable[CallToolResult]]] = (mentioned,)
        if entity_type in _AUTHORITIES:
            ways = (cited,)
        elif entity_type == "any":
            ways = (cited, mentioned) if citations_of(entity) else (mentioned, cited)
        missing: list[UsageError] = []
        for way in ways:
            try:
                return of_case(await way(), found.info)
            except (EntityNotFound, ReferenceNotFound) as error:
                missing.append(error)
        raise missing[0]
