"""Single records as a notebook and a terminal show them: a title and facts, not all their fields.

What has rows is a table; see :mod:`casetrack.base.records.table`.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from casetrack.base.records.shape import FieldFormat, Record
from casetrack.base.records.table import cell, table_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

Fact = tuple[str, object]
"""What it is, and its value; facts without a value are left out."""
Part = tuple[str, "Sequence[Mapping[str, Any]]"]
"""A heading, and rows below it."""
_TEXT_CHARS = 110


class Card(Record):
    """A record that shows itself as a title with facts below it.

    Without more said, the facts are the fields of its dataclass.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def _title(self) -> str:
        """Return the line that stands above the facts."""
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__)
        return words[0] + words[1:].lower()

    def _facts(self) -> Iterable[Fact]:
        """Return what is shown, in order."""
        return [(name, getattr(self, name)) for name in self.__dataclass_fields__]

    def _parts(self) -> Iterable[Part]:
        """Return what a notebook shows as tables below the facts."""
        return ()

    def __repr__(self) -> str:
        """Return the title and the facts as readable text."""
        facts = [f"  {what}: {cell(said, _TEXT_CHARS)}" for what, said in self._said()]
        return "\n".join([self._title(), *facts])

    def _repr_html_(self) -> str:
        facts = [{"what": what, "": said} for what, said in self._said()]
        shown = [table_html(("what", ""), facts, heading=self._title())]
        shown += [table_html(tuple(rows[0]), rows, heading=h) for h, rows in self._parts() if rows]
        return "".join(shown)

    def _said(self) -> list[Fact]:
        facts = ((what.replace("_", " "), _in_words(said)) for what, said in self._facts())
        return [(what, said) for what, said in facts if said is not None and said != ""]


def size_text(count: int | None, /) -> str:
    """Return a number of bytes as people read it, such as ``4.2 MB``."""
    if count is None:
        return ""
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def _in_words(said: object) -> object:
    if isinstance(said, dict):
        return ", ".join(f"{name} {cell(n, 40)}" for name, n in said.items())
    if isinstance(said, (list, tuple)):
        return ", ".join(str(s) for s in said)
    return said


# What a statement in SQL gave, and how it came about.


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
    milliseconds: Annotated[float, FieldFormat(digits=2)]
    times: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the call, what it gave, how it was searched and notes, on a line each."""
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
            *((f"question {n}", str(call)) for n, call in enumerate(self.calls, 1)),
        ]

    def __repr__(self) -> str:
        """Return counts, what was asked of the index, and the plan as readable text."""
        return f"{Card.__repr__(self)}\n{self.plan}"

    def _repr_html_(self) -> str:
        drawn = f"<pre style='text-align:left;overflow:auto'>{html.escape(self.plan)}</pre>"
        return Card._repr_html_(self) + drawn


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
