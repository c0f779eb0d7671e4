"""Answers of SQL, as a notebook shows them: text to the left, numbers to the right."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.arrow_values import python_values
from casetrack.base.records.table import table_html

if TYPE_CHECKING:
    import pyarrow as pa

    from casetrack.base.records.graph import Change, Changes


@dataclass(frozen=True, slots=True)
class ShownTable:
    """An Arrow table that a notebook shows in its colours, at most *limit* rows."""

    arrow: pa.Table
    limit: int

    def __repr__(self) -> str:
        """Return the size and the first rows as text."""
        rows = _rows(self.arrow.slice(0, self.limit))
        return "\n".join([self._heading(), *(str(row) for row in rows)])

    def _repr_html_(self) -> str:
        names = self.arrow.column_names
        return table_html(names, _rows(self.arrow), heading=self._heading(), limit=self.limit)

    def _heading(self) -> str:
        count = self.arrow.num_rows
        return f"{count:,} {'row' if count == 1 else 'rows'}" if count else "No rows."


def _rows(arrow: pa.Table) -> list[dict[str, Any]]:
    columns = [[v for chunk in c.chunks for v in python_values(chunk)] for c in arrow.columns]
    names = arrow.column_names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def table(arrow: pa.Table, /, *, limit: int = 50) -> ShownTable:
    """Show the answer of ``Collection.sql`` as a table, at most *limit* rows.

    Examples
    --------
    >>> table(collection.sql("SELECT name, page_count FROM documents"))  # doctest: +SKIP
    """
    return ShownTable(arrow, limit)


# Changes between two documents, word for word, for a notebook.

_HERE = Path(__file__).parent
_SIGNS = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "same": ("", "")}


@dataclass(frozen=True, slots=True)
class MarkedChanges:
    """Changes with removed words struck out and added words marked, at most *limit* of them."""

    changes: Changes
    limit: int

    def __repr__(self) -> str:
        """Return the changes as text: ``[-removed-]`` and ``{+added+}``."""
        blocks = [self._heading()]
        for change in self.changes.changes[: self.limit]:
            words = "".join(text.join(_SIGNS[op]) for op, text in _words(change))
            blocks.append(f"{_source(change)}\n  {' '.join(words.split())}")
        return "\n".join(blocks)

    def _repr_html_(self) -> str:
        from casetrack.api.viewer.templating import rendered

        shown = [(_source(change), _words(change)) for change in self.changes.changes[: self.limit]]
        return rendered("marks.html", _HERE, heading=self._heading(), blocks=shown)

    def _heading(self) -> str:
        before, after = self.changes.before.name, self.changes.after.name
        total = len(self.changes.changes)
        shown = "" if total <= self.limit else f", the first {self.limit} shown"
        return f"{before} → {after}: {total} changed{shown}, {self.changes.unchanged} unchanged"


def marked_changes(changes: Changes, /, *, limit: int = 30) -> MarkedChanges:
    """Show changes of ``Collection.map.changes`` in reading order, with citations.

    At most *limit* of them are shown.
    """
    return MarkedChanges(changes, limit)


def _words(change: Change) -> tuple[tuple[str, str], ...]:
    """Return the words of a change with their operations, also for whole paragraphs."""
    if change.words:
        return change.words
    quote = change.after or change.before
    return ((change.kind, quote.text),) if quote else ()


def _source(change: Change) -> str:
    return " → ".join(quote.citation for quote in (change.before, change.after) if quote)
