"""Saved queries travel with their collection, and no other file of their folder does."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.keep.transfer.conftest import Archive

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

RENTS = "-- Rents.\n-- :param least number default 5 smallest\nSELECT '\u00e4', $least;\n"


def keep(collection: Collection, name: str, text: str | bytes = "SELECT 1") -> Path:
    path = collection.folder / "queries" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def form(path: Path) -> int:
    version: int = Archive.read(path).manifest["format_version"]
    return version


def queries(collection: Collection) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (collection.folder / "queries").glob("*")}


@pytest.mark.slow
def test_saved_queries_arrive_as_they_were(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    keep(case, "rents.sql", RENTS)
    keep(case, "m\u00fcller_2.sql", "\ufeffSELECT 2")
    report = case.admin.export(tmp_path)
    assert (report.notes, form(Path(report.path))) == ((), 2)
    copy = other.get(other.import_archive(report.path).collection_id)
    assert queries(copy) == queries(case)
    assert queries(copy)["rents.sql"] == RENTS.encode()


@pytest.mark.slow
def test_without_queries_every_version_reads_it(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    path = Path(case.admin.export(tmp_path).path)
    assert form(path) == 1
    copy = other.get(other.import_archive(path).collection_id)
    assert not (copy.folder / "queries").exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "name", ["two words.sql", "note.txt", ".hidden.sql", ".part.sql.tmp", "con.sql"]
)
def test_what_is_no_saved_query_stays(case: Collection, tmp_path: Path, name: str) -> None:
    keep(case, name)
    with zipfile.ZipFile(case.admin.export(tmp_path).path) as archive:
        assert not [n for n in archive.namelist() if n.startswith("queries")]


def test_what_cannot_travel_stays_behind_with_a_note(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("nobody else's")
    keep(case, "fine.sql")
    keep(case, "huge.sql", b" " * (2**20 + 1))
    keep(case, "binary.sql", b"\xff")
    (case.folder / "queries" / "link.sql").symlink_to(secret)
    (case.folder / "queries" / "folder.sql").mkdir()
    upper = keep(case, "FINE.sql")
    expected = {"huge.sql", "binary.sql", "link.sql", "folder.sql"}
    if len(list(upper.parent.glob("[fF]*.sql"))) == 3:  # the disk distinguishes letter cases
        expected |= {"fine.sql"}
    report = case.admin.export(tmp_path)
    (note,) = report.notes
    assert set(note.removesuffix(".").partition(": ")[2].split(", ")) == expected
    assert b"nobody" not in b"".join(Archive.read(Path(report.path)).files.values())
    copy = other.get(other.import_archive(report.path).collection_id)
    assert [name.lower() for name in queries(copy)] == ["fine.sql"]


@pytest.mark.slow
def test_snapshots_leave_saved_queries_alone(case: Collection) -> None:
    keep(case, "before.sql")
    case.admin.take_snapshot("state")
    keep(case, "after.sql")
    case.delete_document("a.txt")
    case.admin.restore("state")
    assert len(case.documents()) == 3
    assert set(queries(case)) == {"before.sql", "after.sql"}
