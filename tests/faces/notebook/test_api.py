"""The Python API for analysts: results as tables, pictures of pages, lists of collections."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import casetrack
from casetrack.api.text.work import ingest_lines
from casetrack.base.errors import ChunkNotFound, PackageMissing, UsageError
from casetrack.base.records import (
    Check,
    CollectionHealth,
    DocumentHealth,
    FileOutcome,
    HealthReport,
    IngestReport,
    Picture,
    Rows,
    Tabular,
)
from casetrack.base.records.sync import SyncChange, SyncReport
from casetrack.graph.opened import graph_of
from casetrack.ingest.outcomes import cancelled_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection

AGREEMENT = "Master Services Agreement.pdf"
AMENDMENT = "Amendment No 1.docx"
HEAVY = ("lance", "lancedb", "duckdb", "pyarrow", "polars", "pymupdf", "numpy", "rich", "IPython")
SEARCH = "termination for convenience"


def outcome(name: str, **facts: Any) -> FileOutcome:
    return FileOutcome(**({"path": f"/files/{name}", "status": "ingested"} | facts))


TABLES: dict[str, tuple[Callable[[Collection], Tabular], set[str]]] = {
    "documents": (lambda c: c.documents(), {"document_id", "name", "page_count", "ingested_at"}),
    "documents_of_type": (lambda c: c.map.documents_of_type("contract"), {"name", "path"}),
    "chunks": (lambda c: c.read.chunks(AGREEMENT), {"text", "citation", "page", "chunk_id"}),
    "browse": (lambda c: c.read.browse(AGREEMENT, 1, 2), {"text", "citation"}),
    "traverse": (
        lambda c: c.read.traverse(c.read.chunks(AGREEMENT)[0].chunk_id),
        {"text", "citation"},
    ),
    "pages": (lambda c: c.read.pages(AGREEMENT), {"document_id", "page", "text", "citation"}),
    "search": (
        lambda c: c.search(SEARCH, document=AMENDMENT),
        {"rank", "score", "citation", "line_start"},
    ),
    "entities": (lambda c: c.map.entities(kind="person"), {"entity_id", "name", "aliases"}),
    "document_entities": (lambda c: c.map.document_entities(AGREEMENT), {"name", "role"}),
    "find_entity": (lambda c: c.map.find_entity("Okafor"), {"name", "text", "citation"}),
    "entity_mentions": (lambda c: c.map.entity_mentions("Okafor"), {"snippet", "page"}),
    "encounters": (lambda c: c.map.encounters(["Okafor", "Zielinski"]), {"score", "citation"}),
    "graph": (lambda c: c.map.graph(), {"source", "target", "weight", "citation"}),
    "timeline": (lambda c: c.map.timeline(limit=10), {"date", "description", "citation"}),
    "amounts": (lambda c: c.map.amounts(kind="money"), {"value", "unit", "text", "citation"}),
    "references": (lambda c: c.map.references(), {"type", "name", "citation_count"}),
    "reference_citations": (
        lambda c: c.map.reference_citations("Master Services Agreement"),
        {"relationship", "citation"},
    ),
    "related_documents": (lambda c: c.map.related_documents(AMENDMENT), {"document", "reasons"}),
    "similar_chunks": (
        lambda c: c.map.similar_chunks(c.search(SEARCH)[0].chunk_id, min_similarity=0.3),
        {"similarity", "citation"},
    ),
    "topics": (lambda c: c.map.topics(), {"label", "terms"}),
    "clusters": (lambda c: c.map.clusters(), {"cluster", "document"}),
    "compare": (lambda c: c.map.compare(AGREEMENT, AMENDMENT, "acceptance"), {"side", "citation"}),
    "changes": (lambda c: c.map.changes(AMENDMENT, AGREEMENT), {"kind", "before", "after"}),
    "index_status": (lambda c: c.admin.index_status(AGREEMENT), {"name", "action", "dense"}),
    "health": (lambda c: c.admin.health(), {"name", "ocr_confidence", "missing"}),
    "snapshots": (lambda c: c.admin.snapshots(), {"number", "created_at"}),
    "ingest": (
        lambda _c: IngestReport((outcome("a.txt"), outcome("b.txt", status="failed")), 1.0),
        {"path", "status", "message"},
    ),
    "sync": (
        lambda c: SyncReport(
            c.name, "/files", True, 1, 0, 1, (SyncChange("new", "/f/a.txt"),), 1.0
        ),
        {"kind", "path"},
    ),
    "doctor": (lambda _c: HealthReport((Check("schema", True, "version 4"),)), {"name", "ok"}),
}


@pytest.mark.parametrize("name", TABLES)
def test_result_is_a_table(demo: Collection, name: str) -> None:
    ask, columns = TABLES[name]
    result = ask(demo)
    table, frame = result.to_arrow(), result.to_polars()
    assert table.num_rows > 0
    assert columns <= set(table.column_names)
    assert frame.shape == table.shape
    assert frame.columns == table.column_names
    page = result._repr_html_()
    assert page
    # Drawings bring their own look for light and dark; tables take on that of the notebook.
    if name not in {"graph", "timeline"}:
        assert "<table" in page
        assert "background" not in page
    assert "object at 0x" not in repr(result)
    assert max(map(len, repr(result).splitlines())) < 700


def test_values_come_through_whole(demo: Collection) -> None:
    documents = demo.documents(sort_by="name")
    frame = documents.to_polars()
    assert frame["name"].to_list() == [d.name for d in documents]
    assert frame.schema["page_count"] == pl.Int64
    assert frame.schema["ingested_at"] == pl.Datetime("us", "UTC")
    assert frame["warnings"].to_list() == [list(d.warnings) for d in documents]
    hits = demo.search(SEARCH, limit=4)
    assert hits.to_polars()["citation"].to_list() == [r.citation for r in hits]
    events = demo.map.timeline(limit=5)
    assert events.to_polars()["citation"].to_list() == [e.quote.citation for e in events.events]


def test_long_table_says_what_it_leaves_out() -> None:
    report = IngestReport(tuple(outcome(f"{i}.txt") for i in range(60)), 2.0)
    assert re.search(r"\b10\b", str(report._repr_html_()).rpartition("</table>")[2])
    assert re.search(r"\b40\b", repr(report).splitlines()[-1])
    assert report.to_polars().height == 60


def test_markup_of_documents_stays_text() -> None:
    report = IngestReport((outcome("<script>alert(1).txt"),), 1.0, notes=("<b>",))
    page = str(report._repr_html_())
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;" in page


def test_result_shows_itself_with_its_page(demo: Collection) -> None:
    drawn: list[str] = []

    def illustrate(chunk_ids: Mapping[str, object]) -> dict[str, Picture]:
        drawn.extend(chunk_ids)
        return {chunk_id: Picture(b"the page", "") for chunk_id in chunk_ids}

    hits = demo.search(SEARCH, limit=3)
    assert hits.illustrate is not None
    best = replace(hits, illustrate=illustrate)[0]
    page = best._repr_html_()
    assert best.citation in page
    assert f"data:image/png;base64,{b64encode(b'the page').decode()}" in page
    assert drawn == [best.chunk_id]
    assert repr(best).startswith(f"1. {best.citation}")
    assert best == hits[0]


@pytest.mark.slow
def test_pages_hold_each_character_once(demo: Collection) -> None:
    pages = demo.read.pages(AGREEMENT)
    assert [p.page for p in pages] == list(range(1, demo.document(AGREEMENT).page_count + 1))
    for page in pages:
        chunks = demo.read.chunks(AGREEMENT, page=page.page)
        assert page.chunk_count == len(chunks)
        for chunk in chunks:
            start, end = chunk.provenance.char_start, chunk.provenance.char_end
            assert page.text[start:end] == chunk.text
        assert page.char_count == max(c.provenance.char_end for c in chunks)
        assert page.provenance.line_end == max(c.provenance.line_end for c in chunks)
        assert page.citation.startswith(f"{AGREEMENT}, p. {page.page}, ")


@pytest.mark.slow
def test_amounts_are_those_of_the_table(demo: Collection) -> None:
    table = pl.from_arrow(graph_of(demo.workspace.state()).table("amounts"))
    assert isinstance(table, pl.DataFrame)
    counted = table.filter(~pl.col("repeated"))
    assert len(demo.map.amounts(limit=10_000)) == counted.height
    pounds = demo.map.amounts(unit="gbp", least=100_000, most=2_000_000, sort_by="value", limit=999)
    wanted = counted.filter(
        (pl.col("unit") == "GBP")
        & (pl.col("high").fill_null(pl.col("value")) >= 100_000)
        & (pl.col("value") <= 2_000_000)
    )
    assert len(pounds) == wanted.height > 0
    values = [a.value for a in pounds]
    assert values == sorted(values, reverse=True)
    assert all(a.quote.text in a.quote.snippet and a.quote.citation for a in pounds)
    inside = demo.map.amounts(document=AGREEMENT, kind="percent")
    assert inside
    assert {(a.quote.provenance.document_name, a.unit) for a in inside} == {(AGREEMENT, "percent")}


def test_amounts_say_what_does_not_fit(demo: Collection) -> None:
    for arguments in ({"kind": "sum"}, {"sort_by": "size"}, {"least": 5, "most": 2}, {"limit": 0}):
        with pytest.raises(UsageError) as caught:
            demo.map.amounts(**arguments)  # type: ignore[arg-type]
        assert any(
            f"{given}" in caught.value.message for given in (*arguments, *arguments.values())
        )


def test_page_pictures(demo: Collection, tmp_path: Path) -> None:
    amount = demo.map.amounts(document=AGREEMENT, kind="percent", limit=1)[0]
    chunk = demo.read.chunk(amount.quote.chunk_id)
    marked = demo.read.page_image(amount)
    assert (marked.document, marked.page) == (AGREEMENT, chunk.provenance.page)
    assert marked.citation == chunk.citation
    assert marked.save(tmp_path / "page.png").read_bytes() == marked.png
    plain = demo.read.page_image(AGREEMENT, page=marked.page)
    assert plain.to_pil().size == marked.to_pil().size
    assert plain.to_pil().tobytes() != marked.to_pil().tobytes(), "nothing is marked"
    png, shown = marked._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert chunk.citation in shown["alt"]
    assert "png=" not in repr(marked)


def test_page_pictures_say_what_they_cannot_show(demo: Collection) -> None:
    with pytest.raises(ChunkNotFound):
        demo.read.page_image("no-such-chunk")
    with pytest.raises(UsageError, match="Document"):
        demo.read.page_image(demo.documents()[0])
    with pytest.raises(UsageError):
        demo.read.page_image(demo.read.chunks(AGREEMENT)[0], page=2)


def test_health_counts_what_the_ledger_says(demo: Collection) -> None:
    health, documents = demo.admin.health(), demo.documents()
    assert sum(health.formats.values()) == len(documents)
    assert health.formats["pdf"] == sum(d.format == "pdf" for d in documents)
    assert health.extraction_methods["Ocr"] == sum(d.extraction_method == "Ocr" for d in documents)
    scanned = [d for d in documents if d.ocr_pages]
    assert scanned
    assert health.ocr_confidence is not None
    lowest, highest = (f(d.ocr_confidence or 0.0 for d in scanned) for f in (min, max))
    assert lowest <= health.ocr_confidence <= highest
    assert health.coverage["dense"] == 1.0
    assert health.as_dict()["document_count"] == len(documents)


def test_health_names_what_to_look_at(messages: Callable[..., None]) -> None:
    usual: dict[str, Any] = {"format": "pdf", "extraction_method": "Ocr", "pages": 2}
    usual |= {"pages_without_text": 0, "ocr_pages": 2, "ocr_engine": "rapid", "missing": ()}
    usual |= {"ocr_confidence": 0.95, "chunks": 3}

    def document(name: str, **facts: Any) -> DocumentHealth:
        return DocumentHealth(name, name, f"/files/{name}", **(usual | facts))

    fine = document("fine.pdf")
    cut = document("cut.pdf", missing=("Pages 3 to 9.",))
    bare = document("bare.pdf", pages_without_text=1)
    faint = document("faint.pdf", ocr_confidence=0.35, ocr_pages=6)
    gaps = {"pages_without_text": 5, "bare_pages": (2, 9, 10, 11, 20)}
    torn = document("torn.pdf", pages=20, **gaps, warnings=("The file was repaired.",))
    health = CollectionHealth("Case", (fine, cut, bare, faint), {"dense": 0.5})
    assert health.partial == (cut,)
    assert health.needs_a_look == (cut, bare, faint)
    assert health.ocr_confidence == pytest.approx((0.95 * 6 + 0.35 * 6) / 12)
    assert (fine.why, cut.why) == ("", "Pages 3 to 9.")
    assert CollectionHealth("Case", (torn,), {}).to_polars()["why"].to_list() == [torn.why]
    messages(f"{health!r}\n{torn.why}")
    page = health._repr_html_()
    assert "fine.pdf" not in page
    assert all(d.why in page for d in health.needs_a_look)


def test_stopped_report_says_so(messages: Callable[..., None]) -> None:
    stopped = IngestReport((outcome("a.txt"),), 1.0, cancelled=True)
    messages(repr(stopped))
    assert repr(stopped).splitlines()[0] in str(stopped._repr_html_())


def test_collections_are_listed_even_damaged_ones(tmp_path: Path, library: Any) -> None:
    home = library.settings.data_dir
    collection = library.create("Acme <1>", tags=["lease"])
    broken = home / "collections" / "0f0e-broken"
    broken.mkdir()
    (broken / "collection.json").write_text("{ no json")
    listed = casetrack.collections(data_dir=home)
    assert [entry.name for entry in listed] == ["Acme <1>", "0f0e-broken"]
    assert (listed[0].id, listed[0].documents, listed[0].problem) == (collection.info.id, 0, "")
    assert listed[0].tags == ("lease",)
    assert (listed[1].status, listed[1].documents) == ("damaged", None)
    assert "casetrack doctor" in listed[1].problem
    assert listed.to_polars()["documents"].to_list() == [0, None]
    assert "Acme &lt;1&gt;" in str(listed._repr_html_())
    assert casetrack.open("Acme <1>", data_dir=home).name == "Acme <1>"


def test_cells_read_well() -> None:
    entries = Rows([Check("a", True, "x" * 300), Check("b", False, "two\nlines")], of=Check)
    text = repr(entries)
    assert "yes" in text
    assert "two lines" in text
    assert "x" * 100 not in text


@pytest.mark.parametrize(
    ("package", "used"),
    [
        ("pandas", lambda c: c.documents().to_pandas()),
        ("polars", lambda c: c.documents().to_polars()),
        pytest.param("lancedb", lambda c: c.read.table(), marks=pytest.mark.needs("lancedb")),
    ],
)
def test_packages_for_tools_of_a_users_own_stay_optional(
    demo: Collection,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    used: Callable[[Collection], Any],
) -> None:
    assert type(used(demo)).__module__.split(".")[0] == package
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: None if n == package else find(n))
    with pytest.raises(PackageMissing, match=package) as caught:
        used(demo)
    assert f"pip install {package}" in caught.value.hint


def test_import_is_light() -> None:
    code = f"import sys, casetrack; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_files_that_a_stop_left_are_counted_and_not_listed() -> None:
    left = tuple(cancelled_outcome(f"{n}.txt") for n in range(40))
    lines = ingest_lines(IngestReport((outcome("a.txt"), *left), 1.0, cancelled=True))
    assert len(lines) < 5
    assert "40 not read" in str(lines)
    assert "skipped" not in str(lines)
