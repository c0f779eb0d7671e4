"""Completes the character maps of fonts that leave out ligatures.

macOS wrote PDFs whose simple fonts have a character map without the glyphs of "ti" or "ft", so
that readers show the code of the glyph: "Tes4ng". A glyph gets the letters of the only ligature
whose width fits.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from casetrack.parse.pdf.open import check_memory, failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LIGATURES: Final = ("ti", "tt", "ft", "tti")
"""Those without a code point, which fi and ff have."""
_FITS, _APART = 0.02, 0.08
"""Share of a glyph's width by which its letters may differ, and by which all others must."""
_BLOCKS: Final = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_CHAR: Final = re.compile(rb"<(\w+)>\s*<(\w+)>")
_RANGE: Final = re.compile(rb"<(\w+)>\s*<(\w+)>\s*(?:<(\w+)>|\[([^]]*)\])")
_NUMBER: Final = re.compile(r"[\d.]+")


def complete_maps(document: Any, /) -> None:
    """Add ligatures to the character maps of a document's fonts, in memory."""
    seen: set[int] = set()
    for index in range(document.page_count):
        try:
            for xref, *_ in document.get_page_fonts(index):
                if xref not in seen:
                    seen.add(xref)
                    _complete(document, xref)
        except failures() as error:
            check_memory(error)  # The page itself is reported where it is read.


def _complete(document: Any, font: int) -> None:
    kind, place = document.xref_get_key(font, "ToUnicode")
    widths = _widths(document, font) if kind == "xref" else {}
    if not widths:
        return
    xref = int(place.split()[0])
    stream = document.xref_stream(xref) or b""
    if found := dict(_ligatures(widths, dict(_mapped(stream)))):
        lines = (f"<{c:02x}> <{t.encode('utf-16-be').hex()}>\n" for c, t in found.items())
        added = f"{len(found)} beginbfchar\n{''.join(lines)}endbfchar\nendcmap"
        document.update_stream(xref, stream.replace(b"endcmap", added.encode()))


def _widths(document: Any, xref: int) -> dict[int, float]:
    """Return the width of each code of a simple font; nothing for other fonts.

    An encoding names the characters of all codes, so a font with one lacks no ligature.
    """
    if document.xref_get_key(xref, "Encoding")[0] != "null":
        return {}
    kind, first = document.xref_get_key(xref, "FirstChar")
    listed, widths = document.xref_get_key(xref, "Widths")
    if kind != "int" or listed not in {"array", "xref"}:
        return {}
    text = widths if listed == "array" else document.xref_object(int(widths.split()[0]))
    if " R" in text:  # widths that are objects elsewhere
        return {}
    return dict(enumerate(map(float, _NUMBER.findall(text)), int(first)))


def _mapped(stream: bytes) -> Iterator[tuple[int, str]]:
    """Yield the codes of a character map, each with its text."""
    for sort, block in _BLOCKS.findall(stream):
        if sort == b"char":
            for code, text in _CHAR.findall(block):
                yield int(code, 16), _text(text)
            continue
        for low, high, start, texts in _RANGE.findall(block):
            first, count = int(low, 16), min(int(high, 16) - int(low, 16) + 1, 256)
            listed = [_text(t) for t in re.findall(rb"<(\w+)>", texts)]
            follow = [chr(int(start, 16) + n) for n in range(count)] if start else listed
            yield from enumerate(follow, first)


def _text(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "replace")


def _ligatures(widths: Mapping[int, float], mapped: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Yield unmapped codes with the letters that alone fit the width of their glyph."""
    of = {text: widths.get(code, 0.0) for code, text in mapped.items() if len(text) == 1}
    sums = {each: sum(of[c] for c in each) for each in _LIGATURES if {*each} <= of.keys()}
    fits = {}
    for code, width in widths.items():
        if width and code not in mapped and sums:
            near = sorted((abs(total / width - 1), each) for each, total in sums.items())
            if near[0][0] < _FITS and (len(near) == 1 or near[1][0] > _APART):
                fits[code] = near[0][1]
    counts = Counter(fits.values())
    yield from ((code, each) for code, each in fits.items() if counts[each] == 1)
