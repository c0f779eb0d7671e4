"""Limits of the Free tier; existing content can be used in every tier."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings, load_settings
from casetrack.base.errors import UPGRADE_URL, CollectionExists, FreeTierLimit
from casetrack.base.license import FREE, PRO, UNLIMITED
from casetrack.faces.cli.main import main
from casetrack.ingest.outcomes import Quota
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

SMALL = replace(FREE, documents=4)
"""Free with a limit that is reached sooner."""


def write(folder: Path, *numbers: int, text: str = "The rent of house {} is due.") -> Path:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        (folder / f"{number:03}.txt").write_text(text.format(number))
    return folder


def mail(path: Path, *attached: str) -> None:
    parts = "".join(
        '--x\nContent-Type: text/plain\nContent-Disposition: attachment; filename="'
        f'{name}.txt"\n\nEnclosure {name} of {path.name}.\n'
        for name in attached
    )
    path.write_text(
        "From: a@example.com\nTo: b@example.com\nSubject: Papers\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=x\n\n"
        f"--x\nContent-Type: text/plain\n\nThe papers of {path.name}.\n{parts}--x--\n"
    )


def fill(collection: Collection, count: int, store_text: Callable[..., Document]) -> None:
    """Put documents into a collection without any file or limit."""
    with write_session(collection.folder) as session:
        for number in range(count):
            store_text(session, f"{number:03}.txt", f"The rent of house {number} is due.")


def names(collection: Collection) -> list[str]:
    return [d.name for d in collection.documents(sort_by="name")]


# --- collections --------------------------------------------------------------------------------


def test_a_fourth_collection_is_refused(
    settings: Settings, tmp_path: Path, free_tier: None, capsys: pytest.CaptureFixture[str]
) -> None:
    library = Library(settings)
    for name in "ABC":
        library.create(name)
    with pytest.raises(FreeTierLimit) as caught:
        library.create("D")
    assert (caught.value.facts["allowed"], caught.value.facts["count"]) == ("3", "3")
    with pytest.raises(CollectionExists):
        library.create("a")  # an error of the call itself is reported first
    archive = library.get("A").admin.export(tmp_path / "A.ctcollection").path
    with pytest.raises(FreeTierLimit):
        library.import_archive(archive)
    assert main(["collection", "create", "D", "--data-dir", str(settings.data_dir)]) == 1
    assert caught.value.message in capsys.readouterr().err
    assert len(library.collections()) == 3
    library.delete("B")
    library.import_archive(archive, name="E")
    assert sorted(i.name for i in library.collections()) == ["A", "C", "E"]
    assert Library(settings, tier=UNLIMITED).create("D")


# --- documents ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_folder_up_to_the_limit(
    settings: Settings, tmp_path: Path, store_text: Callable[..., Document]
) -> None:
    collection = Library(settings, tier=SMALL).create("A")
    folder = write(tmp_path / "files", *range(20))
    (folder / "000a.txt").write_text(" \n ")  # becomes no document and takes no other file's place
    report = collection.ingest([folder])
    assert report.count("ingested") == len(collection.documents()) == 4
    refused = [o for o in report.outcomes if o.code == "free_tier_limit"]
    assert len(refused) == 16
    assert {o.status for o in refused} == {"skipped"}
    assert all(o.path in o.message and UPGRADE_URL in o.hint for o in refused)
    (note,) = [n for n in report.notes if UPGRADE_URL in n]
    assert re.findall(r"\d+", note) == ["16", "4", "4"]
    named = collection.ingest([folder / "019.txt"])
    assert [o.status for o in named.outcomes] == ["failed"]

    # Over the limit after a key expired: existing documents are read again, new ones are not.
    fill(collection, 2, store_text)
    first = names(collection)[0]
    (folder / first).write_text("This house was sold.")
    again = collection.ingest([folder])
    assert [o.path for o in again.outcomes if o.updated] == [str(folder / first)]
    assert re.findall(r"\d+", again.notes[-1]) == ["17", "4", "6"]
    assert len(collection.search("sold").results) == 1
    assert len(names(collection)) == 6


def test_a_sync_keeps_to_the_limit_and_follows_changes(settings: Settings, tmp_path: Path) -> None:
    folder = write(tmp_path / "files", *range(7))
    collection = Library(settings, tier=SMALL).create("A")
    report = collection.sync(folder)
    kinds = [c.kind for c in report.changes]
    assert (kinds.count("new"), kinds.count("skipped")) == (4, 3)
    assert re.findall(r"\d+", report.notes[-1])[:2] == ["3", "4"]
    remote = names(collection)
    write(folder, int(remote[0][:3]), text="House {} burnt down.")
    (folder / remote[1]).rename(folder / "moved.txt")
    (folder / remote[2]).unlink()
    again = collection.sync(
        folder, remove_deleted=True
    )  # a removed document frees quota for a new one
    result = {
        kind: [c.path.rpartition(os.sep)[2] for c in again.changes if c.kind == kind]
        for kind in ("changed", "moved", "removed")
    }
    assert result == {"changed": remote[:1], "moved": ["moved.txt"], "removed": remote[2:3]}
    kinds = [c.kind for c in again.changes]
    assert (kinds.count("new"), kinds.count("skipped")) == (1, 2)
    assert len(names(collection)) == 4


@pytest.mark.slow
def test_a_file_is_taken_in_with_all_that_is_in_it(settings: Settings, tmp_path: Path) -> None:
    folder = write(tmp_path / "files", 0, 1)
    mail(folder / "m1.eml", "a", "b", "c")
    mail(folder / "m2.eml", "d")
    mail(folder / "m3.eml", "e")
    collection = Library(settings, tier=SMALL).create("A")
    report = collection.ingest([folder])
    assert len([d for d in collection.documents() if d.parent_id is None]) == 4
    refused = [o.path for o in report.outcomes if o.code == "free_tier_limit"]
    assert len(refused) == 1
    remote = {n for n in names(collection) if n in {"a.txt", "b.txt", "c.txt", "d.txt", "e.txt"}}
    inside = {"m1.eml": {"a.txt", "b.txt", "c.txt"}, "m2.eml": {"d.txt"}, "m3.eml": {"e.txt"}}
    kept = set(inside) & set(names(collection))
    assert remote == set().union(*(inside[name] for name in kept))
    # An export made on the Free tier can be imported on the Free tier.
    archive = collection.admin.export(tmp_path / "A.ctcollection").path
    other = Library(replace(settings, data_dir=tmp_path / "other"), tier=SMALL)
    assert other.import_archive(archive).documents == len(names(collection))


def test_a_large_archive_is_refused(
    settings: Settings, tmp_path: Path, store_text: Callable[..., Document]
) -> None:
    collection = Library(settings, tier=PRO).create("A")
    fill(collection, 5, store_text)
    archive = collection.admin.export(tmp_path / "A.ctcollection").path
    other = Library(replace(settings, data_dir=tmp_path / "other"), tier=SMALL)
    with pytest.raises(FreeTierLimit) as caught:
        other.import_archive(archive)
    assert re.findall(r"\d", caught.value.fact) == ["4", "5"]
    assert other.collections() == []
    assert [p for p in (tmp_path / "other" / "collections").iterdir() if p.is_dir()] == []


@pytest.mark.parametrize("used", [True, False])
def test_a_file_without_a_place_waits_for_those_being_read(used: bool) -> None:
    def allow(count: int) -> None:
        if count >= 1:
            raise FreeTierLimit("full.", "wait.")

    quota, ended = Quota(0, allow), []

    def second() -> None:
        try:
            with quota.reserve(lambda: False) as place:
                ended.append("read" if place else "gave up")
        except FreeTierLimit:
            ended.append("refused")

    thread = threading.Thread(target=second)
    with quota.reserve(lambda: False) as first:
        assert first is not None
        thread.start()
        thread.join(0.1)
        assert (thread.is_alive(), ended) == (True, [])
        with quota.reserve(lambda: True) as late:
            assert late is None  # the batch was stopped meanwhile
        first.used = used
    thread.join(60)
    assert ended == (["refused"] if used else ["read"])


# --- features -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        (lambda c: c.map.find_entity("Anna"), "`casetrack entity`"),
        (lambda c: c.map.encounters(["Anna", "Ben"]), "`casetrack entity`"),
        (lambda c: c.map.graph(), "`casetrack entities`"),
        (lambda c: c.map.compare("a", "b", "rent"), "`casetrack changes`"),
        (lambda c: c.map.clusters(), "`casetrack topics`"),
        (lambda c: c.search("rent", mode="full"), "hybrid"),
        (lambda c: c.search("rent", stages=["semantic", "maxsim", "feedback"]), "hybrid"),
    ],
)
def test_what_free_lacks(
    ask: Callable[[Collection], Any], instead: str, settings: Settings, free_tier: None
) -> None:
    collection = Library(settings).create("A")
    with pytest.raises(FreeTierLimit) as caught:
        ask(collection)
    assert instead in caught.value.message
    assert "_" not in caught.value.message
    assert caught.value.message.endswith(UPGRADE_URL)


def test_a_command_says_the_same(
    settings: Settings, free_tier: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FreeTierLimit) as caught:
        Library(settings).create("A").map.clusters()
    assert main(["clusters", "--data-dir", str(settings.data_dir)]) == 1
    assert caught.value.message in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_search_on_free_is_by_words_and_meaning(
    library_with_model: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library_with_model.create("A")
    monkeypatch.setenv("CASETRACK_LICENSE", "")
    collection.ingest([write(tmp_path / "files", 1, 2, 3)])
    free = collection.search("payment for a home")
    assert (free.mode, free.tier, free.notes) == ("hybrid", "free", ())
    assert free.stages_used == ("bm25", "semantic")
    for mode in ("keyword", "semantic", "hybrid"):
        assert collection.search("rent", mode=mode).results
    monkeypatch.undo()
    monkeypatch.setenv("CASETRACK_MODELS", str(library_with_model.settings.models_dir))
    pro = collection.search("payment for a home")  # the token matrices were made on Free
    assert (pro.mode, pro.tier, pro.notes) == ("full", "pro", ())
    assert {"maxsim", "feedback"} <= set(pro.stages_used)
    assert [r.signals["maxsim"].score for r in pro]


def test_a_search_tells_that_the_key_does_not_count(settings: Settings, free_tier: None) -> None:
    library = Library(replace(settings, license_key="PRO-OLD"))
    answer = library.create("A").search("rent")
    assert answer.tier == "free"
    assert answer.notes[-1] == library.entitlements.status().notes[0]


# --- existing content ---------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_stored_stays_usable(
    settings: Settings, tmp_path: Path, free_tier: None, store_text: Callable[..., Document]
) -> None:
    before = Library(settings, tier=PRO)
    for number in range(5):
        before.create(f"C{number}")
    fill(before.get("C0"), 6, store_text)
    before.get("C0").admin.take_snapshot("before")

    after = Library(settings)
    small = Library(settings, tier=SMALL)
    assert (after.entitlements.tier, len(after.collections())) == (FREE, 5)
    collection = small.get("C0")
    assert len(collection.search("rent").results) == 6
    assert collection.sql("SELECT count(*) AS n FROM documents").to_pylist() == [{"n": 6}]
    assert collection.read.context(collection.search("rent")[0].provenance.chunk_id)
    assert collection.map.summary().statistics.document_count == 6
    assert collection.map.timeline().events == ()
    assert collection.map.entities() == ()
    collection.delete_document("000.txt")
    assert len(names(collection)) == 5
    collection.admin.restore("before")
    assert len(names(collection)) == 6
    assert collection.admin.export(tmp_path / "C0.ctcollection").documents == 6
    collection.admin.close()
    collection.admin.reopen()
    assert after.delete("C4").name == "C4"
    assert after.doctor().checks
    assert len(after.collections()) == 4


def test_settings_load_the_key(tmp_path: Path, free_tier: None) -> None:
    (tmp_path / "config.toml").write_text('license_key = "PRO-OLD"\n')
    assert load_settings(tmp_path).license_key == "PRO-OLD"
