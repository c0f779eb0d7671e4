"""Tools for cases: create, list, switch, delete, describe."""

import functools
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.api.operation import ADDS, DELETES, READS
from casetrack.api.text import lines_of
from casetrack.api.text.collections import amount, described
from casetrack.api.watch.watch_list import delete_collection
from casetrack.base.editions import LEGAL, edition
from casetrack.base.errors import See
from casetrack.base.records import CollectionInfo, CollectionStats
from casetrack.editions.legal.cases import CASE, Cases, case_entry
from casetrack.editions.legal.mcp.words import CaseName, locate_case
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.render.pieces import counted
from casetrack.faces.mcp.results import answer, bounded_collection, onward, portion
from casetrack.faces.mcp.session import NO_STATE, Session, in_thread, write_in_thread
from casetrack.faces.mcp.specs import Offset, ResponseFormat, tool
from casetrack.faces.mcp.steps import if_offered
from casetrack.faces.mcp.tools.collections import NEXT_STEP, CountingTools, lower, newest, sizes

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_LIST_CHARS = 300
_ACTIVE_NOW = "This is now your active case."
_NOT_REMEMBERED = NO_STATE.replace("`collection`", "`case`")

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

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._cases = Cases(session.library)

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

        def work() -> CollectionInfo:
            return self._cases.create(name, case_type=case_type, case_number=case_number).info

        info = await write_in_thread(self._session, "", work)
        note = _ACTIVE_NOW if self._session.activate(info) else _NOT_REMEMBERED
        return answer(
            f"Created a case. {note}\n{plain(lines_of(info))}\nNext: {if_offered(NEXT_STEP)}",
            {
                "case": self._facts(info, CollectionStats(0, 0, 0, 0)),
                "next_step": if_offered(NEXT_STEP) if note == _ACTIVE_NOW else note,
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

    def _listed(
        self, status_filter: Literal["active", "closed", "archived", "all"], offset: int
    ) -> CallToolResult:
        infos = self._cases.all(status=status_filter)
        counts = functools.cache(self._counted)
        shown = portion(
            infos,
            lambda info: self._facts(*counts(info)),
            lambda info, _: (
                ("* " if self._is_active(info) else "- ")
                + plain(lines_of(case_entry(*counts(info))))
            ),
            offset=offset,
        )
        step = "" if infos else if_offered(f"Create one with {See('case create')}.")
        rest = [note for note in (step, onward(shown.next_offset)) if note]
        return answer(
            "\n".join(
                [
                    counted(len(infos), f"{status_filter} case".removeprefix("all ")),
                    *shown.blocks,
                    *rest,
                ]
            ),
            {
                "status_filter": status_filter,
                "total": len(infos),
                "offset": offset,
                "next_offset": shown.next_offset,
                "cases": shown.entries,
                "next_step": step,
            },
        )

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

        def work() -> tuple[CollectionInfo, CollectionStats]:
            collection = self._cases.get(case_name)
            return collection.info, collection.stats()

        info, stats = await in_thread(work)
        if self._session.activate(info):
            text, step = f'Switched to case "{info.name}" ({amount(stats)}).', ""
        else:
            text, step = f'Case "{info.name}" ({amount(stats)}). {_NOT_REMEMBERED}', _NOT_REMEMBERED
        return answer(text, {"case": self._facts(info, stats), "next_step": step})

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
        info = await in_thread(partial(self._cases.find, case_name))
        _, stats, problem = await in_thread(partial(self._counted, info))
        if not confirm:
            held = "all that is in it"
            if stats is not None:
                held = f"all {counted(stats.document_count, 'document')}"
            raise Unconfirmed(
                f'This will permanently delete case "{info.name}" and {held}. '
                "This cannot be undone.",
                before="Deletion requires confirm=true.",
            )
        work = partial(delete_collection, self._session.library, info.id)
        await write_in_thread(self._session, info.id, work)
        facts = self._facts(info, stats, problem)
        self._session.forget(info.id)
        active = self._session.active
        none_now = "" if active else "\nNo case is active now."
        return answer(
            f'Deleted case "{info.name}" (ID: {info.id}) and all its data. The '
            f"original files are untouched.{none_now}",
            {"deleted": facts, "active_case": active.name if active else None},
        )

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
        opened: Collection = await locate_case(self._session, case)

        stats, formatter, documents, lines = await newest(opened, response_format)
        case_facts = {"case": self._facts(opened.info, stats), "profile": opened.info.profile}
        return answer(
            "\n".join([plain(described(opened.info, stats, {})), "", *lines]).rstrip(),
            formatter.whole(case_facts | {"folder": str(opened.folder)} | documents),
        )

    def _facts(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str = ""
    ) -> dict[str, Any]:
        case = CASE.of(bounded_collection(info, _LIST_CHARS))
        return {**case, "is_active": self._is_active(info), **sizes(stats), "problem": problem}
