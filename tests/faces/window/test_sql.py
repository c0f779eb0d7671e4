"""SQL in the window: completion, charts, and the statement of a page."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.faces.window.pages import PAGES
from casetrack.faces.window.pages.asking_sql import MOST, bars_of
from casetrack.faces.window.statements import statements

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection


def test_names_are_offered_while_one_types(window: TestClient, demo: Collection) -> None:
    def offered(statement: str) -> list[list[Any]]:
        collected: list[list[Any]] = window.get(
            f"/c/{demo.name}/sql.json", params={"q": statement}
        ).json()
        return collected

    assert ["documents", 3, "view"] in offered("SELECT name FROM doc")
    assert ["page_count", 5, "column"] in offered("SELECT name FROM documents WHERE page_")
    assert any(kind == "document" for _, _, kind in offered("SELECT * FROM chunks WHERE name = '"))
    assert offered("SELECT name ") == []


@pytest.mark.slow
def test_rows_are_drawn_and_saved(window: TestClient, demo: Collection) -> None:
    statement = "SELECT name, page_count FROM documents ORDER BY name"
    page = window.get(f"/c/{demo.name}/sql", params={"q": statement})
    assert page.status_code == 200
    names = demo.sql(statement)["name"].to_pylist()
    assert page.text.count("<rect") == len(names)
    saved = window.get(f"/c/{demo.name}/sql.csv", params={"q": statement})
    assert saved.headers["content-type"].startswith("text/csv")
    assert saved.text.splitlines()[0] == "name,page_count"
    assert len(saved.text.splitlines()) == len(names) + 1


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([], None),
        ([{"a": "x"}], None),
        ([{"a": "x", "n": True}], None),
        ([{"n": float("nan")}], None),
        ([{"n": 2}, {"n": -3}], 2),
        ([{"a": "<b>", "n": 1.5}, {"a": None, "n": None}], 2),
        ([{"a": "x", "n": i} for i in range(MOST + 5)], MOST),
    ],
)
def test_bars_are_drawn_of_names_and_numbers(rows: list[dict[str, Any]], count: int | None) -> None:
    drawn = bars_of(rows)
    assert (None if drawn is None else drawn.count("<rect")) == count
    assert "<b>" not in (drawn or "")


@pytest.mark.slow
def test_every_statement_behind_a_page_runs(window: TestClient, demo: Collection) -> None:
    parts = {
        "collection": demo.name,
        "document": demo.documents()[0].document_id,
        "chunk": demo.sql("SELECT chunk_id FROM chunks LIMIT 1")["chunk_id"][0].as_py(),
        "entity": demo.sql("SELECT entity_id FROM entities LIMIT 1")["entity_id"][0].as_py(),
    }
    behind = [page for page in PAGES if page.name in statements()]
    assert len(behind) >= 7
    for page in behind:
        path = re.sub(r"\{(\w+)[^}]*\}", lambda result: parts[result[1]], page.address)
        shown = window.get(path, params={"q": "it's rent"})
        assert shown.status_code == 200, page
        (link,) = re.findall(r'class="behind"><a href="([^"]*)"', shown.text)
        answer = window.get(unescape(link))
        assert answer.status_code == 200, answer.text
        assert 'role="alert"' not in answer.text, page
