"""Shows cited places on a page: the quote marked, its source, and a picture of the place."""

from __future__ import annotations

import base64
import re
import shlex
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from casetrack.api.viewer.templating import rendered
from casetrack.base.records import Picture
from casetrack.base.records.graph import Quote

Place = tuple[str, int, int]
"""Id of a chunk, and start and end of the words in its text."""
Span = tuple[int, int]
"""Start and end in the text of a chunk, code points, half-open."""
_LONGEST = 600
"""Characters of a snippet, with its words in the middle."""
_BREAKS = re.compile(r"[^\S\n]*\n\s*")


def place_of(quote: Quote, /) -> Place:
    """Return the identity of a quote: chunk, start and end."""
    return quote.chunk_id, quote.char_start, quote.char_end


@dataclass(slots=True)
class Cards:
    """Writes quotes of one collection as HTML; every picture is in the page once.

    *collection* is a name, for the commands that are shown; *pictures* are found by place.
    """

    collection: str
    pictures: Mapping[Place, Picture]
    _used: dict[bytes, int] = field(default_factory=dict, init=False)

    def card(self, quote: Quote, spans: Sequence[Span] = (), /) -> str:
        """Return a quote as HTML; see :func:`pieces` for *spans*."""
        picture = self.pictures.get(place_of(quote))
        png = picture.png if picture else None
        number = None if png is None else self._used.setdefault(png, len(self._used))
        width, height = (0, 0) if png is None else _size(png)
        return rendered(
            "card.html",
            quote=quote,
            pieces=pieces(quote, spans),
            number=number,
            width=width,
            height=height,
            note=picture.note if picture else "",
            link=_link(quote),
            collection=shlex.quote(self.collection),
        )

    def definitions(self) -> str:
        """Return the pictures of the cards written so far; they go after the cards."""
        pictures = [(base64.b64encode(png).decode("ascii"), *_size(png)) for png in self._used]
        return rendered("pictures.html", pictures=pictures)


def pieces(quote: Quote, spans: Sequence[Span] = (), /) -> list[tuple[str, bool]]:
    """Return the text around the marked spans in pieces; long texts are cut.

    *spans* are code points of the chunk's text; without them, the quote itself is marked.
    """
    offset = quote.char_start - quote.snippet_start
    wanted = spans or ((quote.char_start, quote.char_end),)
    parts, at = list[tuple[str, bool]](), 0
    for start, end in sorted((a - offset, b - offset) for a, b in wanted):
        if at <= start < end <= len(quote.snippet):
            plain = _cut(quote.snippet[at:start], "middle" if at else "end")
            parts += [(plain, False), (_cut(quote.snippet[start:end], "start"), True)]
            at = end
    parts.append((_cut(quote.snippet[at:], "start"), False))
    before, after = quote.cut_ends
    left, right = "\u2026\u00a0" if before else "", "\u00a0\u2026" if after else ""
    return [(left, False), *parts, (right, False)]


def _cut(text: str, keep: Literal["start", "middle", "end"]) -> str:
    """Return a text without its line breaks; of a long one, its start, both ends or its end."""
    flat, half = _flat(text), _LONGEST // 2
    if len(flat) <= _LONGEST:
        return flat
    cuts = {
        "start": f"{flat[: _LONGEST - 1]}\u2026",
        "middle": f"{flat[:half]} \u2026 {flat[-half:]}",
        "end": f"\u2026{flat[1 - _LONGEST :]}",
    }
    return cuts[keep]


def _flat(text: str) -> str:
    """Join lines to paragraphs; an empty line starts a new paragraph."""
    return _BREAKS.sub(lambda match: "\n" if match[0].count("\n") > 1 else " ", text)


def _link(quote: Quote) -> str:
    """Return the address of a quote's file; empty if no file can be opened."""
    p = quote.provenance
    path = Path(p.document_path)
    # The path of an attachment is a place inside another file, which cannot be opened.
    if not path.is_absolute() or not path.is_file():
        return ""
    return path.as_uri() + (f"#page={p.page}" if path.suffix.lower() == ".pdf" else "")


def _size(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG, from its first chunk."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def spread_over_documents(quotes: Sequence[Quote], limit: int, /) -> tuple[Quote, ...]:
    """Choose the first quote of each document, then the second, and so on."""
    turns: dict[str, int] = {}
    ranked = []
    for number, quote in enumerate(quotes):
        document = quote.provenance.document_id
        turn = turns[document] = turns.get(document, -1) + 1
        ranked.append((turn, number, quote))
    return tuple(q for *_, q in sorted(ranked, key=lambda r: r[:2])[:limit])
