"""The data folder that faults are planted into: small, and with one of everything that is kept."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.api.watch.watch_list import WatchList
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from fakes import FakeEncoders, WordEncoder
from stub_source import StubSource

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.provenance import Provenance

VICTIM, BYSTANDER = "Harbour", "Bridge"
QUESTIONS = {"rent of the harbour": "keyword", "who has the marker": "full"}
"""Queries and modes: by words alone, and by words and vectors."""
_PROFILE = "ollama"  # a profile of a service settles the length of its vectors itself
_LETTER = (
    'Agreement between Acme Ltd (the "Lessee") and Borough Harbour Trust, dated {day} March 2024.\n'
    "The rent of the harbour is EUR {amount},500.00 a year and falls due on {day} April 2024.\n"
    "As held in Smith v. Jones, 410 U.S. 113 (1973), a deposit is owed by the Lessee.\n"
)


def open_library(data_dir: Path, /) -> Library:
    """Open the data folder as a program that starts, with models that can be reckoned with."""
    library = Library(load_settings(data_dir), tier=UNLIMITED)
    models = FakeEncoders(WordEncoder(_PROFILE, 12, token_width=4, has_sparse=True))
    library.encoders = models  # type: ignore[assignment]
    return library


def make(data_dir: Path, files: Path, /) -> None:
    """Make the data folder and the files that it was made from."""
    library = open_library(data_dir)
    for name, numbers in ((VICTIM, range(3)), (BYSTANDER, range(20, 21))):
        folder = files / name
        folder.mkdir(parents=True)
        for number in numbers:
            _write(folder, number)
        if name == VICTIM:
            _write_mail(folder, numbers.start)
        collection = library.create(name, profile=_PROFILE, tags=("a", "b"))
        report = collection.ingest([folder])
        assert not report.count("failed"), report
        collection.marks.star(collection.documents()[0])
        if name == VICTIM:
            _use(collection, folder, numbers.start)
    with library.jobs.run("ingest", title="Harbour", collection=library.find(VICTIM)):
        pass
    WatchList(data_dir).add(library.find(VICTIM).id, files / VICTIM, schedule="manual")
    answers(library.get(VICTIM))
    glance(library.get(BYSTANDER))


def _write(folder: Path, number: int) -> None:
    lines = "".join(
        f"Line {i} of file {number} has the marker and uniq{number}.\n"
        for i in range(20 * number % 60)
    )
    text = _LETTER.format(day=number % 20 + 1, amount=number + 3)
    (folder / f"{number:02d}.txt").write_text(f"{text}\n{lines}", encoding="utf-8")


def _write_mail(folder: Path, first: int) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ann Lee <ann@acme.example>", "Bob Ray <bob@trust.example>"
    mail["Subject"], mail["Date"] = f"Offer {first}", "Tue, 12 Mar 2024 09:00:00 +0000"
    mail["Message-ID"] = f"<{first}@acme.example>"
    mail.set_content("The marker is in this mail. Please see the offer.")
    mail.add_attachment(f"Offer of EUR 12,000 with the marker {first}.", filename="offer.txt")
    (folder / "mail.eml").write_bytes(mail.as_bytes())


def _use(collection: Collection, folder: Path, first: int) -> None:
    """Give a collection the parts of a used one: states, a source, dead rows."""
    collection.sync_source(StubSource({"a.md": f"# Pier {first}\n\nThe marker of the source."}))
    collection.admin.take_snapshot("first")
    collection.delete_document(f"{first + 1:02d}.txt")
    (folder / f"{first + 1:02d}.txt").unlink()
    _write(folder, first + 5)
    collection.ingest([folder / f"{first + 5:02d}.txt"])
    collection.admin.take_snapshot("second")


_TABLES = {
    "entities": "kind, name, mention_count, document_count",
    "mentions": "kind, name, document_name, text",
    "references": "type, name",
    "edges": "source_kind, target_kind, type, round(weight, 6)",
}
"""Compared tables, without columns that change when a file is read again, such as ids and times."""


def answers(collection: Collection, /) -> dict[str, list[str]]:
    """Return the answers of a collection; equal files give equal answers."""
    by_name: dict[str, list[str]] = {}
    for question, mode in QUESTIONS.items():
        results = collection.search(question, limit=50, mode=mode)
        by_name[f"search {mode}: {question}"] = [_passage(h.text, h.provenance) for h in results]
    documents = collection.documents()
    by_name["documents"] = [f"{d.name} {d.path} {d.chunk_count}" for d in documents]
    chunks = [c for d in documents for c in collection.read.chunks(d)]
    by_name["chunks"] = [_passage(c.text, c.provenance) for c in chunks]
    for name, columns in _TABLES.items():
        rows = collection.sql(f'SELECT {columns} FROM "{name}"').to_pylist()
        by_name[f"table {name}"] = [repr(list(row.values())) for row in rows]
    by_name["timeline"] = [
        f"{e.date} {e.quote.text if e.quote else e.date}" for e in collection.map.timeline()
    ]
    by_name["marks"] = [mark.mark_id for mark in collection.marks.all()]
    return {what: sorted(rows) for what, rows in by_name.items()}


def glance(collection: Collection, /) -> dict[str, list[str]]:
    """Return a digest that identifies an untouched collection."""
    hits = collection.search(next(iter(QUESTIONS)), limit=50)
    return {
        "search": sorted(_passage(h.text, h.provenance) for h in hits),
        "documents": [d.name for d in collection.documents()],
        "marks": [mark.mark_id for mark in collection.marks.all()],
    }


def _passage(text: str, place: Provenance) -> str:
    lines = f"{place.line_start}-{place.line_end}, {place.char_start}-{place.char_end}"
    return f"{place.document_path}, {place.cite()}, {lines}, {place.source}\n{text}"


def states(collection: Collection, /) -> list[str]:
    """Return the names of its snapshots."""
    return sorted(str(s.name) for s in collection.admin.snapshots(limit=5) if s.name)
