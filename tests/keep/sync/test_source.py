"""Sync of a collection with the listing of a source."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import SourceChanged, SourceError, SourceSkipped
from stub_source import StubSource

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records.sync import SyncReport
    from casetrack.keep.sources.base import Item
    from sync_case import Case

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def collection(case: Case) -> Collection:
    return case.collection


def source(**texts: str) -> StubSource:
    return StubSource({name.replace("_", "."): text for name, text in texts.items()})


def told(report: SyncReport) -> set[tuple[str, ...]]:
    short = [(c.kind, c.previous_path, c.path) for c in report.changes]
    return {tuple(part.removeprefix("git:stub/") for part in parts if part) for parts in short}


def ids(collection: Collection) -> dict[str | None, str]:
    return {d.source_id: d.document_id for d in collection.documents()}


@pytest.mark.slow
def test_items_become_documents_with_what_their_source_says_of_them(collection: Collection) -> None:
    stub = StubSource({"docs/a.md": "# Rent\n\nAll about rent."})
    stub.facts["docs/a.md"] = {
        "url": "https://example.org/a",
        "author": "Ann",
        "updated_at": MONDAY,
        "title": "About rent",
        "metadata": {"stars": 3},
    }
    report = collection.sync_source(stub)
    assert told(report) == {("new", "docs/a.md")}
    assert (report.folder, report.problem, stub.closed) == ("git:stub", "", 1)
    (document,) = collection.documents()
    assert document.path == "git:stub/docs/a.md"
    assert document.name == "a.md"
    assert document.is_remote
    assert (document.source, document.source_id) == ("git:stub", "docs/a.md")
    assert (document.source_url, document.source_author) == ("https://example.org/a", "Ann")
    assert document.source_updated_at == document.file_modified_at == MONDAY
    assert document.metadata == '{"stars": 3}'
    assert document.original_copy is not None
    kept = (collection.folder / document.original_copy).read_text()
    assert kept == stub.texts["docs/a.md"]
    assert not list((collection.folder / "sync").glob(".*"))


def test_another_title_is_taken_over_once(collection: Collection) -> None:
    own = "---\ntitle: Goods\n---\n\nAll about goods."
    stub = StubSource({"a.txt": "All about rent.", "b.md": own})
    stub.facts = {name: {"title": f"Ticket {name}"} for name in stub.texts}
    collection.sync_source(stub)
    stub.facts = {name: {"title": f"Renamed {name}"} for name in stub.texts}
    collection.sync_source(stub)
    titles = {d.source_id: d.title for d in collection.documents()}
    assert titles == {"a.txt": "Renamed a.txt", "b.md": "Goods"}
    assert collection.sync_source(stub).unchanged == 2


def test_items_are_fetched_side_by_side(collection: Collection) -> None:
    """Each item waits until four are asked for at the same time."""
    four = threading.Barrier(4)

    class Patient(StubSource):
        together = 4

        def fetch(self, item: Item, target: Path, /, **given: Any) -> None:
            four.wait(timeout=60)
            super().fetch(item, target, **given)

    stub = Patient({f"{n}.md": f"All about thing {n}." for n in range(8)})
    stub.errors["5.md"] = [SourceSkipped("git:stub", "It is a pointer.")]
    report = collection.sync_source(stub)
    assert ("skipped", "5.md") in told(report)
    assert {d.source_id for d in collection.documents()} == {f"{n}.md" for n in range(8) if n != 5}


@pytest.mark.slow
def test_what_is_known_by_its_token_is_not_fetched_again(collection: Collection) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    collection.sync_source(stub)
    stub.fetched.clear()
    again = collection.sync_source(stub)
    assert (again.seen, again.unchanged, again.hashed, again.changes) == (2, 2, 0, ())
    stub.texts["new.md"] = stub.texts.pop("a.md")
    stub.texts["b.md"] = "All about other goods."
    before = ids(collection)
    report = collection.sync_source(stub)
    assert told(report) == {("moved", "a.md", "new.md"), ("changed", "b.md")}
    assert stub.fetched == ["b.md"]
    assert ids(collection) == {"new.md": before["a.md"], "b.md": before["b.md"]}
    assert collection.search("other", mode="keyword")[0].provenance.document_name == "b.md"


def test_what_is_not_listed_any_more_goes(collection: Collection) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    collection.sync_source(stub)
    del stub.texts["a.md"]
    assert told(collection.sync_source(stub, remove=False)) == {("missing", "a.md")}
    assert told(collection.sync_source(stub, dry_run=True)) == {("removed", "a.md")}
    assert told(collection.sync_source(stub)) == {("removed", "a.md")}
    assert ids(collection).keys() == {"b.md"}
    assert [c for c in collection.admin.doctor().checks if not c.ok] == []


@pytest.mark.slow
@pytest.mark.parametrize("breaks_after", [0, 1])
def test_a_listing_that_breaks_off_removes_nothing(
    collection: Collection, breaks_after: int
) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    collection.sync_source(stub)
    stub.texts["a.md"] = "All about people."
    del stub.texts["b.md"]
    stub.texts["c.md"] = "All about dates."
    stub.breaks_after = breaks_after
    report = collection.sync_source(stub)
    assert "the line is dead." in report.problem
    assert told(report) == ({("changed", "a.md")} if breaks_after else set())
    assert ids(collection).keys() == {"a.md", "b.md"}
    (state,) = collection.sources()
    assert (state.stale, state.problem) == (True, report.problem)
    assert state.last_success_at is not None
    assert state.last_synced_at is not None
    assert state.last_success_at < state.last_synced_at
    stub.breaks_after = None
    collection.sync_source(stub)
    assert ids(collection).keys() == {"a.md", "c.md"}
    (state,) = collection.sources()
    assert (state.stale, state.problem, state.documents) == (False, "", 2)
    assert state.last_success_at == state.last_synced_at


def test_what_is_noted_of_a_source_is_not_believed_once_it_is_damaged(
    collection: Collection,
) -> None:
    collection.sync_source(source(a_md="All about rent."))
    path = collection.folder / "sources.json"
    whole = path.read_text()
    assert collection.sources()[0].last_success_at is not None
    path.write_text(whole.replace("succeeded", "suchceded"))
    assert collection.sources()[0].last_synced_at is None
    # Of earlier versions there is no digest.
    facts = {"synced": "2026-01-01T00:00:00+00:00"}
    path.write_text(json.dumps({"format": 1, "sources": {collection.sources()[0].source: facts}}))
    assert collection.sources()[0].last_synced_at is not None
    collection.sync_source(source(a_md="All about rent."))
    assert collection.sources()[0].last_success_at is not None


def test_an_empty_listing_is_believed_on_demand_only(collection: Collection) -> None:
    stub = source(a_md="All about rent.")
    collection.sync_source(stub)
    stub.texts.clear()
    report = collection.sync_source(stub)
    assert "--full" in report.problem
    assert len(collection.documents()) == 1
    assert told(collection.sync_source(stub, full=True)) == {("removed", "a.md")}


def test_a_part_of_a_listing_removes_nothing(collection: Collection) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.", c_md="All about dates.")
    for number, source_id in enumerate(sorted(stub.texts)):
        stub.facts[source_id] = {"updated_at": MONDAY + timedelta(days=number)}
    assert told(collection.sync_source(stub, limit=1)) == {("new", "a.md")}
    later = MONDAY + timedelta(days=2)
    assert told(collection.sync_source(stub, since=later)) == {("new", "c.md")}
    earlier = collection.sync_source(stub, since=MONDAY + timedelta(days=1), until=later)
    assert told(earlier) == {("new", "b.md")}
    assert len(collection.documents()) == 3
    assert collection.sources()[0].last_success_at is None


@pytest.mark.slow
def test_an_item_that_cannot_be_had_keeps_its_document(collection: Collection) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    collection.sync_source(stub)
    stub.texts |= {"a.md": "All about people.", "b.md": "All about dates."}
    stub.errors["a.md"] = [SourceError("git:stub", "a.md cannot be had.", hint="Try again later.")]
    report = collection.sync_source(stub)
    assert told(report) == {("failed", "a.md"), ("changed", "b.md")}
    (failed,) = report.of("failed")
    assert failed.message.startswith("git:stub: a.md cannot be had.")
    assert failed.hint == "Try again later."
    assert collection.search("rent", mode="keyword")
    (state,) = collection.sources()
    assert (state.stale, state.problem[:2]) == (False, "1 ")
    assert told(collection.sync_source(stub)) == {("changed", "a.md")}


def test_a_file_that_cannot_be_read_leaves_its_source_current(collection: Collection) -> None:
    stub = StubSource({"a.md": "All about rent.", "b.pdf": "%PDF-1.4 damaged"})
    for _ in range(2):
        report = collection.sync_source(stub)
        assert (report.problem, [c.path for c in report.of("failed")]) == ("", ["git:stub/b.pdf"])
        (state,) = collection.sources()
        assert (state.stale, state.last_success_at) == (False, state.last_synced_at)
        assert state.problem
        (file,) = collection.workspace.state().untaken()
        assert (file.path, file.source) == ("git:stub/b.pdf", "git:stub")
    del stub.texts["b.pdf"]
    collection.sync_source(stub)
    assert collection.workspace.state().untaken() == ()


@pytest.mark.slow
def test_a_folder_that_could_not_be_listed_is_a_problem(collection: Collection) -> None:
    stub = source(a_md="All about rent.")
    stub.dark = ["secret"]
    assert "secret" in collection.sync_source(stub).problem
    assert collection.sources()[0].stale


def test_a_source_that_gives_nothing_is_not_asked_for_all(collection: Collection) -> None:
    stub = StubSource({f"{n:02d}.md": f"Number {n}." for n in range(14)})
    dead = SourceError("git:stub", "the line is dead.")
    stub.errors = {f"{n:02d}.md": [dead] for n in range(11)}
    report = collection.sync_source(stub)
    assert (report.count("failed"), stub.fetched) == (14, [])
    assert "10" in report.of("failed")[-1].message
    assert [(s.stale, s.problem[:3]) for s in collection.sources()] == [(True, "14 ")]
    assert collection.sync_source(stub).count("new", "failed") == 14


def test_what_changes_while_it_is_read_is_listed_again_once(collection: Collection) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    changed = SourceChanged("git:stub", "it was changed meanwhile.")
    stub.errors = {"a.md": [changed], "b.md": [changed, changed]}
    report = collection.sync_source(stub)
    assert told(report) == {("new", "a.md"), ("skipped", "b.md")}
    assert report.of("skipped")[0].code == "changed_meanwhile"
    assert collection.sources()[0].stale
    assert told(collection.sync_source(stub)) == {("new", "b.md")}


def test_what_a_source_refuses_to_give_is_no_document_and_not_asked_for_again(
    collection: Collection,
) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    collection.sync_source(stub)
    stub.texts["a.md"] = "version https://git-lfs.github.com/spec/v1"
    refused = SourceSkipped("git:stub", "a.md is a pointer to a large file.")
    stub.errors["a.md"] = [refused]
    expected = {("skipped", "a.md"), ("removed", "a.md")}
    assert told(collection.sync_source(stub)) == expected
    again = collection.sync_source(stub)
    assert told(again) == {("skipped", "a.md")}
    assert "a.md" in again.of("skipped")[0].message
    assert ids(collection).keys() == {"b.md"}
    assert not collection.sources()[0].stale


def test_what_no_reader_knows_is_not_fetched(collection: Collection) -> None:
    stub = StubSource({"a.md": "All about rent.", "film.xyz": b"\0\1\2", "empty.md": ""})
    stub.facts["empty.md"] = {"size": 0}
    stub.facts["film.xyz"] = {"size": 1 << 31}
    report = collection.sync_source(stub)
    assert {(c.path, c.code) for c in report.of("skipped")} == {
        ("git:stub/film.xyz", "unsupported_format"),
        ("git:stub/empty.md", "empty_file"),
    }
    assert stub.fetched == ["a.md"]


def test_what_a_source_says_otherwise_is_noted_without_reading(collection: Collection) -> None:
    stub = source(a_md="All about rent.")
    collection.sync_source(stub)
    seen = len(collection.documents())
    stub.facts["a.md"] = {"author": "Ben", "updated_at": MONDAY}
    stub.fetched.clear()
    report = collection.sync_source(stub)
    assert (report.changes, report.unchanged, stub.fetched) == ((), 1, [])
    (document,) = collection.documents()
    assert (document.source_author, document.source_updated_at) == ("Ben", MONDAY)
    assert len(collection.documents()) == seen
    assert collection.search("rent", mode="keyword")


@pytest.mark.slow
def test_each_source_has_its_own_documents(collection: Collection, case: Case) -> None:
    one, other = source(a_md="All about rent."), source(a_md="All about rent.")
    other.name = "other"
    one.texts["twin.md"] = one.texts["a.md"]
    collection.sync_source(one)
    collection.sync_source(other)
    case.write("a.md", "All about rent.")
    case.sync(remove_deleted=True)
    paths = {d.path for d in collection.documents()}
    mine = {"git:stub/a.md", "git:stub/twin.md"}
    assert paths == {*mine, "git:other/a.md", str(case.folder / "a.md")}
    one.texts = {"b.md": "All about goods."}
    collection.sync_source(one)
    names = {d.path for d in collection.documents() if d.source == "git:stub"}
    assert names == {"git:stub/b.md"}
    assert len(collection.documents()) == 3


def test_what_is_dark_is_not_gone(collection: Collection) -> None:
    stub = StubSource({"in/a.md": "All about rent.", "b.md": "All about goods."})
    collection.sync_source(stub)
    stub.texts = {"c.md": "All about dates."}
    stub.dark = ("in",)
    collection.sync_source(stub)
    assert ids(collection).keys() == {"in/a.md", "c.md"}


def test_mail_brings_what_is_attached_to_it(collection: Collection) -> None:
    mail = (
        "Subject: Offer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=X\n\n"
        "--X\nContent-Type: text/plain\n\nSee the offer.\n"
        '--X\nContent-Type: text/plain\nContent-Disposition: attachment; filename="offer.txt"\n\n'
        "Nine hundred chairs.\n--X--\n"
    )
    stub = StubSource({"in/a.eml": mail})
    stub.facts["in/a.eml"] = {"author": "Ann"}
    collection.sync_source(stub)
    assert ids(collection).keys() == {"in/a.eml", "in/a.eml/offer.txt"}
    assert {d.source_author for d in collection.documents()} == {"Ann"}
    stub.texts = {"out/b.eml": mail}
    assert told(collection.sync_source(stub)) == {("moved", "in/a.eml", "out/b.eml")}
    assert ids(collection).keys() == {"out/b.eml", "out/b.eml/offer.txt"}


def test_what_was_fetched_is_read_again_from_the_copy(collection: Collection) -> None:
    stub = source(a_md="All about rent.")
    stub.facts["a.md"] = {"author": "Ann", "updated_at": MONDAY, "title": "Rent"}
    collection.sync_source(stub)
    (before,) = collection.documents()
    report = collection.admin.reindex(reparse=True, force=True)
    assert report.missing_files == ()
    (after,) = collection.documents()
    assert after.revision != before.revision
    same = {"revision": "", "updated_at": before.updated_at}
    assert replace(after, **same) == replace(before, **same)
    assert collection.sync_source(stub).changes == ()
    assert collection.admin.doctor(deep=True).ok


def test_results_of_a_source_that_is_behind_say_so(collection: Collection) -> None:
    stub = source(a_md="All about rent.", b_md="All about goods.")
    collection.sync_source(stub)
    assert not [n for n in collection.search("rent", mode="keyword").notes if "git:stub" in n]
    stub.breaks_after = 1
    collection.sync_source(stub)
    answer = collection.search("rent", mode="keyword")
    assert any("git:stub: the line is dead." in note for note in answer.notes)
    assert answer[0].provenance.source == "git:stub"


def test_where_a_document_comes_from_is_told_everywhere(collection: Collection) -> None:
    stub = source(a_md="All about rent.")
    stub.facts["a.md"] = {"url": "https://example.org/a", "metadata": {"stars": 3}}
    collection.sync_source(stub)
    document = collection.documents()[0].as_dict()
    assert (document["source"], document["source_id"]) == ("git:stub", "a.md")
    assert (document["source_url"], document["metadata"]) == ("https://example.org/a", {"stars": 3})
    assert "source_author" not in document
    facts = collection.search("rent", mode="keyword")[0].as_dict()["source"]
    assert facts["document_source"] == "git:stub"
    assert facts["document_url"] == "https://example.org/a"
    rows = collection.sql(
        "SELECT c.document_source, d.source_id, c.document_url FROM chunks c "
        "JOIN documents d USING (document_id)"
    ).to_pylist()
    assert [tuple(row.values()) for row in rows] == [("git:stub", "a.md", "https://example.org/a")]
