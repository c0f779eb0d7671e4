"""A paper that is worked on is read from a file, or from the case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from casetrack.base.errors import FileEncrypted, FileNotFound, NoText, UsageError
from casetrack.editions.legal.drafts import read_draft

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

SENTENCES = ("The court held otherwise.", "Daubert v. Merrell Dow, 509 U.S. 579, 593 (1993).")


def brief(path: Path, *, password: str | None = None) -> Path:
    """Write a PDF of two pages, a sentence on each."""
    canvas = Canvas(str(path), pagesize=(612, 792), encrypt=password)
    for sentence in SENTENCES:
        canvas.drawString(72, 700, sentence)
        canvas.showPage()
    canvas.save()
    return path


def test_a_file_gives_its_pages_and_where_its_lines_stand(library: Library, tmp_path: Path) -> None:
    draft = read_draft(brief(tmp_path / "Brief.pdf"), settings=library.settings)
    assert draft.name == "Brief.pdf"
    assert draft.document is None
    assert tuple(p.text for p in draft.whole.pages) == SENTENCES
    start = draft.whole.text.index("509")
    (page, boxes), *rest = draft.boxes(start, start + 3).items()
    assert (page, len(boxes), rest) == (2, 1, [])
    assert boxes[0].y0 < 792 - 700 < boxes[0].y1


def test_a_document_of_the_case_is_the_same_paper(library: Library, tmp_path: Path) -> None:
    path = brief(tmp_path / "Brief.pdf")
    case = library.create("Roe")
    case.ingest([path], progress=False)
    from_file = read_draft(path, settings=library.settings, collection=case)
    path.rename(tmp_path / "elsewhere.pdf")
    from_case = read_draft("Brief.pdf", settings=library.settings, collection=case)
    assert from_file.document is None
    assert from_case.document is not None
    assert from_case.whole.text == from_file.whole.text
    assert from_case.lines == from_file.lines


def test_what_cannot_be_read_is_reported(library: Library, tmp_path: Path) -> None:
    case = library.create("Roe")
    locked = brief(tmp_path / "Locked.pdf", password="open sesame")
    empty = tmp_path / "Empty.docx"
    docx.Document().save(str(empty))

    for named, more, error, messages in (
        ("Brief.pdf", {}, FileNotFound, "Brief.pdf"),
        ("Brief.pdf", {"collection": case}, FileNotFound, "'Roe'"),
        (locked, {}, FileEncrypted, "Locked.pdf"),
        (locked, {"passwords": ["abracadabra"]}, FileEncrypted, "Locked.pdf"),
        (empty, {}, NoText, "Empty.docx"),
        (tmp_path, {}, UsageError, tmp_path.name),
    ):
        with pytest.raises(error, match=messages):
            read_draft(named, settings=library.settings, **more)  # type: ignore[arg-type]
    assert read_draft(locked, settings=library.settings, passwords=["open sesame"])
