"""Tools for cases: create, list, switch, delete, describe."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import ADDS, DELETES, READS
from casetrack.api.text import lines_of
from casetrack.base.editions import LEGAL, edition
from casetrack.base.records import CollectionEntry, CollectionInfo, CollectionStats
from casetrack.editions.legal.cases import CASE, Cases, case_entry
from casetrack.editions.legal.mcp.words import CaseName, locate_case
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.results import answer, bounded_collection
from casetrack.faces.mcp.session import in_thread, write_in_thread
from casetrack.faces.mcp.specs import Offset, ResponseFormat, tool
from casetrack.faces.mcp.steps import if_offered
from casetrack.faces.mcp.tools.collections import LIST_CHARS, NEXT_STEP, CountingTools, lower, sizes

CaseType = Annotated[
    str,
    BeforeValidator(lower),
    Field(
        description="Type of legal case",
        json_schema_extra={"enum": list(edition(LEGAL).collection_types)},
    ),
]


class CaseTools(CountingTools):
    """Tools of this module for one session."""

    noun = "case"

    @property
    def _cases(self) -> Cases:
        return Cases(self._session.library)

    def _every(self) -> Sequence[CollectionInfo]:
        return self._cases.all()

    def _find(self, name: str, /) -> CollectionInfo:
        return self._cases.find(name)

    def _shown(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str, /
    ) -> CollectionEntry:
        return case_entry(info, stats, problem)

    def _facts(
        self, info: CollectionInfo, stats: CollectionStats | None, /, problem: str = ""
    ) -> dict[str, Any]:
        case = CASE.of(bounded_collection(info, LIST_CHARS))
        return {**case, "is_active": self._is_active(info), **sizes(stats), "problem": problem}

    _entry = _facts

    def _whole(self, entry: dict[str, Any], /) -> dict[str, Any]:
        return {"case": entry}

    @tool(
        "Create case",
        ADDS,
        description="Create a new legal case. Creates an isolated database for this case on your "
        "machine. Automatically switches to the new case.",
        sets=("core", "legal"),
        of=("case create", "collection create"),
    )
    async def create_case(
        self,
        name: Annotated[str, Field(description="Case name (e.g., 'Smith v. Jones')")],
        case_number: Annotated[
            str | None, Field(description="Optional docket or case number")
        ] = None,
        case_type: CaseType | None = None,
    ) -> CallToolResult:
        """Create a case and activate it."""
        create = partial(self._cases.create, name, case_type=case_type, case_number=case_number)
        info = (await write_in_thread(self._session, "", create)).info
        remembered = self._session.activate(info)
        note = "This is now your active case." if remembered else self._no_state()
        step = if_offered(NEXT_STEP)
        return answer(
            f"Created a case. {note}\n{plain(lines_of(info))}\nNext: {step}",
            {
                "case": self._facts(info, CollectionStats(0, 0, 0, 0)),
                "next_step": step if remembered else note,
            },
        )

    @tool(
        "List cases",
        READS,
        description="List all cases. Shows name, type, status, document count, and which case is "
        "active.",
        sets=("core", "search", "map", "legal"),
        of=("case list", "collection list"),
    )
    async def list_cases(
        self,
        status_filter: Annotated[
            Literal["active", "closed", "archived", "all"],
            BeforeValidator(lower),
            Field(description="Filter by case status"),
        ] = "active",
        offset: Offset = 0,
    ) -> CallToolResult:
        """List the cases of a status."""
        return await in_thread(partial(self._listed, status_filter, offset))

    @tool(
        "Switch case",
        READS,
        description="Switch to a different case. All subsequent operations (ingest, search) will "
        "use this case.",
        sets=("core", "search", "map", "legal"),
        of=("case use",),
    )
    async def switch_case(
        self, case_name: Annotated[str, Field(description="Case name or ID to switch to")]
    ) -> CallToolResult:
        """Activate a case."""
        return await self._switched(case_name)

    @tool(
        "Delete case",
        DELETES,
        description="Permanently delete a case and all its documents, embeddings, and data. This "
        "cannot be undone.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("legal",),
    )
    async def delete_case(
        self,
        case_name: Annotated[str, Field(description="Case name or ID to delete")],
        confirm: Annotated[bool, Field(description="Must be true to confirm deletion")] = False,
    ) -> CallToolResult:
        """Delete a case after confirmation."""
        return await self._deleted(case_name, confirm)

    @tool(
        "Case",
        READS,
        description="Get detailed information about the active case including document list and "
        "storage usage.",
        sets=("legal",),
        of=("collection info",),
    )
    async def get_case_info(
        self, case: CaseName = None, response_format: ResponseFormat = "concise"
    ) -> CallToolResult:
        """Describe a case."""
        return await self._described(await locate_case(self._session, case), response_format)
