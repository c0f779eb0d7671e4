"""The cited passages of a report: a link at each statement, and the whole passage."""

from __future__ import annotations

import base64
import io
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.page import METHODS, OVER
from casetrack.api.viewer.quotes import Place, pieces, place_of
from casetrack.api.viewer.symbols import ENGLISH, Words, shortened
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.view import PageDrawer
from casetrack.parse.render import PICTURE_FORMATS, PageImage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Quote
    from casetrack.store.workspace import State, Workspace


Key = tuple[str, int]
"""Id of a document, and the number of a page."""
MAX_PAGES = 60
"""Maximum number of drawn pages."""
MAX_BYTES = 8_000_000
"""Limit of all pictures together, encoded as in the file."""
TOTAL_SECONDS = 180.0
PAGE_SECONDS = 15.0
_DPI = 108.0
_WIDTH = 1000
"""Pixels of the width: printed text is readable, and a page takes some 60 KB."""
_QUALITY = 62
_EFFORT = 2
"""Twice as fast as the usual 4, for a file that is 3 % larger."""
_FULL = "There is no picture of the page: this file already has {}. {}"
_SHOW = "The command below shows it."


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as a picture.

    *address* is a ``data:`` address; *width* and *height* are in points, the unit of boxes; *note*
    describes changes of the file.
    """

    address: str
    width: float
    height: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pages that were drawn.

    *notes* are sentences on pages that could not be drawn; *skipped* is the number of pages left
    out to limit the file's size and the time.
    """

    pages: Mapping[Key, PagePicture] = field(default_factory=dict)
    notes: Mapping[Key, str] = field(default_factory=dict)
    skipped: int = 0


def draw_pages(
    state: State,
    quotes: Sequence[Quote],
    /,
    *,
    limit: int = MAX_PAGES,
    budget: int = MAX_BYTES,
    progress: Callable[[str, int, int], None] | None = None,
) -> Pictures:
    """Draw the pages of quotes (most important first), each once.

    *limit* is in pages, *budget* in bytes of all pictures. *progress* receives the current step,
    the work done and the total.
    """
    documents = state.snapshot.documents
    wanted: dict[Key, Document] = {}
    for quote in quotes:
        place = quote.provenance
        document = documents.get(place.document_id)
        if document is not None and document.format in PICTURE_FORMATS and place.line_boxes:
            wanted.setdefault((place.document_id, place.page), document)
    if not wanted:
        return Pictures()
    artist = _Artist(state.workspace, limit, budget)
    total = min(len(wanted), limit)
    for key, document in wanted.items():
        if progress is not None:
            progress(document.name, min(artist.count, total), total)
        artist.draw(key, document)
    return Pictures(artist.pages, artist.notes, artist.skipped)


class _Artist:
    """Draws pages up to the limits."""

    def __init__(self, workspace: Workspace, limit: int, budget: int) -> None:
        self.pages: dict[Key, PagePicture] = {}
        self.notes: dict[Key, str] = {}
        self.skipped = 0
        self._limit, self._left = limit, budget
        self._drawer = PageDrawer(workspace.folder, workspace.settings, PAGE_SECONDS, TOTAL_SECONDS)

    @property
    def count(self) -> int:
        """Number of pages drawn."""
        return len(self.pages)

    def draw(self, key: Key, document: Document) -> None:
        """Draw a page, or store the reason for a missing picture."""
        if self.count >= self._limit:
            self._skip(key, f"pictures of {self._limit} pages")
        elif self._left <= 0:
            self._skip(key, "pictures of the maximum size")
        elif self._drawer.is_late:
            self._skip(key, "all pictures within the time limit")
        else:
            self._add(key, *self._drawer.page(document, key[1], dpi=_DPI))

    def _add(self, key: Key, image: PageImage | None, note: str) -> None:
        if image is None:
            self.notes |= {key: note} if note else {}
            return
        address = _address(image)
        if len(address) > self._left:
            # Smaller pages might still fit, but only drawing all of them would show which.
            self._left = 0
            self._skip(key, "pictures of the maximum size")
            return
        self._left -= len(address)
        self.pages[key] = PagePicture(address, image.width, image.height, note)

    def _skip(self, key: Key, held: str) -> None:
        self.skipped += 1
        self.notes[key] = _FULL.format(held, _SHOW)


def _address(image: PageImage) -> str:
    from PIL import Image

    with Image.open(io.BytesIO(image.png)) as opened:
        picture = opened.convert("RGB")
    if picture.width > _WIDTH:
        high = max(1, round(picture.height * _WIDTH / picture.width))
        picture = picture.resize((_WIDTH, high), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=_QUALITY, method=_EFFORT)
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode('ascii')}"


_AROUND = 900
"""Characters of a passage on each side of its quote, without a picture of the page."""
_LONGEST_NAME = 200


@dataclass(slots=True)
class Passages:
    """Numbers the passages in the order of their first citation.

    *collection* is a name, for the commands that are shown.
    """

    collection: str
    _numbers: dict[Place, int] = field(default_factory=dict, init=False)
    _quotes: list[Quote] = field(default_factory=list, init=False)
    _turns: list[tuple[int, int]] = field(default_factory=list, init=False)
    _section: int = field(default=0, init=False)
    _turn: int = field(default=0, init=False)

    def start_section(self) -> None:
        """Start a section: the first passages of each section get pictures first."""
        self._section += 1
        self._turn = 0

    def number(self, quote: Quote, /) -> int:
        """Return the number of a passage; a new one gets the next number."""
        number = self._numbers.setdefault(place_of(quote), len(self._quotes) + 1)
        if number > len(self._quotes):
            self._quotes.append(quote)
            self._turns.append((self._turn, self._section))
        self._turn += 1
        return number

    def short(self, quote: Quote, /) -> str:
        """Return the short citation of a passage."""
        short = shortened(quote.provenance.cite_short(), _LONGEST_NAME)
        # The page number stays on the line of the word before it.
        return "\u00a0".join(short.rsplit(" ", 1))

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All passages so far, by number."""
        return tuple(self._quotes)

    def by_weight(self) -> list[Quote]:
        """Return the passages in the order of drawing: section by section in turn."""
        order = sorted(range(len(self._quotes)), key=lambda n: (self._turns[n], n))
        return [self._quotes[n] for n in order]

    def articles(
        self, chunks: Mapping[str, Chunk], pictures: Pictures, words: Words = ENGLISH, /
    ) -> str:
        """Return every passage in full as HTML; only the quote if *chunks* lacks the passage."""
        return rendered(
            "passages.html",
            Path(__file__).parent,
            quotes=self._quotes,
            words=words,
            pictures=pictures,
            names={key: f"page-{n}" for n, key in enumerate(pictures.pages, 1)},
            methods=METHODS,
            collection=shlex.quote(self.collection),
            around=lambda quote: _around(quote, chunks.get(quote.chunk_id)),
            pieces=pieces,
            most=_LONGEST_NAME,
            over=OVER,
        )


def _around(quote: Quote, chunk: Chunk | None) -> tuple[str, str, str] | None:
    """Return the words of a quote between the text of the passage before and after them."""
    if chunk is None:
        return None
    text, start, end = chunk.text, quote.char_start, quote.char_end
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before = ("\u2026 " if low else "") + text[low:start]
    return before, text[start:end], text[end:high] + (" \u2026" if high < len(text) else "")
