"""Tools that return document text: search, chunks, context. All of it with its full source."""

from functools import partial
from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.library import across_arguments
from casetrack.api.operation import READS, called
from casetrack.api.operations import operations
from casetrack.api.sql.process import rows_of
from casetrack.base.errors import UsageError
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.concise import ResponseFormatter, formatter_for
from casetrack.faces.mcp.operation_tools import takes
from casetrack.faces.mcp.render import counted, one_line
from casetrack.faces.mcp.results import answer, portion
from casetrack.faces.mcp.search_page import MOST_RESULTS, ResultPage
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, ResponseFormat, tool
from casetrack.faces.mcp.steps import See
from casetrack.faces.mcp.texts import cut

_SEARCH = operations()["search"].method


class SearchTools(SessionTools):
    """The tools of this module, for one session."""

    @tool("Search", READS, sets=("core", "search", "legal"), page="search", of=("search",))
    @takes(
        _SEARCH,
        explain=(bool, False),
        collections=(
            Annotated[list[str] | None, Field(description='Several, ranked together; ["all"]')],
            None,
        ),
    )
    async def search_documents(
        self,
        given: dict[str, Any],
        *,
        explain: bool,
        collections: list[str] | None,
        collection: str | None,
        offset: int,
        response_format: ResponseFormat,
    ) -> CallToolResult:
        """Start here for any question: finds passages by words and meaning.

        Returns each cited, with chunk_id.
        """
        k = min(offset + given["limit"], MOST_RESULTS)
        wanted = {name: None if value == [] else value for name, value in given.items()}
        wanted["limit"] = k
        if collections:
            if collection:
                raise UsageError(
                    "Both collection and collections were given; nothing was searched.",
                    hint="Omit one of them.",
                )
            query, rest = wanted.pop("query"), across_arguments(wanted, "mcp")
            ids = await in_thread(partial(self._ids_of, collections))
            across = partial(self._session.library.search, collections=list(ids.values()), **rest)
            results = await in_thread(partial(across, query))
            page = ResultPage(
                results, "", ResponseFormatter(response_format), explain=explain, ids=ids
            )
            return await in_thread(partial(page.answer, offset, k))
        target = await locate(self._session, collection)
        results = await in_thread(partial(called, _SEARCH, target, wanted))
        formatter = await formatter_for(response_format, target)
        page = ResultPage(results, target.folder.name, formatter, explain=explain)
        return await in_thread(partial(page.answer, offset, k))

    def _ids_of(self, names: list[str]) -> dict[str, str]:
        """Return the ids of collections by their names; ``all`` names all but archived ones."""
        library, everything = self._session.library, self._session.infos()
        is_all = [n.strip().lower() for n in names] == ["all"]
        if is_all and not any(info.name.lower() == "all" for info in everything):
            infos = [info for info in everything if info.status != "archived"]
        else:
            infos = [library.find(name) for name in names]
        if not infos:
            raise UsageError(
                "There is no collection to search.",
                hint=f"Create one with {See('collection create')} first.",
            )
        return {info.name: info.id for info in infos}


# The tool that asks a collection in read-only SQL.

_MOST = 500
_CELL_CHARS = 4_000
_AT_END = "LIMIT and OFFSET after an ORDER BY give the rest."


class QueryTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "SQL",
        READS,
        description="One DuckDB SELECT over documents, chunks (text, citation), entities, amounts, "
        "search('words'). DESCRIBE amounts shows columns. Returns rows.",
        sets=("daily",),
        of=("query",),
    )
    async def query(self, sql: str, collection: CollectionName = None) -> CallToolResult:
        """Run a reading statement."""
        target = await locate(self._session, collection)
        # One row more than shown reveals whether there are others.
        rows = await rows_of(self._session.library.settings, target.info, sql, limit=_MOST + 1)
        columns = list(rows[0]) if rows else []
        cells = [[_shown(value) for value in row.values()] for row in rows]
        page = portion(cells[:_MOST], list, lambda _, row: _line(row))
        shown = len(page.items)
        parts = []
        if shown < len(rows):
            parts.append(f"There are more than these {counted(shown, 'row')}: {_AT_END}")
        if any(isinstance(v, str) and len(v) > _CELL_CHARS for r in rows for v in r.values()):
            parts.append(f"Texts end after {_CELL_CHARS:,} characters: use substr(text, start).")
        more = " ".join(parts) or None
        head = f"{target.info.name}: {counted(shown, 'row')}"
        lines = [head, *([_line(columns)] if columns else []), *page.blocks]
        return answer(
            "\n".join([*lines, *([more] if more else []), outputs.QUOTED]),
            {
                "collection": target.info.name,
                "notice": outputs.QUOTED,
                "columns": columns,
                "rows": list(page.entries),
                "more": more,
            },
        )


def _shown(value: Any) -> Any:
    """Return a value with a very long text cut."""
    return cut(value, _CELL_CHARS) if isinstance(value, str) else value


def _line(cells: "list[Any]") -> str:
    """Return cells on one line with a prefix that no line of this program has."""
    return "> " + " | ".join("" if cell is None else one_line(str(cell)) for cell in cells)
