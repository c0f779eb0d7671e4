"""Files that were read in part: what there is can be found, and the rest is named."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.config import ParseLimits
from casetrack.library import Library
from casetrack.readers.workers.pool import ParsePool

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.records import FileOutcome

HOSTILE = Path(__file__).parents[1] / "readers"


def limited(library: Library, **limits: int) -> Collection:
    """Return the collection under other limits, as after a change of config.toml."""
    settings = replace(library.settings, parse=ParseLimits(**limits))
    return Library(settings).get("Case")


def five_pages(folder: Path) -> Path:
    path = folder / "five.txt"
    path.write_text("\f".join(f"The page number {n} stands here." for n in range(1, 6)), "utf-8")
    return path


def only(collection: Collection, path: Path) -> FileOutcome:
    (outcome,) = collection.ingest([path]).outcomes
    return outcome


def test_a_partial_document_is_read_again_only_under_other_conditions(
    library: Library, tmp_path: Path
) -> None:
    library.create("Case")
    path = five_pages(tmp_path)
    first = only(limited(library, max_pages=2), path)
    assert (first.status, first.pages) == ("partial", 2)
    assert "max_pages" in first.message
    assert library.get("Case").document("five.txt").missing == (first.message,)
    rows = library.get("Case").sql("SELECT missing FROM documents")
    assert rows["missing"].to_pylist() == [[first.message]]
    again = only(limited(library, max_pages=2), path)
    assert (again.status, again.code, again.document_id) == (
        "skipped",
        "duplicate",
        first.document_id,
    )
    more = only(limited(library, max_pages=4), path)
    assert (more.status, more.updated, more.pages) == ("partial", True, 4)
    whole = only(limited(library), path)
    assert (whole.status, whole.updated, whole.message, whole.pages) == ("ingested", True, "", 5)
    assert whole.document_id == first.document_id
    # A whole document is whole under any conditions.
    assert only(limited(library, max_pages=2), path).code == "duplicate"
    collection = library.get("Case")
    assert collection.document("five.txt").missing == ()
    assert len(collection.documents()) == 1
    assert collection.admin.doctor().ok


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let readers that go wrong read the files."""
    monkeypatch.syspath_prepend(str(HOSTILE))
    readers = functools.partial(ParsePool, readers="hostile_readers:READERS")
    monkeypatch.setattr("casetrack.ingest.batch.ParsePool", readers)


@pytest.mark.sampled(1)
@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    ("name", "words"), [("a.late", "second half is missing"), ("a.late_crash", "SIGSEGV")]
)
def test_a_file_that_goes_wrong_half_way_is_partial(
    library: Library, tmp_path: Path, name: str, words: str
) -> None:
    collection = library.create("Case")
    path = tmp_path / name
    path.write_text("3")
    report = collection.ingest([path])
    outcome = report.outcomes[0]
    assert (outcome.status, outcome.pages) == ("partial", 3)
    assert words in outcome.message
    assert collection.document(name).missing == (outcome.message,)
    assert len(collection.search("good", mode="keyword", document=name, fold=False)) == 3
    assert collection.admin.doctor().ok


@pytest.mark.usefixtures("hostile")
def test_a_file_without_any_text_before_the_error_is_a_failure(
    library: Library, tmp_path: Path
) -> None:
    collection = library.create("Case")
    path = tmp_path / "a.late_blank"
    path.write_text("3")
    outcome = only(collection, path)
    assert (outcome.status, outcome.code) == ("failed", "parse_failed")
    assert collection.documents() == []
