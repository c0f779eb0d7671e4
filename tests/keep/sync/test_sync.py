"""Every situation of a folder and its collection, and the result of a sync."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base import errors
from casetrack.store.lock import write_lock
from casetrack.store.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from sync_case import Case

    Steps = Callable[[Case], object]

FIRST = {"a.txt": "About rent.", "b.txt": "About goods.", "sub/c.txt": "About people."}


@pytest.fixture
def filled(case: Case) -> Case:
    for name, text in FIRST.items():
        case.write(name, text)
    report = case.sync()
    assert case.told(report) == {("new", name) for name in FIRST}
    case.encoder.seen.clear()
    return case


def swap(case: Case, one: str, other: str) -> None:
    case.move(one, "between")
    case.move(other, one)
    case.move("between", other)


def chain(case: Case) -> None:
    case.move("b.txt", "d.txt")
    case.move("a.txt", "b.txt")


def copy_then_remove(case: Case) -> None:
    case.write("copy.txt", FIRST["a.txt"])
    assert ("skipped", "copy.txt") in case.told(case.sync())
    case.remove("a.txt")


def edit_original_of_copy(case: Case) -> None:
    case.write("copy.txt", FIRST["a.txt"])
    case.sync()
    case.write("a.txt", "About something else.")


def become_equal(case: Case) -> None:
    case.write("b.txt", FIRST["a.txt"])


def overwrite(case: Case) -> None:
    case.move("a.txt", "b.txt")


def rotate(case: Case) -> None:
    case.move("a.txt", "between")
    case.move("b.txt", "a.txt")
    case.move("sub/c.txt", "b.txt")
    case.move("between", "sub/c.txt")


NO_CHANGE: set[tuple[str, ...]] = set()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("steps", "message", "embedded"),
    [
        (lambda _: None, NO_CHANGE, 0),
        (lambda c: os.utime(c.folder / "a.txt"), NO_CHANGE, 0),
        (lambda c: c.write("d.txt", "More."), {("new", "d.txt")}, 1),
        (lambda c: c.write("a.txt", "About rent again."), {("changed", "a.txt")}, 1),
        (lambda c: c.move("a.txt", "z.txt"), {("moved", "a.txt", "z.txt")}, 0),
        (lambda c: c.move("a.txt", "a.md"), {("moved", "a.txt", "a.md")}, 0),
        (chain, {("moved", "a.txt", "b.txt"), ("moved", "b.txt", "d.txt")}, 0),
        (
            rotate,
            {
                ("moved", "a.txt", "sub/c.txt"),
                ("moved", "b.txt", "a.txt"),
                ("moved", "sub/c.txt", "b.txt"),
            },
            0,
        ),
        (lambda c: c.remove("a.txt"), {("removed", "a.txt")}, 0),
        (copy_then_remove, {("moved", "a.txt", "copy.txt")}, 0),
        (edit_original_of_copy, {("changed", "a.txt"), ("new", "copy.txt")}, 2),
        (become_equal, {("changed", "b.txt")}, 1),
        (overwrite, {("changed", "b.txt"), ("removed", "a.txt")}, 1),
    ],
)
def test_situations(
    filled: Case, steps: Steps, message: set[tuple[str, ...]], embedded: int
) -> None:
    steps(filled)
    before = filled.ids()
    foreseen = filled.sync(remove_deleted=True, dry_run=True)
    assert filled.told(foreseen) == message
    assert filled.ids() == before
    report = filled.sync(remove_deleted=True)
    assert filled.told(report) == message
    assert len(filled.encoder.seen) == embedded
    assert filled.texts() == {
        p.relative_to(filled.folder).as_posix(): p.read_text()
        for p in filled.folder.rglob("*.*")
        if p.is_file()
    }
    assert report.seen == report.unchanged + len(report.changes) - report.count("removed")
    assert filled.collection.admin.doctor().ok
    again = filled.sync(remove_deleted=True)
    assert (filled.told(again), again.unchanged) == (set(), again.seen)


@pytest.mark.slow
def test_a_document_that_follows_its_file_stays_the_same(filled: Case) -> None:
    before = filled.collection.document("a.txt")
    chunk = filled.collection.read.chunks("a.txt")[0]
    filled.move("a.txt", "deep/er/annex of lease.txt")
    filled.sync()
    after = filled.collection.document("annex of lease.txt")
    assert (after.document_id, after.ingested_at) == (before.document_id, before.ingested_at)
    assert after.path == str(filled.folder / "deep/er/annex of lease.txt")
    moved = filled.collection.read.chunks("annex of lease.txt")[0]
    assert (moved.chunk_id, moved.text) == (chunk.chunk_id, chunk.text)
    # Its new name is a way to find it, its old one is none any more.
    hit = filled.collection.search("annex", mode="keyword")[0]
    assert hit.provenance.document_path == after.path
    assert hit.provenance.document_name == "annex of lease.txt"
    row = (
        filled.collection.workspace.state()
        .snapshot.scan(["terms", "document_path", "dense"])
        .to_pylist()
    )
    mine = next(r for r in row if r["document_path"] == after.path)
    assert "annex" in mine["terms"]
    assert mine["dense"] is not None


def test_a_name_that_the_user_gave_stays(case: Case) -> None:
    path = case.write("a.txt", "About rent.")
    case.collection.ingest([path], document_name="The lease", document_type="contract")
    case.move("a.txt", "b.txt")
    case.sync()
    assert case.collection.document("The lease").path.endswith("b.txt")
    case.write("b.txt", "About rent, and more.")
    assert case.told(case.sync(document_type="memo")) == {("changed", "b.txt")}
    document = case.collection.document("The lease")
    assert document.document_type == "contract"
    assert case.collection.read.chunks("The lease")[0].text.endswith("and more.")


def test_a_file_comes_in_from_elsewhere(case: Case, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "a.txt"
    elsewhere.parent.mkdir()
    elsewhere.write_text("About rent.")
    case.collection.ingest([elsewhere])
    known = case.collection.documents()[0].document_id
    case.write("a.txt", "About rent.")
    assert case.told(case.sync()) == {("skipped", "a.txt")}
    elsewhere.unlink()
    report = case.sync()
    assert [(c.kind, c.previous_path) for c in report.changes] == [("moved", str(elsewhere))]
    assert case.ids() == {"a.txt": known}


@pytest.mark.slow
def test_a_dry_run_changes_nothing_at_all(filled: Case) -> None:
    filled.sync()
    chain(filled)
    filled.remove("sub/c.txt")
    filled.write("new.txt", "New.")

    def state() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in filled.collection.folder.rglob("*") if p.is_file()}

    before = state()
    report = filled.sync(dry_run=True, remove_deleted=True)
    assert report.dry_run
    assert report.count("new", "moved", "removed") == 4
    assert state() == before


@pytest.mark.slow
def test_a_file_that_cannot_be_read_any_more(filled: Case) -> None:
    filled.write("a.txt", "")
    filled.write("b.txt", " \n\n ")
    report = filled.sync(remove_deleted=True)
    assert filled.told(report) == {("failed", "a.txt"), ("failed", "b.txt")}
    for change in report.changes:
        assert change.message
        assert change.hint
    assert filled.texts()["a.txt"] == FIRST["a.txt"]
    assert filled.texts()["b.txt"] == FIRST["b.txt"]


def test_a_file_that_the_system_does_not_give_out(
    filled: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, str(filled.folder / "a.txt"))
    filled.write("d.txt", "New.")
    refuse(monkeypatch, str(filled.folder / "d.txt"))
    report = filled.sync(verify=True, remove_deleted=True)
    assert filled.told(report) == {("failed", "a.txt"), ("failed", "d.txt")}
    assert all("Permission denied" in change.message for change in report.changes)
    assert "a.txt" in filled.ids()


def refuse(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Let opening a file fail as it does without the right to read it; root has that right."""
    import builtins

    real = builtins.open

    def opened(file: object, *args: object, **options: object) -> object:
        if file == path:
            raise PermissionError(13, "Permission denied", path)
        return real(file, *args, **options)

    monkeypatch.setattr("builtins.open", opened)


def test_a_file_that_changes_while_it_is_compared_waits(
    filled: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.keep.sync.run import Sync

    real = Sync._begin

    def begin(self: Sync, session: object) -> object:
        filled.remove("d.txt")
        filled.write("e.txt", "Another text by now.")
        return real(self, session)

    filled.write("d.txt", "New.")
    filled.write("e.txt", "New as well.")
    monkeypatch.setattr(Sync, "_begin", begin)
    report = filled.sync()
    assert filled.told(report) == {("skipped", "d.txt"), ("skipped", "e.txt")}
    assert {c.code for c in report.changes} == {"changed_meanwhile"}
    monkeypatch.undo()
    assert filled.told(filled.sync()) == {("new", "e.txt")}


# --- unreadable or replaced folders ------------------------------------------------------------


def test_a_folder_that_is_not_there_removes_nothing(filled: Case, tmp_path: Path) -> None:
    filled.folder.rename(tmp_path / "away")
    with pytest.raises(errors.FileNotFound):
        filled.sync(remove_deleted=True)
    filled.folder.write_text("a file")
    with pytest.raises(errors.WrongPathKind):
        filled.sync(remove_deleted=True)
    assert len(filled.ids()) == 3


def test_an_empty_folder_removes_nothing_unless_told_twice(filled: Case, tmp_path: Path) -> None:
    filled.folder.rename(tmp_path / "away")
    filled.write("sub/.DS_Store", "kept by the system")
    for options in ({}, {"dry_run": True}):
        with pytest.raises(errors.FolderUnsafe) as caught:
            filled.sync(remove_deleted=True, **options)
        assert "--force-removal" in caught.value.hint
    report = filled.sync()
    assert report.count("missing") == 3
    assert report.notes
    assert len(filled.ids()) == 3
    assert filled.sync(remove_deleted=True, force_removal=True).count("removed") == 3
    assert filled.ids() == {}


def test_a_folder_that_cannot_be_listed_holds_what_it_held(
    filled: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(path: str | int = ".") -> object:
        if isinstance(path, str | Path) and Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    filled.remove("sub/c.txt")
    report = filled.sync(remove_deleted=True)
    assert filled.told(report) == {("failed", "sub")}
    assert "Permission denied" in report.changes[0].message
    assert "sub/c.txt" in filled.ids()


def test_a_folder_that_goes_away_during_the_sync_removes_nothing(
    filled: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.keep.sync.run import Sync

    real = Sync._end

    def end(self: Sync, session: object) -> None:
        filled.folder.rename(tmp_path / "away")
        real(self, session)

    monkeypatch.setattr(Sync, "_end", end)
    filled.remove("a.txt")
    report = filled.sync(remove_deleted=True)
    assert report.notes
    assert len(filled.ids()) == 3


# --- which files -------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("options", "gone"),
    [
        ({"exclude": ["sub/"]}, {"sub/c.txt"}),
        ({"include": ["*.md"]}, {"a.txt", "b.txt", "sub/c.txt"}),
        ({"extensions": ["pdf"]}, {"a.txt", "b.txt", "sub/c.txt"}),
        ({"recursive": False}, {"sub/c.txt"}),
    ],
)
def test_a_file_that_is_left_out_is_not_gone(
    filled: Case, options: dict[str, object], gone: set[str]
) -> None:
    report = filled.sync(remove_deleted=True, **options)
    assert not report.changes
    assert report.seen == 3 - len(gone)
    assert len(filled.ids()) == 3
    for name in gone:
        filled.remove(name)
    report = filled.sync(remove_deleted=True, force_removal=True, **options)
    assert filled.told(report) == {("removed", name) for name in gone}


def test_patterns_are_those_of_gitignore(case: Case) -> None:
    names = ("a.txt", "drafts/b.txt", "drafts/final/c.txt", "deep/drafts/d.txt", "e.bak.txt")
    for name in names:
        case.write(name, name)

    def seen(**options: object) -> set[str]:
        return {case.relative(c.path) for c in case.sync(dry_run=True, **options).changes}

    assert seen(exclude=["drafts/"]) == {"a.txt", "e.bak.txt"}
    assert seen(exclude=["/drafts/"]) == {"a.txt", "e.bak.txt", "deep/drafts/d.txt"}
    assert seen(include=["drafts/**"]) == {"drafts/b.txt", "drafts/final/c.txt"}
    assert seen(exclude=["*.txt", "!a.txt"]) == {"a.txt"}
    assert seen(include=["*.txt"], exclude=["*.bak.*", "drafts"]) == {"a.txt"}
    with pytest.raises(errors.UsageError):
        case.sync(exclude=["!"])


@pytest.mark.slow
def test_ignore_files(case: Case) -> None:
    for name in ("a.txt", "private/b.txt", "sub/c.txt", "sub/d.txt", "sub/keep/e.txt"):
        case.write(name, name)
    case.write(".casetrackignore", "private/\n# a comment\n\n*d.txt\n")
    case.write("sub/.casetrackignore", "c.txt\n!d.txt\n")

    def seen(**options: object) -> set[str]:
        return {case.relative(c.path) for c in case.sync(dry_run=True, **options).changes}

    kept = {"a.txt", "sub/d.txt", "sub/keep/e.txt"}
    assert seen() == kept
    assert seen(ignored=True) == kept | {"private/b.txt", "sub/c.txt"}
    assert seen(only=[case.folder / "sub"]) == {"sub/d.txt", "sub/keep/e.txt"}
    assert seen(only=[case.folder / "private/b.txt"]) == set()
    # Ingesting the folder takes the same files.
    report = case.collection.ingest([case.folder])
    assert {case.relative(o.path) for o in report.outcomes} == kept


@pytest.mark.slow
def test_the_programs_own_files_are_no_documents(case: Case) -> None:
    case.write("a.txt", "About rent.")
    home = case.collection.workspace.settings.data_dir
    assert any(home.rglob("collection.json"))
    everything = home.parent
    report = case.collection.sync(everything)
    assert [Path(c.path).name for c in report.changes] == ["a.txt"]
    report = case.collection.ingest([everything])
    assert [Path(o.path).name for o in report.outcomes] == ["a.txt"]
    inbox = home / "inbox"
    inbox.mkdir()
    (inbox / "b.txt").write_text("About goods.")
    assert case.collection.sync(inbox).count("new") == 1


def test_what_other_programs_leave_lying_about(case: Case) -> None:
    for name in ("~$a.docx", "Thumbs.db", ".DS_Store", "a.tmp", ".a.txt.swp", "b.swp"):
        case.write(name, "x")
    for name in (".~lock.a.odt#", "c.pdf.part", "d.pdf.crdownload", "desktop.ini"):
        case.write(name, "x")
    case.write(".hidden.txt", "Hidden.")
    case.write(".folder/in.txt", "Also hidden.")
    assert case.sync(dry_run=True).seen == 0
    report = case.sync(dry_run=True, hidden=True)
    assert case.told(report) == {("new", ".hidden.txt"), ("new", ".folder/in.txt")}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links(case: Case, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("Secret.")
    case.write("a.txt", "Own.")
    case.write(".real/b.txt", "Behind a link.")
    (case.folder / "0-loop").symlink_to(case.folder)
    (case.folder / "0-link.txt").symlink_to(case.folder / "a.txt")
    (case.folder / "0-way").symlink_to(case.folder / ".real")
    (case.folder / "out").symlink_to(outside)
    (case.folder / "nowhere.txt").symlink_to(case.folder / "nothing.txt")
    (case.folder / "self.txt").symlink_to(case.folder / "self.txt")
    assert case.told(case.sync(dry_run=True)) == {("new", "a.txt"), ("skipped", "out")}
    report = case.sync(follow_links=True)
    assert case.told(report) == {("new", "a.txt"), ("new", "0-way/b.txt"), ("skipped", "out")}
    assert "Secret." not in case.texts().values()
    # Behind links that are not followed the files are still there.
    assert case.told(case.sync(remove_deleted=True)) == {("skipped", "out")}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "names",
    [
        ("new\nline.txt", "u\u0308nfc.txt", "x" * 240 + ".txt"),
        ("\u00fcnfc.txt", "-k 'q\".txt", "100%.txt"),
    ],
)
def test_odd_names(case: Case, names: tuple[str, ...]) -> None:
    plain = [f"plain {number}.txt" for number in range(len(names))]
    for name, other in zip(names, plain, strict=True):
        case.write(name, f"The odd name of {other}.")
    assert case.told(case.sync()) == {("new", name) for name in names}
    for old, new in ((names, plain), (plain, names)):
        for name, other in zip(old, new, strict=True):
            case.move(name, other)
        assert case.told(case.sync()) == {("moved", *pair) for pair in zip(old, new, strict=True)}
    assert case.texts().keys() == {*names}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_that_is_no_text(case: Case) -> None:
    path = Path(os.fsdecode(os.fsencode(case.folder) + b"/bad\xff.txt"))
    path.write_text("content")
    case.write("a.txt", "Fine.")
    for _ in range(2):
        report = case.sync()
        (failed,) = report.of("failed")
        assert failed.message
        json.dumps(report.as_dict())
    assert case.ids().keys() == {"a.txt"}


# --- a part of the folder ----------------------------------------------------------------------


def test_only_what_is_named_is_compared(filled: Case) -> None:
    filled.write("a.txt", "Changed.")
    filled.remove("b.txt")
    filled.move("sub/c.txt", "sub/d.txt")
    folder = filled.folder
    pair = [folder / "sub/c.txt", folder / "sub/d.txt"]
    report = filled.sync(only=pair, remove_deleted=True)
    assert filled.told(report) == {("moved", "sub/c.txt", "sub/d.txt")}
    assert report.seen == 1
    report = filled.sync(only=[folder / "sub"], remove_deleted=True)
    assert (report.unchanged, filled.told(report)) == (1, set())
    assert filled.told(filled.sync(only=[folder / "b.txt"])) == {("missing", "b.txt")}
    report = filled.sync(only=[folder / "a.txt", folder / "nothing.txt"], remove_deleted=True)
    assert filled.told(report) == {("changed", "a.txt")}
    assert filled.told(filled.sync(remove_deleted=True)) == {("removed", "b.txt")}
    with pytest.raises(errors.UsageError):
        filled.sync(only=[folder.parent])


# --- several at once, stopped, closed ----------------------------------------------------------


@pytest.mark.slow
def test_two_syncs_at_once_end_as_one(filled: Case) -> None:
    for number in range(6):
        filled.write(f"{number}.txt", f"Number {number}.")
    swap(filled, "a.txt", "b.txt")
    filled.remove("sub/c.txt")
    known = filled.collection.workspace
    other = type(filled.collection)(Workspace(known.folder, known.settings, known.encoders))
    reports = []
    threads = [
        threading.Thread(
            target=lambda c=c: reports.append(c.sync(filled.folder, remove_deleted=True))
        )
        for c in (filled.collection, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.count("new") for r in reports) == [0, 6]
    assert sorted(r.count("moved") for r in reports) == [0, 2]
    assert sorted(r.count("removed") for r in reports) == [0, 1]
    assert len(filled.ids()) == 8
    assert filled.collection.admin.doctor().ok


def test_waiting_for_another_writer_can_be_stopped(filled: Case) -> None:
    filled.move("a.txt", "z.txt")
    stop, held, over = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        with write_lock(filled.collection.folder):
            held.set()
            over.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(60)
    threading.Timer(0.1, stop.set).start()
    report = filled.sync(cancel=stop)
    over.set()
    other.join()
    assert report.cancelled
    assert "a.txt" in filled.ids()
    assert filled.told(filled.sync()) == {("moved", "a.txt", "z.txt")}


def test_a_stopped_sync_is_gone_on_with(case: Case) -> None:
    for number in range(20):
        case.write(f"{number:02d}.txt", f"Text number {number}.")
    stop = threading.Event()

    def tell(what: str, done: int, _total: int) -> None:
        if what.startswith("reading") and done >= 3:
            stop.set()

    report = case.sync(progress=tell, cancel=stop)
    assert report.cancelled
    kept = report.count("new")
    assert 3 <= kept < 20
    assert len(case.ids()) == kept
    again = case.sync()
    assert (again.unchanged, again.count("new")) == (kept, 20 - kept)


def test_a_closed_collection_is_not_synced(filled: Case) -> None:
    library = Library(filled.collection.workspace.settings)
    library.get("Case").admin.close()
    with pytest.raises(errors.CollectionReadOnly):
        filled.sync()
    assert filled.sync(dry_run=True).unchanged == 3
