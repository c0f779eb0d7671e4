"""For any edits in any order, the map is a function of documents and marks alone."""

from __future__ import annotations

import shutil
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.api.collection import Collection
from casetrack.base.errors import EntityNotFound, UsageError
from casetrack.graph.opened import graph_of
from casetrack.store.session import write_session
from casetrack.store.workspace import Workspace
from fakes import FakeEncoders
from graph.test_graph import ENCODER, TOOLS, content, forget, require_counts, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library

DOCUMENTS = ("add", "change", "delete")
EDITS = ("merge", "merge", "split", "split in", "kind", "rename", "role", "hide")
OTHERS = ("tag", "star", "event", "hide event", "undo", "undo", "look")
STEP = st.tuples(
    st.sampled_from(("add", *DOCUMENTS, *EDITS, *EDITS, *OTHERS)),
    st.integers(0, 9),
    st.integers(0, 9),
)


@pytest.fixture
def library(library: Library) -> Library:
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    return library


def everything(collection: Collection) -> dict[str, list[dict[str, Any]]]:
    """Return all tables of the graph, and that of the marks."""
    marks = graph_of(collection.workspace.state()).table("marks").to_pylist()
    return content(collection) | {"marks": marks}


def say(collection: Collection, what: str, a: int, b: int) -> None:
    """Make an edit of an existing object; an invalid one is refused and changes nothing."""
    names = sorted(
        e.entity_id
        for e in collection.map.entities(limit=500)
        if e.kind in ("person", "organization")
    )
    documents = sorted(collection.documents(), key=lambda d: d.name)
    if not names or not documents:
        return
    marks, one, other = collection.marks, names[a % len(names)], names[b % len(names)]
    document = documents[b % len(documents)]
    if what.startswith("split"):
        entity = collection.map.find_entity(one).entity
        spellings = (entity.name, *entity.aliases)
        only = document if what == "split in" else None
        marks.split(one, spellings[b % len(spellings)], document=only)
        return
    chunks, known = collection.read.chunks(document), marks.all()
    events = collection.map.timeline().events if what == "hide event" else ()
    event = events[a % len(events)].event_id if events else "none"
    text: dict[str, Callable[[], object]] = {
        "merge": lambda: marks.merge(one, other),
        "kind": lambda: marks.set_kind(one, ("person", "organization", "location")[b % 3]),
        "rename": lambda: marks.rename(one, f"Somebody {b}"),
        "role": lambda: marks.set_role(one, ("buyer", "none")[b % 2], document=document),
        "hide": lambda: marks.hide(one),
        "tag": lambda: marks.tag(document, f"tag {a}"),
        "star": lambda: marks.star(chunks[a % len(chunks)]),
        "event": lambda: marks.add_event(f"2024-0{a % 9 + 1}", "Met.", source=document, page=1),
        "hide event": lambda: marks.hide_event(event),
        "undo": lambda: marks.undo(known[a % len(known)].mark_id if known else "none"),
        "look": lambda: None,
    }
    text[what]()


def change(collection: Collection, store_text: Any, what: str, a: int, number: int) -> None:
    documents = sorted(collection.documents(), key=lambda d: d.name)
    chosen = documents[a % len(documents)] if documents else None
    if what == "delete" and chosen is not None:
        collection.delete_document(chosen.document_id)
        return
    with write_session(collection.folder) as session:
        if what == "add" or chosen is None:
            pages = (text_of(number), text_of(number + 100))
            store_text(session, f"paper {number % 4}.txt", *pages, tools=TOOLS)
        else:
            known = {"document_id": chosen.document_id, "replaces": chosen.revision}
            store_text(session, chosen.name, text_of(number + 7), tools=TOOLS, **known)


def rebuilt_copied_or_exported_it_is_the_same(
    library: Library, store_text, tmp_path: Path, steps: list[tuple[str, int, int]]
) -> None:
    collection = library.create(str(uuid.uuid4()), profile="legal")
    change(collection, store_text, "add", 0, 0)
    change(collection, store_text, "add", 0, 1)
    for number, (what, a, b) in enumerate(steps, 2):
        if what in DOCUMENTS:
            change(collection, store_text, what, a, number)
            continue
        before = len(collection.marks.all(undone=True))
        try:
            say(collection, what, a, b)
        except (UsageError, EntityNotFound):
            assert len(collection.marks.all(undone=True)) == before
    kept_up = everything(collection)
    require_counts(collection)
    messages = {m.mark.entity_id for m in collection.marks.all() if m.state == "in force"}
    messages |= {m.mark.other_id for m in collection.marks.all()}
    edited = collection.sql("SELECT entity_id FROM entities WHERE edited_by_user").to_pylist()
    assert {row["entity_id"] for row in edited} <= messages
    assert everything(forget(collection)) == kept_up

    copy = tmp_path / str(uuid.uuid4())
    shutil.copytree(collection.folder, copy)
    shutil.rmtree(copy / "views", ignore_errors=True)
    known = collection.workspace
    assert everything(Collection(Workspace(copy, known.settings, known.encoders))) == kept_up

    archive = collection.admin.export(tmp_path / f"{uuid.uuid4()}.ctcollection").path
    report = library.import_archive(archive)
    documents = {None, *(d.document_id for d in collection.documents())}
    kept_up["marks"] = [m for m in kept_up["marks"] if m["document_id"] in documents]
    assert everything(library.get(report.collection_id)) == kept_up


HOUSE = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
STEPS = given(steps=st.lists(STEP, min_size=3, max_size=8))
test_few_words_of_the_user = settings(HOUSE, max_examples=2)(
    STEPS(rebuilt_copied_or_exported_it_is_the_same)
)
test_many_words_of_the_user = pytest.mark.slow(
    settings(HOUSE, max_examples=12)(STEPS(rebuilt_copied_or_exported_it_is_the_same))
)
