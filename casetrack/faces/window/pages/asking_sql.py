"""SQL for analysts: a statement, its rows as a table, and as a file."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from markupsafe import Markup
from starlette.responses import JSONResponse, Response

from casetrack.api.sql.completion import Words, candidates
from casetrack.api.sql.process import csv_of, rows_of
from casetrack.api.viewer.markup import printable
from casetrack.base.errors import CaseTrackError
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import templates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.faces.window.visit import Visit

# Bars of a result: one name per row, and one number.

MOST = 40
_ROW, _LEFT, _WIDE, _RIGHT = 26, 220, 520, 110


def bars_of(rows: Sequence[Mapping[str, Any]], /) -> Markup | None:
    """Return the first rows as a bar chart, if they have a label and a number each.

    The number is the last numeric column, the label the first other one.

    Returns
    -------
    Markup or None
        An SVG without styles; ``None`` if there is no such pair.
    """
    shown = rows[:MOST]
    if not shown:
        return None
    numeric = [name for name in shown[0] if all(_is_number(row[name]) for row in shown)]
    named = [name for name in shown[0] if name not in numeric]
    if not numeric:
        return None
    name, number = (named or [""])[0], numeric[-1]
    values = [float(row[number] or 0) for row in shown]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = _WIDE / ((high - low) or 1.0)
    labels = [printable(str(r[name])) if name else str(n) for n, r in enumerate(shown, 1)]
    bars = [
        (label, value, "None" if row[number] is None else row[number])
        for label, row, value in zip(labels, shown, values, strict=True)
    ]
    drawn = templates().get_template("bars.html")
    return Markup(  # noqa: S704 - every text in it is escaped
        drawn.render(
            name=name,
            number=number,
            bars=bars,
            scale=scale,
            zero=_LEFT - low * scale,
            left=_LEFT,
            wide=_WIDE,
            right=_RIGHT,
            row=_ROW,
            height=_ROW * len(shown) + 8,
        )
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | None):
        return False
    return value is None or math.isfinite(value)


_SHOWN = 500
_CELL = 400
_OFFERED = 40
EXAMPLE = """\
SELECT document_name, count(*) AS passages
FROM chunks
GROUP BY ALL
ORDER BY passages DESC"""


def sql(visit: Visit, /) -> Response:
    """Run a read-only statement in a separate process, and show its first rows."""
    # A form sends the lines of its field with CR LF.
    statement, info = visit.asked("q").replace("\r\n", "\n"), visit.collection.info
    rows: list[dict[str, Any]] = []
    problem = None
    if statement:
        ask = partial(rows_of, visit.library.settings, info, statement, limit=_SHOWN + 1)
        try:
            rows = anyio.run(ask)
        except CaseTrackError as error:
            problem = error
    return visit.page(
        "sql.html",
        status=400 if problem else 200,
        statement=statement or EXAMPLE,
        asked=bool(statement),
        columns=list(rows[0]) if rows else [],
        bars=bars_of(rows),
        rows=[[_cell(value) for value in row.values()] for row in rows[:_SHOWN]],
        has_more=len(rows) > _SHOWN,
        problem=problem,
    )


def download(visit: Visit, /) -> Response:
    """Return all rows of a statement as CSV without formulas."""
    rows = anyio.run(csv_of, visit.library.settings, visit.collection.info, visit.asked("q"))
    headers = {"content-disposition": 'attachment; filename="rows.csv"'}
    return Response(rows, media_type="text/csv", headers=headers)


def complete(visit: Visit, /) -> Response:
    """Return completions of a statement before the cursor."""
    words = Words(lambda: [document.name for document in visit.collection.documents()])
    names = candidates(visit.request.query_params.get("q", ""), words)[:_OFFERED]
    return JSONResponse([[each.text, each.replaces, each.kind] for each in names])


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _CELL else f"{text[:_CELL]}\u2026"


PAGES = (
    Page("sql", "sql", sql, of=("query", "schema")),
    Page("sql-words", "sql.json", complete),
    Page("sql-rows", "sql.csv", download),
)
