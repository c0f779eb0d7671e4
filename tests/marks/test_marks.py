"""The user's word: who is who, tags and stars, the timeline; by Python, commands and MCP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.errors import (
    CollectionReadOnly,
    DocumentNotFound,
    EntityNotFound,
    UsageError,
)
from casetrack.graph.marks import passage_place
from casetrack.health.folder import check_marks
from casetrack.marks import add, new_mark, read
from casetrack.marks.store import COPY, FILE, FOLDER, PATH, Stored, keep, mend
from casetrack.store.files import write_atomic
from casetrack.store.session import write_session
from fakes import FakeEncoders, NamesByList
from graph.test_graph import ENCODER, forget, opened_anew

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.collection import Collection
    from casetrack.library import Library

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
LETTER = (
    "Piet Morrow wrote to Rosa Lindqvist on 5 May 2031 that Quillon had delivered late.",
)  # fmt: skip
NOTE = ("Orla Finch met Rosa Lindqvist in Lisbon on 9 June 2031. Finch left early.",)


@pytest.fixture
def tools() -> Any:
    from casetrack.pipeline import Tools

    return Tools(None, ENCODER, 768, NAMES)


@pytest.fixture
def collection(library: Library, store_text: Any, tools: Any) -> Collection:
    library.encoders = FakeEncoders(ENCODER)  # type: ignore[assignment]
    made = library.create("Charter", profile="legal")
    with write_session(made.folder) as session:
        store_text(session, "charter.txt", *CHARTER, tools=tools)
        store_text(session, "letter.txt", *LETTER, tools=tools)
        store_text(session, "note.txt", *NOTE, tools=tools)
    return made


def names(collection: Collection, kind: str) -> dict[str, int]:
    return {e.name: e.mention_count for e in collection.map.entities(kind=kind)}


# --- who is who ------------------------------------------------------------------------------


def test_two_names_are_one_and_one_is_two_again(collection: Collection) -> None:
    before = names(collection, "person")
    placed = collection.marks.merge("Rosa Lindqvist", "Quillon")
    after = names(collection, "person")
    assert after["Rosa Lindqvist"] == before["Rosa Lindqvist"] + before["Quillon"]
    assert "Quillon" not in after
    found = collection.map.find_entity("Quillon")
    assert (found.entity.name, found.entity.edited_by_user) == ("Rosa Lindqvist", True)
    assert found.edits == (f"You joined “Quillon” with it ({placed.mark_id}).",)
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


def test_a_split_is_told_on_both_sides_and_joined_again_later(collection: Collection) -> None:
    placed = collection.marks.split("Orla Finch", "Finch")
    new = placed.mark.other_id
    assert new is not None
    assert collection.map.find_entity(new).edits[0].startswith("You split it off from “Orla Finch”")
    assert "somebody else" in collection.map.find_entity("Orla Finch").edits[0]
    collection.marks.merge("Orla Finch", new)  # the later word counts
    assert names(collection, "person")["Orla Finch"] == 4


def test_what_somebody_is_and_is_called_and_whether_it_is_shown(collection: Collection) -> None:
    collection.marks.set_kind("Quillon", "organization")
    assert "Quillon" in names(collection, "organization")
    assert "Quillon" not in names(collection, "person")
    collection.marks.set_kind("Quillon", "location")
    assert "Quillon" in names(collection, "location")
    collection.marks.rename("Quillon", "Quillon Shipping")
    found = collection.map.find_entity("Quillon").entity
    assert (found.name, found.kind, found.aliases) == ("Quillon Shipping", "location", ("Quillon",))
    collection.marks.hide("Quillon Shipping")
    assert "Quillon Shipping" not in names(collection, "all")
    assert collection.sql("SELECT * FROM mentions WHERE text = 'Quillon'").num_rows == 0
    with pytest.raises(EntityNotFound):
        collection.marks.hide("Quillon Shipping")
    collection.marks.unhide("Quillon Shipping")
    assert "Quillon Shipping" in names(collection, "location")


def test_a_kind_joins_what_has_the_same_key_of_that_kind(
    collection: Collection, store_text: Any, tools: Any
) -> None:
    from casetrack.pipeline import Tools

    other = Tools(None, ENCODER, 768, NamesByList(Quillon="organization"))
    with write_session(collection.folder) as session:
        store_text(session, "list.txt", "Quillon; Quillon; Quillon; Quillon.", tools=other)
    assert names(collection, "organization")["Quillon"] == 4
    if "Quillon" in names(collection, "person"):
        collection.marks.set_kind("person:quillon", "organization")
    assert names(collection, "organization")["Quillon"] == 6
    assert "Quillon" not in names(collection, "person")


def test_edits_stay_when_documents_come_and_go(
    collection: Collection, store_text: Any, tools: Any
) -> None:
    placed = collection.marks.merge("Bob Tarn", "Rosa Lindqvist")
    known = collection.document("charter.txt")
    collection.delete_document("charter.txt")
    collection.delete_document("letter.txt")
    (mark,) = collection.marks.all()
    assert mark.state == "idle"
    assert names(collection, "person")["Rosa Lindqvist"] == 1
    with write_session(collection.folder) as session:
        store_text(session, "charter.txt", *CHARTER, tools=tools)
    assert known.document_id != collection.document("charter.txt").document_id
    (mark,) = collection.marks.all()
    assert (mark.state, mark.mark_id) == ("in force", placed.mark_id)
    assert names(collection, "person")["Bob Tarn"] == 2
    assert names(forget(collection), "person")["Bob Tarn"] == 2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: m.merge("Nobody", "Bob Tarn"), "Entity not found"),
        (lambda m: m.merge("Orla Finch", "Finch"), "are one already"),
        (lambda m: m.split("Orla Finch", "Fnich"), 'never written "Fnich"'),
        (lambda m: m.split("Quillon", "Quillon"), "nobody would be left"),
        (lambda m: m.set_kind("Quillon", "ship"), "is no kind of name"),
        (lambda m: m.rename("Quillon", " "), "A name has 1 to 200 characters"),
        (lambda m: m.hide("12 March 2031"), "what it is, the text says"),
        (lambda m: m.unhide("Quillon"), "Nobody called"),
        (lambda m: m.undo("m-00000000"), "There is no mark"),
        (lambda m: m.tag("charter.txt"), "No tag was given"),
        (lambda m: m.star("charter.txt", page=9), "has no page 9"),
        (lambda m: m.star("nothing.txt"), "Document not found"),
        (lambda m: m.unstar("charter.txt"), "There is not a star"),
        (lambda m: m.untag("charter.txt", "x"), 'There is not the tag "x"'),
        (lambda m: m.add_event("soon", "They met.", source="note.txt"), "cannot be read as a date"),
        (lambda m: m.add_event("2031", "They met.", source="charter.txt"), "On which of its pages"),
        (lambda m: m.add_event("2031", " ", source="note.txt"), "not said what happened"),
        (lambda m: m.hide_event("2031-01-01@00000000"), "There is no event"),
        (lambda m: m.unhide_event("2031-01-01@00000000"), "There is no hidden event"),
    ],
)
def test_what_cannot_be_said_changes_nothing(collection: Collection, call: Any, says: str) -> None:
    with pytest.raises((UsageError, EntityNotFound, DocumentNotFound), match=says) as raised:
        call(collection.marks)
    assert raised.value.hint or "Did you mean" in raised.value.message
    assert collection.marks.all(undone=True) == ()


# --- documents and passages ------------------------------------------------------------------


def test_tags_and_stars_are_listed_and_filter(collection: Collection) -> None:
    marks = collection.marks
    first, second = marks.tag("charter.txt", "key", "Freight", note="read first")
    assert marks.tag("charter.txt", "KEY")[0].mark_id == first.mark_id
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
    collection: Collection, store_text: Any, tools: Any
) -> None:
    passage = collection.read.chunks("charter.txt")[1]
    collection.marks.star(passage)
    collection.marks.tag("charter.txt", "key")
    known = collection.document("charter.txt")
    with write_session(collection.folder) as session:  # a file that has changed, and was renamed
        store_text(
            session, "charter final.txt", "A new first page.", *CHARTER, tools=tools,
            document_id=known.document_id, replaces=known.revision,
        )  # fmt: skip
    star, tag = collection.marks.all()
    assert (star.state, star.quote.text, star.quote.provenance.page) == ("in force", CHARTER[1], 3)
    assert tag.mark.document_name == "charter final.txt"
    collection.delete_document("charter final.txt")
    star, tag = collection.marks.all()
    assert (star.state, star.quote, tag.state) == ("document gone", None, "document gone")
    assert star.mark.document_name == "charter.txt"


def test_cutting_a_text_otherwise_moves_no_mark(collection: Collection) -> None:
    chunks = collection.read.chunks("note.txt")
    placed = collection.marks.star(collection.map.find_entity("Lisbon").mentions[-1])
    assert placed.quote.text == "Lisbon"
    assert passage_place(placed.mark, chunks) == (
        chunks[0].chunk_id, placed.quote.char_start, placed.quote.char_end,
    )  # fmt: skip


# --- the timeline ----------------------------------------------------------------------------


def test_own_events_are_cited_and_hidden_ones_gone(collection: Collection) -> None:
    marks = collection.marks
    before = collection.map.timeline()
    own = marks.add_event("7 April 2031", "The freight was late.", source="charter.txt", page=2)
    found = collection.map.timeline()
    mine = next(e for e in found.events if e.mark_id)
    assert (mine.value, mine.description) == ("2031-04-07", "The freight was late.")
    assert mine.quote.text == "Quillon paid the freight of 40,000 dollars on 2 April 2031 in full."
    assert found.total == before.total + 1
    assert [e.value for e in collection.map.timeline(end="2031-04-01").events] == ["2031-03-12"]
    hidden = marks.hide_event(next(e for e in found.events if e.value == "2031-05-05"))
    after = collection.map.timeline()
    assert "2031-05-05" not in {e.value for e in after.events}
    assert after.total == before.total
    assert "1 event is hidden" in after.notes[0]
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
    for wrong, said in (({"date": "someday"}, "someday"), ({"text": " "}, "what happened")):
        with pytest.raises(UsageError, match=said):
            marks.change_event(again.mark_id, **wrong)
    with pytest.raises(UsageError, match="of your own"):
        marks.change_event(own.mark_id, text="Twice.")
    theirs = next(e for e in collection.map.timeline().events if not e.mark_id)
    with pytest.raises(UsageError, match="of your own"):
        marks.change_event(theirs, text="Not mine.")


def test_an_own_event_without_its_source_is_left_out_and_said(collection: Collection) -> None:
    collection.marks.add_event("2031-06-10", "She left.", source="note.txt")
    collection.delete_document("note.txt")
    found = collection.map.timeline()
    assert all(e.mark_id is None for e in found.events)
    assert "source is not in the collection any more" in found.notes[0]


def test_a_report_shows_what_is_the_users(collection: Collection) -> None:
    plain = collection.report(pictures=False)
    assert 'id="marks"' not in plain
    collection.marks.star("charter.txt", note="the one that counts")
    collection.marks.tag(collection.read.chunks("letter.txt")[0], "late <delivery>")
    collection.marks.add_event("2031-07-01", "The ship was sold.", source="note.txt")
    collection.marks.merge("Rosa Lindqvist", "Quillon")
    page = collection.report(pictures=False)
    assert '<a href="#marks">Your marks</a>' in page
    assert "the one that counts" in page
    assert "late &lt;delivery&gt;" in page
    assert "The ship was sold." in page
    assert "added by you" in page
    assert "as you said" in page


# --- what is kept ----------------------------------------------------------------------------


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


MARKS_FAULTS: dict[str, Any] = {
    "removed": lambda path, _: path.unlink(),
    "emptied": lambda path, _: path.write_bytes(b""),
    "zeros": lambda path, _: path.write_bytes(bytes(path.stat().st_size)),
    "cut off": lambda path, _: path.write_bytes(path.read_bytes()[:-30]),
    "cut between lines": lambda path, _: path.write_bytes(path.read_bytes().split(b"\n")[0]),
    "another word": lambda path, _: path.write_bytes(path.read_bytes().replace(b"late", b"mate")),
    "another id": lambda path, _: path.write_bytes(
        path.read_bytes().replace(b'{"mark_id": "m', b'{"mark_id": "n')
    ),
    "a line in two": lambda path, _: path.write_bytes(path.read_bytes().replace(b"late", b"la\ne")),
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
    assert mend(marked) == ["wrote 3 marks back into marks/marks.jsonl from the copy beside it"]
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
    assert ("taken from the copy beside it" in caplog.text) == is_hit
    if marked_before_repair:
        add(marked, [new_mark(kind="tag", value="later")])
        before = (*before, read(marked).all[-1])
        assert before[-1].value == "later"
    elif fault != "copy removed":
        found = check_marks(marked)
        assert not found.ok
        assert "casetrack doctor --repair" in found.remedy
        assert ("marks.jsonl has lost " in found.detail) == is_hit
        assert any(PATH in said for said in mend(marked))
    assert read(marked).all == before
    assert check_marks(marked).ok or fault == "swapped"  # its last line is that of the copy
    stored = Stored(marked)
    assert (stored.lost, stored.copy_is_damaged) == ([], False)


def test_doctor_names_lost_marks_and_writes_them_back(collection: Collection) -> None:
    collection.marks.tag("note.txt", "privileged")
    before = collection.marks.all()
    (collection.folder / FOLDER / FILE).unlink()
    assert opened_anew(collection).marks.all() == before
    found = {c.name: c for c in collection.admin.doctor().checks}["marks"]
    assert found.detail == 'marks/marks.jsonl has lost tag "privileged" of note.txt'
    report = collection.admin.doctor(repair=True)
    assert "wrote 1 of your marks back into marks/marks.jsonl from the copy beside it" in (
        report.repairs
    )
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

        monkeypatch.setattr("casetrack.marks.store.write_atomic", write)

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

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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
    library: Library, collection: Collection, tmp_path
) -> None:
    collection.marks.merge("Bob Tarn", "Quillon")
    collection.marks.tag("letter.txt", "gone soon")
    collection.delete_document("letter.txt")
    report = collection.admin.export(tmp_path)
    assert any("1 mark of yours is not in it" in note for note in report.notes)
    imported = library.get(library.import_archive(report.path).collection_id)
    assert [m.mark.kind for m in imported.marks.all()] == ["merge"]
    (imported.folder / FOLDER / FILE).unlink()
    assert [m.mark.kind for m in imported.marks.all()] == ["merge"]
    assert names(imported, "person") == names(collection, "person")


# --- commands and AI programs ----------------------------------------------------------------


@pytest.fixture
def home(demo_home: Path, tmp_path: Path) -> Path:
    shutil.copytree(demo_home, tmp_path / "home")
    return tmp_path / "home"


def casetrack(home: Path, models: Path, *words: str) -> str:
    mine = {"CASETRACK_HOME": str(home), "CASETRACK_MODELS": str(models)}
    done = subprocess.run(
        [sys.executable, "-m", "casetrack", *words],
        env={**os.environ, **mine},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands(home: Path, models_dir: Path) -> None:
    def run(*words: str) -> str:
        return casetrack(home, models_dir, *words)

    firms = json.loads(run("entities", "--kind", "organization", "--json"))
    one, other = firms[0], firms[1]
    said = run("entity", one["entity_id"], "--merge", other["entity_id"])
    assert f"{other['name']} is {one['name']} from now on." in said
    shown = run("entity", one["name"], "-k", "1")
    assert f"You joined “{other['name']}” with it" in shown
    assert json.loads(run("entities", "--kind", "organization", "--json"))[0]["edited_by_user"]
    run("entity", one["name"], "--undo")
    assert "You joined" not in run("entity", one["name"], "-k", "1")

    name = json.loads(run("documents", "--json"))[0]["name"]
    run("tag", name, "privileged", "--note", "ask first")
    run("star", name, "--page", "1")
    assert name in run("documents", "--tag", "privileged")
    assert name in run("documents", "--starred")
    assert "ask first" in run("marks")
    run("tag", name, "--remove")
    assert "ask first" not in run("marks")

    added = run("timeline", "--add", "2024-02-29", "A day of ours", "--source", name, "--page", "1")
    assert "On the timeline, as yours: 2024-02-29" in added
    assert "A day of ours  (yours)" in run("timeline", "-k", "500")
    own = next(e for e in json.loads(run("timeline", "--json"))["events"] if e["mark_id"])
    changed = run("timeline", "--change", own["mark_id"], "-", "A day of theirs")
    assert "On the timeline, as yours: 2024-02-29  A day of theirs (" in changed
    event = next(e for e in json.loads(run("timeline", "--json"))["events"] if not e["mark_id"])
    key = f"{event['date']}@{event['source']['chunk_id'][:8]}"
    run("timeline", "--hide", key)
    assert key not in run("timeline", "-k", "500")
    run("timeline", "--unhide", key)
    assert key in run("timeline", "-k", "500")


def test_ai_programs(home: Path, models_dir: Path) -> None:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    mine = {"CASETRACK_HOME": str(home), "CASETRACK_MODELS": str(models_dir)}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "casetrack", "serve"], env={**os.environ, **mine}
    )

    async def talk() -> list[Any]:
        async with Client(stdio_client(server)) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                return await client.call_tool(tool, {"collection": "Demo", **arguments})

            people = await call("list_entities", entity_type="person", top_k=2)
            one, other = (e["name"] for e in people.structured_content["entities"])
            merged = await call("mark", action="merge", target=one, value=other)
            mentions = await call("get_entity_mentions", entity_name=one)
            refused = await call("mark", action="merge", target=one)
            listed = await call("list_marks")
            mark = merged.structured_content["marks"][0]["mark_id"]
            undone = await call("mark", action="undo", target=mark)
            return [merged, mentions, refused, listed, undone]

    merged, mentions, refused, listed, undone = anyio.run(talk)
    mark = merged.structured_content["marks"][0]
    assert (mark["kind"], mark["state"]) == ("merge", "in force")
    assert mark["mark_id"] in mentions.structured_content["edits"][0]
    assert "The user's word: You joined" in mentions.content[0].text
    assert refused.is_error
    assert "needs value" in refused.content[0].text
    assert [m["mark_id"] for m in listed.structured_content["marks"]] == [mark["mark_id"]]
    assert undone.structured_content["marks"][0]["state"] == "undone"
