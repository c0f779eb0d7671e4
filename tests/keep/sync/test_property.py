"""Whatever happens in a folder, after a sync the collection is as if it had just been taken in."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from sync_case import Case

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

_FOLDERS = ("", "one/", "two/", "one/deep/")
_NAMES = ("lease", "offer", "letter")
_ENDINGS = (".txt", ".md")
_WORDS = ("rent", "goods", "people", "dates", "sums", "places")

_paths = st.builds(
    lambda folder, name, ending: folder + name + ending,
    st.sampled_from(_FOLDERS),
    st.sampled_from(_NAMES),
    st.sampled_from(_ENDINGS),
)
_texts = st.sampled_from(_WORDS).map(lambda word: f"All about {word} and nothing else.")
_steps = st.one_of(
    st.tuples(st.just("write"), _paths, _texts),
    st.tuples(st.just("move"), _paths, _paths),
    st.tuples(st.just("copy"), _paths, _paths),
    st.tuples(st.just("swap"), _paths, _paths),
    st.tuples(st.just("delete"), _paths, st.none()),
    st.tuples(st.just("rename folder"), st.sampled_from(("one", "two")), st.none()),
    st.tuples(st.just("sync"), st.booleans(), st.none()),
)


def happen(case: Case, what: str, one: Any, other: Any) -> None:
    """Do one thing to the folder, if it can be done."""
    if what == "write":
        case.write(one, other)
    elif what == "sync":
        case.sync(remove_deleted=one)
    elif what == "rename folder":
        source, target = case.folder / one, case.folder / f"{one} renamed"
        if source.is_dir() and not target.exists():
            source.rename(target)
        elif target.is_dir() and not source.exists():
            target.rename(source)
    else:
        source = case.folder / one
        if not source.is_file():
            return
        if what == "delete":
            source.unlink()
        elif what == "copy" and one != other:
            (case.folder / other).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, case.folder / other)
        elif what == "move" and one != other:
            case.move(one, other)
        elif what == "swap" and (case.folder / other).is_file() and one != other:
            case.move(one, "between")
            case.move(other, one)
            case.move("between", other)


@dataclass(frozen=True)
class Held:
    """Stored state of one file."""

    name: str
    hash: str
    format: str
    chunks: tuple[tuple[str, str, str, tuple[str, ...]], ...]


def held(collection: Collection) -> dict[str, Held]:
    """Return the stored state by path."""
    snapshot = collection.workspace.state().snapshot
    names = ["revision", "chunk_index", "text", "document_path", "document_name", "terms"]
    rows = snapshot.scan(names).to_pylist()
    rows.sort(key=lambda r: (r["revision"], r["chunk_index"]))
    chunks = {
        revision: tuple(
            (r["text"], r["document_path"], r["document_name"], tuple(r["terms"])) for r in group
        )
        for revision, group in itertools.groupby(rows, key=lambda r: r["revision"])
    }
    documents = list(snapshot.documents.values())
    by_name = {d.path: Held(d.name, d.file_hash, d.format, chunks[d.revision]) for d in documents}
    assert len(by_name) == len(documents), "two documents at one path"
    return by_name


def texts_found(collection: Collection, word: str) -> set[str]:
    return {hit.text for hit in collection.search(word, mode="keyword", limit=50)}


@given(history=st.lists(_steps, min_size=4, max_size=14))
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_after_a_sync_all_is_as_if_freshly_taken_in(
    history: list[tuple[str, Any, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home: Path = tmp_path_factory.mktemp("history")
    models = pytest.MonkeyPatch()
    models.setenv("CASETRACK_MODELS", str(home / "no-models"))
    try:
        case = Case(Library(load_settings(home / "data")), home / "files")
        for step in history:
            happen(case, *step)
        case.write("always.txt", "There is always one file.")
        case.sync(remove_deleted=True)
        second = case.sync(remove_deleted=True)

        fresh = Library(load_settings(home / "fresh")).create("Fresh")
        fresh.ingest([case.folder], force=True)
        expected, result = held(fresh), held(case.collection)
        # Of files with the same content one is enough; each that is there is as it would be.
        assert {path: expected.get(path) for path in result} == result
        assert {h.hash for h in result.values()} == {h.hash for h in expected.values()}
        for word in _WORDS:
            assert texts_found(case.collection, word) == texts_found(fresh, word)
        assert case.collection.admin.doctor().ok
        # The remaining messages are about copies.
        assert {c.code for c in second.changes} <= {"duplicate"}
        assert len(result) == second.unchanged
        # Every text was embedded for some document that had it, none for one that only moved.
        assert len(case.encoder.seen) <= sum(step[0] in _EMBEDDING for step in history) + 1
    finally:
        models.undo()
        shutil.rmtree(home)


_EMBEDDING = {"write", "copy", "move", "swap"}
