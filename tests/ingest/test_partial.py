"""Files that were read in part: the readable part can be found, and the rest is reported."""

from __future__ import annotations

import functools
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import ParseLimits
from casetrack.faces.cli.main import main
from casetrack.parse.workers.pool import ParsePool
from faces.window.conftest import visitor
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import FileOutcome

COLUMNS = ("dates", "amounts", "citations", "mentions")
HOSTILE = Path(__file__).parents[1] / "parse"


def limited(library: Library, **limits: int) -> Collection:
    """Return the collection under other limits, as after a change of config.toml."""
    settings = replace(library.settings, parse=ParseLimits(**limits))
    return Library(settings).get("Case")


def five_pages(folder: Path) -> Path:
    path = folder / "five.txt"
    path.write_text("\f".join(f"The page number {n} stands here." for n in range(1, 6)), "utf-8")
    return path


def only(collection: Collection, path: Path, *, force: bool = False) -> FileOutcome:
    (outcome,) = collection.ingest([path], force=force).outcomes
    return outcome


class WithNames(FakeEncoders):
    """Models with a tagger."""

    def names(self, _profile: str, /) -> Any:
        return NamesByList(Ann="person")


@pytest.mark.slow
def test_a_partial_document_is_read_again_only_under_other_conditions(
    library: Library, tmp_path: Path
) -> None:
    library.create("Case")
    path = five_pages(tmp_path)
    first = only(limited(library, max_pages=2), path)
    assert (first.status, first.pages) == ("partial", 2)
    assert "max_pages" in first.message
    assert library.get("Case").document("five.txt").missing == (first.message,)
    rows = library.get("Case").sql("SELECT missing FROM documents")
    assert rows["missing"].to_pylist() == [[first.message]]
    again = only(limited(library, max_pages=2), path)
    assert (again.status, again.code, again.document_id) == (
        "skipped",
        "duplicate",
        first.document_id,
    )
    more = only(limited(library, max_pages=4), path)
    assert (more.status, more.updated, more.pages) == ("partial", True, 4)
    whole = only(limited(library), path)
    assert (whole.status, whole.updated, whole.message, whole.pages) == ("ingested", True, "", 5)
    assert whole.document_id == first.document_id
    # A whole document is whole under any conditions.
    assert only(limited(library, max_pages=2), path).code == "duplicate"
    collection = library.get("Case")
    assert collection.document("five.txt").missing == ()
    assert len(collection.documents()) == 1
    assert collection.admin.doctor().ok


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let readers that go wrong read the files."""
    monkeypatch.syspath_prepend(str(HOSTILE))
    readers = functools.partial(ParsePool, readers="hostile_readers:READERS")
    monkeypatch.setattr("casetrack.ingest.batch.ParsePool", readers)


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    ("name", "words"), [("a.late", "second half is missing"), ("a.late_crash", "SIGSEGV")]
)
def test_a_file_that_goes_wrong_half_way_is_partial(
    library: Library, tmp_path: Path, name: str, words: str
) -> None:
    collection = library.create("Case")
    path = tmp_path / name
    path.write_text("3")
    report = collection.ingest([path])
    outcome = report.outcomes[0]
    assert (outcome.status, outcome.pages) == ("partial", 3)
    assert words in outcome.message
    assert collection.document(name).missing == (outcome.message,)
    assert len(collection.search("good", mode="keyword", document=name, fold=False)) == 3
    assert collection.admin.doctor().ok


def boom(*_args: Any, **_more: Any) -> Any:
    raise IndexError("list index out of range")


FAILING = {
    "dates": "casetrack.extract.dates.find_dates",
    "amounts": "casetrack.extract.amounts.find_amounts",
    "citations": "casetrack.extract.references.finder.References.find",
    "names": "fakes.NamesByList.tag",
    "language": "casetrack.ingest.pipeline.catalogue.detect_language",
    "terms": "casetrack.ingest.steps.terms.searchable_terms",
    "embed": "fakes.WordEncoder._encode",
    "document_type": "casetrack.ingest.build.infer_document_type",
    "caption": "casetrack.ingest.assemble.read_caption",
}
"""Extractors and their failing parts."""
PARTS = "_code _Headings _numbers _printed _table_header line_boxes _clipped _confidence _cells"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FAILING)
def test_a_failing_extractor_loses_its_own_values(
    library: Library, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.encoders = WithNames(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    collection = library.create("Case")
    path = tmp_path / "a.txt"
    path.write_text("MEMORANDUM\n\nAnn paid $5,000 to the firm on 3 May 2021, see ISO 9001. " * 3)

    def stored() -> dict[str, Any]:
        snapshot = collection.workspace.state().snapshot
        (row,) = snapshot.scan([*COLUMNS, "terms", "language", "dense"]).to_pylist()
        row["dense"] = row["dense"] is not None
        (document,) = collection.documents()
        return row | {n: getattr(document, n) for n in ("document_type", "caption_reader")}

    with monkeypatch.context() as patch:
        patch.setattr(FAILING[name], boom)
        outcome = only(collection, path)
        assert outcome.status == "partial"
        assert f'"{name}"' in outcome.message
        assert "IndexError" in outcome.message
        assert len(collection.documents()) == 1
        (failure,) = collection.document("a.txt").failures
        assert (failure.extractor, failure.error) == (name, "IndexError")
        assert collection.map.timeline().unread == (name in {"names", "dates"})
        broken = stored()
        # Later updates fail again, and the document stays.
        again = only(collection, path, force=True)
        assert (again.status, again.message) == (outcome.status, outcome.message)
        collection.admin.reindex()
        assert [f'"{name}"' in m for m in collection.document("a.txt").missing] == [True]
        assert stored() == broken
    assert only(collection, path).code == "duplicate"
    collection.admin.reindex(reparse=True)
    whole = stored()
    assert collection.document("a.txt").missing == ()
    (lost,) = [n for n, value in whole.items() if broken[n] != value]
    assert (bool(whole[lost]), bool(broken[lost])) == (True, False)
    assert collection.search("firm", mode="keyword").results


@pytest.mark.parametrize("part", PARTS.split())
def test_a_failing_part_of_the_chunk_step_loses_its_own_column(
    library: Library, tmp_path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = library.create("Case")
    path = tmp_path / "a.md"
    path.write_text("# Rent\n\nAnn paid the rent.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    monkeypatch.setattr(f"casetrack.ingest.steps.chunk.{part}", boom)
    assert only(collection, path).status == "partial"
    (failure,) = collection.document("a.md").failures
    assert (failure.stage, failure.error) == ("chunk", "IndexError")
    assert collection.search("rent", mode="keyword").results
    assert collection.sql("SELECT failures[1].stage AS stage FROM documents")["stage"][0].as_py()


BUILDERS = {
    "entities": "entities.merge.merge",
    "edges_entity": "relations.entities.entity_edges",
    "edges_document": "relations.documents.document_edges",
    "neighbours": "relations.neighbours.build",
    "topics": "topics.build.topics",
    "references": "tables.references",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BUILDERS)
def test_a_failing_builder_of_the_map_stops_no_ingest(
    library: Library,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(f"casetrack.graph.{BUILDERS[name]}", boom)
    collection = library.create("Case")
    (tmp_path / "a.txt").write_text("Ann Moss of Moss Ltd paid $5,000 on 3 May 2021, see ISO 9001.")
    assert only(collection, tmp_path / "a.txt").status == "ingested"
    assert collection.search("paid", mode="keyword").results
    for table in ("entities", "edges", "topics", "references", "mentions", "citations"):
        collection.sql(f"SELECT * FROM {table}")
    result = collection.map.timeline()
    assert (result.unread, bool(result.events)) == ((1, False) if name == "entities" else (0, True))
    assert main(["timeline", "-c", "Case", f"--data-dir={library.settings.data_dir}"]) == 0
    page = visitor(library.settings).get("/c/Case/timeline").text
    for shown in (capsys.readouterr().out, page):
        assert bool(result.gap) == ("could not be read" in " ".join(shown.split()))
    notes = collection.map.statistics().notes
    assert [name in n for n in notes if "IndexError" in n] == [True]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("reader", ["reading.read_document", "identity.read_identities"])
def test_a_document_that_the_map_cannot_read_costs_the_others_nothing(
    library: Library, tmp_path: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module(f"casetrack.graph.{reader.split('.', maxsplit=1)[0]}")
    real = getattr(module, reader.split(".")[1])

    def fails(document: Any, chunks: Any) -> Any:
        return boom() if document.name == "bad.txt" else real(document, chunks)

    monkeypatch.setattr(f"casetrack.graph.{reader}", fails)
    collection = library.create("Case")
    for name in ("bad.txt", "good.txt"):
        (tmp_path / name).write_text(f"Agreement of 3 May 2021 on $5,000, as in {name}.")
    collection.ingest([tmp_path])
    assert ['"bad.txt"' in n for n in collection.map.statistics().notes if ".txt" in n] == [True]
    assert collection.map.timeline().events[0].first == "2021-05-03"
    assert collection.map.related_documents("good.txt") is not None
    assert len(collection.search("agreement").results) == 2
