"""The tool that finds sums of money, percentages and quantities by their size."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.types import CallToolResult

from casetrack.api.collection.map import Map
from casetrack.base.records.graph import Amount, AmountUnit
from casetrack.faces.mcp import graph_results as results
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.asking import Asked, asks
from casetrack.faces.mcp.budget import page_of
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import after_page, answer, few, more_from, room_beside
from casetrack.faces.mcp.session import SessionTools
from casetrack.faces.mcp.specs import READS, tool

if TYPE_CHECKING:
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
    @asks(Map.amounts, most=_MOST)
    def find_amounts(
        self, found: "Amounts", asked: Asked
    ) -> Annotated[CallToolResult, AmountsOutput]:
        """Find amounts by their size."""
        offset, told = asked.offset, asked.told
        facts: dict[str, Any] = {
            "collection": asked.name,
            "notice": outputs.QUOTED,
            "total": found.total,
            "units": [unit.as_dict() for unit in found.units[:_UNITS]],
            "notes": few(found.notes),
            "offset": offset,
        }
        shape = partial(results.quoted, told=told)
        room = room_beside(facts, told)
        shown = page_of(found, shape, offset=offset, limit=asked.given["limit"], room=room)[0]
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
