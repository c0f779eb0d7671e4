"""The user's word: who is who, tags and stars, the timeline; by Python, commands and MCP."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import CaseTrackError, CollectionReadOnly, EntityNotFound, UsageError
from casetrack.base.files import write_atomic
from casetrack.faces.cli.main import main
from casetrack.ingest.pipeline import Tools
from casetrack.keep.health.folder import check_marks
from casetrack.store.marks import (
    COPY,
    FILE,
    FOLDER,
    PATH,
    Stored,
    add,
    keep,
    new_mark,
    read,
    repair,
)
from casetrack.store.session import write_session
from fakes import FakeEncoders, NamesByList
from graph.test_graph import ENCODER, forget, opened_anew

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

NAMES = NamesByList(
    Rosa_Lindqvist="person",
    Bob_Tarn="person",
    Piet_Morrow="person",
    Orla_Finch="person",
    Finch="person",
    Quillon="person",
    Haverstock_Ltd="organization",
    Lisbon="location",
)
CHARTER = (
    "Bob Tarn chartered the vessel from Haverstock Ltd on 12 March 2031. Orla Finch signed.",
    "Quillon paid the freight of 40,000 dollars on 2 April 2031 in full. Finch was in Lisbon.",
)
LETTER = ["Piet Morrow wrote to Rosa Lindqvist on 5 May 2031 that Quillon had delivered late."]
NOTE = ["Orla Finch met Rosa Lindqvist in Lisbon on 9 June 2031. Finch left early."]
TOOLS = Tools(None, ENCODER, 768, NAMES)


@pytest.fixture
def collection(library: Library, store_text: Any) -> Collection:
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    made = library.create("Charter", profile="legal")
    with write_session(made.folder) as session:
        for name, pages in (("charter", CHARTER), ("letter", LETTER), ("note", NOTE)):
            store_text(session, f"{name}.txt", *pages, tools=TOOLS)
    return made


def names(collection: Collection, kind: str) -> dict[str, int]:
    return {e.name: e.mention_count for e in collection.map.entities(kind=kind)}


# --- who is who ------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_names_are_one_and_one_is_two_again(collection: Collection) -> None:
    before = names(collection, "person")
    placed = collection.marks.merge("Rosa Lindqvist", "Quillon")
    after = names(collection, "person")
    assert after["Rosa Lindqvist"] == before["Rosa Lindqvist"] + before["Quillon"]
    assert "Quillon" not in after
    entity = collection.map.find_entity("Quillon")
    assert (entity.entity.name, entity.entity.edited_by_user) == ("Rosa Lindqvist", True)
    (edit,) = entity.edits
    assert "Quillon" in edit
    assert placed.mark_id in edit
    collection.marks.undo(placed.mark_id)
    assert names(collection, "person") == before
    assert collection.map.find_entity("Quillon").edits == ()


def test_a_spelling_is_somebody_else_everywhere_or_in_one_document(collection: Collection) -> None:
    before = names(collection, "person")
    assert before["Orla Finch"] == 4
    one = collection.marks.split("Orla Finch", "Finch", document="note.txt", as_name="Dr Ada Finch")
    assert names(collection, "person") == before | {"Orla Finch": 3, "Dr Ada Finch": 1}
    collection.marks.undo(one.mark_id)
    collection.marks.split("Orla Finch", "Finch")
    assert names(collection, "person") == before | {"Orla Finch": 2, "Finch": 2}
    places = collection.sql("SELECT text, name FROM mentions WHERE name IN ('Finch', 'Orla Finch')")
    assert all(p["text"] == p["name"] for p in places.to_pylist())
    first = next(e for e in collection.map.entities(kind="person") if e.name == "Finch")
    assert collection.read.chunk(first.first_chunk_id).text == CHARTER[1]


@pytest.mark.slow
def test_a_split_is_reported_on_both_sides_and_joined_again_later(collection: Collection) -> None:
    placed = collection.marks.split("Orla Finch", "Finch")
    new = placed.mark.other_id
    assert new is not None
    sides = [collection.map.find_entity(name).edits for name in (new, "Orla Finch")]
    for (edit,), other in zip(sides, ("Orla Finch", "Finch"), strict=True):
        assert other in edit
        assert placed.mark_id in edit
    assert sides[0] != sides[1]
    collection.marks.merge("Orla Finch", new)  # the later word counts
    assert names(collection, "person")["Orla Finch"] == 4


@pytest.mark.slow
def test_what_somebody_is_and_is_called_and_whether_it_is_shown(collection: Collection) -> None:
    collection.marks.set_kind("Quillon", "organization")
    assert "Quillon" in names(collection, "organization")
    assert "Quillon" not in names(collection, "person")
    collection.marks.set_kind("Quillon", "location")
    assert "Quillon" in names(collection, "location")
    collection.marks.rename("Quillon", "Quillon Shipping")
    entity = collection.map.find_entity("Quillon").entity
    assert (entity.name, entity.kind, entity.aliases) == (
        "Quillon Shipping",
        "location",
        ("Quillon",),
    )
    collection.marks.hide("Quillon Shipping")
    assert "Quillon Shipping" not in names(collection, "all")
    assert collection.sql("SELECT * FROM mentions WHERE text = 'Quillon'").num_rows == 0
    with pytest.raises(EntityNotFound):
        collection.marks.hide("Quillon Shipping")
    collection.marks.unhide("Quillon Shipping")
    assert "Quillon Shipping" in names(collection, "location")


@pytest.mark.slow
def test_a_kind_joins_what_has_the_same_key_of_that_kind(
    collection: Collection, store_text: Any
) -> None:
    other = Tools(None, ENCODER, 768, NamesByList(Quillon="organization"))
    with write_session(collection.folder) as session:
        store_text(session, "list.txt", "Quillon; Quillon; Quillon; Quillon.", tools=other)
    assert names(collection, "organization")["Quillon"] == 4
    if "Quillon" in names(collection, "person"):
        collection.marks.set_kind("person:quillon", "organization")
    assert names(collection, "organization")["Quillon"] == 6
    assert "Quillon" not in names(collection, "person")


@pytest.mark.slow
def test_edits_stay_when_documents_come_and_go(collection: Collection, store_text: Any) -> None:
    placed = collection.marks.merge("Bob Tarn", "Rosa Lindqvist")
    known = collection.document("charter.txt")
    collection.delete_document("charter.txt")
    collection.delete_document("letter.txt")
    (mark,) = collection.marks.all()
    assert mark.state == "idle"
    assert names(collection, "person")["Rosa Lindqvist"] == 1
    with write_session(collection.folder) as session:
        store_text(session, "charter.txt", *CHARTER, tools=TOOLS)
    assert known.document_id != collection.document("charter.txt").document_id
    (mark,) = collection.marks.all()
    assert (mark.state, mark.mark_id) == ("in force", placed.mark_id)
    assert names(collection, "person")["Bob Tarn"] == 2
    assert names(forget(collection), "person")["Bob Tarn"] == 2


REFUSED: dict[str, tuple[Callable[[Any], object], str]] = {
    "Nobody": (lambda m: m.merge("Nobody", "Bob Tarn"), "entity_not_found"),
    "Finch": (lambda m: m.merge("Orla Finch", "Finch"), "usage"),
    "Fnich": (lambda m: m.split("Orla Finch", "Fnich"), "usage"),
    "all of Quillon": (lambda m: m.split("Quillon", "Quillon"), "usage"),
    "ship": (lambda m: m.set_kind("Quillon", "ship"), "usage"),
    "200": (lambda m: m.rename("Quillon", " "), "usage"),
    "12 March 2031": (lambda m: m.hide("12 March 2031"), "usage"),
    "not hidden": (lambda m: m.unhide("Quillon"), "usage"),
    "m-00000000": (lambda m: m.undo("m-00000000"), "usage"),
    "no tag": (lambda m: m.tag("charter.txt"), "usage"),
    "no page 9": (lambda m: m.star("charter.txt", page=9), "usage"),
    "nothing.txt": (lambda m: m.star("nothing.txt"), "document_not_found"),
    "no star": (lambda m: m.unstar("charter.txt"), "usage"),
    "another tag": (lambda m: m.untag("charter.txt", "x"), "usage"),
    "soon": (lambda m: m.add_event("soon", "They met.", source="note.txt"), "usage"),
    "which page": (lambda m: m.add_event("2031", "They met.", source="charter.txt"), "usage"),
    "no words": (lambda m: m.add_event("2031", " ", source="note.txt"), "usage"),
    "no event": (lambda m: m.hide_event("2031-01-01@00000000"), "usage"),
    "no hidden event": (lambda m: m.unhide_event("2031-01-01@00000000"), "usage"),
}


def test_what_cannot_be_said_changes_nothing(
    collection: Collection, messages: Callable[..., None]
) -> None:
    lines = []
    for name, (call, code) in REFUSED.items():
        with pytest.raises(CaseTrackError) as caught:
            call(collection.marks)
        assert caught.value.code == code, name
        assert collection.marks.all(undone=True) == (), name
        lines.append(f"{name}: {caught.value}")
    messages("\n\n".join(lines))


# --- documents and passages ------------------------------------------------------------------


@pytest.mark.slow
def test_tags_and_stars_are_listed_and_filter(collection: Collection) -> None:
    marks = collection.marks
    _, second = marks.tag("charter.txt", "key", "Freight", note="read first")
    with pytest.raises(UsageError):
        marks.tag("charter.txt", "KEY")
    star = marks.star(collection.read.chunks("letter.txt")[0], note="late")
    again = marks.star(star.quote.chunk_id, note="very late")
    assert [m.mark.note for m in marks.all("star")] == ["very late"]
    assert again.quote.text == LETTER[0]
    assert [d.name for d in collection.documents(tag="KEY")] == ["charter.txt"]
    assert [d.name for d in collection.documents(starred=True)] == ["letter.txt"]
    assert not list(collection.documents(tag="key", starred=True))
    rows = collection.sql("SELECT kind, value, document_name, state FROM marks ORDER BY ALL")
    assert [tuple(r.values()) for r in rows.to_pylist()] == [
        ("star", None, "letter.txt", "in force"),
        ("star", None, "letter.txt", "undone"),
        ("tag", "Freight", "charter.txt", "in force"),
        ("tag", "key", "charter.txt", "in force"),
    ]
    marks.untag("charter.txt", "freight")
    assert [m.mark.value for m in marks.all("tag")] == ["key"]
    assert second.mark_id not in {m.mark_id for m in marks.all()}


def test_a_mark_stays_with_its_document_and_its_words(
    collection: Collection, store_text: Any
) -> None:
    passage = collection.read.chunks("charter.txt")[1]
    collection.marks.star(passage)
    collection.marks.tag("charter.txt", "key")
    known = collection.document("charter.txt")
    with write_session(collection.folder) as session:  # a file that has changed, and was renamed
        store_text(
            session, "charter final.txt", "A new first page.", *CHARTER, tools=TOOLS,
            document_id=known.document_id, replaces=known.revision,
        )  # fmt: skip
    star, tag = collection.marks.all()
    assert (star.state, star.quote.text, star.quote.provenance.page) == ("in force", CHARTER[1], 3)
    assert tag.mark.document_name == "charter final.txt"
    collection.delete_document("charter final.txt")
    star, tag = collection.marks.all()
    assert (star.state, star.quote, tag.state) == ("document gone", None, "document gone")
    assert star.mark.document_name == "charter.txt"


# --- the timeline ----------------------------------------------------------------------------


@pytest.mark.slow
def test_own_events_are_cited_and_hidden_ones_gone(collection: Collection) -> None:
    marks = collection.marks
    before = collection.map.timeline()
    own = marks.add_event("7 April 2031", "The freight was late.", source="charter.txt", page=2)
    result = collection.map.timeline()
    mine = next(e for e in result.events if e.mark_id)
    assert (mine.value, mine.description) == ("2031-04-07", "The freight was late.")
    assert mine.quote.text == "Quillon paid the freight of 40,000 dollars on 2 April 2031 in full."
    assert result.total == before.total + 1
    assert [e.value for e in collection.map.timeline(end="2031-04-01").events] == ["2031-03-12"]
    hidden = marks.hide_event(next(e for e in result.events if e.value == "2031-05-05"))
    after = collection.map.timeline()
    assert "2031-05-05" not in {e.value for e in after.events}
    assert after.total == before.total
    (note,) = after.notes
    assert "1" in note
    assert marks.unhide_event(hidden.mark_id).state == "undone"
    assert marks.hide_event(own.mark_id).state == "undone"
    assert collection.map.timeline().events == before.events


def test_an_own_event_is_said_otherwise_and_keeps_its_source(collection: Collection) -> None:
    marks = collection.marks
    own = marks.add_event("7 April 2031", "The freight was late.", source="charter.txt", page=2)
    changed = marks.change_event(own.mark_id, date="8 April 2031")
    assert (changed.mark.value, changed.mark.note) == ("2031-04-08", "The freight was late.")
    again = marks.change_event(changed.mark_id, text="The freight came late.")
    assert (again.mark.value, again.mark.note) == ("2031-04-08", "The freight came late.")
    assert again.quote == own.quote
    assert [m.mark_id for m in marks.all("event")] == [again.mark_id]
    theirs = next(e for e in collection.map.timeline().events if not e.mark_id)
    for event, wrong in (
        (again.mark_id, {"date": "someday"}),
        (again.mark_id, {"text": " "}),
        (own.mark_id, {"text": "Twice."}),
        (theirs, {"text": "Not mine."}),
    ):
        with pytest.raises(UsageError):
            marks.change_event(event, **wrong)
    assert [m.mark for m in marks.all("event")] == [again.mark]


def test_an_own_event_without_its_source_is_left_out_and_said(
    collection: Collection, messages: Callable[..., None]
) -> None:
    collection.marks.hide_event(collection.map.timeline().events[0])
    collection.marks.add_event("2031-06-10", "She left.", source="note.txt")
    collection.delete_document("note.txt")
    result = collection.map.timeline()
    assert all(e.mark_id is None for e in result.events)
    messages("\n".join(result.notes))


@pytest.mark.slow
def test_a_report_shows_what_is_the_users(collection: Collection) -> None:
    plain = collection.report(pictures=False)
    collection.marks.star("charter.txt", note="the one that counts")
    collection.marks.tag(collection.read.chunks("letter.txt")[0], "late <delivery>")
    collection.marks.add_event("2031-07-01", "The ship was sold.", source="note.txt")
    collection.marks.merge("Rosa Lindqvist", "Quillon")
    page = collection.report(pictures=False)
    for part in (
        *('id="marks"', '<a href="#marks">', "the one that counts", "late &lt;delivery&gt;"),
        "The ship was sold.",
    ):
        assert part in page
        assert part not in plain
    assert page.count('class="under"') > plain.count('class="under"')  # who was joined


# --- storage ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_open_process_sees_a_mark_at_its_next_answer(collection: Collection) -> None:
    other = opened_anew(collection)
    assert "Quillon" in names(other, "person")
    collection.marks.hide("Quillon")
    assert "Quillon" not in names(other, "person")
    collection.marks.tag("note.txt", "x")
    assert [m.mark.kind for m in other.marks.all()] == ["hide", "tag"]


def test_a_closed_collection_takes_no_marks(collection: Collection) -> None:
    collection.admin.close()
    with pytest.raises(CollectionReadOnly):
        collection.marks.star("note.txt")


def test_the_file_is_read_by_anybody_and_survives_what_is_no_mark(collection: Collection) -> None:
    collection.marks.tag("note.txt", "a")
    path = collection.folder / "marks" / "marks.jsonl"
    assert json.loads(path.read_text())["value"] == "a"
    path.write_bytes(path.read_bytes() + b'{"kind": "tag"}\nnonsense')
    collection.marks.tag("note.txt", "b")
    assert [m.mark.value for m in collection.marks.all()] == ["a", "b"]
    (check,) = (c for c in collection.admin.doctor().checks if c.name.endswith("marks"))
    assert not check.ok
    assert "line 2" in check.detail


def _swap(path: Path, copy: Path) -> None:
    content, other = path.read_bytes(), copy.read_bytes()
    path.write_bytes(other)
    copy.write_bytes(content)


def _changed(old: bytes, new: bytes) -> Callable[[Path, Path], object]:
    return lambda path, _: path.write_bytes(path.read_bytes().replace(old, new))


MARKS_FAULTS: dict[str, Callable[[Path, Path], object]] = {
    "removed": lambda path, _: path.unlink(),
    "emptied": lambda path, _: path.write_bytes(b""),
    "zeros": lambda path, _: path.write_bytes(bytes(path.stat().st_size)),
    "cut off": lambda path, _: path.write_bytes(path.read_bytes()[:-30]),
    "cut between lines": lambda path, _: path.write_bytes(path.read_bytes().split(b"\n")[0]),
    "another word": _changed(b"late", b"mate"),
    "another id": _changed(b'{"mark_id": "m', b'{"mark_id": "n'),
    "a line in two": _changed(b"late", b"la\ne"),
    "copy removed": lambda _, copy: copy.unlink(),
    "copy damaged": lambda _, copy: copy.write_bytes(copy.read_bytes()[:-3]),
    "copy empty": lambda _, copy: copy.write_bytes(b""),
    "swapped": _swap,
}


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """A collection's folder with marks, and nothing else in it."""
    folder = tmp_path / "marked"
    folder.mkdir()
    (folder / "collection.json").touch()
    tag = new_mark(kind="tag", value="late", document_name="note.txt")
    add(folder, [tag, new_mark(kind="hide", entity_name="Quillon")])
    add(folder, [new_mark(kind="undo", value=tag.mark_id)])
    return folder


def test_marks_of_another_collection_never_stand_for_its_own(marked: Path) -> None:
    other = marked.with_name("other")
    other.mkdir()
    (other / "collection.json").touch()
    add(other, [new_mark(kind="tag", value="theirs")])
    before = read(marked).all
    _swap(marked / FOLDER / COPY, other / FOLDER / COPY)
    assert read(marked).all == before
    assert check_marks(marked).ok
    _swap(marked / FOLDER / COPY, other / FOLDER / COPY)
    _swap(marked / FOLDER / FILE, other / FOLDER / FILE)
    assert read(marked).all == before
    assert not check_marks(marked).ok
    (report,) = repair(marked)
    assert "3" in report
    assert PATH in report
    assert read(marked).all == before
    assert "theirs" in (marked / FOLDER / "marks.jsonl.damaged").read_text()
    keep(marked, lambda _: False)
    assert sorted(p.name for p in (marked / FOLDER).iterdir()) == [COPY, FILE]


@pytest.mark.parametrize("fault", MARKS_FAULTS)
@pytest.mark.parametrize("marked_before_repair", [False, True])
def test_no_damage_to_their_file_takes_a_mark(
    marked: Path, caplog: pytest.LogCaptureFixture, fault: str, marked_before_repair: bool
) -> None:
    before = read(marked).all
    MARKS_FAULTS[fault](marked / FOLDER / FILE, marked / FOLDER / COPY)
    assert read(marked).all == before
    is_hit = not fault.startswith(("copy", "swapped"))
    assert ("doctor --repair" in caplog.text) == is_hit
    if marked_before_repair:
        add(marked, [new_mark(kind="tag", value="later")])
        before = (*before, read(marked).all[-1])
        assert before[-1].value == "later"
    elif fault != "copy removed":
        marks = check_marks(marked)
        assert not marks.ok
        assert "casetrack doctor --repair" in marks.remedy
        assert bool(Stored(marked).lost) == is_hit
        assert any(PATH in messages for messages in repair(marked))
    assert read(marked).all == before
    assert check_marks(marked).ok or fault == "swapped"  # its last line is that of the copy
    stored = Stored(marked)
    assert (stored.lost, stored.copy_is_damaged) == ([], False)


@pytest.mark.slow
def test_doctor_names_lost_marks_and_writes_them_back(
    collection: Collection, messages: Callable[..., None]
) -> None:
    collection.marks.tag("note.txt", "privileged")
    before = collection.marks.all()
    (collection.folder / FOLDER / FILE).unlink()
    assert opened_anew(collection).marks.all() == before
    by_name = {c.name: c for c in collection.admin.doctor().checks}["marks"]
    report = collection.admin.doctor(repair=True)
    messages("\n".join([by_name.detail, *report.repairs]))
    assert {c.name: c for c in report.checks}["marks"].ok
    assert (collection.folder / FOLDER / FILE).exists()


def test_a_killed_writer_leaves_no_copy_that_brings_removed_marks_back(
    marked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = write_atomic

    def stopped_after(count: int) -> None:
        calls = iter(range(count))

        def write(path: Path, data: bytes) -> None:
            if next(calls, None) is None:
                raise KeyboardInterrupt
            written(path, data)

        monkeypatch.setattr("casetrack.store.marks.write_atomic", write)

    def tags() -> list[str]:
        assert Stored(marked).lost == []
        return [m.value for m in read(marked).all if m.kind == "tag"]

    def without_late() -> int:
        return keep(marked, lambda mark: mark.value != "late")

    stopped_after(1)
    with pytest.raises(KeyboardInterrupt):
        add(marked, [new_mark(kind="tag", value="second")])
    assert tags() == ["late", "second"]
    for count in (0, 1):
        stopped_after(count)
        with pytest.raises(KeyboardInterrupt):
            without_late()
        assert tags() == ["late", "second"]
    stopped_after(2)
    assert without_late() == 1
    assert tags() == ["second"]


def test_writers_take_turns(collection: Collection) -> None:
    def write(number: int) -> None:
        for turn in range(5):
            add(collection.folder, [new_mark(kind="tag", value=f"{number}-{turn}")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert len({m.value for m in read(collection.folder).all}) == 20


def test_secure_deletion_leaves_no_mark_of_what_is_gone(collection: Collection) -> None:
    collection.marks.star(collection.read.chunks("letter.txt")[0], note="about the delivery")
    collection.marks.rename("Piet Morrow", "P. Morrow of Kent")
    kept = collection.marks.tag("note.txt", "kept")[0]
    collection.delete_document("letter.txt", secure=True)
    assert [m.mark_id for m in collection.marks.all(undone=True)] == [kept.mark_id]
    for path in (collection.folder / FOLDER).iterdir():
        assert "delivery" not in path.read_text()
        assert "Kent" not in path.read_text()


def test_export_carries_marks_of_what_is_there(
    library: Library, collection: Collection, tmp_path: Path, messages: Callable[..., None]
) -> None:
    collection.marks.merge("Bob Tarn", "Quillon")
    collection.marks.tag("letter.txt", "gone soon")
    collection.delete_document("letter.txt")
    report = collection.admin.export(tmp_path)
    messages("\n".join(report.notes))
    imported = library.get(library.import_archive(report.path).collection_id)
    assert [m.mark.kind for m in imported.marks.all()] == ["merge"]
    (imported.folder / FOLDER / FILE).unlink()
    assert [m.mark.kind for m in imported.marks.all()] == ["merge"]
    assert names(imported, "person") == names(collection, "person")


# --- commands and AI programs ----------------------------------------------------------------


@pytest.fixture
def run(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Run a command on the collection in this process; return its output."""
    monkeypatch.setenv("CASETRACK_HOME", str(collection.workspace.settings.data_dir))

    def run_here(*words: str) -> str:
        code = main([*words, "-c", "Charter"])
        out, err = capfd.readouterr()
        assert code == 0, err
        return out

    return run_here


def test_commands_on_names(run: Callable[..., str], messages: Callable[..., None]) -> None:
    rosa, quillon = "person:rosa-lindqvist", "person:quillon"
    lines = [run("entity", rosa, "--merge", quillon), run("entity", rosa, "-k", "1")]
    (placed,) = json.loads(run("marks", "--json"))
    people = json.loads(run("entities", "--kind", "person", "--json"))
    assert {p["name"]: p["edited_by_user"] for p in people}["Rosa Lindqvist"]
    assert "Quillon" not in {p["name"] for p in people}
    lines.append(run("entity", rosa, "--undo"))
    messages("\n".join(lines), hide={placed["mark_id"]: "<mark>"})


def test_commands_on_documents(run: Callable[..., str]) -> None:
    run("tag", "note.txt", "privileged", "--note", "ask first")
    run("star", "letter.txt", "--page", "1")
    assert "note.txt" in run("documents", "--tag", "privileged")
    assert "letter.txt" in run("documents", "--starred")
    assert "ask first" in run("marks")
    run("tag", "note.txt", "--remove")
    assert "ask first" not in run("marks")
