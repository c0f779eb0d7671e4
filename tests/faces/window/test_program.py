"""The window as a program of the desktop: one per data folder, a ticket at the door, an end."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from casetrack.faces.cli.desktop import main as start_from_menu
from casetrack.faces.window import serving
from casetrack.faces.window.entry import KEY, issue_ticket, take_ticket, window_key
from casetrack.faces.window.serving import Ending, only_one
from tests.faces.window.conftest import visitor

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

BROWSER = """\
#!/bin/sh
for word in "$@"; do case "$word" in --app=*) echo "${word#--app=}" >> "$SEEN";; esac; done
[ -n "$STAYS" ] || exit 0
while [ ! -e "$STAYS" ]; do sleep 0.05; done
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="the browser is a shell script")


def test_a_ticket_lets_in_once(library: Library) -> None:
    data_dir = library.settings.data_dir
    guest = visitor(library.settings, has_key=False)
    old, ticket = issue_ticket(data_dir), issue_ticket(data_dir)
    assert guest.get(f"/?ticket={old}").status_code == 401
    assert guest.get("/?ticket=").status_code == 401
    answer = guest.get(f"/jobs?ticket={ticket}&x=1", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/jobs?x=1")
    assert guest.get("/").status_code == 200  # by the cookie
    stranger = visitor(library.settings, has_key=False)
    assert stranger.get(f"/?ticket={ticket}").status_code == 401
    assert not take_ticket(data_dir, ticket)


def test_a_data_folder_has_one_window(tmp_path: Path) -> None:
    with only_one(tmp_path / "new") as mine:
        mine.say("http://127.0.0.1:9")
        with only_one(tmp_path / "new") as other:
            assert (mine.mine, other.mine) == (True, False)
            assert other.place() == "http://127.0.0.1:9"
        with only_one(tmp_path / "another") as elsewhere:
            assert elsewhere.mine
            assert elsewhere.place(patience=0.0) is None
    with only_one(tmp_path / "new") as later:
        assert later.mine
        assert later.place(patience=0.0) is None


def test_it_ends_when_its_window_is_closed_or_nobody_asks_any_more() -> None:
    fresh = Ending()
    assert not fresh.is_due(busy=False)
    fresh.closed = True
    assert not fresh.is_due(busy=True)  # first the work that goes on
    assert fresh.is_due(busy=False)
    idle = Ending(seen=time.monotonic() - 9 * 3600)
    assert idle.is_due(busy=False)
    idle.watched = True
    assert not idle.is_due(busy=False)
    idle.watched = False
    assert not idle.is_due(busy=True)
    assert not idle.is_due(busy=False)  # work counts as asking
    asked = Ending(seen=time.monotonic() - 9 * 3600)
    TestClient(asked.around(PlainTextResponse("page"))).get("/")
    assert not asked.is_due(busy=False)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A browser that notes the pages it shows, and closes when a file is there."""
    path = tmp_path / "bin" / "google-chrome"
    path.parent.mkdir()
    path.write_text(BROWSER)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.setenv("STAYS", str(tmp_path / "closed"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "data"))
    return tmp_path / "seen"


def pages(seen: Path, count: int) -> list[str]:
    """Return the pages that the browser was shown, once there are so many."""
    end = time.monotonic() + 200
    while time.monotonic() < end:
        text = seen.read_text().split() if seen.exists() else []
        if len(text) >= count:
            return text
        time.sleep(0.05)
    raise AssertionError(f"{count} pages were awaited")


@posix
@pytest.mark.slow
def test_started_twice_it_is_one_and_closing_its_window_ends_it(
    stand_in: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "casetrack", "browse", "--app", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as first:
        try:
            (page,) = pages(stand_in, 1)
            opener = build_opener(HTTPCookieProcessor())
            with opener.open(page) as answer:
                assert answer.status == 200
                assert "ticket" not in answer.url
            key = window_key(tmp_path / "data")
            assert key not in page  # other users see the arguments of a browser
            second = subprocess.run(
                command, capture_output=True, text=True, check=True, timeout=200
            )
            assert f"{page.split('?')[0]}?{KEY}={key}" in second.stderr
            again = pages(stand_in, 2)[1]
            assert again.split("?")[0] == page.split("?")[0]
            (tmp_path / "closed").touch()
            assert first.wait(200) == 0
        finally:
            first.send_signal(signal.SIGTERM)
    assert not (tmp_path / "data" / "window.json").exists()


@posix
@pytest.mark.parametrize("browser", [None, "/no/such/browser", "fails"])
def test_without_a_working_browser_the_usual_one_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: str | None
) -> None:
    shown: queue.Queue[str] = queue.Queue()
    (tmp_path / "fails").write_text("#!/bin/sh\nexit 21\n")
    (tmp_path / "fails").chmod(0o755)
    monkeypatch.setattr(serving.webbrowser, "open", shown.put)
    monkeypatch.setattr(serving, "find_browser", lambda: browser and str(tmp_path / browser))
    monkeypatch.setattr(serving, "_AT_ONCE", 3600.0)  # however busy the machine is
    ending = Ending()
    serving.show("http://127.0.0.1:1/", ending)
    assert shown.get(timeout=200) == "http://127.0.0.1:1/"
    assert (ending.watched, ending.closed) == (False, False)


def test_started_from_the_menu_a_problem_is_shown_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("platformdirs.user_log_dir", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr("casetrack.faces.cli.desktop.webbrowser.open", shown.append)
    (tmp_path / "file").write_text("no folder")
    streams = sys.stdin, sys.stdout, sys.stderr
    monkeypatch.setattr(sys, "stderr", None)  # as Windows starts it
    assert start_from_menu(["--data-dir", str(tmp_path / "file" / "<data>")]) != 0
    monkeypatch.setattr(sys, "stderr", streams[2])
    assert (sys.stdin, sys.stdout) == streams[:2]
    (page,) = shown
    text = (tmp_path / "window.html").read_text()
    assert page == (tmp_path / "window.html").as_uri()
    assert "&lt;data&gt;" in text
    assert "Traceback" not in text
    assert json.dumps(str(tmp_path / "window.log"))[1:-1] in json.dumps(text)
