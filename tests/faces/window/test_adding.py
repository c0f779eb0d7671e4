"""Adding in the window: chosen and watched folders, the limits of the tier, keys and models."""

from __future__ import annotations

import re
import threading
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.watch.watch_list import WatchList

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from casetrack.api.library import Library
    from casetrack.base.records.sync import Watch


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with files, one below, one hidden."""
    home = tmp_path / "Matter & <b>Files</b>"
    (home / "Letters").mkdir(parents=True)
    (home / ".hidden").mkdir()
    (home / "lease.txt").write_text("The lease ends on 1 March 2027.", encoding="utf-8")
    (home / "picture.unknown").write_bytes(b"?")
    (home / "Letters" / "one.txt").write_text("Dear Sir, pay EUR 5.", encoding="utf-8")
    return home


def _wait_for_work() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("j-"):
            thread.join(60)


def made(window: TestClient) -> str:
    window.post("/collections", data={"name": "Case"})
    return "/c/Case"


@pytest.mark.usefixtures("free_tier")
def test_a_folder_is_chosen_by_clicking(empty: TestClient, shelf: Path) -> None:
    page = empty.get(f"{made(empty)}/choose", params={"at": str(shelf.parent)})
    (link,) = (a for a in re.findall(r'href="([^"]*choose[^"]*)"', page.text) if "Matter" in a)
    inside = empty.get(unescape(link))
    assert "Letters" in inside.text
    assert ".hidden" not in inside.text
    assert "<b>Files" not in inside.text
    assert re.search(r'class="soft">2\b', inside.text)
    (take,) = re.findall(r'class="button main" href="([^"]*)"', inside.text)
    form = empty.get(unescape(take))
    assert "Matter &amp; &lt;b&gt;Files&lt;/b&gt;" in form.text
    assert "100" in form.text
    assert "Free" in empty.get("/settings").text
    assert empty.post("/settings/license", data={"key": "not a key"}).status_code == 400


def test_a_folder_is_kept_in_step(empty: TestClient, library: Library, shelf: Path) -> None:
    place = made(empty)
    page = empty.post(f"{place}/add", data={"path": str(shelf), "keep": "1"})
    assert page.url.path == f"{place}/folders"
    (watch,) = WatchList(library.settings.data_dir).watches()
    assert watch.folder == str(shelf)

    def do(what: str, **more: str) -> tuple[Watch, ...]:
        answer = empty.post(f"{place}/{what}", data={"folder": watch.folder, **more})
        assert answer.status_code == 200, answer.text
        return WatchList(library.settings.data_dir).watches()

    assert [do(f"do/watch {what}")[0].enabled for what in ("pause", "resume")] == [False, True]
    kept = [do("do/watch add", remove_deleted=sign)[0].auto_remove_deleted for sign in "10"]
    assert kept == [True, False]
    (shelf / "damaged.pdf").write_bytes(b"%PDF-1.4 damaged")
    do("folders")
    _wait_for_work()
    assert "damaged.pdf" in empty.get(f"/jobs/{library.jobs.list()[0].id}").text
    assert library.get("Case").stats().document_count == 2
    assert do("do/watch remove") == ()
    refused = empty.post(f"{place}/folders", data={"folder": watch.id})
    assert refused.status_code in {400, 404}


def test_a_snapshot_is_taken_restored_and_removed(
    empty: TestClient, library: Library, shelf: Path
) -> None:
    place, do = f"{made(empty)}/snapshots", "/c/Case/do/snapshots"
    sent = {"name": "First", "name_or_number": "First", "back": place}
    assert "<bdi>First</bdi>" in empty.post(f"{do} take", data=sent).text
    library.get("Case").ingest(shelf)
    empty.post(place, data=sent)
    _wait_for_work()
    assert not library.get("Case").documents()
    left = empty.post(f"{do} remove", data=sent).text
    assert re.findall(r"<bdi>(First|before-restore)", left) == ["before-restore"]


def test_models_are_fetched_as_work(
    empty: TestClient, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulled: list[str] = []

    def pull(spec: Any, _folder: Path, *, progress: Any) -> None:
        progress(spec.name, 1, None)
        pulled.append(spec.name)

    def fetch(_folder: Path, progress: Any) -> list[str]:
        progress("all that is usual", 1, 2)
        pulled.append("usual")
        return ["done"]

    monkeypatch.setattr("casetrack.models.pull.pull", pull)
    monkeypatch.setattr("casetrack.api.models.supplies.fetch", fetch)
    page = empty.post("/settings/models", data={"profile": "standard"})
    assert page.url.path.startswith("/jobs/")
    _wait_for_work()
    assert len(pulled) > 1
    assert [(job.kind, job.state) for job in library.jobs.list()] == [("models", "done")]
