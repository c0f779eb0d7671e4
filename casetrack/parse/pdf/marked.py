"""Alternative texts of the marked content of a PDF page (ISO 32000-2, 14.6.2 and 14.9.3).

Property lists are in the content or in its resources, even without a structure tree. Only pages
with the key in them are interpreted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from casetrack.parse.drawn.text import picture_block
from casetrack.parse.pdf.open import silenced
from casetrack.parse.pdf.rules import union
from casetrack.parse.pdf.values import (
    KEY,
    bytes_of,
    entry_of,
    items_of,
    keys_of,
    name_of,
    object_number,
)

_DRAWINGS = (
    "fill_path stroke_path fill_text stroke_text ignore_text fill_shade fill_image fill_image_mask"
).split()
_PICTURES = frozenset({"fill-image", "fill-imgmask"})

_Rectangle = tuple[float, float, float, float]
_Drawn = list[tuple[str, _Rectangle]]
"""Drawn objects: their kinds and rectangles."""


class MarkedContent:
    """Reads the alternative texts of the marked content of one document's pages."""

    def __init__(self, document: Any, /) -> None:
        self._document = document
        self._known: dict[int, bool] = {}

    def on(self, index: int, page: Any, /) -> dict[str, _Rectangle | None]:
        """Return the lines of the page at *index* with the rectangles of the described content."""
        lines: dict[str, _Rectangle | None] = {}
        for text, drawn in self._run(index) if self._once(page, self._is_in) else ():
            words = " ".join(text.split())
            if picture_block(words, None) is not None:
                what = "Alternative text" if _PICTURES.isdisjoint(dict(drawn)) else "Picture"
                lines.setdefault(
                    f"{what}: {words}", union([box for _, box in drawn]) if drawn else None
                )
        return lines

    def _run(self, index: int) -> list[tuple[str, _Drawn]]:
        """Return the alternative texts of a page with the described content."""
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        drawn: _Drawn = []
        texts: list[tuple[str, _Drawn]] = []
        opened: list[tuple[int, int]] = []
        device = pymupdf.JM_new_bbox_device_Device(drawn, None)

        def watch() -> None:
            is_within = any(number >= 0 for number, _ in opened)
            for name in _DRAWINGS:
                getattr(device, f"use_virtual_{name}")(is_within)

        def begin(_: Any, kind: int, text: str) -> None:
            is_alternative = kind == mupdf.FZ_METATEXT_ALT
            opened.append((len(texts) if is_alternative else -1, len(drawn)))
            if is_alternative:
                texts.append((text, []))
            watch()

        def end(_: Any) -> None:
            number, start = opened.pop()
            if number >= 0:
                texts[number][1].extend(drawn[start:])
            watch()

        device.begin_metatext, device.end_metatext = begin, end
        device.use_virtual_begin_metatext()
        device.use_virtual_end_metatext()
        watch()
        page = self._document[index].this
        mupdf.fz_run_page_contents(page, device, mupdf.FzMatrix(), mupdf.FzCookie())
        mupdf.fz_close_device(device)
        return texts

    def _once(self, value: Any, has_key: Callable[[Any], bool]) -> bool:
        """Return whether a value has the key, cached: pages share resources, forms may be rings."""
        number = object_number(value)
        if number not in self._known:
            self._known |= {number: False} if number else {}
            is_found = has_key(value)
            if not number:
                return is_found
            self._known[number] = is_found
        return self._known[number]

    def _is_in(self, holder: Any) -> bool:
        """Return whether the key is in the content of a page or a form, or in its resources."""
        mupdf = silenced().mupdf
        streams = [holder, *items_of(entry_of(holder, "Contents"))]
        if any(mupdf.pdf_is_stream(one) and KEY.search(bytes_of(one)) for one in streams):
            return True
        return self._once(mupdf.pdf_dict_gets_inheritable(holder, "Resources"), self._is_named)

    def _is_named(self, resources: Any) -> bool:
        """Return whether a property list or a form of resources has the key."""
        lists, objects = entry_of(resources, "Properties"), entry_of(resources, "XObject")
        if any(entry_of(one, "Alt").m_internal for one in _values(lists)):
            return True
        forms = (one for one in _values(objects) if name_of(entry_of(one, "Subtype")) == "Form")
        return any(self._once(form, self._is_in) for form in forms)


def _values(dictionary: Any) -> Iterator[Any]:
    return (entry_of(dictionary, key) for key in keys_of(dictionary))
