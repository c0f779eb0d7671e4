"""The SQL reference as a page, generated from the catalog.

``python -m casetrack.api.sql.reference`` prints ``docs/sql-reference.md``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from casetrack.base.sql.catalog import Column, Function, View, catalog

_HEAD = """# SQL reference

The functions and views of `casetrack query`, `collection.sql()` and the MCP tool `query`, with
their columns. [Query with SQL](query.md) explains how to run statements.
"""


def reference() -> str:
    """Return the reference as Markdown."""
    known = catalog()
    parts = [_HEAD, "## Functions", _index(known.functions), *map(_function, known.functions)]
    parts += ["## Views", _index(known.views), *map(_view, known.views)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def names() -> str:
    """Return views with their columns, and functions, one per line, for programs."""
    known = catalog()
    views = [
        f"- {view.name}({', '.join(f'{c.name} {c.type}' for c in view.columns)}): {_first(view)}"
        for view in known.views
    ]
    functions = [f"- {function.signature}: {_first(function)}" for function in known.functions]
    lines = ["# SQL over a collection", "", "Views:", *views, "", "Functions:", *functions]
    return "\n".join(lines) + "\n"


def _first(described: Function | View) -> str:
    """Return the first sentence of a description, on one line."""
    return _cell(described.about.partition(". ")[0].rstrip("."))


def _index(described: Sequence[Function | View]) -> str:
    """Return a table of contents: links to the sections, with the first sentence."""
    rows = [f"| [`{d.name}`](#{_anchor(d)}) | {_first(d)} |" for d in described]
    return "\n".join(["| name | contents |", "| --- | --- |", *rows])


def _anchor(described: Function | View) -> str:
    """Return the anchor of a section on the page."""
    title = described.name if isinstance(described, View) else described.signature
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _function(function: Function) -> str:
    lines = [f"### `{function.signature}`", "", function.about, ""]
    if function.parameters:
        rows = [(p.name, p.type, p.default or "", p.about) for p in function.parameters]
        lines += [*_table(("argument", "type", "default", "description"), rows), ""]
    if function.kind == "table":
        lines += [*_columns(function.columns), ""]
    return "\n".join([*lines, "```sql", function.example, "```"])


def _view(view: View) -> str:
    return "\n".join([f"### `{view.name}`", "", view.about, "", *_columns(view.columns)])


def _columns(columns: Sequence[Column]) -> list[str]:
    rows = [(c.name, c.type, c.unit, c.about) for c in columns]
    return _table(("column", "type", "unit", "description"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *([f"`{first}`", *rest] for first, *rest in rows)]
    return ["| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
