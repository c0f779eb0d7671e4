"""A passage that differs from its checksum is never shown, and every face reports it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import lance
import pytest

from casetrack.api.library import Library
from casetrack.base.errors import PassagesDamaged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

TEXTS = {
    "bill.txt": "On 4 May 2021 Ann Miller paid 40 EUR for liquidated damages of the ferry.",
    "note.txt": "On 6 May 2021 Ann Miller wrote that the ferry leaves at noon.",
}


@pytest.fixture
def collection(library: Library, tmp_path: Path) -> Collection:
    """Return a collection of two texts, in one of which a letter was changed on disk."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    made = library.create("C")
    assert made.ingest([tmp_path / name for name in TEXTS]).count("ingested") == 2
    assert len(made.map.timeline().events) == 2
    rows = lance.dataset(made.folder / "chunks.lance")
    rows.update({"text": "replace(text, 'liq', 'lhq')"}, where="document_name = 'bill.txt'")
    return Library(library.settings).get("C")


def anew(collection: Collection) -> Collection:
    """Return it without anything that was made of the texts before."""
    shutil.rmtree(collection.folder / "views")
    return Library(collection.workspace.settings).get(collection.name)


def test_search_leaves_it_out_and_says_so(
    collection: Collection, messages: Callable[..., None]
) -> None:
    # The text of the earlier index is intact.
    answer = collection.search("ferry paid", mode="keyword")
    assert {r.text for r in answer} == set(TEXTS.values())
    answer = anew(collection).search("ferry paid", mode="keyword")
    assert [(r.rank, r.text) for r in answer] == [(1, TEXTS["note.txt"])]
    (note,) = answer.notes
    assert "bill.txt" in note
    messages(note)


def test_reading_it_is_refused(collection: Collection) -> None:
    (whole,) = collection.read.chunks("note.txt")
    assert whole.text == TEXTS["note.txt"]
    with pytest.raises(PassagesDamaged) as refused:
        collection.read.chunks("bill.txt")
    assert refused.value.documents == ("bill.txt",)
    assert "casetrack doctor --repair" in refused.value.hint


def test_sql_leaves_it_out_and_says_so(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    for sql, rows in (
        ("SELECT document_name, text FROM chunks", 1),
        ("SELECT c FROM chunks AS c", 1),  # once more, in the database that was kept
        ("SELECT document_name, text FROM pages", 1),
        ("SELECT text FROM chunks JOIN documents USING (document_id) WHERE name = 'bill.txt'", 0),
        ("SELECT page FROM chunks", 2),  # the text as written
    ):
        caplog.clear()
        table = collection.sql(sql)
        assert table.num_rows == rows
        assert "lhq" not in str(table.to_pylist())
        assert any("bill.txt" in messages for messages in caplog.messages) == (rows < 2)


def test_the_map_knows_nothing_of_it(collection: Collection) -> None:
    before = {str(e.date): e.quote for e in collection.map.timeline().events}
    assert before["2021-05-06"].text == "6 May 2021"
    assert before["2021-05-04"].text == ""
    assert "40 EUR" not in before["2021-05-04"].snippet
    days = {str(event.date) for event in anew(collection).map.timeline().events}
    assert days == {"2021-05-06"}
