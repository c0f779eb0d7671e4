"""Access to the window, and the restrictions of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.faces.window.entry import window_key
from tests.faces.window.conftest import HOME, KEY, visitor

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from casetrack.api.library import Library


def test_nobody_comes_in_without_the_key(library: Library) -> None:
    stranger = visitor(library.settings, has_key=False)
    for path in ("/", "/jobs", "/static/window.css", "/?key=wrong", f"/?key={KEY[:-1]}"):
        answer = stranger.get(path)
        assert answer.status_code == 401
        assert "desktop menu" in answer.text


def test_the_key_leaves_the_address(library: Library) -> None:
    guest = visitor(library.settings, has_key=False)
    answer = guest.get(f"/jobs?key={KEY}&x=1", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/jobs?x=1"
    assert {"HttpOnly", "SameSite=lax"} <= {*answer.headers["set-cookie"].split("; ")}
    elsewhere = guest.get(f"//evil.example/x?key={KEY}", follow_redirects=False)
    assert elsewhere.headers.get("location", "/").startswith("/")
    assert not elsewhere.headers.get("location", "/").startswith("//")


@pytest.mark.parametrize(
    ("headers", "seen", "changed"),
    [
        ({"host": "evil.example"}, 421, 421),
        ({"host": "evil.example:8766"}, 421, 421),
        ({"host": "127.0.0.1:1"}, 421, 421),
        ({"origin": "http://evil.example"}, 403, 403),
        ({"origin": "null"}, 403, 403),
        ({"sec-fetch-site": "cross-site"}, 200, 403),
        ({"origin": HOME}, 200, 200),
    ],
)
def test_other_addresses_and_pages_are_refused(
    empty: TestClient, library: Library, headers: dict[str, str], seen: int, changed: int
) -> None:
    posted = empty.post("/collections", data={"name": "Planted"}, headers=headers)
    assert (empty.get("/", headers=headers).status_code, posted.status_code) == (seen, changed)
    assert len(library.collections()) == (changed == 200)


def test_a_window_to_read_changes_nothing(library: Library) -> None:
    reader = visitor(library.settings, read_only=True)
    answer = reader.post("/collections", data={"name": "New"})
    assert (answer.status_code, library.collections()) == (403, [])
    assert "read-only" in answer.text
    assert '<form class="card make"' not in reader.get("/").text
    assert 'action="/settings' not in reader.get("/settings").text


def test_every_answer_forbids_foreign_code(window: TestClient) -> None:
    for path in ("/", "/static/window.js", "/page.css", "/no/such/page"):
        policy = window.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


def test_the_key_is_kept_and_private(tmp_path: Path) -> None:
    first = window_key(tmp_path)
    assert len(first) >= 32
    assert window_key(tmp_path) == first
    assert (tmp_path / "window.key").stat().st_mode & 0o077 == 0
