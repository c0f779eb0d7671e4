"""A reindex rebuilds vectors and terms without loss and without mixing models."""

from __future__ import annotations

import json
import shutil
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lance
import numpy as np
import pytest

from casetrack.api.collection.admin import first_time_seconds
from casetrack.api.library import Library
from casetrack.base import errors
from casetrack.base.config import load_settings
from casetrack.ingest import reindex as module
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, ContextText, EmbedStep, SharedPass
from casetrack.store import rewrite
from casetrack.store.info import read_info, update_info
from casetrack.store.session import leftovers, write_session
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

# Profiles of services settle the length of their vectors themselves, so any will do.
SHORT = ("openai", 8)
LONG = ("ollama", 12)
TEXTS = {
    "lease.txt": "The tenant pays the rent on the third day.\n\nThe roof is the landlord's care.",
    "note.txt": "The ferry leaves at noon.",
    "long.txt": "\n\n".join(f"Paragraph {n} is about matter {n * 7}. " * 12 for n in range(20)),
}
MAIL = (
    b"From: a@b.example\nSubject: Offer\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\n'
    b"The offer is attached.\n--x\nContent-Type: text/plain\n"
    b'Content-Disposition: attachment; filename="price.txt"\n\nIt costs 40.\n--x--\n'
)


def short() -> WordEncoder:
    return WordEncoder(*SHORT, token_width=None)


def long() -> WordEncoder:
    return WordEncoder(*LONG, token_width=4, has_sparse=True)


def use(library: Library, *encoders: WordEncoder) -> Library:
    """Return the same data folder opened again, with these models."""
    opened = Library(library.settings)
    opened.encoders = FakeEncoders(*encoders)  # type: ignore[assignment]
    return opened


def write_files(folder: Path) -> Path:
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``files`` and, in ``data``, a collection "C" with short vectors of them."""
    base = tmp_path_factory.mktemp("template")
    opened = use(Library(load_settings(base / "data")), short())
    report = opened.create("C", profile="openai").ingest([write_files(base / "files")])
    assert report.count("ingested") == len(TEXTS)
    return base


@pytest.fixture
def files(template: Path) -> Path:
    """The files that the collection "C" was made from; not to be changed."""
    return template / "files"


@pytest.fixture
def old(library: Library, template: Path) -> Library:
    """A library with the collection "C" of the profile with short vectors."""
    shutil.copytree(template / "data", library.settings.data_dir)
    return use(library, short(), long())


def check(collection: Collection, encoder: WordEncoder, names: set[str] | None = None) -> None:
    """Check that every stored row equals the output of the models, and can be found."""
    state = collection.workspace.state()
    snapshot, index = state.snapshot, state.index
    info = collection.info
    assert (info.profile, info.dimension) == (encoder.name, encoder.dimension)
    assert (snapshot.profile, snapshot.dimension) == (encoder.name, encoder.dimension)
    assert {d.name for d in snapshot.documents.values()} == (names or set(TEXTS))
    columns = ["dense", "tokens", "sparse_terms", "sparse_weights", "embedders", "embedded_at"]
    rows = snapshot.scan([*CONTEXT_COLUMNS, "terms", *columns]).to_pylist()
    assert len(rows) == sum(d.chunk_count for d in snapshot.documents.values())
    for row in rows:
        shared = SharedPass((EmbedStep(encoder, encoder.dimension),), encoder.dimension)
        (made,) = shared.read([ContextText.of(row)])
        assert row["dense"] == pytest.approx(np.asarray(made["dense"]).tolist())
        assert row["tokens"] == made["tokens"]
        assert (row["tokens"] is None) is (encoder.token_width is None)
        for name in ("sparse_terms", "sparse_weights"):
            expected = made[name]
            assert (row[name] is None) is (expected is None) is not encoder.has_sparse
            assert expected is None or row[name] == pytest.approx(expected.tolist())
        assert row["embedders"] == [encoder.fingerprint]
        assert row["embedded_at"] is not None
        assert row["terms"]
    assert index.chunk_count == index.embedded_count == len(rows)
    best = collection.search("ferry noon", limit=1)
    assert best.results[0].provenance.document_name == "note.txt"
    semantic = collection.search("The ferry leaves at noon.", limit=1, mode="semantic")
    assert semantic.results[0].provenance.document_name == "note.txt"
    failed = [c for c in collection.admin.doctor().checks if not c.ok and c.name != "source files"]
    assert failed == []


@pytest.mark.slow
def test_another_profile(old: Library, files: Path) -> None:
    collection = old.get("C")
    before = {c.chunk_id for d in TEXTS for c in collection.read.chunks(d)}
    seen: list[tuple[str, int, int]] = []
    report = collection.admin.reindex("ollama", progress=lambda *moment: seen.append(moment))
    assert (report.profile, report.previous_profile, report.dimension) == ("ollama", "openai", 12)
    assert report.chunks == report.embedded == len(before)
    check(collection, long())
    assert {c.chunk_id for d in TEXTS for c in collection.read.chunks(d)} == before
    assert {what for what, _, _ in seen} == {"embedding", "storing"}
    assert all(0 <= done <= total == len(before) for _, done, total in seen)
    assert not rewrite.is_unfinished(collection.folder)
    assert lance.dataset(collection.folder / "chunks.lance").count_rows() == len(before)
    # A document read by the present program is not read again.
    again = collection.ingest([files])
    assert {o.code for o in again.outcomes} == {"duplicate"}
    idle = collection.admin.reindex()
    assert (idle.documents, idle.embedded, idle.other_documents) == (0, 0, len(TEXTS))


def lantern(folder: Path) -> Path:
    path = folder / "new.txt"
    path.write_text("A lantern hangs over the door.", encoding="utf-8")
    return path


@pytest.mark.slow
def test_only_what_is_stale(old: Library, files: Path, tmp_path: Path) -> None:
    without = use(old).get("C")
    new = lantern(tmp_path)
    assert without.ingest([new]).count("ingested") == 1
    model = short()
    collection = use(old, model).get("C")
    revisions = {d.name: d.revision for d in collection.documents()}
    report = collection.admin.reindex()
    assert (report.documents, report.chunks, report.embedded) == (1, 1, 1)
    assert [text for text in model.seen if "lantern" in text] == model.seen
    changed = {d.name for d in collection.documents() if d.revision != revisions[d.name]}
    assert changed == {"new.txt"}
    check(collection, short(), {*TEXTS, "new.txt"})
    again = collection.ingest([files, new])
    assert {o.code for o in again.outcomes} == {"duplicate"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "newer",
    [
        pytest.param(WordEncoder(*SHORT, token_width=4), id="token matrices"),
        pytest.param(WordEncoder("openai", 20, token_width=None), id="another length"),
        # The rows differ only in their models.
        pytest.param(WordEncoder("standard", SHORT[1], token_width=None), id="another profile"),
    ],
)
def test_other_models(old: Library, newer: WordEncoder) -> None:
    collection = use(old, newer).get("C")
    report = collection.admin.reindex(newer.name)
    assert (report.documents, report.dimension) == (len(TEXTS), newer.dimension)
    check(collection, newer)


def test_an_empty_collection(library: Library) -> None:
    collection = use(library, short(), long()).create("E", profile="openai")
    report = collection.admin.reindex("ollama")
    assert (report.documents, report.chunks, report.profile) == (0, 0, "ollama")
    assert (collection.info.profile, collection.info.dimension) == ("ollama", 12)
    assert collection.workspace.state().snapshot.dimension == 12


@pytest.mark.slow
def test_a_document_that_an_earlier_program_read(old: Library, files: Path) -> None:
    """Its terms and vectors become the present ones; its file is still to be read again."""
    collection = old.get("C")
    with write_session(collection.folder) as session:
        for document in collection.documents():
            session.finish(replace(document, pipeline_fingerprint="0" * 16))
    assert collection.admin.reindex().documents == len(TEXTS)
    check(collection, short())
    assert collection.admin.reindex().documents == 0
    again = collection.ingest([files])
    assert [o.updated for o in again.outcomes] == [True] * len(TEXTS)
    assert collection.admin.reindex().documents == 0


@pytest.mark.slow
def test_files_are_read_again(library: Library, tmp_path: Path) -> None:
    files = write_files(tmp_path / "own files")
    collection = use(library, short(), long()).create("C", profile="openai")
    collection.ingest([files])
    (files / "lease.txt").write_text("The rent is lower now.", encoding="utf-8")
    (files / "note.txt").unlink()
    report = collection.admin.reindex("ollama", reparse=True)
    assert report.missing_files == (str(files / "note.txt"),)
    assert report.files is not None
    assert {Path(o.path).name: o.updated for o in report.files.outcomes} == {
        "lease.txt": True,
        "long.txt": False,
    }
    check(collection, long())
    assert collection.read.chunks("lease.txt")[0].text == "The rent is lower now."
    assert collection.read.chunks("note.txt")[0].text == TEXTS["note.txt"]
    assert json.dumps(report.as_dict())


@pytest.mark.slow
def test_reading_again_keeps_names_and_copies(library: Library, files: Path) -> None:
    collection = use(library, short()).create("C", profile="openai")
    collection.ingest([files / "note.txt"], document_name="Timetable", copy_original=True)
    report = collection.admin.reindex(reparse=True, force=True)
    assert report.files is not None
    assert report.files.count("ingested") == 1
    (document,) = collection.documents()
    assert document.name == "Timetable"
    assert document.original_copy is not None
    assert (collection.folder / document.original_copy).is_file()


def own_files(library: Library, folder: Path, *encoders: WordEncoder) -> Collection:
    """Return a collection of files that may be changed."""
    write_files(folder)
    collection = use(library, *(encoders or (short(),))).create("Own", profile="openai")
    assert collection.ingest([folder]).count("ingested") == len(TEXTS)
    return collection


def revisions(collection: Collection) -> dict[str, str]:
    return {d.name: d.revision for d in collection.documents()}


@pytest.mark.slow
def test_one_document(library: Library, tmp_path: Path) -> None:
    model = short()
    collection = own_files(library, tmp_path / "own", model)
    before, seen = revisions(collection), len(model.seen)
    report = collection.admin.reindex_document("lease.txt")
    assert report.did_nothing
    assert (revisions(collection), len(model.seen)) == (before, seen)
    # Kept chunks, new vectors.
    kept = {c.chunk_id for c in collection.read.chunks("long.txt")}
    report = collection.admin.reindex_document("long.txt", force=True, reparse=False)
    assert (report.document, report.documents, report.files) == ("long.txt", 1, None)
    assert report.embedded == report.chunks == len(kept)
    assert {c.chunk_id for c in collection.read.chunks("long.txt")} == kept
    after = revisions(collection)
    assert {n for n in after if after[n] != before[n]} == {"long.txt"}
    # The file has changed: only reading it again takes that in.
    (tmp_path / "own" / "lease.txt").write_text("The rent is lower now.", encoding="utf-8")
    stays = collection.admin.reindex_document("lease.txt", reparse=False)
    assert (stays.documents, len(stays.notes)) == (0, 1)
    read = collection.admin.reindex_document("lease.txt")
    assert read.files is not None
    assert [o.updated for o in read.files.outcomes] == [True]
    assert collection.read.chunks("lease.txt")[0].text == "The rent is lower now."
    forced = collection.admin.reindex_document("note.txt", force=True)
    assert forced.files is not None
    assert forced.files.count("ingested") == 1
    assert not (collection.folder / "rewrite").exists()
    check(collection, model)


@pytest.mark.slow
def test_one_document_without_its_file(library: Library, tmp_path: Path) -> None:
    collection = own_files(library, tmp_path / "own")
    (tmp_path / "own" / "note.txt").unlink()
    (tmp_path / "own" / "lease.txt").write_bytes(b"")
    before = revisions(collection)
    gone = collection.admin.reindex_document("note.txt")
    assert (gone.documents, gone.missing_files) == (0, (str(tmp_path / "own" / "note.txt"),))
    assert not gone.did_nothing
    assert revisions(collection) == before
    for name in ("note.txt", "lease.txt"):
        forced = collection.admin.reindex_document(name, force=True)
        assert forced.documents == forced.chunks == 1
        assert collection.read.chunks(name)[0].text == TEXTS[name]
    check(collection, short())


@pytest.mark.slow
def test_one_attachment_comes_with_its_mail(library: Library, tmp_path: Path) -> None:
    mail = tmp_path / "offer.eml"
    mail.write_bytes(MAIL)
    collection = use(library, short()).create("C", profile="openai")
    collection.ingest([mail])
    assert collection.admin.reindex(reparse=True, force=True).missing_files == ()
    mail.write_bytes(MAIL.replace(b"costs 40", b"costs 50"))
    report = collection.admin.reindex_document("price.txt")
    assert '"offer.eml"' in report.notes[0]
    assert collection.read.chunks("price.txt")[0].text == "It costs 50."
    assert {d.name for d in collection.documents()} == {"offer.eml", "price.txt"}


def test_one_document_while_a_profile_is_changed(old: Library) -> None:
    """Results of a stopped run over all documents stay; one document gets the old models."""
    collection, stop = old.get("C"), threading.Event()
    collection.admin.reindex("ollama", cancel=stop, progress=lambda *_: stop.set())
    kept = len(list((collection.folder / "rewrite").rglob("*.arrow")))
    report = collection.admin.reindex_document("note.txt", force=True, reparse=False)
    assert report.documents == 1
    assert len(list((collection.folder / "rewrite").rglob("*.arrow"))) == kept
    assert rewrite.is_unfinished(collection.folder)
    check(collection, short())
    other = use(old, WordEncoder("openai", 20, token_width=None)).get("C")
    with pytest.raises(errors.UsageError) as refused:
        other.admin.reindex_document("note.txt", reparse=False)
    assert "casetrack reindex -c C" in refused.value.hint


@pytest.mark.slow
def test_reading_again_reads_what_lacks_an_output(library: Library, tmp_path: Path) -> None:
    """The ledger does not show it: only the rows do."""
    collection = own_files(library, tmp_path / "own")
    chunks = lance.dataset(collection.folder / "chunks.lance")
    chunks.update({"dense": "NULL"}, where="document_name = 'note.txt'")
    report = collection.admin.reindex(reparse=True)
    assert report.files is not None
    assert [o.document_name for o in report.files.outcomes if o.updated] == ["note.txt"]
    check(collection, short())


def test_how_long_it_may_take(old: Library) -> None:
    collection = old.get("C")
    assert first_time_seconds(collection.documents()) is None
    documents = collection.documents()
    now = documents[0].updated_at
    moments = [now, now + timedelta(seconds=10), now + timedelta(days=1)]
    timed = [
        replace(d, updated_at=moment, chunk_count=count)
        for d, moment, count in zip(documents, moments, (100, 50, 50), strict=True)
    ]
    # 100 chunks took 10 s; over night nothing was done.
    assert first_time_seconds(timed) == pytest.approx(20.0)


def test_closed_collections_are_refused_before_models_start(old: Library) -> None:
    collection = use(old).get("C")  # there are no models, and the user is not asked for them
    update_info(collection.folder, lambda info: replace(info, status="closed"))
    for work in (collection.admin.reindex, lambda: collection.admin.reindex_document("note.txt")):
        with pytest.raises(errors.CollectionReadOnly, match="closed"):
            work()


def test_what_cannot_be_used_changes_nothing(old: Library) -> None:
    model = short()
    collection = use(old, model).get("C")
    before = lance.dataset(collection.folder / "chunks.lance").version
    for reparse in (False, True):
        with pytest.raises(errors.UsageError, match=r"'huge'.*mini, standard, .*openai, ollama"):
            collection.admin.reindex("huge", reparse=reparse)
        with pytest.raises(errors.ModelNotFound) as missing:
            collection.admin.reindex("standard", reparse=reparse)
        assert "casetrack models pull" in missing.value.hint
    assert lance.dataset(collection.folder / "chunks.lance").version == before
    check(collection, model)


def test_a_model_that_does_not_keep_its_word(old: Library) -> None:
    class Liar(WordEncoder):
        def encode_documents(self, texts: Any, /, *, layers: Any = ()) -> Any:
            return WordEncoder("liar", 5).encode_documents(texts)

    collection = use(old, short(), Liar(*LONG)).get("C")
    with pytest.raises(errors.ModelError, match=r"\b5\b.*\b12\b"):
        collection.admin.reindex("ollama")
    check(use(old, short()).get("C"), short())


@pytest.mark.slow
def test_stopped_and_gone_on_with(old: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT_TOGETHER", 2)
    collection, stop = old.get("C"), threading.Event()
    report = collection.admin.reindex(
        "ollama", cancel=stop, progress=lambda _, done, __: stop.set() if done >= 4 else None
    )
    assert report.cancelled
    assert (report.profile, report.documents, report.embedded) == ("openai", 0, 4)
    check(collection, short())
    rest = collection.admin.reindex("ollama")
    assert not rest.cancelled
    assert rest.embedded == rest.chunks - 4
    check(collection, long())


def test_stopped_while_storing(old: Library) -> None:
    collection, stop = old.get("C"), threading.Event()
    report = collection.admin.reindex(
        force=True, cancel=stop, progress=lambda what, *_: stop.set() if what == "storing" else None
    )
    assert report.cancelled
    assert report.documents == 1
    check(collection, short())


@pytest.mark.slow
def test_others_are_not_in_the_way(old: Library, tmp_path: Path) -> None:
    """While models work, other programs search and write; their additions are included."""
    collection, new = old.get("C"), lantern(tmp_path)
    other = use(old, short(), long()).get("C")
    asked: list[int] = []
    queued = threading.Event()
    stopped = threading.Event()
    stopped.set()

    def meanwhile(what: str, done: int, total: int) -> None:
        if what == "embedding" and done == total and not asked:
            asked.append(len(other.search("ferry", mode="semantic")))
            assert other.ingest([new]).count("ingested") == 1
            waiting.start()
            assert not queued.wait(0.1), "two reindexes at a time"

    def wait_its_turn() -> None:
        with pytest.raises(errors.JobStopped):
            other.admin.reindex(cancel=stopped)
        with pytest.raises(errors.CollectionBusy, match=r"openai .*ollama"):
            other.admin.reindex()
        queued.set()

    waiting = threading.Thread(target=wait_its_turn)
    collection.admin.reindex("ollama", progress=meanwhile)
    waiting.join(60)
    assert queued.is_set()
    assert asked[0] > 0
    check(collection, long(), {*TEXTS, "new.txt"})
    check(other, long(), {*TEXTS, "new.txt"})


@pytest.mark.slow
def test_another_writer_does_not_end(old: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.1)
    collection = old.get("C")
    with write_session(collection.folder), pytest.raises(errors.CollectionBusy):
        collection.admin.reindex("ollama")
    check(collection, short())
    assert collection.admin.reindex("ollama").embedded == 0  # everything was made already
    check(collection, long())


def test_an_ingest_that_waited_does_not_mix_models(old: Library, tmp_path: Path) -> None:
    collection = old.get("C")
    late = use(old, short(), long()).get("C")
    real, begun = late.workspace.state, threading.Event()

    def changed() -> Any:
        if not begun.is_set():
            begun.set()
            rewrite.swap(collection.folder, iter(()), profile="ollama", dimension=12)
        return real()

    late.workspace.state = changed  # type: ignore[method-assign]
    with pytest.raises(errors.CollectionBusy, match=r"openai .*ollama"):
        late.ingest([lantern(tmp_path)])


# --- killed ----------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("instant", ["swap", "settle", "commit", "clear"])
def test_killed_between_two_steps(
    old: Library, monkeypatch: pytest.MonkeyPatch, instant: str
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    collection = old.get("C")
    with monkeypatch.context() as patch:
        if instant in {"swap", "settle"}:
            patch.setattr(rewrite, instant, killed)
        elif instant == "clear":
            patch.setattr(rewrite.Stage, "clear", killed)
        else:
            patch.setattr("casetrack.store.session.WriteSession.commit", killed)
        with pytest.raises(Killed):
            collection.admin.reindex("ollama")
    now = long() if instant != "swap" else short()
    other = use(old, short(), long())
    if instant == "commit":  # read by the file, the profile would be the old one
        assert read_info(collection.folder).profile == "openai"
        assert collection.info.profile == "ollama"
    opened = other.get("C")
    assert read_info(collection.folder).profile == now.name
    check(opened, now)
    report = opened.admin.reindex("ollama")
    assert report.embedded == 0
    check(opened, long())
    assert not rewrite.is_unfinished(collection.folder)
    assert leftovers(collection.folder) == []


# --- where the profile is noted --------------------------------------------------------------
