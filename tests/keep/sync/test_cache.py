"""The cache of a folder saves reading, and never hides a change."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from casetrack.keep.sync import cache as cache_room
from casetrack.keep.sync.cache import HashCache, Hashed, Signature
from casetrack.store.facts import sealed, unsealed

if TYPE_CHECKING:
    from pathlib import Path

    from sync_case import Case

posix = pytest.mark.skipif(os.name != "posix", reason="there is no change time to go by")


@pytest.fixture
def settled(case: Case, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Return a folder whose files were left alone long enough to be remembered."""
    monkeypatch.setattr(cache_room, "QUIET_NS", 0)
    for number in range(5):
        case.write(f"{number}.txt", f"Text number {number}.")
    time.sleep(0.02)
    assert case.sync().hashed == 5
    return case


@pytest.mark.slow
@posix
def test_files_left_alone_are_not_read_again(settled: Case) -> None:
    report = settled.sync()
    assert (report.seen, report.unchanged, report.hashed) == (5, 5, 0)
    assert settled.sync(verify=True).hashed == 5
    settled.write("0.txt", "Another text.")
    settled.move("1.txt", "z.txt")
    report = settled.sync()
    assert report.hashed == 2
    assert settled.told(report) == {("changed", "0.txt"), ("moved", "1.txt", "z.txt")}


def test_a_change_of_the_same_size_with_its_time_set_back_is_found(settled: Case) -> None:
    path = settled.folder / "0.txt"
    before = path.stat()
    time.sleep(0.02)
    path.write_text("Text number X.")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    report = settled.sync()
    assert settled.told(report) == {("changed", "0.txt")}
    assert settled.texts()["0.txt"] == "Text number X."
    # Another file in its place.
    other = settled.folder / "other"
    other.write_text("Text number Y.")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert settled.told(settled.sync()) == {("changed", "0.txt")}


@pytest.mark.slow
def test_what_was_written_just_now_is_read_again(case: Case) -> None:
    case.write("a.txt", "Fresh.")
    for _ in range(2):
        assert case.sync().hashed == 1


@pytest.mark.slow
def test_without_a_change_time_everything_is_read(
    settled: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_room, "HAS_CHANGE_TIME", False)
    assert settled.sync().hashed == 5


@pytest.mark.sampled(1)
@posix
@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        sealed({"format": 99, "folder": "FOLDER", "files": {}}),
        None,
    ],
)
def test_a_damaged_memory_counts_as_none(settled: Case, damage: bytes | None) -> None:
    (path,) = (settled.collection.folder / "sync").iterdir()
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage.replace(b"FOLDER", str(settled.folder).encode()))
    report = settled.sync()
    assert (report.unchanged, report.hashed) == (5, 5)
    assert settled.sync().hashed == 0


@posix
def test_a_wrong_memory_cannot_pass_for_another_folder(settled: Case) -> None:
    (path,) = (settled.collection.folder / "sync").iterdir()
    path.write_bytes(sealed(unsealed(path.read_bytes()) | {"folder": "/elsewhere"}))
    assert settled.sync().hashed == 5


def test_a_memory_that_cannot_be_written_stops_nothing(
    settled: Case, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from casetrack.base.errors import DiskFull

    def full(path: Path, _data: bytes) -> None:
        raise DiskFull(path)

    monkeypatch.setattr(cache_room, "write_atomic", full)
    settled.write("new.txt", "New.")
    assert settled.told(settled.sync()) == {("new", "new.txt")}
    assert caplog.records


@posix
def test_files_without_text_are_not_read_twice(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_room, "QUIET_NS", 0)
    case.write("blank.txt", " \n ")
    time.sleep(0.02)
    first = case.sync()
    monkeypatch.setattr("casetrack.ingest.batch.ParsePool", None)  # nothing can be read now
    second = case.sync()
    assert [(c.code, c.message) for c in second.changes] == [
        (c.code, c.message) for c in first.changes
    ]
    assert second.changes[0].code == "no_text"


@pytest.mark.parametrize(("before", "settled"), [(3_000_000_000, True), (1_000_000_000, False)])
def test_how_long_a_file_must_have_been_left_alone(before: int, settled: bool) -> None:
    now = time.time_ns()
    entry = Hashed(Signature(1, now, now - before, 1), now, "0" * 64)
    assert entry.is_settled is (settled and cache_room.HAS_CHANGE_TIME)


def test_a_collection_that_was_deleted_is_not_made_again(tmp_path: Path) -> None:
    memory = HashCache(tmp_path / "gone", tmp_path)
    memory.keep("a", Hashed(Signature(1, 1, 1, 1), 10**18, "0" * 64))
    memory.save()
    assert not (tmp_path / "gone").exists()
