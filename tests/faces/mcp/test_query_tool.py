"""The tool that asks in SQL: rows with their columns, and a server that outlives each statement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import psutil
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library

ROWS = "SELECT name, n FROM documents, range(700) AS of(n) WHERE name = 'Notes.txt' ORDER BY n"


@pytest.mark.slow
def test_rows_come_by_column_and_mistakes_are_reported(
    filled: Library, call: Callable[..., Any], text: Callable[[Any], str], codes: list[str]
) -> None:
    rows, wrong, writing = call(
        filled,
        ("query", {"sql": f"-- a comment first\n{ROWS}"}),
        ("query", {"sql": "SELECT nam FROM documents"}),
        ("query", {"sql": "COPY documents TO 'stolen.csv'"}),
    )
    facts = rows.structured_content
    assert facts["columns"] == ["name", "n"]
    assert facts["rows"] == [["Notes.txt", n] for n in range(500)]
    assert "500" in facts["more"]
    assert "> Notes.txt | 499\n" in text(rows)
    assert wrong.is_error
    assert re.search(r"\bname\b", text(wrong))
    assert writing.is_error
    assert codes == ["query", "query"]
    kept = psutil.Process().children()
    call(filled, ("query", {"sql": ROWS}))
    assert psutil.Process().children() == kept, "the process runs further statements"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "seconds", "message"),
    [
        ("SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c", 0.3, "0.3"),
        ("SELECT repeat('x', 9000000) AS long", 60, "4 MB"),
    ],
)
def test_a_statement_without_measure_ends_alone(
    filled: Library,
    call: Callable[..., Any],
    text: Callable[[Any], str],
    sql: str,
    seconds: float,
    message: str,
) -> None:
    config = filled.settings.data_dir / "config.toml"
    config.write_text(f"[sql]\ntimeout_seconds = {seconds}\n", encoding="utf-8")
    try:
        ended, after = call(filled, ("query", {"sql": sql}), ("list_documents", {}))
    finally:
        config.unlink()
    assert ended.is_error
    assert message in text(ended)
    assert not after.is_error
