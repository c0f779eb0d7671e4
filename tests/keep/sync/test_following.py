"""Documents that follow their files, with their attachments; killed at any moment."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from casetrack.keep.sync import move as move_room
from casetrack.keep.sync.cache import FileState, LedgerRow
from casetrack.keep.sync.plan import SyncPlanner, pair
from casetrack.keep.sync.run import Sync
from casetrack.keep.sync.scan import FolderScan

if TYPE_CHECKING:
    from pathlib import Path

    from sync_case import Case


class Killed(BaseException):
    """Ends a program at once."""


def mail(case: Case, name: str, text: str, **attached: str) -> None:
    message = EmailMessage()
    message["Subject"] = "About the lease"
    message["From"] = "a@example.org"
    message.set_content(text)
    for file, content in attached.items():
        message.add_attachment(content.encode(), "text", "plain", filename=f"{file}.txt")
    path = case.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(message))


@pytest.mark.slow
def test_attachments_go_with_their_mail(case: Case) -> None:
    mail(case, "in/a.eml", "See the offer.", offer="The offer.", terms="The terms.")
    case.sync()
    before = case.ids()
    case.encoder.seen.clear()
    (case.folder / "in").rename(case.folder / "out")
    case.move("out/a.eml", "out/b.eml")
    report = case.sync(remove_deleted=True)
    assert case.told(report) == {("moved", "in/a.eml", "out/b.eml")}
    assert case.ids() == {p.replace("in/a.eml", "out/b.eml"): i for p, i in before.items()}
    assert not case.encoder.seen
    hit = case.collection.search("offer", mode="keyword", document="offer.txt")[0]
    assert hit.provenance.document_path.endswith("out/b.eml/offer.txt")
    copies = [d.original_copy for d in case.collection.documents() if d.parent_id]
    assert all((case.collection.folder / copy).is_file() for copy in copies)
    assert case.collection.admin.doctor().ok
    case.remove("out/b.eml")
    case.write("a.txt", "One file stays.")
    assert case.told(case.sync(remove_deleted=True)) == {("removed", "out/b.eml"), ("new", "a.txt")}
    assert case.ids().keys() == {"a.txt"}
    assert not any((case.collection.folder / copy).exists() for copy in copies)


@pytest.mark.slow
def test_an_attachment_may_get_another_name(case: Case) -> None:
    mail(case, "a.eml", "See the offer.", offer="The offer.")
    case.sync()
    mail(case, "a.eml", "See the offer.", tender="The offer.")
    case.sync()
    assert case.ids().keys() == {"a.eml", "a.eml/tender.txt"}


def test_what_is_inside_a_file_without_text_goes_with_that_file(tmp_path: Path) -> None:
    scan = tmp_path / "in" / "scan.pdf"
    scan.parent.mkdir()
    scan.write_text("a portfolio without any text of its own")
    # The former container is unknown: no document has the path of the file.
    row = _row(str(scan / "offer.txt"), "one")

    def gone() -> list[LedgerRow]:
        seen = FolderScan(str(tmp_path))
        return SyncPlanner(seen, [row], remove=True, read_with=str).plan().gone

    assert gone() == []
    scan.unlink()
    assert gone() == [row]
    scan.parent.rmdir()
    assert gone() == [row]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("point", ["_renamed", "_begin", "_end"])
def test_killed_at_any_moment_the_next_sync_completes_it(
    case: Case, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    for name in ("a", "b", "c", "d"):
        case.write(f"{name}.txt", f"All about {name * 3}.")
    case.sync()
    ids = case.ids()
    case.move("a.txt", "x")
    case.move("b.txt", "a.txt")
    case.move("x", "b.txt")
    case.write("c.txt", "Another text.")
    case.remove("d.txt")
    case.write("e.txt", "New.")

    def kill(*_: object) -> None:
        raise Killed

    real = Sync._begin

    def begin(self: Sync, session: object) -> object:
        real(self, session)
        raise Killed

    place = move_room if point == "_renamed" else Sync
    monkeypatch.setattr(place, point, begin if point == "_begin" else kill)
    with pytest.raises(Killed):
        case.sync(remove_deleted=True)
    monkeypatch.undo()
    assert case.collection.admin.doctor().checks[0].ok
    case.sync(remove_deleted=True)
    assert case.ids().keys() == {"a.txt", "b.txt", "c.txt", "e.txt"}
    assert (case.ids()["a.txt"], case.ids()["b.txt"]) == (ids["b.txt"], ids["a.txt"])
    assert not case.sync(remove_deleted=True).changes
    assert case.collection.admin.doctor().ok


def test_half_an_exchange_is_completed(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two commits of one exchange two documents have the same path."""
    case.write("a.txt", "All about a.")
    case.write("b.txt", "All about b.")
    case.sync()
    ids = case.ids()
    case.move("a.txt", "x")
    case.move("b.txt", "a.txt")
    case.move("x", "b.txt")

    real = Sync._begin
    monkeypatch.setattr(move_room, "_GROUP_DOCUMENTS", 1)
    tells = 0

    def begin(self: Sync, session: object) -> object:
        def tell(what: str, _done: int, _total: int) -> None:
            nonlocal tells
            if what == "moving":
                session.commit()
                raise Killed

        object.__setattr__(self, "tell", tell)
        return real(self, session)

    monkeypatch.setattr(Sync, "_begin", begin)
    with pytest.raises(Killed):
        case.sync()
    monkeypatch.undo()
    assert len({d.path for d in case.collection.documents()}) == 1
    report = case.sync(remove_deleted=True)
    assert report.count("moved") == 1
    assert case.ids() == {"a.txt": ids["b.txt"], "b.txt": ids["a.txt"]}


def _row(path: str, digest: str) -> LedgerRow:
    return LedgerRow(path, path, path, digest, None, False, None)


def _file(path: str, digest: str) -> FileState:
    return FileState(path, None, digest)


@pytest.mark.parametrize(
    ("rows", "files", "expected"),
    [
        ("a/x.txt", "b/x.txt a/y.txt", {("a/x.txt", "b/x.txt")}),
        ("a/x.txt", "c.txt b.txt", {("a/x.txt", "b.txt")}),
        ("a/x.txt", "a.md z.txt", {("a/x.txt", "z.txt")}),
        ("a/x.txt", "a.md", {("a/x.txt", "a.md")}),
        ("2.txt 1.txt", "8.txt 9.txt", {("1.txt", "8.txt"), ("2.txt", "9.txt")}),
        ("1.txt 2.txt", "d/2.txt e.txt", {("1.txt", "e.txt"), ("2.txt", "d/2.txt")}),
        ("1.txt 2.txt", "9.txt", {("1.txt", "9.txt")}),
    ],
)
def test_which_file_a_document_follows(
    rows: str, files: str, expected: set[tuple[str, str]]
) -> None:
    for one, other in ((rows.split(), files.split()), (rows.split()[::-1], files.split()[::-1])):
        actual = pair([_row(p, "same") for p in one], [_file(p, "same") for p in other])
        assert {(row.path, file.path) for row, file in actual} == expected
    assert not pair([_row("a.txt", "one")], [_file("a.txt", "other")])
