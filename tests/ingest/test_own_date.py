"""A document's date in every output: the stated date overrides the metadata of the file."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

import docx
import pytest

from casetrack.api.collection.listing import listing

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library


@pytest.mark.slow
def test_the_stated_date_goes_before_metadata_and_no_clock_is_believed(
    library: Library, tmp_path: Path
) -> None:
    report = docx.Document()
    report.add_heading("Annual Report 2020")
    report.add_paragraph("Part JUN 1087 was delivered in March 2020 by the supplier.")
    report.core_properties.created = dt.datetime(2023, 5, 2)  # noqa: DTZ001 - as the library wants it
    report.save(str(tmp_path / "report.docx"))
    mail = "From: a@b.c\nDate: Sat, 30 Nov 0002 00:00:00 +0000\nSubject: x\n\nThe supplier wrote.\n"
    (tmp_path / "mail.eml").write_text(mail)
    (tmp_path / "note.txt").write_text("The supplier called.")
    for name, text in (("changed.docx", "The supplier called."), ("2018.docx", "Results 2018")):
        changed = docx.Document()
        changed.add_paragraph(text)
        properties = changed.core_properties._element
        (created,) = (e for e in properties if e.tag.endswith("}created"))
        properties.remove(created)
        changed.core_properties.modified = dt.datetime(2023, 5, 2)  # noqa: DTZ001
        changed.save(str(tmp_path / name))
    (tmp_path / "plain.txt").write_text("Annual Report 2019\n\nA good year.")
    for name in ("mail.eml", "note.txt"):
        os.utime(tmp_path / name, (0, 0))
    collection = library.create("Case")
    collection.ingest([tmp_path])
    documents = {d.name: d for d in collection.documents()}
    assert documents["report.docx"].dated_at.date() == dt.date(2020, 12, 31)
    assert documents["report.docx"].content_created_at == dt.datetime(2023, 5, 2, tzinfo=dt.UTC)
    for name in ("mail.eml", "note.txt"):
        assert documents[name].content_created_at is None
        assert documents[name].dated_at == documents[name].ingested_at
    # The day of a change is no document's date.
    assert documents["changed.docx"].content_modified_at == dt.datetime(2023, 5, 2, tzinfo=dt.UTC)
    dates = {name: d.own_date and d.own_date.year for name, d in documents.items()}
    assert dates == {
        "report.docx": 2020,
        "changed.docx": None,
        "2018.docx": 2018,
        "plain.txt": 2019,
        "mail.eml": None,
        "note.txt": None,
    }
    listed = listing(collection.workspace.state(), sort_by="own_date").documents
    assert [d.document.name for d in listed[-3:]] == ["report.docx", "plain.txt", "2018.docx"]
    hits = collection.search("supplier", mode="keyword", until="2021-01-01").results
    assert {h.provenance.document_name for h in hits} == {"report.docx"}
    assert collection.map.timeline().events[0].first.startswith("2020")
