"""The tool that finds sums of money, percentages and quantities by their size."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.base.records.graph import Amount, AmountUnit
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.concise import telling
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import after_page, answer, few, more_from, room_beside
from casetrack.faces.mcp.session import SessionTools, in_thread, locate
from casetrack.faces.mcp.specs import READS, CollectionName, Offset, ResponseFormat, tool

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import Amounts

_MOST = 1_000
_UNITS = 20


class AmountsOutput(outputs.Quoting, outputs.Listed):
    """Amounts, and how many there are of each unit; where none fits, of the units there are."""

    total: int
    units: list[AmountUnit]
    notes: list[str]
    amounts: list[Amount]


class AmountTools(SessionTools):
    """The tool of this module, for one session."""

    @tool(
        "Amounts",
        READS,
        description="Find sums, percentages and quantities by size. Returns each value cited, "
        "the highest first; units apart.",
        sets=("map",),
    )
    async def find_amounts(
        self,
        min_value: Annotated[float | None, Field(description="At least")] = None,
        max_value: Annotated[float | None, Field(description="At most")] = None,
        unit: Annotated[str | None, Field(description="Such as GBP, $, %, kg")] = None,
        kind: Annotated[
            Literal["all", "money", "percent", "quantity"], Field(description="Kind of amount")
        ] = "all",
        sort_by: Annotated[
            Literal["document", "value", "lowest"], Field(description="value: highest first")
        ] = "value",
        document_name: Annotated[str | None, Field(description="Only in it")] = None,
        collection: CollectionName = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=100, description="How many")] = 10,
        response_format: ResponseFormat = "concise",
    ) -> Annotated[CallToolResult, AmountsOutput]:
        """Find amounts by their size."""
        target: Collection = await locate(self._session, collection)
        ask = partial(
            target.map.amounts,
            kind=kind,
            unit=unit or None,
            least=min_value,
            most=max_value,
            document=document_name or None,
            sort_by=sort_by,
            limit=min(offset + limit, _MOST),
        )
        found = await in_thread(ask)
        facts: dict[str, Any] = {
            "collection": target.info.name,
            "notice": outputs.QUOTED,
            "total": found.total,
            "units": [unit.as_dict() for unit in found.units[:_UNITS]],
            "notes": few(found.notes),
            "offset": offset,
        }
        told = await telling(response_format, target)
        shape = partial(results.quoted, told=told)
        room = room_beside(facts, told)
        shown = page_of(found, shape, offset=offset, limit=limit, room=room)[0]
        after = after_page(offset, len(shown), min(found.total, _MOST))
        more = more_from(
            after, found.total - offset - len(shown), "narrow min_value and max_value."
        )
        return answer(
            _text(found, offset, shown, more),
            told.whole(facts | {"next_offset": after, "amounts": shown, "more": more}),
        )


def _text(found: "Amounts", offset: int, shown: list[dict[str, Any]], more: str | None, /) -> str:
    """Return the answer for people."""
    units = ", ".join(map(str, found.units[:_UNITS])) if found else "none"
    head = "\n".join([f"Amounts: {units}", *(f"Note: {note}" for note in found.notes)])
    blocks = [
        f"  {n}. {each.said}{_cell(each)}{render.evidence(entry, 5)}"
        for n, (each, entry) in enumerate(zip(found[offset:], shown, strict=False), offset + 1)
    ]
    return render.joined([head, *blocks], more)


def _cell(amount: Amount) -> str:
    """Return the words of an amount's row, and of its column where that is a time."""
    words = [render.inline(part) for part in (amount.row_label, amount.period) if part]
    return f" ({'; '.join(words)})" if words else ""
