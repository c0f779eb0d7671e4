"""Searching in the window: narrowing, order, from one result to the next."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from casetrack.collection import Collection

QUESTION = "notice of termination"


def asked(window: TestClient, **values: object) -> str:
    return window.get("/c/Demo/search", params={"q": QUESTION} | values).text


def offered(page: str, name: str) -> list[tuple[str, int]]:
    """Return the values of a facet that can be chosen, with their counts."""
    found = re.findall(rf'name="{name}" value="([^"]+)"[^>]*>.*?class="soft">([\d,]+)<', page)
    return [(html.unescape(value), int(count.replace(",", ""))) for value, count in found]


def cited(page: str) -> list[str]:
    return [html.unescape(c) for c in re.findall(r'<span class="citation">(.*?)</span>', page)]


def links(page: str, part: str) -> list[str]:
    found = (html.unescape(h) for h in re.findall(r'href="([^"]+)"', page))
    return [h for h in found if part in h]


def test_every_facet_is_offered_and_narrows(window: TestClient, demo: Collection) -> None:
    page = asked(window)
    names = {d.document_id: d.name for d in demo.documents()}
    document, count = offered(page, "document")[1]
    narrowed = asked(window, document=document)
    assert 0 < len(cited(narrowed)) <= max(count, 20)
    assert all(c.startswith(names[document].rsplit(".", 1)[0]) for c in cited(narrowed))
    assert f'value="{document}" checked' in narrowed
    for name in ("kind", "mentions", "year"):
        value, _ = offered(page, name)[0]
        assert cited(asked(window, **{name: value})), name


def test_what_narrows_is_taken_off_by_one_link(window: TestClient) -> None:
    kind, _ = offered(asked(window), "kind")[0]
    page = asked(window, kind=kind, since="2020-01-01")
    off = [h for h in links(page, "/search?") if "kind" not in dict(parse_qsl(urlsplit(h).query))]
    assert any("since=2020-01-01" in h for h in off)
    assert any(dict(parse_qsl(urlsplit(h).query)) == {"q": QUESTION} for h in off)


def test_results_stand_in_the_order_that_is_chosen(window: TestClient, demo: Collection) -> None:
    dates = {d.document_id: d.dated_at for d in demo.documents()}
    for order, is_descending in (("newest", True), ("oldest", False)):
        found = links(asked(window, order=order), "/passage/")
        chunks = [urlsplit(h).path.rsplit("/", 1)[1] for h in found if "hit=" in h]
        days = [dates[demo.read.chunk(c).provenance.document_id] for c in chunks]
        assert days == sorted(days, reverse=is_descending)
    names = [c.split(", ")[0].casefold() for c in cited(asked(window, order="document"))]
    assert names == sorted(names)


def test_one_result_leads_to_the_next_and_back(window: TestClient) -> None:
    page = asked(window, kind="contract")
    first, second = (h for h in links(page, "/passage/") if h.endswith(("hit=1", "hit=2")))
    shown = window.get(first).text
    (after,) = links(shown, "/search/2?")
    assert "kind=contract" in after
    there = window.get(after)
    assert there.url.path == urlsplit(second).path
    (before,) = links(there.text, "/search/1?")
    assert window.get(before).url.path == urlsplit(first).path
    (back,) = (h for h in links(shown, "/search?") if "hit" not in h)
    assert dict(parse_qsl(urlsplit(back).query)) == {"q": QUESTION, "kind": "contract"}
    # Beyond the last is the last.
    assert window.get(after.replace("/search/2", "/search/99")).url.path.count("/passage/") == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"document": "nothing-of-the-kind"}, "nothing-of-the-kind"),
        ({"kind": "novel"}, "novel"),
        ({"since": "2024-13"}, "2024-13"),
        ({"since": "2025", "until": "2024"}, "2025"),
        ({"mentions": "Xyzzy Plugh"}, "Xyzzy Plugh"),
        ({"order": "sideways", "limit": "many"}, "places in"),
    ],
)
def test_what_cannot_be_asked_says_why(
    window: TestClient, values: dict[str, str], said: str
) -> None:
    assert said in html.unescape(asked(window, **values))
