"""A window on the sample case file, and a visitor who has its key."""

from __future__ import annotations

import html
import re
import shutil
import socket
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.http.address import Address, access
from casetrack.faces.window import application

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from httpx import Response

    from casetrack.api.collection import Collection
    from casetrack.base.config import Settings

KEY = "k" * 43
PORT = 8766
HOME = f"http://127.0.0.1:{PORT}"


def visitor(settings: Settings, *, read_only: bool = False, has_key: bool = True) -> TestClient:
    """Return a browser at the window of a data folder."""
    with socket.socket() as unused:
        address = Address(unused, "127.0.0.1", PORT, is_loopback=True)
        app = application(Library(settings), access(address, (), None), KEY, read_only=read_only)
    client = TestClient(app, base_url=HOME, follow_redirects=True)
    if has_key:
        assert client.get(f"/?key={KEY}").status_code == 200
    return client


def text_of(page: str, /) -> str:
    """Return the text of a page in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def links(page: str, part: str = "/c/") -> list[str]:
    """Return where a page leads to, once each."""
    matches = (html.unescape(h) for h in re.findall(r'href="([^"#]+)', page))
    return list(dict.fromkeys(h for h in matches if part in h))


def finished(window: TestClient, begun: Response) -> str:
    """Return the page of work that was begun, once it has ended."""
    deadline = time.monotonic() + 60
    while "data-again" in begun.text and time.monotonic() < deadline:
        time.sleep(0.05)
        begun = window.get(begun.url)
    return begun.text


@pytest.fixture(scope="session")
def own_home(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample case file for this process: others look at theirs meanwhile."""
    return shutil.copytree(demo_home, tmp_path_factory.mktemp("window") / "home")


@pytest.fixture
def demo(own_home: Path, models_dir: Path) -> Collection:
    """The collection "Demo" of :func:`own_home`; tests undo their changes."""
    return Library(replace(load_settings(own_home), models_dir=models_dir)).get("Demo")


@pytest.fixture
def window(demo: Collection) -> Iterator[TestClient]:
    """A client of the window on the sample case file; its changes are undone."""
    known = {m.mark_id for m in demo.marks.all()}
    yield visitor(demo.workspace.settings)
    for mark in demo.marks.all():
        if mark.mark_id not in known:
            demo.marks.undo(mark.mark_id)


@pytest.fixture
def empty(library: Library, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A visitor to the window on an empty data folder, where no model is missing."""
    monkeypatch.setattr("casetrack.api.models.supplies.lacking", lambda _: ())
    return visitor(library.settings)
