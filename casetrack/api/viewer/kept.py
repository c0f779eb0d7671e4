"""What the user has kept, to go on with elsewhere: passages with citations, DOCX or Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.api.viewer.markdown import escaped
from casetrack.api.viewer.report.marked import of_documents, place_of_mark
from casetrack.api.viewer.word import clean, new_document, packed
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote
    from casetrack.base.records.marks import Mark, PlacedMark
    from casetrack.store.workspace import State


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A document, a page or a passage that has a star or tags.

    Attributes
    ----------
    name
        Of the document.
    passage
        The words, where a passage is marked.
    page
        Its number, where a page or a passage is marked.
    marks
        What was put on it.
    """

    name: str
    passage: Chunk | None
    page: int | None
    marks: tuple[PlacedMark, ...]

    @property
    def citation(self) -> str:
        """Where it stands: of whole documents their name."""
        if self.passage is not None:
            return self.passage.citation
        return self.name if self.page is None else f"{self.name}, p. {self.page}"

    @property
    def document_id(self) -> str:
        """The document's id."""
        return self.marks[0].mark.document_id or ""

    @property
    def starred(self) -> bool:
        """Whether it has a star."""
        return any(m.mark.kind == "star" for m in self.marks)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return tuple(m.mark.value for m in self.marks if m.mark.kind == "tag")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user says of it."""
        return tuple(dict.fromkeys(m.mark.note for m in self.marks if m.mark.note))


def kept_places(state: State, /, *, tag: str | None = None) -> tuple[KeptPlace, ...]:
    """Return what has a star or a tag: those with a star first, then by document and page.

    Parameters
    ----------
    tag
        Only what has this tag, letter case aside.
    """
    marks = of_documents(graph_of(state).marks)
    groups = (tuple(g) for _, g in groupby(marks, lambda m: place_of_mark(m.mark)))
    places = (_place(state, group) for group in groups)
    wanted = tag.casefold() if tag else None
    return tuple(p for p in places if wanted in {None, *(t.casefold() for t in p.tags)})


def _place(state: State, group: tuple[PlacedMark, ...]) -> KeptPlace:
    mark = group[0].mark
    quote = next((m.quote for m in group if m.quote is not None), None)
    passage = None if mark.char_start is None or quote is None else _passage(state, mark, quote)
    return KeptPlace(mark.document_name or "", passage, mark.page, group)


def _passage(state: State, mark: Mark, quote: Quote) -> Chunk:
    """Return the passage of a mark; where its text has moved, the one that has its words."""
    found = state.chunk(quote.chunk_id)
    document = state.snapshot.documents[found.provenance.document_id]
    wanted = (mark.page, mark.char_start, mark.char_end)
    for chunk in state.chunks_of(document):
        p = chunk.provenance
        if (p.page, p.char_start, p.char_end) == wanted:
            return chunk
    return found


def kept_docx(title: str, places: Sequence[KeptPlace], /) -> bytes:
    """Return the places as a DOCX file: each passage as a quotation with its citation."""
    from docx.shared import Inches, Pt

    document = new_document(title, face="Georgia", points=11)
    document.add_heading(clean(title), level=1)
    for place in places:
        if place.passage is not None:
            quoted = document.add_paragraph(clean(f"\u201c{_words(place.passage)}\u201d"))
            quoted.paragraph_format.left_indent = Inches(0.4)
            quoted.paragraph_format.keep_with_next = True
            quoted.paragraph_format.space_after = Pt(2)
        cited = document.add_paragraph()
        cited.paragraph_format.left_indent = Inches(0.4)
        cited.paragraph_format.space_after = Pt(4 if place.notes or place.tags else 14)
        cited.add_run(clean(place.citation)).italic = True
        said = [*place.notes, *([f"[{', '.join(place.tags)}]"] if place.tags else [])]
        if said:
            note = document.add_paragraph(clean("  ".join(said)))
            note.paragraph_format.space_after = Pt(14)
    return packed(document)


def kept_markdown(title: str, places: Sequence[KeptPlace], /) -> str:
    """Return the places in Markdown: each passage as a quotation with its citation."""
    lines = [f"# {escaped(title)}", ""]
    for place in places:
        if place.passage is not None:
            lines.append(f"> {escaped(_words(place.passage))}")
            lines.append(">")
            lines.append(f"> \u2014 {escaped(place.citation)}")
        else:
            lines.append(f"**{escaped(place.citation)}**")
        lines.append("")
        for said in place.notes:
            lines += [escaped(said), ""]
        if place.tags:
            lines += [f"Tags: {escaped(', '.join(place.tags))}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _words(passage: Chunk) -> str:
    return " ".join(passage.text.split())
