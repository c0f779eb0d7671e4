"""Files inside files: separate documents that are added and removed with their container."""

from __future__ import annotations

import io
import threading
from email.message import EmailMessage
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pymupdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from casetrack.api.library import Library
from casetrack.base.errors import StorageError
from casetrack.store.session import WriteSession

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Document, FileOutcome, IngestProgress, IngestReport

File = tuple[str, bytes]


@pytest.fixture
def collection(library: Library) -> Collection:
    return library.create("Case")


def pdf(text: str, *, password: str | None = None) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, encrypt=password)
    canvas.drawString(72, 720, text)
    canvas.save()
    return target.getvalue()


def message(subject: str, text: str, *attached: File | EmailMessage) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = "ada@example.org", "bert@example.org"
    mail["Subject"], mail["Date"] = subject, "Mon, 04 Nov 2024 09:30:00 +0000"
    mail.set_content(text)
    for item in attached:
        if isinstance(item, EmailMessage):
            mail.add_attachment(item)
        else:
            name, data = item
            mail.add_attachment(data, "application", "octet-stream", filename=name)
    return mail


def save(folder: Path, mail: EmailMessage, name: str = "mail.eml") -> Path:
    path = folder / name
    path.write_bytes(bytes(mail))
    return path


def inside(report: IngestReport, mail: Path) -> list[tuple[str, str, str]]:
    """Return path below the mail, status and code of each outcome, in order."""
    ends = []
    for outcome in report.outcomes:
        assert outcome.path.startswith(str(mail))
        ends.append((outcome.path.removeprefix(str(mail)), outcome.status, outcome.code))
    return ends


def copies(collection: Collection) -> set[str]:
    folder = collection.folder / "originals"
    return {p.name for p in folder.rglob("*") if p.is_file()}


def by_place(collection: Collection, mail: Path) -> dict[str, Document]:
    return {d.path.removeprefix(str(mail)): d for d in collection.documents()}


def of(report: IngestReport, end: str) -> FileOutcome:
    (actual,) = [o for o in report.outcomes if o.path.endswith(end)]
    return actual


def test_attachments_are_documents_of_their_own(collection: Collection, tmp_path: Path) -> None:
    nested = message("The inner one", "Words of the inner mail.", ("deep.txt", b"Deep words."))
    mail = save(
        tmp_path,
        message(
            "The outer one",
            "Words of the outer mail.",
            ("plan.pdf", pdf("A plan for the quarry")),
            ("note.txt", b"A note about the ferry."),
            ("note.txt", b"Another note, of the same name."),
            ("empty.txt", b""),
            ("../../x.txt", b"A hostile name hides a lantern."),
            ("program.exe", b"MZ\x00\x01" * 20),
            nested,
        ),
    )
    report = collection.ingest([mail])
    ends = inside(report, mail)
    (nested_at,) = [place for place, _, _ in ends if place.endswith(".eml")]
    assert ends == [
        ("", "ingested", ""),
        ("/plan.pdf", "ingested", ""),
        ("/note.txt", "ingested", ""),
        ("/note (2).txt", "ingested", ""),
        ("/x.txt", "ingested", ""),
        ("/program.exe", "skipped", "unsupported_format"),
        (nested_at, "ingested", ""),
        (f"{nested_at}/deep.txt", "ingested", ""),
    ]
    assert "casetrack-" not in "".join(o.message for o in report.outcomes)

    result = by_place(collection, mail)
    assert set(result) == {place for place, status, _ in ends if status == "ingested"}
    root = result[""]
    assert root.parent_id is None
    assert root.original_copy is None
    for place, document in result.items():
        if place == "":
            continue
        holder = result[place.rpartition("/")[0]]
        assert document.parent_id == holder.document_id
        assert document.name == PurePosixPath(place).name
        copy = collection.folder / document.original_copy
        assert copy.is_relative_to(collection.folder / "originals")
        assert copy.stat().st_size == document.file_size
        assert document.file_modified_at == root.file_modified_at
    assert not list(tmp_path.glob("x.txt"))
    (hit,) = collection.search("lantern", mode="keyword")
    assert hit.provenance.document_path == f"{mail}/x.txt"
    assert collection.read.structure(str(mail)).attachments == tuple(
        sorted(
            (d for d in result.values() if d.parent_id == root.document_id), key=lambda d: d.path
        )
    )
    assert collection.admin.doctor().ok


@pytest.mark.slow
def test_a_protected_attachment_fails_alone_and_opens_with_its_password(
    collection: Collection, tmp_path: Path
) -> None:
    locked = ("locked.pdf", pdf("The secret of the quarry", password="sesame"))
    mail = save(tmp_path, message("One", "Words of the mail.", locked, ("a.txt", b"Open words.")))
    report = collection.ingest([mail])
    assert inside(report, mail) == [
        ("", "partial", ""),
        ("/locked.pdf", "failed", "encrypted"),
        ("/a.txt", "ingested", ""),
    ]
    failed = of(report, "locked.pdf")
    assert f"{mail}/locked.pdf" in failed.message
    assert '"locked.pdf"' in report.outcomes[0].message
    again = collection.ingest([mail], passwords=["sesame"])
    assert of(again, "locked.pdf").status == "ingested"
    assert len(collection.search("secret quarry", mode="keyword")) == 1
    assert collection.admin.doctor().ok


@pytest.mark.slow
def test_a_changed_mail_lets_go_what_it_no_longer_holds(
    collection: Collection, tmp_path: Path
) -> None:
    nested = message("Inner", "Words of the inner mail.", ("deep.txt", b"Deep words."))
    kept, old = ("kept.txt", b"Kept words."), ("old.txt", b"Old words with a lantern.")
    mail = save(tmp_path, message("One", "First words.", kept, old, nested))
    collection.ingest([mail])
    before = by_place(collection, mail)
    assert len(before) == 5
    save(tmp_path, message("One", "Second words.", kept, ("new.txt", b"New words.")))
    report = collection.ingest([mail])
    assert inside(report, mail) == [
        ("", "ingested", ""),
        ("/kept.txt", "skipped", "duplicate"),
        ("/new.txt", "ingested", ""),
    ]
    now = by_place(collection, mail)
    assert set(now) == {"", "/kept.txt", "/new.txt"}
    assert now["/kept.txt"] == before["/kept.txt"]
    assert now[""].document_id == before[""].document_id
    assert copies(collection) == {"kept.txt", "new.txt"}
    assert len(collection.search("lantern", mode="keyword")) == 0
    assert collection.admin.doctor().ok


@pytest.mark.slow
def test_deleting_the_mail_deletes_what_it_holds(collection: Collection, tmp_path: Path) -> None:
    nested = message("Inner", "Words of the inner mail.", ("deep.txt", b"Deep words."))
    mail = save(tmp_path, message("One", "Words.", ("a.txt", b"Words of the file."), nested))
    other = save(tmp_path, message("Two", "Others.", ("b.txt", b"Words to stay.")), "other.eml")
    collection.ingest([mail, other])
    assert len(collection.documents()) == 6
    collection.delete_document(str(mail))
    assert set(by_place(collection, other)) == {"", "/b.txt"}
    assert copies(collection) == {"b.txt"}
    assert mail.exists()
    assert collection.admin.doctor().ok
    assert collection.ingest([mail]).count("ingested") == 4


@pytest.mark.slow
def test_cancelled_between_attachments_a_rerun_completes(
    collection: Collection, tmp_path: Path
) -> None:
    files = [(f"{n}.txt", f"File number {n}. ".encode() * 400) for n in range(12)]
    mail = save(tmp_path, message("One", "Words of the mail.", *files))
    cancel = threading.Event()

    def stop(moment: IngestProgress) -> None:
        if moment.chunks:
            cancel.set()

    report = collection.ingest([mail], progress=stop, cancel=cancel)
    assert report.cancelled
    assert of(report, "mail.eml").code == "cancelled"
    assert str(mail) not in {d.path for d in collection.documents()}
    assert collection.admin.doctor().ok
    again = collection.ingest([mail])
    assert not again.cancelled
    assert again.outcomes[0].status == "ingested"
    check_whole(collection, mail, 12)


def check_whole(collection: Collection, mail: Path, attached: int) -> None:
    result = by_place(collection, mail)
    assert len(result) == 1 + attached
    root = result.pop("")
    assert {d.parent_id for d in result.values()} == {root.document_id}
    assert len(copies(collection)) == attached
    assert collection.admin.doctor().ok


def stop_before_the_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the writer fail as soon as a mail is to be stored, with its attachments committed."""
    real = WriteSession.finish

    def finish(self: WriteSession, document: Document, /, *, replaces: str | None = None) -> None:
        if document.format == "eml":
            raise StorageError("stopped", hint="")
        real(self, document, replaces=replaces)
        self.commit()

    monkeypatch.setattr(WriteSession, "finish", finish)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("keeps_both", [True, False], ids=["unchanged", "one less"])
def test_stopped_before_the_mail_a_rerun_completes(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeps_both: bool
) -> None:
    files = [("a.txt", b"First words."), ("b.txt", b"Second words.")]
    mail = save(tmp_path, message("One", "Words of the mail.", *files))
    with monkeypatch.context() as patch:
        stop_before_the_mail(patch)
        with pytest.raises(StorageError, match="stopped"):
            collection.ingest([mail])
    assert set(by_place(collection, mail)) == {"/a.txt", "/b.txt"}
    if not keeps_both:
        save(tmp_path, message("One", "Words of the mail.", files[0]))
    collection.ingest([mail])
    check_whole(collection, mail, 2 if keeps_both else 1)
    report = collection.ingest([mail])
    assert inside(report, mail) == [("", "skipped", "duplicate")]


def test_the_settings_file_limits_attachments(library: Library, tmp_path: Path) -> None:
    library.create("Case")
    config = library.settings.data_dir / "config.toml"
    config.write_text("[parse]\nmax_attachments = 2\nattachment_depth = 1\n", encoding="utf-8")
    collection = Library.open(library.settings.data_dir).get("Case")
    nested = message("Inner", "Inner words.", ("deep.txt", b"Deep words."))
    files = [("a.txt", b"First words."), ("b.txt", b"Second words.")]
    mail = save(tmp_path, message("One", "Words.", nested, *files))
    report = collection.ingest([mail])
    root = report.outcomes[0]
    assert root.status == "partial"
    assert "max_attachments" in root.message
    assert [o.code for o in report.outcomes[1:]] == ["", "parse_limit", ""]
    assert "attachment_depth" in report.outcomes[2].message
    # A higher limit: the omitted files are added, the others remain.
    config.unlink()
    whole = Library.open(library.settings.data_dir).get("Case")
    assert whole.ingest([mail]).outcomes[0].status == "ingested"
    places = by_place(whole, mail)
    assert {"", "/a.txt", "/b.txt"} < set(places)
    assert len(places) == 5
    assert [place for place in places if place.endswith(".eml/deep.txt")]
    assert whole.admin.doctor().ok


@pytest.mark.slow
def test_a_pdf_without_text_still_yields_what_is_embedded(
    collection: Collection, tmp_path: Path
) -> None:
    path = tmp_path / "cover.pdf"
    with pymupdf.open() as made:
        made.new_page()
        made.embfile_add("inside.txt", b"The words inside the empty cover.")
        made.save(path)
    report = collection.ingest([path])
    assert inside(report, path) == [("", "skipped", "no_text"), ("/inside.txt", "ingested", "")]
    (document,) = collection.documents()
    assert document.parent_id is None
    copy = collection.folder / document.original_copy
    assert copy.read_bytes() == b"The words inside the empty cover."
    again = collection.ingest([path])
    assert of(again, "inside.txt").code == "duplicate"
    assert collection.admin.doctor().ok
    collection.delete_document("inside.txt")
    assert copies(collection) == set()
