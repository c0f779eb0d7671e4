"""The list of documents in the window: narrowing, order, parts, whom they mention."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from casetrack.api.collection.listing import listing

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection


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
