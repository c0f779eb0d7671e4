"""Productions in and out: what a load file says is kept, checked, and written again as it was."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.config import load_settings
from casetrack.errors import FileNotFound, UsageError
from casetrack.legal.discovery.dialects import QUALIFIER, SEPARATOR, Dialect
from casetrack.legal.discovery.duplicates import duplicates
from casetrack.legal.discovery.export import export_production
from casetrack.legal.discovery.families import families
from casetrack.legal.discovery.fields import day_first, read_moment, roles_of
from casetrack.legal.discovery.images import read_image_file
from casetrack.legal.discovery.load import load_production
from casetrack.legal.discovery.loadfile import read_load_file, write_rows
from casetrack.legal.discovery.production_read import read_production
from casetrack.library import Library
from legal.productions import COLUMNS, dat, fields_of, label, papers, produce

if TYPE_CHECKING:
    from casetrack.collection import Collection

SAMPLE = Path(__file__).parents[2] / "data-samples" / "case" / "Production" / "HAR001.dat"


def library(folder: Path) -> Library:
    return Library(replace(load_settings(folder / "data"), models_dir=folder / "none"))


@pytest.fixture(scope="module", name="made")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Collection, Path]:
    folder = tmp_path_factory.mktemp("production")
    path = produce(folder)
    collection = library(folder).create("Mill")
    report = load_production(collection, path)
    assert not report.troubles, report.troubles
    assert (report.document_count, report.loaded_count) == (8, 8)
    assert report.read_from == {"native": 6, "text": 1, "field": 0, "images": 0, "row": 1}
    return collection, path


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


# --- reading and writing rows ----------------------------------------------------------------

ROWS = (
    ("BEG", "END", "TEXT"),
    ("A1", "A2", "one\u00aetwo"),
    ("A3", "A3", "Zo\u00eb \u00fe wrote:\nline two\r\n\u00feorn"),
)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("separator", [SEPARATOR, "\u00b6"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_load_files_of_all_kinds_are_read_and_written_again(
    tmp_path: Path, encoding: str, separator: str, end: str
) -> None:
    path = tmp_path / "x.dat"
    path.write_bytes(dat(ROWS, encoding=encoding, separator=separator, end=end))
    found = read_load_file(path)
    assert [row.values for row in found.rows] == list(ROWS[1:])
    assert [row.line for row in found.rows] == [2, 3]
    assert found.columns == ROWS[0]
    assert not found.troubles
    assert write_rows(found.dialect, found.header, found.rows) == path.read_bytes()


VALUES = st.text(st.sampled_from("aB1 ,;\u00ae\u00fe\r\n\u00e9\u4e00\"'"), max_size=8)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=5), st.sampled_from([b"", b"\n", b"\xff\r\n"]))
def test_whatever_stands_in_it_is_written_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], tail: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.dat"
    path.write_bytes(dat([("BEG", "NOTE"), *rows], encoding="utf-8") + tail)
    found = read_load_file(path)
    assert write_rows(found.dialect, found.header, found.rows) == path.read_bytes()


def test_other_delimiters_are_told_by_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'"BEG","NOTE"\n"A1","he said ""no"", twice"\nA2,plain\n')
    found = read_load_file(path)
    assert [row.values for row in found.rows] == [("A1", 'he said "no", twice'), ("A2", "plain")]
    path.write_bytes(b"BEG|NOTE\nA1|x\n\nA2|y")
    found = read_load_file(path)
    assert [(row.line, row.values) for row in found.rows] == [(2, ("A1", "x")), (4, ("A2", "y"))]
    assert write_rows(found.dialect, found.header, found.rows) == path.read_bytes()


def test_without_delimiters_it_is_no_load_file(tmp_path: Path) -> None:
    path = tmp_path / "letter.dat"
    path.write_text("Dear Bo,\nthe keys lie under the stone.\n".replace(",", ""), "utf-8")
    with pytest.raises(UsageError, match="line 1: no delimiters are recognised in 'Dear Bo'"):
        read_load_file(path)
    with pytest.raises(FileNotFound):
        read_load_file(tmp_path / "none.dat")
    with pytest.raises(UsageError, match="no encoding 'klingon'"):
        read_load_file(path, encoding="klingon")


def test_broken_rows_are_said_by_line_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    whole = dat([("BEG", "BEG", ""), ("A1", "A1", "x")], encoding="utf-8")
    opened = "\u00feA2\u00fe\x14\u00feA2\u00fe\x14\u00fenever closed\r\n".encode()
    short = dat([("A3", "A3", "y"), ("A4", "A4")], encoding="utf-8")
    bytes_ = "\u00feA5\u00fe\x14\u00feA5\u00fe\x14\u00fe".encode() + b"\xff\x81" + "\u00fe".encode()
    path.write_bytes(whole + opened + short + bytes_)
    found = read_load_file(path)
    assert [row.values[0] for row in found.rows] == ["A1", "A2", "A3", "A4", "A5"]
    assert found.columns == ("BEG", "BEG (2)", "(column 3)")
    told = [(t.line, t.kind, t.text.partition(".")[0]) for t in found.troubles]
    assert told == [
        (6, "encoding", "Line 6 holds bytes that are no UTF-8"),
        (1, "columns", "Column 2 is called 'BEG' like an earlier one; here 'BEG (2)'"),
        (1, "columns", "Column 3 has no name; it is called '(column 3)' here"),
        (3, "delimiter", f"Line 3: a field is opened and not closed ({QUALIFIER} is missing)"),
        (5, "fields", "Line 5 has 2 fields where the first row names 3"),
    ]
    assert write_rows(found.dialect, found.header, found.rows) == path.read_bytes()


def test_image_files_name_documents_page_by_page(tmp_path: Path) -> None:
    path = tmp_path / "x.opt"
    path.write_bytes(
        b"A1,V1,I\\a, b.tif,Y,,,2\r\nA2,V1,I\\2.tif,,,,\r\nwhat\r\nA3,,I\\3.tif,Y,,,4\r\n"
    )
    found = read_image_file(path)
    assert [[page.key for page in pages] for pages in found.documents] == [["A1", "A2"], ["A3"]]
    assert found.documents[0][0].path == "I\\a, b.tif"
    assert [t.text for t in found.troubles] == [
        "Line 3 is no line of an OPT file: 'what'. It is left out.",
        "Line 4: A3 is said to have 4 pages; 1 are listed.",
    ]


@pytest.mark.parametrize(
    ("written", "time", "expected"),
    [
        ("2001-05-14T16:39:00Z", "", "2001-05-14T16:39"),
        ("20010514", "4:39 PM", "2001-05-14T16:39"),
        ("05/14/2001 04:39 PM", "", "2001-05-14T16:39"),
        ("14.05.2001", "", "2001-05-14T00:00"),
        ("14-May-01", "", "2001-05-14T00:00"),
        ("May 14, 2001", "12:05 AM", "2001-05-14T00:05"),
        ("00/00/0000", "", None),
        ("05/32/2001", "", None),
        ("soon", "", None),
    ],
)
def test_dates_in_several_forms(written: str, time: str, expected: str | None) -> None:
    found = read_moment(written, time)
    assert (found.strftime("%Y-%m-%dT%H:%M") if found else None) == expected


def test_days_and_months_are_told_by_the_column() -> None:
    assert day_first(["03/04/2001", "13/04/2001"]) is True
    assert day_first(["03/04/2001", "03/14/2001"]) is False
    assert day_first(["03/04/2001"]) is None
    assert str(read_moment("03/04/2001", days_first=True)).startswith("2001-04-03")


@pytest.mark.parametrize("names", ["Beg Bates|End Bates", "PROD_BEG|PROD_END", "BegDoc#|EndDoc#"])
def test_fields_go_by_many_names(names: str) -> None:
    first, last = names.split("|")
    assert roles_of([first, last]) == {"begin": first, "end": last}


# --- loading ---------------------------------------------------------------------------------


def test_every_row_is_a_document_with_its_fields(made: tuple[Collection, Path]) -> None:
    collection, _ = made
    rows = collection.sql(
        "SELECT metadata->>'control_number' AS number, metadata->>'bates_end' AS last, "
        "metadata->>'custodian' AS custodian, metadata->>'read_from' AS way, name, title "
        "FROM documents WHERE source = 'production:VOL001' ORDER BY number"
    ).to_pylist()
    assert [(r["number"], r["last"], r["way"]) for r in rows][:3] == [
        (label(1), label(2), "native"),
        (label(3), label(3), "native"),
        (label(4), label(6), "native"),
    ]
    assert rows[-1]["custodian"] == "Renner, Bo"
    assert rows[-2]["title"] == "Withheld: advice of counsel"
    every = papers()
    stored = {
        json.loads(d.metadata or "{}")["control_number"]: json.loads(d.metadata or "{}")["fields"]
        for d in collection.documents()
    }
    assert stored == {label(p.begin): fields_of(p, every) for p in every}


def test_what_is_read_can_be_found_and_cites_its_document(made: tuple[Collection, Path]) -> None:
    collection, _ = made
    hit = collection.search("roof leaks above hall two")[0]
    assert hit.provenance.document_name == f"{label(9)}.txt"
    assert hit.provenance.page == 2  # the second page of the produced text
    assert collection.search("advice of counsel")[0].text.startswith("BEGBATES: ABC000011")


def test_families_and_duplicates_are_those_of_the_load_file(made: tuple[Collection, Path]) -> None:
    collection, _ = made
    every = papers()
    wanted = defaultdict(set)
    for paper in every:
        wanted[label(paper.parent or paper.begin)].add(label(paper.begin))
    found = {
        f.members[0].control_number: {m.control_number for m in f.members}
        for f in families(collection, singles=True).families
    }
    assert found == wanted
    by_hash = defaultdict(set)
    for paper in every:
        by_hash[fields_of(paper, every)["MD5HASH"]].add(label(paper.begin))
    by_hash.pop("")
    groups = duplicates(collection, near=False).groups
    assert [{d.control_number for d in g.documents} for g in groups] == [
        group for group in by_hash.values() if len(group) > 1
    ]
    one = families(collection, document=label(8)).families[0]
    assert (one.bates_begin, one.bates_end, one.told_by) == (label(7), label(8), "load file")


def test_a_round_trip_is_identical_file_by_file(
    made: tuple[Collection, Path], tmp_path: Path
) -> None:
    collection, path = made
    report = export_production(collection, tmp_path / "out")
    assert not report.notes
    assert files_below(tmp_path / "out") == files_below(path.parents[1])
    assert (report.document_count, report.image_count) == (8, 12)
    assert report.ranges == (f"{label(1)}-{label(12)}",)


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_so_it_is_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    path = produce(tmp_path, encoding=encoding, images=False)
    collection = library(tmp_path).create("Other")
    load_production(collection, path)
    export_production(collection, tmp_path / "out")
    assert files_below(tmp_path / "out") == files_below(path.parents[1])


def test_a_part_leaves_with_whole_families_and_its_own_rows(
    made: tuple[Collection, Path], tmp_path: Path
) -> None:
    collection, path = made
    report = export_production(collection, tmp_path / "out", documents=[label(3)])
    whole = path.read_bytes().split(b"\r\n")
    part = (tmp_path / "out" / "DATA" / "VOL001.dat").read_bytes().split(b"\r\n")
    assert part == [*whole[:4], b""]
    assert (report.document_count, report.image_count) == (3, 6)
    alone = export_production(collection, tmp_path / "one", documents=[label(3)], families=False)
    assert alone.ranges == (label(3),)
    with pytest.raises(UsageError, match="holds something already"):
        export_production(collection, tmp_path / "out")
    with pytest.raises(UsageError, match="no production 'VOL9'"):
        export_production(collection, tmp_path / "new", production="VOL9")


def test_loaded_again_nothing_is_read_twice_and_nothing_is_lost(
    made: tuple[Collection, Path],
) -> None:
    collection, path = made
    before = {d.source_id: (d.document_id, d.revision) for d in collection.documents()}
    report = load_production(collection, path)
    assert report.loaded_count == 8
    assert {d.source_id: (d.document_id, d.revision) for d in collection.documents()} == before


def test_what_came_without_a_load_file_is_numbered(tmp_path: Path) -> None:
    path = produce(tmp_path, images=False)
    shelf = library(tmp_path)
    collection = shelf.create("Plain")
    collection.ingest([path.parents[1] / "NATIVES" / "001" / f"{label(1)}.eml"])
    report = export_production(collection, tmp_path / "out", prefix="XYZ-", start=7, digits=4)
    assert (report.numbered, report.ranges) == (3, ("XYZ-0007-XYZ-0009",))
    again = load_production(shelf.create("Again"), report.load_file)
    assert (again.troubles, again.family_count, again.loaded_count) == ((), 1, 3)
    assert (
        files_below(tmp_path / "out" / "NATIVES")[("XYZ-0007.eml")]
        == (path.parents[1] / "NATIVES" / "001" / f"{label(1)}.eml").read_bytes()
    )


def test_the_sample_production(tmp_path: Path) -> None:
    collection = library(tmp_path).create("Harrow")
    report = load_production(collection, SAMPLE)
    assert not report.troubles
    assert report.read_from["native"] == 7
    export_production(collection, tmp_path / "out")
    written = tmp_path / "out" / "Production"
    assert (written / "HAR001.dat").read_bytes() == SAMPLE.read_bytes()
    assert (written / "HAR001.opt").read_bytes() == SAMPLE.with_suffix(".opt").read_bytes()


# --- what is wrong with one ------------------------------------------------------------------


def checked(tmp_path: Path, *rows: dict[str, str]) -> dict[str, list[str]]:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    path = tmp_path / "bad.dat"
    path.write_bytes(dat([columns, *([row.get(c, "") for c in columns] for row in rows)]))
    found = defaultdict(list)
    for trouble in read_production(path).troubles:
        found[trouble.kind].append(trouble.text)
    return found


def row(begin: str, end: str = "", **more: Any) -> dict[str, str]:
    return {"BEGBATES": begin, "ENDBATES": end or begin, **more}


def test_gaps_and_overlaps_of_bates_numbers(tmp_path: Path) -> None:
    found = checked(
        tmp_path,
        row("ABC0001", "ABC0005"),
        row("ABC0004"),
        row("ABC0006"),
        row("ABC0009", "ABC0008"),
        row("ABC0010", "ABC0012"),
    )
    assert found["overlap"] == ["Line 3: ABC0004 overlaps ABC0001-ABC0005 (ABC0001, line 2)."]
    assert found["gap"] == ["ABC0007-ABC0009 are missing in the production."]
    assert found["range"] == [
        "Line 5: ABC0009 to ABC0008 is no range of Bates numbers; it is kept as it is written."
    ]


def test_two_documents_with_one_number_are_both_kept(tmp_path: Path) -> None:
    found = checked(tmp_path, row("ABC1", FROM="a"), row("ABC1", FROM="b"), row("", FROM="c"))
    assert found["control number"] == [
        (
            "Line 3: ABC1 is the control number of line 2 already. Both are kept; this one is "
            "called 'ABC1 (2)'."
        ),
        "Line 4 has no control number; its document is called line-4.",
    ]
    collection = library(tmp_path).create("Twice")
    assert load_production(collection, tmp_path / "bad.dat").loaded_count == 3


def test_missing_columns_and_files_and_families_are_said(tmp_path: Path) -> None:
    found = checked(
        tmp_path,
        {"ID": "X1", "NATIVEPATH": "N\\x1.pdf", "BEGATTACH": "X0", "DATESENT": "soon 3"},
        {"ID": "X2", "NATIVEPATH": "..\\..\\..\\etc\\passwd"},
    )
    assert found["columns"] == [
        (
            "No field is called BEGDOC, BEGBATES, CONTROL NUMBER or the like. Documents are called "
            "by the first one, 'ID'."
        )
    ]
    assert found["file"] == [
        "Line 2: N\\x1.pdf (native) is not there.",
        "Line 3: ..\\..\\..\\etc\\passwd (native) is not there.",
    ]
    assert found["family"] == [
        "Line 2: X0 is named as of its family, and is no document of the production."
    ]
    assert found["date"] == ["Line 2: DATESENT 'soon 3' is no date that is known."]


def test_families_that_contradict_each_other_are_kept_apart(tmp_path: Path) -> None:
    found = checked(
        tmp_path,
        row("A01", BEGATTACH="A01", ENDATTACH="A03"),
        row("A02", BEGATTACH="A01", ENDATTACH="A03"),
        row("A03", BEGATTACH="A03", ENDATTACH="A04"),
        row("A04", BEGATTACH="A03", ENDATTACH="A04"),
    )
    assert found["family"] == [
        (
            "Line 2: its family is A01 to A03, but A03 says that its own begins with A03. They "
            "are kept apart."
        )
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [row("A01", "A02", ATTACHRANGE="A01 - A04"), row("A03"), row("A04"), row("A05")],
        [row("A01", "A02"), row("A03", PARENTID="A01"), row("A04", PARENTID="A01"), row("A05")],
        [row("A01", "A02", ATTACHIDS="A03;A04"), row("A03"), row("A04"), row("A05")],
        [row("A01", GROUPID="g"), row("A03", GROUPID="g"), row("A04", GROUPID="g"), row("A05")],
    ],
)
def test_families_are_told_in_many_ways(tmp_path: Path, rows: list[dict[str, str]]) -> None:
    checked(tmp_path, *rows)
    found = read_production(tmp_path / "bad.dat").members
    assert [m.family for m in found] == ["A01", "A01", "A01", "A05"]
    assert [m.parent for m in found] == [None, "A01", "A01", None]


def test_images_without_a_row_are_documents_too(tmp_path: Path) -> None:
    checked(tmp_path, row("A01", "A02"))
    lines = ("A01,,I\\1.tif,Y,,,2", "A02,,I\\2.tif,,,,", "A09,,I\\9.tif,Y,,,1")
    (tmp_path / "bad.opt").write_bytes("\n".join(lines).encode())
    found = read_production(tmp_path / "bad.dat")
    assert [m.key for m in found.members] == ["A01", "A09"]
    assert any("A09 has images and no row in bad.dat" in t.text for t in found.troubles)


def test_the_usual_columns_are_those_of_the_tests() -> None:
    assert set(roles_of(COLUMNS)) >= {"begin", "end", "begin_family", "parent", "children", "hash"}
    assert Dialect().row(["a", "b"]) == "\u00fea\u00fe\x14\u00feb\u00fe"
