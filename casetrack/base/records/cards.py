"""Display of single records in notebooks and terminals: a title and selected facts.

:mod:`casetrack.base.records.table` displays records with rows.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from casetrack.base.dataclass import dataclass
from casetrack.base.records.shape import FieldFormat, Record
from casetrack.base.records.table import cell, table_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

Fact = tuple[str, object]
"""Label and value; facts without a value are omitted."""
Part = tuple[str, "Sequence[Mapping[str, Any]]"]
"""A heading and the rows of its table."""
_TEXT_CHARS = 110


class Card(Record):
    """A record that displays a title and facts, by default the fields of its dataclass."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def _title(self) -> str:
        """Return the line above the facts."""
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__)
        return words[0] + words[1:].lower()

    def _facts(self) -> Iterable[Fact]:
        """Return the facts in order."""
        return [(name, getattr(self, name)) for name in self.__dataclass_fields__]

    def _parts(self) -> Iterable[Part]:
        """Return tables that a notebook shows below the facts."""
        return ()

    def __repr__(self) -> str:
        """Return the title and the facts as readable text."""
        facts = [f"  {what}: {cell(value, _TEXT_CHARS)}" for what, value in self._shown_facts()]
        return "\n".join([self._title(), *facts])

    def _repr_html_(self) -> str:
        facts = [{"what": what, "": value} for what, value in self._shown_facts()]
        shown = [table_html(("what", ""), facts, heading=self._title())]
        shown += [table_html(tuple(rows[0]), rows, heading=h) for h, rows in self._parts() if rows]
        return "".join(shown)

    def _shown_facts(self) -> list[Fact]:
        facts = ((what.replace("_", " "), _display_value(value)) for what, value in self._facts())
        return [(what, value) for what, value in facts if value is not None and value != ""]


def size_text(count: int | None, /) -> str:
    """Return a number of bytes for display, such as ``4.2 MB``."""
    if count is None:
        return ""
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def _display_value(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name} {cell(n, 40)}" for name, n in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(s) for s in value)
    return value


# Results of SQL statements.


@dataclass(frozen=True, slots=True)
class RetrievalCall(Record):
    """One call of the retrieval engine by a statement."""

    function: str  # `search`, `similar`, `context` or `cite`
    collection: str | None  # schema of the collection in a statement over several; else `None`
    question: str  # the question, the id of a chunk, or the number of cited chunks
    arguments: dict[str, Any]  # other arguments, such as `{"k": 20, "mode": None}`
    # mode, stages: search mode and stages; `None` and empty without a search.
    mode: str | None
    stages: tuple[str, ...]
    rows: int
    # Duration of the first call; repeated calls use its result.
    milliseconds: Annotated[float, FieldFormat(digits=2)]
    times: int  # number of equal calls
    notes: tuple[str, ...] = ()  # warnings, such as a missing model

    def __str__(self) -> str:
        """Return the call, its number of rows, its search mode and notes, on a line each."""
        where = f" in {self.collection}" if self.collection else ""
        given = "".join(f", {k} := {v!r}" for k, v in self.arguments.items() if v is not None)
        times = f", asked {self.times} times" if self.times > 1 else ""
        rows = f"{_count(self.rows, 'row')}, {self.milliseconds:.1f} ms{times}"
        lines = [f"{self.function}({self.question!r}{given}){where}: {rows}"]
        if self.mode:
            lines.append(f"mode {self.mode}" + f" ({', '.join(self.stages)})" * bool(self.stages))
        return "\n  ".join([*lines, *(f"Note: {note}" for note in self.notes)])


@dataclass(frozen=True, slots=True, repr=False)
class QueryReport(Card):
    """The answer to a statement, with DuckDB's plan and the retrieval calls in order.

    *seconds* includes retrieval and excludes the drawing of the plan.
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
            *((f"question {n}", str(call)) for n, call in enumerate(self.calls, 1)),
        ]

    def __repr__(self) -> str:
        """Return counts, retrieval calls and the plan as readable text."""
        return f"{Card.__repr__(self)}\n{self.plan}"

    def _repr_html_(self) -> str:
        drawn = f"<pre style='text-align:left;overflow:auto'>{html.escape(self.plan)}</pre>"
        return Card._repr_html_(self) + drawn


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
