"""The reference of the SQL, as a page: made from the catalog, so that it cannot fall behind.

``python -m casetrack.sql.reference`` prints ``docs/query.md``; ``reference.md`` is how it begins.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.sql.catalog import catalog
from casetrack.sql.query import MEMORY_LIMIT, TIMEOUT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.sql.catalog import Column, Function, View


def reference() -> str:
    """Return the reference as Markdown."""
    known = catalog()
    head = (Path(__file__).parent / "reference.md").read_text(encoding="utf-8")
    head = head.replace("SECONDS", f"{TIMEOUT_SECONDS:.0f}").replace("MEMORY", MEMORY_LIMIT)
    parts = [head, "## Functions", *map(_function, known.functions)]
    parts += ["## Views", *map(_view, known.views)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _function(function: Function) -> str:
    lines = [f"### `{function.signature}`", "", function.about, ""]
    if function.parameters:
        rows = [(p.name, p.type, p.default or "", p.about) for p in function.parameters]
        lines += [*_table(("argument", "type", "default", "what it is"), rows), ""]
    if function.kind == "table":
        lines += [*_columns(function.columns), ""]
    return "\n".join([*lines, "```sql", function.example, "```"])


def _view(view: View) -> str:
    return "\n".join([f"### `{view.name}`", "", view.about, "", *_columns(view.columns)])


def _columns(columns: Sequence[Column]) -> list[str]:
    rows = [(c.name, c.type, c.unit, c.about) for c in columns]
    return _table(("column", "type", "unit", "what it is"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *([f"`{first}`", *rest] for first, *rest in rows)]
    return ["| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
