"""The list of documents in the window: narrowing, order, parts, whom they mention."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from casetrack.api.collection.listing import listing
from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

KEYS: dict[str, Callable[[Document], object]] = {
    "name": lambda d: d.name.lower(),
    "type": lambda d: d.document_type or "~",
    "pages": lambda d: -d.page_count,
    "date": lambda d: -d.ingested_at.timestamp(),
    "own_date": lambda d: -d.dated_at.timestamp(),
    "author": lambda d: (d.author or d.source_author or "~").lower(),
}


def listed(window: TestClient, **values: object) -> list[str]:
    page = window.get("/c/Demo/documents", params=values).text
    return [html.unescape(n) for n in re.findall(r'data-nth="\d+"><bdi>(.*?)</bdi>', page)]


@pytest.mark.slow
def test_people_are_those_a_document_mentions_most(demo: Collection) -> None:
    for each in listing(demo.workspace.state()).documents:
        message = demo.map.document_entities(each.document, limit=50)
        people = {e.entity_id for e in message if e.kind == "person"}
        assert {key for key, _ in each.people} <= people
        assert len(each.people) == min(3, len(people))


def test_the_list_is_narrowed(window: TestClient, demo: Collection) -> None:
    names = {d.name for d in demo.documents()}
    assert set(listed(window)) == names
    assert set(listed(window, name="INVOICE")) == {n for n in names if "Invoice" in n}
    contracts = {d.name for d in demo.documents() if d.document_type == "contract"}
    assert set(listed(window, kind="contract", order="pages")) == contracts
    assert listed(window, name="100% sure_no'such") == []
    assert listed(window, partly="1") == [d.name for d in demo.documents() if d.missing]
    # A part that is not there any more is the first one.
    assert listed(window, sheet=999) == listed(window)


def test_an_order_that_is_none_is_refused(demo: Collection) -> None:
    with pytest.raises(UsageError, match="sideways"):
        listing(demo.workspace.state(), sort_by="sideways")
    with pytest.raises(UsageError, match="limit"):
        listing(demo.workspace.state(), limit=5000)
