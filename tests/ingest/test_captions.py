"""Papers added before captions were read: a reindex reads them from the stored text."""

from __future__ import annotations

import shutil
from pathlib import Path

import lance
import pytest

from casetrack.api.library import Library
from casetrack.base import schema
from fakes import FakeEncoders, WordEncoder

COMPLAINT = (
    "UNITED STATES DISTRICT COURT\nSOUTHERN DISTRICT OF NEW YORK\n\n"
    "HARBOR LINE LLC,\nPlaintiff,\nv.\nNORTH QUAY INC.,\nDefendant.\n\nCase No. 1:24-cv-01234\n\n"
    "COMPLAINT\n\n1. Defendant terminated the Charter without the notice that it promised.\n"
)
FIRST, LAST = (schema.table("documents").names.index(n) for n in ("legal_type", "caption_reader"))
LEGAL = schema.table("documents").names[FIRST : LAST + 1]


@pytest.mark.slow
def test_a_reindex_fills_what_was_not_read_without_the_files(
    library: Library, tmp_path: Path
) -> None:
    library.encoders = FakeEncoders(WordEncoder("openai", 8, token_width=None))  # type: ignore[assignment]
    made = library.create("Harbor", profile="openai")
    for name, text in {"complaint.txt": COMPLAINT, "oar.txt": "Two oars lie there."}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        made.ingest([tmp_path / name])
        (tmp_path / name).unlink()
    known = {d.name: d for d in made.documents()}
    lance.dataset(made.folder / "documents.lance").drop_columns(LEGAL)
    shutil.rmtree(made.folder / "views")
    opened = Library(library.settings)
    opened.encoders = library.encoders
    earlier = opened.get("Harbor")
    assert all(d.court is d.caption_reader is None for d in earlier.documents())

    report = earlier.admin.reindex()
    assert (report.documents, report.embedded) == (1, 0)
    by_name = {d.name: d for d in earlier.documents()}
    for name, document in by_name.items():
        expected, has = known[name], document
        assert all(getattr(has, n) == getattr(expected, n) for n in LEGAL)
    assert by_name["complaint.txt"].court_id == "nysd"
    assert by_name["oar.txt"].revision == known["oar.txt"].revision
    assert earlier.map.find_entity("Harbor Line", kind="organization").entity.role == "plaintiff"
    assert earlier.admin.reindex().documents == 0
