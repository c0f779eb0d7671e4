"""Chunks with their provenance, and their display in notebooks."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.base.dataclass import dataclass, field
from casetrack.base.provenance import Box, Provenance
from casetrack.base.records.cards import Card, Fact
from casetrack.base.records.shape import HIDDEN, NO_COLUMN, FieldFormat, Record
from casetrack.base.records.table import RowList

if TYPE_CHECKING:
    from PIL.Image import Image

    from casetrack.base.records.documents import Document

# A page to look at, in a notebook or as a file.


@dataclass(frozen=True, slots=True)
class PageImage:
    """A picture of a page with a highlighted passage, for notebooks.

    Examples
    --------
    >>> picture = collection.read.page_image(collection.search("termination")[0])  # doctest: +SKIP
    >>> picture.save("termination.png")  # doctest: +SKIP
    """

    png: bytes = field(repr=False)  # the image
    citation: str  # the source of the passage, or the document and its page
    # document, page: name, and 1-based page.
    document: str
    page: int
    is_text: bool = False  # whether it shows the stored text instead of the page
    notes: tuple[str, ...] = ()  # sentences for the reader

    def save(self, path: str | Path, /) -> Path:
        """Write it as a PNG file, and return the absolute path; raises ``OSError``."""
        target = Path(path).expanduser().absolute()
        target.write_bytes(self.png)
        return target

    def to_pil(self) -> Image:
        """Return it as a Pillow image."""
        from PIL import Image

        with Image.open(io.BytesIO(self.png)) as opened:
            opened.load()
            return opened.copy()

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        return self.png, {"alt": ". ".join([self.citation, *self.notes])}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a passage on its page (PNG), or a note why there is none."""

    png: bytes | None
    note: str


Illustrate = Callable[[Mapping[str, Sequence[Box]]], Mapping[str, Picture]]
"""Returns pictures by chunk id; takes the rectangles to emphasise, and omits unknown chunks."""


@dataclass(frozen=True, slots=True)
class Chunk(Record):
    """A chunk of text with its provenance.

    ``chunk_count`` is that of its document, ``embedders`` lists the models with an output for the
    chunk, and ``illustrate`` draws passages for notebooks.
    """

    JSON = ("text", "provenance", "chunk_count", "embedders", "highlight")
    SHOWN = ("citation", "text")

    text: str
    provenance: Provenance
    embedders: Annotated[tuple[str, ...], NO_COLUMN]
    chunk_count: Annotated[int, NO_COLUMN]
    illustrate: Annotated[Illustrate | None, HIDDEN] = field(
        default=None, repr=False, compare=False
    )

    @property
    def chunk_id(self) -> str:
        """Id of the chunk."""
        return self.provenance.chunk_id

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    @property
    def highlight(self) -> dict[str, Any] | None:
        """See :func:`highlight`."""
        return highlight(self.provenance)

    def _repr_html_(self) -> str:
        pictures = self.illustrate({self.chunk_id: ()}) if self.illustrate else {}
        return passage_html(self.provenance, self.text, pictures.get(self.chunk_id))


def passage_html(
    provenance: Provenance,
    text: str,
    picture: Picture | None,
    strong: Sequence[tuple[int, int]] = (),
) -> str:
    """Return HTML of a passage: citation, picture and text with *strong* spans."""
    lines = [f"<b>{html.escape(provenance.cite())}</b>"]
    lines += [f"<em>{html.escape(warning)}</em>" for warning in provenance.warnings]
    if picture is not None and picture.png is not None:
        import base64

        data = base64.b64encode(picture.png).decode("ascii")
        lines.append(
            f"<img alt='The passage, marked on its page' src='data:image/png;base64,{data}' "
            "style='max-width:100%;height:auto;margin:.5em 0;border:1px solid #8886'>"
        )
    if picture is not None and picture.note:
        lines.append(f"<small>{html.escape(picture.note)}</small>")
    words, at = "", 0
    for start, end in sorted(strong):
        if at <= start < end:
            words += f"{html.escape(text[at:start])}<b>{html.escape(text[start:end])}</b>"
            at = end
    return "<br>".join([*lines, words + html.escape(text[at:])])


def highlight(provenance: Provenance, /) -> dict[str, Any] | None:
    """Return the rectangles that mark the chunk on its page, in points; ``None`` without layout."""
    if not provenance.line_boxes:
        return None
    return {
        "page": provenance.page,
        "page_width": provenance.page_width,
        "page_height": provenance.page_height,
        "unit": "points, origin top left",
        "lines": [
            {"line": b.line, "box": [round(v, 2) for v in (b.box.x0, b.box.y0, b.box.x1, b.box.y1)]}
            for b in provenance.line_boxes
        ],
    }


class Passages(RowList[Chunk]):
    """Chunks of a document in reading order, from *start* (``None``: all chunks)."""

    def __init__(
        self, chunks: Iterable[Chunk], /, *, document: Document, start: int | None = None
    ) -> None:
        super().__init__(chunks, of=Chunk)
        self.document, self.start = document, start


@dataclass(frozen=True, slots=True, repr=False)
class ChunkWindow(Card):
    """A chunk with its neighbours in the same document, in reading order."""

    before: tuple[Chunk, ...]
    chunk: Chunk
    after: tuple[Chunk, ...]

    def _title(self) -> str:
        return self.chunk.citation

    def _facts(self) -> list[Fact]:
        return [
            *(("before", c.text) for c in self.before),
            ("passage", self.chunk.text),
            *(("after", c.text) for c in self.after),
        ]

    def _repr_html_(self) -> str:
        shown = [passage_html(c.provenance, c.text, None) for c in (*self.before, *self.after)]
        middle = self.chunk._repr_html_()
        shown.insert(len(self.before), f"<div style='border-left:3px solid #8886'>{middle}</div>")
        return "".join(f"<p style='text-align:left;padding-left:.8em'>{p}</p>" for p in shown)


# Words of a document at their exact place.

SNIPPET_CHARS = 200
"""Approximate length of a quote with its surrounding text."""
_SENTENCE_END = re.compile(r"""[.!?\u3002\uff01\uff1f][\s)\]"'\u2019\u201d\u00bb]*$""")


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """Words of a document at their exact position."""

    text: str
    snippet: str  # the words with surrounding text, about 200 characters, cut between words
    snippet_start: Annotated[int, HIDDEN]  # offset of *text* in *snippet*
    # char_start, char_end: position of *text* in its chunk, code points, half-open.
    char_start: Annotated[int, FieldFormat(name="chunk_char_start", row=False)]
    char_end: Annotated[int, FieldFormat(name="chunk_char_end", row=False)]
    # Provenance of the chunk, narrowed to paragraphs, lines, boxes and characters of the words.
    provenance: Provenance

    @property
    def chunk_id(self) -> str:
        """Id of the chunk with the words."""
        return self.provenance.chunk_id

    @property
    def citation(self) -> str:
        """The full citation."""
        return self.provenance.cite()

    @property
    def cut_ends(self) -> tuple[bool, bool]:
        """Whether the snippet cuts its passage at the start, and at the end.

        The length of the passage is unknown: little text after the words means the end of the
        passage, and the end of a sentence is not a cut.
        """
        after = self.snippet[self.snippet_start + len(self.text) :]
        margin = max(0, SNIPPET_CHARS - len(self.text)) // 2
        is_whole = len(after) < margin // 2 or _SENTENCE_END.search(self.snippet) is not None
        return self.char_start > self.snippet_start, not is_whole

    def _repr_html_(self) -> str:
        return passage_html(self.provenance, self.snippet, None)


def widened(text: str, start: int, end: int, around: int, /) -> tuple[int, int]:
    """Extend a span of *text* by at most *around* characters on either side, to whole words."""
    first, last = max(0, start - around), min(len(text), end + around)
    while 0 < first < start and not text[first - 1].isspace():
        first += 1
    while end < last < len(text) and not text[last].isspace():
        last -= 1
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last
