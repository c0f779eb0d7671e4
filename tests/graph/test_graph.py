"""The graph is a function of the live documents: updates by deltas equal a rebuild."""

from __future__ import annotations

import random
import shutil
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.api.collection import Collection
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import ChunkNotFound
from casetrack.graph import stored_segments
from casetrack.graph.document.facts import ChunkFacts
from casetrack.graph.opened import graph_of
from casetrack.graph.repeats import Lines, lines_of
from casetrack.ingest.pipeline import Tools
from casetrack.store.session import write_session
from casetrack.store.workspace import Workspace
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa


TABLES = (
    *("entities", "mentions", "dates", "amounts"),
    *("references", "citations", "edges", "topics"),
)
ENCODER = WordEncoder("legal", 768)
NAMES = NamesByList(
    Adaeze_Okafor="person",
    Okafor="person",
    Julian_Whitlock="person",
    Whitlock="person",
    Tidewell_Systems_Limited="organization",
    Tidewell="organization",
    Halyard_plc="organization",
    Port_Louis="location",
    Geneva="location",
)
TOOLS = Tools(None, ENCODER, 768, NAMES)
SENTENCES = [
    "Adaeze Okafor of Tidewell Systems Limited wrote to Julian Whitlock on 12 March 2024.",
    "Ms Okafor paid £318,400 to Halyard plc in Geneva.",
    "Tidewell shall deliver the defrost valves within thirty (30) days under Section 8.2.",
    "Whitlock answered on 03/04/2024 that ISO 9001:2015 and EN 378 apply.",
    "The Master Services Agreement dated 12 March 2024 is amended by Amendment No. 1.",
    "Port Louis is where Halyard plc stores the defrost valves; 15.7 % were lost last week.",
    "The loss adjuster saw the defrost valves in the third quarter of 2024.",
    "Nothing was agreed. The meeting ended at noon.",
]


BETWEEN = "between Tidewell Systems Limited and Halyard plc.\n\n"
DATED = "Master Services Agreement dated 12 March 2024"
OPENINGS = [
    "",
    f"MASTER SERVICES AGREEMENT\n\nThis {DATED} is made {BETWEEN}8.2 Valves\n\n",
    f"AMENDMENT NO. 1\n\nThis Amendment No. 1 to the {DATED} is made on 4 May 2024 {BETWEEN}",
    f"Dear Ms Okafor,\n\nwe refer to Section 8.2 of the {DATED} {BETWEEN}",
]
FOOTER = "\n\nSent by Relay Mills GmbH, Geneva, certified to\nISO 27001 since 3 May 2019."


def text_of(seed: int) -> str:
    source = random.Random(seed)
    parts = [source.choice(SENTENCES) for _ in range(source.randint(1, 40))]
    return OPENINGS[seed % len(OPENINGS)] + " ".join(parts) + FOOTER


@pytest.fixture
def library(library: Library) -> Library:
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    return library


def content(collection: Collection) -> dict[str, list[dict[str, object]]]:
    """Return all tables of the graph, in their order."""
    source = graph_of(collection.workspace.state())
    return {name: source.table(name).to_pylist() for name in TABLES}


def opened_anew(collection: Collection) -> Collection:
    known = collection.workspace
    return Collection(Workspace(known.folder, known.settings, known.encoders))


def forget(collection: Collection) -> Collection:
    """Return the collection as another process would open it, without its views."""
    shutil.rmtree(collection.folder / "views", ignore_errors=True)
    return opened_anew(collection)


@pytest.mark.slow
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "add", "change", "delete", "look"]), st.integers(0, 5)),
        min_size=1,
        max_size=8,
    )
)
def test_deltas_equal_a_rebuild(library: Library, store_text, changes) -> None:
    collection = library.create(str(uuid.uuid4()), profile="legal")
    for number, (what, which) in enumerate(changes):
        documents = sorted(collection.documents(), key=lambda d: d.name)
        chosen = documents[which % len(documents)] if documents else None
        if what == "look":
            content(collection)
        elif what == "add" or chosen is None:
            with write_session(collection.folder) as session:
                pages = (text_of(number), text_of(number + 100))
                store_text(session, f"paper v{number % 3}.txt", *pages, tools=TOOLS)
        elif what == "delete":
            collection.delete_document(chosen.document_id)
        else:
            with write_session(collection.folder) as session:
                known = {"document_id": chosen.document_id, "replaces": chosen.revision}
                store_text(session, chosen.name, text_of(number + 7), tools=TOOLS, **known)
    kept_up = content(collection)
    assert content(forget(collection)) == kept_up


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, store_text) -> Path:
    """A data folder with "C": six documents, each taken in and looked at by itself."""
    base = tmp_path_factory.mktemp("template")
    library = Library(replace(load_settings(base / "data"), models_dir=base / "no-models"))
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    collection = library.create("C", profile="legal")
    for number in range(6):
        with write_session(collection.folder) as session:
            store_text(session, f"{number}.txt", text_of(number), text_of(number + 9), tools=TOOLS)
        graph_of(collection.workspace.state()).catch_up()
    return base / "data"


@pytest.fixture
def collection(library: Library, template: Path) -> Collection:
    """A copy of the template's collection."""
    shutil.copytree(template, library.settings.data_dir)
    return library.get("C")


def rows(table: pa.Table) -> Iterator[dict[str, object]]:
    yield from table.to_pylist()


@pytest.mark.slow
def test_everything_points_to_its_words(collection: Collection) -> None:
    source = graph_of(collection.workspace.state())
    texts = {c.chunk_id: c for d in collection.documents() for c in collection.read.chunks(d.name)}
    seen = 0
    for name in ("mentions", "dates", "amounts", "citations"):
        places = [(r["chunk_id"], r["char_start"], r["char_end"]) for r in rows(source.table(name))]
        for row, quote in zip(rows(source.table(name)), source.quotes(places), strict=True):
            chunk = texts[row["chunk_id"]]
            start, end = row["char_start"], row["char_end"]
            assert chunk.text[start:end] == row["text"] == quote.text
            assert quote.snippet[quote.snippet_start :].startswith(quote.text)
            assert quote.snippet in chunk.text
            assert row["document_name"] == chunk.provenance.document_name
            assert (row["page"], row["chunk_index"]) == (
                chunk.provenance.page,
                chunk.provenance.chunk_index,
            )
            seen += 1
    assert seen > 200


def require_counts(collection: Collection) -> None:
    """Every name has its places, and every place its name."""
    counted = collection.sql("""
        SELECT e.entity_id FROM entities e LEFT JOIN (
            SELECT entity_id, count(*) FILTER (NOT repeated) AS places,
                   count(DISTINCT chunk_id) AS chunks, count(DISTINCT document_id) AS documents
            FROM mentions WHERE NOT boilerplate GROUP BY entity_id
        ) m USING (entity_id)
        WHERE (places, chunks, documents) IS DISTINCT FROM
              (mention_count, chunk_count, document_count)
    """)
    assert counted.to_pylist() == []
    orphans = collection.sql("SELECT * FROM mentions ANTI JOIN entities USING (entity_id)")
    assert orphans.num_rows == 0
    twice = collection.sql("SELECT entity_id FROM entities GROUP BY ALL HAVING count(*) > 1")
    assert twice.num_rows == 0


@pytest.mark.slow
def test_counts_are_those_of_the_places(collection: Collection) -> None:
    require_counts(collection)
    # The word is a keyword of SQL, and needs no quotation marks here.
    wrong = collection.sql("""
        SELECT r.reference_id FROM references r JOIN (
            SELECT reference_id, count(*) FILTER (NOT repeated) AS places
            FROM citations WHERE resolved GROUP BY reference_id
        ) c USING (reference_id) WHERE places != citation_count
    """)
    assert wrong.to_pylist() == []


def test_a_footer_of_all_documents_counts_once_and_hides_nothing(collection: Collection) -> None:
    answer = collection.map.find_entity("Relay Mills GmbH", limit=None)
    assert (answer.entity.mention_count, answer.entity.document_count) == (1, 1)
    assert (answer.total, len(answer.documents)) == (12, 6)
    counts = {r.name: r.citation_count for r in collection.map.references()}
    assert counts["ISO 27001"] == 1
    dates = collection.sql("SELECT repeated FROM dates WHERE value = '2019-05-03'").to_pylist()
    assert [d["repeated"] for d in dates] == [False] + [True] * 11


NOTICE = "Licensed by Relay Mills GmbH on the terms of its public licence, without warranty. " * 5


@pytest.mark.parametrize(
    ("documents", "repeated"),
    [
        ([f"Own text {n}.\nRegards\n{FOOTER}" for n in range(6)], True),
        ([f"Own text {n}.\nRegards\n{FOOTER}" for n in range(4)], False),
        ([f"Own text {n}.\nDear all" for n in range(6)], False),
        ([f"{NOTICE}\n\nOwn text {n}." for n in range(6)], True),
        ([f"Relay Mills GmbH, Geneva\n\nOwn text {n}." for n in range(6)], False),
        ([f"{NOTICE * 9}\n\nChanged {n}.\n\n{NOTICE}{FOOTER}" for n in range(6)], False),
        ([NOTICE + FOOTER] * 6, False),
    ],
)
def test_what_many_documents_repeat(documents: list[str], repeated: bool) -> None:
    rows = [
        (number, number, *line)
        for number, text in enumerate(documents)
        for _, *line in lines_of([ChunkFacts("", 0, 1, 0, len(text), text, (), (), (), (), ())])
    ]
    found = Lines(*np.array(rows, np.int64).T).boilerplate()
    assert (len(found.digest) > 0) == repeated


@pytest.mark.slow
def test_edges_have_ends_and_evidence(collection: Collection) -> None:
    edges = list(rows(graph_of(collection.workspace.state()).table("edges")))
    assert {e["type"] for e in edges} >= {"co_occurrence", "shared_entities"}
    chunks = {c.chunk_id for d in collection.documents() for c in collection.read.chunks(d.name)}
    known = {
        "entity": {e.entity_id for e in collection.map.entities(limit=500)},
        "document": {d.document_id for d in collection.documents()},
        "chunk": chunks,
    }
    for edge in edges:
        assert edge["source_id"] in known[edge["source_kind"]]
        assert edge["target_id"] in known[edge["target_kind"]]
        assert 0.0 <= edge["weight"] <= 1.0
        assert len(edge["evidence"]) <= 5
        assert set(edge["evidence"]) <= chunks
        if not edge["directed"]:
            assert edge["source_id"] < edge["target_id"]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["tables", "segments", "neighbours.bin"])
def test_damaged_files_are_rebuilt(collection: Collection, part: str) -> None:
    before = content(collection)
    home = collection.folder / "views" / "graph"
    path = home / part
    for file in [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]:
        file.write_bytes(file.read_bytes()[:40] + b"?" * 40)
    again = opened_anew(collection)
    assert content(again) == before


@pytest.mark.slow
def test_small_segments_are_laid_together(collection: Collection, store_text, monkeypatch) -> None:
    for number in range(10, 18):
        with write_session(collection.folder) as session:
            store_text(session, f"{number}.txt", text_of(number), tools=TOOLS)
        graph_of(collection.workspace.state()).catch_up()
    home = collection.folder / "views" / "graph" / "segments"
    manifest = (home / "manifest.json").read_text()
    assert 1 <= manifest.count("-") <= 9
    kept_up = content(collection)
    monkeypatch.setattr(stored_segments, "LARGEST", 6)
    monkeypatch.setattr(stored_segments, "_READ_TOGETHER", 3)
    assert content(forget(collection)) == kept_up


@pytest.mark.slow
def test_an_empty_collection_has_an_empty_graph(library: Library) -> None:
    collection = library.create("empty")
    assert all(each == [] for each in content(collection).values())
    assert collection.map.entities() == ()
    assert collection.map.timeline().events == ()
    assert collection.map.clusters().clusters == ()
    assert collection.map.summary().statistics.document_count == 0
    assert collection.map.graph().nodes == ()


def test_a_chunk_that_is_not_there(collection: Collection) -> None:
    with pytest.raises(ChunkNotFound):
        graph_of(collection.workspace.state()).quotes([("no such chunk", 0, 1)])


def test_what_was_never_looked_for_is_told(
    library: Library, store_text, messages: Callable[[str], None]
) -> None:
    collection = library.create("plain")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", text_of(1))
    notes = collection.map.statistics().notes
    messages("\n".join(notes))
    assert collection.map.statistics().entity_counts["date"] > 0
