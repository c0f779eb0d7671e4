"""A batch: every file ends with one outcome, known files are skipped, changed ones replaced."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import DiskFull, UsageError
from casetrack.ingest.discover import discover

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import IngestProgress


@pytest.fixture
def collection(library: Library) -> Collection:
    return library.create("Case")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def ends(report: object) -> dict[str, tuple[str, str]]:
    return {Path(o.path).name: (o.status, o.code) for o in report.outcomes}


def test_every_file_has_one_outcome(collection: Collection, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder / "a.txt", "The first contract is about rent.")
    write(folder / "b.md", "# Title\n\nThe second one is about goods.")
    write(folder / "copy of a.txt", "The first contract is about rent.")
    write(folder / "empty.txt", "")
    write(folder / "blank.txt", " \n\n \t\n")
    write(folder / "named.pdf", "this is plain text, not a PDF")
    write(folder / "broken.pdf", "%PDF-1.7\nnothing that makes sense")
    write(folder / "program.exe", "MZ\x00\x01")
    write(folder / ".hidden.txt", "hidden")
    write(folder / "~$lock.docx", "lock")
    write(folder / "sub" / "deep.txt", "Deep in a folder.")
    report = collection.ingest([folder, tmp_path / "missing.txt"])
    assert ends(report) == {
        "a.txt": ("ingested", ""),
        "b.md": ("ingested", ""),
        "blank.txt": ("skipped", "no_text"),
        "broken.pdf": ("failed", "parse_failed"),
        "copy of a.txt": ("skipped", "duplicate"),
        "deep.txt": ("ingested", ""),
        "empty.txt": ("skipped", "empty_file"),
        "missing.txt": ("failed", "file_not_found"),
        "named.pdf": ("failed", "format_mismatch"),
        "program.exe": ("skipped", "unsupported_format"),
    }
    for outcome in report.outcomes:
        assert bool(outcome.message) == bool(outcome.hint) == (outcome.status != "ingested")
    duplicate = next(o for o in report.outcomes if o.code == "duplicate")
    assert collection.document("a.txt").document_id in duplicate.message
    assert {d.name for d in collection.documents()} == {"a.txt", "b.md", "deep.txt"}
    assert "models pull" in report.notes[0]


def test_a_surprise_with_one_file_does_not_stop_the_others(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import casetrack.ingest.steps.chunk

    real = casetrack.ingest.steps.chunk.chunk_page

    def surprise(page: dict, *others: object) -> object:
        if "trap" in page["text"]:
            raise IndexError("trapped")
        return real(page, *others)

    monkeypatch.setattr("casetrack.ingest.steps.chunk.chunk_page", surprise)
    for name, text in (("a.txt", "fine"), ("b.txt", "a trap"), ("c.txt", "fine too")):
        write(tmp_path / "in" / name, text)
    report = collection.ingest([tmp_path / "in"])
    assert ends(report) == {
        "a.txt": ("ingested", ""),
        "b.txt": ("failed", "unexpected"),
        "c.txt": ("ingested", ""),
    }
    assert "IndexError: trapped" in report.outcomes[1].message
    assert collection.admin.doctor().ok


def test_a_changed_file_replaces_what_was_there(collection: Collection, tmp_path: Path) -> None:
    paragraphs = [f"Paragraph {i} stays. " + "It has many words. " * 50 for i in range(8)]
    path = write(tmp_path / "a.txt", "\n\n".join(p.strip() for p in paragraphs))
    before = collection.ingest([path])
    ids = [c.chunk_id for c in collection.read.chunks("a.txt")]
    write(path, "\n\n".join(p.strip() for p in [*paragraphs, "A new last paragraph."]))
    after = collection.ingest([path])
    assert (after.outcomes[0].status, after.outcomes[0].updated) == ("ingested", True)
    assert after.outcomes[0].document_id == before.outcomes[0].document_id
    assert len(collection.documents()) == 1
    now = [c.chunk_id for c in collection.read.chunks("a.txt")]
    assert now[: len(ids) - 1] == ids[:-1]
    assert "new last paragraph" in collection.read.chunks("a.txt")[-1].text


@pytest.mark.slow
def test_a_file_that_became_a_copy_does_not_keep_its_old_text(
    collection: Collection, tmp_path: Path
) -> None:
    write(tmp_path / "a.txt", "The old words of one.")
    write(tmp_path / "b.txt", "The words of the other.")
    collection.ingest([tmp_path / "a.txt", tmp_path / "b.txt"])
    write(tmp_path / "a.txt", "The words of the other.")
    report = collection.ingest([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert [o.status for o in report.outcomes] == ["ingested", "skipped"]
    assert report.outcomes[0].updated
    assert len(collection.search("old words of one", mode="keyword", document="a.txt")) == 1
    assert collection.read.chunks("a.txt")[0].text == "The words of the other."


@pytest.mark.slow
def test_force(collection: Collection, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Some text.")
    other = write(tmp_path / "b.txt", "Some text.")
    collection.ingest([path])
    chunk = collection.read.chunks("a.txt")[0]
    again = collection.ingest([path], force=True)
    assert again.outcomes[0].updated
    assert collection.read.chunks("a.txt")[0].chunk_id == chunk.chunk_id
    assert collection.ingest([other], force=True).outcomes[0].status == "ingested"
    assert len(collection.documents()) == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "name",
    [
        'it\'s "quoted" `name`; $(rm).txt',
        "ünï-日本語-😀.txt",
        "x" * 196 + ".txt",
        "-k.txt",
        "new\nline.txt",
    ],
)
def test_odd_names(collection: Collection, tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "in" / name, "The odd name holds a needle.")
    report = collection.ingest([path])
    assert ends(report) == {name: ("ingested", "")}
    hit = collection.search("needle")[0]
    assert hit.provenance.document_name == name
    assert hit.provenance.document_path == str(path)
    assert collection.document(name).path == str(path)
    rows = collection.sql("SELECT path FROM documents WHERE name = $n", params={"n": name})
    assert rows["path"].to_pylist() == [str(path)]
    assert collection.delete_document(name).name == name


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_that_is_no_text(collection: Collection, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt"))
    path.write_text("content")
    report = collection.ingest([path])
    assert report.outcomes[0].code == "file_unreadable"


def test_a_folder_in_place_of_a_file_and_links(collection: Collection, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.txt", "secret")
    folder = tmp_path / "in"
    write(folder / "own.txt", "own words")
    (folder / "link.txt").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    report = collection.ingest([folder])
    assert ends(report)["own.txt"] == ("ingested", "")
    assert ends(report)["link.txt"][0] == "failed"
    assert [d.name for d in collection.documents()] == ["own.txt"]


def test_discover_filters(tmp_path: Path) -> None:
    for name in ("a.PDF", "b.txt", "c.docx", "sub/d.txt"):
        write(tmp_path / name, "x")

    def names(**options: object) -> list[str]:
        return [f.path.relative_to(tmp_path).as_posix() for f in discover([tmp_path], **options)]

    assert names() == ["a.PDF", "b.txt", "c.docx", "sub/d.txt"]
    assert names(recursive=False) == ["a.PDF", "b.txt", "c.docx"]
    assert names(extensions=["pdf", ".TXT"]) == ["a.PDF", "b.txt", "sub/d.txt"]
    with pytest.raises(UsageError):
        names(extensions=["."])


@pytest.mark.slow
def test_cancel_keeps_what_is_finished(collection: Collection, tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path / "in" / f"{number:02d}.txt", f"Text number {number}. " * 200)
    cancel, seen = threading.Event(), list[int]()

    def stop(moment: IngestProgress) -> None:
        seen.append(moment.done)
        if moment.done >= 3:
            cancel.set()

    report = collection.ingest([tmp_path / "in"], progress=stop, cancel=cancel)
    assert report.cancelled
    assert len(report.outcomes) == 20
    kept = report.count("ingested")
    assert 3 <= kept < 20
    assert len(collection.documents()) == kept
    again = collection.ingest([tmp_path / "in"], progress=lambda moment: seen.append(moment.done))
    assert again.count("ingested") == 20 - kept
    assert not again.cancelled
    assert seen[-1] == 20


def test_copies_of_originals(collection: Collection, tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "Some text.")
    collection.ingest([path], copy_original=True, document_name="Lease", document_type="contract")
    document = collection.document("Lease")
    assert document.document_type == "contract"
    copy = collection.folder / document.original_copy
    assert copy.read_text() == "Some text."
    with pytest.raises(UsageError, match="novel"):
        collection.ingest([path], document_type="novel")
    with pytest.raises(UsageError):
        collection.ingest([path, write(tmp_path / "b.txt", "B.")], document_name="One name")
    collection.delete_document("Lease")
    assert not copy.exists()
    assert path.exists()


@pytest.mark.slow
def test_two_writers_at_once_take_each_file_once(
    library: Library, collection: Collection, tmp_path: Path
) -> None:
    for number in range(12):
        write(tmp_path / "in" / f"{number}.txt", f"Text number {number}. " * 100)
    other = type(library)(library.settings).get("Case")
    with ThreadPoolExecutor(2) as threads:
        reports = list(threads.map(lambda c: c.ingest([tmp_path / "in"]), (collection, other)))
    # The first writer lets go of the collection once, after the files that choose its profile.
    taken = [o.path for report in reports for o in report if o.status == "ingested"]
    known = [o.path for report in reports for o in report if o.status == "skipped"]
    assert sorted(taken) == sorted(known) == sorted(str(p) for p in (tmp_path / "in").iterdir())
    assert len(collection.documents()) == len(other.documents()) == 12


def test_a_full_disk_leaves_nothing_half_there(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lance.fragment

    path = write(tmp_path / "a.txt", "Some text.")
    real = lance.fragment.write_fragments

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lance.fragment, "write_fragments", full)
    with pytest.raises(DiskFull):
        collection.ingest([path])
    assert collection.documents() == []
    monkeypatch.setattr(lance.fragment, "write_fragments", real)
    assert collection.ingest([path]).count("ingested") == 1
