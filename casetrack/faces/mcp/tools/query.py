"""The tool that asks a collection in read-only SQL."""

from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult

from casetrack.api.sql.process import rows_of
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.render import counted, one_line
from casetrack.faces.mcp.results import answer, cut, portion
from casetrack.faces.mcp.session import Session, locate
from casetrack.faces.mcp.specs import READS, CollectionName, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

_MOST = 500
_CELL_CHARS = 4_000
_AT_END = "LIMIT and OFFSET after an ORDER BY give the rest."


class QueryOutput(outputs.Quoting):
    """Rows in the order of the statement; ``more`` says what was left out."""

    columns: list[str]
    rows: list[list[Any]]
    more: str | None


class QueryTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "SQL",
        READS,
        description="One DuckDB SELECT over documents, chunks, entities, mentions, amounts, "
        "search('words'); SHOW TABLES lists all. Returns rows; select citation.",
        sets=("daily",),
    )
    async def query(
        self, sql: str, collection: CollectionName = None
    ) -> Annotated[CallToolResult, QueryOutput]:
        """Run a reading statement."""
        target: Collection = await locate(self._session, collection)
        # One more than is wanted tells whether there are others.
        found = await rows_of(self._session.library.settings, target.info, sql, limit=_MOST + 1)
        columns = list(found[0]) if found else []
        cells = [[_shown(value) for value in row.values()] for row in found]
        page = portion(cells[:_MOST], list, lambda _, row: _line(row))
        shown = len(page.items)
        parts = []
        if shown < len(found):
            parts.append(f"There are more than these {counted(shown, 'row')}: {_AT_END}")
        if any(isinstance(v, str) and len(v) > _CELL_CHARS for r in found for v in r.values()):
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
    """Return a value without the end of a very long text."""
    return cut(value, _CELL_CHARS) if isinstance(value, str) else value


def _line(cells: "list[Any]") -> str:
    """Return cells on a line that none of ours looks like, whatever a document holds."""
    return "> " + " | ".join("" if cell is None else one_line(str(cell)) for cell in cells)
