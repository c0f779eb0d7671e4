"""SQL for analysts: a statement, its rows as a table, and as a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from starlette.responses import JSONResponse, Response

from casetrack.base.errors import CaseTrackError
from casetrack.faces.window.bars import bars_of
from casetrack.faces.window.pages.base import Page
from casetrack.search.query.completion import Words, candidates
from casetrack.search.query.process import csv_of, rows_of

if TYPE_CHECKING:
    from casetrack.faces.window.visit import Visit

_SHOWN = 500
_CELL = 400
_OFFERED = 40
EXAMPLE = """\
SELECT document_name, count(*) AS passages
FROM chunks
GROUP BY ALL
ORDER BY passages DESC"""


def sql(visit: Visit, /) -> Response:
    """Run a reading statement in a process of its own, and show its first rows."""
    statement, info = visit.asked("q"), visit.collection.info
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
        collection=visit.collection,
        statement=statement or EXAMPLE,
        asked=bool(statement),
        columns=list(rows[0]) if rows else [],
        bars=bars_of(rows),
        rows=[[_cell(value) for value in row.values()] for row in rows[:_SHOWN]],
        has_more=len(rows) > _SHOWN,
        problem=problem,
    )


def download(visit: Visit, /) -> Response:
    """Give all rows of a statement as CSV, of which nothing runs as a formula."""
    rows = anyio.run(csv_of, visit.library.settings, visit.collection.info, visit.asked("q"))
    headers = {"content-disposition": 'attachment; filename="rows.csv"'}
    return Response(rows, media_type="text/csv", headers=headers)


def complete(visit: Visit, /) -> Response:
    """Offer what could come next in a statement, told what stands before the cursor."""
    words = Words(lambda: [document.name for document in visit.collection.documents()])
    found = candidates(visit.asked_as_typed("q"), words)[:_OFFERED]
    return JSONResponse([[each.text, each.replaces, each.kind] for each in found])


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _CELL else f"{text[:_CELL]}\u2026"


PAGES = (
    Page("sql", "/c/{collection}/sql", sql),
    Page("sql-words", "/c/{collection}/sql.json", complete),
    Page("sql-rows", "/c/{collection}/sql.csv", download),
)
