"""Searching in the window: narrowing, order, from one result to the next."""

from __future__ import annotations

import html
import re
import shutil
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from casetrack.api.collection.map import Map
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from faces.window.conftest import links, visitor

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection

QUESTION = "notice of termination"


def asked(window: TestClient, **values: object) -> str:
    return window.get("/c/Demo/search", params={"q": QUESTION} | values).text


def offered(page: str, name: str) -> list[tuple[str, int]]:
    """Return the values of a facet that can be chosen, with their counts."""
    matches = re.findall(rf'name="{name}" value="([^"]+)"[^>]*>.*?class="soft">([\d,]+)<', page)
    return [(html.unescape(value), int(count.replace(",", ""))) for value, count in matches]


def cited(page: str) -> list[str]:
    return [html.unescape(c) for c in re.findall(r'<span class="citation">(.*?)</span>', page)]


@pytest.mark.slow
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


@pytest.mark.slow
def test_results_are_in_the_order_that_is_chosen(window: TestClient, demo: Collection) -> None:
    dates = {d.document_id: d.dated_at for d in demo.documents()}
    for order, is_descending in (("newest", True), ("oldest", False)):
        result = links(asked(window, order=order), "/passage/")
        chunks = [urlsplit(h).path.rsplit("/", 1)[1] for h in result if "hit=" in h]
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
    remote = window.get(after)
    assert remote.url.path == urlsplit(second).path
    (before,) = links(remote.text, "/search/1?")
    assert window.get(before).url.path == urlsplit(first).path
    (back,) = (h for h in links(shown, "/search?") if "hit" not in h)
    assert dict(parse_qsl(urlsplit(back).query)) == {"q": QUESTION, "kind": "contract"}
    # Beyond the last is the last.
    assert window.get(after.replace("/search/2", "/search/99")).url.path.count("/passage/") == 1


@pytest.mark.slow
def test_searches_and_pages_do_not_wait_for_a_map_that_is_not_there(
    own_home: Path, models_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update of the program that reads documents for the map in another way."""
    home = shutil.copytree(own_home, tmp_path / "home")
    for segments in home.glob("collections/*/views/graph"):
        shutil.rmtree(segments)
    settings = replace(load_settings(home), models_dir=models_dir)
    collection = Library(settings).get("Demo")
    passages = collection.map.lacking()
    assert passages == collection.stats().chunk_count
    monkeypatch.setattr("casetrack.faces.window.work.WAITED_FOR", 0)
    held = threading.Event()
    prepare = Map.prepare

    def late(self: Map, progress: Any, cancel: threading.Event) -> None:
        assert held.wait(30)
        prepare(self, progress, cancel)

    monkeypatch.setattr(Map, "prepare", late)
    window = visitor(settings)
    try:
        opened = window.get("/c/Demo/search", params={"q": "rent"}).text
        assert 'name="document"' in opened
        assert 'name="mentions"' not in opened
        waiting = window.get("/c/Demo/people", params={"kind": "person"})
        assert "Demo" in waiting.text
        assert waiting.url.params["then"] == "/c/Demo/people?kind=person"
        assert re.search(r"/jobs/j-\w+", opened)[0] == waiting.url.path, "one work for both"
    finally:
        held.set()
    again = waiting.url.path
    for _ in range(600):
        message = window.get(again, params=waiting.url.params, headers={"x-part": "1"}).text
        if "data-go" in message:
            break
        time.sleep(0.05)
    assert 'href="/c/Demo/people?kind=person"' in message
    assert window.get("/c/Demo/people").url.path == "/c/Demo/people"
    assert 'name="mentions"' in window.get("/c/Demo/search", params={"q": "rent"}).text
    outside = window.get(again, params={"then": "https://evil.example/"}).text
    assert "data-go" not in outside
