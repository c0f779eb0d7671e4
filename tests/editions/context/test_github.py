"""The script that reads GitHub, against a server on this machine with GitHub's API."""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from casetrack.editions.context.cli.main import main
from git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

MOMENT = "2024-01-31T12:00:00Z"


def issue(number: int, title: str, **more: Any) -> dict[str, Any]:
    page = f"https://github.com/acme/platform/issues/{number}"
    facts = {"number": number, "title": title, "state": "open", "body": None, "html_url": page}
    times = {"created_at": MOMENT, "updated_at": MOMENT}
    return {**facts, **times, "user": {"login": "ann"}, "labels": [{"name": "bug"}], **more}


def comment(text: str, **more: Any) -> dict[str, Any]:
    return {"body": text, "created_at": MOMENT, "user": {"login": "bob"}, **more}


API = "https://api.github.com/repos/acme/platform"
LISTS = {
    "issues": [
        issue(1, "The queue stalls", body="It stalls under load."),
        issue(2, "Drain the queue", pull_request={}, state="closed", body="Fixes #1."),
        issue(3, "Rename the worker"),
    ],
    "issues/comments": [comment("Seen with **9** consumers.", issue_url=f"{API}/issues/1")],
    "pulls/comments": [
        comment("Guard this loop.", pull_request_url=f"{API}/pulls/2", path="src/queue.py")
    ],
}


class GitHub(BaseHTTPRequestHandler):
    """Answers as the API does: pages of two entries, a rate limit at first, and a token."""

    refused = 0

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        name = address.path.removeprefix("/repos/acme/platform").lstrip("/")
        if self.headers["Authorization"] != "Bearer secret":
            return self._answer(401, {"message": "Bad credentials"})
        if not GitHub.refused:
            GitHub.refused = 1
            reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 1)}
            return self._answer(403, {"message": "API rate limit exceeded"}, reset)
        if not name:
            page = "https://github.com/acme/platform"
            return self._answer(200, {"clone_url": f"{page}.git", "html_url": page})
        number = int(parse_qs(address.query).get("page", ["1"])[0])
        shown = LISTS[name][2 * number - 2 : 2 * number]
        more = f"http://{self.headers['Host']}{address.path}?page={number + 1}"
        links = {"Link": f'<{more}>; rel="next"'} if 2 * number < len(LISTS[name]) else {}
        return self._answer(200, shown, links)

    def _answer(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def api() -> Iterator[str]:
    GitHub.refused = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), GitHub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_issues_pulls_and_wiki_are_found(
    api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    wiki = Repository(tmp_path / "platform.wiki")
    wiki.commit({"Home.md": "# Home\n\nHow we release."})
    for name, value in (
        ("XDG_CONFIG_HOME", str(tmp_path / "user")),
        ("CASETRACK_MODELS", str(tmp_path / "no-models")),
        ("GITHUB_TOKEN", "secret"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CTX_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["connector", "init", "hub", "--kind", "github"]) == 0
    keys = [f'api = "{api}"', f'wiki = "{wiki.folder.as_posix()}"']
    text = capfd.readouterr().out
    table = re.sub(r"(?m)^ +", "", text[text.index("  [connectors") : text.index("Next")])
    config = tmp_path / ".ctx" / "config.toml"
    config.parent.mkdir()
    config.write_text("\n".join([table, *keys, ""]), encoding="utf-8")
    assert main(["sync", "all"]) == 0, capfd.readouterr()
    capfd.readouterr()
    for question, source_id in (
        ("consumers of the stalled queue", "issues/1"),
        ("guard the loop", "pulls/2"),
        ("rename the worker", "issues/3"),
        ("how we release", "wiki/Home.md"),
    ):
        assert main(["search", question, "--json"]) == 0
        best = json.loads(capfd.readouterr().out)["results"][0]
        assert (best["source"], best["source_id"]) == ("script:hub", source_id)

    monkeypatch.setenv("GITHUB_TOKEN", "wrong")
    assert main(["sync", "all"]) == 1
    assert "Bad credentials" in capfd.readouterr().out
