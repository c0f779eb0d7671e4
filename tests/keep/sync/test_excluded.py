"""Files that were taken out of a collection for good: no sync and no folder brings them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sync_case import Case

    Steps = Callable[[Case], object]

OUT = "sub/out.txt"


@pytest.fixture
def filled(case: Case) -> Case:
    """A synced folder, one file of which was deleted from the collection and excluded."""
    case.write("a.txt", "About rent.")
    case.write(OUT, "About goods.")
    case.sync()
    case.collection.delete_document("out.txt", exclude=True)
    return case


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("steps", "path"),
    [
        (lambda case: None, OUT),
        (lambda case: case.write(OUT, "About goods, changed."), OUT),
        (lambda case: case.move(OUT, "elsewhere.txt"), "elsewhere.txt"),
    ],
    ids=["as it was", "changed", "moved"],
)
def test_an_excluded_file_stays_out(filled: Case, steps: Steps, path: str) -> None:
    steps(filled)
    for options in ({"dry_run": True}, {}, {"remove_deleted": True}):
        report = filled.sync(**options)
        assert filled.told(report) == {("skipped", path)}
        (change,) = report.changes
        assert change.code == "excluded"
        assert change.hint
    assert set(filled.texts()) == {"a.txt"}
    (kept_out,) = filled.collection.admin.excluded()
    assert (kept_out.name, filled.relative(kept_out.path)) == ("out.txt", OUT)


def test_a_folder_leaves_it_out_and_its_name_brings_it_back(filled: Case) -> None:
    report = filled.collection.ingest(filled.folder)
    outcomes = {filled.relative(o.path): (o.status, o.code) for o in report.outcomes}
    assert outcomes[OUT] == ("skipped", "excluded")
    filled.collection.ingest(filled.folder / OUT)
    assert set(filled.texts()) == {"a.txt", OUT}
    assert filled.collection.admin.excluded() == []
    assert filled.told(filled.sync()) == set()
    filled.write(OUT, "About goods, changed.")
    assert filled.told(filled.sync()) == {("changed", OUT)}


def test_deleting_alone_keeps_nothing_out_and_tells_what_brings_it_back(filled: Case) -> None:
    admin = filled.collection.admin
    assert admin.brought_back_by("a.txt") == str(filled.folder)
    filled.collection.delete_document("a.txt")
    assert filled.told(filled.sync()) == {("new", "a.txt"), ("skipped", OUT)}
    filled.remove("a.txt")
    assert admin.brought_back_by("a.txt") is None


def test_what_is_inside_a_file_cannot_be_kept_out_alone(case: Case) -> None:
    case.write(
        "mail.eml",
        "From: a@example.org\nSubject: Goods\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\nAbout rent.\n--x\n'
        'Content-Disposition: attachment; filename="offer.txt"\n\nAbout goods.\n--x--\n',
    )
    case.sync()
    with pytest.raises(UsageError, match=r"offer\.txt"):
        case.collection.delete_document("offer.txt", exclude=True)
    assert len(case.texts()) == 2
    assert case.collection.admin.brought_back_by("offer.txt") is None


def test_a_list_that_cannot_be_read_stops_the_sync(filled: Case) -> None:
    path = filled.collection.folder / "excluded.json"
    path.write_text('{"format": 1, "files": [{"pa', encoding="utf-8")
    with pytest.raises(StorageError, match=r"excluded\.json"):
        filled.sync()
    assert set(filled.texts()) == {"a.txt"}
