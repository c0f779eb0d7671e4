"""Import and export of productions: values of a load file are kept, checked and written back."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import FileNotFound, UsageError
from casetrack.editions.legal.discovery.duplicates import duplicates
from casetrack.editions.legal.discovery.export import export_production
from casetrack.editions.legal.discovery.families import families
from casetrack.editions.legal.discovery.fields import SEPARATOR, day_first, read_moment, roles_of
from casetrack.editions.legal.discovery.load import load_production
from casetrack.editions.legal.discovery.loadfile import read_image_file, read_load_file, write_rows
from casetrack.editions.legal.discovery.production_read import read_production
from editions.legal.cases import new_library as library
from editions.legal.productions import dat, fields_of, label, papers, produce

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library


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
@pytest.mark.parametrize(("separator", "end"), [(SEPARATOR, "\r\n"), ("\u00b6", "\n")])
def test_load_files_of_all_kinds(tmp_path: Path, encoding: str, separator: str, end: str) -> None:
    path = tmp_path / "x.dat"
    path.write_bytes(dat(ROWS, encoding=encoding, separator=separator, end=end))
    loaded = read_load_file(path)
    assert [row.values for row in loaded.rows] == list(ROWS[1:])
    assert [row.line for row in loaded.rows] == [2, 3]
    assert loaded.columns == ROWS[0]
    assert not loaded.troubles
    assert write_rows(loaded.dialect, loaded.header, loaded.rows) == path.read_bytes()


VALUES = st.text(st.sampled_from("aB1 ,;\u00ae\u00fe\r\n\u00e9\u4e00\"'"), max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=5), st.sampled_from([b"", b"\n", b"\xff\r\n"]))
def test_whatever_is_in_it_is_written_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], tail: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.dat"
    path.write_bytes(dat([("BEG", "NOTE"), *rows], encoding="utf-8") + tail)
    loaded = read_load_file(path)
    assert write_rows(loaded.dialect, loaded.header, loaded.rows) == path.read_bytes()


def test_other_delimiters_are_recognised_by_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'"BEG","NOTE"\n"A1","he said ""no"", twice"\nA2,plain\n')
    loaded = read_load_file(path)
    assert [row.values for row in loaded.rows] == [("A1", 'he said "no", twice'), ("A2", "plain")]
    path.write_bytes(b"BEG|NOTE\nA1|x\n\nA2|y")
    loaded = read_load_file(path)
    assert [(row.line, row.values) for row in loaded.rows] == [(2, ("A1", "x")), (4, ("A2", "y"))]
    assert write_rows(loaded.dialect, loaded.header, loaded.rows) == path.read_bytes()


def test_without_delimiters_it_is_no_load_file(tmp_path: Path) -> None:
    path = tmp_path / "letter.dat"
    path.write_text("Dear Bo\nthe keys lie under the stone.\n", "utf-8")
    for name, more, error, messages in (
        ("letter.dat", {}, UsageError, "Dear Bo"),
        ("letter.dat", {"encoding": "klingon"}, UsageError, "klingon"),
        ("none.dat", {}, FileNotFound, "none.dat"),
    ):
        with pytest.raises(error, match=messages):
            read_load_file(tmp_path / name, **more)


def test_broken_rows_are_reported_by_line_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    whole = dat([("BEG", "BEG", ""), ("A1", "A1", "x")], encoding="utf-8")
    opened = "\u00feA2\u00fe\x14\u00feA2\u00fe\x14\u00fenever closed\r\n".encode()
    short = dat([("A3", "A3", "y"), ("A4", "A4")], encoding="utf-8")
    bytes_ = "\u00feA5\u00fe\x14\u00feA5\u00fe\x14\u00fe".encode() + b"\xff\x81" + "\u00fe".encode()
    path.write_bytes(whole + opened + short + bytes_)
    loaded = read_load_file(path)
    assert [row.values[0] for row in loaded.rows] == ["A1", "A2", "A3", "A4", "A5"]
    assert loaded.columns == ("BEG", "BEG (2)", "(column 3)")
    assert [(t.line, t.kind) for t in loaded.troubles] == [
        (6, "encoding"),
        (1, "columns"),  # a name of two columns
        (1, "columns"),  # one without a name
        (3, "delimiter"),
        (5, "fields"),
    ]
    assert write_rows(loaded.dialect, loaded.header, loaded.rows) == path.read_bytes()


def test_image_files_name_documents_page_by_page(tmp_path: Path) -> None:
    path = tmp_path / "x.opt"
    path.write_bytes(
        b"A1,V1,I\\a, b.tif,Y,,,2\r\nA2,V1,I\\2.tif,,,,\r\nwhat\r\nA3,,I\\3.tif,Y,,,4\r\n"
    )
    images = read_image_file(path)
    assert [[page.key for page in pages] for pages in images.documents] == [["A1", "A2"], ["A3"]]
    assert images.documents[0][0].path == "I\\a, b.tif"
    assert [t.line for t in images.troubles] == [3, 4]
    assert "'what'" in images.troubles[0].text
    assert {"A3", "4", "1"} <= {*images.troubles[1].text.split()}


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
    moment = read_moment(written, time)
    assert (moment.isoformat()[:16] if moment else None) == expected


def test_days_and_months_are_recognised_by_the_column() -> None:
    assert day_first(["03/04/2001", "13/04/2001"]) is True
    assert day_first(["03/04/2001", "03/14/2001"]) is False
    assert day_first(["03/04/2001"]) is None
    assert str(read_moment("03/04/2001", days_first=True)).startswith("2001-04-03")


@pytest.mark.parametrize("name", ["attachment_parent", "PARENT_BATES", "Parent Bates No."])
def test_parents_go_by_many_names(name: str) -> None:
    assert roles_of(["BEGDOC", name])["parent"] == name


@pytest.mark.parametrize(("column", "asked"), [("MotherDoc", [1]), ("PARENTID", None)])
def test_a_field_that_may_name_parents_is_asked_for(
    tmp_path: Path, column: str, asked: list[int] | None
) -> None:
    errors, _ = checked(tmp_path, row("A01"), row("A02", **{column: "A01"}))
    assert errors.get("columns") == asked


@pytest.mark.parametrize("names", ["Beg Bates|End Bates", "PROD_BEG|PROD_END", "BegDoc#|EndDoc#"])
def test_fields_go_by_many_names(names: str) -> None:
    first, last = names.split("|")
    assert roles_of([first, last]) == {"begin": first, "end": last}


# --- loading ---------------------------------------------------------------------------------


def test_every_row_is_a_document_with_its_fields(made: tuple[Collection, Path]) -> None:
    collection, _ = made
    rows = collection.sql(
        "SELECT metadata->>'bates_end' AS last, metadata->>'custodian' AS custodian, title "
        "FROM documents WHERE source = 'production:VOL001' ORDER BY metadata->>'control_number'"
    ).to_pylist()
    assert [row["last"] for row in rows][:3] == [label(2), label(3), label(6)]
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
    result = {
        f.members[0].control_number: {m.control_number for m in f.members}
        for f in families(collection, singles=True).families
    }
    assert result == wanted
    by_hash = defaultdict(set)
    for paper in every:
        by_hash[fields_of(paper, every)["MD5HASH"]].add(label(paper.begin))
    by_hash.pop("")
    groups = duplicates(collection, near=False).groups
    assert [{d.control_number for d in g.documents} for g in groups] == [
        group for group in by_hash.values() if len(group) > 1
    ]
    one = families(collection, document=label(8)).families[0]
    assert (one.bates_begin, one.bates_end, one.known_from) == (label(7), label(8), "load file")


def test_drafts_with_few_other_words_are_near_duplicates(library: Library, tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(200)]
    heads = [f"Subject: {' '.join(f'{who}{n}' for n in range(60))}\n\n" for who in ("ann", "bo")]
    texts = {
        "draft.eml": [heads[0], *words],
        "final.eml": [heads[1], *words[:190], "signed", "today"],
        "other.txt": [f"else{n}" for n in range(200)],
        "short.txt": words[:4],
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(" ".join(text), encoding="utf-8")
    collection = library.create("Drafts")
    collection.ingest([tmp_path / name for name in texts])
    (group,) = (result := duplicates(collection)).groups
    assert (group.kind, result.near_count, result.exact_count) == ("near", 1, 0)
    assert {d.document for d in group.documents} == {"draft.eml", "final.eml"}
    assert duplicates(collection, least=1).groups == ()


def test_a_round_trip_is_identical(made: tuple[Collection, Path], tmp_path: Path) -> None:
    collection, path = made
    report = export_production(collection, tmp_path / "out")
    assert not report.notes
    assert files_below(tmp_path / "out") == files_below(path.parents[1])
    assert (report.document_count, report.image_count) == (8, 12)
    assert report.ranges == (f"{label(1)}-{label(12)}",)


def test_a_part_leaves_with_whole_families(made: tuple[Collection, Path], tmp_path: Path) -> None:
    collection, path = made
    report = export_production(collection, tmp_path / "out", documents=[label(3)])
    whole = path.read_bytes().split(b"\r\n")
    part = (tmp_path / "out" / "DATA" / "VOL001.dat").read_bytes().split(b"\r\n")
    assert part == [*whole[:4], b""]
    assert (report.document_count, report.image_count) == (3, 6)
    alone = export_production(collection, tmp_path / "one", documents=[label(3)], families=False)
    assert alone.ranges == (label(3),)
    before = files_below(tmp_path / "out")
    with pytest.raises(UsageError, match=str(tmp_path / "out")):
        export_production(collection, tmp_path / "out")
    with pytest.raises(UsageError, match="VOL9"):
        export_production(collection, tmp_path / "new", production="VOL9")
    assert files_below(tmp_path / "out") == before


def test_loaded_again_nothing_is_read_twice_or_lost(made: tuple[Collection, Path]) -> None:
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


# --- errors of a load file -------------------------------------------------------------------


def checked(tmp_path: Path, *rows: dict[str, str]) -> tuple[dict[str, list[int | None]], str]:
    """Return the lines with errors by kind, and all messages."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    path = tmp_path / "bad.dat"
    path.write_bytes(dat([columns, *([row.get(c, "") for c in columns] for row in rows)]))
    by_name = defaultdict(list)
    troubles = read_production(path).troubles
    for trouble in troubles:
        by_name[trouble.kind].append(trouble.line)
    return dict(by_name), "\n".join(t.text for t in troubles)


def row(begin: str, end: str = "", **more: Any) -> dict[str, str]:
    return {"BEGBATES": begin, "ENDBATES": end or begin, **more}


A, B = {"BEGATTACH": "A01", "ENDATTACH": "A03"}, {"BEGATTACH": "A03", "ENDATTACH": "A04"}


@pytest.mark.parametrize(
    ("rows", "troubles"),
    [
        pytest.param(
            [
                row("ABC0001", "ABC0005"),
                row("ABC0004"),
                row("ABC0006"),
                row("ABC0009", "ABC0008"),
                row("ABC0010", "ABC0012"),
            ],
            {"overlap": [3], "gap": [None], "range": [5]},
            id="gaps and overlaps",
        ),
        pytest.param(
            [row("ABC1", FROM="a"), row("ABC1", FROM="b"), row("", FROM="c")],
            {"range": [2, 3], "control number": [3, 4]},
            id="one number twice, one none",
        ),
        pytest.param(
            [
                {"ID": "X1", "NATIVEPATH": "N\\x1.pdf", "BEGATTACH": "X0", "DATESENT": "soon 3"},
                {"ID": "X2", "NATIVEPATH": "..\\..\\..\\etc\\passwd"},
            ],
            {"columns": [1], "file": [2, 3], "family": [2], "date": [2]},
            id="columns, files and a family missing",
        ),
        pytest.param(
            [row("A01", **A), row("A02", **A), row("A03", **B), row("A04", **B)],
            {"family": [2]},
            id="families that contradict each other",
        ),
    ],
)
def test_what_is_wrong_with_a_production(
    tmp_path: Path, rows: list[dict[str, str]], troubles: dict[str, list[int | None]], messages: Any
) -> None:
    result, message = checked(tmp_path, *rows)
    assert result == troubles
    messages(message)


@pytest.mark.slow
def test_two_documents_with_one_number_are_both_kept(tmp_path: Path) -> None:
    checked(tmp_path, row("ABC1", FROM="a"), row("ABC1", FROM="b"), row("", FROM="c"))
    collection = library(tmp_path).create("Twice")
    assert load_production(collection, tmp_path / "bad.dat").loaded_count == 3
    members = read_production(tmp_path / "bad.dat").members
    assert [m.key for m in members] == ["ABC1", "ABC1 (2)", "line-4"]


@pytest.mark.parametrize(
    "rows",
    [
        [row("A01", "A02", ATTACHRANGE="A01 - A04"), row("A03"), row("A04"), row("A05")],
        [row("A01", "A02"), row("A03", PARENTID="A01"), row("A04", PARENTID="A01"), row("A05")],
        [row("A01", "A02", ATTACHIDS="A03;A04"), row("A03"), row("A04"), row("A05")],
        [row("A01", GROUPID="g"), row("A03", GROUPID="g"), row("A04", GROUPID="g"), row("A05")],
    ],
)
def test_families_are_stated_in_many_ways(tmp_path: Path, rows: list[dict[str, str]]) -> None:
    checked(tmp_path, *rows)
    production = read_production(tmp_path / "bad.dat").members
    assert [m.family for m in production] == ["A01", "A01", "A01", "A05"]
    assert [m.parent for m in production] == [None, "A01", "A01", None]


def test_images_without_a_row_are_documents_too(tmp_path: Path) -> None:
    checked(tmp_path, row("A01", "A02"))
    lines = ("A01,,I\\1.tif,Y,,,2", "A02,,I\\2.tif,,,,", "A09,,I\\9.tif,Y,,,1")
    (tmp_path / "bad.opt").write_bytes("\n".join(lines).encode())
    production = read_production(tmp_path / "bad.dat")
    assert [m.key for m in production.members] == ["A01", "A09"]
    assert any("A09" in t.text and "bad.dat" in t.text for t in production.troubles)
