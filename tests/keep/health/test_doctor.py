"""``doctor`` passes on a sound collection, names every damage, and repairs it without loss.

Each test breaks exactly one thing in a real collection.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lance
import pyarrow as pa
import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.store.checksums import stamped
from casetrack.store.info import read_info, update_info, write_info
from casetrack.store.session import WriteSession, write_session
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.records import Check, HealthReport

    Break = Callable[[Collection], None]

MAIL = (
    b"From: a@b.example\nSubject: Offer\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\n'
    b"The offer is attached.\n--x\nContent-Type: text/plain\n"
    b'Content-Disposition: attachment; filename="price.txt"\n\nIt costs 40.\n--x--\n'
)
NAMES = {"long.txt", "note.txt", "Memo", "offer.eml", "price.txt", "plan.pdf"}


def use(library: Library) -> Library:
    """Return the same data folder opened again, with small models."""
    opened = Library(library.settings)
    opened.encoders = FakeEncoders(  # type: ignore[assignment]
        WordEncoder("ollama", 12, token_width=4, has_sparse=True)
    )
    return opened


def failed(report: HealthReport) -> dict[str, Check]:
    """Return the failed checks except that of the machine's text recognition."""
    return {c.name: c for c in report.checks if not c.ok and c.name != "text recognition"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``files``, and a collection "C" of them in ``data``."""
    base = tmp_path_factory.mktemp("template")
    files = base / "files"
    files.mkdir()
    text = "\n\n".join(
        f"On {n} May 2021 Ann paid {n * 7} EUR for item {n}. " * 8 for n in range(1, 30)
    )
    (files / "long.txt").write_text(text)
    (files / "note.txt").write_text("The ferry leaves at noon.")
    (files / "memo.txt").write_text("The roof leaks over the north room.")
    (files / "offer.eml").write_bytes(MAIL)
    write_pdf(files / "plan.pdf")
    with pytest.MonkeyPatch.context() as patch:  # as `library` has it
        patch.setenv("CASETRACK_MODELS", str(base / "no-models"))
        settings = load_settings(base / "data")
    collection = use(Library(settings)).create("C", profile="ollama")
    rest = [files / n for n in ("long.txt", "note.txt", "offer.eml", "plan.pdf")]
    assert collection.ingest(rest).count("ingested") == 5
    collection.ingest([files / "memo.txt"], document_name="Memo", copy_original=True)
    return base


def write_pdf(path: Path) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=200)
        page.insert_text((40, 60), "The north wing is drawn here,")
        page.insert_text((40, 80), "and the south wing over there.")
        pdf.save(path)


@pytest.fixture
def collection(library: Library, template: Path) -> Collection:
    shutil.copytree(template / "data", library.settings.data_dir)
    return use(library).get("C")


@pytest.mark.slow
def test_all_is_well(collection: Collection) -> None:
    report = collection.admin.doctor()
    assert failed(report) == {}
    expected = {"provenance", "page texts", "search index", "graph", "ledger", "documents"}
    expected |= {"vectors and terms", "line boxes", "copies", "folder", "leftovers", "profile"}
    assert {c.name for c in report.checks} >= expected
    assert (report.repairs, report.unmended) == ((), ())
    boxes = next(c for c in report.checks if c.name == "line boxes")
    assert boxes.detail.startswith("1 ")
    repaired = collection.admin.doctor(repair=True)
    assert repaired.ok
    assert repaired.repairs == ()


def test_deep_reads_everything_again(collection: Collection) -> None:
    seen: list[str] = []
    report = collection.admin.doctor(deep=True, progress=lambda what, *_: seen.append(what))
    assert failed(report) == {}
    details = {c.name: c.detail for c in report.checks}
    assert "6 of 6" in details["read again"]
    assert "vectors made again" in details
    assert seen


# --- breaking things -------------------------------------------------------------------------


def old(path: Path) -> Path:
    """Make a file or folder two hours old."""
    os.utime(path, (time.time() - 7200,) * 2)
    return path


def chunks_of(collection: Collection) -> Any:
    return lance.dataset(collection.folder / "chunks.lance")


def delete_row(collection: Collection) -> None:
    chunk = collection.read.chunks("long.txt")[1].chunk_id
    chunks_of(collection).delete(f"chunk_id = '{chunk}'")


def change_rows(name: str, where: str = "true", **values: str) -> Break:
    """Return a function that sets columns of some rows of a document to SQL expressions."""

    def change(collection: Collection) -> None:
        condition = f"document_name = '{name}' AND {where}"
        assert chunks_of(collection).update(values, where=condition)["num_rows_updated"]

    return change


def change_ledger(**values: str) -> Break:
    def change(collection: Collection) -> None:
        ledger = lance.dataset(collection.folder / "documents.lance")
        ledger.update(values, where="name = 'note.txt'")

    return change


def move_boxes(collection: Collection) -> None:
    dataset = chunks_of(collection)
    rows = dataset.to_table(filter="document_name = 'plan.pdf'").to_pylist()
    for row in rows:
        for box in row["line_boxes"]:
            box["x0"], box["x1"] = box["x0"] + 2000.0, box["x1"] + 2000.0
    dataset.delete("document_name = 'plan.pdf'")
    chunks_of(collection).insert(pa.Table.from_pylist(rows, schema=dataset.schema))


def add_orphans(collection: Collection) -> None:
    dataset = chunks_of(collection)
    rows = dataset.to_table(filter="document_name = 'note.txt'")
    place = rows.schema.get_field_index("revision")
    dead = pa.array(["dead"] * rows.num_rows)
    dataset.insert(rows.set_column(place, rows.schema.field(place), dead))


def lose_mail(collection: Collection) -> None:
    lance.dataset(collection.folder / "documents.lance").delete("name = 'offer.eml'")
    chunks_of(collection).delete("document_name = 'offer.eml'")


def view_file(pattern: str, change: Callable[[Path], object]) -> Break:
    """Return a function that changes one file or folder of the views, the newest."""

    def apply(collection: Collection) -> None:
        result = list((collection.folder / "views").glob(pattern))
        assert result, pattern
        change(max(result, key=lambda path: path.stat().st_mtime_ns))

    return apply


def truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Change the last byte that means something."""
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x55
    path.write_bytes(bytes(data))


def zero_data(collection: Collection) -> None:
    """Fill the greater part of a data file with zeros, so that it cannot be decoded."""
    path = min((collection.folder / "chunks.lance" / "data").glob("*.lance"))
    data = path.read_bytes()
    kept = len(data) // 3
    path.write_bytes(data[:kept] + bytes(len(data) - kept))


def drop_copy(collection: Collection) -> None:
    (copy,) = (collection.folder / "originals").glob("*/memo.txt")
    copy.unlink()


def wrong_copy(collection: Collection) -> None:
    (copy,) = [
        p for p in (collection.folder / "originals").rglob("*") if p.name.startswith("price")
    ]
    copy.write_text("It costs nothing at all.")


def stray_copy(collection: Collection) -> None:
    stray = collection.folder / "originals" / "0000" / "gone.txt"
    stray.parent.mkdir()
    stray.write_text("gone")


def old_temporary(collection: Collection) -> None:
    path = collection.folder / "views" / ".abc.tmp"
    path.write_bytes(b"half")
    old(path)


def other_profile(collection: Collection) -> None:
    info = read_info(collection.folder)
    write_info(collection.folder, replace(info, profile="openai", dimension=99))


BROKEN: dict[str, tuple[Break, str, str]] = {
    "a row is gone": (delete_row, "documents", "long.txt"),
    "a row that is gone leaves a gap": (delete_row, "page texts", "long.txt"),
    "wrong chunk count": (change_ledger(chunk_count="7"), "documents", "1 of 7"),
    "overlapping offsets": (
        change_rows("long.txt", "chunk_index = 1", char_start="char_start - 9"),
        "provenance",
        "long.txt",
    ),
    "another text": (
        change_rows("long.txt", "chunk_index = 1", text="reverse(text)"),
        "page texts",
        "long.txt",
    ),
    "of another document": (
        change_rows("note.txt", document_id="'someone'"),
        "provenance",
        "note.txt",
    ),
    "another source": (change_rows("note.txt", document_path="'x'"), "provenance", "note.txt"),
    "a data file is of zeros": (zero_data, "checksums", ""),
    "a word that fits": (
        change_rows("note.txt", text="replace(text, 'noon', 'dusk')"),
        "checksums",
        "1 of note.txt",
    ),
    "another vector": (
        change_rows("long.txt", "chunk_index = 2", dense="array_reverse(dense)"),
        "checksums",
        "3 of long.txt",
    ),
    "another day of a document": (
        change_ledger(content_created_at="file_modified_at"),
        "checksums",
        "note.txt",
    ),
    "no method": (change_rows("note.txt", extraction_method="''"), "provenance", "note.txt"),
    "a page that is not there": (change_rows("note.txt", page="9"), "provenance", "page 9"),
    "rows out of order": (change_rows("note.txt", chunk_index="4"), "documents", "note.txt"),
    "no vector": (change_rows("note.txt", dense="NULL"), "vectors and terms", "note.txt"),
    "wrong term total": (change_rows("note.txt", term_total="99"), "vectors and terms", "note.txt"),
    "boxes off the page": (move_boxes, "line boxes", "plan.pdf"),
    "rows of nobody": (add_orphans, "leftovers", "1"),
    "an attachment without its mail": (lose_mail, "ledger", "price.txt"),
    "an index file is cut": (view_file("index/*/terms.arrow", truncate), "search index", "part"),
    "an index file is gone": (view_file("index/*/rows.arrow", Path.unlink), "search index", "part"),
    "an index folder is gone": (
        view_file("index/*/dense.bin", lambda p: shutil.rmtree(p.parent)),
        "search index",
        "part",
    ),
    "an index file is changed": (view_file("index/*/dense.bin", flip), "search index", "part"),
    "the list of index parts is torn": (
        view_file("index/manifest.json", truncate),
        "search index",
        "",
    ),
    "a graph file is cut": (
        view_file("graph/segments/*/mentions.arrow", truncate),
        "graph",
        "part",
    ),
    "a table of the graph is cut": (
        view_file("graph/tables/*/entities.arrow", truncate),
        "graph",
        "entities.arrow",
    ),
    "neighbours are cut": (view_file("graph/neighbours.bin", truncate), "graph", "neighbours"),
    "a copy is gone": (drop_copy, "copies", "Memo"),
    "a copy is another": (wrong_copy, "copies", "price.txt"),
    "a copy of nobody": (stray_copy, "copies", "1"),
    "a temporary file": (old_temporary, "leftovers", "1"),
    "another profile is noted": (other_profile, "profile", "openai"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_named_and_mended(collection: Collection, what: str) -> None:
    damage, name, words = BROKEN[what]
    texts = {d: [c.text for c in collection.read.chunks(d)] for d in NAMES}
    ids = {d.name: d.document_id for d in collection.documents()}
    damage(collection)
    fresh = use(Library(collection.workspace.settings)).get("C")
    problem = failed(fresh.admin.doctor())[name]
    assert words in problem.detail
    assert problem.remedy
    mended = fresh.admin.doctor(repair=True)
    assert failed(mended) == {}
    assert mended.repairs
    assert mended.unmended == ()
    assert {d: [c.text for c in fresh.read.chunks(d)] for d in NAMES} == texts
    now = {d.name: d.document_id for d in fresh.documents()}
    assert now == ids or what == "an attachment without its mail"
    best = fresh.search("ferry noon", limit=1).results[0]
    assert best.provenance.document_name == "note.txt"


@pytest.mark.slow
def test_several_things_at_once_and_once_more(collection: Collection) -> None:
    for what in ("a row is gone", "rows of nobody", "a copy of nobody", "wrong term total"):
        BROKEN[what][0](collection)
    report = collection.admin.doctor(repair=True)
    assert failed(report) == {}
    assert len(report.repairs) >= 4
    again = collection.admin.doctor(repair=True)
    assert again.ok
    assert again.repairs == ()


def write_wrongly(collection: Collection, **values: object) -> None:
    """Give a row other values, and the checksums of these: so a program would that has a fault."""
    dataset = chunks_of(collection)
    (row,) = dataset.to_table(filter="document_name = 'note.txt'").to_pylist()
    dataset.delete("document_name = 'note.txt'")
    rows = stamped(pa.Table.from_pylist([row | values], schema=dataset.schema), "chunks")
    chunks_of(collection).insert(rows)


def same_length(collection: Collection) -> None:
    """All that can be seen without the file still fits."""
    write_wrongly(collection, text="The ferry leaves at dusk.")


def other_vector(collection: Collection) -> None:
    other = chunks_of(collection).to_table(filter="document_name = 'plan.pdf'").to_pylist()[0]
    write_wrongly(collection, dense=other["dense"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "name", "words"),
    [
        (same_length, "read again", "note.txt, page 1: the file has another text"),
        (other_vector, "vectors made again", "does not match its text"),
    ],
)
def test_only_a_deep_check_sees_it(
    collection: Collection, damage: Break, name: str, words: str
) -> None:
    damage(collection)
    shutil.rmtree(collection.folder / "views")
    assert failed(collection.admin.doctor()) == {}
    report = collection.admin.doctor(deep=True)
    assert name in failed(report), [(check.name, check.detail) for check in report.checks]
    assert words in failed(report)[name].detail
    mended = collection.admin.doctor(deep=True, repair=True)
    assert failed(mended) == {}
    assert len(mended.repairs) == 1
    assert collection.read.chunks("note.txt")[0].text == "The ferry leaves at noon."


# --- damage that cannot be repaired ----------------------------------------------------------


def forget_earlier(collection: Collection) -> None:
    """Remove all states but the newest, from which a document could come back."""
    for name in ("chunks", "documents"):
        dataset = lance.dataset(collection.folder / f"{name}.lance")
        dataset.cleanup_old_versions(timedelta(microseconds=1), delete_unverified=True)


@pytest.fixture
def own(library: Library, tmp_path: Path) -> Collection:
    """A collection of one file that may be changed."""
    (tmp_path / "own.txt").write_text("A lantern hangs over the door. " * 200)
    collection = use(library).create("Own", profile="ollama")
    assert collection.ingest([tmp_path / "own.txt"]).count("ingested") == 1
    chunks_of(collection).delete("chunk_index = 1")
    forget_earlier(collection)
    return collection


@pytest.mark.slow
def test_a_damaged_document_whose_file_is_gone(own: Collection, tmp_path: Path) -> None:
    left = [c.text for c in own.read.chunks("own.txt")]
    text = (tmp_path / "own.txt").read_text()
    (tmp_path / "own.txt").unlink()
    report = own.admin.doctor(repair=True)
    assert set(failed(report)) == {"documents", "page texts", "source files"}
    (message,) = report.unmended
    assert str(tmp_path / "own.txt") in message
    assert [c.text for c in own.read.chunks("own.txt")] == left
    (tmp_path / "own.txt").write_text("Something else. " * 200)
    (message,) = own.admin.doctor(repair=True).unmended
    assert "casetrack reindex own.txt -c Own" in message
    assert [c.text for c in own.read.chunks("own.txt")] == left
    (tmp_path / "own.txt").write_text(text)
    assert own.admin.doctor(repair=True).ok


def test_closed_collections_keep_their_documents(own: Collection) -> None:
    update_info(own.folder, lambda info: replace(info, status="closed"))
    revision = own.document("own.txt").revision
    old_temporary(own)
    report = own.admin.doctor(repair=True)
    # Invisible damage is repaired as well.
    assert len(report.repairs) == 3
    (text,) = report.unmended
    assert '"Own"' in text
    assert "casetrack collection reopen Own" in text
    assert own.document("own.txt").revision == revision


def test_without_models_no_vector_is_lost(own: Collection) -> None:
    bare = Library(own.workspace.settings).get("Own")
    (text,) = bare.admin.doctor(repair=True).unmended
    assert "casetrack models pull ollama" in text


@pytest.mark.slow
def test_foreign_files_are_named_and_stay(collection: Collection) -> None:
    mine = collection.folder / "my notes.txt"
    mine.write_text("mine")
    report = collection.admin.doctor(repair=True)
    problem = failed(report)["folder"]
    assert "my notes.txt" in problem.detail
    assert problem.remedy
    assert mine.read_text() == "mine"


def test_a_damaged_list_of_excluded_files_is_reported(own: Collection) -> None:
    def folder_ok() -> bool:
        return {c.name: c.ok for c in own.admin.doctor().checks}["folder"]

    own.delete_document(own.documents()[0], exclude=True)
    assert folder_ok()
    (own.folder / "excluded.json").write_text("{}")
    assert not folder_ok()


@pytest.mark.slow
def test_source_files_that_changed_or_went(own: Collection, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("The roof leaks.")
    own.ingest([tmp_path / "b.txt"])
    (tmp_path / "own.txt").write_text("other")
    (tmp_path / "b.txt").unlink()
    problem = failed(own.admin.doctor())["source files"]
    assert all(name in problem.detail for name in ("b.txt", "own.txt"))
    assert "casetrack reindex --reparse" in problem.remedy


def test_a_collection_without_data_reads_its_files_again(collection: Collection) -> None:
    shutil.rmtree(collection.folder / "chunks.lance")
    assert "data" in failed(collection.admin.doctor())
    report = collection.admin.doctor(repair=True)
    assert failed(report) == {}
    assert report.repairs
    assert collection.search("ferry noon", limit=1)[0].provenance.document_name == "note.txt"


# --- stopped programs ------------------------------------------------------------------------


def test_a_stopped_reindex(collection: Collection) -> None:
    stage = collection.folder / "rewrite" / "models"
    stage.mkdir(parents=True)
    (stage / "kept.arrow").write_bytes(b"what models made")
    report = collection.admin.doctor(repair=True)
    assert report.ok
    assert report.repairs == ()
    (actual,) = [c for c in report.checks if c.name == "leftovers"]
    assert "`casetrack reindex`" in actual.detail
    (stage / "kept.arrow").unlink()
    repaired = collection.admin.doctor(repair=True)
    assert len(repaired.repairs) == 1
    assert not (collection.folder / "rewrite").exists()


@pytest.mark.slow
def test_leftovers_of_a_stopped_writer(
    collection: Collection, store_text: Callable[..., object]
) -> None:
    def half_done() -> str:
        session = WriteSession(collection.folder)
        session.begin()
        store_text(session, "half.txt", "Half. " * 500, tools=tools)
        session._finished.clear()
        session.commit()
        check = next(c for c in collection.admin.doctor().checks if c.name == "leftovers")
        return check.detail

    from casetrack.ingest.pipeline import Tools

    tools = Tools(None, None, 12)
    assert half_done() != "none"
    with write_session(collection.folder):
        pass
    check = next(c for c in collection.admin.doctor().checks if c.name == "leftovers")
    assert check.detail == "none"
    assert half_done() != "none"
    report = collection.admin.doctor(repair=True)
    assert len(report.repairs) == 1
    assert report.ok


# --- the data folder -------------------------------------------------------------------------


def test_the_whole_library(collection: Collection) -> None:
    library = use(Library(collection.workspace.settings))
    assert set(failed(library.doctor())) == {"models"}
    assert "casetrack models pull" in failed(library.doctor())["models"].remedy
    home = library.settings.collections_dir
    for name in (".deleted-a", ".new-b"):
        (home / name).mkdir()
        old(home / name)
    (home / ".new-young").mkdir()
    (library.settings.data_dir / "watches.json").write_text('{"watches": [')
    delete_row(collection)
    result = failed(library.doctor())
    assert ".deleted-a" in result["remains"].detail
    assert "long.txt" in result["C: documents"].detail
    report = library.doctor(repair=True)
    assert set(failed(report)) == {"models", "watches.json"}
    text = "\n".join(report.repairs)
    assert all(name in text for name in ("C: ", "long.txt", ".new-b"))
    assert (home / ".new-young").is_dir()


def test_a_folder_that_is_no_collection(library: Library) -> None:
    folder = library.settings.collections_dir / "something"
    folder.mkdir(parents=True)
    (folder / "collection.json").write_text("{")
    assert "collection in something" in failed(library.doctor(repair=True))
    assert (folder / "collection.json").read_text() == "{"


def test_library_with_model(library_with_model: Library) -> None:
    assert library_with_model.doctor().ok


# --- where damaged passages come back from ---------------------------------------------------


def alter(collection: Collection, name: str) -> None:
    change_rows(name, "chunk_index = 0", text="replace(text, 'lantern', 'lamtern')")(collection)


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        ("file", "read own.txt again from its file"),
        ("copy", "read own.txt again from the collection's copy"),
        ("snapshot", 'restored own.txt from the snapshot "before"'),
        ("nothing", None),
    ],
)
def test_a_damaged_passage_comes_back_from_whatever_is_left(
    library: Library, tmp_path: Path, kept: str, text: str | None
) -> None:
    path = tmp_path / "own.txt"
    path.write_text("A lantern hangs over the door. " * 200)
    collection = use(library).create("Own", profile="ollama")
    assert collection.ingest([path], copy_original=kept == "copy").count("ingested") == 1
    texts = [c.text for c in collection.read.chunks("own.txt")]
    known = collection.document("own.txt")
    if kept == "snapshot":
        collection.admin.take_snapshot("before")
    alter(collection, "own.txt")
    if kept != "file":
        path.unlink()
    if kept == "nothing":
        forget_earlier(collection)
    shutil.rmtree(collection.folder / "views")
    fresh = use(library).get("Own")
    report = fresh.admin.doctor(repair=True)
    hits = fresh.search("lantern", mode="keyword", limit=50)
    if text is None:
        assert "checksums" in failed(report)
        (unmended,) = report.unmended
        assert "own.txt: its file is missing" in unmended
        assert {hit.text for hit in hits} <= set(texts[1:])
        assert any("withheld" in note for note in hits.notes)
        return
    assert any(repair.startswith(text) for repair in report.repairs)
    assert failed(report).keys() <= {"source files"}
    assert [c.text for c in fresh.read.chunks("own.txt")] == texts
    now = fresh.document("own.txt")
    assert (now.document_id, now.path, now.name) == (known.document_id, known.path, known.name)
    assert not any("withheld" in note for note in hits.notes)


@pytest.mark.slow
def test_a_damaged_vector_is_not_written_again_as_if_it_were_whole(collection: Collection) -> None:
    def vector() -> list[float]:
        result = collection.workspace.state().snapshot.scan(["dense", "chunk_index", "revision"])
        long = collection.document("long.txt").revision
        return next(
            r["dense"] for r in result.to_pylist() if (r["revision"], r["chunk_index"]) == (long, 2)
        )

    whole = vector()
    change_rows("long.txt", "chunk_index = 2", dense="array_reverse(dense)")(collection)
    collection.workspace.forget()
    assert vector() != whole
    assert failed(collection.admin.doctor(repair=True)) == {}
    assert vector() == pytest.approx(whole, abs=1e-6)
