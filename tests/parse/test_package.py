"""Containers: bounded in all, harmless names, facts of Office documents."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import pytest

from casetrack.base.config import ParseLimits
from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse import detect
from casetrack.parse import package as package_module
from casetrack.parse.package import Facts, Package, moment
from tests.ole_container import ole

NAMES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/" '
    'xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
)
CORE = f"""<c:coreProperties {NAMES}><dc:title> The
 lease </dc:title><dc:creator>Ann Lee</dc:creator><c:keywords>rent, term</c:keywords>
 <dc:subject/><c:lastModifiedBy>Bob</c:lastModifiedBy><t:created>2024-01-02T03:04:05Z</t:created>
 <t:modified>2024-02-03T04:05:06+02:00</t:modified></c:coreProperties>"""
APP = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/'
    'extended-properties"><Company>Acme</Company><Pages>3</Pages></Properties>'
)


def made(path: Path, parts: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def limits(megabytes: int) -> ParseLimits:
    return ParseLimits(unpacked_mb=megabytes)


def test_all_parts_together_are_bounded(tmp_path: Path) -> None:
    block = bytes(range(256)) * 4 * 700
    path = made(tmp_path / "a.zip", {"a": block, "b": block, "c": b"small"})
    with Package(path, "ZIP", limits=limits(1)) as package:
        assert len(package.read("a")) == len(block)
        assert package.read("a") == package.read("A"), "reading a part again takes no more room"
        assert package.read("c") == b"small"
        with pytest.raises(ParseFailed, match="1 MB"):
            package.read("b")
    with Package(path, "ZIP", limits=limits(2)) as package:
        assert package.read("a") == package.read("b")


def test_parts_that_nobody_reads_do_not_count(tmp_path: Path) -> None:
    path = made(tmp_path / "a.zip", {"film": bytes(3 << 20), "text": b"words"})
    with Package(path, "ZIP", limits=limits(1)) as package:
        assert package.read("text") == b"words"


def test_a_part_gives_no_more_than_it_declares(tmp_path: Path) -> None:
    path = made(tmp_path / "a.zip", {"a": b"x" * 5_000_000})
    data = path.read_bytes()
    size = (5_000_000).to_bytes(4, "little")
    path.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    with Package(path, "ZIP", limits=limits(1)) as package, pytest.raises(ParseFailed, match="a"):
        package.read("a")


def test_the_number_of_parts_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "a.zip", {str(i): b"" for i in range(12)})
    with Package(path, "ZIP") as package:
        assert len(package.names) == 12
    monkeypatch.setattr(package_module, "MAX_PARTS", 11)
    with pytest.raises(ParseFailed, match="11"):
        Package(path, "ZIP")


@pytest.mark.parametrize("name", ["/etc/passwd", "../../up", "C:\\win\\a", "a/../b", ".", "//x"])
def test_names_lead_nowhere(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    path = made(inside / "a.zip", {name: b"data", "text": b"words"})
    before = sorted(tmp_path.rglob("*"))
    with Package(path, "ZIP") as package:
        assert package.read(name) == b"data"
        assert package.read("text") == b"words"
        with pytest.raises(ParseFailed, match=r"\.\./a\.zip"):
            package.read("../a.zip")
    assert sorted(tmp_path.rglob("*")) == before


def test_relations_out_of_the_container_name_no_part(tmp_path: Path) -> None:
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="1" Type="x/styles" Target="../../../../etc/passwd"/>'
        '<Relationship Id="2" Type="x/image" Target="http://example.com/" TargetMode="External"/>'
        "</Relationships>"
    )
    path = made(tmp_path / "a.zip", {"word/_rels/d.xml.rels": relation})
    with Package(path, "ZIP") as package:
        result = package.relations("word/d.xml")
        assert list(result) == ["1"]
        assert result["1"][1] not in package


def test_content_elsewhere_is_read_and_the_file_is_named(tmp_path: Path) -> None:
    copy = made(tmp_path / "copy", {"text": b"words"})
    with Package(tmp_path / "secret.docx", "DOCX", content=copy) as package:
        assert package.read("text") == b"words"
        with pytest.raises(ParseFailed, match=r"secret\.docx"):
            package.read("none")


def test_facts(tmp_path: Path) -> None:
    path = made(tmp_path / "a.zip", {"docProps/core.xml": CORE, "docProps/app.xml": APP})
    warnings: list[str] = []
    with Package(path, "ZIP") as package:
        assert package.facts(warnings) == Facts(
            "The lease",
            "Ann Lee",
            dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
            dt.datetime(2024, 2, 3, 2, 5, 6, tzinfo=dt.UTC),
            (("keywords", "rent, term"), ("last_modified_by", "Bob"), ("company", "Acme")),
        )
    assert warnings == []


def test_damaged_and_missing_facts(tmp_path: Path) -> None:
    warnings: list[str] = []
    with Package(made(tmp_path / "a.zip", {"docProps/core.xml": "<c"}), "ZIP") as package:
        assert package.facts(warnings) == Facts()
    assert len(warnings) == 1
    with Package(made(tmp_path / "b.zip", {"x": ""}), "ZIP") as package:
        assert package.facts(warnings) == Facts()
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-06T07:08:09", dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC)),
        ("2024-05-06", dt.datetime(2024, 5, 6, tzinfo=dt.UTC)),
        ("0001-01-01T00:00:00+09:00", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_moments(text: str | None, expected: dt.datetime | None) -> None:
    assert moment(text) == expected


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx", "ods", "odt", "odp", "epub"])
def test_a_cut_container_is_a_damaged_file(tmp_path: Path, suffix: str) -> None:
    whole = made(tmp_path / "whole.zip", {"a": "x" * 5000}).read_bytes()
    path = tmp_path / f"cut.{suffix}"
    for data in (b"PK\x03\x04 half a file", whole[:-30]):
        path.write_bytes(data)
        with pytest.raises(ParseFailed, match=path.name):
            list(detect(path).read(path).pages)


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx"])
def test_an_encrypted_office_file_needs_its_password(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"secret.{suffix}"
    path.write_bytes(ole({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}))
    with pytest.raises(FileEncrypted, match=path.name):
        detect(path).read(path)
