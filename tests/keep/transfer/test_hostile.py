"""Archives with false declarations: each is refused with a message and leaves nothing."""

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
import pyarrow as pa
import pytest

from casetrack.api.library import Library
from casetrack.base import errors
from casetrack.base.config import load_settings
from tests.keep.transfer.conftest import Archive, fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

    Change = Callable[[Archive], None]


def refused(
    other: Library, path: Path, error: type[errors.CaseTrackError] = errors.ArchiveDamaged
) -> str:
    """Check that the import fails with a hint and leaves nothing."""
    outside = sorted(p for p in path.parent.iterdir())
    with pytest.raises(error) as caught:
        other.import_archive(path)
    home = other.settings.collections_dir
    assert other.collections() == []
    assert other.damaged() == []
    assert list(home.iterdir()) == []
    assert {*path.parent.iterdir()} - {*outside} <= {other.settings.data_dir}
    assert error is not errors.ArchiveDamaged or path.name in caught.value.message
    assert caught.value.hint
    return caught.value.message


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
    """Change the entry of ``collection.json`` in the list."""

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


def packed(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_LZMA
    return info


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


HOSTILE: dict[str, Change] = {
    "climbs out": put("originals/../../../evil"),
    "climbs out at once": put("../evil"),
    "absolute": put("/tmp/evil"),
    "drive letter": put("originals/C:/evil"),
    "backslashes": unlisted("originals\\..\\evil"),
    "NUL": unlisted(named("originals/x/evil\0.txt")),
    "device": put("originals/x/NUL.txt"),
    "device with spaces": put("originals/x/com1 .txt"),
    "trailing dot": put("originals/x/evil."),
    "stream": put("originals/x/a.txt:evil"),
    "empty part": put("originals//x"),
    "very long": put("originals/x/" + "a" * 600),
    "letter case": lambda a: a.files.update({"originals/x/a": b"", "originals/X/A": b""}),
    "a folder": unlisted("originals/x/", b""),
    "link": unlisted(link("originals/x/a"), b"/etc/passwd"),
    "query outside": put("queries/../evil.sql"),
    "query below": put("queries/a/b.sql"),
    "query of no name": put("queries/.sql"),
    "query of a bad name": put("queries/a b.sql"),
    "query with a device's name": put("queries/con.sql"),
    "no query": put("queries/a.sh"),
    "two queries of a name": lambda a: a.files.update({"queries/a.sql": b"", "queries/A.sql": b""}),
    "query as a link": unlisted(link("queries/a.sql"), b"/etc/passwd"),
    "query too large": put("queries/a.sql", b" " * (2**20 + 1)),
    "query in no text": put("queries/a.sql", b"SELECT '\xff'"),
    "query with NUL": put("queries/a.sql", b"SELECT '\0'"),
    "program code": put("views/evil.py"),
    "version tag": put("chunks.lance/_refs/tags/x.json"),
    "lock": put(".write.lock"),
    "unlisted": unlisted("originals/x/a"),
    "missing": lambda a: (listed()(a), without("collection.json")(a))[0],
    "listed twice": lambda a: (listed()(a), a.manifest["files"].append(a.manifest["files"][0]))[0],
    "lists itself": also_listed("manifest.json"),
    "other checksum": listed(sha256="0" * 64),
    "other size": listed(size=5),
    "bad checksum": listed(sha256="zz"),
    "negative size": listed(size=-1),
    "no size": listed(size="1"),
    "other format": stated(format="zoo"),
    "later form": stated(format_version=6),
    "no form": stated(format_version=None),
    "no counts": stated(counts={}),
    "no facts": stated(collection=None),
    "other facts": stated(collection={}),
    "other profile": stated(profile="legal"),
    "wrong profile": told(profile="legal"),
    "wrong dimension": told(dimension=5),
    "facts of wrong types": told(name=7),
    "unknown status": told(status="evil"),
    "name of two lines": told(name="a\nb"),
    "no name": told(name="  "),
    "no collection": without("collection.json"),
    "no documents": without("documents.lance"),
    "no chunks": without("chunks.lance/_versions"),
    "no chunk data": without("chunks.lance/data"),
    "fewer documents": lambda a: count(a, documents=9),
    "fewer pages": lambda a: count(a, pages=0),
    "path twice": unlisted("collection.json", b"{}"),
    "packed in an unknown way": unlisted(packed("originals/x/a")),
    "more chunks": lambda a: count(a, chunks=4711),
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good archive, made once."""
    home = tmp_path_factory.mktemp("good")
    case = Library(load_settings(home / "data")).create("Case")
    fill(case)
    return Path(case.admin.export(home / "good").path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_refused(good: Path, other: Library, tmp_path: Path, messages: Callable[..., None]) -> None:
    """The golden text shows that each is refused for its own reason."""
    lines = []
    path = tmp_path / "bad.ctcollection"
    for kind, change in HOSTILE.items():
        archive = Archive.read(good)
        change(archive)
        lines.append(f"{kind}: {refused(other, archive.write(path))}")
    size = len(Archive.read(good).files["collection.json"])
    messages("\n".join(lines), hide={f"{size} bytes": "<size> bytes"})


def test_the_good_one_is_taken(good: Path, other: Library, tmp_path: Path) -> None:
    path = Archive.read(good).write(tmp_path / "again.ctcollection")
    assert other.import_archive(path).documents == 3


def test_a_newer_schema(good: Path, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(good)
    archive.manifest["schema_version"] = 99
    path = archive.write(tmp_path / "x.zip")
    assert "99" in refused(other, path, errors.FutureSchema)


@pytest.mark.parametrize("content", [b"", b"PK", b"%PDF-1.7 and so on", b"PK\x05\x06" + b"\0" * 18])
def test_no_archive_at_all(other: Library, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.ctcollection"
    path.write_bytes(content)
    refused(other, path)


@pytest.mark.parametrize("manifest", [b"", b"\xff", b"[]", b"[" * 100_000, b'{"format": 1}'])
def test_no_list_of_contents(other: Library, tmp_path: Path, manifest: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("manifest.json", manifest)
    assert "manifest.json" in refused(other, tmp_path / "x.zip")


def test_no_file(other: Library, tmp_path: Path) -> None:
    refused(other, tmp_path / "none.ctcollection", errors.FileNotFound)
    refused(other, tmp_path, errors.WrongPathKind)


def test_cut_anywhere_or_with_a_changed_byte(good: Path, other: Library, tmp_path: Path) -> None:
    content = good.read_bytes()
    dice = random.Random(7)
    path = tmp_path / "x.zip"
    for _ in range(12):
        path.write_bytes(content[: dice.randrange(len(content))])
        refused(other, path)
    with zipfile.ZipFile(good) as archive:
        starts = [i.header_offset + 30 + len(i.filename) + 20 for i in archive.infolist()]
    for start in starts:  # the first bytes of each file's content
        changed = bytearray(content)
        changed[start + 1] ^= 0x55
        path.write_bytes(changed)
        refused(other, path)


@pytest.mark.slow
def test_a_bomb_is_stopped_where_it_says_less(good: Path, other: Library, tmp_path: Path) -> None:
    archive = Archive.read(good)
    bomb = b"\0" * (50 << 20)
    name = "originals/x/bomb"
    path = tmp_path / "x.zip"
    archive.files[name] = b"\0" * 100
    archive.write(path)  # for the list, which states 100 bytes
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
    assert name in refused(other, path)


def test_more_than_the_disk_holds(
    good: Path, other: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type(shutil.disk_usage(tmp_path))
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(10**9, 10**9 - 1000, 1000))
    refused(other, good, errors.DiskFull)


def test_encrypted(good: Path, other: Library, tmp_path: Path) -> None:
    content = bytearray(good.read_bytes())
    at = content.find(b"PK\x01\x02")
    content[at + 8] |= 1
    (tmp_path / "x.zip").write_bytes(content)
    refused(other, tmp_path / "x.zip")


# --- tables that do not fit together ----------------------------------------------------------


def drop_rows(folder: Path) -> None:
    lance.dataset(folder / "chunks.lance").delete("document_name = 'a.txt' AND chunk_index = 0")


def twice(folder: Path) -> None:
    documents = lance.dataset(folder / "documents.lance")
    lance.write_dataset(documents.to_table(), folder / "documents.lance", mode="append")


def no_end(folder: Path) -> None:
    documents = lance.dataset(folder / "documents.lance")
    row = documents.to_table(limit=1)
    many = pa.concat_tables([row] * 10_000).combine_chunks()
    lance.write_dataset(many, folder / "documents.lance", mode="overwrite")


def stray(folder: Path) -> None:
    chunks = lance.dataset(folder / "chunks.lance")
    rows = chunks.to_table(filter="document_name = 'a.txt'").to_pylist()
    table = chunks.to_table(limit=0).schema
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


def elsewhere(folder: Path) -> None:
    away = lance.DatasetBasePath(str(folder.parent / "away"), name="away")
    lance.dataset(folder / "chunks.lance").add_bases([away])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (drop_rows, ""),
        (twice, ""),
        (no_end, ""),
        (stray, ""),
        (fewer_columns, "chunks.text"),
        (more_columns, "'evil'"),
        (copy_outside, ""),
        (nonsense, ""),
        (no_columns, ""),
        (elsewhere, ""),
    ],
)
def test_tables(
    good: Path, other: Library, tmp_path: Path, change: Callable[[Path], None], text: str
) -> None:
    folder = tmp_path / "raw"
    with zipfile.ZipFile(good) as packed:
        packed.extractall(folder)
    change(folder)
    for name in ("chunks.lance", "documents.lance"):
        if change not in {nonsense, elsewhere}:
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
    assert text in refused(other, archive.write(tmp_path / "x.zip"))


@pytest.mark.slow
def test_the_collection_that_is_there_is_not_touched(
    case: Collection, other: Library, tmp_path: Path
) -> None:
    path = Path(case.admin.export(tmp_path / "x").path)
    first = other.get(other.import_archive(path).collection)
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(errors.ArchiveDamaged):
        other.import_archive(path)
    assert [i.id for i in other.collections()] == [first.info.id]
    assert len(first.documents()) == 3
