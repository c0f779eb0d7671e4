"""No file below the data folder contains a word of deleted text."""

from __future__ import annotations

import zipfile
from email.message import EmailMessage
from typing import TYPE_CHECKING

import lance
import pyarrow as pa
import pytest
from lance.file import LanceFileReader

from casetrack.base.jobs import JobStore
from casetrack.graph.opened import graph_of
from casetrack.ingest.pipeline import Tools
from casetrack.ingest.steps.words import index_terms
from casetrack.keep.upkeep import needs_upkeep
from casetrack.store.datasets import CHUNKS
from casetrack.store.index.arrays import content
from casetrack.store.rewrite import Stage
from casetrack.store.session import write_session
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import Document

    Store = Callable[..., Document]

ENCODER = WordEncoder("legal", 768)
TOOLS = Tools(None, ENCODER, 768, NamesByList(Zyndrelka_Vorphant="person", Ada_Bell="person"))
KEPT = "Ada Bell keeps this. The lease of the warehouse ends on 1 May 2024 for EUR 100. "
SECRET = (
    "The word quizzlefrax stands here. Zyndrelka Vorphant paid EUR 918,273,645 on "
    "17 March 2091 under ISO 77441. "
)
MARKERS = {
    "text": "quizzlefrax",
    "person": "vorphant",
    "amount": "918,273,645",
    "amount as a number": "918273645",
    "date": "17 march 2091",
    "date as a value": "2091-03-17",
    "reference": "iso 77441",
    "file name": "plimfor",
}


# --- looking at every file -------------------------------------------------------------------


def contents(data_dir: Path) -> dict[Path, str]:
    """Return the content of every file in all readable forms, in lower case."""
    return {p: _content(p).lower() for p in sorted(data_dir.rglob("*")) if p.is_file()}


def _content(path: Path) -> str:
    raw = path.read_bytes()
    parts = [str(path), raw.decode("utf-8", "ignore")]
    # A word in UTF-16 may begin at either byte.
    parts += [raw[start:].decode("utf-16-le", "ignore") for start in (0, 1)]
    if path.suffix == ".lance":
        # The file itself, not a version of it: it also contains deleted rows.
        parts.append(_table(LanceFileReader(str(path)).read_all().to_table()))
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path)) as file:
            source = content(path) if "views" in path.parts else file
            parts.append(_table(pa.ipc.open_file(source).read_all()))
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            parts += [archive.read(name).decode("utf-8", "ignore") for name in archive.namelist()]
    return "\n".join(parts)


def _table(table: pa.Table) -> str:
    wanted = [f.name for f in table.schema if not pa.types.is_fixed_size_list(f.type)]
    return str(table.select(wanted).to_pylist())


def found(data_dir: Path, markers: dict[str, str]) -> dict[str, list[str]]:
    """Return for each marker, or the index term of it, the files that hold it."""
    files = contents(data_dir)
    # The index contains stems; single words of several may remain anywhere.
    stems = {word: index_terms(word) for word in markers.values()}
    forms = {
        kind: {word, *(stems[word] if len(stems[word]) == 1 else ())}
        for kind, word in markers.items()
    }
    return {
        kind: [
            str(path.relative_to(data_dir))
            for path, text in files.items()
            if any(form in text for form in words)
        ]
        for kind, words in forms.items()
    }


def nothing(markers: dict[str, str]) -> dict[str, list[str]]:
    return {kind: [] for kind in markers}


# --- deletions -------------------------------------------------------------------------------


@pytest.fixture
def library(library: Library) -> Library:
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    return library


@pytest.fixture
def collection(library: Library, store_text: Store) -> Collection:
    """Documents in one large fragment and one segment, one of them with all markers."""
    made = library.create("Case", profile="legal")
    with write_session(made.folder) as session:
        for number in range(3):
            store_text(session, f"kept-{number}.txt", KEPT * 3, tools=TOOLS)
        store_text(session, "Plimfor lease.txt", SECRET * 3, tools=TOOLS)
        for number in range(3, 5):
            store_text(session, f"kept-{number}.txt", KEPT * 3, tools=TOOLS)
    made.workspace.catch_up()
    graph = graph_of(made.workspace.state())
    for name in ("mentions", "dates", "amounts", "citations", "edges", "topics"):
        graph.table(name)
    return made


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the grace period of readers of earlier states."""
    monkeypatch.setattr("casetrack.store.upkeep.KEEP_SECONDS", 0.0)
    monkeypatch.setattr("casetrack.keep.upkeep.KEEP_SECONDS", 0.0)
    monkeypatch.setattr("casetrack.store.index.segment_files.GRACE_SECONDS", 0.0)


def data_dir(collection: Collection) -> Path:
    return collection.workspace.settings.data_dir


def check_kept(collection: Collection) -> None:
    assert len(collection.documents()) == 5
    assert collection.search("warehouse lease", mode="keyword", limit=5)
    assert not collection.search("quizzlefrax", mode="keyword")
    assert {e.name for e in collection.map.entities(kind="person")} == {"Ada Bell"}


@pytest.mark.slow
def test_upkeep_takes_it_out_once_nobody_reads_it(collection: Collection, no_grace: None) -> None:
    stray = collection.folder / "originals" / "nobody" / "Plimfor lease.txt"
    stray.parent.mkdir(parents=True)
    stray.write_text("quizzlefrax", encoding="utf-8")
    collection.delete_document("Plimfor lease.txt")
    assert found(data_dir(collection), MARKERS)["text"]
    assert needs_upkeep(collection.workspace)
    report = collection.admin.upkeep()
    assert report is not None
    assert report.deleted_rows >= 2
    assert found(data_dir(collection), MARKERS) == nothing(MARKERS)
    check_kept(collection)


@pytest.mark.slow
def test_a_secure_deletion_takes_it_out_at_once(collection: Collection) -> None:
    places = found(data_dir(collection), MARKERS)
    assert all(places.values()), places
    assert any("views/graph" in path for path in places["person"])
    collection.delete_document("Plimfor lease.txt", secure=True)
    assert found(data_dir(collection), MARKERS) == nothing(MARKERS)
    check_kept(collection)


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True])
def test_the_old_text_of_a_changed_document_goes_too(
    collection: Collection, store_text: Store, no_grace: None, *, secure: bool
) -> None:
    old = collection.document("Plimfor lease.txt")
    same = {"document_id": old.document_id, "replaces": old.revision}
    with write_session(collection.folder) as session:
        store_text(session, "kept-5.txt", KEPT, tools=TOOLS, **same)
    graph_of(collection.workspace.state()).catch_up()
    collection.admin.upkeep(secure=secure)
    markers = {kind: word for kind, word in MARKERS.items() if kind != "file name"}
    assert found(data_dir(collection), markers) == nothing(markers)
    assert len(collection.documents()) == 6


def test_secure_removes_snapshots_and_names_them(collection: Collection) -> None:
    collection.admin.take_snapshot("Before")
    collection.delete_document("Plimfor lease.txt")
    collection.admin.upkeep()
    assert found(data_dir(collection), MARKERS)["text"], "a named snapshot keeps what it holds"
    report = collection.admin.upkeep(secure=True)
    assert report is not None
    assert any('"Before"' in what for what in report.removed)
    assert found(data_dir(collection), MARKERS) == nothing(MARKERS)
    assert lance.dataset(collection.folder / CHUNKS).tags.list() == {}


def test_backups_and_remembered_folders_go_with_secure(collection: Collection) -> None:
    backup, cache = collection.folder / "backup" / "v3", collection.folder / "sync"
    for home, name in ((backup, "collection.json"), (cache, "a.json")):
        home.mkdir(parents=True)
        (home / name).write_text('{"plimfor lease.txt": "quizzlefrax"}', encoding="utf-8")
    report = collection.admin.upkeep()
    assert report is not None
    assert backup.is_dir()
    jobs = JobStore(data_dir(collection))
    with jobs.run("ingest", title="Reading quizzlefrax", collection=collection.info):
        pass
    with jobs.run("upkeep", title="Still at work", collection=collection.info) as job:
        report = collection.admin.upkeep(secure=True)
        assert [each.id for each in jobs.list()] == [job.id]
    assert report is not None
    assert len(report.removed) == 1
    assert "3" in report.removed[0]
    assert not backup.exists()
    assert not cache.exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("secure", [False, True])
def test_a_stopped_reindex_keeps_nothing_of_what_is_gone(
    collection: Collection, *, secure: bool
) -> None:
    from casetrack.ingest.staleness import keyed
    from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS

    pairs = keyed(collection.workspace.state().snapshot.scan(CONTEXT_COLUMNS))
    gone = {key for key, text in pairs if "quizzlefrax" in text.whole}
    keys = sorted({key for key, _ in pairs})
    assert 0 < len(gone) < len(keys)
    made = ("dense", "tokens", "mentions")
    stage = Stage(collection.folder, "models", made, 768)
    columns: dict[str, list[object]] = {name: [None] * len(keys) for name in made}
    stage.add(columns, keys)
    del stage  # stopped
    collection.delete_document("Plimfor lease.txt")
    report = collection.admin.upkeep(secure=secure)
    assert report is not None
    assert report.removed
    left = Stage(collection.folder, "models", made, 768)
    assert {key for key in keys if key in left} == set(keys) - gone


@pytest.mark.slow
def test_attachments_go_with_their_mail(library: Library, tmp_path: Path) -> None:
    made = library.create("Mail", profile="legal")
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ada@example.org", "Grombulex"
    mail.set_content("See what is attached: quizzlefrax.")
    mail.add_attachment(b"Inside stands fizzwhack.", "text", "plain", filename="Snorfel.txt")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "drubmail.eml").write_bytes(bytes(mail))
    (tmp_path / "in" / "kept.txt").write_text(KEPT, encoding="utf-8")
    made.ingest([tmp_path / "in"])
    markers = {
        "subject": "grombulex",
        "text": "quizzlefrax",
        "attached text": "fizzwhack",
        "attached name": "snorfel",
        "name": "drubmail.eml",
    }
    home = data_dir(made)
    before = found(home, markers)
    assert all(before.values()), before
    assert any("originals" in path for path in before["attached text"])
    made.delete_document("drubmail.eml", secure=True)
    assert found(home, markers) == nothing(markers)
    assert [d.name for d in made.documents()] == ["kept.txt"]
