"""What a statement in SQL gave, and how it came about."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.base.records.cards import Card, Fact
from casetrack.base.records.shape import Record, Told

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class RetrievalCall(Record):
    """One question that a statement asked of the retrieval engine.

    Attributes
    ----------
    function
        ``search``, ``similar``, ``context`` or ``cite``.
    collection
        Schema of the collection in a statement over several; ``None`` where there is only one.
    question
        What was asked: the question, the id of a chunk, or how many chunks were cited.
    arguments
        Its other arguments, such as ``{"k": 20, "mode": None}``.
    mode, stages
        How it was searched; ``None`` and empty where it was not.
    rows
        How many rows it gave.
    milliseconds
        How long the answer took; it is kept for the rest of the statement.
    times
        How often the statement asked the same.
    notes
        What the user should know, such as that no model is installed.
    """

    function: str
    collection: str | None
    question: str
    arguments: dict[str, Any]
    mode: str | None
    stages: tuple[str, ...]
    rows: int
    milliseconds: Annotated[float, Told(digits=2)]
    times: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class QueryReport(Card):
    """The answer to a statement, and how it came about.

    Attributes
    ----------
    table
        The rows.
    plan
        DuckDB's plan, as a drawing of many lines.
    calls
        What was asked of the retrieval engine, in the order of asking.
    seconds
        How long the statement ran, retrieval included, the plan's drawing excluded.
    """

    table: pa.Table
    plan: str
    calls: tuple[RetrievalCall, ...]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, without the rows."""
        return {
            "rows": self.table.num_rows,
            "seconds": round(self.seconds, 4),
            "calls": [call.as_dict() for call in self.calls],
            "plan": self.plan,
        }

    def _title(self) -> str:
        return f"{_count(self.table.num_rows, 'row')} in {self.seconds:.3f} s"

    def _facts(self) -> list[Fact]:
        return [
            ("columns", tuple(self.table.column_names)),
            ("questions to the index", len(self.calls)),
            *((f"{n}. {c.function}", _said(c)) for n, c in enumerate(self.calls, 1)),
        ]

    def __repr__(self) -> str:
        """Return counts, what was asked of the index, and the plan as readable text."""
        return f"{Card.__repr__(self)}\n{self.plan}"

    def _repr_html_(self) -> str:
        drawn = f"<pre style='text-align:left;overflow:auto'>{html.escape(self.plan)}</pre>"
        return Card._repr_html_(self) + drawn


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _said(call: RetrievalCall) -> str:
    times = f", asked {call.times:,} times" if call.times > 1 else ""
    said = f"{call.question}: {_count(call.rows, 'row')}, {call.milliseconds:.0f} ms{times}"
    return " ".join([said, *call.notes])
