"""A document's table of contents: headings with levels and places, and other content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import DocumentNotFound

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import DocumentStructure


def structure(library: Library, path: Path) -> tuple[Collection, DocumentStructure]:
    collection = library.create("Case")
    collection.ingest([path])
    return collection, collection.read.structure(path.name)


def check_places(collection: Collection, result: DocumentStructure) -> None:
    """Check that every heading is at its stated place: in its chunk, in reading order."""
    places = [(s.page, s.char_start) for s in result.sections]
    assert places == sorted(set(places))
    for section in result.sections:
        chunk = collection.read.chunk(section.chunk_id)
        place = chunk.provenance
        assert (place.page, place.document_id) == (section.page, result.document.document_id)
        assert place.paragraph_start <= section.paragraph <= place.paragraph_end
        text = chunk.text[
            section.char_start - place.char_start : section.char_end - place.char_start
        ]
        assert section.title in " ".join(text.split())
        assert section.citation == place.cite()


@pytest.mark.slow
def test_a_markdown_sample(library: Library, samples: Path) -> None:
    collection, result = structure(library, samples / "Reports" / "Project Log.md")
    assert [(s.level, s.title) for s in result.sections] == [
        (1, "Project log: Stanwick Bridge automation"),
        (2, "2024"),
        (3, "March to May"),
        (3, "June to August"),
        (3, "September and October"),
        (3, "November and December"),
        (2, "2025"),
        (3, "January to March"),
        (2, "Open items"),
    ]
    check_places(collection, result)
    assert result.paragraph_kinds == {"heading": 9, "list": 5, "body": 1, "table": 1}
    assert result.attachments == ()
    assert result.as_dict()["sections"][1]["title"] == "2024"


@pytest.mark.slow
def test_a_paragraph_that_chunks_share_counts_once(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    long = "A sentence that goes on about the ferry and the quarry. " * 120
    path.write_text(f"# One\n\n{long.strip()}\n\nTwo\n===\n\n- a point\n", encoding="utf-8")
    collection, result = structure(library, path)
    assert len(collection.read.chunks("long.md")) > 2
    assert result.paragraph_kinds == {"heading": 2, "body": 1, "list": 1}
    assert [(s.level, s.title) for s in result.sections] == [(1, "One"), (1, "Two")]


def test_a_document_without_headings(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("first words and no more.", encoding="utf-8")
    collection, result = structure(library, path)
    assert result.sections == ()
    assert result.paragraph_kinds == {"body": 1}
    with pytest.raises(DocumentNotFound):
        collection.read.structure("absent.txt")
