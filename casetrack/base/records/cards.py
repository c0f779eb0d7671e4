"""Single records as a notebook and a terminal show them: a title and facts, not all their fields.

What has rows is a table; see :mod:`casetrack.base.records.table`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from casetrack.base.records.shape import Record
from casetrack.base.records.table import cell, table_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
