"""Archives that are not what they say: each is refused in words, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lance
import pytest

from casetrack.errors import ArchiveDamaged, DiskFull, FileNotFound, FutureSchema, WrongPathKind
from tests.transfer.conftest import Archive

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.collection import Collection
    from casetrack.library import Library

    Change = Callable[[Archive], None]


def refused(other: Library, path: Path, match: str, error: type[Exception] = ArchiveDamaged) -> str:
    """Import must fail so, and nothing may be there afterwards."""
    outside = sorted(p for p in path.parent.iterdir())
    with pytest.raises(error, match=match) as told:
        other.import_archive(path)
    home = other.settings.collections_dir
    assert other.collections() == []
    assert other.damaged() == []
    assert list(home.iterdir()) == []
    assert {*path.parent.iterdir()} - {*outside} <= {other.settings.data_dir}
    return str(told.value)


def put(name: str, content: bytes = b"x") -> Change:
    """Add a file, on the list as well."""

    def change(archive: Archive) -> None:
        archive.files[name] = content

    return change


def unlisted(name: str | zipfile.ZipInfo, content: bytes = b"x") -> Change:
    def change(archive: Archive) -> None:
        archive.extra.append((name, content))

    return change


def stated(**facts: Any) -> Change:
    """Change the manifest."""

    def change(archive: Archive) -> None:
        archive.manifest |= facts

    return change


def told(**facts: Any) -> Change:
    """Change ``collection.json``, and the manifest with it."""

    def change(archive: Archive) -> None:
        raw = json.loads(archive.files["collection.json"]) | facts
        archive.files["collection.json"] = json.dumps(raw).encode()
        known = {k: v for k, v in facts.items() if k in {"profile", "dimension", "schema_version"}}
        archive.manifest |= {"collection": raw} | known

    return change


def listed(**facts: Any) -> Change:
    """Change what the list says of ``collection.json``."""

    def change(archive: Archive) -> None:
        archive.relist = False
        for entry in archive.manifest["files"]:
            if entry["path"] == "collection.json":
                entry.update(facts)

    return change


def without(name: str) -> Change:
    def change(archive: Archive) -> None:
        for path in [p for p in archive.files if p.startswith(name)]:
            del archive.files[path]

    return change


def count(archive: Archive, **counts: int) -> None:
    archive.manifest["counts"] |= counts


def also_listed(name: str) -> Change:
    def change(archive: Archive) -> None:
        archive.relist = False
        archive.manifest["files"].append({"path": name, "size": 1, "sha256": "0" * 64})

    return change


def named(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename = name  # as it is: the constructor cuts it at a NUL
    return info


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


HOSTILE: dict[str, tuple[Change, str]] = {
    "climbs out": (put("originals/../../../evil"), "path that is not safe"),
    "climbs out at once": (put("../evil"), "path that is not safe"),
    "absolute": (put("/tmp/evil"), "path that is not safe"),
    "drive letter": (put("originals/C:/evil"), "path that is not safe"),
    "backslashes": (unlisted("originals\\..\\evil"), "path that is not safe"),
    "NUL": (unlisted(named("originals/x/evil\0.txt")), "path that is not safe"),
    "device": (put("originals/x/NUL.txt"), "path that is not safe"),
    "device with spaces": (put("originals/x/com1 .txt"), "path that is not safe"),
    "trailing dot": (put("originals/x/evil."), "path that is not safe"),
    "stream": (put("originals/x/a.txt:evil"), "path that is not safe"),
    "empty part": (put("originals//x"), "path that is not safe"),
    "very long": (put("originals/x/" + "a" * 600), "path of 612 characters"),
    "letter case": (
        lambda a: a.files.update({"originals/x/a": b"", "originals/X/A": b""}),
        "differ in letter case only",
    ),
    "a folder": (unlisted("originals/x/", b""), "a folder of its own"),
    "link": (unlisted(link("originals/x/a"), b"/etc/passwd"), "is a link, not a file"),
    "query outside": (put("queries/../evil.sql"), "path that is not safe"),
    "query below": (put("queries/a/b.sql"), "does not belong there"),
    "query of no name": (put("queries/.sql"), "does not belong there"),
    "query of a bad name": (put("queries/a b.sql"), "does not belong there"),
    "query with a device's name": (put("queries/con.sql"), "path that is not safe"),
    "no query": (put("queries/a.sh"), "does not belong there"),
    "two queries of a name": (
        lambda a: a.files.update({"queries/a.sql": b"", "queries/A.sql": b""}),
        "differ in letter case only",
    ),
    "query as a link": (unlisted(link("queries/a.sql"), b"/etc/passwd"), "is a link, not a file"),
    "query too large": (put("queries/a.sql", b" " * (2**20 + 1)), "larger than 1 MB"),
    "query in no text": (put("queries/a.sql", b"SELECT '\xff'"), "is not text in UTF-8"),
    "query with NUL": (put("queries/a.sql", b"SELECT '\0'"), "is not text in UTF-8"),
    "program code": (put("views/evil.py"), "does not belong there"),
    "version tag": (put("chunks.lance/_refs/tags/x.json"), "does not belong there"),
    "lock": (put(".write.lock"), "does not belong there"),
    "unlisted": (unlisted("originals/x/a"), "not on its list of contents"),
    "missing": (
        lambda a: (listed()(a), without("collection.json")(a))[0],
        "on its list of contents and not in it",
    ),
    "listed twice": (
        lambda a: (listed()(a), a.manifest["files"].append(a.manifest["files"][0]))[0],
        "the same path twice",
    ),
    "lists itself": (also_listed("manifest.json"), "is not one of a collection"),
    "other checksum": (listed(sha256="0" * 64), "its checksum differs"),
    "other size": (listed(size=5), "and should have 5"),
    "bad checksum": (listed(sha256="zz"), "list of contents .* is incomplete"),
    "negative size": (listed(size=-1), "list of contents .* is incomplete"),
    "no size": (listed(size="1"), "list of contents .* is incomplete"),
    "other format": (stated(format="zoo"), "not that of an exported collection"),
    "later form": (stated(format_version=4), "newer CaseTrack .form 4 of the file"),
    "no form": (stated(format_version=None), "incomplete"),
    "no counts": (stated(counts={}), "incomplete"),
    "no facts": (stated(collection=None), "incomplete"),
    "other facts": (stated(collection={}), "says other things than its list"),
    "other profile": (stated(profile="legal"), "says other things than its list"),
    "wrong profile": (told(profile="legal"), "vectors of the profile mini .* are of legal"),
    "wrong dimension": (told(dimension=5), "vectors of the profile mini with 384"),
    "facts of wrong types": (told(name=7), "collection.json in it cannot be understood"),
    "unknown status": (told(status="evil"), "collection.json in it cannot be understood"),
    "name of two lines": (told(name="a\nb"), "no name that can be shown"),
    "no name": (told(name="  "), "no name that can be shown"),
    "no collection": (without("collection.json"), "is not one of a collection"),
    "no documents": (without("documents.lance"), "data of this collection cannot be read"),
    "no chunks": (without("chunks.lance/_versions"), "data of this collection cannot be read"),
    "no chunk data": (without("chunks.lance/data"), "data are not in it"),
    "fewer documents": (lambda a: count(a, documents=9), "3 documents and should hold 9"),
    "fewer pages": (lambda a: count(a, pages=0), "pages and should hold 0"),
    "more chunks": (lambda a: count(a, chunks=4711), "chunks and should hold 4,711"),
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good archive, made once."""
    from casetrack.config import load_settings
    from casetrack.library import Library
    from tests.transfer.conftest import fill

    home = tmp_path_factory.mktemp("good")
    case = Library(load_settings(home / "data")).create("Case")
    fill(case)
    return Path(case.admin.export(home / "good").path)


@pytest.mark.parametrize("kind", HOSTILE)
def test_refused(good: Path, other: Library, tmp_path: Path, kind: str) -> None:
    change, match = HOSTILE[kind]
    archive = Archive.read(good)
    change(archive)
    text = refused(other, archive.write(tmp_path / "bad.ctcollection"), match)
    assert "bad.ctcollection" in text
    assert "\n\n" in text  # what to do next


def test_the_good_one_is_taken(good: Path, other: Library, tmp_path: Path) -> None:
    path = Archive.read(good).write(tmp_path / "again.ctcollection")
    assert other.import_archive(path).documents == 3


def test_a_newer_schema(good: Path, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(good)
    archive.manifest["schema_version"] = 99
    path = archive.write(tmp_path / "x.zip")
    refused(other, path, "schema version 99 is newer than supported", FutureSchema)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_path_twice(good: Path, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(good)
    archive.extra.append(("collection.json", b"{}"))
    refused(other, archive.write(tmp_path / "x.zip"), "same path twice: 'collection.json'")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "not whole"),
        (b"PK", "not whole"),
        (b"%PDF-1.7 and so on", "no exported collection"),
        (b"PK\x05\x06" + b"\0" * 18, "no list of contents"),
    ],
)
def test_no_archive_at_all(other: Library, tmp_path: Path, content: bytes, match: str) -> None:
    path = tmp_path / "x.ctcollection"
    path.write_bytes(content)
    refused(other, path, match)


@pytest.mark.parametrize("manifest", [b"", b"\xff", b"[]", b"[" * 100_000, b'{"format": 1}'])
def test_no_list_of_contents(other: Library, tmp_path: Path, manifest: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("manifest.json", manifest)
    refused(other, tmp_path / "x.zip", "manifest.json")


def test_no_file(other: Library, tmp_path: Path) -> None:
    refused(other, tmp_path / "none.ctcollection", "File not found", FileNotFound)
    refused(other, tmp_path, "is a folder", WrongPathKind)


def test_cut_anywhere_or_with_a_changed_byte(good: Path, other: Library, tmp_path: Path) -> None:
    content = good.read_bytes()
    dice = random.Random(7)
    path = tmp_path / "x.zip"
    for _ in range(12):
        path.write_bytes(content[: dice.randrange(len(content))])
        refused(other, path, "cannot be imported")
    with zipfile.ZipFile(good) as archive:
        starts = [i.header_offset + 30 + len(i.filename) + 20 for i in archive.infolist()]
    for start in starts:  # the first bytes of each file's content
        changed = bytearray(content)
        changed[start + 1] ^= 0x55
        path.write_bytes(changed)
        refused(other, path, "cannot be imported")


def test_a_bomb_is_stopped_where_it_says_less(good: Path, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(good)
    bomb = b"\0" * (50 << 20)
    name = "originals/x/bomb"
    path = tmp_path / "x.zip"
    archive.files[name] = b"\0" * 100
    archive.write(path)  # for the list, which says 100 bytes
    archive.relist = False
    del archive.files[name]
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.extra.append((info, bomb))
    content = bytearray(archive.write(path).read_bytes())
    for sign, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = 0
        while (at := content.find(sign, at)) >= 0:
            if content[at + place : at + place + 4] == struct.pack("<I", len(bomb)):
                content[at + place : at + place + 4] = struct.pack("<I", 100)
            at += 4
    path.write_bytes(content)
    assert len(content) < 1 << 20
    refused(other, path, "'originals/x/bomb' in it (is longer than|cannot be unpacked)")


def test_more_than_the_disk_holds(
    good: Path, other: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type(shutil.disk_usage(tmp_path))
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(10**9, 10**9 - 1000, 1000))
    refused(other, good, "The disk is full", DiskFull)


def test_encrypted(good: Path, other: Library, tmp_path: Path) -> None:
    content = bytearray(good.read_bytes())
    at = content.find(b"PK\x01\x02")
    content[at + 8] |= 1
    (tmp_path / "x.zip").write_bytes(content)
    refused(other, tmp_path / "x.zip", "is encrypted")


def test_packed_in_an_unknown_way(good: Path, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(good)
    info = zipfile.ZipInfo("originals/x/a")
    info.compress_type = zipfile.ZIP_LZMA
    archive.extra.append((info, b"x"))
    refused(other, archive.write(tmp_path / "x.zip"), "packed in an unknown way")


# --- tables that do not fit together ----------------------------------------------------------


def drop_rows(folder: Path) -> None:
    lance.dataset(folder / "chunks.lance").delete("document_name = 'a.txt' AND chunk_index = 0")


def twice(folder: Path) -> None:
    documents = lance.dataset(folder / "documents.lance")
    lance.write_dataset(documents.to_table(), folder / "documents.lance", mode="append")


def no_end(folder: Path) -> None:
    import pyarrow as pa

    documents = lance.dataset(folder / "documents.lance")
    row = documents.to_table(limit=1)
    many = pa.concat_tables([row] * 30_000).combine_chunks()
    lance.write_dataset(many, folder / "documents.lance", mode="overwrite")


def stray(folder: Path) -> None:
    chunks = lance.dataset(folder / "chunks.lance")
    rows = chunks.to_table(filter="document_name = 'a.txt'").to_pylist()
    table = chunks.to_table(limit=0).schema
    import pyarrow as pa

    more = pa.Table.from_pylist(
        [r | {"revision": "evil", "checksum": None} for r in rows], schema=table
    )
    lance.write_dataset(more, folder / "chunks.lance", mode="append")


def fewer_columns(folder: Path) -> None:
    lance.dataset(folder / "chunks.lance").drop_columns(["text"])


def more_columns(folder: Path) -> None:
    lance.dataset(folder / "chunks.lance").add_columns({"evil": "1"})


def copy_outside(folder: Path) -> None:
    lance.dataset(folder / "documents.lance").update({"original_copy": "'../../../etc/passwd'"})


def nonsense(folder: Path) -> None:
    for path in (folder / "documents.lance" / "_versions").glob("*.manifest"):
        path.write_bytes(os.urandom(400))


def no_columns(folder: Path) -> None:
    for path in (folder / "documents.lance" / "data").iterdir():
        path.write_bytes(b"\0" * 400)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (drop_rows, "other passages than its list|does not belong"),
        (twice, "the same document twice"),
        (no_end, "more rows than its files can hold"),
        (stray, "other passages than its list"),
        (fewer_columns, "column chunks.text is missing"),
        (more_columns, "column 'evil' is not declared"),
        (copy_outside, "copy lies outside the collection|does not belong"),
        (nonsense, "cannot be read"),
        (no_columns, "cannot be read"),
    ],
)
def test_tables(
    good: Path,
    other: Library,
    tmp_path: Path,
    change: Callable[[Path], None],
    match: str,
) -> None:
    folder = tmp_path / "raw"
    with zipfile.ZipFile(good) as packed:
        packed.extractall(folder)
    change(folder)
    for name in ("chunks.lance", "documents.lance"):
        if change is not nonsense:
            # Deletions are written out, since no export has any.
            dataset = lance.dataset(folder / name)
            dataset.optimize.compact_files(materialize_deletions_threshold=0.0)
            lance.dataset(folder / name).cleanup_old_versions(timedelta(0), delete_unverified=True)
    archive = Archive.read(good)
    archive.files = {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in {"manifest.json", "latest_version_hint.json"}
    }
    refused(other, archive.write(tmp_path / "x.zip"), match)
    shutil.rmtree(folder)


def test_a_table_that_reads_from_elsewhere(good: Path, other: Library, tmp_path: Path) -> None:
    folder = tmp_path / "raw"
    with zipfile.ZipFile(good) as packed:
        packed.extractall(folder)
    away = lance.DatasetBasePath(str(tmp_path / "away"), name="away")
    lance.dataset(folder / "chunks.lance").add_bases([away])
    archive = Archive.read(good)
    archive.files = {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != "manifest.json"
    }
    refused(other, archive.write(tmp_path / "x.zip"), "names other places of this machine")


def test_the_collection_that_is_there_is_not_touched(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    path = Path(case.admin.export(tmp_path / "x").path)
    first = other.get(other.import_archive(path).collection)
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(ArchiveDamaged):
        other.import_archive(path)
    assert [i.id for i in other.collections()] == [first.info.id]
    assert len(first.documents()) == 3
