"""The passages that a report rests on: a link where a statement stands, the passage in full."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.quotes import marked, place_of
from casetrack.api.viewer.symbols import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.api.viewer.quotes import Place
    from casetrack.api.viewer.report.pictures import Key, PagePicture, Pictures
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph import Quote

_METHODS = {
    "Native": "the text that the file itself holds",
    "Ocr": "optical character recognition (OCR)",
    "Hybrid": "the file\u2019s own text, and OCR of its pictures",
    "Spreadsheet": "the cells of the spreadsheet",
}
_AROUND = 900
"""Characters of a passage on either side of its words, where there is no picture of the page."""
_LONGEST_NAME = 200
_OVER = 1.5
"""Points by which a highlight goes over its line to either side."""


@dataclass(slots=True)
class Passages:
    """Numbers the passages in the order in which the report comes to speak of them.

    Attributes
    ----------
    collection
        Its name, for the commands that are shown.
    """

    collection: str
    _numbers: dict[Place, int] = field(default_factory=dict, init=False)
    _quotes: list[Quote] = field(default_factory=list, init=False)
    _turns: list[tuple[int, int]] = field(default_factory=list, init=False)
    _section: int = field(default=0, init=False)
    _turn: int = field(default=0, init=False)

    def start_section(self) -> None:
        """Begin a section: the first passages of each deserve pictures before the later ones."""
        self._section += 1
        self._turn = 0

    def link(self, quote: Quote, label: str = "", /) -> str:
        """Return a link to a passage; without a *label* it shows the short citation."""
        number = self._numbers.setdefault(place_of(quote), len(self._quotes) + 1)
        if number > len(self._quotes):
            self._quotes.append(quote)
            self._turns.append((self._turn, self._section))
        self._turn += 1
        short = shortened(quote.provenance.cite_short(), _LONGEST_NAME)
        # The number of the page stays with the word before it.
        words = label or "\u00a0".join(short.rsplit(" ", 1))
        title = shortened(quote.citation, 2 * _LONGEST_NAME)
        return (
            f'<a class="ref" href="#s{number}" data-n="{number}" title="{esc(title)}">'
            f"{span(words)}</a>"
        )

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All passages so far, by number."""
        return tuple(self._quotes)

    def by_weight(self) -> list[Quote]:
        """Return them in the order in which they deserve a picture: section by section in turn."""
        order = sorted(range(len(self._quotes)), key=lambda n: (self._turns[n], n))
        return [self._quotes[n] for n in order]

    def articles(self, chunks: Mapping[str, Chunk], pictures: Pictures, /) -> Iterator[str]:
        """Yield every passage in full, as HTML.

        Parameters
        ----------
        chunks
            The passages by chunk id; of one that is not there only the quote is shown.
        pictures
            Those of the pages.
        """
        names = {key: f"page-{n}" for n, key in enumerate(pictures.pages, 1)}
        for number, quote in enumerate(self._quotes, 1):
            yield "".join(self._article(number, quote, chunks, pictures, names))
        yield _store(pictures.pages, names)

    def _article(
        self,
        number: int,
        quote: Quote,
        chunks: Mapping[str, Chunk],
        pictures: Pictures,
        names: Mapping[Key, str],
    ) -> Iterator[str]:
        p = quote.provenance
        key = (p.document_id, p.page)
        picture = pictures.pages.get(key)
        yield f'<article class="passage" id="s{number}" tabindex="-1">\n'
        yield (
            f'<h3 class="cited"><span class="number">{number}</span> '
            f"<bdi>{esc(shortened(quote.citation, 2 * _LONGEST_NAME))}</bdi></h3>\n"
            '<div class="proof">\n<div class="told">\n'
        )
        for warning in p.warnings:
            yield f'<p class="doubt">{esc(warning)}</p>\n'
        lang = f' lang="{esc(p.language)}"' if p.language else ""
        yield f'<blockquote dir="auto"{lang}>{marked(quote)}</blockquote>\n'
        yield "".join(self._facts(quote))
        yield "</div>\n"
        if picture is not None:
            yield _figure(quote, picture, names[key])
        else:
            yield _words(quote, chunks.get(quote.chunk_id), pictures.notes.get(key, ""), lang)
        yield "</div>\n</article>\n"

    def _facts(self, quote: Quote) -> Iterator[str]:
        p = quote.provenance
        command = f"casetrack show {quote.chunk_id} -c {shlex.quote(self.collection)}"
        method = _METHODS.get(p.extraction_method, p.extraction_method)
        if p.ocr_confidence is not None:
            method += f", confidence {p.ocr_confidence:.2f}"
        facts = (
            ("Document", span(shortened(p.document_name, _LONGEST_NAME))),
            ("File", span(shortened(p.document_path, 2 * _LONGEST_NAME))),
            ("Under", esc(shortened(" \u203a ".join(p.heading_path), _LONGEST_NAME))),
            ("Read from", esc(method)),
            ("Passage", f'<span class="id">{esc(quote.chunk_id)}</span>'),
            ("Command", f"<code>{esc(command)}</code>"),
        )
        yield '<dl class="facts">'
        yield "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts if value)
        yield "</dl>\n"


def _figure(quote: Quote, picture: PagePicture, name: str) -> str:
    """Return the page with the words highlighted on it."""
    rows = "".join(
        f'<rect x="{b.box.x0 - _OVER:.1f}" y="{b.box.y0:.1f}" rx="1" '
        f'width="{max(b.box.x1 - b.box.x0, 0) + 2 * _OVER:.1f}" '
        f'height="{max(b.box.y1 - b.box.y0, 0):.1f}"/>'
        for b in quote.provenance.line_boxes
    )
    p = quote.provenance
    alt = f"Page {p.page} of {shortened(p.document_name, _LONGEST_NAME)}; the words are highlighted"
    note = f'<figcaption class="aside">{esc(picture.note)}</figcaption>' if picture.note else ""
    return (
        f'<figure class="leaf"><svg viewBox="0 0 {picture.width:.2f} {picture.height:.2f}" '
        f'role="img" aria-label="{esc(alt)}"><use href="#{name}"/>'
        f'<g class="pen">{rows}</g></svg>{note}</figure>\n'
    )


def _words(quote: Quote, chunk: Chunk | None, note: str, lang: str) -> str:
    """Return the passage around the words, where the page cannot be shown."""
    said = f'<p class="aside">{esc(note)}</p>' if note else ""
    if chunk is None:
        return f'<div class="leaf text">{said}</div>\n' if said else ""
    text, start, end = chunk.text, quote.char_start, quote.char_end
    low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before, words, after = map(esc, (text[low:start], text[start:end], text[end:high]))
    more = "\u2026 " if low else "", " \u2026" if high < len(text) else ""
    label = "" if note else '<p class="aside">This format has no pages to see; its text:</p>'
    return (
        f'<div class="leaf text">{said}{label}<p class="plain" dir="auto"{lang}>'
        f"{more[0]}{before}<mark>{words}</mark>{after}{more[1]}</p></div>\n"
    )


def _store(pages: Mapping[Key, PagePicture], names: Mapping[Key, str]) -> str:
    """Return the pictures, each once; what shows a page refers to it."""
    if not pages:
        return ""
    images = "\n".join(
        f'<image id="{names[key]}" width="{p.width:.2f}" height="{p.height:.2f}" '
        f'preserveAspectRatio="none" href="{p.address}"/>'
        for key, p in pages.items()
    )
    return f'<svg class="store" aria-hidden="true"><defs>\n{images}\n</defs></svg>\n'


def passage_count(passages: Passages, /) -> str:
    """Return how many passages there are, in words."""
    return counted(len(passages.quotes), "passage")
