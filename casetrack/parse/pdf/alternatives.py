"""Alternative texts of a tagged PDF, which describe its pictures (ISO 32000-2, 14.9.3).

The tree of a document's structure has hundreds of elements a page. So its objects are searched for
the key as bytes, and only those that have it are opened.
"""

from __future__ import annotations

import bisect
import itertools
import mmap
import re
from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.text import picture_block
from casetrack.parse.pdf.open import check_memory, failures, silenced
from casetrack.parse.pdf.values import entry_of, items_of, name_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_TEXTS = 20_000
"""More are left out, with a notice."""
KEY = re.compile(rb"/Alt\s*[(<]")
"""The key with the begin of its text."""
_PACKED = re.compile(rb"/ObjStm\b")
_OBJECT = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+obj\b")
_WITHIN = 1 << 16
_DEEPEST = 64


class Alternatives:
    """The alternative texts of a document, by the index of their page.

    Attributes
    ----------
    texts
        Elements of the structure tree with their line, by page.
    left_out
        How many have no page, or are beyond the limit.
    """

    def __init__(self, document: Any, path: Path, /) -> None:
        self.texts: dict[int, list[tuple[Any, str]]] = {}
        self.left_out = 0
        mupdf = silenced().mupdf
        try:
            self._pdf = silenced()._as_pdf_document(document)
            if not mupdf.pdf_dict_getp(
                mupdf.pdf_trailer(self._pdf), "Root/StructTreeRoot"
            ).m_internal:
                return
            for number in _candidates(document, path):
                self._take(number)
        except failures() as error:
            check_memory(error)

    def _take(self, number: int) -> None:
        mupdf = silenced().mupdf
        try:
            element = mupdf.pdf_load_object(self._pdf, number)
            words = " ".join(text_of(entry_of(element, "Alt")).split())
            kind = name_of(entry_of(element, "S"))
            if not words or not kind:
                return
            page = self._page(element)
        except failures() as error:
            check_memory(error)
            page = -1
        if page < 0 or sum(map(len, self.texts.values())) >= MAX_TEXTS:
            self.left_out += 1
            return
        block = picture_block(words, None)
        line = f"Alternative text: {words}" if kind != "Figure" else block.text if block else ""
        if line:
            self.texts.setdefault(page, []).append((element, line))

    def _page(self, element: Any) -> int:
        """Return the index of the page of an element, -1 where it has none."""
        mupdf = silenced().mupdf
        above = element
        for _ in range(_DEEPEST):
            for one in (above, *items_of(entry_of(above, "K"), 8)):
                page = entry_of(one, "Pg")
                if page.m_internal:
                    return int(mupdf.pdf_lookup_page_number(self._pdf, page))
            above = entry_of(above, "P")
            if not above.m_internal:
                break
        return -1


def _candidates(document: Any, path: Path) -> list[int]:
    """Return the numbers of the objects in which the key is, in order."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        plain = {_object_before(data, found.start()) for found in KEY.finditer(data)}
        packed = {_object_before(data, found.start()) for found in _PACKED.finditer(data)}
    for stream in packed - {0}:
        plain.update(_in_stream(document, stream))
    return sorted(plain - {0})


def _object_before(data: Any, at: int) -> int:
    """Return the number of the object that the place at *at* is in, 0 where there is none."""
    before = data.rfind(b"obj", max(0, at - _WITHIN), at)
    found = list(_OBJECT.finditer(data[max(0, before - 20) : before + 3])) if before >= 0 else []
    return int(found[-1][1]) if found else 0


def _in_stream(document: Any, number: int) -> Iterator[int]:
    """Yield the numbers of the objects with the key in a stream of objects."""
    try:
        data = document.xref_stream(number) or b""
        first = int(document.xref_get_key(number, "First")[1])
    except failures() as error:
        check_memory(error)
        return
    numbers = [int(text) for text in data[:first].split() if text.isdigit()]
    places = sorted(zip(numbers[1::2], numbers[::2], strict=False))
    starts = [start for start, _ in places]
    for found in itertools.islice(KEY.finditer(data, first), MAX_TEXTS):
        index = bisect.bisect_right(starts, found.start() - first) - 1
        if index >= 0:
            yield places[index][1]
