"""For any listing, the result of a sync equals that of a first sync."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import SourceChanged, SourceError, SourceSkipped
from stub_source import StubSource
from sync_case import Case

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

_IDS = st.builds(
    lambda folder, name, ending: folder + name + ending,
    st.sampled_from(("", "one/", "two/")),
    st.sampled_from(("lease", "offer", "letter")),
    st.sampled_from((".txt", ".md")),
)
_TEXTS = st.sampled_from(("rent", "goods", "people", "dates", "sums")).map(
    lambda word: f"All about {word} and nothing else."
)
_REFUSALS = (SourceError, SourceChanged, SourceSkipped)
_STEPS = st.one_of(
    st.tuples(st.just("put"), _IDS, _TEXTS),
    st.tuples(st.just("rename"), _IDS, _IDS),
    st.tuples(st.just("copy"), _IDS, _IDS),
    st.tuples(st.just("swap"), _IDS, _IDS),
    st.tuples(st.just("delete"), _IDS, st.none()),
    st.tuples(st.just("say"), _IDS, st.sampled_from(("Ann", "Ben"))),
    st.tuples(st.just("refuse"), _IDS, st.sampled_from(_REFUSALS)),
    st.tuples(st.just("sync"), st.booleans(), st.none()),
    st.tuples(st.just("sync a part"), st.integers(0, 3), st.none()),
    st.tuples(st.just("break off"), st.integers(0, 3), st.none()),
)


def happen(case: Case, source: StubSource, what: str, one: Any, other: Any) -> None:
    """Do one thing to the source, if it can be done, or sync with it."""
    texts = source.texts
    if what == "put":
        texts[one] = other
    elif what == "sync":
        case.collection.sync_source(source, full=one)
    elif what in {"sync a part", "break off"}:
        before = {d.document_id for d in case.collection.documents()}
        if what == "break off":
            source.breaks_after = one
        report = case.collection.sync_source(source, limit=one if what != "break off" else None)
        source.breaks_after = None
        assert report.count("removed", "missing") == 0
        assert before <= {d.document_id for d in case.collection.documents()}
    elif one not in texts:
        return
    elif what == "delete":
        del texts[one]
    elif what == "say":
        source.facts[one] = {"author": other, "url": f"https://example.org/{other}"}
    elif what == "refuse":
        source.errors[one] = [other("git:stub", f"{one} is not to be had.")]
    elif what == "rename":
        texts[other] = texts.pop(one)
    elif what == "copy":
        texts[other] = texts[one]
    elif what == "swap" and other in texts:
        texts[one], texts[other] = texts[other], texts[one]


def held(collection: Collection) -> dict[str | None, tuple[object, ...]]:
    """Return the stored state of each item."""
    by_name = {}
    for document in collection.documents():
        chunks = collection.read.chunks(document)
        assert {c.provenance.document_path for c in chunks} == {document.path}
        assert document.original_copy is not None
        copy = (collection.folder / document.original_copy).read_text()
        message = (document.source_url, document.source_author, document.metadata)
        facts = (document.name, document.path, document.format, *message)
        by_name[document.source_id] = (*facts, copy, *(c.text for c in chunks))
    assert len(by_name) == len(collection.documents())
    return by_name


@pytest.mark.slow
@given(history=st.lists(_STEPS, min_size=4, max_size=16))
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_after_a_sync_all_is_as_after_a_first_one(
    history: list[tuple[str, Any, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home: Path = tmp_path_factory.mktemp("history")
    models = pytest.MonkeyPatch()
    models.setenv("CASETRACK_MODELS", str(home / "no-models"))
    try:
        case = Case(Library(load_settings(home / "data")), home / "files")
        source = StubSource({"always.txt": "There is always one item."})
        for step in history:
            happen(case, source, *step)
        source.errors.clear()
        case.collection.sync_source(source)
        # An item that was refused once is asked for again when all are.
        case.collection.sync_source(source, full=True)
        again = case.collection.sync_source(source)

        fresh = Library(load_settings(home / "fresh")).create("Fresh")
        fresh.sync_source(StubSource(source.texts, source.facts))
        expected, result = held(fresh), held(case.collection)
        assert result == expected
        assert {i: facts[6] for i, facts in result.items()} == source.texts
        assert again.changes == ()
        assert len(result) == again.unchanged
        assert not any(s.stale for s in case.collection.sources())
        assert case.collection.admin.doctor().ok
    finally:
        models.undo()
        shutil.rmtree(home)
