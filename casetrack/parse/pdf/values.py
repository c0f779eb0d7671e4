"""Values of a PDF's dictionaries: simple ones, alternative texts, form fields."""

from __future__ import annotations

import bisect
import itertools
import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casetrack.parse.drawn.text import picture_block
from casetrack.parse.pdf.open import check_memory, failures, parse_date, silenced

MAX_TEXT_BYTES = 1 << 24
"""Longer texts in a stream are truncated: no user typed them into a field or a note."""


def entry_of(dictionary: Any, key: str, /) -> Any:
    """Return an entry of a dictionary; a missing one is null, which the other functions accept."""
    return silenced().mupdf.pdf_dict_gets(dictionary, key)


def text_of(value: Any, /) -> str:
    """Return the text of a string, a stream or a name; empty for other objects."""
    mupdf = silenced().mupdf
    if mupdf.pdf_is_string(value):
        return _lines(mupdf.pdf_to_text_string(value))
    if mupdf.pdf_is_stream(value):
        data = bytes_of(value)
        if data.startswith((b"\xfe\xff", b"\xff\xfe")):
            return _lines(data.decode("utf-16", "replace"))
        return _lines(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    return name_of(value)


def bytes_of(stream: Any, /) -> bytes:
    """Return the content of a stream."""
    mupdf = silenced().mupdf
    limited = mupdf.fz_open_null_filter(mupdf.pdf_open_stream(stream), MAX_TEXT_BYTES, 0)
    data: bytes = silenced().JM_BinFromBuffer(mupdf.fz_read_all(limited, 4096))
    return data


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_of(value: Any, /) -> str:
    """Return a name without its slash; empty for other objects."""
    return str(silenced().mupdf.pdf_to_name(value))


def object_number(value: Any, /) -> int:
    """Return the object number of a reference; 0 for a direct object."""
    return int(silenced().mupdf.pdf_to_num(value))


def number_of(value: Any, /) -> int:
    """Return a whole number; 0 for other objects."""
    return int(silenced().mupdf.pdf_to_int(value))


def keys_of(dictionary: Any, /) -> list[str]:
    """Return the keys of a dictionary; none of other objects."""
    mupdf = silenced().mupdf
    count = mupdf.pdf_dict_len(dictionary) if mupdf.pdf_is_dict(dictionary) else 0
    return [name_of(mupdf.pdf_dict_get_key(dictionary, i)) for i in range(count)]


def items_of(value: Any, /, most: int = 10_000) -> list[Any]:
    """Return up to *most* items of an array; a single value counts as an array of one item."""
    mupdf = silenced().mupdf
    if not value.m_internal:
        return []
    if not mupdf.pdf_is_array(value):
        return [value]
    return [mupdf.pdf_array_get(value, i) for i in range(min(mupdf.pdf_array_len(value), most))]


def letters_of(text: str, /) -> str:
    """Return the letters and digits of a text in one case, which do not depend on its layout."""
    return "".join(char for char in text.casefold() if char.isalnum())


# Alternative texts of a tagged PDF, which describe its pictures (ISO 32000-2, 14.9.3). The
# structure tree has hundreds of elements per page, so its objects are searched for the key as
# bytes, and only matching ones are opened.

MAX_TEXTS = 20_000
"""Maximum number; more are omitted, with a notice."""
KEY = re.compile(rb"/Alt\s*[(<]")
"""The key with the start of its text."""
_PACKED = re.compile(rb"/ObjStm\b")
_OBJECT = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+obj\b")
_WITHIN = 1 << 16
_DEEPEST = 64


class Alternatives:
    """The alternative texts of a document by page index; *left_out* counts those without a page."""

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
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        plain = {_object_before(data, match.start()) for match in KEY.finditer(data)}
        packed = {_object_before(data, match.start()) for match in _PACKED.finditer(data)}
    for stream in packed - {0}:
        plain.update(_in_stream(document, stream))
    return sorted(plain - {0})


def _object_before(data: Any, at: int) -> int:
    """Return the number of the object at *at*, 0 without one."""
    before = data.rfind(b"obj", max(0, at - _WITHIN), at)
    numbers = list(_OBJECT.finditer(data[max(0, before - 20) : before + 3])) if before >= 0 else []
    return int(numbers[-1][1]) if numbers else 0


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
    for match in itertools.islice(KEY.finditer(data, first), MAX_TEXTS):
        index = bisect.bisect_right(starts, match.start() - first) - 1
        if index >= 0:
            yield places[index][1]


# Fields of a PDF's forms: values that a user typed, ticked, chose or signed (ISO 32000-2, 12.7).

_MAX_DEPTH, _MAX_DIGITS = 50, 6
_RADIO, _PUSH = 1 << 15, 1 << 16
_OFF = frozenset({"", "Off"})
_MERELY_ON = frozenset({"on", "yes", "true", "1", "0", "x", "checked"})


@dataclass(frozen=True, slots=True)
class Field:
    """A field and its value; *is_drawable* means that the page shows the value as text."""

    label: str
    value: str
    is_drawable: bool


def field_of(widget: Any, /) -> Field | None:
    """Return the field of a widget annotation; ``None`` for buttons and empty fields."""
    chain = _chain(widget)
    kind = name_of(_inherited(chain, "FT"))
    if kind in {"Tx", "Ch"}:
        value = _chosen(chain) if kind == "Ch" else text_of(_inherited(chain, "V"))
        return Field(_label(chain), value, is_drawable=True) if value.strip() else None
    if kind == "Btn":
        value = _ticked(widget, chain)
    elif kind == "Sig":
        value = _signed(_inherited(chain, "V"))
    else:
        return None
    return Field(_label(chain), value, is_drawable=False) if value else None


def _chain(widget: Any) -> list[Any]:
    """Return a widget and its parent fields, without repeats."""
    chain, seen = [widget], {object_number(widget)}
    while len(chain) < _MAX_DEPTH:
        parent = entry_of(chain[-1], "Parent")
        number = object_number(parent)
        if not parent.m_internal or number in seen:
            break
        seen.add(number)
        chain.append(parent)
    return chain


def _inherited(chain: list[Any], key: str) -> Any:
    values = (entry_of(field, key) for field in chain)
    return next((value for value in values if value.m_internal), entry_of(chain[0], key))


def _label(chain: list[Any]) -> str:
    shown = " ".join(text_of(_inherited(chain, "TU")).split())
    if shown:
        return shown
    names = (" ".join(text_of(entry_of(field, "T")).split()) for field in reversed(chain))
    return ".".join(name for name in names if name) or "without a name"


def _options(chain: list[Any]) -> list[tuple[str, str]]:
    options = []
    for option in items_of(_inherited(chain, "Opt")):
        texts = [text_of(part) for part in items_of(option)]
        if texts:
            options.append((texts[0], texts[-1]))
    return options


def _chosen(chain: list[Any]) -> str:
    shown = dict(_options(chain))
    kept = [text_of(item) for item in items_of(_inherited(chain, "V"))]
    return "\n".join(shown.get(text, text) for text in kept if text)


def _ticked(widget: Any, chain: list[Any]) -> str:
    """Return the value of a selected box or radio button; empty if it is off."""
    bits = number_of(_inherited(chain, "Ff"))
    if bits & _PUSH:
        return ""
    state = name_of(entry_of(widget, "AS"))
    if not state:
        state = text_of(_inherited(chain, "V"))
        states = keys_of(entry_of(entry_of(widget, "AP"), "N"))
        if state not in states and (states or bits & _RADIO):
            state = ""
    if state in _OFF:
        return ""
    options = [shown for _, shown in _options(chain)]
    if state.isdecimal() and len(state) < _MAX_DIGITS and int(state) < len(options):
        state = options[int(state)]
    if bits & _RADIO:
        return state
    return "checked" if state.casefold() in _MERELY_ON else f"checked ({state})"


def _signed(signature: Any) -> str:
    """Return signer, time and reason as the signature states them; its validity is not checked."""
    if not signature.m_internal:
        return ""
    name, reason, place = (
        " ".join(text_of(entry_of(signature, key)).split())
        for key in ("Name", "Reason", "Location")
    )
    moment = parse_date(text_of(entry_of(signature, "M")))
    parts = [f"signed by {name}" if name else "signed"]
    if moment is not None:
        parts.append(f"on {moment:%Y-%m-%d %H:%M} UTC")
    text = " ".join(parts)
    if place:
        text += f", in {place}"
    return f"{text}: {reason}" if reason else text
